/* The archive (lib/archive) of shdedup: looks documents up in it and adds documents to it. */
#ifndef DEDUP_ARCHIVE_H
#define DEDUP_ARCHIVE_H

#include "archive/batch.h"
#include "cli.h"

struct dedup_archive_settings {
	const char *dir; /* folder; NULL: no archive */
	bool wait_given;
	uint64_t wait; /* in seconds */
};

/* The archive of a run, and the run's documents to compare with it. */
struct dedup_archive {
	struct sh_archive archive;
	struct sh_batch *batch;
	uint64_t *fp; /* the fingerprint of each document */
};

struct dedup_settings;
struct dedup_state;

/* Checks the options after the last option was read. */
void dedup_archive_complete(struct cli *c, const struct dedup_settings *s);

/* Dies when an output would replace a file of the archive in `dir`. path: the output's, or NULL. */
void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path);

/* Returns the rule of lookups, without the archive's own key and layout. */
struct sh_key_rule dedup_archive_rule(const struct dedup_settings *s);

/* Opens the archive before documents are read: it must exist, and have the settings of the run.
 * This function and the next ones do nothing without an archive. */
void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings);
/* Looks up the documents. Documents that the archive knows, or that have a near-duplicate in it,
 * are not compared with others. From here on the archive is locked. */
void dedup_archive_look(struct dedup_state *s);
/* Returns the archive's outcome for a document; NULL when it has none. */
const struct sh_outcome *dedup_archive_outcome(const struct dedup_state *s, uint32_t document);
/* Returns whether the document is a duplicate of an archived one. */
bool dedup_archive_drops(const struct dedup_state *s, uint32_t document);
/* Returns the name of the measure of a similarity that the archive reports. */
const char *dedup_archive_measure(const struct dedup_state *s, unsigned similarity);
/* Adds the new documents to the archive, after all output was written. */
void dedup_archive_add(struct dedup_state *s);
void dedup_archive_close(struct dedup_state *s);

#endif
