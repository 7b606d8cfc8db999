/* Looks many keys up in one segment. */
#include "archive/keys.h"
#include "archive/segment.h"

#include <limits.h>

enum { FETCH = 512 };

#define BAND_KEYS (UINT64_C(1) << SH_KEY_HASH_BITS) /* number of keys of a band */

struct look {
	struct sh_segment *s;
	size_t n;
	struct sh_error *err;
};

/* Returns whether the key of record i is less than key; -1 on failure. */
static int below(const struct look *l, size_t i, uint64_t key)
{
	uint64_t got;
	uint32_t number;

	if (sh_segment_key(l->s, i, &got, &number, l->err) < 0)
		return -1;
	return got < key;
}

/* Moves *lo to the first record whose key is not less than key. The keys of all records before *lo
 * are less; the key of record hi is not. */
static int bisect(const struct look *l, size_t *lo, size_t hi, uint64_t key)
{
	while (*lo < hi) {
		size_t mid = *lo + (hi - *lo) / 2;
		int b = below(l, mid, key);

		if (b < 0)
			return -1;
		if (b)
			*lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/* As bisect() with hi = l->n: searches upwards in steps that double. */
static int stride_up(const struct look *l, size_t *lo, uint64_t key)
{
	for (size_t step = 1; *lo < l->n; step *= 2) {
		size_t next = *lo + step - 1 < l->n ? *lo + step - 1 : l->n - 1;
		int b = below(l, next, key);

		if (b < 0)
			return -1;
		if (!b)
			return bisect(l, lo, next, key);
		*lo = next + 1;
	}
	return 0;
}

/* As bisect(): searches downwards from record hi in steps that double. */
static int stride_down(const struct look *l, size_t *lo, size_t hi, uint64_t key)
{
	for (size_t step = 1; hi > *lo; step *= 2) {
		size_t next = hi - *lo > step ? hi - step : *lo;
		int b = below(l, next, key);

		if (b < 0)
			return -1;
		if (b) {
			*lo = next + 1;
			break;
		}
		hi = next;
	}
	return bisect(l, lo, hi, key);
}

/* As bisect() with hi = l->n: searches from record `guess` on, in both directions. */
static int gallop(const struct look *l, size_t *lo, size_t guess, uint64_t key)
{
	int b;

	if (*lo >= l->n)
		return 0;
	if (guess >= l->n)
		guess = l->n - 1;
	if (guess < *lo)
		guess = *lo;
	b = below(l, guess, key);
	if (b < 0)
		return -1;
	if (!b)
		return stride_down(l, lo, guess, key);
	*lo = guess + 1;
	return stride_up(l, lo, key);
}

/* The position of the previous key. Keys of a band are distributed evenly, so the position of the
 * next key can be estimated. */
struct place {
	unsigned band;
	uint64_t key;   /* the previous key */
	size_t at, end; /* first record whose key is not less; end of the band */
};

static int enter_band(const struct look *l, struct place *p, uint64_t key)
{
	size_t end;

	p->band = sh_key_band(key);
	p->key = (uint64_t)p->band << SH_KEY_HASH_BITS;
	if (bisect(l, &p->at, l->n, p->key) < 0)
		return -1;
	end = p->at;
	if (gallop(l, &end, end, p->key + BAND_KEYS) < 0)
		return -1;
	p->end = end;
	return 0;
}

static size_t guess(const struct place *p, uint64_t key)
{
	double span = (double)(BAND_KEYS - p->key % BAND_KEYS);

	return p->at + (size_t)((double)(p->end - p->at) * (double)(key - p->key) / span);
}

/* Asks the kernel to read the blocks for the next keys of this band at once. Returns the number of
 * these keys. */
static size_t fetch(const struct look *l, const struct place *p, const uint64_t *key, size_t n)
{
	size_t at[FETCH], k = 0;

	for (; k < n && k < FETCH && sh_key_band(key[k]) == p->band; k++)
		at[k] = guess(p, key[k]) * SH_KEY_LINE;
	sh_folder_fetch(&l->s->part[SH_PART_KEY].map, at, k);
	return k;
}

static int pass_found(
    const struct look *l, size_t at, uint64_t key, size_t asked, sh_key_found *found, void *arg)
{
	for (; at < l->n; at++) {
		uint64_t got;
		uint32_t number;

		if (sh_segment_key(l->s, at, &got, &number, l->err) < 0)
			return -1;
		if (got != key)
			return 0;
		if (found(arg, asked, number, l->err) < 0)
			return -1;
	}
	return 0;
}

int sh_segment_look(struct sh_segment *s, const uint64_t *key, size_t n, sh_key_found *found,
    void *arg, struct sh_error *err)
{
	struct look l = { s, sh_segment_keys(s), err };
	struct place p = { .band = UINT_MAX };
	size_t fetched = 0;

	for (size_t i = 0; i < n; i++) {
		if (sh_key_band(key[i]) != p.band) {
			if (enter_band(&l, &p, key[i]) < 0)
				return -1;
			fetched = i;
		}
		if (i == fetched)
			fetched = i + fetch(&l, &p, key + i, n - i);
		if (gallop(&l, &p.at, guess(&p, key[i]), key[i]) < 0)
			return -1;
		p.key = key[i];
		if (pass_found(&l, p.at, key[i], i, found, arg) < 0)
			return -1;
	}
	return 0;
}
