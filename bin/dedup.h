/* SPDX-License-Identifier: MIT */
/* The parts of shdedup, in the order of a run:
 *
 *     dedup_how.c      the options that decide which documents are near-duplicates
 *     dedup_read.c     documents to keys
 *     dedup_rank.c     documents ranked by a field of their records
 *     lib/match/engine  keys to groups
 *     dedup_write.c    groups to the documents that stay, and to the report
 *     dedup_shards.c   the same with one output for each input
 *     dedup_archive.c  the documents of earlier runs
 *     dedup_every.c    batches of an input that stays open
 *     dedup_summary.c  the summary for people at the end
 *
 * Functions that return no error die of errors. */
#ifndef DEDUP_H
#define DEDUP_H

#include "base/hmap.h"
#include "base/num.h"
#include "dedup_archive.h"
#include "dedup_every.h"
#include "dedup_shards.h"
#include "docopts.h"
#include "match/engine.h"
#include "match/rank.h"
#include "match/sample.h"
#include "measures.h"
#include "stream/corpus.h"

struct dedup_settings {
	size_t memory;
	struct docopts docs;
	uint64_t seed;                /* of the keys; unused with random_seed */
	bool seed_given, random_seed; /* --seed was given; it is random */
	struct sh_key_rules rules;    /* by the thresholds, the tokens and the seed */
	bool single;                  /* groups are chains, not stars */
	struct sh_rank_rule keep;
	struct dedup_archive_settings archive;
	struct dedup_shards_settings shards;
	struct cli_files protects;
	const char *report_path;
	bool report_is_output; /* the report replaces the documents, under --dry-run */
	bool dry_run, quiet;
	struct measures measures;
	uint64_t sample;        /* value of --sample: pairs of each level of similarity; 0: none */
	struct sh_slice mark;   /* name of the field; empty: documents are dropped, not marked */
	bool counts;            /* the report has the size of each group */
	struct dedup_feed feed; /* value of --every, and its state */
};

struct dedup_place {
	const char *file;
	uint64_t line; /* 0: a document with the id was read */
};

/* Ids of the files that an option names. */
struct dedup_ids {
	struct sh_hmap ids;
	struct dedup_place *at; /* by index: the first place of each id */
	size_t cap;
};

/* The state of a run; each part of the run adds its results. */
struct dedup_state {
	struct cli *cli;
	const struct dedup_settings *settings;
	uint64_t dropped;        /* documents of the run that do not stay */
	struct sh_tables tables; /* arrays whose size depends on the documents */
	struct sh_corpus corpus;
	struct sh_engine *engine;
	struct dedup_ids ranked, protected;
	struct dedup_archive archive;
	struct dedup_shards shards;
	struct sh_sample sample;
	struct sh_sink report, *to; /* to: the output for the report */
};

/* Reads the documents of the operands into s->corpus and s->engine, in input order. */
void dedup_read(struct dedup_state *s);
/* Ranks the documents by a field, after all were read. Does nothing with other rules. */
void dedup_rank(struct dedup_state *s);

/* Reads ids from files, one per line; the text after a TAB is ignored. */
void dedup_read_ids(
    struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list);
void dedup_free_ids(struct dedup_ids *list);
/* Warns of ids that no document has: their number, and the place of the first. */
void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list);

/* Returns whether the document is written: no document of this run or of the archive replaces
 * it. */
static inline bool dedup_stays(const struct dedup_state *s, uint32_t document)
{
	return sh_engine_keeper(s->engine, document) == document &&
	       !dedup_archive_drops(s, document);
}

struct dedup_groups {
	/* size of a group, by keeper; of duplicates of an archived document, by the first one */
	uint32_t *size;
	uint64_t n, dropped; /* groups; documents that do not stay */
	uint32_t largest;    /* index in `size` of the largest group */
};

/* Sets *id to the id of the document that stays for document i: of the archive or of this run. *id
 * is valid while the archive is open, and until `room` is used again. Returns 0 or -1. */
int dedup_keeper_id(struct dedup_state *s, uint32_t i, struct sh_document_room *room,
    struct sh_slice *id, struct sh_error *err);

/* Returns the header of file i: its first record, without LF, and without CR under --crlf. Sets
 * *before to the bytes before the record, such as a byte order mark. */
struct sh_slice dedup_header(const struct dedup_state *s, size_t i, size_t *before);
/* Writes the header of file i. Does nothing when the form has no header, or the file is empty. */
void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i);
/* Writes the header of the first file that has one, then the documents of all files. */
void dedup_write_all(struct dedup_state *s);
/* Writes the staying documents from `from` up to but not including `to`, as they were read. With
 * --mark writes all documents, marked. */
void dedup_write_documents(struct dedup_state *s, struct sh_sink *out, uint32_t from, uint32_t to);
/* Writes a line for each document that does not stay. */
void dedup_write_report(struct dedup_state *s, const struct dedup_groups *groups);
/* Opens the report before any document is read, so that a failure ends the run early. Under --every
 * dedup_close_report() closes it; otherwise dedup_write_report() does. */
void dedup_open_report(struct dedup_state *s);
void dedup_close_report(struct dedup_state *s);

void dedup_count_groups(struct dedup_state *s, struct dedup_groups *g);
void dedup_free_groups(struct dedup_state *s, struct dedup_groups *g);
void dedup_summarise(const struct dedup_state *s, const struct dedup_groups *g);

#endif
