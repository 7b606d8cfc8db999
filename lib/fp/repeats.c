/* Every hash writes its index into its slot of a table, from the last to the first: then
 * each slot holds the first one of those that share it, its owner. Nothing had to be
 * cleared or looked up. Whoever is not the owner of its slot is a repetition of it, or a
 * stray: another hash of the same slot. All occurrences of a stray hash are strays: few in
 * a sparse table, they go the same way once more, with another key, and what strays
 * then is counted in a table of the usual kind.
 *
 * No step has a branch that depends on the hashes, which half of all words would
 * mispredict. Indexes are 16 bits wide while they fit, to stay in the first-level cache. */
#include "fp/repeats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* So few strays are counted at once. Up to 2^ROOMY slots take no room that others need. */
enum { FEW = 8, ROOMY = 12 };

/* ---- rows of variants ---------------------------------------------------------------- */

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_repeats_avx512.variant,
	&sh_repeats_avx2.variant,
#endif
	&sh_repeats_plain.variant,
};

const struct sh_repeats_kernel *sh_repeats_kernel_at(unsigned i)
{
	return (const struct sh_repeats_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

static inline uint64_t slot_of(uint64_t hash, unsigned bits, uint64_t key)
{
	return (hash ^ key) * key >> (64 - bits);
}

static void slots(const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot)
{
	for (size_t i = 0; i < n; i++)
		slot[i] = (uint16_t)slot_of(hash[i], bits, key);
}

static size_t guests_of(uint16_t *restrict slot, const uint16_t *restrict owner, size_t n,
    uint16_t *restrict guest, uint16_t *restrict host)
{
	size_t guests = 0;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint16_t first = owner[slot[i]];

		guest[guests] = (uint16_t)i;
		host[guests] = first;
		guests += first != i;
	}
	return guests;
}

static void count(const uint64_t *hash, size_t n, uint16_t *restrict guest, uint16_t *restrict host,
    size_t guests, uint16_t *restrict more, struct sh_repeats_found *found)
{
	size_t strays = 0, repeats = 0;
	uint16_t *repeated = guest; /* what was read of it is written over */

	memset(more, 0, n * sizeof *more);
	for (size_t i = 0; i < guests; i++) {
		uint16_t first = host[i], before = more[first];
		uint64_t h = hash[guest[i]];
		bool same = hash[first] == h;

		found->stray[strays] = h;
		strays += !same;
		repeated[repeats] = first;
		repeats += same & (before == 0);
		more[first] = (uint16_t)(before + same);
	}
	for (size_t i = 0; i < repeats; i++) {
		found->hash[i] = hash[repeated[i]];
		found->count[i] = more[repeated[i]] + 1u;
	}
	found->n = repeats;
	found->strays = strays;
}

static void once(const uint64_t *hash, size_t n, uint16_t *restrict slot,
    const uint16_t *restrict owner, uint16_t *restrict guest, uint16_t *restrict host,
    struct sh_repeats_found *found)
{
	uint64_t *to = found->hash, *stray = found->stray;
	size_t owners = 0, strays = 0;

	(void)guest, (void)host;
	for (size_t i = 0; i < n; i++) {
		uint16_t first = owner[slot[i]];
		uint64_t h = hash[i];

		to[owners] = stray[strays] = h;
		owners += first == i;
		strays += hash[first] != h;
	}
	found->n = owners;
	found->strays = strays;
}

const struct sh_repeats_kernel sh_repeats_plain = { { "plain", SH_NEEDS_NOTHING }, slots, guests_of,
	count, once };

/* ---- the whole ------------------------------------------------------------------------ */

int sh_repeats_init(struct sh_repeats *r, struct sh_error *err)
{
	*r = (struct sh_repeats){ .kernel = sh_repeats_kernel_at(0) };
	return sh_hash_count_init(&r->strays, err);
}

void sh_repeats_free(struct sh_repeats *r)
{
	free(r->hash);
	free(r->count);
	free(r->work);
	sh_hash_count_free(&r->strays);
}

/* Four to eight slots a hash; twice that while the table stays small. */
static unsigned slot_bits(size_t n)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll((4 * (uint64_t)n - (n > 0)) | 32);

	return bits + (bits < ROOMY);
}

/* Append what is found to what is there; the strays go to `stray`: their number. */
static size_t find_short(
    struct sh_repeats *r, const uint64_t *hash, size_t n, bool once, uint64_t key, uint64_t *stray)
{
	unsigned bits = slot_bits(n);
	uint16_t *owner = r->work, *slot = owner + ((size_t)1 << bits);
	uint16_t *guest = slot + n + SH_REPEATS_SLACK, *host = guest + n + SH_REPEATS_SLACK;
	struct sh_repeats_found found = { r->hash + r->n, r->count + r->n, 0, stray, 0 };
	size_t guests, i;

	r->kernel->slots(hash, n, bits, key, slot);
#pragma GCC unroll 4
	for (i = n; i-- > 0;)
		owner[slot[i]] = (uint16_t)i;
	if (once) {
		r->kernel->once(hash, n, slot, owner, guest, host, &found);
	} else {
		guests = r->kernel->guests(slot, owner, n, guest, host);
		r->kernel->count(hash, n, guest, host, guests, slot, &found);
	}
	r->n += found.n;
	return found.strays;
}

/* The same for more hashes than 16 bits can number. */
static size_t find_long(
    struct sh_repeats *r, const uint64_t *hash, size_t n, bool once, uint64_t *stray)
{
	unsigned bits = slot_bits(n);
	uint32_t *owner = r->work, *more = owner + ((size_t)1 << bits), *repeated = more + n;
	uint64_t key = r->strays.key;
	size_t strays = 0, repeats = 0, i;

	for (i = n; i-- > 0;)
		owner[slot_of(hash[i], bits, key)] = (uint32_t)i;
	memset(more, 0, n * sizeof *more);
	for (i = 0; i < n; i++) {
		uint32_t first = owner[slot_of(hash[i], bits, key)];
		bool guest = first != i, same = hash[first] == hash[i];

		stray[strays] = hash[i];
		strays += guest & !same;
		repeated[repeats] = first;
		repeats += once ? !guest : guest & same & (more[first] == 0);
		more[first] += guest & same;
	}
	for (i = 0; i < repeats; i++) {
		r->hash[i] = hash[repeated[i]];
		r->count[i] = more[repeated[i]] + 1u;
	}
	r->n = repeats;
	return strays;
}

/* Those of the strays that stand more than once, or each once. */
static int add_strays(
    struct sh_repeats *r, const uint64_t *stray, size_t n, bool once, struct sh_error *err)
{
	const struct sh_hash_count *d = &r->strays;

	if (n == 0)
		return 0;
	if (sh_hash_count(&r->strays, stray, n, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		r->hash[r->n] = d->hash[i];
		r->count[r->n] = d->count[i];
		r->n += once || d->count[i] > 1;
	}
	return 0;
}

/* Room for what is found, strays, and strays of strays. */
static int reserve(struct sh_repeats *r, size_t n, struct sh_error *err)
{
	size_t all = n + SH_REPEATS_SLACK, slots = (size_t)1 << slot_bits(n);
	size_t work = n <= SH_REPEATS_SHORT ? (slots + 3 * all) * sizeof(uint16_t)
					    : (slots + 2 * all) * sizeof(uint32_t);

	if (work > r->work_cap && sh_grow(&r->work, &r->work_cap, work, 1, err) < 0)
		return -1;
	if (3 * all > r->hash_cap &&
	    sh_grow((void **)&r->hash, &r->hash_cap, 3 * all, sizeof *r->hash, err) < 0)
		return -1;
	if (all > r->count_cap &&
	    sh_grow((void **)&r->count, &r->count_cap, all, sizeof *r->count, err) < 0)
		return -1;
	return 0;
}

static int find(
    struct sh_repeats *r, const uint64_t *hash, size_t n, bool once, struct sh_error *err)
{
	const uint64_t key = r->strays.key, other = key * key * key | 1;
	uint64_t *stray, *again;
	size_t strays;

	if (reserve(r, n, err) < 0)
		return -1;
	stray = r->hash + n + SH_REPEATS_SLACK;
	again = stray + n + SH_REPEATS_SLACK;
	r->n = 0;
	if (n > SH_REPEATS_SHORT)
		return add_strays(r, stray, find_long(r, hash, n, once, stray), once, err);
	strays = find_short(r, hash, n, once, key, stray);
	if (strays <= FEW)
		return add_strays(r, stray, strays, once, err);
	return add_strays(r, again, find_short(r, stray, strays, once, other, again), once, err);
}

int sh_repeats_find(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err)
{
	return find(r, hash, n, false, err);
}

int sh_repeats_once(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err)
{
	return find(r, hash, n, true, err);
}
