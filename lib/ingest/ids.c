/* SPDX-License-Identifier: MIT */
#include "ingest/ids.h"

#include <stdlib.h>

#include "base/siphash.h"

enum { FIRST_BITS = 10 };

int sh_ids_init(struct sh_ids *ids, struct sh_error *err)
{
	*ids = (struct sh_ids){ .bits = FIRST_BITS };
	ids->slot = calloc((size_t)1 << FIRST_BITS, sizeof *ids->slot);
	if (!ids->slot)
		return sh_error_nomem(err);
	return sh_random_key(ids->hash_key, err);
}

void sh_ids_free(struct sh_ids *ids)
{
	free(ids->slot);
	ids->slot = NULL;
}

/* Returns the slot of the hash, or the free slot for it. */
static uint64_t *place(uint64_t *slot, unsigned bits, uint64_t hash)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1, i = hash & mask;

	while (slot[i] && slot[i] != hash)
		i = (i + 1) & mask;
	return &slot[i];
}

static int grow(struct sh_ids *ids, struct sh_error *err)
{
	uint64_t *slot = calloc((size_t)2 << ids->bits, sizeof *slot);

	if (!slot)
		return sh_error_nomem(err);
	for (size_t i = 0; i < (size_t)1 << ids->bits; i++)
		if (ids->slot[i])
			*place(slot, ids->bits + 1, ids->slot[i]) = ids->slot[i];
	free(ids->slot);
	ids->slot = slot;
	ids->bits++;
	return 0;
}

int sh_ids_add(struct sh_ids *ids, struct sh_slice id, bool *again, struct sh_error *err)
{
	uint64_t hash = sh_siphash(ids->hash_key, id.p, id.n), *at;

	hash += hash == 0;
	at = place(ids->slot, ids->bits, hash);
	*again = *at != 0;
	if (*again)
		return 0;
	if (ids->n == SH_IDS_MAX) {
		ids->full = true;
		return 0;
	}
	*at = hash;
	ids->n++;
	return ids->n > (UINT32_C(1) << ids->bits) / 2 ? grow(ids, err) : 0;
}
