/* SPDX-License-Identifier: MIT */
/* Writes the records of shspan. */
#include "base/num.h"
#include "span.h"

enum { SHARE_CHARS = 12 };

static char *put_slice(char *p, struct sh_slice s)
{
	memcpy(p, s.p, s.n);
	p[s.n] = '\t';
	return p + s.n + 1;
}

static char *put_number(char *p, uint64_t n)
{
	p += sh_print_u64(p, n);
	*p = '\t';
	return p + 1;
}

/* Prints part / whole with four decimals, rounded, halves up. */
static char *put_share(char *p, uint64_t part, uint64_t whole)
{
	uint64_t share = whole ? (part * 20000 + whole) / (2 * whole) : 0;

	p += sh_print_u64(p, share / 10000);
	*p++ = '.';
	for (unsigned unit = 1000; unit; unit /= 10)
		*p++ = (char)('0' + share / unit % 10);
	return p;
}

static char *put_place(char *p, const struct sh_placed *placed, uint32_t from, uint32_t to)
{
	uint32_t start, end;

	sh_placed_bytes(placed, from, to, &start, &end);
	p = put_slice(p, placed->id);
	p = put_number(p, start);
	return put_number(p, end);
}

int span_put(struct sh_buf *out, const struct sh_placed *a, const struct sh_placed *b,
    const struct sh_span *span, struct sh_error *err)
{
	uint32_t n = span->to - span->from, m = span->end - span->at;
	char *p;

	if (sh_buf_reserve(out, a->id.n + b->id.n + 5 * SH_NUM_CHARS + SHARE_CHARS + 8, err) < 0)
		return -1;
	p = put_place(out->p + out->n, a, span->from, span->to);
	p = put_place(p, b, span->at, span->end);
	p = put_number(p, span->matched);
	p = put_share(p, span->matched, n > m ? n : m);
	*p++ = '\n';
	out->n = (size_t)(p - out->p);
	return 0;
}

int span_put_pair(struct sh_buf *out, struct sh_slice id1, struct sh_slice id2, uint32_t matched,
    const struct sh_coverage *c, size_t tokens1, size_t tokens2, struct sh_error *err)
{
	char *p;

	if (sh_buf_reserve(out, id1.n + id2.n + SH_NUM_CHARS + 2 * SHARE_CHARS + 5, err) < 0)
		return -1;
	p = put_slice(out->p + out->n, id1);
	p = put_slice(p, id2);
	p = put_number(p, matched);
	p = put_share(p, c->first, tokens1);
	*p++ = '\t';
	p = put_share(p, c->other, tokens2);
	*p++ = '\n';
	out->n = (size_t)(p - out->p);
	return 0;
}

int span_put_place(
    struct sh_buf *out, struct sh_slice id, const uint64_t *numbers, size_t n, struct sh_error *err)
{
	char *p;

	if (sh_buf_reserve(out, id.n + n * (SH_NUM_CHARS + 1) + 1, err) < 0)
		return -1;
	p = put_slice(out->p + out->n, id);
	for (size_t i = 0; i < n; i++)
		p = put_number(p, numbers[i]);
	p[-1] = '\n';
	out->n = (size_t)(p - out->p);
	return 0;
}
