/* SPDX-License-Identifier: MIT */
#include "group/idset.h"

#include <stdlib.h>
#include <string.h>

#include "io/sorter.h"

void sh_idset_free(struct sh_idset *s)
{
	sh_hmap_free(&s->ids);
	free(s->handle);
	free(s->number);
	*s = (struct sh_idset){ 0 };
}

static int number_all(struct sh_idset *s, const struct sh_sorter *sorter, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	struct sh_slice record;
	uint32_t n = 0, handle;
	int status = 0;

	for (size_t i = 0; status == 0 && i < sorter->ranges; i++) {
		status = sh_sorter_load(sorter, i, &sorted, err);
		while (status == 0 && sh_sorted_next(&sorted, &record)) {
			memcpy(&handle, record.p + record.n - sizeof handle, sizeof handle);
			s->number[handle] = n;
			s->handle[n++] = handle;
		}
	}
	sh_sorted_free(&sorted);
	return status;
}

int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err)
{
	struct sh_sorter sorter = {
		.tail = sizeof(uint32_t), .memory = SIZE_MAX, .threads = threads
	};
	int status = 0;

	s->n = s->ids.n;
	s->handle = malloc((size_t)s->n * sizeof *s->handle + 1);
	s->number = malloc((size_t)s->n * sizeof *s->number + 1);
	if (!s->handle || !s->number)
		return sh_error_nomem(err);
	sh_sorter_init(&sorter);
	for (uint32_t i = 0; status == 0 && i < s->n; i++)
		status = sh_sorter_add2(
		    &sorter, sh_hmap_key(&s->ids, i), sh_slice((const char *)&i, sizeof i), err);
	if (status == 0)
		status = sh_sorter_finish(&sorter, SIZE_MAX, err);
	if (status == 0)
		status = number_all(s, &sorter, err);
	sh_sorter_free(&sorter);
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
