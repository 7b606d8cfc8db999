/* SPDX-License-Identifier: MIT */
#include "match/keyjoin.h"

#include <string.h>

/* Returns where the i-th member is that meets all. */
static size_t place_of(size_t i)
{
	return i < SH_BUCKET_MOST ? i : SH_BUCKET_MOST + i % SH_BUCKET_NEAREST;
}

static int meet(struct sh_key_join *j, const struct sh_key_record *r, unsigned side, size_t i,
    struct sh_error *err)
{
	struct sh_slice other = sh_buf_slice(&j->member[place_of(i)].id);
	bool same_side = j->member[place_of(i)].side == side;
	int order = sh_slice_cmp(other, r->id);

	if (j->two_sides ? same_side : order == 0)
		return 0;
	if (j->two_sides ? side : order < 0)
		return j->pair(j->arg, other, r->id, err);
	return j->pair(j->arg, r->id, other, err);
}

/* Begins another bucket when the key is of another one. */
static int next_key(struct sh_key_join *j, const char *key, struct sh_error *err)
{
	bool same = j->began && memcmp(key, j->last, SH_KEY_BUCKET_CHARS) == 0;

	if (j->began && sh_key_same_settings(j->last, key, err) < 0)
		return -1;
	if (j->began && memcmp(key, j->last, SH_KEY_CHARS) < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the keys are not in bytewise order: sort them with LC_ALL=C sort -s -k1,1");
	if (!same) {
		j->n = 0;
		j->is_cut = false;
	}
	memcpy(j->last, key, SH_KEY_CHARS);
	j->began = true;
	return 0;
}

int sh_key_join_add(
    struct sh_key_join *j, const struct sh_key_record *r, unsigned side, struct sh_error *err)
{
	size_t meets;

	if (next_key(j, r->key.p, err) < 0)
		return -1;
	meets = sh_bucket_meets(j->n);
	for (size_t i = 0; i < meets; i++)
		if (meet(j, r, side, r->meets_all ? sh_bucket_place(j->n, i) : i, err) < 0)
			return -1;
	j->cut += meets < j->n && !j->is_cut;
	j->is_cut = j->is_cut || meets < j->n;
	if (r->meets_all) {
		struct sh_buf *id = &j->member[place_of(j->n)].id;

		j->member[place_of(j->n++)].side = side;
		id->n = 0;
		return sh_buf_add(id, r->id.p, r->id.n, err);
	}
	return 0;
}

void sh_key_join_free(struct sh_key_join *j)
{
	for (size_t i = 0; i < sizeof j->member / sizeof *j->member; i++)
		sh_buf_free(&j->member[i].id);
}
