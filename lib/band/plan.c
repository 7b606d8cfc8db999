/* SPDX-License-Identifier: MIT */
#include "band/plan.h"

/* A fused multiply-add would round differently; GCC makes none under -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Nanoseconds, measured on one core of 2023 with AVX-512. Only the ratios decide. All kernels use
 * these numbers, so that the order of the pairs does not depend on the processor. */
#define NS_VECTOR 0.55 /* eight words compared */
#define NS_SWEEP  0.50 /* one more word compared with a tile */
#define NS_PIECE  15.0 /* one more bucket compared with it */
#define NS_BUCKET 25.0 /* one more bucket begun */
#define NS_VERIFY 6.0  /* one candidate compared in full */
#define NS_PLACE  4.0  /* a fingerprint sorted, in the cache */
#define NS_PLACE2 9.5  /* the same in two passes, beyond the cache */
#define NS_OFFSET 1.0  /* a bucket offset */

enum {
	CACHED = 1 << 17,
	RADIUS_MAX = 16, /* a larger radius costs more than a comparison of every pair */
	UNIFORM_PERCENT = 55,
};

/* The usable bits of one word: the bits in which some fingerprints differ. */
struct word_bits {
	unsigned n;
	uint8_t bit[64]; /* number in the word, 0 = most significant */
	double pass;     /* probability that two words differ in at most k bits */
};

struct planner {
	const struct sh_plan_sets *task;
	unsigned words, usable;
	bool uniform;
	struct word_bits word[SH_FP_MAX_WORDS];
};

/* The distribution of the number of differing bits among n independent bits: p[d] is the
 * probability of d, for d up to r. */
struct law {
	unsigned n, r;
	double p[RADIUS_MAX + 1];
};

static void law_init(struct law *law, unsigned r)
{
	law->n = 0;
	law->r = r;
	law->p[0] = 1;
	for (unsigned d = 1; d <= r; d++)
		law->p[d] = 0;
}

static void law_add(struct law *law, double agree)
{
	unsigned top = ++law->n < law->r ? law->n : law->r;

	for (unsigned d = top; d > 0; d--)
		law->p[d] = law->p[d] * agree + law->p[d - 1] * (1 - agree);
	law->p[0] *= agree;
}

static double law_within(const struct law *law)
{
	double sum = 0;

	for (unsigned d = 0; d <= law->r; d++)
		sum += law->p[d];
	return sum;
}

/* Returns the number of keys within distance r of a key of n bits. */
static double volume(unsigned n, unsigned r)
{
	double term = 1, sum = 1;

	for (unsigned d = 1; d <= r && d <= n; d++) {
		term = term * (n - d + 1) / d;
		sum += term;
	}
	return sum;
}

static double pairs(const struct sh_plan_sets *t)
{
	return t->self ? t->nx * (t->nx - 1) / 2 : t->nx * t->ny;
}

static double compare_ns(double candidates, double bucket, double pass)
{
	double size = bucket < 1 ? 1 : bucket;

	return candidates * (NS_VECTOR / 8 + (NS_VECTOR / 2 + NS_SWEEP) / size + pass * NS_VERIFY);
}

/* Returns the probability that two words differ in at most k bits; 1 when k exceeds RADIUS_MAX. */
static double pass_chance(const double *agree, const struct word_bits *b, unsigned k)
{
	struct law law;

	if (k >= b->n || k > RADIUS_MAX)
		return 1;
	law_init(&law, k);
	for (unsigned i = 0; i < b->n; i++)
		law_add(&law, agree[b->bit[i]]);
	return law_within(&law);
}

static void survey(struct planner *p, const struct sh_plan_sets *task)
{
	p->task = task;
	p->words = SH_FP_WORDS(task->bits);
	p->usable = 0;
	p->uniform = true;
	for (unsigned w = 0; w < p->words; w++) {
		struct word_bits *b = &p->word[w];

		b->n = 0;
		for (unsigned i = 0; i < 64 && w * 64 + i < task->bits; i++) {
			double agree = task->agree[w * 64 + i];

			if (agree > 0.999)
				continue;
			b->bit[b->n++] = (uint8_t)i;
			if (agree * 100 > UNIFORM_PERCENT)
				p->uniform = false;
		}
		p->usable += b->n;
		b->pass = pass_chance(task->agree + w * 64, b, task->k);
	}
}

/* Sorts bits by ascending probability of agreement: the most selective bit comes first. */
static void sort_bits(const double *agree, uint8_t *bit, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		uint8_t b = bit[i];
		unsigned at = i;

		for (; at > 0 && agree[bit[at - 1]] > agree[b]; at--)
			bit[at] = bit[at - 1];
		bit[at] = b;
	}
}

/* The bits of one block within its word. */
struct share {
	unsigned n;
	uint8_t bit[64];
};

/* Sets *s to the bits of block i of n blocks of word w. Uniform bits stay adjacent, so that a key
 * is one shift and one mask. Other bits are dealt so that each block gets selective ones. */
static void set_share(const struct planner *p, unsigned w, unsigned i, unsigned n, struct share *s)
{
	const struct word_bits *b = &p->word[w];

	s->n = 0;
	if (p->uniform) {
		for (unsigned at = b->n * i / n; at < b->n * (i + 1) / n; at++)
			s->bit[s->n++] = b->bit[at];
		return;
	}
	for (unsigned at = i; at < b->n; at += n)
		s->bit[s->n++] = b->bit[at];
}

/* Fills in seconds and candidates of a block. law: distribution for the bits of its key. flips:
 * number of keys within the block's radius of a key. */
static void price(const struct planner *p, struct sh_block *b, const struct law *law, double flips)
{
	const struct sh_plan_sets *t = p->task;
	double buckets = (double)(UINT32_C(1) << law->n);
	double rows = t->self ? t->nx : t->nx + t->ny, filled = buckets < t->nx ? buckets : t->nx;
	double place = t->nx > CACHED && law->n > 10 ? NS_PLACE2 : NS_PLACE, ns;

	b->bits = law->n;
	b->candidates = pairs(t) * law_within(law);
	ns = rows * place + buckets * NS_OFFSET;
	ns += filled * (NS_BUCKET + (t->self ? (flips - 1) / 2 : flips) * NS_PIECE);
	ns += compare_ns(b->candidates, t->nx * law->p[0], p->word[b->word].pass);
	b->seconds = ns * 1e-9;
}

static void choose_key(const struct planner *p, struct sh_block *b, const struct share *s)
{
	const double *agree = p->task->agree + b->word * 64;
	struct sh_block best = *b;
	struct law law;

	law_init(&law, b->radius);
	for (unsigned n = 1; n <= s->n && n <= SH_PLAN_KEY_BITS; n++) {
		law_add(&law, agree[s->bit[n - 1]]);
		/* Skips keys that leave 4096 or more fingerprints in a bucket. */
		if (n < s->n && (double)(UINT32_C(1) << n) * 4096 < p->task->nx)
			continue;
		price(p, b, &law, volume(n, b->radius));
		if (best.bits == 0 || b->seconds < best.seconds)
			best = *b;
		/* Stops when the number of buckets exceeds twice the number of fingerprints. */
		if ((double)(UINT32_C(1) << n) > 2 * p->task->nx)
			break;
	}
	*b = best;
	b->mask = 0;
	for (unsigned i = 0; i < b->bits; i++)
		b->mask |= UINT64_C(1) << (63 - s->bit[i]);
}

/* Returns the word of block i of m: the word of the middle one of the block's usable bits. */
static unsigned home(const struct planner *p, unsigned i, unsigned m)
{
	unsigned middle = p->usable * (2 * i + 1) / (2 * m), w = 0;

	while (middle >= p->word[w].n)
		middle -= p->word[w++].n;
	return w;
}

/* Makes a plan of m blocks. The radii differ by at most one, and the larger ones come first.
 * Returns false when a word has fewer bits than blocks, or a radius exceeds RADIUS_MAX. */
static bool draw(const struct planner *p, struct sh_plan *plan, unsigned m)
{
	unsigned total = p->task->k + 1, share_n[SH_FP_MAX_WORDS] = { 0 };
	unsigned taken[SH_FP_MAX_WORDS] = { 0 };

	plan->blocks = m;
	plan->candidates = plan->seconds = 0;
	for (unsigned i = 0; i < m; i++) {
		plan->block[i] = (struct sh_block){
			.word = home(p, i, m),
			.radius = total / m - (i >= total % m),
		};
		share_n[plan->block[i].word]++;
		if (plan->block[i].radius > RADIUS_MAX)
			return false;
	}
	for (unsigned i = 0; i < m; i++) {
		struct sh_block *b = &plan->block[i];
		struct share s;

		set_share(p, b->word, taken[b->word]++, share_n[b->word], &s);
		if (s.n == 0)
			return false;
		choose_key(p, b, &s);
		plan->candidates += b->candidates;
		plan->seconds += b->seconds;
	}
	return true;
}

static double best_pass(const struct planner *p)
{
	double least = 1;

	for (unsigned w = 0; w < p->words; w++)
		if (p->word[w].pass < least)
			least = p->word[w].pass;
	return least;
}

void sh_plan(struct sh_plan *plan, const struct sh_plan_sets *task)
{
	struct planner p;
	struct sh_plan trial;

	survey(&p, task);
	if (!p.uniform)
		for (unsigned w = 0; w < p.words; w++)
			sort_bits(task->agree + w * 64, p.word[w].bit, p.word[w].n);
	plan->blocks = 0;
	plan->candidates = pairs(task);
	plan->seconds =
	    compare_ns(plan->candidates, task->nx, best_pass(&p)) * 1e-9 * task->brute_factor;
	for (unsigned m = 1; m <= task->k + 1 && m <= SH_PLAN_BLOCKS && m <= p.usable; m++) {
		if (draw(&p, &trial, m) && trial.seconds < plan->seconds)
			*plan = trial;
	}
}
