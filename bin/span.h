/* SPDX-License-Identifier: MIT */
/* The parts of shspan: settings, documents, methods of finding passages, records. */
#ifndef SPAN_H
#define SPAN_H

#include "docopts.h"
#include "fp/tag.h"
#include "passage/match.h"
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
	bool found;         /* set by the methods: a record was written */
	uint32_t length;    /* value of --exact */
	uint32_t documents; /* value of --count */
	size_t bound;       /* most postings of a seed that are read or paired */
	size_t memory;      /* value of -S, in bytes */
	uint64_t threshold; /* -T: least coverage of a document, see sh_coverage_needs() */
};

/* Opens the documents of these files as a corpus, with its arrays in `tables`; NULL: in memory.
 * Rejects bad records. Dies of errors. */
void span_open(struct cli *c, const struct span_settings *s, char *const *names, size_t n,
    struct sh_tables *tables, struct sh_corpus *corpus);

/* Computes the tokens of the documents, and adds their postings to `postings`. postings NULL:
 * computes tokens only, and does not report bad documents; an earlier call did. wanted: documents
 * without a bit get neither; NULL: all have a bit. Dies of errors. */
void span_load(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    const uint64_t *wanted, struct sh_sorter *postings, struct sh_texts *texts);

/* The methods. Each sets s->found. They die of errors. */
void span_documents(struct cli *c, struct span_settings *s); /* of one set, also --exact */
void span_query(struct cli *c, struct span_settings *s);
void span_repeats(struct cli *c, struct span_settings *s);

/* Writes the passages of the documents from `first` on. Frees the postings. */
void span_find(struct cli *c, struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_texts *texts, struct sh_sorter *postings, uint32_t first);

/* --archive: makes the archive s->archive when there is none, adds today's documents, and writes
 * the passages that they share with each other and with earlier documents. */
struct span_archive *span_archive(struct cli *c, struct span_settings *s);
/* Commits the documents, after all output was written. Frees a. */
void span_archive_commit(struct span_archive *a);

/* Appends an id and n numbers, with TABs between them and one character behind them. */
int span_put(struct sh_buf *out, struct sh_slice id, const uint64_t *numbers, size_t n, char behind,
    struct sh_error *err);

#endif
