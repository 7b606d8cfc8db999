/* The documents and seeds of earlier runs, in a folder, so that passages of today's documents are found with those of
 * all days before.
 *
 *     manifest        "simhash-passages 1", "settings TEXT", "order 0102030405060708" (bytes of the machine's
 *                     numbers), for each segment "segment NUMBER DOCUMENTS BYTES SEEDS", "checksum HEX" (XXH3 of all
 *                     lines before)
 *     NUMBER.tsv      the documents of one run, as they came
 *     NUMBER.seed     their postings (struct sh_posting), sorted; documents count from 0 in each segment
 *     lock
 *
 * NUMBER has 8 hexadecimal digits. A run writes the files of a new segment, syncs them, and then renames a new
 * manifest. A file that the manifest does not name is of a run that did not end: the next one removes it. */
#ifndef SH_PASSAGE_STORE_H
#define SH_PASSAGE_STORE_H

#include "io/folder.h"
#include "passage/groups.h"
#include "stream/corpus.h"

struct sh_store_segment {
	uint64_t documents, bytes, seeds;
};

struct sh_store {
	struct sh_folder folder;
	const char *settings; /* borrowed */
	struct sh_store_segment *segment;
	size_t n, cap;
	bool added; /* the last segment is not in the manifest yet */
};

/* Opens the folder, or makes it, and locks it; waits at most `wait` seconds. SH_ERR_PARAM: it was made with other
 * settings (a line of text), or another run has it. */
int sh_store_open(struct sh_store *s, const char *path, const char *settings, uint64_t wait,
    struct sh_error *err);
/* Does nothing with a zeroed struct. */
void sh_store_close(struct sh_store *s);

/* The name of the documents of segment i, below the folder's path. Free it. */
char *sh_store_documents(const struct sh_store *s, size_t i, struct sh_error *err);

/* An array of postings that grows. */
struct sh_postings {
	struct sh_tables *tables; /* its storage; NULL: memory */
	struct sh_posting *p;
	size_t n, cap;
};

/* Appends to p the postings of segment i whose keys are among those of the first n, which are sorted. Documents
 * count from `base`. */
int sh_store_join(const struct sh_store *s, size_t i, struct sh_postings *p, size_t n,
    uint32_t base, struct sh_error *err);

/* Writes the documents of the corpus from `first` on, and their n sorted postings, as a new segment. */
int sh_store_add(struct sh_store *s, const struct sh_corpus *corpus, uint32_t first,
    const struct sh_posting *p, size_t n, struct sh_error *err);

/* From here on the new segment belongs to the store. */
int sh_store_commit(struct sh_store *s, struct sh_error *err);

#endif
