/* Sorted runs in a temporary file, and their merge, for data that does not fit in memory. An entry
 * is a key and a value, byte strings of at most 2^32-1 bytes each. The caller adds the entries of a
 * run in bytewise order of their keys. */
#ifndef SH_IO_RUNS_H
#define SH_IO_RUNS_H

#include <stdint.h>

#include "base/buf.h"

struct sh_runs {
	const char *dir; /* folder of the file, as for sh_spill_folder() */
	int fd;          /* -1 before the first run */
	uint64_t end;    /* bytes in the file */
	uint64_t *start; /* n + 1 offsets in the file: each run's start, and the last run's end */
	size_t n, cap;   /* number of runs; elements allocated in `start` */
	struct sh_buf out;
};

void sh_runs_init(struct sh_runs *r, const char *dir);
/* Removes all runs and the file. r is as after sh_runs_init(). */
void sh_runs_free(struct sh_runs *r);

/* Write a run: sh_runs_begin(), sh_runs_add() for each entry, sh_runs_end(). Return 0 or -1. */
int sh_runs_begin(struct sh_runs *r, struct sh_error *err);
int sh_runs_add(
    struct sh_runs *r, struct sh_slice key, struct sh_slice value, struct sh_error *err);
int sh_runs_end(struct sh_runs *r, struct sh_error *err);

/* Receives one entry. The slices are valid during the call. Returns 0, or -1 to end the merge. */
typedef int sh_runs_entry(
    void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err);

/* Calls `each` for all entries in order of their keys. Entries with equal keys come in the order of
 * their runs. First replaces more than 64 runs by fewer, longer runs: 64 buffers of at least 64 KiB
 * are enough. A longer entry needs a longer buffer. */
int sh_runs_merge(struct sh_runs *r, sh_runs_entry *each, void *arg, struct sh_error *err);

/* Reads the entries of one run, while r does not change. */
struct sh_run_reader {
	int fd;
	uint64_t at, end; /* offsets in the file of the bytes that are not in the buffer yet */
	struct sh_buf buf;
	size_t used; /* bytes of the buffer that were returned */
};

void sh_run_open(struct sh_run_reader *c, const struct sh_runs *r, size_t run);
void sh_run_close(struct sh_run_reader *c);
/* Reads the next entry, which is valid until the next call. Returns 1, 0 at the end, or -1. */
int sh_run_next(
    struct sh_run_reader *c, struct sh_slice *key, struct sh_slice *value, struct sh_error *err);

#endif
