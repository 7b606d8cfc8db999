/* Fingerprints ordered by the bits of a block, by counting.
 *
 * A side of a join holds, in two parallel arrays, one word of each fingerprint and
 * its number in the caller's array. Any range of it can be ordered by a key made of some
 * bits of that word. Both arrays are readable SH_SCAN_TILE elements beyond the end. */
#ifndef SH_JOIN_ORDER_H
#define SH_JOIN_ORDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SH_SIDE_CACHED = 1 << 17 }; /* elements that a processor's cache holds */

struct sh_side {
	const uint64_t *fp; /* borrowed */
	unsigned words;     /* of a fingerprint */
	unsigned loaded;    /* which of them `word` holds */
	uint32_t n;
	size_t cap;
	uint64_t *word;
	uint32_t *id;
};

/* Have room for n elements, and SH_SCAN_TILE more; what it held is lost when it grows. */
int sh_side_reserve(struct sh_side *s, size_t n, struct sh_error *err);
void sh_side_free(struct sh_side *s);
/* Fingerprints 0 .. n-1 in the caller's order, with the given word of each. */
void sh_side_load(struct sh_side *s, unsigned word);
/* Hold another word in lo .. lo+n-1, the order kept; `loaded` is left as it is. */
void sh_side_fetch(struct sh_side *s, uint32_t lo, uint32_t n, unsigned word);

/* The bits of a mask, moved together. */
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

/* Order positions lo .. lo+n-1 by key: bucket v is start[v] .. start[v+1]-1; start has
 * 2^bits + 1 places, `next` 2^bits. The same positions of `room` are used, and no others. Stable. */
void sh_side_order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key,
    uint32_t *start, struct sh_side *room, uint32_t *next);

/* The same for a whole side whose numbers are not there yet: 0 .. n-1 they will be. */
void sh_side_order_new(struct sh_side *s, const struct sh_key *key, uint32_t *start,
    struct sh_side *room, uint32_t *next);

/* A side larger than the cache, in parts by the key's upper bits, which are put in order one by
 * one: what is done with one is done while it is in the cache. */
enum { SH_SPLIT_BITS = 9 }; /* of the parts' number, at most */

struct sh_split {
	const struct sh_key *key;
	unsigned parts, rest; /* how many; bits of the key that order one */
	uint32_t most;        /* elements of the largest */
	uint32_t start[(1 << SH_SPLIT_BITS) + 1], next[1 << SH_SPLIT_BITS];
};

/* How s will be split by a key of two bits or more. */
void sh_split_init(struct sh_split *p, const struct sh_side *s, const struct sh_key *key);
/* Move the parts to room, part i to start[i] .. start[i+1]-1. fresh: the side's numbers are not
 * there yet, and will be 0 .. n-1. */
void sh_split_move(struct sh_split *p, const struct sh_side *s, bool fresh, struct sh_side *room);
/* Put part i of room in order, into 0 .. of `to`: bucket v is start[v] .. start[v+1]-1. start has
 * 2^rest + 1 places, next 2^rest. */
void sh_split_order(const struct sh_split *p, uint32_t i, const struct sh_side *room,
    struct sh_side *to, uint32_t *start, uint32_t *next);

/* The same of the words alone, from `from` to `to`, both aligned to 64 bytes; and part i from
 * from + start[i] to to + start[i], where nothing else may be of what has not been put in order. start
 * has 2^rest places, for positions in `to`. */
void sh_split_move_words(struct sh_split *p, const uint64_t *from, uint64_t *to);
void sh_split_order_words(const struct sh_split *p, uint32_t i, const uint64_t *from, uint64_t *to,
    uint32_t *start, uint32_t *next);

#endif
