/* Random access to the documents of files, by number and by id.
 *
 * Documents are numbered 0, 1, ... in the order of files and lines. A document needs 8 bytes of
 * memory, 16 to 24 bytes more for the hash of its id, or 8 bytes more for a line number as id. The
 * texts stay in the files, which are mapped. The texts of compressed files and of pipes are kept in
 * pieces (io/pieces.h), which may use half of the memory of `tables`. Threads may share a corpus
 * after all documents were added and indexed. */
#ifndef SH_STREAM_CORPUS_H
#define SH_STREAM_CORPUS_H

#include "io/mapped.h"
#include "io/pieces.h"
#include "io/tables.h"
#include "stream/docs.h"

#define SH_CORPUS_NONE UINT32_MAX

struct sh_corpus_file {
	const char *name;             /* borrowed */
	const struct sh_codec *codec; /* the form that was decompressed; NULL: not compressed */
	uint64_t n;                   /* bytes, decompressed */
	uint64_t base;        /* offset of its first byte: the bytes of all files before it */
	struct sh_mapped map; /* map.base is NULL when the text is in corpus->pieces */
	uint64_t in_pieces;   /* offset of its first byte there */
};

/* The lines of n documents in memory, one after the other. */
struct sh_held {
	uint32_t *document; /* ascending */
	size_t *at;         /* n + 1 offsets in text */
	size_t n, document_cap, at_cap;
	struct sh_buf text;           /* the lines */
	struct sh_buf window;         /* scratch: bytes of a file */
	struct sh_document_room room; /* scratch */
};

struct sh_corpus {
	struct sh_document_form form;
	bool trailer; /* set before sh_corpus_scan(): check the trailer that each file must have */
	/* Set before sh_corpus_open(): the descriptors of mapped files stay open. */
	bool keeps_open;
	unsigned jobs; /* threads; set before sh_corpus_open(); 0: one */
	/* For files that are larger than memory; needs keeps_open. sh_corpus_document() reads lines
	 * of at most 16 KiB by a system call, so that mapped pages need no memory. */
	bool reads;
	struct sh_held *held; /* owned; see sh_corpus_hold() */
	/* Storage of the arrays; NULL: memory. Set before documents are added. */
	struct sh_tables *tables;
	struct sh_header header; /* of the files that sh_corpus_scan() read */
	struct sh_corpus_file *file;
	size_t n_files, files_cap;
	struct sh_pieces pieces;
	uint64_t *at; /* offset of each document, counted over all files */
	size_t n, at_cap;
	uint64_t *number; /* line number of each document over all files, if form.line_ids */
	size_t number_cap;
	uint64_t repeated; /* documents removed: an earlier document has the id */

	uint64_t key[2];
	uint64_t *hash; /* of the id of each document */
	size_t hash_cap;
	uint32_t *slots; /* hash table of document + 1, at most half full; 0: empty */
	unsigned slot_bits;
};

int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err);
void sh_corpus_free(struct sh_corpus *c);

/* Maps one more file, or reads all its text into pieces, without reading documents. dir: the folder
 * of temporary files, as for sh_spill_folder(). */
int sh_corpus_open(struct sh_corpus *c, const char *name, const char *dir, struct sh_error *err);

/* Columns of documents. A column may be NULL when the corpus does not need it. */
struct sh_corpus_columns {
	const uint64_t *offset; /* counted over all files */
	const uint64_t *number; /* line numbers, for form.line_ids */
	const uint64_t *hash;   /* of the ids, for sh_corpus_index() */
};

/* Adds n documents. SH_ERR_RANGE: there are more than 2^32 - 2 documents. */
int sh_corpus_add(
    struct sh_corpus *c, const struct sh_corpus_columns *new, size_t n, struct sh_error *err);

/* Called for a line that is not a document. err has file and line. Returns 0 to
 * skip the line, -1 to stop. */
typedef int sh_corpus_bad(void *arg, struct sh_slice line, struct sh_error *err);

/* Adds all documents of the file that was opened last. Adds the number of lines, without header and
 * trailer, to *lines: line numbers as ids start at *lines + 1. Calls bad() in the calling thread,
 * in the order of the lines, after all lines were read. */
int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err);

/* Removes each document whose id an earlier document has, and counts it in c->repeated. Makes the
 * index of ids for sh_corpus_find(). Call it once, after the last sh_corpus_scan(). */
int sh_corpus_index(struct sh_corpus *c, struct sh_error *err);

/* Returns the first document after `from` whose id has the hash of `id`; SH_CORPUS_NONE
 * when there is none. The caller compares the ids. from = SH_CORPUS_NONE: returns the
 * first of all documents. */
uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from);

/* Sets *line to the line of a document without its LF, valid until `room` is used again. SH_PAD
 * bytes after the line are readable. */
int sh_corpus_line(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_slice *line, struct sh_error *err);

/* Sets *bytes to whole lines of a file from offset `at` on: all when it is mapped, otherwise at
 * least one. Sets it to no bytes at the end of the file. *bytes is valid as a line is. */
int sh_corpus_bytes(const struct sh_corpus *c, const struct sh_corpus_file *f, uint64_t at,
    struct sh_document_room *room, struct sh_slice *bytes, struct sh_error *err);

/* Copies up to n bytes of a file from offset `at`; needs keeps_open. Returns their number, 0 at the
 * end, or -1. */
ssize_t sh_corpus_read(const struct sh_corpus *c, const struct sh_corpus_file *f, uint64_t at,
    char *to, size_t n, struct sh_document_room *room, struct sh_error *err);

/* Returns whether some texts are in a temporary file. */
bool sh_corpus_is_packed(const struct sh_corpus *c);

/* Gives the memory of all mapped files back to the system, for files that are larger than memory.
 * Lines stay valid: the system reads them again when they are used. */
void sh_corpus_forget(const struct sh_corpus *c);

/* Reads the lines of n documents into c->held, in the order of the files and in large pieces, for
 * sh_corpus_document(). Replaces the lines held before. Sorts document[] and removes repeated ones.
 * Does nothing unless c->reads. No other thread may use the corpus during the call. */
int sh_corpus_hold(const struct sh_corpus *c, uint32_t *document, size_t n, struct sh_error *err);

/* Returns the bytes that c->held needs for a document; 0: the line exceeds 16
 * KiB and is never held. */
size_t sh_corpus_hold_bytes(const struct sh_corpus *c, uint32_t document);

/* Returns whether sh_corpus_document() may put a text into its room. Other texts stay valid. */
bool sh_corpus_moves(const struct sh_corpus *c);

/* Parses the line of a document into id and text. They are valid until `room` is used again. */
int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err);

#endif
