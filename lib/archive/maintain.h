/* What is done to an archive now and then: it is checked, merged, and loses what is old or
 * unwanted. */
#ifndef SH_ARCHIVE_MAINTAIN_H
#define SH_ARCHIVE_MAINTAIN_H

#include "archive/archive.h"
#include "base/hmap.h"

/* Read every byte: checksums, forms, order, numbers, and that records belong together.
 * SH_ERR_RECORD says what is wrong first. */
int sh_archive_check(struct sh_archive *a, unsigned jobs, struct sh_error *err);

/* All segments into one. */
int sh_archive_compact(struct sh_archive *a, struct sh_error *err);

struct sh_removal {
	const struct sh_hmap *ids;           /* those of these ids go, */
	uint64_t before;                     /* and those added before this second since 1970, */
	bool dry;                            /* or would */
	uint64_t documents, kept;            /* how many that are; of them, that had stayed */
	void (*met)(void *arg, uint32_t id); /* told of each of the ids that a document has */
	void *arg;
};

/* Documents that were dropped for one that goes go with it. Segments that lose something are
 * written again, the records of all documents are read. */
int sh_archive_remove(struct sh_archive *a, struct sh_removal *r, struct sh_error *err);

struct sh_archive_stats {
	uint64_t bytes[SH_PARTS]; /* by part; checksums last */
	uint64_t keys, documents;
	uint64_t oldest, newest; /* seconds since 1970; 0 when it is empty */
};

int sh_archive_stats(struct sh_archive *a, struct sh_archive_stats *s, struct sh_error *err);

/* Passes id and text of each document that stayed, in the order of their numbers. The text has the escapes of
 * records. *without: how many documents the archive has no text of, for they have no features.
 * SH_ERR_PARAM: the archive keeps no texts. */
typedef int sh_archive_document(
    void *arg, struct sh_slice id, struct sh_slice text, struct sh_error *err);
int sh_archive_export(struct sh_archive *a, sh_archive_document *each, void *arg, uint64_t *without,
    struct sh_error *err);

#endif
