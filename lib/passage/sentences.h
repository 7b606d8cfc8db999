/* SPDX-License-Identifier: MIT */
/* Finds lines, or sentences, and runs of them that occurred before.
 *
 * A line ends at a line end. A sentence ends behind . ! ? or an ellipsis, and behind quotation
 * marks and brackets that follow them, where white space or the end of the text comes next. It also
 * ends behind a full stop of another script, such as the Chinese one, and at an empty line.
 *
 * Two lines or sentences are equal when their characters are, after folding (unicode/fold.h). White
 * space at the ends does not count, and other white space is one blank. A line without a letter or
 * digit equals no other. Equality is decided by hashes of 128 bits. */
#ifndef SH_PASSAGE_SENTENCES_H
#define SH_PASSAGE_SENTENCES_H

#include "base/buf.h"
#include "base/hmap.h"
#include "unicode/fold.h"

enum { SH_SENTENCES_RUN = 3, SH_SENTENCES_RUN_MAX = 255 };

struct sh_sentence_opts {
	bool lines;   /* lines; false: sentences */
	bool raw;     /* the text has no escapes */
	bool no_fold; /* compare unfolded characters */
	/* Sentences of a run, 1 to SH_SENTENCES_RUN_MAX. Sentences without words do not count. */
	unsigned run;
	uint32_t tokens; /* runs of fewer words equal no other */
};

/* Bytes from .. to-1 of the text. `next` is the first byte of the next sentence, or the end of the
 * text. White space is between `to` and `next`. */
struct sh_sentence {
	uint32_t from, to, next;
	uint32_t tokens; /* words; a character of a script without spaces is a word */
	uint64_t hash[2];
	/* The least and the greatest number of documents with a marked run of this sentence; 0: it
	 * is in no marked run. */
	uint32_t min, max;
};

/* Splits texts, and holds their sentences, one text after the other. It serves one thread. */
struct sh_splitter {
	const struct sh_sentence_opts *opts; /* borrowed */
	struct sh_fold *fold;
	struct sh_sentence *at;
	size_t n, cap;
	size_t *end; /* by text: the end of its sentences in at[] */
	size_t texts, end_cap;
	uint64_t ill_formed;         /* ill-formed UTF-8 sequences */
	struct sh_buf plain, folded; /* one sentence: without escapes; folded */
};

/* Free s with sh_splitter_free() also after -1. */
int sh_splitter_init(
    struct sh_splitter *s, const struct sh_sentence_opts *opts, struct sh_error *err);
void sh_splitter_free(struct sh_splitter *s);

/* Drops all texts. */
static inline void sh_splitter_clear(struct sh_splitter *s)
{
	s->n = s->texts = 0;
	s->ill_formed = 0;
}

/* Adds a text of less than 2^31 bytes. Its sentences have no marks. */
int sh_splitter_add(struct sh_splitter *s, struct sh_slice text, struct sh_error *err);

/* Returns the sentences of text i, and sets *n to their number. */
struct sh_sentence *sh_splitter_text(const struct sh_splitter *s, size_t i, size_t *n);

/* The runs of all texts so far. */
struct sh_run_count {
	uint32_t last;      /* the last document with the run */
	uint32_t documents; /* number of documents with the run */
	uint32_t places;    /* number of its occurrences, at most UINT32_MAX */
};

struct sh_run_counts {
	const struct sh_sentence_opts *opts; /* borrowed */
	struct sh_hmap runs;
	struct sh_run_count *count; /* by index of the run */
	size_t cap;
};

int sh_run_counts_init(
    struct sh_run_counts *c, const struct sh_sentence_opts *opts, struct sh_error *err);
void sh_run_counts_free(struct sh_run_counts *c);

/* Counts the runs of the n sentences of a document. Marks the runs that occurred before. */
int sh_count_runs(struct sh_run_counts *c, struct sh_sentence *s, size_t n, uint32_t document,
    struct sh_error *err);

/* Marks the runs of a document, all of them counted, that occur in at least this number of
 * documents and of places. Several threads may call it. */
void sh_mark_runs(const struct sh_run_counts *c, struct sh_sentence *s, size_t n,
    uint32_t documents, uint32_t places);

/* Finds the next passage of the n sentences of a text: marked sentences that follow each other. *i
 * is 0 at first. Sets from, to, tokens, min and max of *out. A passage has the white space behind
 * it. When there is none, because the text ends, it has the white space before it. So the sentences
 * that stay are parted as before. Returns false when there is none. */
bool sh_next_passage(const struct sh_sentence *s, size_t n, size_t *i, struct sh_sentence *out);

#endif
