/* SPDX-License-Identifier: MIT */
#include "ingest/tally.h"

#include <stdlib.h>

int sh_tally_init(struct sh_tally *t, struct sh_error *err)
{
	*t = (struct sh_tally){ 0 };
	return sh_hmap_init(&t->names, err);
}

void sh_tally_free(struct sh_tally *t)
{
	sh_hmap_free(&t->names);
	free(t->count);
}

int sh_tally_add_many(struct sh_tally *t, struct sh_slice name, uint64_t n, struct sh_error *err)
{
	uint32_t i;
	bool fresh = false;

	if (t->names.n >= SH_TALLY_NAMES && !sh_hmap_find(&t->names, name, &i))
		name = sh_slice_str("others");
	if (SH_RESERVE(t->count, t->cap, t->names.n + (size_t)1, err) < 0 ||
	    sh_hmap_put(&t->names, name, &i, &fresh, err) < 0)
		return -1;
	t->count[i] = fresh ? n : t->count[i] + n;
	return 0;
}
