/* Maintenance of an archive: checking, merging, removing, figures, export. */
#ifndef SH_ARCHIVE_MAINTAIN_H
#define SH_ARCHIVE_MAINTAIN_H

#include "archive/archive.h"
#include "base/hmap.h"

/* Reads every byte. Checks checksums, forms, order, numbers, and that the records of a document agree.
 * SH_ERR_RECORD: the first error found. */
int sh_archive_check(struct sh_archive *a, unsigned jobs, struct sh_error *err);

/* Merges all segments into one. */
int sh_archive_compact(struct sh_archive *a, struct sh_error *err);

/* Selects the documents to remove: those for which one of the two conditions holds. */
struct sh_removal {
	const struct sh_hmap *ids; /* the document has one of these ids; NULL: no ids */
	/* the document was added before this time, in seconds since 1970 */
	uint64_t before;
	bool dry; /* count only, remove nothing */
	uint64_t documents,
	    kept; /* results: documents removed; documents among them that had stayed */
	void (*met)(void *arg,
	    uint32_t id); /* called for each document with one of the ids: index of the id */
	void *arg;
};

/* Removes documents, and all documents that were dropped as their duplicates. Reads the records of all
 * documents, and rewrites each segment that loses a document. */
int sh_archive_remove(struct sh_archive *a, struct sh_removal *r, struct sh_error *err);

struct sh_archive_stats {
	uint64_t bytes[SH_PARTS]; /* by part; checksums last */
	uint64_t keys, documents;
	uint64_t oldest, newest; /* seconds since 1970; 0 when it is empty */
};

int sh_archive_stats(struct sh_archive *a, struct sh_archive_stats *s, struct sh_error *err);

/* Passes id and text of each document that stayed, in the order of their numbers. The text has the escapes
 * of records. *without: number of documents without features, of which the archive has no text.
 * SH_ERR_PARAM: the archive stores no texts. */
typedef int sh_archive_document(
    void *arg, struct sh_slice id, struct sh_slice text, struct sh_error *err);
int sh_archive_export(struct sh_archive *a, sh_archive_document *each, void *arg, uint64_t *without,
    struct sh_error *err);

#endif
