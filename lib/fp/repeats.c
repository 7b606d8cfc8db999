/* Every hash writes its index into its slot of a table, from the last to the first: then
 * each slot holds the first one of those that share it, its owner. Nothing had to be
 * cleared or looked up. Whoever is not the owner of its slot is a repetition of it, or a
 * stray: another hash of the same slot. Strays, few in a sparse table, are counted in a
 * table of the usual kind: all occurrences of such a hash are strays.
 *
 * No step has a branch that depends on the hashes, which half of all words would
 * mispredict. Indexes are 16 bits wide while they fit, to stay in the first-level cache. */
#include "fp/repeats.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"

/* So many hashes have at most 2^16 slots. */
enum { SHORT_MAX = 1 << 14 };

int sh_repeats_init(struct sh_repeats *r, struct sh_error *err)
{
	*r = (struct sh_repeats){ 0 };
	return sh_hash_count_init(&r->strays, err);
}

void sh_repeats_free(struct sh_repeats *r)
{
	free(r->hash);
	free(r->count);
	free(r->work);
	sh_hash_count_free(&r->strays);
}

/* Four to eight slots a hash. */
static unsigned slot_bits(size_t n)
{
	unsigned bits = 6;

	while ((size_t)1 << bits < 4 * n)
		bits++;
	return bits;
}

#define INDEX   uint16_t
#define NAME(f) f##_short
#include "fp/repeats_body.h"

#define INDEX   uint32_t
#define NAME(f) f##_long
#include "fp/repeats_body.h"

/* Those of the strays that stand more than once. */
static int add_strays(struct sh_repeats *r, const uint64_t *stray, size_t n, struct sh_error *err)
{
	const struct sh_hash_count *d = &r->strays;

	if (n == 0)
		return 0;
	if (sh_hash_count(&r->strays, stray, n, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		r->hash[r->n] = d->hash[i];
		r->count[r->n] = d->count[i];
		r->n += d->count[i] > 1;
	}
	return 0;
}

int sh_repeats_find(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err)
{
	unsigned bits = slot_bits(n);
	size_t width = n <= SHORT_MAX ? sizeof(uint16_t) : sizeof(uint32_t);
	size_t work = (((size_t)1 << bits) + 4 * n + 4) * width, strays;

	if (work > r->work_cap && sh_grow(&r->work, &r->work_cap, work, 1, err) < 0)
		return -1;
	if (2 * n + 2 > r->hash_cap &&
	    sh_grow((void **)&r->hash, &r->hash_cap, 2 * n + 2, sizeof *r->hash, err) < 0)
		return -1;
	if (n + 1 > r->count_cap &&
	    sh_grow((void **)&r->count, &r->count_cap, n + 1, sizeof *r->count, err) < 0)
		return -1;
	strays = width == sizeof(uint16_t) ? find_short(r, hash, n, bits, r->hash + n + 1)
					   : find_long(r, hash, n, bits, r->hash + n + 1);
	return add_strays(r, r->hash + n + 1, strays, err);
}
