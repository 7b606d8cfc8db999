/* SPDX-License-Identifier: MIT */
/* The parts of shdedup, in the order of a run:
 *
 *     dedup_how.c      the options that decide which documents are near-duplicates
 *     dedup_every.c    batches of an input that stays open
 *     dedup_read.c     documents to keys and ranks
 *     dedup_archive.c  the documents of earlier runs
 *     lib/match/engine  keys to groups
 *     dedup_write.c    groups to the documents that stay, to the report and the summary
 *     dedup_shards.c   the same with one output for each input
 *
 * Functions that return no error die of errors. */
#ifndef DEDUP_H
#define DEDUP_H

#include "archive/batch.h"
#include "base/hmap.h"
#include "base/num.h"
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
	char **name;         /* names of the outputs in the folder */
	char **path;         /* the same names with the folder */
	struct sh_buf lines; /* the list: options; then checksum and form of each input */
};

/* The input of --every. */
struct dedup_feed {
	size_t memory; /* most bytes of a batch, about */
	struct sh_buf text;
	size_t whole;  /* bytes of `text` that are whole lines */
	int from, to;  /* descriptors: the input, and the batch that standard input reads */
	int64_t began; /* of the last batch: milliseconds of the clock */
	bool ended;    /* the input has ended, or a signal has ended the feed */
};

/* The state of a run; each part of the run adds its results. */
struct dedup_state {
	struct cli *cli;
	const struct dedup_settings *settings;
	struct dedup_ids ranked, protected;
	struct sh_store store;   /* the archive */
	struct sh_batch archive; /* the documents of the run in it; zeroed: no archive */
	struct dedup_shards shards;
	struct sh_sink report, *to; /* to: the output for the report */
	struct sh_tables tables;    /* arrays whose size depends on the documents */
	struct sh_corpus corpus;
	struct sh_engine *engine;
	struct sample sample;
	/* Documents of the run by keeper, as the engine numbers it. With an archive --counts has
	 * `all`: by number in the archive, the documents that it has dropped for this one, and the
	 * document itself. */
	uint32_t *size, *all;
	uint32_t largest; /* size of the largest group */
	uint32_t alike;   /* documents of the report whose id is the keeper's id */
	uint64_t groups, documents, dropped; /* of the run; dropped: documents that do not stay */
};

/* ---- options ---- */

/* For struct cli_program.options, with docopts_table. */
extern const struct cli_option dedup_how_table[];

/* Reads the options of the two tables, and loads their files. */
void dedup_how_complete(struct cli *c, struct dedup_settings *s);

/* ---- the input ---- */

/* Reads ids from files. */
void dedup_read_ids(
    struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list);
void dedup_free_ids(struct dedup_ids *list);
/* Warns of ids that no document has: their number, and the place of the first. */
void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list);

/* Reads the documents of the operands into s->corpus and s->engine, in input order, and ranks
 * them. */
void dedup_read(struct dedup_state *s);

/* Opens the input: the only operand, or standard input. From here on SIGTERM and SIGINT end the
 * feed, between two batches. */
void dedup_feed_open(struct cli *c, struct dedup_feed *f, uint64_t seconds);
/* Waits for whole lines, and for the time of the next batch, at least `seconds` after the last one
 * began. Then standard input has these lines, from the beginning. The last batch includes a last
 * line without LF, unless a signal has ended the feed. Returns false when the feed has ended, and
 * no line is left. */
bool dedup_feed_next(struct cli *c, struct dedup_feed *f, uint64_t seconds);
void dedup_feed_close(struct dedup_feed *f);

/* ---- the archive ---- */

/* Dies when an output would replace a file of the archive in `dir`. path: the output's, or NULL. */
void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path);

/* Opens the archive before documents are read: it must exist, and have the settings of the run.
 * This function and the next ones do nothing without an archive. */
void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings);
/* Completes the options of the engine. */
void dedup_archive_engine(struct dedup_state *s, struct sh_engine_opts *opts);
/* Runs the engine, also without an archive. With one, the archive is locked from here on. */
void dedup_archive_run(struct dedup_state *s);
/* Adds the new documents to the archive, after all output was written. */
void dedup_archive_add(struct dedup_state *s);
/* Merges segments of the archive, and gives the lock back. Forgets the documents of the run:
 * dedup_archive_engine() begins another run. */
void dedup_archive_done(struct dedup_state *s);

/* ---- results ---- */

/* Returns whether the document is written: no document of this run or of the archive replaces
 * it. */
static inline bool dedup_stays(const struct dedup_state *s, uint32_t document)
{
	return sh_engine_keeper(s->engine, document) == document;
}

/* Returns whether a keeper is a document of the archive. */
static inline bool dedup_is_archived(const struct dedup_state *s, uint32_t keeper)
{
	return keeper >= s->corpus.n;
}

/* Sets *id to the id of the document that stays for document i: of the archive or of this run. *id
 * is valid while the archive is open, and until `room` is used again. Returns 0 or -1. */
int dedup_keeper_id(struct dedup_state *s, uint32_t i, struct sh_document_room *room,
    struct sh_slice *id, struct sh_error *err);

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
