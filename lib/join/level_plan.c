/* The plan of a level, from how often fingerprints of a sample agree at each bit. */
#include "hash/mix.h"
#include "join/level.h"

enum {
	SAMPLE = 4096,     /* fingerprints in the sample of the top level */
	SAMPLE_DEEP = 512, /* fingerprints in the sample of the levels below it */
	/* With steps of at least this number of fingerprints, samples are drawn at random. */
	LONG_STEP = 256,
};

/* Adds 8 * 8 one-byte counters to ones[0 .. 63], and clears them. */
static void spill_counters(uint64_t *lane, uint32_t *ones)
{
	for (unsigned s = 0; s < 8; s++) {
		for (unsigned b = 0; b < 8; b++)
			ones[63 - (8 * b + s)] += (uint32_t)(lane[s] >> (8 * b) & 255);
		lane[s] = 0;
	}
}

/* Returns the position of element i of a sample of n. The range may be in ascending order: elements
 * at equal steps would then agree in many low bits. So with long steps each element is drawn at
 * random within its step. With short steps the values themselves are random enough: ranks deviate
 * by half the square root of the number of fingerprints. */
static uint32_t sampled(const struct sh_range *r, uint32_t i, uint32_t n)
{
	uint32_t at = r->lo + (uint32_t)((uint64_t)r->n * i / n), step = r->n / n;

	return step < LONG_STEP ? at : at + (uint32_t)(sh_mix_moremur(i) % step);
}

/* Stores the share of ones at each bit, in a sample of the range. */
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
