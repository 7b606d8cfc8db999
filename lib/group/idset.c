/* SPDX-License-Identifier: MIT */
#include "group/idset.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/siphash.h"
#include "io/sorter.h"

/* A handle is the index of an id in its shard; its lowest SHARD_BITS bits are the number of the
 * shard. */
enum { SHARD_BITS = 6, SHARDS = 1 << SHARD_BITS };

struct sh_idset_shard {
	pthread_mutex_t lock;
	struct sh_hmap ids;
};

int sh_idset_init(struct sh_idset *s, struct sh_error *err)
{
	*s = (struct sh_idset){ .shard = calloc(SHARDS, sizeof *s->shard) };
	if (!s->shard)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < SHARDS; i++)
		pthread_mutex_init(&s->shard[i].lock, NULL);
	for (unsigned i = 0; i < SHARDS; i++)
		if (sh_hmap_init(&s->shard[i].ids, err) < 0)
			return -1;
	return 0;
}

void sh_idset_free(struct sh_idset *s)
{
	for (unsigned i = 0; s->shard && i < SHARDS; i++) {
		pthread_mutex_destroy(&s->shard[i].lock);
		sh_hmap_free(&s->shard[i].ids);
	}
	free(s->shard);
	free(s->text);
	free(s->number);
	*s = (struct sh_idset){ 0 };
}

void sh_idset_batch_free(struct sh_idset_batch *b)
{
	sh_buf_free(&b->ids);
	sh_buf_free(&b->handles);
	sh_buf_free(&b->order);
}

/* ---- adding ---- */

static unsigned shard_of(const struct sh_idset *s, struct sh_slice id)
{
	return (unsigned)sh_siphash(s->shard[0].ids.hash_key, id.p, id.n) % SHARDS;
}

/* Sorts the indexes 0 .. n-1 by shard. Shard i has order[begin[i]] .. order[begin[i + 1] - 1]. */
static uint32_t *order_by_shard(const struct sh_idset *s, const struct sh_slice *id, size_t n,
    size_t begin[SHARDS + 1], struct sh_buf *room, struct sh_error *err)
{
	size_t next[SHARDS];
	uint32_t *order;
	unsigned char *shard;

	room->n = 0;
	if (sh_buf_reserve(room, n * (sizeof *order + 1) + 1, err) < 0)
		return NULL;
	order = (uint32_t *)(void *)room->p;
	shard = (unsigned char *)(order + n);
	memset(begin, 0, (SHARDS + 1) * sizeof *begin);
	for (size_t i = 0; i < n; i++)
		begin[(shard[i] = (unsigned char)shard_of(s, id[i])) + 1]++;
	for (unsigned i = 0; i < SHARDS; i++) {
		next[i] = begin[i];
		begin[i + 1] += begin[i];
	}
	for (size_t i = 0; i < n; i++)
		order[next[shard[i]]++] = (uint32_t)i;
	return order;
}

/* Adds ids to their shard, SH_HMAP_MANY at a time. */
static int put_ids(struct sh_hmap *ids, unsigned shard, const struct sh_slice *id,
    const uint32_t *order, size_t n, uint32_t *handle, struct sh_error *err)
{
	for (size_t at = 0, group; at < n; at += group) {
		struct sh_slice key[SH_HMAP_MANY];
		uint32_t index[SH_HMAP_MANY];

		group = n - at < SH_HMAP_MANY ? n - at : SH_HMAP_MANY;
		for (size_t i = 0; i < group; i++)
			key[i] = id[order[at + i]];
		if (sh_hmap_put_many(ids, key, group, index, err) < 0)
			return -1;
		for (size_t i = 0; i < group; i++)
			handle[order[at + i]] = index[i] << SHARD_BITS | shard;
	}
	if (ids->n >= SH_IDSET_NONE >> SHARD_BITS)
		return sh_error_set(err, SH_ERR_RANGE, "too many different ids");
	return 0;
}

static int put_all(struct sh_idset *s, const struct sh_slice *id, const uint32_t *order,
    const size_t begin[SHARDS + 1], uint32_t *handle, struct sh_error *err)
{
	int status = 0;

	for (unsigned i = 0; status == 0 && i < SHARDS; i++) {
		struct sh_idset_shard *shard = &s->shard[i];

		pthread_mutex_lock(&shard->lock);
		status = put_ids(
		    &shard->ids, i, id, order + begin[i], begin[i + 1] - begin[i], handle, err);
		pthread_mutex_unlock(&shard->lock);
	}
	return status;
}

const uint32_t *sh_idset_put(struct sh_idset *s, struct sh_idset_batch *b, struct sh_error *err)
{
	const struct sh_slice *id = (const struct sh_slice *)(void *)b->ids.p;
	size_t n = b->ids.n / sizeof *id, begin[SHARDS + 1];
	const uint32_t *order;
	uint32_t *handle;

	b->ids.n = b->handles.n = 0;
	if (sh_buf_reserve(&b->handles, n * sizeof *handle + 1, err) < 0)
		return NULL;
	handle = (uint32_t *)(void *)b->handles.p;
	order = order_by_shard(s, id, n, begin, &b->order, err);
	return order && put_all(s, id, order, begin, handle, err) == 0 ? handle : NULL;
}

/* ---- sorting ---- */

/* Adds the ids of a shard to the sorter, each with its handle. */
static int add_shard(
    struct sh_sorter *sorter, const struct sh_hmap *ids, uint32_t shard, struct sh_error *err)
{
	for (uint32_t i = 0; i < ids->n; i++) {
		uint32_t handle = i << SHARD_BITS | shard;

		if (sh_sorter_add2(sorter, sh_hmap_key(ids, i),
			sh_slice((const char *)&handle, sizeof handle), err) < 0)
			return -1;
	}
	return 0;
}

static int number_all(struct sh_idset *s, const struct sh_sorter *sorter, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	struct sh_slice record;
	uint32_t n = 0, handle;

	s->text = malloc((size_t)s->n * sizeof *s->text + 1);
	s->number = malloc((size_t)s->handles * sizeof *s->number + 1);
	if (!s->text || !s->number)
		return sh_error_nomem(err);
	memset(s->number, 0xff, (size_t)s->handles * sizeof *s->number);
	for (size_t i = 0; i < sorter->ranges; i++) {
		if (sh_sorter_load(sorter, i, &sorted, err) < 0)
			return -1;
		while (sh_sorted_next(&sorted, &record)) {
			memcpy(&handle, record.p + record.n - sizeof handle, sizeof handle);
			s->number[handle] = n;
			s->text[n++] =
			    sh_hmap_key(&s->shard[handle % SHARDS].ids, handle >> SHARD_BITS).p;
		}
	}
	return 0;
}

int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err)
{
	struct sh_sorter sorter = {
		.tail = sizeof(uint32_t), .memory = SIZE_MAX, .threads = threads
	};
	uint32_t longest = 0;
	int status = 0;

	sh_sorter_init(&sorter);
	for (unsigned i = 0; i < SHARDS && status == 0; i++) {
		const struct sh_hmap *ids = &s->shard[i].ids;

		s->n += ids->n;
		longest = ids->n > longest ? ids->n : longest;
		status = add_shard(&sorter, ids, i, err);
	}
	s->handles = longest << SHARD_BITS;
	if (status == 0)
		status = sh_sorter_finish(&sorter, SIZE_MAX, err);
	if (status == 0)
		status = number_all(s, &sorter, err);
	sh_sorter_free(&sorter);
	return status;
}

bool sh_idset_find(const struct sh_idset *s, struct sh_slice id, uint32_t *number)
{
	unsigned shard = shard_of(s, id);
	uint32_t index;

	if (!sh_hmap_find(&s->shard[shard].ids, id, &index))
		return false;
	*number = s->number[index << SHARD_BITS | shard];
	return true;
}
