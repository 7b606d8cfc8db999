/* SPDX-License-Identifier: MIT */
#include "passage/coverage.h"

#include <stdlib.h>

#include "base/bits.h"

static int by_matched(const void *x, const void *y)
{
	const struct sh_span *a = x, *b = y;

	if (a->matched != b->matched)
		return a->matched > b->matched ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Returns the matched part of `fresh` tokens of a span whose side has n tokens. */
static uint32_t share(const struct sh_span *s, uint32_t fresh, uint32_t n)
{
	return (uint32_t)((uint64_t)s->matched * fresh / n);
}

int sh_coverage(struct sh_span *spans, size_t n, struct sh_buf *room, struct sh_coverage *out,
    struct sh_error *err)
{
	uint32_t first = 0, other = 0;
	uint64_t *set;
	size_t words;

	for (size_t i = 0; i < n; i++) {
		first = spans[i].to > first ? spans[i].to : first;
		other = spans[i].end > other ? spans[i].end : other;
	}
	words = sh_bits_words(first) + sh_bits_words(other);
	room->n = 0;
	if (sh_buf_reserve(room, words * sizeof *set, err) < 0)
		return -1;
	set = (uint64_t *)(void *)room->p;
	memset(set, 0, words * sizeof *set);
	*out = (struct sh_coverage){ 0, 0 };
	qsort(spans, n, sizeof *spans, by_matched);
	for (size_t i = 0; i < n; i++) {
		const struct sh_span *s = &spans[i];

		out->first += share(s, sh_bits_put_range(set, s->from, s->to), s->to - s->from);
		out->other += share(s, sh_bits_put_range(set + sh_bits_words(first), s->at, s->end),
		    s->end - s->at);
	}
	return 0;
}

uint64_t sh_coverage_wanted(size_t tokens)
{
	return tokens >= 20 ? 600000 : tokens >= 10 ? 800000 : 1000000;
}

int sh_span_is_significant(const struct sh_span *span, const struct sh_placed *query,
    struct sh_placer *placer, struct sh_error *err)
{
	size_t wanted =
	    span->matched < SH_CHANCE_DISTINCT_OF ? span->matched : SH_CHANCE_DISTINCT_OF;
	uint32_t start, end;
	size_t found;

	if (span->matched == span->to - span->from && span->matched == span->end - span->at &&
	    (span->matched >= SH_CHANCE_VERBATIM || span->matched == query->n))
		return 1;
	wanted = (wanted + 1) / 2;
	sh_placed_bytes(query, span->at, span->end, &start, &end);
	if (sh_placer_distinct(
		placer, sh_slice(query->text.p + start, end - start), wanted, &found, err) < 0)
		return -1;
	return found >= wanted;
}
