#include "archive/sketch.h"

#include <stdlib.h>

#include "base/num.h"

static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Returns the number of low bits of a difference that are plain, not unary: at most 31. n >= 1
 * numbers of 32 bits have differences of about 2^32 / n, so that the unary part is short. */
static unsigned plain_bits(size_t n)
{
	unsigned log = 63 - (unsigned)__builtin_clzll(n);

	return log < 31 ? 31 - log : 0;
}

/* ---- printing ---- */

enum { WRITTEN = 24 }; /* put() writes 24 bits at once, as four digits */

struct bits {
	uint64_t word; /* its low n bits are not written yet */
	unsigned n;
	char *to;
};

/* Writes count bits, at most 64 - WRITTEN. The caller has reserved the room. */
static void put(struct bits *b, uint64_t value, unsigned count)
{
	b->word = b->word << count | value;
	for (b->n += count; b->n >= WRITTEN; b->n -= WRITTEN) {
		uint64_t four = b->word >> (b->n - WRITTEN);

		b->to[0] = digit[four >> 18 & 63];
		b->to[1] = digit[four >> 12 & 63];
		b->to[2] = digit[four >> 6 & 63];
		b->to[3] = digit[four & 63];
		b->to += 4;
	}
}

/* Writes the last digits; the unused bits of the last one are 0. */
static void end_bits(struct bits *b)
{
	for (; b->n; b->n = b->n > 6 ? b->n - 6 : 0)
		*b->to++ = digit[(b->n >= 6 ? b->word >> (b->n - 6) : b->word << (6 - b->n)) & 63];
}

/* Writes x >> plain in unary, as ones and a 0, and then the low bits. put() takes 40 bits: 8 ones,
 * the 0, and 31 low bits. */
static void put_difference(struct bits *b, uint64_t x, unsigned plain)
{
	uint64_t q = x >> plain, rest = x & ((UINT64_C(1) << plain) - 1);

	for (; q > 8; q--)
		put(b, 1, 1);
	put(b, ((UINT64_C(2) << q) - 2) << plain | rest, (unsigned)q + 1 + plain);
}

int sh_sketch_print(const uint64_t *hash, size_t n, struct sh_buf *out, struct sh_error *err)
{
	unsigned plain = n ? plain_bits(n) : 0;
	/* A difference has `plain` low bits, a 0, and ones. The ones of all differences are at most
	 * 2^32 >> plain, which is less than 4 n. 32 more bits are room for the last digits. */
	size_t most = SH_NUM_CHARS + 2 + (n * (plain + 5) + 32) / 6;
	struct bits b = { 0 };
	uint64_t last = 0;

	if (sh_buf_reserve(out, most, err) < 0)
		return -1;
	out->n += sh_print_u64(out->p + out->n, n);
	out->p[out->n++] = '\t';
	b.to = out->p + out->n;
	for (size_t i = 0; i < n; i++) {
		uint64_t h = hash[i] >> 32;

		put_difference(&b, h - last, plain);
		last = h;
	}
	end_bits(&b);
	out->n = (size_t)(b.to - out->p);
	return 0;
}

/* Returns the number of bits of the numbers 0 .. n - 1. */
static unsigned place_bits(size_t n)
{
	return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

/* Sorts the first 32 bits of the tokens, each with its place in the text in the other bits. Then
 * sets s->hash to the distinct ones, and s->count, by place in the text, to the place among
 * these. Returns the number of distinct ones. */
static size_t find_places(struct sh_hashes *s, const uint64_t *token, size_t n)
{
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++)
		s->hash[i] = (token[i] & ~(uint64_t)UINT32_MAX) | i;
	sh_hashes_sort(s, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t h = s->hash[i];

		distinct += i == 0 || h >> 32 != s->hash[distinct - 1] >> 32;
		s->hash[distinct - 1] = h & ~(uint64_t)UINT32_MAX;
		s->count[(uint32_t)h] = (uint32_t)(distinct - 1);
	}
	return distinct;
}

int sh_sequence_print(const uint64_t *token, size_t n, struct sh_hashes *scratch,
    struct sh_buf *out, struct sh_error *err)
{
	struct bits b = { 0 };
	size_t distinct;
	unsigned width;

	if (sh_hashes_reserve(scratch, n, err) < 0)
		return -1;
	distinct = find_places(scratch, token, n);
	width = place_bits(distinct);
	if (sh_sketch_print(scratch->hash, distinct, out, err) < 0 ||
	    sh_buf_reserve(out, SH_NUM_CHARS + 3 + (n * width) / 6, err) < 0)
		return -1;
	out->p[out->n++] = '\t';
	out->n += sh_print_u64(out->p + out->n, n);
	out->p[out->n++] = '\t';
	b.to = out->p + out->n;
	for (size_t i = 0; i < n; i++)
		put(&b, scratch->count[i], width);
	end_bits(&b);
	out->n = (size_t)(b.to - out->p);
	return 0;
}

/* ---- parsing ---- */

struct reader {
	unsigned char value[256]; /* of a digit; 64 for any other byte */
	const unsigned char *p, *end;
	uint64_t word; /* its high n bits are not read yet; the other bits are 0 */
	unsigned n;
};

/* Begins to read the digits p .. end-1. */
static void start(struct reader *r, const char *p, const char *end)
{
	memset(r->value, 64, sizeof r->value);
	for (unsigned char i = 0; i < 64; i++)
		r->value[(unsigned char)digit[i]] = i;
	r->p = (const unsigned char *)p;
	r->end = (const unsigned char *)end;
	r->word = 0;
	r->n = 0;
}

/* Reads digits while the word has room for 6 bits. */
static void fill(struct reader *r)
{
	while (r->n <= 58 && r->p < r->end && r->value[*r->p] < 64) {
		r->word |= (uint64_t)r->value[*r->p++] << (58 - r->n);
		r->n += 6;
	}
}

/* Reads the unary part, then the plain part. Returns -1 when the digits end before. */
static int read_difference(struct reader *r, unsigned plain, uint64_t *x)
{
	uint64_t q = 0;
	unsigned ones;

	for (;;) {
		/* Most differences have at most 33 bits: one call reads their digits. */
		if (r->n < 33)
			fill(r);
		ones = ~r->word ? (unsigned)__builtin_clzll(~r->word) : 64;
		if (ones < r->n)
			break;
		/* The unary part continues behind the word. */
		if (r->n == 0 || r->p == r->end)
			return -1;
		q += r->n;
		r->word = 0;
		r->n = 0;
	}
	q += ones;
	r->word <<= ones;
	r->word <<= 1;
	r->n -= ones + 1;
	if (r->n < plain)
		fill(r);
	if (r->n < plain)
		return -1;
	*x = plain ? q << plain | r->word >> (64 - plain) : q;
	r->word <<= plain;
	r->n -= plain;
	return 0;
}

static int bad(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "a sketch of the archive is bad: restore the archive from a backup");
}

int sh_sketch_reserve(struct sh_sketch *s, size_t n, struct sh_error *err)
{
	s->n = 0;
	return SH_RESERVE(s->hash, s->cap, n, err);
}

int sh_sketch_parse(struct sh_slice text, struct sh_sketch *s, struct sh_error *err)
{
	const char *tab = text.n ? memchr(text.p, '\t', text.n) : NULL;
	struct reader r;
	uint64_t n, last = 0, x;
	unsigned plain;

	if (!tab || sh_parse_u64(sh_slice(text.p, (size_t)(tab - text.p)), &n) < 0)
		return bad(err);
	start(&r, tab + 1, text.p + text.n);
	/* Each feature has at least one bit. */
	if (n > (uint64_t)(r.end - r.p) * 6)
		return bad(err);
	if (sh_sketch_reserve(s, (size_t)n, err) < 0)
		return -1;
	plain = n ? plain_bits((size_t)n) : 0;
	for (; s->n < n; s->n++) {
		if (read_difference(&r, plain, &x) < 0 || x > UINT32_MAX - last)
			return bad(err);
		last += x;
		s->hash[s->n] = last << 32;
	}
	/* The unused bits of the last digit must be 0. */
	return r.p == r.end && r.n < 6 && r.word == 0 ? 0 : bad(err);
}

/* Reads a number of `width` bits, at most 32. */
static int read_plain(struct reader *r, unsigned width, uint64_t *x)
{
	if (r->n < width)
		fill(r);
	if (r->n < width)
		return -1;
	*x = width ? r->word >> (64 - width) : 0;
	r->word <<= width;
	r->n -= width;
	return 0;
}

/* Reads the places of a sequence: count TAB digits. */
static int parse_places(struct sh_slice text, const struct sh_sketch *distinct,
    struct sh_sketch *all, struct sh_error *err)
{
	const char *tab = text.n ? memchr(text.p, '\t', text.n) : NULL;
	unsigned width = place_bits(distinct->n);
	struct reader r;
	uint64_t n, place;

	if (!tab || sh_parse_u64(sh_slice(text.p, (size_t)(tab - text.p)), &n) < 0)
		return bad(err);
	start(&r, tab + 1, text.p + text.n);
	if (n > INT32_MAX || n < distinct->n || n * width > (uint64_t)(r.end - r.p) * 6)
		return bad(err);
	if (sh_sketch_reserve(all, (size_t)n, err) < 0)
		return -1;
	for (; all->n < n; all->n++) {
		if (read_plain(&r, width, &place) < 0 || place >= distinct->n)
			return bad(err);
		all->hash[all->n] = distinct->hash[place];
	}
	return r.p == r.end && r.n < 6 && r.word == 0 ? 0 : bad(err);
}

int sh_sequence_parse(
    struct sh_slice text, struct sh_sketch *distinct, struct sh_sketch *all, struct sh_error *err)
{
	const char *end = text.p + text.n, *tab = text.n ? memchr(text.p, '\t', text.n) : NULL;

	tab = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
	if (!tab)
		return bad(err);
	if (sh_sketch_parse(sh_slice(text.p, (size_t)(tab - text.p)), distinct, err) < 0)
		return -1;
	for (size_t i = 1; i < distinct->n; i++)
		if (distinct->hash[i] == distinct->hash[i - 1])
			return bad(err);
	return parse_places(sh_slice(tab + 1, (size_t)(end - tab - 1)), distinct, all, err);
}

void sh_sketch_free(struct sh_sketch *s)
{
	free(s->hash);
	*s = (struct sh_sketch){ 0 };
}
