/* SPDX-License-Identifier: MIT */
/* The parts of shspan: settings, documents, methods of finding passages, records. */
#ifndef SPAN_H
#define SPAN_H

#include "docopts.h"
#include "fp/tag.h"
#include "passage/coverage.h"
#include "passage/links.h"
#include "passage/placed.h"
#include "passage/sentences.h"

enum span_mode { SPAN_FIRST, SPAN_ALL, SPAN_COUNT, SPAN_EXACT, SPAN_QUERY };

struct span_settings {
	struct docopts docs;
	struct sh_seed_opts seed;
	struct sh_match_opts match;
	enum span_mode mode;
	struct cli_files files; /* value of -d */
	bool seeds;             /* the input is seeds */
	const char *archive;    /* --archive */
	bool pairs;
	bool every;   /* --exact, -u: marks the first copies as well */
	bool repeats; /* -u line, -u sentence */
	struct sh_sentence_opts units;
	bool found;           /* set by the methods: a record was written */
	uint32_t length;      /* value of --exact */
	uint32_t documents;   /* value of --count */
	size_t bound;         /* most postings of a seed that are read or paired */
	size_t memory;        /* value of -S, in bytes */
	uint64_t threshold;   /* value of -T: least coverage of a document, in millionths */
	bool threshold_given; /* -T was given */
};

/* Opens the documents of these files as a corpus, with its arrays in `tables`; NULL: in memory.
 * Rejects bad records. Dies of errors. */
void span_open(struct cli *c, const struct span_settings *s, char *const *names, size_t n,
    struct sh_tables *tables, struct sh_corpus *corpus);

/* The documents whose tokens are computed. */
struct span_part {
	bool no_seeds;          /* compute no seeds */
	bool again;             /* faults of the documents were reported before */
	uint32_t first;         /* documents below this number get no tokens */
	const uint64_t *wanted; /* documents without a bit get no tokens; NULL: all have a bit */
};

/* Computes their tokens and seeds. */
void span_load(struct cli *c, const struct span_settings *s, struct sh_corpus *corpus,
    const struct span_part *part, struct sh_texts *texts);

/* Reads the seeds of the documents, as written by shseed, instead of computing them. */
void span_read_seeds(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    struct sh_texts *texts);

/* Appends a worker's output for a document of the corpus. */
typedef int span_document(
    void *worker, uint32_t document, struct sh_buf *out, struct sh_error *err);

/* Writes the output of all documents, in their order, with c->jobs workers. Returns whether there
 * was output. */
bool span_each(struct cli *c, const struct sh_texts *texts, void **workers, span_document *each);

/* The methods. */
void span_self(struct cli *c, struct span_settings *s);
void span_exact(struct cli *c, struct span_settings *s);
void span_query(struct cli *c, struct span_settings *s);
void span_repeats(struct cli *c, struct span_settings *s);

/* How these documents are compared. */
struct sh_links span_links(
    const struct span_settings *s, const struct sh_texts *texts, const struct sh_groups *groups);

/* Writes the passages of the documents from `first` on. Returns whether there are any. */
bool span_find(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_links *links, uint32_t first);

/* Append records. Return 0, or -1 with *err. */
int span_put(struct sh_buf *out, const struct sh_placed *a, const struct sh_placed *b,
    const struct sh_span *span, struct sh_error *err);
int span_put_pair(struct sh_buf *out, struct sh_slice id1, struct sh_slice id2, uint32_t matched,
    const struct sh_coverage *c, size_t tokens1, size_t tokens2, struct sh_error *err);
/* Appends the record "id start end", with n numbers behind it. */
int span_put_place(struct sh_buf *out, const struct sh_placed *p, uint32_t from, uint32_t to,
    const uint64_t *numbers, size_t n, struct sh_error *err);

#endif
