/* SPDX-License-Identifier: MIT */
#include "base/hmap.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"

enum { FIRST_BITS = 6, LENGTH = 4 };

/* A slot of the hash table, with linear probing. The tag is the upper half of the key's hash. The
 * top bits of the tag are the index of the first slot to probe. Tags are compared before keys. The
 * table grows without hashing keys again. */
struct sh_hmap_slot {
	uint32_t tag;
	uint32_t index1; /* index + 1; 0 = empty */
};

int sh_hmap_init(struct sh_hmap *m, struct sh_error *err)
{
	*m = (struct sh_hmap){ 0 };
	return sh_random_key(m->hash_key, err);
}

void sh_hmap_free(struct sh_hmap *m)
{
	free(m->slots);
	free(m->keys);
	sh_arena_free(&m->arena);
	*m = (struct sh_hmap){ 0 };
}

void sh_hmap_clear(struct sh_hmap *m)
{
	struct sh_hmap empty = { .hash_key = { m->hash_key[0], m->hash_key[1] } };

	sh_hmap_free(m);
	*m = empty;
}

struct sh_slice sh_hmap_key(const struct sh_hmap *m, uint32_t index)
{
	const char *p = m->keys[index];

	return sh_slice(p, sh_le32(p - LENGTH));
}

size_t sh_hmap_bytes(const struct sh_hmap *m)
{
	size_t slots = m->slots ? sizeof *m->slots << m->slot_bits : 0;

	return slots + m->keys_cap * sizeof *m->keys + m->arena.bytes;
}

static uint32_t tag_of(const struct sh_hmap *m, struct sh_slice key)
{
	return (uint32_t)(sh_siphash(m->hash_key, key.p, key.n) >> 32);
}

static size_t home(uint32_t tag, unsigned bits)
{
	return bits <= 32 ? (size_t)tag >> (32 - bits) : (size_t)tag << (bits - 32);
}

/* Returns the slot of the key, or the empty slot for it. */
static struct sh_hmap_slot *probe(const struct sh_hmap *m, struct sh_slice key, uint32_t tag)
{
	size_t mask = ((size_t)1 << m->slot_bits) - 1;
	size_t i = home(tag, m->slot_bits);
	struct sh_hmap_slot *s;

	for (;; i = (i + 1) & mask) {
		s = &m->slots[i];
		if (!s->index1)
			return s;
		if (s->tag == tag && sh_slice_eq(sh_hmap_key(m, s->index1 - 1), key))
			return s;
	}
}

static int grow(struct sh_hmap *m, struct sh_error *err)
{
	unsigned bits = m->slots ? m->slot_bits + 1 : FIRST_BITS;
	size_t old = m->slots ? (size_t)1 << m->slot_bits : 0;
	size_t mask = ((size_t)1 << bits) - 1, i, j;
	struct sh_hmap_slot *slots = calloc(mask + 1, sizeof *slots);

	if (!slots)
		return sh_error_nomem(err);
	for (i = 0; i < old; i++) {
		if (!m->slots[i].index1)
			continue;
		for (j = home(m->slots[i].tag, bits); slots[j].index1;)
			j = (j + 1) & mask;
		slots[j] = m->slots[i];
	}
	free(m->slots);
	m->slots = slots;
	m->slot_bits = bits;
	return 0;
}

bool sh_hmap_find(const struct sh_hmap *m, struct sh_slice key, uint32_t *index)
{
	struct sh_hmap_slot *s;

	if (!m->slots)
		return false;
	s = probe(m, key, tag_of(m, key));
	if (!s->index1)
		return false;
	*index = s->index1 - 1;
	return true;
}

/* Stores the length of the key in 4 bytes, then the key. The key gets the next index. */
static int keep(struct sh_hmap *m, struct sh_slice key, struct sh_error *err)
{
	char *p;

	if (m->n == UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than 4294967295 different keys");
	if (key.n > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "a key of 4 GiB or more");
	if (SH_RESERVE(m->keys, m->keys_cap, (size_t)m->n + 1, err) < 0)
		return -1;
	p = sh_arena_room(&m->arena, LENGTH + key.n, err);
	if (!p)
		return -1;
	sh_put_le32(p, (uint32_t)key.n);
	if (key.n)
		memcpy(p + LENGTH, key.p, key.n);
	m->keys[m->n++] = p + LENGTH;
	return 0;
}

/* Makes room for n more keys. The slots are at most 3/4 full before the last one. */
static int reserve(struct sh_hmap *m, size_t n, struct sh_error *err)
{
	while (!m->slots || m->n + n > ((size_t)3 << m->slot_bits) / 4)
		if (grow(m, err) < 0)
			return -1;
	return 0;
}

/* There must be room for the key. */
static int put(struct sh_hmap *m, struct sh_slice key, uint32_t tag, uint32_t *index, bool *fresh,
    struct sh_error *err)
{
	struct sh_hmap_slot *s = probe(m, key, tag);

	*fresh = !s->index1;
	if (*fresh) {
		if (keep(m, key, err) < 0)
			return -1;
		*s = (struct sh_hmap_slot){ tag, m->n };
	}
	*index = s->index1 - 1;
	return 0;
}

int sh_hmap_put(
    struct sh_hmap *m, struct sh_slice key, uint32_t *index, bool *fresh, struct sh_error *err)
{
	bool added;

	return reserve(m, 1, err) < 0
		   ? -1
		   : put(m, key, tag_of(m, key), index, fresh ? fresh : &added, err);
}

int sh_hmap_put_many(
    struct sh_hmap *m, const struct sh_slice *key, size_t n, uint32_t *index, struct sh_error *err)
{
	uint32_t tag[SH_HMAP_MANY];
	bool fresh;

	if (reserve(m, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		tag[i] = tag_of(m, key[i]);
		__builtin_prefetch(&m->slots[home(tag[i], m->slot_bits)]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct sh_hmap_slot *s = &m->slots[home(tag[i], m->slot_bits)];

		index[i] = s->index1;
		if (s->index1)
			__builtin_prefetch(&m->keys[s->index1 - 1]);
	}
	for (size_t i = 0; i < n; i++)
		if (index[i])
			__builtin_prefetch(m->keys[index[i] - 1] - LENGTH);
	for (size_t i = 0; i < n; i++)
		if (put(m, key[i], tag[i], &index[i], &fresh, err) < 0)
			return -1;
	return 0;
}
