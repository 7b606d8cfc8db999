/* The part of shdedup that has to do with an archive (lib/archive): documents are looked up in it and added
 * to it. */
#ifndef DEDUP_ARCHIVE_H
#define DEDUP_ARCHIVE_H

#include "archive/batch.h"
#include "cli.h"

struct dedup_archive_settings {
	const char *dir; /* NULL: there is none */
	bool wait_given;
	uint64_t wait; /* in seconds */
};

/* The archive of a run, and the run's documents in it. */
struct dedup_archive {
	struct sh_archive archive;
	struct sh_batch *batch;
};

struct dedup_settings;
struct dedup_state;

/* After the last option. */
void dedup_archive_settle(struct cli *c, const struct dedup_settings *s);

/* Dies of a measure that an archive does not have. */
void dedup_archive_need_jaccard(struct cli *c, const struct dedup_settings *s);

/* Dies when an output would replace a file of the archive in `dir`. path: NULL, or the output's. */
void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path);

/* How documents are looked up, but for the archive's own key and layout. */
struct sh_key_rule dedup_archive_rule(const struct dedup_settings *s);
/* The time that records are given, in seconds since 1970. Builds that are to be reproducible, and
 * tests, say it by SOURCE_DATE_EPOCH. */
uint64_t dedup_archive_now(struct cli *c);

/* All these do nothing without an archive. Before documents are read: it must be there, and be
 * made with the same settings. */
void dedup_archive_open(struct dedup_state *s);
/* Documents that were read: those that the archive knows, or has the like of, take part in no
 * comparison with others. From here on the archive is locked. */
void dedup_archive_look(struct dedup_state *s);
/* What the archive says of a document; NULL: nothing. */
const struct sh_outcome *dedup_archive_outcome(const struct dedup_state *s, uint32_t document);
/* Whether it was dropped for one that is there. */
bool dedup_archive_drops(const struct dedup_state *s, uint32_t document);
/* All output is written: add what is new. */
void dedup_archive_add(struct dedup_state *s, const uint32_t *keeper);
void dedup_archive_close(struct dedup_state *s);

#endif
