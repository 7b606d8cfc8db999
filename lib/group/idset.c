/* SPDX-License-Identifier: MIT */
#include "group/idset.h"

#include <stdlib.h>

#include "io/keysort.h"
#include "io/parallel.h"

int sh_idset_init(struct sh_idset *s, struct sh_error *err)
{
	*s = (struct sh_idset){ .lock = PTHREAD_MUTEX_INITIALIZER };
	return sh_hmap_init(&s->ids, err);
}

void sh_idset_free(struct sh_idset *s)
{
	pthread_mutex_destroy(&s->lock);
	sh_hmap_free(&s->ids);
	free(s->text);
	free(s->number);
	*s = (struct sh_idset){ 0 };
}

void sh_idset_batch_free(struct sh_idset_batch *b)
{
	sh_buf_free(&b->ids);
	sh_buf_free(&b->handles);
}

const uint32_t *sh_idset_put(struct sh_idset *s, struct sh_idset_batch *b, struct sh_error *err)
{
	const struct sh_slice *id = (const struct sh_slice *)(void *)b->ids.p;
	size_t n = b->ids.n / sizeof *id, some;
	uint32_t *handle;
	int status = 0;

	b->ids.n = b->handles.n = 0;
	if (sh_buf_reserve(&b->handles, n * sizeof *handle + 1, err) < 0)
		return NULL;
	handle = (uint32_t *)(void *)b->handles.p;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; status == 0 && i < n; i += some) {
		some = n - i < SH_HMAP_MANY ? n - i : SH_HMAP_MANY;
		status = sh_hmap_put_many(&s->ids, id + i, some, handle + i, err);
	}
	pthread_mutex_unlock(&s->lock);
	return status == 0 ? handle : NULL;
}

struct numbering {
	struct sh_idset *set;
	const struct sh_keysort_place *places;
};

static void number_some(void *numbering, size_t from, size_t to)
{
	const struct numbering *x = numbering;

	for (size_t i = from; i < to; i++) {
		x->set->text[i] = x->places[i].text;
		x->set->number[x->places[i].index] = (uint32_t)i;
	}
}

int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err)
{
	const struct sh_hmap *map = &s->ids;
	struct sh_keysort_place *places = sh_keysort_maps(&map, 1, threads, err);
	struct numbering x = { s, places };
	int status = -1;

	if (!places)
		return -1;
	s->n = map->n;
	s->text = malloc((size_t)s->n * sizeof *s->text + 1);
	s->number = malloc((size_t)s->n * sizeof *s->number + 1);
	if (s->text && s->number)
		status = sh_parallel_each(threads, s->n, number_some, &x, err);
	else
		sh_error_nomem(err);
	free(places);
	return status;
}

bool sh_idset_find(const struct sh_idset *s, struct sh_slice id, uint32_t *number)
{
	uint32_t handle;

	if (!sh_hmap_find(&s->ids, id, &handle))
		return false;
	*number = s->number[handle];
	return true;
}
