/* Orders fingerprints by the bits of a block, with a radix sort.
 *
 * A side of a join holds two parallel arrays: one word of each fingerprint, and the number of the
 * fingerprint in the caller's array. Any range can be ordered by a key, some bits of that word.
 * Both arrays are readable SH_SCAN_TILE elements beyond the end. */
#ifndef SH_JOIN_ORDER_H
#define SH_JOIN_ORDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SH_SIDE_CACHED = 1 << 17 }; /* elements that a processor's cache holds */

struct sh_side {
	const uint64_t *fp; /* the caller's fingerprints; borrowed */
	unsigned words;     /* in a fingerprint */
	unsigned loaded;    /* index of the word that `word` holds of each fingerprint */
	uint32_t n;         /* elements */
	size_t cap;
	uint64_t *word;
	uint32_t *id; /* index of the fingerprint in fp */
};

/* Reserves n elements, and SH_SCAN_TILE more. Does not set s->n. When memory grows, the elements
 * are lost. */
int sh_side_reserve(struct sh_side *s, size_t n, struct sh_error *err);
void sh_side_free(struct sh_side *s);
/* Loads fingerprints 0 .. s->n-1 in the caller's order, with the given word of each. */
void sh_side_load(struct sh_side *s, unsigned word);
/* Replaces the words of lo .. lo+n-1 by another word of the same fingerprints. Leaves `loaded`
 * as it is. */
void sh_side_fetch(struct sh_side *s, uint32_t lo, uint32_t n, unsigned word);

/* Gathers the bits of a mask into one number, the key. */
struct sh_key {
	unsigned bits, runs;
	uint8_t shift[64];
	uint64_t mask[64];
};

void sh_key_init(struct sh_key *key, uint64_t mask);

static inline uint32_t sh_key_of(const struct sh_key *key, uint64_t word)
{
	uint64_t x = word >> key->shift[0] & key->mask[0];

	for (unsigned i = 1; i < key->runs; i++)
		x |= word >> key->shift[i] & key->mask[i];
	return (uint32_t)x;
}

/* Orders the elements lo .. lo+n-1 by key. The order is stable. Bucket v is at positions start[v]
 * .. start[v+1]-1 of s. start has 2^bits + 1 elements, next 2^bits. Uses the same positions of
 * `room` as scratch memory. */
void sh_side_order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key,
    uint32_t *start, struct sh_side *room, uint32_t *next);

/* Orders a whole side in the same way, by several threads. fresh: `id` is not set yet; the
 * elements get the numbers 0 .. n-1. */
int sh_side_order_by(unsigned threads, struct sh_side *s, const struct sh_key *key, bool fresh,
    uint32_t *start, struct sh_side *room, struct sh_error *err);

/* Splits a side that is larger than the cache into radix partitions, by the upper bits of the
 * key. Each partition can then be ordered and used while it is in the cache. */
enum { SH_SPLIT_BITS = 9 }; /* at most 2^9 partitions */

struct sh_split {
	const struct sh_key *key;
	unsigned parts; /* number of partitions */
	unsigned rest;  /* lower bits of the key, which order a partition */
	uint32_t most;  /* elements of the largest partition */
	uint32_t start[(1 << SH_SPLIT_BITS) + 1];
	unsigned threads;
	struct sh_segment *segment; /* one for each thread, which moves its elements */
};

/* Plans the split of s by a key of at least two bits, by several threads. They also move the
 * elements. */
int sh_split_init(struct sh_split *p, unsigned threads, const struct sh_side *s,
    const struct sh_key *key, struct sh_error *err);
void sh_split_free(struct sh_split *p);
/* Moves the elements to room, partition i to start[i] .. start[i+1]-1. fresh: `id` is not set
 * yet; the elements get the numbers 0 .. n-1. Call it once. */
int sh_split_move(struct sh_split *p, const struct sh_side *s, bool fresh, struct sh_side *room,
    struct sh_error *err);
/* Orders partition i of room into the beginning of `to`. Bucket v is at start[v] ..
 * start[v+1]-1. start has 2^rest + 1 elements, next 2^rest. */
void sh_split_order(const struct sh_split *p, uint32_t i, const struct sh_side *room,
    struct sh_side *to, uint32_t *start, uint32_t *next);

/* Does the same for words without numbers. sh_split_order_words() orders partition i where it is;
 * `room` has place for it, and may be NULL for an empty one. start has 2^rest elements, positions
 * in `word`. */
int sh_split_move_words(
    struct sh_split *p, const uint64_t *from, uint64_t *to, struct sh_error *err);
void sh_split_order_words(const struct sh_split *p, uint32_t i, uint64_t *word, uint64_t *room,
    uint32_t *start, uint32_t *next);

#endif
