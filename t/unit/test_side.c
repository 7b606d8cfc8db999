/* SPDX-License-Identifier: MIT */
/* Orders and sorts of a side, compared with a stable insertion into buckets and with qsort(). Large
 * sides are ordered in two steps. All numbers of threads give one result. */
#include "join/side.h"

#include <stdlib.h>
#include <string.h>

#include "fps.h"
#include "tap.h"

enum { CASES = 300, SMALL = 3000, LARGE = 300000 };

static struct sh_join_side side, room, want;
static uint64_t variety; /* masks the random words: few bits give many equal ones */

static void fill(uint32_t n)
{
	struct sh_error err;

	must(
	    sh_join_side_reserve(&side, n, &err) == 0 && sh_join_side_reserve(&want, n, &err) == 0);
	side.words = want.words = 1;
	side.n = want.n = n;
	for (uint32_t i = 0; i < n; i++) {
		side.word[i] = rng() & variety;
		side.number[i] = i;
	}
}

/* A mask of some adjacent or scattered bits. */
static uint64_t draw_mask(unsigned bits)
{
	uint64_t mask = 0;

	if (below(2))
		return ((UINT64_C(1) << bits) - 1) << below(64 - bits + 1);
	for (; bits > 0; bits--)
		mask |= UINT64_C(1) << below(64);
	return mask;
}

static uint32_t key_of(uint64_t mask, uint64_t word)
{
	uint32_t key = 0;

	for (unsigned bit = 64; bit-- > 0;)
		if (mask >> bit & 1)
			key = key << 1 | (uint32_t)(word >> bit & 1);
	return key;
}

static uint64_t sorted_mask; /* of by_key_and_place() */

static int by_key_and_place(const void *p, const void *q)
{
	uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
	uint32_t x = key_of(sorted_mask, want.word[a]), y = key_of(sorted_mask, want.word[b]);

	if (x != y)
		return x < y ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int by_word_and_place(const void *p, const void *q)
{
	uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;

	if (want.word[a] != want.word[b])
		return want.word[a] < want.word[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Returns whether the side has the order of want.number, whose words are by number. */
static bool as_wanted(void)
{
	for (uint32_t i = 0; i < side.n; i++)
		if (side.number[i] != want.number[i] || side.word[i] != want.word[want.number[i]])
			return false;
	return true;
}

static void want_all(int (*compare)(const void *, const void *))
{
	memcpy(want.word, side.word, side.n * sizeof *side.word);
	for (uint32_t i = 0; i < side.n; i++)
		want.number[i] = i;
	qsort(want.number, side.n, sizeof *want.number, compare);
}

static bool order_case(uint32_t n)
{
	unsigned bits = below(n > SMALL ? 19 : 12);
	uint64_t mask = draw_mask(bits);
	uint32_t *start = malloc(((1U << 19) + 1) * sizeof *start), buckets;
	struct sh_error err;
	bool good;

	bits = 0;
	for (uint64_t m = mask; m; m &= m - 1)
		bits++;
	buckets = 1U << bits;
	fill(n);
	sorted_mask = mask;
	want_all(by_key_and_place);
	good = sh_join_side_order(&side, &room, mask, start, 1 + below(4), &err) == 0 &&
	       as_wanted() && start[0] == 0 && start[buckets] == n;
	for (uint32_t v = 0; v < buckets && good; v++)
		for (uint32_t i = start[v]; i < start[v + 1]; i++)
			good &= key_of(mask, side.word[i]) == v;
	/* An ordered side stays as it is. */
	good &= sh_join_side_order(&side, &room, mask, start, 1, &err) == 0 && as_wanted() &&
		start[buckets] == n;
	free(start);
	return good;
}

static bool sort_case(uint32_t n)
{
	struct sh_error err;

	fill(n);
	want_all(by_word_and_place);
	if (sh_join_side_sort(&side, &room, 1 + below(4), &err) < 0 || !as_wanted())
		return false;
	/* A sorted side, with other scratch memory. */
	sh_join_side_free(&room);
	return sh_join_side_sort(&side, &room, 1, &err) == 0 && as_wanted();
}

static void many(const char *what, bool (*one)(uint32_t n))
{
	unsigned bad = 0, cases = rng_rounds(CASES);

	for (unsigned i = 0; i < cases; i++) {
		variety = below(4) ? UINT64_MAX : draw_mask(1 + below(20));
		sh_join_side_free(&room);
		bad += !one(below(i % 50 ? SMALL : LARGE));
	}
	ok(bad == 0, "%s: %u of %u are not as wanted", what, bad, cases);
}

int main(void)
{
	struct sh_error err;

	rng_init(51);
	must(sh_join_side_reserve(&room, 1, &err) == 0);
	many("orders by a key", order_case);
	many("sorts by words", sort_case);
	ok(sh_join_side_reserve(&room, UINT32_MAX, &err) == -1 && err.code == SH_ERR_PARAM, "%s",
	    err.text);
	sh_join_side_free(&side);
	sh_join_side_free(&room);
	sh_join_side_free(&want);
	return done_testing();
}
