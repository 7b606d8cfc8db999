/* The parts of shdedup, in the order of a run:
 *
 *     dedup_how.c      the options that decide which documents are near-duplicates
 *     dedup_keys.c     keys in place of the distance, for many documents
 *     dedup_read.c     documents to fingerprints; with an archive, dedup_archive.c makes these
 *     dedup_rank.c     documents ranked by a field of their records
 *     lib/group/dedup   fingerprints to groups
 *     dedup_write.c    groups to the documents that stay, and to the report
 *     dedup_shards.c   the same with one output for each input
 *     dedup_archive.c  the documents of earlier runs
 *     dedup_summary.c  the summary for people at the end
 *
 * Functions that return no error die of errors. */
#ifndef DEDUP_H
#define DEDUP_H

#include "base/hmap.h"
#include "base/num.h"
#include "dedup_archive.h"
#include "dedup_shards.h"
#include "docopts.h"
#include "group/dedup.h"
#include "group/keyplan.h"
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
	bool report_is_output; /* the report replaces the documents, under --dry-run */
	bool dry_run, quiet, k_given;
	bool only_keys;           /* -k keys */
	unsigned k_for_threshold; /* value of -k that the threshold needs: the default */
	struct measures measures;
	/* features sampled from each document, for candidates that share some of them; 0: none */
	unsigned sample_features;
	uint64_t sample; /* value of --sample: pairs of each level of similarity; 0: none */
	struct dedup_rank rank;
	struct sh_slice mark; /* name of the field; empty: documents are dropped, not marked */
	bool counts;          /* the report has the size of each group */
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
	struct sh_tables tables; /* arrays whose size depends on the documents */
	struct sh_corpus corpus;
	struct sh_dedup *dedup;
	struct sh_key_plan plan;
	unsigned sample_features; /* of each document; 0 with keys */
	struct dedup_ids ranked, protected;
	struct dedup_archive archive;
	struct dedup_shards shards;
	struct sh_sample sample;
	struct sh_sink report, *to; /* to: the output for the report */
};

/* After the files were opened: chooses s->plan by a sample of the documents. */
void dedup_plan(struct dedup_state *s);
/* Reads the documents of the operands into s->corpus and s->dedup, in input order. With an archive
 * dedup_archive_look() describes them. */
void dedup_read(struct dedup_state *s);
/* Writes a description of a document, for s->dedup, from its analysis. Returns the number of 64-bit
 * words, at most dedup_description(). */
size_t dedup_describe(const struct dedup_state *s, struct sh_fingerprinter *f,
    const struct sh_fingerprint *fp, uint64_t digest, uint64_t *to);
size_t dedup_description(const struct dedup_state *s);
/* Passes a description to s->dedup, in the order of the documents. NULL: the document is
 * in no pair. */
int dedup_collect_description(
    struct dedup_state *s, uint32_t document, const uint64_t *d, struct sh_error *err);
/* Parses the value of --keep. Returns false when it has another form than max:FIELD or
 * min:FIELD. */
bool dedup_rank_parse(struct cli *c, const char *text, struct dedup_rank *rank);
/* Checks the option after the last option was read. */
void dedup_rank_complete(struct cli *c, const struct dedup_settings *s);
/* Ranks the documents after all were read. Does nothing without the option. */
void dedup_rank(struct dedup_state *s);

/* Reads ids from files, one per line; the text after a TAB is ignored. */
void dedup_read_ids(
    struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list);
void dedup_free_ids(struct dedup_ids *list);
/* Warns of ids that no document has: their number, and the place of the first. */
void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list);

/* Returns whether the document is written: see sh_dedup_keepers(), and the archive. */
static inline bool dedup_stays(
    const struct dedup_state *s, const uint32_t *keeper, uint32_t document)
{
	return keeper[document] == document && !dedup_archive_drops(s, document);
}

struct dedup_groups {
	/* size of a group, by keeper; of duplicates of an archived document, by the first one */
	uint32_t *size;
	uint64_t n, dropped; /* groups; documents that do not stay */
	uint32_t largest;    /* index in `size` of the largest group */
};

/* Sets *id to the id of the document that stays for document i: of the archive, or document
 * `keeper` of this run. *id is valid while the archive is open, and until `room` is used again.
 * Returns 0 or -1. */
int dedup_keeper_id(struct dedup_state *s, uint32_t i, uint32_t keeper,
    struct sh_document_room *room, struct sh_slice *id, struct sh_error *err);

/* Returns the header of file i: its first record, with a byte order mark, without LF, and without
 * CR under --crlf. It is valid until `room` is used again. */
struct sh_slice dedup_header(const struct dedup_state *s, size_t i, struct sh_document_room *room);
/* Writes the header of file i. Does nothing when the form has no header, or the file is empty. */
void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i);
/* Writes the header of the first file that has one, then the documents of all files. */
void dedup_write_all(struct dedup_state *s, const uint32_t *keeper);
/* Writes the staying documents from `from` up to but not including `to`, as they were read. With
 * --mark writes all documents, marked. */
void dedup_write_documents(
    struct dedup_state *s, struct sh_sink *out, const uint32_t *keeper, uint32_t from, uint32_t to);
/* Writes a line for each document that does not stay. */
void dedup_write_report(
    struct dedup_state *s, const uint32_t *keeper, const struct dedup_groups *groups);
/* Opens the report before any document is read, so that a failure ends the run early. */
void dedup_open_report(struct dedup_state *s);

void dedup_count_groups(struct dedup_state *s, const uint32_t *keeper, struct dedup_groups *g);
void dedup_free_groups(struct dedup_state *s, struct dedup_groups *g);
void dedup_summarise(const struct dedup_state *s, const struct dedup_groups *g);

#endif
