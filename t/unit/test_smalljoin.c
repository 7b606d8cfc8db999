/* Compares the join of small sets, with themselves and with others, with a comparison of all pairs.
 * */
#include "group/smalljoin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

enum { SETS = 80, SIZE_MAX_ = 30 };

static uint64_t set[SETS][SIZE_MAX_];
static size_t size[SETS];
static unsigned found[SETS][SETS];

/* Makes similar sets: each is an earlier set with some elements changed. */
static void random_sets(uint64_t alphabet)
{
	for (size_t i = 0; i < SETS; i++) {
		size_t from = i ? rng_below(i) : 0, n = 0;
		bool fresh = !i || rng_below(8) == 0;
		size_t want = fresh ? 1 + rng_below(SIZE_MAX_) : size[from];

		for (size_t tries = 0; n < want && tries < 200; tries++) {
			uint64_t x = !fresh && n < size[from] && rng_below(12)
					 ? set[from][n]
					 : rng_below(alphabet) * UINT64_C(0x9E3779B97F4A7C15);
			bool there = false;

			for (size_t j = 0; j < n; j++)
				there |= set[i][j] == x;
			if (!there)
				set[i][n++] = x;
		}
		size[i] = n;
	}
}

static bool similar(size_t a, size_t b, uint64_t threshold)
{
	size_t common = 0;

	for (size_t i = 0; i < size[a]; i++)
		for (size_t j = 0; j < size[b]; j++)
			common += set[a][i] == set[b][j];
	return common * 1000000 >= threshold * (size[a] + size[b] - common);
}

static int note(void *arg, uint32_t a, uint32_t b, struct sh_error *err)
{
	(void)arg;
	(void)err;
	found[a][b]++;
	return 0;
}

/* All sets joined with themselves, or some with others. */
static uint32_t in[2][SETS];
static struct sh_small_part part[2];
static unsigned part_of[SETS]; /* 2: of neither */
static bool is_cross;

static int join_drawn(struct sh_small_sets *s, uint64_t threshold, size_t few)
{
	struct sh_error err;

	is_cross = rng_below(2);
	for (unsigned i = 0; i < 2; i++)
		part[i] = (struct sh_small_part){ .set = in[i] };
	for (uint32_t i = 0; i < SETS; i++) {
		unsigned p = part_of[i] = is_cross ? (unsigned)rng_below(3) : rng_below(4) == 0;

		if (p < 2)
			in[p][part[p].n++] = i;
	}
	if (sh_small_order(s, &err) < 0)
		return -1;
	return sh_small_join(
	    s, &part[0], is_cross ? &part[1] : NULL, threshold, few, note, NULL, &err);
}

static bool is_asked(size_t a, size_t b)
{
	return is_cross ? part_of[a] == 0 && part_of[b] == 1
			: a < b && part_of[a] == 0 && part_of[b] == 0;
}

/* Adds all sets, some of them through others. */
static int add_sets(struct sh_small_sets *s)
{
	struct sh_small_sets other[3] = { 0 }, *from[3] = { &other[0], &other[1], &other[2] };
	size_t alone = rng_below(SETS + 1);
	struct sh_error err;
	int status = 0;

	for (size_t i = 0; i < alone; i++)
		status += sh_small_add(s, set[i], size[i], &err);
	for (size_t k = 0, i = alone; k < 3; k++)
		for (size_t n = k < 2 ? rng_below(SETS + 1 - i) : SETS - i; n; n--, i++)
			status += sh_small_add(from[k], set[i], size[i], &err);
	status += sh_small_move(s, from, 3, &err);
	for (size_t k = 0; k < 3; k++) {
		status -= from[k]->n != 0;
		sh_small_free(from[k]);
	}
	return status - (s->n != SETS);
}

static void against_all_pairs(uint64_t threshold, size_t few, uint64_t alphabet)
{
	unsigned wrong = 0, pairs = 0;

	for (unsigned round = rng_rounds(300); round; round--) {
		struct sh_small_sets s = { .jobs = 1 + (unsigned)rng_below(3) };

		random_sets(alphabet);
		memset(found, 0, sizeof found);
		wrong += add_sets(&s) < 0;
		wrong += join_drawn(&s, threshold, few) < 0;
		for (size_t b = 0; b < SETS; b++) {
			for (size_t a = 0; a < SETS; a++) {
				bool want = is_asked(a, b) && (size[a] < few || size[b] < few) &&
					    similar(a, b, threshold);

				pairs += want;
				wrong += found[a][b] != want;
			}
		}
		sh_small_free(&s);
	}
	ok(wrong == 0 && pairs > 100, "threshold %g, few %zu, %u features: %u pairs, each once",
	    (double)threshold / 1e6, few, (unsigned)alphabet, pairs);
}

int main(void)
{
	struct sh_small_sets none = { 0 };
	struct sh_error err;

	rng_init(17);
	ok(sh_small_order(&none, &err) == 0 &&
		sh_small_join(&none, &part[0], NULL, 800000, 20, note, NULL, &err) == 0,
	    "no sets give no pairs");
	against_all_pairs(800000, 20, 1000);
	against_all_pairs(800000, 20, 40);
	against_all_pairs(500000, 1000, 60);
	against_all_pairs(1000000, 20, 50);
	against_all_pairs(333333, 10, 35);
	against_all_pairs(1, 20, 1000);
	return done_testing();
}
