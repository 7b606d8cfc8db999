/* The documents and seeds of earlier runs, in a folder. New documents are searched for passages of
 * these documents.
 *
 *     manifest        the lines
 *                       simhash-passages 1
 *                       settings TEXT
 *                       order 0102030405060708   the bytes of a number on this machine
 *                       segment NUMBER DOCUMENTS BYTES SEEDS SUM SUM
 *                                                of each segment; sums: XXH3 of its two files
 *                       added TIME DOCUMENTS     of each run: seconds since 1970; its documents
 *                       checksum HEX             XXH3 of all lines before
 *     NUMBER.tsv      the documents of one run, or of several merged runs, as they came
 *     NUMBER.seed     their postings (struct sh_posting), sorted; documents count from 0
 *     lock
 *     first-run       exists until the first run has written the manifest
 *
 * NUMBER has 8 hexadecimal digits. Segments are in the order of the manifest, not of their numbers.
 * Runs are in the order of the documents. The first documents may belong to no run: an earlier
 * version added them without a time. A run writes the files of a new segment, syncs these files,
 * and then renames a new manifest. The next run removes files that the manifest does not name:
 * their run was killed. */
#ifndef SH_PASSAGE_STORE_H
#define SH_PASSAGE_STORE_H

#include "io/folder.h"
#include "passage/groups.h"
#include "stream/corpus.h"

struct sh_passages_segment {
	uint32_t number;
	uint64_t documents, bytes, seeds;  /* bytes: of the .tsv */
	uint64_t sum_documents, sum_seeds; /* checksums of the two files */
};

/* Documents that were added at one time. */
struct sh_passages_run {
	uint64_t time, documents;
};

struct sh_passages {
	struct sh_folder folder;
	struct sh_buf head; /* first lines of the manifest: version, settings, byte order */
	struct sh_passages_segment *segment;
	size_t n, cap;
	struct sh_passages_run *run;
	size_t n_runs, runs_cap;
	bool added; /* the manifest does not name the last segment yet, or does not exist */
};

/* Opens the folder, or makes it, and locks it; waits at most `wait` seconds. settings: a line of
 * text; NULL: the folder must have a manifest, with any settings. SH_ERR_PARAM: it was made with
 * other settings, by another version or in another byte order; it has files but no manifest; or
 * another run has it. SH_ERR_RECORD: the manifest is damaged. */
int sh_passages_open(struct sh_passages *s, const char *path, const char *settings, uint64_t wait,
    struct sh_error *err);
/* Closes the store, without a commit. Does nothing with a zeroed struct. */
void sh_passages_close(struct sh_passages *s);

/* Returns whether there is a folder with a manifest of this form. -1: it cannot be read. */
int sh_passages_is(const char *path, struct sh_error *err);

/* Opens the folder, which must exist, for reading, with any settings and byte order. Other readers
 * may open it, too. A folder without a manifest is an empty store. */
int sh_passages_read(struct sh_passages *s, const char *path, uint64_t wait, struct sh_error *err);

/* Returns the number of documents, with those of a new segment. */
uint64_t sh_passages_count(const struct sh_passages *s);

/* Reads all files and compares them with the manifest. SH_ERR_RECORD: a file is damaged. */
int sh_passages_check(const struct sh_passages *s, struct sh_error *err);

/* Merges all segments into one, and commits. The store must not have a new segment. Does nothing
 * with fewer than two. */
int sh_passages_compact(struct sh_passages *s, struct sh_error *err);

/* Removes the documents that were added before this time, in seconds since 1970, exclusive. Then
 * commits, also a new segment. Rewrites each segment that loses some of its documents. dry: counts
 * only. *documents: number of documents removed. *undated: number of documents that have no time,
 * which stay. */
int sh_passages_expire(struct sh_passages *s, uint64_t before, bool dry, uint64_t *documents,
    uint64_t *undated, struct sh_error *err);

/* Returns the path of the documents of segment i, which begins with the folder's; the caller frees
 * it. NULL: memory ran out. */
char *sh_passages_documents(const struct sh_passages *s, size_t i, struct sh_error *err);

/* An array of postings that grows. */
struct sh_postings {
	struct sh_tables *tables; /* its storage; NULL: memory */
	struct sh_posting *p;
	size_t n, cap;
};

/* Appends to p the postings of segment i whose key one of the first n postings of p has. The first
 * n postings must be sorted. Documents of the segment count from `base`. */
int sh_passages_join(const struct sh_passages *s, size_t i, struct sh_postings *p, size_t n,
    uint32_t base, struct sh_error *err);

/* Writes the documents of the corpus from `first` on, and their n sorted postings, as a new
 * segment. now: in seconds since 1970. */
int sh_passages_add(struct sh_passages *s, const struct sh_corpus *corpus, uint32_t first,
    const struct sh_posting *p, size_t n, uint64_t now, struct sh_error *err);

/* Writes the manifest, which then names the new segment. Does nothing when the manifest names all
 * segments. A commit that failed can be repeated. */
int sh_passages_commit(struct sh_passages *s, struct sh_error *err);

/* ---- for store_merge.c ---- */

enum { SH_PASSAGES_NAME = 16 };

/* Writes the file name of a part, "tsv" or "seed", in SH_PASSAGES_NAME bytes. */
void sh_passages_part(char *out, uint32_t segment, const char *suffix);

/* Sets the number of a new segment. SH_ERR_RANGE: all numbers are used. */
int sh_passages_number(const struct sh_passages *s, uint32_t *number, struct sh_error *err);

/* Returns the number of documents that have no time: the first documents, which belong to no
 * run. */
uint64_t sh_passages_undated(const struct sh_passages *s);

/* Fills in the checksums of a segment from its files. */
int sh_passages_sum(
    const struct sh_passages *s, struct sh_passages_segment *e, struct sh_error *err);

/* Compares the files of a segment with its checksums. */
int sh_passages_verify(
    const struct sh_passages *s, const struct sh_passages_segment *e, struct sh_error *err);

/* Removes the files that no segment in memory has. The manifest must be the one in memory. */
int sh_passages_clean(struct sh_passages *s, struct sh_error *err);

/* Fills *err for a damaged file. Returns -1. */
int sh_passages_damaged(const struct sh_passages *s, const char *name, struct sh_error *err);

#endif
