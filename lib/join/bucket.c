#include "join/bucket.h"

static bool lowest(const void *table, const uint64_t *x, const uint64_t *y)
{
	return sh_band_lowest(table, x, y);
}

void sh_bucket_of(struct sh_join *j, const struct sh_band_table *t)
{
	sh_join_only(j, t ? lowest : NULL, t);
}
