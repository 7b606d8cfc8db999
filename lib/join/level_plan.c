/* The plan of a level, by how often its fingerprints agree at each bit in a sample. */
#include "hash/mix.h"
#include "join/level.h"

enum {
	SAMPLE = 4096, /* fingerprints looked at for the plan of the top */
	SAMPLE_DEEP = 512,
	STEP_STRAY = 256, /* from so many to a step on samples stray from even steps */
};

/* Add the counts of 8 * 8 one-byte counters to ones[0 .. 63], and clear them. */
static void spill_counters(uint64_t *lane, uint32_t *ones)
{
	for (unsigned s = 0; s < 8; s++) {
		for (unsigned b = 0; b < 8; b++)
			ones[63 - (8 * b + s)] += (uint32_t)(lane[s] >> (8 * b) & 255);
		lane[s] = 0;
	}
}

/* Where sample i of n is. Of many words in ascending order those at even steps would have the bits
 * alike that follow those which count the steps; so each is anywhere in its step. In short steps
 * chance does as much: ranks stray by half the root of the number of words. */
static uint32_t sampled(const struct sh_range *r, uint32_t i, uint32_t n)
{
	uint32_t at = r->lo + (uint32_t)((uint64_t)r->n * i / n), step = r->n / n;

	return step < STEP_STRAY ? at : at + (uint32_t)(sh_mix_moremur(i) % step);
}

/* The share of ones at each bit, in a sample. */
static void count_ones(const struct sh_range *r, unsigned bits, uint32_t sample, double *share)
{
	uint32_t n = r->n < sample ? r->n : sample;
	unsigned words = SH_FP_WORDS(bits);

	for (unsigned w = 0; w < words; w++) {
		uint32_t ones[64] = { 0 };
		uint64_t lane[8] = { 0 };

		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = sampled(r, i, n);
			uint64_t x = words == 1 ? r->side->word[at]
						: r->side->fp[(size_t)r->side->id[at] * words + w];

			for (unsigned s = 0; s < 8; s++)
				lane[s] += x >> s & 0x0101010101010101ULL;
			if (i % 255 == 254)
				spill_counters(lane, ones);
		}
		spill_counters(lane, ones);
		for (unsigned b = 0; b < 64 && w * 64 + b < bits; b++)
			share[w * 64 + b] = n > 0 ? (double)ones[b] / n : 0;
	}
}

void sh_level_plan(struct sh_level *l)
{
	const struct sh_join_limits *limits = &l->join->limits;
	struct sh_task task = {
		.bits = l->join->bits,
		.k = l->k,
		.nx = l->x.n,
		.ny = l->y.n,
		.self = l->self,
		.brute_factor = limits->brute_factor,
		.halves = l->halves ? limits->halves : 0,
		.halve = limits->halve,
	};
	uint32_t sample = l->parent == NULL ? SAMPLE : SAMPLE_DEEP;
	double x[SH_FP_MAX_BITS], y[SH_FP_MAX_BITS];

	count_ones(&l->x, task.bits, sample, x);
	if (!l->self)
		count_ones(&l->y, task.bits, sample, y);
	for (unsigned b = 0; b < task.bits; b++) {
		double q = l->self ? x[b] : y[b];

		task.agree[b] = x[b] * q + (1 - x[b]) * (1 - q);
	}
	for (const struct sh_level *up = l->parent; up != NULL; up = up->parent) {
		const struct sh_block *used = &up->plan.block[up->at];

		for (unsigned b = 0; b < 64; b++)
			if (used->mask >> (63 - b) & 1)
				task.agree[used->word * 64 + b] = 1;
	}
	sh_plan(&l->plan, &task);
}
