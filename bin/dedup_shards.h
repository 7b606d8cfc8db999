/* The part of shdedup that writes one output for each input (-O), and goes on after a kill. */
#ifndef DEDUP_SHARDS_H
#define DEDUP_SHARDS_H

#include "cli.h"
#include "io/finished.h"

struct dedup_shards_settings {
	const char *dir;                  /* NULL: one output for all inputs */
	bool compress;                    /* --compress was given */
	const struct sh_compressor *form; /* of --compress; NULL: none */
};

struct dedup_shards {
	struct sh_finished finished;
	char **name;         /* of each output in the folder */
	char **path;         /* the same with the folder */
	struct sh_buf lines; /* of the list: options, later inputs */
};

struct dedup_settings;
struct dedup_state;

/* The values of --compress. */
const char *dedup_shards_forms(unsigned i);
void dedup_shards_take_form(struct cli *c, struct dedup_shards_settings *s, int opt);

/* After the last option. */
void dedup_shards_settle(struct cli *c, const struct dedup_settings *s);

/* All these do nothing without -O. Before documents are read: names the outputs, locks the folder, refuses what
 * other options left there. */
void dedup_shards_open(struct dedup_state *s);

/* Writes each output that is not complete. */
void dedup_shards_write(struct dedup_state *s, const uint32_t *keeper);
void dedup_shards_close(struct dedup_state *s);

#endif
