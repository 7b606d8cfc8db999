/* Sorted runs in a temporary file, and their merge, for data that does not fit in memory. An entry is a
 * key and a value, both byte strings of at most 4 GiB. The caller adds the entries of a run in bytewise
 * order of their keys. */
#ifndef SH_IO_RUNS_H
#define SH_IO_RUNS_H

#include <stdint.h>

#include "base/buf.h"

struct sh_runs {
	const char *dir; /* folder of the file; NULL: the default */
	int fd;          /* -1 before the first run */
	uint64_t end;    /* bytes in the file */
	/* n + 1 offsets in the file: the start of each run, and the end of the last */
	uint64_t *start;
	size_t n, cap; /* runs; elements of `start` that have memory */
	struct sh_buf out;
};

void sh_runs_init(struct sh_runs *r, const char *dir);
/* Removes all runs and the file. r can be used again. */
void sh_runs_free(struct sh_runs *r);

/* Writes a run: call sh_runs_begin(), sh_runs_add() for each entry, sh_runs_end(). Each returns 0 or -1. */
int sh_runs_begin(struct sh_runs *r, struct sh_error *err);
int sh_runs_add(
    struct sh_runs *r, struct sh_slice key, struct sh_slice value, struct sh_error *err);
int sh_runs_end(struct sh_runs *r, struct sh_error *err);

/* Gets one entry. The slices are valid during the call. Returns 0, or -1 to end the merge. */
typedef int sh_runs_entry(
    void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err);

/* Calls `each` for all entries in order of their keys. Entries with equal keys come in the order of their
 * runs. More than 64 runs are merged in several passes, so a few megabytes of memory are enough. */
int sh_runs_merge(struct sh_runs *r, sh_runs_entry *each, void *arg, struct sh_error *err);

/* Reads the entries of one run. */
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
