/* SPDX-License-Identifier: MIT */
/* Lists the distinct hashes of a document with their counts, in order of first occurrence. Features
 * with equal hashes count as one feature. */
#ifndef SH_FP_COUNT_H
#define SH_FP_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct sh_hash_count {
	uint64_t *hash;  /* distinct hashes */
	uint32_t *count; /* occurrences of each */
	uint32_t *first; /* index of the first occurrence of each in the input */
	size_t n;

	/* Private. */
	uint32_t *next;  /* 1 + index of the next distinct hash of the same slot; 0: none */
	uint32_t *slots; /* base + index of a distinct hash; less than base: empty */
	uint32_t base;
	size_t cap[4], n_slots;
	uint64_t key; /* random and odd: hostile input cannot choose the slots */
};

int sh_hash_count_init(struct sh_hash_count *c, struct sh_error *err);
void sh_hash_count_free(struct sh_hash_count *c);

/* Sets c->hash, c->count, c->first and c->n for n < 2^32 - 1 hashes. Replaces the result of the
 * last call. Returns -1 when memory runs out. */
int sh_hash_count(struct sh_hash_count *c, const uint64_t *hash, size_t n, struct sh_error *err);

#endif
