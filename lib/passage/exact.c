/* SPDX-License-Identifier: MIT */
#include "passage/exact.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "hash/mix.h"
#include "io/parallel.h"

enum {
	/* Longest default k. A greater k leaves fewer k-grams a window, and so more anchors; a
	 * smaller k lets more anchors repeat without their windows. */
	K_MAX = 40,
	SLOT_BITS_MIN = 6,
};

#define NO_WINDOW UINT64_MAX

struct slot {
	uint64_t hash, at; /* of a window; its first token + 1; 0: the slot is empty */
};

struct worker {
	const struct sh_texts *t;
	const struct sh_sorter *anchors;
	uint32_t length;
	bool every;
	char *again;    /* a worker writes only to the bytes of its own anchors' windows */
	uint64_t power; /* K^(length-1), where K is the factor of sh_mix_step() */

	struct sh_sorted sorted;
	struct slot *slot; /* hash table of the different windows of a group, at most half full */
	size_t used, cap;
	unsigned slot_bits;
	uint64_t last, state; /* the last window that was hashed, and its state */
};

struct sh_seed_opts sh_exact_seeds(uint32_t length, unsigned k)
{
	/* Half of the window: such a k-gram is rare, and the window still has many to choose from.
	 * 3 more tokens make the k-grams of short windows rarer. */
	if (k == 0)
		k = length / 2 + 3 < K_MAX ? length / 2 + 3 : K_MAX;
	if (k > length)
		k = length;
	return (struct sh_seed_opts){ .k = k, .window = length - k + 1 };
}

/* ---- the windows of an anchor ---- */

/* Returns the hash of the window at token `at`: from that of the window before it, if possible. */
static uint64_t hash_window(struct worker *w, uint64_t at)
{
	const uint32_t *token = w->t->token + at;
	uint32_t i = 0;

	if (at && w->last == at - 1) {
		w->state -= token[-1] * w->power;
		i = w->length - 1;
	} else {
		w->state = 0;
	}
	for (; i < w->length; i++)
		w->state = sh_mix_step(w->state, token[i]);
	w->last = at;
	return sh_mix_finish(w->state);
}

static int grow_table(struct worker *w, struct sh_error *err)
{
	size_t n = (size_t)1 << w->slot_bits, mask = 2 * n - 1;
	struct slot *old = w->slot, *new = calloc(2 * n, sizeof *new);

	if (!new)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		size_t s = (size_t)old[i].hash & mask;

		while (old[i].at && new[s].at)
			s = (s + 1) & mask;
		if (old[i].at)
			new[s] = old[i];
	}
	free(old);
	w->slot = new;
	w->cap = 2 * n;
	w->slot_bits++;
	return 0;
}

/* Empties the table, and makes it small again: most groups are. */
static int reset_table(struct worker *w, struct sh_error *err)
{
	w->slot_bits = SLOT_BITS_MIN;
	w->used = 0;
	if (SH_RESERVE(w->slot, w->cap, (size_t)1 << SLOT_BITS_MIN, err) < 0)
		return -1;
	memset(w->slot, 0, sizeof *w->slot << SLOT_BITS_MIN);
	return 0;
}

/* Returns the first window of the group that equals the window at token `at`. Returns `at` when
 * there is no earlier one. The previous window equals the window before `expected`. */
static uint64_t find_or_insert(struct worker *w, uint64_t hash, uint64_t at, uint64_t expected)
{
	size_t mask = ((size_t)1 << w->slot_bits) - 1, s = (size_t)hash & mask;
	const uint32_t *token = w->t->token;

	for (; w->slot[s].at; s = (s + 1) & mask) {
		uint64_t other = w->slot[s].at - 1;
		/* `expected` and `at` follow equal windows: only their last tokens may differ. */
		uint32_t from = other == expected ? w->length - 1 : 0;

		if (w->slot[s].hash == hash && memcmp(token + other + from, token + at + from,
						   (w->length - from) * sizeof *token) == 0)
			return other;
	}
	w->slot[s] = (struct slot){ hash, at + 1 };
	w->used++;
	return at;
}

/* Looks up the windows of a posting among the windows of the postings before it. */
static int find_windows(struct worker *w, const struct sh_posting *p, struct sh_error *err)
{
	uint64_t at = w->t->at[p->document] + p->token, end = at + p->windows;
	uint64_t expected = NO_WINDOW;

	for (; at < end; at++) {
		uint64_t other;

		if (2 * w->used >= (size_t)1 << w->slot_bits && grow_table(w, err) < 0)
			return -1;
		other = find_or_insert(w, hash_window(w, at), at, expected);
		expected = other == at ? NO_WINDOW : other + 1;
		if (other != at) {
			w->again[at] = 1;
			w->again[other] = w->again[other] || w->every;
		}
	}
	return 0;
}

/* Handles the anchors of some ranges of the sorter. */
static int find_ranges(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;
	size_t size = w->anchors->size;

	for (; from < to; from++) {
		const char *record;

		if (sh_sorter_load(w->anchors, from, &w->sorted, err) < 0)
			return -1;
		record = w->sorted.record;
		for (size_t left = w->sorted.n, n; left; left -= n, record += n * size) {
			n = sh_postings_group(w->anchors, record, left);
			if (n > 1 && reset_table(w, err) < 0)
				return -1;
			for (size_t i = 0; n > 1 && i < n; i++) {
				struct sh_posting p = sh_posting_at(w->anchors, record + i * size);

				if (find_windows(w, &p, err) < 0)
					return -1;
			}
		}
	}
	return 0;
}

int sh_exact_find(const struct sh_texts *t, struct sh_sorter *anchors, uint32_t length, bool every,
    unsigned jobs, char *again, struct sh_error *err)
{
	struct worker *workers = calloc(jobs, sizeof *workers);
	uint64_t power = 1;
	int status;

	if (!workers)
		return sh_error_nomem(err);
	for (uint32_t i = 1; i < length; i++)
		power = sh_mix_step(power, 0);
	for (unsigned i = 0; i < jobs; i++)
		workers[i] =
		    (struct worker){ t, anchors, length, every, again, power, .last = NO_WINDOW };
	status = sh_sorter_finish(anchors, SH_POSTING_KEY_SIZE, err);
	if (status == 0)
		status = sh_parallel(
		    workers, sizeof *workers, jobs, anchors->ranges, 1, find_ranges, err);
	for (unsigned i = 0; i < jobs; i++) {
		sh_sorted_free(&workers[i].sorted);
		free(workers[i].slot);
	}
	free(workers);
	return status;
}
