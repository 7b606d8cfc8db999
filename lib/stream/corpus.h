/* Documents that are looked at again and again: where each begins in mapped files, and
 * which one has a given id. The texts stay in the files.
 *
 * Documents are numbered 0, 1, ... in the order of files and lines. Memory: 8 bytes a
 * document, with an index of ids 16 to 24 more (their hash and its place; ids are not held),
 * with line numbers as ids 8. Once built it may be read by many threads. */
#ifndef SH_STREAM_CORPUS_H
#define SH_STREAM_CORPUS_H

#include "io/mapped.h"
#include "io/tables.h"
#include "stream/docs.h"

#define SH_CORPUS_NONE UINT32_MAX

struct sh_corpus_file {
	struct sh_mapped map;
	uint64_t base; /* place of its first byte, counted over all files */
};

struct sh_corpus {
	struct sh_document_form form;
	bool trailer;    /* set before sh_corpus_scan(): each file has one, which is checked */
	bool keeps_open; /* set before sh_corpus_open(): the descriptors of the files stay open */
	struct sh_tables *tables; /* where places and index are kept; NULL: in memory */
	struct sh_corpus_file *file;
	size_t n_files, files_cap;
	uint64_t *at; /* of each document, counted over all files */
	size_t n, at_cap;
	uint64_t *number; /* of its line over all files, under form.line_ids */
	size_t number_cap;
	uint64_t repeated; /* documents left out by sh_corpus_scan(): their id is another's */

	uint64_t key[2];
	uint64_t *hash; /* of each id */
	size_t hash_cap;
	uint32_t *slots; /* document + 1, by hash; at most half are used */
	unsigned slot_bits;
};

int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err);
void sh_corpus_free(struct sh_corpus *c);

/* Map a further file. Its documents are not known yet. */
int sh_corpus_open(struct sh_corpus *c, const char *name, const char *dir, struct sh_error *err);

/* A document begins at this byte, counted over all files, in the line of this number.
 * SH_ERR_RANGE: 2^32-2 documents at the most. */
int sh_corpus_add(struct sh_corpus *c, uint64_t place, uint64_t number, struct sh_error *err);

/* Told of a line that is no document: 0 to go on without it. err has file and line. */
typedef int sh_corpus_bad(void *arg, struct sh_slice line, struct sh_error *err);

/* Add all documents of the last file, with their ids. Of two with one id the first counts.
 * *lines is the number of the last line before, and moves on. */
int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err);

/* The next document after `from` (SH_CORPUS_NONE: the first) that may have this id: it has its
 * hash, and the caller looks. SH_CORPUS_NONE: no further one. */
uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from);

/* The line of a document, without its LF. SH_PAD bytes behind it may be read. */
struct sh_slice sh_corpus_line(const struct sh_corpus *c, uint32_t document);

/* Its id and text. number: room for an id that is a number. */
int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err);

#endif
