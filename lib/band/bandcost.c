#include "band/band.h"

#include "band/plan.h"

/* 2^1024 is no double. No two random fingerprints share a key of that many bits. */
enum { KEY_BITS_MOST = 1020 };

/* Returns the natural logarithm of x >= 1, without libm: the result is the same on every
 * machine. */
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

/* Returns a size that none of `buckets` buckets exceeds, with probability 0.999. The size of a
 * bucket has a Poisson distribution of this mean. Chernoff: P(X >= s) <= exp(-mean) (e mean /
 * s)^s. */
static double largest_bucket(double mean, double buckets)
{
	double goal = ln(buckets * 1000 + 1), low = mean + 1, high = mean + 2;

	/* s ln(s/mean) - s + mean, which grows with s for s > mean */
#define TAIL(s) ((s)*ln((s) / mean) - (s) + mean)
	while (TAIL(high) < goal)
		high = mean + 2 * (high - mean);
	while (high - low > 0.5) {
		double mid = (low + high) / 2;

		/* Doubles above 2^52 are more than 0.5 apart. */
		if (mid <= low || mid >= high)
			break;
		if (TAIL(mid) < goal)
			low = mid;
		else
			high = mid;
	}
#undef TAIL
	return (double)(uint64_t)(high + 0.999);
}

/* Returns the seconds for the candidates of all buckets. Treats all tables as equal: the number of
 * bits outside the key decides. */
static double compare_seconds(const struct sh_band_cost *c, unsigned bits, unsigned k)
{
	struct sh_task task = { .bits = bits, .k = k, .self = true, .brute_factor = 1 };
	double all = c->candidates * SH_COST_COMPARE, planned;
	struct sh_plan plan;

	if (c->bucket < 2)
		return all;
	task.nx = task.ny = c->bucket;
	for (unsigned i = 0; i < bits; i++)
		task.agree[i] = i < c->key_bits ? 1 : 0.5;
	sh_plan(&plan, &task);
	planned = plan.seconds * (c->candidates / plan.brute_candidates);
	return planned < all ? planned : all;
}

/* Fills the other fields of *c from its tables, key bits and length of a line. */
static void price(struct sh_band_cost *c, unsigned bits, unsigned k, double count)
{
	unsigned key_bits = c->key_bits < KEY_BITS_MOST ? c->key_bits : KEY_BITS_MOST;
	double lines = c->tables * count, buckets = power_of_two(key_bits);

	c->candidates = c->tables * count * count / 2 / buckets;
	c->bucket = count / buckets;
	c->stream_bytes = lines * c->record_bytes;
	/* At most `count` buckets have a fingerprint. */
	c->bucket_max =
	    count < 2 ? count
		      : largest_bucket(c->bucket, (buckets < count ? buckets : count) * c->tables);
	if (c->bucket_max > count)
		c->bucket_max = count;
	c->sort_seconds = lines < 2 ? 0 : c->stream_bytes * ln(lines) / ln(2) * SH_COST_SORT;
	c->compare_seconds = compare_seconds(c, bits, k);
}

int sh_band_cost(struct sh_band_cost *c, unsigned bits, unsigned k, unsigned blocks, double count,
    unsigned id_bytes, struct sh_error *err)
{
	struct sh_band b;

	if (sh_band_init(&b, bits, k, blocks, err) < 0)
		return -1;
	sh_band_free(&b);
	*c = (struct sh_band_cost){
		.blocks = blocks,
		.tables = b.tables,
		.key_bits = b.key_bits_min,
		.record_bytes = b.key_len + 1 + bits / 4 + 1 + id_bytes + 1,
		.recall = 1,
	};
	price(c, bits, k, count);
	return 0;
}

/* Fills *c with the smallest number of tables and their cost, for keys of key_bits bits. */
static int cost_drawn(struct sh_band_cost *c, unsigned bits, unsigned k, unsigned key_bits,
    double recall, double count, unsigned id_bytes, struct sh_error *err)
{
	unsigned tables = sh_band_tables_for(bits, key_bits, k, recall);
	struct sh_band b;

	if (tables == 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "keys of %u bits would take too many tables", key_bits);
	if (sh_band_draw(&b, bits, k, key_bits, tables, 0, err) < 0)
		return -1;
	sh_band_free(&b);
	*c = (struct sh_band_cost){
		.tables = tables,
		.key_bits = key_bits,
		.record_bytes = b.key_len + 1 + bits / 4 + 1 + id_bytes + 1,
		.recall = sh_band_recall(bits, key_bits, tables, k),
	};
	price(c, bits, k, count);
	return 0;
}

int sh_band_choose_drawn(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double recall, double count, unsigned id_bytes, struct sh_error *err)
{
	double cheapest = 0;
	unsigned n = 0;

	*best = 0;
	for (unsigned b = 1; n < room && b <= bits && b <= SH_BAND_MAX_DRAWN_BITS; b++) {
		double cost;

		if (cost_drawn(&row[n], bits, k, b, recall, count, id_bytes, err) < 0) {
			if (err->code == SH_ERR_NOMEM)
				return -1;
			break;
		}
		cost = row[n].sort_seconds + row[n].compare_seconds;
		if (n == 0 || cost < cheapest) {
			cheapest = cost;
			*best = n;
		}
		/* Longer keys need more tables: sorting alone costs more from here on. */
		if (row[n++].sort_seconds > 4 * cheapest)
			break;
	}
	return (int)n;
}

int sh_band_choose(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double count, unsigned id_bytes, struct sh_error *err)
{
	double cheapest = 0;
	unsigned n = 0;

	*best = 0;
	for (unsigned m = k + 1; n < room && m <= bits && m <= SH_BAND_MAX_BLOCKS; m++) {
		struct sh_band_cost *c = &row[n];
		double cost;

		if (sh_band_cost(c, bits, k, m, count, id_bytes, err) < 0) {
			/* The choice must not depend on free memory. */
			if (err->code == SH_ERR_NOMEM)
				return -1;
			break;
		}
		cost = c->sort_seconds + c->compare_seconds;
		if (n == 0 || cost < cheapest) {
			cheapest = cost;
			*best = n;
		}
		n++;
		/* More blocks make more tables: sorting alone costs more from here on. */
		if (c->sort_seconds > 4 * cheapest)
			break;
	}
	return (int)n;
}
