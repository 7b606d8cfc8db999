/* SPDX-License-Identifier: MIT */
#include "join/fpset.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

void sh_fpset_init(struct sh_fpset *s, unsigned words, struct sh_join_side *room, unsigned threads)
{
	*s = (struct sh_fpset){ .words = words, .room = room, .threads = threads };
}

void sh_fpset_free(struct sh_fpset *s)
{
	free(s->fp);
	free(s->id_at);
	free(s->copy);
	free(s->copies);
	free(s->has_copies);
	sh_buf_free(&s->ids);
	sh_join_side_free(&s->side);
	sh_fpset_init(s, s->words, s->room, s->threads);
}

void sh_fpset_clear(struct sh_fpset *s)
{
	s->n = s->n_copy = s->n_copies = 0;
	s->side.n = 0;
	s->ids.n = 0;
	s->repeated = 0;
}

int sh_fpset_add(struct sh_fpset *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	unsigned words = s->words;
	char *p;

	if (words == 1 ? s->n >= s->side.cap && sh_join_side_reserve(&s->side, s->n + 1, err) < 0
		       : SH_RESERVE(s->fp, s->fp_cap, (s->n + 1) * words, err) < 0)
		return -1;
	if (s->ids.cap - s->ids.n < SH_FPSET_ID_ROOM &&
	    sh_buf_reserve(&s->ids, SH_FPSET_ID_ROOM, err) < 0)
		return -1;
	if (s->n % SH_FPSET_STRIDE == 0) {
		if (SH_RESERVE(s->id_at, s->id_at_cap, s->n / SH_FPSET_STRIDE + 1, err) < 0)
			return -1;
		s->id_at[s->n / SH_FPSET_STRIDE] = (uint32_t)s->ids.n;
	}
	if (words == 1)
		s->side.word[s->n] = *fp;
	else
		memcpy(s->fp + s->n * words, fp, words * sizeof *fp);
	p = s->ids.p + s->ids.n;
	if (id.n >= 128)
		*p++ = (char)(128 + (id.n >> 8));
	*p++ = (char)(id.n & 255);
	memcpy(p, id.p, id.n);
	s->ids.n = (size_t)(p - s->ids.p) + id.n;
	s->n++;
	return 0;
}

/* ---- equal fingerprints ---- */

static int by_words(const struct sh_fpset *s, uint32_t a, uint32_t b)
{
	const uint64_t *x = s->fp + (size_t)a * s->words, *y = s->fp + (size_t)b * s->words;

	for (unsigned i = 0; s->words > 1 && i < s->words; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int by_words_and_id(const void *p, const void *q, void *set)
{
	const struct sh_fpset *s = set;
	uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
	int c = by_words(s, a, b);

	return c ? c : sh_slice_cmp(sh_fpset_id(s, a), sh_fpset_id(s, b));
}

static int add_copy(struct sh_fpset *s, uint32_t first, uint32_t record, struct sh_error *err)
{
	if (SH_RESERVE(s->copy, s->copy_cap, s->n_copy + 1, err) < 0 ||
	    SH_RESERVE(s->copies, s->copies_cap, s->n_copies + 1, err) < 0)
		return -1;
	if (s->n_copies == 0 || s->copies[s->n_copies - 1].first != first)
		s->copies[s->n_copies++] = (struct sh_copies){ first, (uint32_t)s->n_copy, 0 };
	s->copies[s->n_copies - 1].n++;
	s->copy[s->n_copy++] = record;
	return 0;
}

/* Keeps one element of each fingerprint in the side, which is sorted by first words: the first by
 * its id. The other elements become copies, or are left out. */
static int take_distinct(struct sh_fpset *s, struct sh_error *err)
{
	struct sh_join_side *side = &s->side;
	uint32_t to = 0;

	for (uint32_t from = 0, end; from < side->n; from = end) {
		uint32_t *number = side->number + from, last = number[0];

		for (end = from + 1; end < side->n && side->word[end] == side->word[from];)
			end++;
		if (end > from + 1)
			qsort_r(number, end - from, sizeof *number, by_words_and_id, s);
		for (uint32_t i = 0; i < end - from; i++) {
			uint32_t record = number[i];

			if (i && by_words_and_id(&last, &record, s) == 0) {
				s->repeated++;
			} else if (i && by_words(s, last, record) == 0) {
				if (add_copy(s, side->number[to - 1], record, err) < 0)
					return -1;
			} else {
				side->word[to] = side->word[from];
				side->number[to++] = record;
			}
			last = record;
		}
	}
	side->n = to;
	return 0;
}

static int by_first(const void *p, const void *q)
{
	const struct sh_copies *a = p, *b = q;

	return a->first < b->first ? -1 : a->first > b->first;
}

/* Makes the copies of a record findable. */
static int index_copies(struct sh_fpset *s, struct sh_error *err)
{
	size_t words = sh_bits_words(s->n);

	if (s->n_copies == 0)
		return 0;
	if (SH_RESERVE(s->has_copies, s->has_copies_cap, words, err) < 0)
		return -1;
	memset(s->has_copies, 0, words * sizeof *s->has_copies);
	for (size_t i = 0; i < s->n_copies; i++)
		sh_bits_put(s->has_copies, s->copies[i].first);
	qsort(s->copies, s->n_copies, sizeof *s->copies, by_first);
	return 0;
}

int sh_fpset_close(struct sh_fpset *s, struct sh_error *err)
{
	struct sh_join_side *side = &s->side;

	if (sh_join_side_reserve(side, s->n, err) < 0)
		return -1;
	side->fp = s->fp;
	side->words = s->words;
	side->n = (uint32_t)s->n;
	for (uint32_t i = 0; i < side->n; i++) {
		if (s->words > 1)
			side->word[i] = s->fp[(size_t)i * s->words];
		side->number[i] = i;
	}
	if (sh_join_side_order(side, s->room, UINT64_MAX, s->threads, err) < 0 ||
	    take_distinct(s, err) < 0)
		return -1;
	return index_copies(s, err);
}

const uint32_t *sh_fpset_copies(const struct sh_fpset *s, uint32_t record, size_t *n)
{
	size_t low = 0, high = s->n_copies;

	*n = 0;
	if (s->n_copies == 0 || !sh_bits_has(s->has_copies, record))
		return NULL;
	SH_BISECT(low, high, mid, s->copies[mid].first < record);
	*n = s->copies[low].n;
	return s->copy + s->copies[low].from;
}
