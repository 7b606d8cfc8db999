/* Maintenance of a locked archive: checking, merging, removing, figures, export. Merging and
 * removing need the lock alone. */
#ifndef SH_ARCHIVE_MAINTAIN_H
#define SH_ARCHIVE_MAINTAIN_H

#include "archive/archive.h"
#include "base/hmap.h"

/* Reads every byte. Checks checksums, forms, order, numbers, and that the records of a document
 * agree. SH_ERR_RECORD: the first error found. */
int sh_archive_check(struct sh_archive *a, unsigned jobs, struct sh_error *err);

/* Merges all segments into one. */
int sh_archive_compact(struct sh_archive *a, struct sh_error *err);

/* Selects the documents to remove: those for which one of the two conditions holds. */
struct sh_removal {
	const struct sh_hmap *ids; /* the document has one of these ids; NULL: no ids */
	/* the document was added before this time, in seconds since 1970; 0: no such condition */
	uint64_t before;
	bool dry; /* count only, remove nothing */
	/* Called for each document with one of the ids. id: index in `ids`. Not NULL unless `ids`
	 * is. */
	void (*met)(void *arg, uint32_t id);
	void *arg;

	/* The results. */
	uint64_t documents; /* removed, with dropped duplicates */
	uint64_t kept;      /* of these, documents that had stayed */
};

/* Removes documents, and all documents that were dropped as their duplicates. Reads the records of
 * all documents, and rewrites each segment that loses a document. */
int sh_archive_remove(struct sh_archive *a, struct sh_removal *r, struct sh_error *err);

struct sh_archive_stats {
	uint64_t bytes[SH_PARTS]; /* by part; checksums last */
	uint64_t keys, documents;
	/* times of documents, in seconds since 1970; 0 when there are none */
	uint64_t oldest, newest;
};

/* Reads the records of all documents. Returns 0 or -1. */
int sh_archive_stats(struct sh_archive *a, struct sh_archive_stats *s, struct sh_error *err);

/* Passes id and text of each document that stayed, in the order of their numbers. The text has the
 * escapes of records. *without: number of documents that stayed and whose text the archive lacks:
 * they have no features. SH_ERR_PARAM: the archive stores no texts. */
typedef int sh_archive_document(
    void *arg, struct sh_slice id, struct sh_slice text, struct sh_error *err);
int sh_archive_export(struct sh_archive *a, sh_archive_document *each, void *arg, uint64_t *without,
    struct sh_error *err);

#endif
