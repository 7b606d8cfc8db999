/* SPDX-License-Identifier: MIT */
#include "record/past_ids.h"

#include <stdlib.h>
#include <xxhash.h>

enum { SLOT_BITS = 14 };

int sh_past_ids_init(struct sh_past_ids *p, struct sh_error *err)
{
	*p = (struct sh_past_ids){ .slots = calloc((size_t)1 << SLOT_BITS, sizeof *p->slots) };
	return p->slots ? 0 : sh_error_nomem(err);
}

void sh_past_ids_free(struct sh_past_ids *p)
{
	free(p->slots);
}

static void count(struct sh_past_ids *p, struct sh_slice id, const char *file, uint64_t line)
{
	if (p->again++)
		return;
	p->id_n = (size_t)sh_shown(id, sizeof p->id);
	memcpy(p->id, id.p, p->id_n);
	p->file = file;
	p->line = line;
}

static uint64_t *slot_of(const struct sh_past_ids *p, uint64_t hash)
{
	return &p->slots[hash >> (64 - SLOT_BITS)];
}

uint64_t sh_past_ids_hash(struct sh_slice id)
{
	return XXH3_64bits(id.p, id.n);
}

void sh_past_ids_begin(
    struct sh_past_ids *p, uint64_t hash, struct sh_slice id, const char *file, uint64_t line)
{
	uint64_t *slot = slot_of(p, hash);

	if (*slot == hash)
		count(p, id, file, line);
	*slot = hash;
}
