/* Tables drawn at random: they have the stated recall. */
#include <math.h>

#include "band/bandlines.h"
#include "base/num.h"
#include "rng.h"
#include "tap.h"

enum { PAIRS = 20000, SEEDS = 8 };

static const struct layout {
	unsigned bits, key_bits, tables;
} layouts[] = { { 64, 16, 99 }, { 64, 4, 20 }, { 64, 23, 40 }, { 64, 64, 2 }, { 32, 7, 10 },
	{ 128, 16, 60 }, { 1024, 5, 20 }, { 100, 13, 33 } };

static void random_pair(uint64_t *x, uint64_t *y, unsigned bits, unsigned d)
{
	unsigned words = SH_FP_WORDS(bits);

	for (unsigned w = 0; w < words; w++)
		x[w] = rng();
	if (bits % 64)
		x[words - 1] &= UINT64_MAX << (64 - bits % 64);
	memcpy(y, x, words * sizeof *x);
	while (d > 0) {
		unsigned b = (unsigned)rng_below(bits);
		uint64_t one = UINT64_C(1) << (63 - b % 64);

		if ((x[b / 64] ^ y[b / 64]) & one)
			continue;
		y[b / 64] ^= one;
		d--;
	}
}

/* Returns whether a table has one key for both, and exactly one of these tables is the lowest. */
static int found(const struct sh_band *b, const uint64_t *x, const uint64_t *y)
{
	char kx[SH_BAND_MAX_KEY], ky[SH_BAND_MAX_KEY];
	unsigned meet = 0, lowest = 0;

	for (uint32_t t = 0; t < b->tables; t++) {
		sh_band_key(b, &b->cache[t], x, kx);
		sh_band_key(b, &b->cache[t], y, ky);
		if (memcmp(kx, ky, b->key_len) != 0)
			continue;
		meet++;
		lowest += sh_band_lowest(&b->cache[t], x, y);
	}
	return lowest == (meet > 0) ? meet > 0 : -1;
}

static void measure(const struct layout *l, unsigned d)
{
	double stated = sh_band_recall(l->bits, l->key_bits, l->tables, d), share;
	unsigned hits = 0, n = 0;
	bool good = true;

	for (unsigned seed = 0; seed < SEEDS && good; seed++) {
		struct sh_band b;
		struct sh_error err;

		good = sh_band_draw(&b, l->bits, d, l->key_bits, l->tables, seed, &err) == 0;
		for (int i = 0; i < PAIRS / SEEDS / (int)l->tables * 20 && good; i++, n++) {
			uint64_t x[SH_FP_MAX_WORDS], y[SH_FP_MAX_WORDS];
			int one;

			random_pair(x, y, l->bits, d);
			one = found(&b, x, y);
			good = one >= 0;
			hits += one > 0;
		}
		sh_band_free(&b);
	}
	share = (double)hits / n;
	/* Five standard deviations, and a margin for the small number of seeds. */
	good &= fabs(share - stated) < 5 * sqrt(stated * (1 - stated) / n) + 0.02;
	ok(good, "%u bits, %u tables of %u, distance %u: %.3f found, %.3f stated", l->bits,
	    l->tables, l->key_bits, d, share, stated);
}

static unsigned ones(const uint64_t *mask, unsigned words)
{
	static const uint64_t none[SH_FP_MAX_WORDS];

	return sh_fp_distance(mask, none, words);
}

/* Checks the draw of bandrecall.c by other means: bands of one version are joined by other
 * versions. */
static bool drawn_as_said(const struct sh_band *b)
{
	unsigned whole = b->bits / b->key_bits_max, keys = whole < 16 ? whole : 16;
	uint64_t state = b->seed, masks[16][SH_FP_MAX_WORDS];
	unsigned place[SH_FP_MAX_BITS];

	for (uint32_t t = 0; t < b->tables; t++) {
		if (t % keys == 0) {
			memset(masks, 0, sizeof masks);
			for (unsigned i = 0; i < b->bits; i++)
				place[i] = i;
			for (unsigned n = b->bits; n > 1; n--) {
				uint64_t x = state += UINT64_C(0x9E3779B97F4A7C15);
				unsigned last = place[n - 1], at;

				x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
				x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
				at = (unsigned)((x ^ (x >> 31)) % n);
				place[n - 1] = place[at];
				place[at] = last;
			}
			for (unsigned i = 0; i < keys * b->key_bits_max; i++)
				masks[i / b->key_bits_max][place[i] / 64] |=
				    UINT64_C(1) << 63 >> place[i] % 64;
		}
		if (memcmp(b->mask + (size_t)t * b->words, masks[t % keys],
			b->words * sizeof *b->mask) != 0)
			return false;
	}
	return true;
}

static void draws(const struct layout *l)
{
	struct sh_band b, again, other, read;
	struct sh_error err;
	char key[SH_BAND_MAX_KEY];
	uint64_t x[SH_FP_MAX_WORDS], y[SH_FP_MAX_WORDS];
	bool good, differs = false;
	uint32_t number;

	random_pair(x, y, l->bits, 0);
	good = sh_band_draw(&b, l->bits, 3, l->key_bits, l->tables, 7, &err) == 0 &&
	       sh_band_draw(&again, l->bits, 3, l->key_bits, l->tables, 7, &err) == 0 &&
	       sh_band_draw(&other, l->bits, 3, l->key_bits, l->tables, 8, &err) == 0;
	for (uint32_t t = 0; t < b.tables && good; t++) {
		size_t at = (size_t)t * b.words, size = b.words * sizeof *b.mask;

		good = ones(b.mask + at, b.words) == l->key_bits &&
		       memcmp(b.mask + at, again.mask + at, size) == 0;
		differs |= memcmp(b.mask + at, other.mask + at, size) != 0;
		sh_band_key(&b, &b.cache[t], x, key);
		good &= sh_band_from_key(&read, sh_slice(key, b.key_len), l->bits, &err) == 0 &&
			sh_band_parse(&read, sh_slice(key, b.key_len), &number, &err) == 0 &&
			number == t &&
			sh_band_key_is(&read, &read.cache[t], sh_slice(key, b.key_len), x) &&
			read.k == 3 && read.seed == 7;
		sh_band_free(&read);
	}
	ok(good && drawn_as_said(&b) && drawn_as_said(&other),
	    "%u bits, %u tables of %u: the tables equal the description", l->bits, l->tables,
	    l->key_bits);
	ok(good && (differs || l->key_bits == l->bits),
	    "%u bits, %u tables of %u: one seed gives the same tables, and each key describes them",
	    l->bits, l->tables, l->key_bits);
	sh_band_free(&b);
	sh_band_free(&again);
	sh_band_free(&other);
}

/* The lines of a layout equal sh_band_key(), for each way of writing. */
static bool same_lines(const struct sh_band *b)
{
	struct sh_band_lines l;
	struct sh_buf out = { 0 };
	struct sh_error err;
	struct sh_band_table room;
	struct sh_fp_record r = { .bits = b->bits, .tag = SH_NO_TAG };
	char hex[SH_FP_HEX_MAX], want[SH_BAND_MAX_KEY];
	uint64_t y[SH_FP_MAX_WORDS];
	size_t at = 0;
	bool good = sh_band_lines_init(&l, b, &err) == 0;

	random_pair(r.fp, y, b->bits, 0);
	r.hex = sh_slice(hex, sh_print_hex(hex, r.fp, b->bits / 4));
	r.id = sh_slice("some id or other", rng_below(17));
	good &= sh_band_lines_add(&l, &r, &out, &err) == 0;
	for (uint32_t t = 0; t < b->tables && good; t++) {
		sh_band_key(b, sh_band_table(b, t, &room), r.fp, want);
		good = memcmp(out.p + at, want, b->key_len) == 0 &&
		       out.p[at + b->key_len] == '\t' &&
		       memcmp(out.p + at + b->key_len + 1, hex, r.hex.n) == 0;
		at += b->key_len + 1 + r.hex.n + 1;
		good &= out.p[at - 1] == '\t' && memcmp(out.p + at, r.id.p, r.id.n) == 0 &&
			out.p[at + r.id.n] == '\n';
		at += r.id.n + 1;
	}
	good &= at == out.n;
	sh_buf_free(&out);
	sh_band_lines_free(&l);
	return good;
}

#if SIZE_MAX == UINT32_MAX
/* Lines of one record that 32 bits do not count. */
static void test_too_much(void)
{
	static char id[SH_ID_MAX];
	struct sh_band_lines l;
	struct sh_buf out = { 0 };
	struct sh_error err;
	struct sh_fp_record r = {
		.bits = 64, .hex = sh_slice_str("0123456789abcdef"), .id = sh_slice(id, sizeof id)
	};
	struct sh_band b;

	memset(id, 'x', sizeof id);
	must(sh_band_init(&b, 64, 13, 26, &err) == 0 && sh_band_lines_init(&l, &b, &err) == 0);
	ok(sh_band_lines_add(&l, &r, &out, &err) < 0 && err.code == SH_ERR_NOMEM,
	    "more tables than possible are refused: %s", err.text);
	sh_buf_free(&out);
	sh_band_lines_free(&l);
	sh_band_free(&b);
}
#endif

static void lines(void)
{
	static const unsigned widths[] = { 16, 32, 64, 100, 128, 1024 };
	bool good = true;

	for (int i = 0; i < 500 && good; i++) {
		unsigned bits = widths[rng_below(6)], k = (unsigned)rng_below(6);
		struct sh_band b;
		struct sh_error err;

		if (rng_below(2))
			good = sh_band_init(&b, bits, k, k + 1 + (unsigned)rng_below(4), &err) == 0;
		else
			good = sh_band_draw(&b, bits, k, 1 + (unsigned)rng_below(16),
				   1 + (unsigned)rng_below(99), 3, &err) == 0;
		good = good && same_lines(&b);
		sh_band_free(&b);
	}
	ok(good, "lines of bands have the keys of single bands");
}

static void impossible(void)
{
	static const struct {
		unsigned bits, k, key_bits, tables, seed;
	} none[] = { { 64, 64, 16, 9, 0 }, { 64, 3, 0, 9, 0 }, { 32, 3, 33, 9, 0 },
		{ 128, 3, 65, 9, 0 }, { 64, 3, 16, 0, 0 }, { 64, 3, 16, 4096, 0 },
		{ 64, 3, 16, 9, 65536 }, { 66, 3, 16, 9, 0 }, { 1024, 255, 16, 9, 0 } };
	unsigned taken = 0;
	struct sh_error err;
	struct sh_band b;

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		taken += sh_band_draw(&b, none[i].bits, none[i].k, none[i].key_bits, none[i].tables,
			     none[i].seed, &err) == 0 ||
			 err.code != SH_ERR_PARAM;
	ok(taken == 0, "layouts that keys cannot describe, and impossible layouts, are refused");
}

/* Rows of layouts state their recall, which is the wanted one, with the fewest tables. */
static void choices(void)
{
	struct sh_band_cost row[64];
	unsigned best, bad = 0, all = 0;
	struct sh_error err;

	for (unsigned k = 1; k < 16; k += 2) {
		int n = sh_band_choose_drawn(row, 64, &best, 64, k, 0.9, 1e8, 16, &err);
		double least = row[best].sort_seconds + row[best].compare_seconds;

		for (int i = 0; i < n; i++, all++) {
			unsigned t = row[i].tables, bits = row[i].key_bits;
			double seconds = row[i].sort_seconds + row[i].compare_seconds;

			bad += row[i].recall < 0.9 ||
			       fabs(row[i].recall - sh_band_recall(64, bits, t, k)) > 1e-9 ||
			       (t > 1 && sh_band_recall(64, bits, t - 1, k) >= 0.9) ||
			       seconds < least;
		}
	}
	ok(bad == 0 && all > 50, "each of %u layouts has the requested recall", all);
}

int main(void)
{
	rng_init(0xBA2D);
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		draws(&layouts[i]);
		for (unsigned d = 0; d <= 12; d += 3)
			measure(&layouts[i], d);
	}
	for (unsigned d = 3; d < 14; d++) {
		unsigned t = sh_band_tables_for(64, 16, d, 0.99);

		ok(sh_band_recall(64, 16, t, d) >= 0.99 && sh_band_recall(64, 16, t - 1, d) < 0.99,
		    "%u tables of 16 bits, and no fewer, for 99 %% at distance %u", t, d);
	}
	ok(sh_band_tables_for(64, 64, 9, 0.99) == 0 && sh_band_tables_for(64, 16, 60, 0.01) == 0,
	    "a recall that 4095 tables do not reach is refused");
	impossible();
	choices();
	lines();
#if SIZE_MAX == UINT32_MAX
	test_too_much();
#endif
	return done_testing();
}
