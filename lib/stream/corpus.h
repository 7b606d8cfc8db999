/* Random access to the documents of mapped files, by number and by id.
 *
 * Documents are numbered 0, 1, ... in the order of files and lines. Memory: 8 bytes a document for its
 * place; for ids 16 to 24 bytes more (hash and hash table), for line numbers as ids 8 bytes more. The
 * texts stay in the files. After it is built, many threads may read it. */
#ifndef SH_STREAM_CORPUS_H
#define SH_STREAM_CORPUS_H

#include "io/mapped.h"
#include "io/tables.h"
#include "stream/docs.h"

#define SH_CORPUS_NONE UINT32_MAX

struct sh_corpus_file {
	struct sh_mapped map;
	uint64_t base; /* offset of its first byte, counted over all files */
};

/* Lines of some documents in memory, one behind the other. */
struct sh_held {
	uint32_t *document; /* ascending */
	size_t *at;         /* n + 1 offsets in text.p */
	size_t n, document_cap, at_cap;
	struct sh_buf text, window;
};

struct sh_corpus {
	struct sh_document_form form;
	bool trailer; /* set before sh_corpus_scan(): each file has a trailer, which is checked */
	bool keeps_open; /* set before sh_corpus_open(): the descriptors of the files stay open */
	/* sh_corpus_document() reads lines of up to 16 KiB with the descriptors, which must be open. Then mapped pages
	 * take no memory, and a document takes one system call. For files that are larger than memory. */
	bool reads;
	struct sh_held *held;     /* see sh_corpus_hold() */
	struct sh_tables *tables; /* storage of the arrays below; NULL: memory */
	struct sh_header header;  /* of the files that sh_corpus_scan() read */
	struct sh_corpus_file *file;
	size_t n_files, files_cap;
	uint64_t *at; /* offset of each document, counted over all files */
	size_t n, at_cap;
	uint64_t *number; /* line number of each document over all files, if form.line_ids */
	size_t number_cap;
	/* documents that sh_corpus_scan() left out, since an earlier one has their id */
	uint64_t repeated;

	uint64_t key[2];
	uint64_t *hash; /* of each id */
	size_t hash_cap;
	uint32_t *slots; /* hash table: document + 1; at most half full */
	unsigned slot_bits;
};

int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err);
void sh_corpus_free(struct sh_corpus *c);

/* Maps one more file. Does not read its documents. */
int sh_corpus_open(struct sh_corpus *c, const char *name, const char *dir, struct sh_error *err);

/* Adds the document at this offset, counted over all files, in the line of this number. SH_ERR_RANGE
 * when there are 2^32 - 2 documents already. */
int sh_corpus_add(struct sh_corpus *c, uint64_t place, uint64_t number, struct sh_error *err);

/* Called for a line that is not a document; err has file and line. Returns 0 to skip the line. */
typedef int sh_corpus_bad(void *arg, struct sh_slice line, struct sh_error *err);

/* Adds all documents of the last file, with their ids. A document with an id that occurred before is
 * left out. *lines is the number of the last line before this file, and is increased. */
int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err);

/* Returns the next document after `from` whose id has the same hash as this id; the caller compares
 * the ids. from: SH_CORPUS_NONE for the first one. Returns SH_CORPUS_NONE when there is no more. */
uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from);

/* Returns the line of a document without its LF. SH_PAD bytes after it may be read. */
struct sh_slice sh_corpus_line(const struct sh_corpus *c, uint32_t document);

/* Gives the memory of all files back to the system, which reads them again when they are used. Lines stay valid.
 * For programs that look through files that are larger than memory. */
void sh_corpus_forget(const struct sh_corpus *c);

/* Reads the lines of n documents into memory, for sh_corpus_document(), in the order of the files and in large pieces.
 * Replaces the documents held before. Sorts `document` and drops repeated ones. Does nothing unless c->reads. No other
 * thread may use the corpus meanwhile. */
int sh_corpus_hold(const struct sh_corpus *c, uint32_t *document, size_t n, struct sh_error *err);

/* Returns the bytes that a document takes there; 0: it is too long to be held. */
size_t sh_corpus_hold_bytes(const struct sh_corpus *c, uint32_t document);

/* Parses the line of a document into id and text, which may lie in `room`. */
int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err);

#endif
