/* SPDX-License-Identifier: MIT */
/* The part of shdedup that writes one output for each input (-O), and resumes killed runs. */
#ifndef DEDUP_SHARDS_H
#define DEDUP_SHARDS_H

#include "cli.h"
#include "io/finished.h"

struct dedup_shards_settings {
	/* folder of the outputs; NULL: one output for all inputs */
	const char *dir;
	bool compress;                    /* --compress was given */
	const struct sh_compressor *form; /* of --compress; NULL: none */
};

struct dedup_shards {
	struct sh_finished finished;
	char **name;         /* names of the outputs in the folder */
	char **path;         /* the same names with the folder */
	struct sh_buf lines; /* the list: options; then checksum and form of each input */
};

struct dedup_settings;
struct dedup_state;

/* Returns the i-th value of --compress, from 0, or NULL after the last. */
const char *dedup_shards_forms(unsigned i);
void dedup_shards_set_form(struct cli *c, struct dedup_shards_settings *s, int opt);

/* Checks the options after the last option was read. */
void dedup_shards_complete(struct cli *c, const struct dedup_settings *s);

/* Before documents are read: names the outputs, locks the folder, refuses outputs of a run with
 * other options. This function and the next one do nothing without -O. */
void dedup_shards_open(struct dedup_state *s);

/* Writes each output that is not complete yet. */
void dedup_shards_write(struct dedup_state *s);
void dedup_shards_close(struct dedup_state *s);

#endif
