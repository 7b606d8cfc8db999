/* SPDX-License-Identifier: MIT */
/* yanyiwu: simhash of the cppjieba project. The words of cppjieba.c, the heaviest of them, lookup3,
 * and sums of doubles. */
#include <string.h>

#include "base/bytes.h"
#include "published/rules.h"
#include "published/sums.h"

static uint32_t rot(uint32_t x, int k)
{
	return x << k | x >> (32 - k);
}

static void mix(uint32_t s[3])
{
	static const int by[] = { 4, 6, 8, 16, 19, 4 };

	/* Six steps. The variables rotate after each step. */
	for (unsigned i = 0; i < 6; i++) {
		uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];

		*a -= *c;
		*a ^= rot(*c, by[i]);
		*c += *b;
	}
}

static void final(uint32_t s[3])
{
	static const int by[] = { 14, 11, 25, 16, 4, 14, 24 };

	for (unsigned i = 0; i < 7; i++) {
		uint32_t *to = &s[(i + 2) % 3], from = s[(i + 1) % 3];

		*to ^= from;
		*to -= rot(from, by[i]);
	}
}

uint64_t sh_jenkins(struct sh_slice text, uint64_t seed)
{
	uint32_t start = 0xdeadbeef + (uint32_t)text.n + (uint32_t)(seed >> 32);
	uint32_t s[3] = { start, start, start + (uint32_t)seed };
	unsigned char last[12] = { 0 };
	const char *p = text.p;
	size_t n = text.n;

	for (; n > 12; n -= 12, p += 12) {
		for (unsigned i = 0; i < 3; i++)
			s[i] += sh_le32(p + 4 * i);
		mix(s);
	}
	if (n > 0) {
		memcpy(last, p, n);
		for (unsigned i = 0; i < 3; i++)
			s[i] += sh_le32(last + 4 * i);
		final(s);
	}
	return (uint64_t)s[2] << 32 | s[1];
}

void sh_hash_jenkins(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	(void)words;
	*out = sh_jenkins(text, seed);
}

/* ---- the heaviest words ---- */

/* Puts x into the hole at `at` of a heap of n elements whose root is the lightest. The hole first
 * sinks to the bottom, each time to the lighter child; of equal children, to the right one. Then x
 * rises, at most to `at`. */
static void sift(struct sh_heavy *heap, size_t at, size_t n, struct sh_heavy x)
{
	size_t hole = at, child;

	while ((child = 2 * hole + 2) < n) {
		if (heap[child].weight > heap[child - 1].weight)
			child--;
		heap[hole] = heap[child];
		hole = child;
	}
	if (child == n) {
		heap[hole] = heap[n - 1];
		hole = n - 1;
	}
	while (hole > at && heap[(hole - 1) / 2].weight > x.weight) {
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = x;
}

/* Makes a heap of the first n. Each heavier feature after them replaces the
 * root. Then sorts the heap. */
size_t sh_top_heap(struct sh_heavy *f, size_t all, size_t n)
{
	if (n > all)
		n = all;
	if (n == 0)
		return 0;
	for (size_t i = n / 2; i-- > 0;)
		sift(f, i, n, f[i]);
	for (size_t i = n; i < all; i++) {
		struct sh_heavy x = f[i];

		if (x.weight > f[0].weight) {
			f[i] = f[0];
			sift(f, 0, n, x);
		}
	}
	/* Move the lightest to the end, one after the other. */
	for (size_t left = n; left > 1;) {
		struct sh_heavy x = f[--left];

		f[left] = f[0];
		sift(f, 0, left, x);
	}
	return n;
}

/* ---- weights and sums ---- */

int64_t sh_double_key(double x)
{
	int64_t key;

	memcpy(&key, &x, sizeof key);
	return key;
}

/* Returns the double of a key. */
static double of_key(int64_t key)
{
	double x;

	memcpy(&x, &key, sizeof x);
	return x;
}

/* Returns 2^e (sums.h) for a document. most: its heaviest weight. least: its lightest weight
 * above 0. From 2^52 on, a double is a whole number, and no bit is lost. The scale doubles only
 * below 2^62, so that the heaviest weight stays below 2^63. */
static double scale_of(double most, double least)
{
	double scale = 0x1p50;

	while (most * scale >= 0x1p63)
		scale /= 2;
	while (least * scale < 0x1p52 && most * scale < 0x1p62)
		scale *= 2;
	return scale;
}

/* Rounds x < 2^63 to the nearest whole number, halves up. From 2^52 on, x is a whole number. */
static int64_t nearest(double x)
{
	int64_t n = (int64_t)x;

	return n + (x < 0x1p52 && x - (double)n >= 0.5);
}

void sh_doubles_write(struct sh_heavy *f, size_t n)
{
	double most = 0, least = 0, scale;

	for (size_t i = 0; i < n; i++) {
		double x = of_key(f[i].weight);

		most = x > most ? x : most;
		least = x > 0 && (x < least || least == 0) ? x : least;
	}
	scale = most > 0 ? scale_of(most, least) : 0;
	for (size_t i = 0; i < n; i++)
		f[i].weight = nearest(of_key(f[i].weight) * scale);
}

void sh_doubles_add(struct sh_doubles *d, uint64_t hash, int64_t millionths)
{
	double scaled = (double)millionths, decimal = scaled / 1e6;

	for (unsigned b = 0; b < 64; b++) {
		bool has = hash >> (63 - b) & 1;

		d->decimal[b] += has ? decimal : -decimal;
		d->scaled[b] += has ? scaled : -scaled;
	}
	/* See sums.h. */
	d->is_scaled = d->is_scaled || millionths >= INT64_C(1) << 46;
	d->n++;
}

uint64_t sh_doubles_finish(const struct sh_doubles *d)
{
	const double *sum = d->is_scaled ? d->scaled : d->decimal;
	uint64_t word = 0;

	for (unsigned b = 0; b < 64; b++)
		word = word << 1 | (sum[b] > 0);
	return word;
}
