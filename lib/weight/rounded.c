#include "weight/rounded.h"

#include <string.h>

#include "weight/weight.h"

/* large_weight_cutoff and batch_size of Python's class Simhash. */
enum { CUTOFF = 50, BATCH = 200 };

static void add_batch(struct sh_rounded *r, unsigned bits)
{
	for (unsigned b = 0; b < bits; b++)
		r->sum[b] += r->batch[b];
	memset(r->batch, 0, sizeof r->batch);
	r->in_batch = 0;
}

void sh_rounded_add(struct sh_rounded *r, const uint64_t *hash, unsigned bits, int64_t millionths)
{
	/* The double nearest to the decimal: both operands of the division are exact. */
	double weight = (double)millionths / 1e6;
	bool whole = millionths % SH_WEIGHT_ONE == 0;
	bool batched = whole && millionths <= CUTOFF * SH_WEIGHT_ONE;
	double *to = batched ? r->batch : r->sum;

	r->fraction = r->fraction || !whole;
	r->total += weight;
	for (unsigned b = 0; b < bits; b++)
		to[b] += hash[b / 64] >> (63 - b % 64) & 1 ? weight : 0;
	r->in_batch += batched;
	if (r->in_batch == BATCH)
		add_batch(r, bits);
}

void sh_rounded_finish(struct sh_rounded *r, unsigned bits, uint64_t *out)
{
	if (r->in_batch)
		add_batch(r, bits);
	memset(out, 0, (bits + 63) / 64 * sizeof *out);
	for (unsigned b = 0; b < bits; b++)
		if (r->sum[b] > r->total / 2)
			out[b / 64] |= UINT64_C(1) << (63 - b % 64);
}
