#include "weight/doubles.h"

#include <string.h>

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

/* Returns 2^e (doubles.h) for a document. most: its heaviest weight. least: its lightest weight
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
	/* See doubles.h. */
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
