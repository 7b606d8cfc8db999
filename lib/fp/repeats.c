/* A loop from the last hash to the first writes the index of each hash to a slot of a table. Each
 * slot then holds the index of its first hash: the table need neither be cleared nor searched. A
 * later hash of a slot repeats the first hash, or differs and collides. The table is sparse, so few
 * hashes collide. Either all occurrences of a hash collide, or none. The collided hashes are
 * processed again with another key. Hashes that collide again are counted in a hash table
 * (fp/count.h).
 *
 * No step has a branch on the hashes: the processor would mispredict such a branch for half of all
 * words of a text. */
#include "fp/repeats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum {
	/* At most FEW collided hashes go to the hash table directly: another pass costs more than
	 * the hash table for so small a number. */
	FEW = 8,
	/* A table of 2^CACHED_BITS slots has 8 KiB. The first-level cache also holds the hashes and
	 * the three other arrays. */
	CACHED_BITS = 12,
};

/* ---- variants ------------------------------------------------------------------------ */

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_repeats_avx512.variant,
#endif
	&sh_repeats_plain.variant,
};

const struct sh_repeats_kernel *sh_repeats_kernel_at(unsigned i)
{
	return (const struct sh_repeats_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

static void compute_slots(
    const uint64_t *hash, size_t n, unsigned bits, uint64_t key, uint16_t *slot)
{
	for (size_t i = 0; i < n; i++)
		slot[i] = (uint16_t)((uint32_t)(hash[i] >> 32) * (uint32_t)key >> (32 - bits));
}

static size_t find_later(uint16_t *restrict slot, const uint16_t *restrict table, size_t n,
    uint16_t *restrict later, uint16_t *restrict first)
{
	size_t found = 0;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint16_t f = table[slot[i]];

		later[found] = (uint16_t)i;
		first[found] = f;
		found += f != i;
	}
	return found;
}

/* more[f]: later hashes so far that repeat hash f. */
static void count_repeats(const uint64_t *hash, size_t n, uint16_t *restrict later,
    uint16_t *restrict first, size_t n_later, uint16_t *restrict more,
    struct sh_repeats_found *found)
{
	size_t collided = 0, repeats = 0;
	uint16_t *repeated = later; /* overwrites only elements of later[] that were read */

	memset(more, 0, n * sizeof *more);
	for (size_t i = 0; i < n_later; i++) {
		uint16_t f = first[i], before = more[f];
		uint64_t h = hash[later[i]];
		bool same = hash[f] == h;

		found->collided[collided] = h;
		collided += !same;
		repeated[repeats] = f;
		repeats += same & (before == 0);
		more[f] = (uint16_t)(before + same);
	}
	for (size_t i = 0; i < repeats; i++) {
		found->hash[i] = hash[repeated[i]];
		found->count[i] = more[repeated[i]] + 1u;
	}
	found->n = repeats;
	found->n_collided = collided;
}

static void list_distinct(const uint64_t *hash, size_t n, uint16_t *restrict slot,
    const uint16_t *restrict table, uint16_t *restrict later, uint16_t *restrict first,
    struct sh_repeats_found *found)
{
	uint64_t *to = found->hash, *collided = found->collided;
	size_t firsts = 0, n_collided = 0;

	(void)later, (void)first;
	for (size_t i = 0; i < n; i++) {
		uint16_t f = table[slot[i]];
		uint64_t h = hash[i];

		to[firsts] = collided[n_collided] = h;
		firsts += f == i;
		n_collided += hash[f] != h;
	}
	found->n = firsts;
	found->n_collided = n_collided;
}

const struct sh_repeats_kernel sh_repeats_plain = { { "plain", SH_NEEDS_NOTHING }, compute_slots,
	find_later, count_repeats, list_distinct };

/* ---- all hashes of a document ---------------------------------------------------------- */

int sh_repeats_init(struct sh_repeats *r, struct sh_error *err)
{
	*r = (struct sh_repeats){ .kernel = sh_repeats_kernel_at(0) };
	return sh_hash_count_init(&r->collided, err);
}

void sh_repeats_free(struct sh_repeats *r)
{
	free(r->hash);
	free(r->count);
	free(r->work);
	sh_hash_count_free(&r->collided);
}

/* Returns log2 of the number of slots: at least 4 and less than 8 slots per hash, or 8 to 16 while
 * the table is small; at least 2^7 slots. */
static unsigned slot_bits(size_t n)
{
	/* The number of bits of 4 n - 1, at least 6. */
	unsigned bits = 64 - (unsigned)__builtin_clzll((4 * (uint64_t)n - (n > 0)) | 32);

	return bits + (bits < CACHED_BITS);
}

/* Appends the result for n <= SH_REPEATS_SHORT hashes. Writes the collided hashes to `collided`,
 * and returns the number of collided hashes. distinct: lists each hash once, without counts. */
static size_t find_short(struct sh_repeats *r, const uint64_t *hash, size_t n, bool distinct,
    uint64_t key, uint64_t *collided)
{
	unsigned bits = slot_bits(n);
	uint16_t *table = r->work, *slot = table + ((size_t)1 << bits);
	uint16_t *later = slot + n + SH_REPEATS_SLACK, *first = later + n + SH_REPEATS_SLACK;
	struct sh_repeats_found found = { r->hash + r->n, r->count + r->n, 0, collided, 0 };
	size_t n_later, i;

	r->kernel->slots(hash, n, bits, key, slot);
#pragma GCC unroll 4
	for (i = n; i-- > 0;)
		table[slot[i]] = (uint16_t)i;
	if (distinct) {
		r->kernel->once(hash, n, slot, table, later, first, &found);
	} else {
		n_later = r->kernel->later(slot, table, n, later, first);
		/* The slots are no longer needed: their array is the scratch memory. */
		r->kernel->count(hash, n, later, first, n_later, slot, &found);
	}
	r->n += found.n;
	return found.n_collided;
}

/* Depends on all 64 bits of a hash. The slots of compute_slots() depend on the upper 32 bits only,
 * because a vector multiplies more numbers of 32 bits than of 64 bits. */
static inline size_t long_slot(uint64_t hash, unsigned bits, uint64_t key)
{
	return (size_t)((hash ^ key) * key >> (64 - bits));
}

/* The same as find_short() for any number of hashes below 2^31, with indexes of 32 bits. Replaces
 * the result instead of appending to it. */
static size_t find_long(
    struct sh_repeats *r, const uint64_t *hash, size_t n, bool distinct, uint64_t *collided)
{
	unsigned bits = slot_bits(n);
	uint32_t *table = r->work, *more = table + ((size_t)1 << bits), *listed = more + n;
	uint64_t key = r->collided.key;
	size_t n_collided = 0, n_listed = 0, i;

	for (i = n; i-- > 0;)
		table[long_slot(hash[i], bits, key)] = (uint32_t)i;
	memset(more, 0, n * sizeof *more);
	for (i = 0; i < n; i++) {
		uint32_t f = table[long_slot(hash[i], bits, key)];
		bool later = f != i, same = hash[f] == hash[i];

		collided[n_collided] = hash[i];
		n_collided += later & !same;
		listed[n_listed] = f;
		n_listed += distinct ? !later : later & same & (more[f] == 0);
		more[f] += later & same;
	}
	for (i = 0; i < n_listed; i++) {
		r->hash[i] = hash[listed[i]];
		r->count[i] = more[listed[i]] + 1u;
	}
	r->n = n_listed;
	return n_collided;
}

/* Appends the result for n collided hashes. */
static int add_collided(
    struct sh_repeats *r, const uint64_t *collided, size_t n, bool distinct, struct sh_error *err)
{
	const struct sh_hash_count *d = &r->collided;

	if (n == 0)
		return 0;
	if (sh_hash_count(&r->collided, collided, n, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		r->hash[r->n] = d->hash[i];
		r->count[r->n] = d->count[i];
		r->n += distinct || d->count[i] > 1;
	}
	return 0;
}

/* Reserves scratch memory, and memory in r->hash for the result, the collided hashes and the
 * hashes that collide again. */
static int reserve(struct sh_repeats *r, size_t n, struct sh_error *err)
{
	size_t all = n + SH_REPEATS_SLACK, slots = (size_t)1 << slot_bits(n);
	size_t work = n <= SH_REPEATS_SHORT ? (slots + 3 * all) * sizeof(uint16_t)
					    : (slots + 2 * all) * sizeof(uint32_t);

	if (sh_reserve(&r->work, &r->work_cap, work, 1, err) < 0 ||
	    SH_RESERVE(r->hash, r->hash_cap, 3 * all, err) < 0 ||
	    SH_RESERVE(r->count, r->count_cap, all, err) < 0)
		return -1;
	return 0;
}

static int find(
    struct sh_repeats *r, const uint64_t *hash, size_t n, bool distinct, struct sh_error *err)
{
	/* Both keys are random and odd. Slots for one key say nothing about slots for the other. */
	const uint64_t key = r->collided.key, other_key = key * key * key | 1;
	uint64_t *collided, *again;
	size_t left;

	if (reserve(r, n, err) < 0)
		return -1;
	collided = r->hash + n + SH_REPEATS_SLACK;
	again = collided + n + SH_REPEATS_SLACK;
	r->n = 0;
	if (n > SH_REPEATS_SHORT)
		return add_collided(
		    r, collided, find_long(r, hash, n, distinct, collided), distinct, err);
	left = find_short(r, hash, n, distinct, key, collided);
	if (left <= FEW)
		return add_collided(r, collided, left, distinct, err);
	left = find_short(r, collided, left, distinct, other_key, again);
	return add_collided(r, again, left, distinct, err);
}

int sh_repeats_find(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err)
{
	return find(r, hash, n, false, err);
}

int sh_repeats_once(struct sh_repeats *r, const uint64_t *hash, size_t n, struct sh_error *err)
{
	return find(r, hash, n, true, err);
}
