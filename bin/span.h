/* The parts of shspan: settings, the documents, the ways of finding passages, records. */
#ifndef SPAN_H
#define SPAN_H

#include "docopts.h"
#include "passage/coverage.h"
#include "passage/links.h"
#include "passage/placed.h"

enum span_mode { SPAN_FIRST, SPAN_ALL, SPAN_COUNT, SPAN_EXACT, SPAN_QUERY };

struct span_settings {
	struct docopts docs;
	struct sh_seed_opts seed;
	struct sh_match_opts match;
	enum span_mode mode;
	struct cli_files files; /* -d */
	bool seeds;             /* the input is seeds */
	bool pairs;
	bool every;         /* --exact: the first copies as well */
	uint32_t length;    /* --exact */
	uint32_t documents; /* --count */
	size_t bound;       /* postings of a seed */
	uint64_t threshold; /* -T, in millionths */
	bool threshold_given;
};

/* The documents of these files, by number. Dies of errors, puts bad records aside. */
void span_open(struct cli *c, const struct span_settings *s, char *const *names, size_t n,
    struct sh_corpus *corpus);

/* Their tokens and seeds. */
void span_load(struct cli *c, const struct span_settings *s, struct sh_corpus *corpus,
    bool no_seeds, struct sh_texts *texts);

/* Read the seeds of the documents instead, as shseed wrote them. */
void span_read_seeds(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    struct sh_texts *texts);

/* What a worker writes about a document of the corpus. */
typedef int span_document(
    void *worker, uint32_t document, struct sh_buf *out, struct sh_error *err);

/* All documents to the output, in their order, by c->jobs workers. */
void span_each(struct cli *c, const struct sh_texts *texts, void **workers, span_document *each);

/* The ways. */
void span_self(struct cli *c, struct span_settings *s);
void span_exact(struct cli *c, struct span_settings *s);
void span_query(struct cli *c, struct span_settings *s);

/* Append records; -1 with *err. */
int span_put(struct sh_buf *out, const struct sh_placed *a, const struct sh_placed *b,
    const struct sh_span *span, struct sh_error *err);
int span_put_pair(struct sh_buf *out, struct sh_slice id1, struct sh_slice id2, uint32_t matched,
    const struct sh_coverage *c, size_t tokens1, size_t tokens2, struct sh_error *err);
/* "id start end", and n numbers behind them. */
int span_put_place(struct sh_buf *out, const struct sh_placed *p, uint32_t from, uint32_t to,
    const uint64_t *numbers, size_t n, struct sh_error *err);

#endif
