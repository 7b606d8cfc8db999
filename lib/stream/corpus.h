/* SPDX-License-Identifier: MIT */
/* Random access to the documents of files, by number and by id.
 *
 * Documents are numbered 0, 1, ... in the order of files and lines. A document needs 8 bytes of
 * memory, 16 to 24 bytes more for the hash of its id, or 8 bytes more for a line number as id. All
 * texts are bytes in memory: the files are mapped. The texts of compressed files and of pipes are
 * copied to memory, at most to half of the memory of `tables`. Longer texts are copied to a
 * temporary file, which is mapped, too. Threads may share a corpus after all documents were added
 * and indexed. */
#ifndef SH_STREAM_CORPUS_H
#define SH_STREAM_CORPUS_H

#include "io/mapped.h"
#include "io/tables.h"
#include "stream/docs.h"
#include "text/token.h"

#define SH_CORPUS_NONE UINT32_MAX

struct sh_corpus_file {
	const char *name;                    /* borrowed */
	const struct sh_document_form *form; /* borrowed; NULL: corpus->form */
	const struct sh_codec *codec; /* the form that was decompressed; NULL: not compressed */
	const char *p; /* the text, decompressed; SH_PAD readable bytes follow each line */
	size_t n;      /* its bytes */
	uint64_t base; /* offset of its first byte: the bytes of all files before it */
	size_t map;    /* index in corpus->map of the mapping that has the text */
};

struct sh_corpus {
	struct sh_document_form form;
	/* Set before sh_corpus_open(): the form of the files that are opened next. It has the
	 * options of `form`, but other fields. Call sh_corpus_scan() before other files are opened.
	 * NULL: `form`. */
	const struct sh_document_form *fields;
	/* Set before sh_corpus_scan(), which then fails at a text that needs more memory: see
	 * sh_token_check(). 0: texts of any size. */
	size_t memory;
	enum sh_unit unit;
	bool trailer; /* set before sh_corpus_scan(): check the trailer that each file must have */
	/* Set before sh_corpus_open(): the descriptors of mapped files stay open. */
	bool keeps_open;
	unsigned jobs; /* threads; set before sh_corpus_open(); 1 at first */
	/* For files that are larger than memory; needs keeps_open. sh_corpus_document() reads lines
	 * of at most 16 KiB by a system call, so that mapped pages need no memory. */
	bool reads;
	uint64_t forgot; /* see sh_corpus_passed() */
	/* Storage of the arrays; NULL: memory. Set before documents are added. */
	struct sh_tables *tables;
	struct sh_header header; /* of the files that sh_corpus_scan() read */
	uint64_t blank;          /* blank lines that sh_corpus_scan() passed over */
	struct sh_corpus_file *file;
	size_t n_files, files_cap;
	size_t n_scanned;      /* the first files, which sh_corpus_scan() has read */
	struct sh_mapped *map; /* of files, and of copied texts */
	size_t n_maps, maps_cap;
	size_t held;      /* bytes of copied texts in memory */
	uint64_t *at;     /* offset of each document, counted over all files */
	size_t n, at_cap; /* number of documents; elements allocated in `at` */
	/* With form.line_ids the number of each document's line over all files; otherwise NULL, or
	 * the hash of each id. */
	uint64_t *number;
	size_t number_cap;
	uint64_t repeated; /* documents removed: an earlier document has the id */

	uint64_t key[2];    /* of the hash function of ids */
	uint32_t *slots;    /* hash table of document + 1, at most half full; 0: empty */
	unsigned slot_bits; /* 2^slot_bits slots */
};

/* Copies *form. Free c also after a failure. After a failure of any function that adds files or
 * documents, c can only be freed. */
int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err);
void sh_corpus_free(struct sh_corpus *c);

/* Maps n more files, or copies their texts, without reading documents. Borrows the names. dir: the
 * folder of temporary files, as for sh_spill_folder(). */
int sh_corpus_open(
    struct sh_corpus *c, char *const *names, size_t n, const char *dir, struct sh_error *err);

/* Adds the bytes of a buffer as one more file, and leaves the buffer empty. */
int sh_corpus_take(struct sh_corpus *c, struct sh_buf *text, struct sh_error *err);

/* Returns -1 when the size of a mapped file has changed. Needs keeps_open. */
int sh_corpus_check(const struct sh_corpus *c, struct sh_error *err);

/* Returns the bytes of all files, decompressed. */
static inline uint64_t sh_corpus_size(const struct sh_corpus *c)
{
	return c->n_files ? c->file[c->n_files - 1].base + c->file[c->n_files - 1].n : 0;
}

/* Adds n documents. at: their offsets, counted over all files. number: their elements of c->number,
 * or NULL. SH_ERR_RANGE: c would have more than 2^32 - 2 documents. */
int sh_corpus_add(struct sh_corpus *c, const uint64_t *at, const uint64_t *number, size_t n,
    struct sh_error *err);

/* The lines of the files, for the threads of a pool, without a copy. No task waits for another one:
 * a task counts its lines from 1, and sh_corpus_lines_done() knows the lines of the tasks before.
 *
 *     sh_corpus_lines_init(&l, corpus, 0, 1, err);
 *     sh_pool_tasks(&pool, l.tasks, err);       work() calls sh_corpus_lines_read()
 *                                               done() calls sh_corpus_lines_done()
 *     sh_corpus_lines_free(&l); */
struct sh_corpus_lines {
	size_t tasks; /* number of tasks */

	/* Private. */
	const struct sh_corpus *corpus;
	struct sh_corpus_task *task; /* in the order of their lines */
	size_t cap;
	/* The next line, behind the tasks that are done: */
	uint64_t line;   /* its number in its file, from 1 */
	uint64_t number; /* its number in all files, without headers and trailers */
};

/* Prepares the lines of the corpus from file number `from` on. Reads the headers of these files
 * (see sh_corpus.header), and checks their trailers. number: of the first line. Free l also after a
 * failure. */
int sh_corpus_lines_init(struct sh_corpus_lines *l, struct sh_corpus *c, size_t from,
    uint64_t number, struct sh_error *err);
void sh_corpus_lines_free(struct sh_corpus_lines *l);

/* Sets job->from, and job->in to the lines of task job->task. job->from.line and job->from.number
 * are 1. With corpus->trailer the lines can have trailers (see sh_origin.trailer). Threads may call
 * it at the same time. */
void sh_corpus_lines_read(const struct sh_corpus_lines *l, struct sh_job *job);

/* Call it for each job, in order, after sh_job_lines() has processed all its lines, or after a
 * failure. Sets job->from.line and job->from.number to the numbers of the first line. Changes
 * job->err.line of a failed job to the number in the file; notes keep the lines of the task. */
void sh_corpus_lines_done(struct sh_corpus_lines *l, struct sh_job *job);

/* Receives n lines that are no documents, each with an LF, in their order; one call at a time,
 * perhaps in another thread. Returns 0 or -1. */
typedef int sh_corpus_rejects(void *arg, struct sh_slice lines, uint64_t n, struct sh_error *err);

/* Adds all documents of the files that were opened since the last call. Adds the number of their
 * lines, bad ones included, without headers and trailers, to *lines. With form.line_ids the first
 * line has the id *lines + 1. rejects: NULL: the first line that is no document is an error. */
int sh_corpus_scan(struct sh_corpus *c, uint64_t *lines, sh_corpus_rejects *rejects, void *arg,
    struct sh_error *err);

/* Removes each document whose id an earlier document has, and counts it in c->repeated. The
 * documents behind it get lower numbers. Makes the index of ids for sh_corpus_find(). Call it once,
 * after the last document. Does nothing with form.line_ids. */
int sh_corpus_index(struct sh_corpus *c, struct sh_error *err);

/* Returns the first document after `from` whose id has the hash of `id`, or SH_CORPUS_NONE. The
 * caller compares the ids. from = SH_CORPUS_NONE: searches all documents. With form.line_ids, finds
 * the only document with this line number. */
uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from);

/* Returns the line of a document without its LF, valid until sh_corpus_free(). SH_PAD bytes behind
 * the line are readable. */
struct sh_slice sh_corpus_line(const struct sh_corpus *c, uint32_t document);

/* Adds the file and the line of a document to the error. Reads the file up to there. Returns -1. */
int sh_corpus_blame(const struct sh_corpus *c, uint32_t document, struct sh_error *err);

/* Call it in a pass over all files, with ascending offsets, counted over all files. With c->reads
 * this function gives the memory of mapped files back to the system from time to time. Lines stay
 * valid: the system reads a line again when it is used. */
void sh_corpus_passed(struct sh_corpus *c, uint64_t at);

/* Parses the line of a document into id and text. They are valid until `room` is used
 * again. */
int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err);

#endif
