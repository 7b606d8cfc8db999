/* SPDX-License-Identifier: MIT */
/* The parts of shdedup, in the order of a run:
 *
 *     dedup_how.c      for sharchive, too: options that decide which documents are near-duplicates,
 *                      and lists of ids
 *     dedup_every.c    batches of an input that stays open
 *     dedup_read.c     documents to keys and ranks
 *     lib/match/engine  keys to groups
 *     dedup_write.c    groups to the documents that stay, to the report and the summary
 *     dedup_shards.c   the same with one output for each input
 *
 * Functions that return no error die of errors. */
#ifndef DEDUP_H
#define DEDUP_H

#include <stdio.h>

#include "archive/batch.h"
#include "base/hmap.h"
#include "cli.h"
#include "docopts.h"
#include "io/finished.h"
#include "match/rank.h"
#include "measures.h"
#include "sidebyside.h"
#include "stream/corpus.h"

struct dedup_settings {
	size_t memory;
	struct docopts docs;
	uint64_t seed;                /* of the keys; unused with random_seed */
	bool seed_given, random_seed; /* --seed was given; it is random */
	struct sh_key_rules rules;    /* by the thresholds, the tokens and the seed */
	struct measures measures;
	bool single; /* groups are chains, not stars */
	struct sh_rank_rule keep;
	struct cli_files protects;
	const char *archive;         /* value of -a; NULL: no archive */
	const char *shards;          /* value of -O; NULL: one output for all inputs */
	uint64_t wait, every;        /* values in seconds; every 0: the whole input is one run */
	bool compress;               /* --compress was given */
	const struct sh_codec *form; /* of --compress; NULL: none */
	const char *report_path;
	bool report_is_output; /* the report replaces the documents, under --dry-run */
	bool dry_run, quiet;
	bool counts;          /* the report has the size of each group */
	uint64_t sample;      /* value of --sample: pairs of each level of similarity; 0: none */
	struct sh_slice mark; /* name of the field; empty: documents are dropped, not marked */
};

/* Ids of the files that an option names, one per line; the text after a TAB is ignored. */
struct dedup_ids {
	struct sh_hmap ids;
	struct dedup_place {
		const char *file;
		uint64_t line; /* 0: a document with the id was read */
	} * at;                /* by index: the first place of each id */
	size_t cap;
};

/* The outputs of -O. */
struct dedup_shards {
	struct sh_finished finished;
	char **path; /* of the outputs; owned */
	char **name; /* their names in the folder: the ends of `path` */
	/* The list: options; then checksum and form of each input. The stream writes the text, which
	 * is complete after lines_of() of dedup_shards.c. */
	FILE *list;
	char *text;
	size_t n;
};

/* The state of a run; each part of the run adds its results. */
struct dedup_state {
	struct cli *cli;
	const struct dedup_settings *settings;
	struct dedup_ids ranked, protected;
	struct sh_store store; /* the archive */
	/* The documents of the run, and what the archive knows of them. Without an archive it has
	 * no more than the corpus and the engine. */
	struct sh_batch archive;
	struct dedup_shards shards;
	struct sh_sink report, *to; /* to: the output for the report */
	struct sh_tables tables;    /* arrays whose size depends on the documents */
	struct sh_buf lines;        /* under --every: the next batch, for dedup_read() */
	struct sh_corpus corpus;
	struct sh_corpus_lines tasks; /* of dedup_read() */
	struct sh_engine *engine;
	struct sample sample;
	struct sh_document_room room,
	    keeper_room;    /* of a document that is written, and its keeper */
	struct sh_buf line; /* of its record or its report */
	/* Documents of the run by keeper, as the engine numbers it. With an archive --counts has
	 * `all`: by number in the archive, the documents that it has dropped for this one, and the
	 * document itself. */
	uint32_t *size, *all;
	uint32_t largest; /* size of the largest group */
	uint32_t alike;   /* documents of the report whose id is the keeper's id */
	uint64_t groups;
	/* documents, and documents that do not stay; of all batches */
	uint64_t documents, dropped;
};

/* ---- options and ids, for sharchive too ---- */

/* For struct cli_program.options, with docopts_table. */
extern const struct cli_option dedup_how_table[];

/* Reads the options of the two tables, and loads their files. */
void dedup_how_complete(struct cli *c, struct dedup_settings *s);

/* Dies when an output would replace a file of the archive in `dir`. path: the output's, or NULL. */
void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path);

/* Reads ids from files. */
void dedup_read_ids(
    struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list);
void dedup_free_ids(struct dedup_ids *list);
/* Warns of ids that no document has: their number, and the place of the first. */
void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list);

/* ---- the input ---- */

/* Reads the documents of the operands, or of s->lines, into s->corpus and s->engine, in input order, and ranks
 * them. */
void dedup_read(struct dedup_state *s);

/* Calls run() for batches of the input, the only operand or standard input, until it ends or SIGTERM
 * or SIGINT arrive; then for the last batch. s->lines has the lines of a batch. A last line without
 * LF is a line, unless a signal has arrived. Returns the number of batches. */
uint64_t dedup_every(struct dedup_state *s, void (*run)(struct dedup_state *s));

/* ---- results ---- */

/* Sets the sizes of groups. */
void dedup_count_groups(struct dedup_state *s);
/* Writes the header of file i. Does nothing when the form has no header, or the file is empty. */
void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i);
/* Writes the staying documents from `from` up to but not including `to`, as they were read. With
 * --mark writes all documents, marked. */
void dedup_write_documents(struct dedup_state *s, struct sh_sink *out, uint32_t from, uint32_t to);
/* Writes a line for each document that does not stay. */
void dedup_write_report(struct dedup_state *s);
void dedup_summarise(const struct dedup_state *s);

/* Returns the i-th value of --compress, from 0, or NULL after the last. */
const char *dedup_shards_forms(unsigned i);
/* Before documents are read: names the outputs, locks the folder, refuses outputs of a run with
 * other options. decides: returns whether an option decides the content of the outputs. This
 * function and the next ones do nothing without -O. */
void dedup_shards_open(struct dedup_state *s, bool (*decides)(int code));
/* Writes each output that is not complete yet. */
void dedup_shards_write(struct dedup_state *s);
void dedup_shards_close(struct dedup_state *s);

#endif
