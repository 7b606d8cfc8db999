/* SPDX-License-Identifier: MIT */
/* Joins arrays of fingerprints, and gives the pairs in their order, whatever the number of threads.
 */
#ifndef T_JOIN_ARRAYS_H
#define T_JOIN_ARRAYS_H

#include <string.h>

#include "join/join.h"

/* Receives n >= 1 pairs, one thread at a time. Returning -1 ends the join, which then returns -1.
 */
typedef int pairs_fn(void *ctx, const struct sh_join_pair *pair, size_t n, struct sh_error *err);

struct receiver {
	pairs_fn *fn;
	void *ctx;
};

static int append_pairs(
    void *ctx, struct sh_job *job, const struct sh_join_pair *pair, size_t n, struct sh_error *err)
{
	char *room = sh_job_room(job, n * sizeof *pair, err);

	(void)ctx;
	if (!room)
		return -1;
	memcpy(room, pair, n * sizeof *pair);
	job->out.n += n * sizeof *pair;
	return 0;
}

static int receive_pairs(void *arg, struct sh_job *job, struct sh_error *err)
{
	const struct receiver *r = arg;
	size_t n = job->out.n / sizeof(struct sh_join_pair);

	return n ? r->fn(r->ctx, (const struct sh_join_pair *)(const void *)job->out.p, n, err) : 0;
}

/* Joins x with y, or with itself when y is NULL. Fingerprint i is the words from x[i * words] on.
 */
static int join_arrays(struct sh_join *j, unsigned words, const uint64_t *x, size_t nx,
    const uint64_t *y, size_t ny, pairs_fn *fn, void *ctx, struct sh_error *err)
{
	struct receiver r = { fn, ctx };
	const struct sh_pool pool = { .done = receive_pairs, .arg = &r };
	struct sh_job out = { .pool = &pool };
	struct sh_join_side side[3] = { 0 };
	int status = sh_join_side_load(&side[0], x, nx, words, err);

	if (status == 0 && y)
		status = sh_join_side_load(&side[1], y, ny, words, err);
	if (status == 0)
		status = sh_join_sides(
		    j, &side[0], y ? &side[1] : NULL, &side[2], append_pairs, NULL, &out, err);
	if (status == 0)
		status = sh_job_flush(&out, err);
	for (int i = 0; i < 3; i++)
		sh_join_side_free(&side[i]);
	sh_buf_free(&out.out);
	return status;
}

#endif
