#include "join/keyorder.h"

#include <stdlib.h>

#include "base/siphash.h"

enum { FIRST_SLOTS = 1024 };

int sh_keyorder_init(struct sh_keyorder *o, size_t max, struct sh_error *err)
{
	*o = (struct sh_keyorder){
		.ascends = true, .descends = true, .remembers = true, .max = max
	};
	return sh_random_key(o->key, err);
}

static void forget(struct sh_keyorder *o)
{
	free(o->seen);
	o->seen = NULL;
	o->n = o->slots = 0;
	o->remembers = false;
}

void sh_keyorder_free(struct sh_keyorder *o)
{
	sh_buf_free(&o->last);
	forget(o);
}

/* Inserts h. Returns false when it is there already. */
static bool insert(uint64_t *seen, size_t slots, uint64_t h)
{
	size_t i = (size_t)h & (slots - 1);

	for (; seen[i]; i = (i + 1) & (slots - 1))
		if (seen[i] == h)
			return false;
	seen[i] = h;
	return true;
}

static int grow(struct sh_keyorder *o, struct sh_error *err)
{
	size_t held = o->hashed ? o->slots : o->n, slots = FIRST_SLOTS;
	uint64_t *seen;

	while (slots < 2 * (o->n + 1))
		slots *= 2;
	seen = calloc(slots, sizeof *seen);
	if (!seen)
		return sh_error_nomem(err);
	for (size_t i = 0; i < held; i++)
		if (o->seen[i])
			insert(seen, slots, o->seen[i]);
	free(o->seen);
	o->seen = seen;
	o->slots = slots;
	o->hashed = true;
	return 0;
}

/* Appends a hash. While keys ascend or descend, each key differs from all earlier ones. */
static int list(struct sh_keyorder *o, uint64_t hash, struct sh_error *err)
{
	if (SH_RESERVE(o->seen, o->slots, o->n + 1, err) < 0)
		return -1;
	o->seen[o->n++] = hash;
	return 1;
}

/* Remembers a key that differs from the last one. Returns 1, 0 when it was seen before, or -1. */
static int remember(struct sh_keyorder *o, struct sh_slice key, struct sh_error *err)
{
	uint64_t h = sh_siphash(o->key, key.p, key.n);

	h += h == 0;
	if (o->ascends || o->descends)
		return list(o, h, err);
	if ((!o->hashed || 2 * (o->n + 1) > o->slots) && grow(o, err) < 0)
		return -1;
	o->n++;
	return insert(o->seen, o->slots, h);
}

static int refuse(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_PARAM,
	    "bands are not grouped by key: pairs would be missed (LC_ALL=C sort brings equal keys "
	    "together)");
}

int sh_keyorder_next(struct sh_keyorder *o, struct sh_slice key, struct sh_error *err)
{
	int c = o->begun ? sh_slice_cmp(key, sh_buf_slice(&o->last)) : 1;
	bool first = !o->begun, ordered;

	if (c == 0)
		return 0;
	o->begun = true;
	if (!first && c < 0)
		o->ascends = false;
	if (!first && c > 0)
		o->descends = false;
	o->last.n = 0;
	if (sh_buf_add(&o->last, key.p, key.n, err) < 0)
		return -1;
	ordered = o->ascends || o->descends;
	if (!o->remembers)
		return ordered ? 1 : refuse(err);
	if (o->n == o->max) {
		forget(o);
		return ordered ? 1 : refuse(err);
	}
	switch (remember(o, key, err)) {
	case 1:
		return 1;
	case 0:
		return refuse(err);
	}
	return -1;
}
