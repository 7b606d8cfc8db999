/* SPDX-License-Identifier: MIT */
/* Sorted runs in a temporary file, and their merge, for data that does not fit in memory.
 *
 * An entry is a key and a value, byte strings of at most 2^32-1 bytes each. Keys are compared by
 * bytes. A run is a sequence of blocks of whole entries. The first key of each block stays in
 * memory. By these keys the merge is divided into ranges of keys, which several threads can merge:
 *
 *     sh_run_begin(), sh_run_add() for each entry, sh_run_end(): by any thread
 *     sh_runs_put(): adds the run; by any thread
 *     sh_runs_close(): after the last run
 *     sh_runs_merge() for each range, by any thread */
#ifndef SH_IO_RUNS_H
#define SH_IO_RUNS_H

#include <pthread.h>
#include <stdint.h>

#include "base/buf.h"

struct sh_run_block {
	uint64_t at;  /* offset in the file */
	size_t n;     /* bytes */
	size_t key;   /* offset of its first key in sh_run.keys */
	size_t key_n; /* bytes of that key */
};

struct sh_run {
	struct sh_run_block *block;
	size_t n, cap;      /* number of blocks; elements allocated */
	struct sh_buf keys; /* the first keys of the blocks, one after the other */
};

/* Returns the first key of a block. */
static inline struct sh_slice sh_run_key(const struct sh_run *run, size_t block)
{
	const struct sh_run_block *b = &run->block[block];

	return sh_slice(run->keys.p + b->key, b->key_n);
}

struct sh_runs {
	const char *dir;      /* folder of the file, as for sh_spill_folder(); borrowed */
	size_t block;         /* least size of a block in bytes; 32 KiB after sh_runs_init() */
	pthread_mutex_t lock; /* protects all members below until sh_runs_close() */
	int fd;               /* -1 before the first block */
	uint64_t end;         /* bytes in the file */
	struct sh_run *run;
	size_t n, cap; /* number of runs; elements allocated in `run` */

	/* After sh_runs_close(): range i has the keys that are at least border[i] and below
	 * border[i + 1]. The last range has no upper border. Borders point into sh_run.keys. */
	struct sh_slice *border; /* by range */
	size_t ranges;           /* at least 1 */
};

void sh_runs_init(struct sh_runs *r, const char *dir);
/* Frees all, and keeps r->dir and r->block. */
void sh_runs_free(struct sh_runs *r);

/* Writes a run, or a part of one. */
struct sh_run_writer {
	struct sh_runs *runs;
	struct sh_run run; /* the blocks that are written */
	struct sh_buf out; /* the next block */
};

void sh_run_begin(struct sh_run_writer *w, struct sh_runs *r);
/* Adds an entry. Its key must be at least the key before it, which is not checked. SH_ERR_RANGE:
 * key or value has more than 2^32-1 bytes. */
int sh_run_add(
    struct sh_run_writer *w, struct sh_slice key, struct sh_slice value, struct sh_error *err);
/* Writes the last block, if there is one. Entries that are added later begin another block. */
int sh_run_end(struct sh_run_writer *w, struct sh_error *err);
/* Call it after sh_runs_put() or a failure. Does nothing to a zeroed writer. */
void sh_run_free(struct sh_run_writer *w);

/* Adds a run: the blocks of n ended writers, in the order of the writers. No key of a writer
 * may be less than a key of the writer before it. Copies the blocks' places and first keys; the
 * caller frees the writers. */
int sh_runs_put(
    struct sh_runs *r, const struct sh_run_writer *writer, size_t n, struct sh_error *err);

/* Divides the keys into ranges. Keys that agree on their first `prefix` bytes are in one range;
 * SIZE_MAX: equal keys are. First replaces more than 128 runs by at most 128 longer runs, by
 * threads >= 1 threads: a merge has one block of each run in memory. A block has about r->block
 * bytes, or one larger entry. After a failure the runs can only be freed. */
int sh_runs_close(struct sh_runs *r, size_t prefix, unsigned threads, struct sh_error *err);

/* Receives one entry. The slices are valid during the call. Returns 0, or -1 to end the merge. */
typedef int sh_runs_entry(
    void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err);

/* Calls `each` for all entries of a range in order of their keys. Entries with equal keys come in
 * the order in which their runs were put. range: below r->ranges. */
int sh_runs_merge(
    const struct sh_runs *r, size_t range, sh_runs_entry *each, void *arg, struct sh_error *err);

/* Reads the entries of some blocks of a run. The runs must not change meanwhile. */
struct sh_run_reader {
	int fd;
	const struct sh_run_block *next, *end; /* blocks that are not read yet */
	struct sh_buf buf;                     /* the block that is read */
	size_t used;                           /* bytes of `buf` that were returned */
};

/* Opens a reader of the blocks from .. to-1 of a run. */
void sh_run_open(
    struct sh_run_reader *c, const struct sh_runs *r, size_t run, size_t from, size_t to);
void sh_run_close(struct sh_run_reader *c);
/* Reads the next entry. Its slices are valid until the next call for the reader. Returns 1, 0 at
 * the end, or -1. */
int sh_run_next(
    struct sh_run_reader *c, struct sh_slice *key, struct sh_slice *value, struct sh_error *err);

#endif
