/* Compares the scan of a join by halves with all pairs: each kernel gives the same matches in the
 * same order. */
#include "join/near.h"

#include <string.h>

#include "join/scan.h"
#include "rng.h"
#include "tap.h"

enum { BUCKET_MAX = 70, N_MAX = 1200, BITS_MAX = 9, MATCHES_MAX = N_MAX * N_MAX / 2 };

static uint16_t rest[N_MAX + SH_NEAR_PAD];
static uint32_t start[(1 << BITS_MAX) + 1], key[N_MAX], n;

static struct matches {
	struct sh_scan_match match[MATCHES_MAX];
	size_t n, stop_at;
	bool too_many;
} want, got, first;

static bool keep(void *ctx, const struct sh_scan_match *match, size_t many)
{
	struct matches *to = ctx;

	to->too_many |= many == 0 || many > SH_NEAR_MATCHES || to->n + many > MATCHES_MAX;
	if (!to->too_many)
		memcpy(to->match + to->n, match, many * sizeof *match);
	to->n += to->too_many ? 0 : many;
	return !to->too_many && to->n < to->stop_at;
}

/* Draws a bucket size: 0, a few, a tile, two tiles, the largest gathered size, and one more. */
static uint32_t draw_size(void)
{
	static const uint32_t edge[] = { 16, 32 };

	switch (rng_below(8)) {
	case 0:
		return (uint32_t)(edge[rng_below(2)] + rng_below(3) - 1);
	case 1:
		return (uint32_t)rng_below(BUCKET_MAX);
	case 2:
		return 0;
	}
	return (uint32_t)rng_below(8);
}

/* Draws the bits beside the key: 16 bits, as with the shortest keys, or fewer. Values are few, or
 * differ in some bits. */
static void draw(unsigned bits)
{
	uint16_t mask = (uint16_t)(rng_below(3) ? UINT16_MAX : UINT16_MAX >> rng_below(12));
	unsigned kinds = 1 + (unsigned)rng_below(40);
	uint16_t centre[40];

	for (unsigned i = 0; i < 40; i++)
		centre[i] = (uint16_t)(rng_below(4) ? rng() : UINT16_MAX) & mask;
	n = 0;
	for (uint32_t v = 0; v < UINT32_C(1) << bits; v++) {
		uint32_t size = draw_size();

		start[v] = n;
		for (; size && n < N_MAX; size--) {
			key[n] = v;
			rest[n] = centre[rng_below(kinds)];
			if (rng_below(2))
				rest[n] = (uint16_t)(rest[n] ^ ((1 << rng_below(16)) & mask));
			n++;
		}
	}
	start[UINT32_C(1) << bits] = n;
	for (uint32_t i = n; i < n + SH_NEAR_PAD; i++)
		rest[i] = (uint16_t)rng();
}

static int by_ends(const void *p, const void *q)
{
	const struct sh_scan_match *a = p, *b = q;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return (a->y > b->y) - (a->y < b->y);
}

/* The two ids may stand in any order. */
static void sort_matches(struct matches *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->match[i].x < s->match[i].y)
			s->match[i] = (struct sh_scan_match){ s->match[i].y, s->match[i].x };
	qsort(s->match, s->n, sizeof *s->match, by_ends);
}

static bool same(const struct matches *x, const struct matches *y)
{
	return x->n == y->n && memcmp(x->match, y->match, x->n * sizeof *x->match) == 0;
}

static void all_pairs(void)
{
	want.n = 0;
	for (uint32_t x = 0; x < n; x++) {
		for (uint32_t y = 0; y < x; y++) {
			uint64_t differ = (uint64_t)(key[x] ^ key[y]) << 16 | (rest[x] ^ rest[y]);

			if ((differ & (differ - 1)) == 0)
				want.match[want.n++] = (struct sh_scan_match){ x, y };
		}
	}
}

static void scan(const struct sh_kernel *kernel, unsigned bits, struct matches *to, size_t stop_at)
{
	static struct sh_near s;

	/* Values of earlier calls must not matter. */
	memset(&s, (int)rng_below(256), sizeof s);
	s.rest = rest;
	s.start = start;
	s.bits = bits;
	s.from = 0;
	s.to = 1U << bits;
	s.flush = keep;
	s.ctx = to;
	to->n = 0;
	to->stop_at = stop_at;
	to->too_many = false;
	kernel->near(&s);
	to->too_many |= s.ended != (to->n >= stop_at);
}

static bool one_case(size_t *matches)
{
	unsigned bits = 1 + (unsigned)rng_below(BITS_MAX);
	const struct sh_kernel *kernel;
	bool good = true;

	draw(bits);
	all_pairs();
	*matches += want.n;
	for (unsigned i = 0; (kernel = sh_kernel_at(i)); i++) {
		scan(kernel, bits, i ? &got : &first, SIZE_MAX);
		good &= i == 0 ? !first.too_many : !got.too_many && same(&first, &got);
		if (first.n == 0)
			continue;
		/* No match comes after the callback has ended the scan. */
		scan(kernel, bits, &got, 1 + rng_below(first.n));
		good &=
		    !got.too_many && memcmp(got.match, first.match, got.n * sizeof *got.match) == 0;
	}
	sort_matches(&first);
	if (!good || !same(&want, &first))
		printf(
		    "# %u bits, %u words: %zu matches, expected %zu\n", bits, n, first.n, want.n);
	return good && same(&want, &first);
}

int main(void)
{
	unsigned bad = 0, cases = rng_rounds(400);
	size_t matches = 0;

	rng_init(37);
	for (unsigned i = 0; i < cases; i++)
		bad += !one_case(&matches);
	ok(bad == 0 && matches > cases,
	    "%u of %u scans differ from a comparison of all pairs, %zu matches", bad, cases,
	    matches);
	return done_testing();
}
