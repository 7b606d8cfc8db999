#include "pair/band.h"

#include "pair/plan.h"

/* Natural logarithm of x >= 1, to more places than a cost model needs, without libm. */
static double ln(double x)
{
	double y, y2, term, sum = 0;
	int twos = 0;

	for (; x >= 2; x /= 2)
		twos++;
	y = (x - 1) / (x + 1);
	y2 = y * y;
	term = y;
	for (int i = 1; i < 40; i += 2, term *= y2)
		sum += term / i;
	return 2 * sum + twos * 0.6931471805599453;
}

static double power_of_two(unsigned n)
{
	double x = 1;

	while (n-- > 0)
		x *= 2;
	return x;
}

/* A size that with chance 0.999 none of `buckets` buckets exceeds, each filled by a
 * Poisson law of this mean. Chernoff: P(X >= s) <= exp(-mean) (e mean / s)^s. */
static double largest_bucket(double mean, double buckets)
{
	double goal = ln(buckets * 1000 + 1), low = mean + 1, high = mean + 2;

	/* s ln(s/mean) - s + mean, which grows with s > mean */
#define TAIL(s) ((s)*ln((s) / mean) - (s) + mean)
	while (TAIL(high) < goal)
		high = mean + 2 * (high - mean);
	while (high - low > 0.5) {
		double mid = (low + high) / 2;

		if (TAIL(mid) < goal)
			low = mid;
		else
			high = mid;
	}
#undef TAIL
	return (double)(uint64_t)(high + 0.999);
}

/* Seconds for the candidates of all buckets. Table 0 stands for all: what counts is how many
 * bits its keys leave. */
static double compare_seconds(const struct sh_band *b, const struct sh_band_cost *c)
{
	struct sh_task task = { .bits = b->bits, .k = b->k, .self = true, .brute_factor = 1 };
	double all = c->candidates * SH_COST_COMPARE, planned;
	struct sh_plan plan;

	if (c->bucket < 2)
		return all;
	task.nx = task.ny = c->bucket;
	for (unsigned i = 0; i < b->bits; i++)
		task.agree[i] = i < b->key_bits_min ? 1 : 0.5;
	sh_plan(&plan, &task);
	planned = plan.seconds * (c->candidates / plan.brute_candidates);
	return planned < all ? planned : all;
}

int sh_band_cost(struct sh_band_cost *c, unsigned bits, unsigned k, unsigned blocks, double count,
    unsigned id_bytes)
{
	struct sh_band b;
	struct sh_error err;
	double lines, buckets;

	if (sh_band_init(&b, bits, k, blocks, &err) < 0)
		return -1;
	sh_band_free(&b);
	lines = b.tables * count;
	buckets = power_of_two(b.key_bits_min);
	*c = (struct sh_band_cost){
		.blocks = blocks,
		.tables = b.tables,
		.key_bits = b.key_bits_min,
		.record_bytes = b.key_len + 1 + bits / 4 + 1 + id_bytes + 1,
		.candidates = b.tables * count * count / 2 / buckets,
		.bucket = count / buckets,
	};
	c->stream_bytes = lines * c->record_bytes;
	/* No more buckets than fingerprints are filled. */
	c->bucket_max =
	    count < 2 ? count
		      : largest_bucket(c->bucket, (buckets < count ? buckets : count) * b.tables);
	if (c->bucket_max > count)
		c->bucket_max = count;
	c->sort_seconds = lines < 2 ? 0 : c->stream_bytes * ln(lines) / ln(2) * SH_COST_SORT;
	c->compare_seconds = compare_seconds(&b, c);
	return 0;
}

unsigned sh_band_choose(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double count, unsigned id_bytes)
{
	double cheapest = 0;
	unsigned n = 0;

	*best = 0;
	for (unsigned m = k + 1; n < room && m <= bits && m <= SH_BAND_MAX_BLOCKS; m++) {
		struct sh_band_cost *c = &row[n];
		double cost;

		if (sh_band_cost(c, bits, k, m, count, id_bytes) < 0)
			break;
		cost = c->sort_seconds + c->compare_seconds;
		if (n == 0 || cost < cheapest) {
			cheapest = cost;
			*best = n;
		}
		n++;
		/* More blocks make more tables: once sorting alone costs more, so does the rest. */
		if (c->sort_seconds > 4 * cheapest)
			break;
	}
	return n;
}
