#include "pair/join.h"

#include <stdlib.h>
#include <string.h>

struct sh_join {
	unsigned bits, k, words;
};

const char *const sh_join_kernels[] = { "portable", NULL };

bool sh_join_kernel_ok(const char *name)
{
	return strcmp(name, "portable") == 0;
}

struct sh_join *sh_join_new(unsigned bits, unsigned k, const char *kernel, struct sh_error *err)
{
	struct sh_join *j = malloc(sizeof *j);

	(void)kernel;
	if (j == NULL) {
		sh_error_nomem(err);
		return NULL;
	}
	*j = (struct sh_join){ bits, k, SH_FP_WORDS(bits) };
	return j;
}

void sh_join_delete(struct sh_join *j)
{
	free(j);
}

unsigned sh_join_words(const struct sh_join *j)
{
	return j->words;
}

int sh_join_self(struct sh_join *j, const uint64_t *fp, size_t n, sh_hits_fn *fn, void *ctx,
    struct sh_error *err)
{
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++) {
			unsigned d = sh_fp_distance(fp + a * j->words, fp + b * j->words, j->words);
			struct sh_hit hit = { (uint32_t)a, (uint32_t)b, d };

			if (d <= j->k && fn(ctx, &hit, 1, err) < 0)
				return -1;
		}
	return 0;
}

int sh_join_cross(struct sh_join *j, const uint64_t *fpa, size_t na, const uint64_t *fpb, size_t nb,
    sh_hits_fn *fn, void *ctx, struct sh_error *err)
{
	for (size_t a = 0; a < na; a++)
		for (size_t b = 0; b < nb; b++) {
			unsigned d =
			    sh_fp_distance(fpa + a * j->words, fpb + b * j->words, j->words);
			struct sh_hit hit = { (uint32_t)a, (uint32_t)b, d };

			if (d <= j->k && fn(ctx, &hit, 1, err) < 0)
				return -1;
		}
	return 0;
}
