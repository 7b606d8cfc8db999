/* The parts of shdedup, in the order of a run:
 *
 *     dedup_how.c      the options that decide which documents are near-duplicates
 *     dedup_read.c     documents to fingerprints
 *     dedup_rank.c     documents ranked by a field of their records
 *     lib/group/dedup   fingerprints to groups
 *     dedup_write.c    groups to the documents that stay, and to the report
 *     dedup_shards.c   the same to one output for each input
 *     dedup_archive.c  the documents of earlier runs
 *     dedup_summary.c  what a person wants to know at the end
 *
 * All die of errors. */
#ifndef DEDUP_H
#define DEDUP_H

#include "base/hmap.h"
#include "base/num.h"
#include "dedup_archive.h"
#include "dedup_shards.h"
#include "docopts.h"
#include "group/dedup.h"
#include "group/prefer.h"
#include "group/sample.h"
#include "measures.h"
#include "stream/corpus.h"

/* --keep=max:FIELD or min:FIELD. */
struct dedup_rank {
	struct sh_slice name; /* of the field; empty: the option was not given */
	unsigned field;       /* its number, when the name is a number */
	bool largest;
};

struct dedup_settings {
	size_t memory;
	struct docopts docs;
	struct sh_fingerprint_opts fp;
	struct sh_dedup_opts dedup;
	struct sh_prefer keep;
	struct dedup_archive_settings archive;
	struct dedup_shards_settings shards;
	struct cli_files protects;
	const char *report_path;
	bool report_is_output; /* in place of the documents, under --dry-run */
	bool dry_run, quiet, k_given, weight_given;
	unsigned k_for_threshold; /* -k when it is not given */
	struct measures measures;
	unsigned sample_features; /* of each document, for candidates that share some; 0: none */
	uint64_t sample;
	struct dedup_rank rank;
	struct sh_slice mark; /* name of the field; empty: documents are dropped, not marked */
	bool counts;          /* the report has the size of each group */
};

struct dedup_place {
	const char *file;
	uint64_t line; /* 0: a document with the id was met */
};

/* Ids of the files that an option names. */
struct dedup_ids {
	struct sh_hmap ids;
	struct dedup_place *at; /* by index: where each stands first */
	size_t cap;
};

/* All that is known; each part of the run adds what it finds. */
struct dedup_state {
	struct cli *cli;
	const struct dedup_settings *settings;
	struct sh_tables tables; /* of what grows with the documents */
	struct sh_corpus corpus;
	struct sh_dedup *dedup;
	struct dedup_ids ranked, protected;
	struct dedup_archive archive;
	struct dedup_shards shards;
	struct sh_sample sample;
	struct sh_sink report, *to; /* to: where the report goes */
};

/* Documents of the operands into s->corpus and s->dedup, in input order. */
void dedup_read(struct dedup_state *s);
/* Takes the value of --keep if it has this form. */
bool dedup_rank_parse(struct cli *c, const char *text, struct dedup_rank *rank);
/* After the last option. */
void dedup_rank_settle(struct cli *c, const struct dedup_settings *s);
/* After all documents were read: ranks them. Does nothing without the option. */
void dedup_rank(struct dedup_state *s);

/* Ids of files, one a line; what follows a TAB is ignored. */
void dedup_read_ids(
    struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list);
void dedup_free_ids(struct dedup_ids *list);
/* How many of them no document has, and where the first of these stands. */
void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list);

/* Whether it is written: see sh_dedup_keepers(), and the archive. */
static inline bool dedup_stays(
    const struct dedup_state *s, const uint32_t *keeper, uint32_t document)
{
	return keeper[document] == document && !dedup_archive_drops(s, document);
}

struct dedup_groups {
	uint32_t *size; /* by keeper, or by the first document that went for one of the archive */
	uint64_t n, dropped;
	uint32_t largest;
};

/* Finds the header of CSV in file i: the bytes of its first record, with byte order mark, without LF. */
struct sh_slice dedup_header(const struct dedup_state *s, size_t i);
/* Writes the header of file i. Does nothing without --csv, and for an empty file. */
void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i);
/* Writes the header of the first file that has one, then the documents of all files. */
void dedup_write_all(struct dedup_state *s, const uint32_t *keeper);
/* Writes the documents that stay, as they came, of those from `from` up to but not including `to`. With --mark
 * writes all of them, marked. */
void dedup_write_documents(
    struct dedup_state *s, struct sh_sink *out, const uint32_t *keeper, uint32_t from, uint32_t to);
/* A line for each of the others. */
void dedup_write_report(
    struct dedup_state *s, const uint32_t *keeper, const struct dedup_groups *groups);
/* Before anything is read: that the report can be written is to be known then. */
void dedup_open_report(struct dedup_state *s);

void dedup_count_groups(struct dedup_state *s, const uint32_t *keeper, struct dedup_groups *g);
void dedup_free_groups(struct dedup_state *s, struct dedup_groups *g);
void dedup_summarise(const struct dedup_state *s, const struct dedup_groups *g);

#endif
