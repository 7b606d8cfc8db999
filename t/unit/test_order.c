/* Compares the order by the bits of a key, of a range, in partitions, and of words alone with a
 * stable insertion into buckets. Compares distinct fingerprints with a search of each among all
 * before it. */
#include "join/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "fps.h"
#include "join/fpsort.h"
#include "tap.h"

enum {
	LARGE = SH_SIDE_CACHED + 20000,    /* more elements than one ordering step takes */
	VAST = 4 * SH_SIDE_CACHED + 40000, /* more equal words than a partition may have */
	FAR = 50, /* largest number of elements outside the range at each end */
	KEY_BITS = 16,
	TOTAL = VAST + 2 * FAR,
};

static uint32_t total; /* elements of the sides of one case */
static struct sh_side side, room, was, room_was, want;
static uint32_t start[(1 << KEY_BITS) + 1], next[1 << KEY_BITS];
static uint32_t want_start[(1 << KEY_BITS) + 1], want_next[1 << KEY_BITS];

static void fill(struct sh_side *s, uint64_t mask)
{
	uint64_t base = rng();

	for (uint32_t i = 0; i < total; i++) {
		s->word[i] = base ^ (rng() & mask);
		s->id[i] = (uint32_t)rng();
	}
}

static void copy(struct sh_side *to, const struct sh_side *from)
{
	memcpy(to->word, from->word, total * sizeof *to->word);
	memcpy(to->id, from->id, total * sizeof *to->id);
}

static bool same(const struct sh_side *x, const struct sh_side *y, uint32_t lo, uint32_t end)
{
	size_t n = end - lo;

	return memcmp(x->word + lo, y->word + lo, n * sizeof *x->word) == 0 &&
	       memcmp(x->id + lo, y->id + lo, n * sizeof *x->id) == 0;
}

static bool same_outside(
    const struct sh_side *x, const struct sh_side *y, uint32_t lo, uint32_t end)
{
	return same(x, y, 0, lo) && same(x, y, end, total);
}

/* Draws 1 to KEY_BITS bits, consecutive or anywhere. */
static uint64_t draw_key(void)
{
	unsigned bits = 1 + below(KEY_BITS), at = below(65 - bits);
	uint64_t mask = 0;

	if (rng_below(2))
		return ((UINT64_C(1) << bits) - 1) << at;
	while ((unsigned)__builtin_popcountll(mask) < bits)
		mask |= UINT64_C(1) << below(64);
	return mask;
}

/* Computes the key bit by bit. */
static uint32_t key_of(uint64_t mask, uint64_t word)
{
	uint32_t key = 0;

	for (unsigned b = 64; b-- > 0;)
		if (mask >> b & 1)
			key = key << 1 | (uint32_t)(word >> b & 1);
	return key;
}

/* was, with lo .. lo+n-1 in order. */
static void order_plainly(uint64_t mask, uint32_t lo, uint32_t n)
{
	uint32_t buckets = UINT32_C(1) << __builtin_popcountll(mask);

	copy(&want, &was);
	memset(want_start, 0, sizeof want_start);
	for (uint32_t i = lo; i < lo + n; i++)
		want_start[key_of(mask, was.word[i]) + 1]++;
	want_start[0] = lo;
	for (uint32_t v = 0; v < buckets; v++)
		want_next[v] = want_start[v + 1] += want_start[v];
	memmove(want_next, want_start, buckets * sizeof *want_next);
	for (uint32_t i = lo; i < lo + n; i++) {
		uint32_t at = want_next[key_of(mask, was.word[i])]++;

		want.word[at] = was.word[i];
		want.id[at] = was.id[i];
	}
}

static bool same_starts(uint32_t places)
{
	return memcmp(start, want_start, places * sizeof *start) == 0;
}

/* Draws words that differ in all bits of the key, in few, or in none. */
static uint64_t draw_variety(void)
{
	return rng_below(3) ? UINT64_MAX : rng() & rng() & rng();
}

static bool range_case(uint32_t n)
{
	uint64_t mask = draw_key();
	uint32_t lo = below(FAR), end = lo + n;
	struct sh_key key;
	bool good;

	fill(&was, draw_variety());
	fill(&room_was, UINT64_MAX);
	if (rng_below(8) == 0) {
		order_plainly(mask, lo, n);
		copy(&was, &want);
	}
	copy(&side, &was);
	copy(&room, &room_was);
	order_plainly(mask, lo, n);
	sh_key_init(&key, mask);
	sh_side_order(&side, lo, n, &key, start, &room, next);
	good = same(&side, &want, 0, total) && same_starts((UINT32_C(1) << key.bits) + 1) &&
	       same_outside(&room, &room_was, lo, end);
	if (!good)
		printf("# %u from %u on, key %016llx: side %d, room %d\n", n, lo,
		    (unsigned long long)mask, same(&side, &want, 0, total),
		    same_outside(&room, &room_was, lo, end));
	return good;
}

/* Orders a whole side, whose numbers may be not set yet, by several threads. */
static bool whole_case(uint32_t n)
{
	uint64_t mask = draw_key();
	bool fresh = rng_below(2);
	struct sh_error err;
	struct sh_key key;

	fill(&was, draw_variety());
	copy(&side, &was);
	for (uint32_t i = 0; fresh && i < n; i++)
		was.id[i] = i;
	order_plainly(mask, 0, n);
	side.n = n;
	sh_key_init(&key, mask);
	must(sh_side_order_by(1 + below(4), &side, &key, fresh, start, &room, &err) == 0);
	return same(&side, &want, 0, total) && same_starts((UINT32_C(1) << key.bits) + 1);
}

/* Each partition alone has the order that it has in the whole. */
static bool split_case(uint32_t n)
{
	uint64_t mask = draw_key() | UINT64_C(1) << 63 | UINT64_C(1) << 62;
	bool fresh = rng_below(2), good = true;
	struct sh_split split;
	struct sh_error err;
	struct sh_key key;

	if (__builtin_popcountll(mask) > KEY_BITS)
		mask = UINT64_C(7) << 61;
	fill(&was, draw_variety());
	copy(&side, &was);
	for (uint32_t i = 0; fresh && i < n; i++)
		was.id[i] = i;
	order_plainly(mask, 0, n);
	side.n = n;
	sh_key_init(&key, mask);
	must(sh_split_init(&split, 1 + below(4), &side, &key, &err) == 0);
	must(sh_split_move(&split, &side, fresh, &room, &err) == 0);
	for (uint32_t i = 0; i < split.parts; i++) {
		uint32_t lo = split.start[i], many = split.start[i + 1] - lo;
		const uint32_t *starts = want_start + ((size_t)i << split.rest);
		struct sh_side to = { .word = side.word + lo, .id = side.id + lo };

		good &= many <= split.most;
		sh_split_order(&split, i, &room, &to, start, next);
		for (uint32_t v = 0; v <= UINT32_C(1) << split.rest; v++)
			good &= start[v] == starts[v] - lo;
	}
	sh_split_free(&split);
	return good && same(&side, &want, 0, n);
}

/* Words alone. */
static bool words_case(uint32_t n)
{
	uint64_t mask = draw_key() | 3;
	struct sh_split split;
	struct sh_error err;
	struct sh_key key;

	if (__builtin_popcountll(mask) > KEY_BITS)
		mask = 7;
	fill(&was, draw_variety());
	copy(&side, &was);
	order_plainly(mask, 0, n);
	side.n = n;
	sh_key_init(&key, mask);
	must(sh_split_init(&split, 1 + below(4), &side, &key, &err) == 0);
	must(sh_split_move_words(&split, side.word, room.word, &err) == 0);
	for (uint32_t i = 0; i < split.parts; i++)
		sh_split_order_words(
		    &split, i, room.word, side.word, start + ((size_t)i << split.rest), next);
	sh_split_free(&split);
	return same_starts(UINT32_C(1) << key.bits) &&
	       memcmp(room.word, want.word, n * sizeof *room.word) == 0;
}

static int by_word_and_place(const void *a, const void *b, void *arg)
{
	const uint32_t *x = a, *y = b;
	const uint64_t *word = arg;

	if (word[*x] != word[*y])
		return word[*x] < word[*y] ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* Words of all bits, of some, or most of them with equal upper halves; by 1 to 4 threads. */
static bool sort_case(uint32_t n)
{
	uint32_t *place = malloc((n + (size_t)1) * sizeof *place);
	unsigned kind = below(3);
	struct sh_error err;

	must(place != NULL);
	total = side.n = n;
	fill(&was, kind == 1 ? rng() & rng() & rng() : UINT64_MAX);
	for (uint32_t i = 0; i < n; i++) {
		place[i] = i;
		if (kind == 2 && below(50))
			was.word[i] &= UINT64_MAX >> 32 << below(8);
	}
	copy(&side, &was);
	must(sh_side_sort_by(1 + below(4), &side, &room, NULL, NULL, &err) == 0);
	qsort_r(place, n, sizeof *place, by_word_and_place, was.word);
	for (uint32_t i = 0; i < n; i++) {
		want.word[i] = was.word[place[i]];
		want.id[i] = was.id[place[i]];
	}
	free(place);
	return same(&side, &want, 0, n);
}

static bool one_of(bool (*one)(uint32_t n), uint32_t n)
{
	total = n + 2 * FAR;
	return one(n);
}

static void many(const char *what, bool (*one)(uint32_t n))
{
	unsigned bad = 0, small = rng_rounds(120), large = rng_rounds(6);

	for (unsigned i = 0; i < small; i++)
		bad += !one_of(one, below(rng_below(2) ? 3000 : 60));
	for (unsigned i = 0; i < large; i++)
		bad += !one_of(one, LARGE - below(30000));
	ok(bad == 0, "%s: %u of %u differ", what, bad, small + large);
}

int main(void)
{
	struct sh_side *all[] = { &side, &room, &was, &room_was, &want };
	struct sh_error err;

	rng_init(31);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		must(sh_side_reserve(all[i], TOTAL, &err) == 0);
	many("ranges", range_case);
	many("whole sides by several threads", whole_case);
	many("radix partitions", split_case);
	many("words alone", words_case);
	many("sorted by several threads", sort_case);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		sh_side_free(all[i]);
	return done_testing();
}
