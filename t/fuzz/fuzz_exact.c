/* SPDX-License-Identifier: MIT */
/* Compares minimizers with their definition, and the repeated passages of any documents with those
 * found by comparing all windows. */
#include "fuzz.h"

#include "../unit/passage_util.h"
#include "passage/exact.h"

const unsigned fuzz_random = 1000;

static struct sh_error err;

static bool is_minimizers(const uint64_t *hash, size_t n, size_t window)
{
	uint32_t *first = malloc((n + 1) * sizeof *first);
	size_t got, want = 0, windows = n < window ? (n > 0) : n - window + 1;
	bool good = true;

	must(first != NULL);
	got = sh_minimizers(hash, n, window, first);
	for (size_t w = 0; w < windows; w++) {
		size_t least = w;

		for (size_t i = w; i < w + window && i < n; i++)
			if (hash[i] <= hash[least])
				least = i;
		if (want && first[want - 1] == least)
			continue;
		good = good && want < got && first[want] == least;
		want++;
	}
	free(first);
	return good && got == want;
}

static bool same_window(const struct sh_texts *t, uint64_t a, uint64_t b, uint32_t length)
{
	return memcmp(t->token + a, t->token + b, length * sizeof *t->token) == 0;
}

/* Compares each window with all windows before it. */
static void mark_slowly(const struct sh_texts *t, uint32_t length, bool every, char *again)
{
	uint64_t *window = malloc((size_t)(t->at[t->n] + 1) * sizeof *window);
	size_t n = 0;

	must(window != NULL);
	for (uint32_t d = 0; d < t->n; d++)
		for (uint64_t i = t->at[d]; i + length <= t->at[d + 1]; i++)
			window[n++] = i;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (same_window(t, window[i], window[j], length)) {
				again[window[i]] = 1;
				again[window[j]] = again[window[j]] || every;
			}
	free(window);
}

/* Finds windows by k-grams of k tokens; 0: of the usual number. */
static void find(
    const struct sh_texts *t, uint32_t length, uint32_t k, bool every, unsigned jobs, char *again)
{
	struct sh_seed_opts seed = sh_exact_seeds(length, k);
	struct sh_sorter anchors;

	sh_postings_init(&anchors, SH_POSTING_WINDOWS, rng() & 1 ? SIZE_MAX : 0, jobs, NULL);
	add_postings(t, seed.k, seed.window, &anchors);
	must(sh_exact_find(t, &anchors, length, every, jobs, again, &err) == 0);
	sh_sorter_free(&anchors);
}

static bool is_exact(struct sh_texts *t, uint32_t length, uint32_t k, bool every)
{
	size_t n = (size_t)t->at[t->n];
	char *again = calloc(n + 1, 1), *want = calloc(n + 1, 1);
	bool good;

	must(again && want);
	find(t, length, k, every, 1 + (unsigned)rng_below(5), again);
	mark_slowly(t, length, every, want);
	good = memcmp(again, want, n) == 0;
	free(again);
	free(want);
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_texts t = { 0 };
	uint64_t hash[60];
	uint32_t length;
	size_t n, alphabet;

	fuzz_begin(data, size);
	n = rng_below(60);
	alphabet = 1 + rng_below(30);
	for (size_t i = 0; i < n; i++)
		hash[i] = rng_below(4) ? rng_below(alphabet) : i;
	check(is_minimizers(hash, n, 1 + rng_below(20)));
	length = 1 + (uint32_t)rng_below(40);
	add_random_documents(&t, 1 + rng_below(8), 80, 1 + (uint32_t)rng_below(256));
	check(is_exact(&t, length, (uint32_t)rng_below(length + 1), rng_below(2)));
	sh_texts_free(&t);
	return 0;
}
