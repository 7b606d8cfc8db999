#include "pair/bucket.h"

enum { BATCH = 256 };

/* Passes on the hits of which this table is the lowest. */
struct lowest {
	const struct sh_band_table *table;
	const uint64_t *fpa, *fpb;
	size_t words;
	sh_hits_fn *fn;
	void *ctx;
};

static int pass_lowest(void *ctx, const struct sh_hit *hit, size_t n, struct sh_error *err)
{
	const struct lowest *l = ctx;
	struct sh_hit kept[BATCH];
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!sh_band_lowest(
			l->table, l->fpa + hit[i].a * l->words, l->fpb + hit[i].b * l->words))
			continue;
		kept[m++] = hit[i];
		if (m == BATCH) {
			if (l->fn(l->ctx, kept, m, err) < 0)
				return -1;
			m = 0;
		}
	}
	return m > 0 ? l->fn(l->ctx, kept, m, err) : 0;
}

int sh_bucket_self(struct sh_join *j, const struct sh_band_table *t, const uint64_t *fp, size_t n,
    sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	struct lowest l = { t, fp, fp, sh_join_words(j), fn, ctx };

	return sh_join_self(j, fp, n, pass_lowest, &l, err);
}

int sh_bucket_cross(struct sh_join *j, const struct sh_band_table *t, const uint64_t *fpa,
    size_t na, const uint64_t *fpb, size_t nb, sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	struct lowest l = { t, fpa, fpb, sh_join_words(j), fn, ctx };

	return sh_join_cross(j, fpa, na, fpb, nb, pass_lowest, &l, err);
}
