/* Sorted runs in a temporary file, and their merging: how what does not fit in memory
 * is sorted. An entry is a key and a value, both byte strings; the caller writes each
 * run in bytewise order of its keys. */
#ifndef SH_IO_RUNS_H
#define SH_IO_RUNS_H

#include <stdint.h>

#include "base/buf.h"

struct sh_runs {
	const char *dir; /* for the file, NULL for the default */
	int fd;          /* -1 before the first run */
	uint64_t end;    /* bytes in the file */
	uint64_t *start; /* of each run, then where the last one ends */
	size_t n, cap;
	struct sh_buf out;
};

void sh_runs_init(struct sh_runs *r, const char *dir);
/* Forget all runs, give the file back. r can be used again. */
void sh_runs_free(struct sh_runs *r);

/* A run: begin, its entries in order, end. */
int sh_runs_begin(struct sh_runs *r, struct sh_error *err);
int sh_runs_add(
    struct sh_runs *r, struct sh_slice key, struct sh_slice value, struct sh_error *err);
int sh_runs_end(struct sh_runs *r, struct sh_error *err);

/* Receives entries; the slices are valid during the call. 0 or -1. */
typedef int sh_runs_take(
    void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err);

/* All entries in order of their keys, equal keys in the order of their runs. Many
 * runs are merged in several passes: a few megabytes of memory are enough. */
int sh_runs_merge(struct sh_runs *r, sh_runs_take *take, void *arg, struct sh_error *err);

/* One run's entries, one after the other. */
struct sh_run_reader {
	int fd;
	uint64_t at, end; /* what is not in the buffer yet */
	struct sh_buf buf;
	size_t used; /* of the buffer */
};

void sh_run_open(struct sh_run_reader *c, const struct sh_runs *r, size_t run);
void sh_run_close(struct sh_run_reader *c);
/* The next entry, valid until the next call: 1, 0 at the end, -1. */
int sh_run_next(
    struct sh_run_reader *c, struct sh_slice *key, struct sh_slice *value, struct sh_error *err);

#endif
