/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "api/api.h"
#include "band/band.h"

struct simhash_bands {
	struct sh_band band;
};

static int lay_out(
    struct sh_band *band, unsigned bits, unsigned distance, unsigned blocks, struct sh_error *err)
{
	if (!sh_fp_width_ok(bits))
		return sh_error_set(err, SH_ERR_PARAM, "%u bits: expected a multiple of 4 up to %d",
		    bits, SH_FP_MAX_BITS);
	return sh_band_init(band, bits, distance, blocks ? blocks : distance + 1, err);
}

struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, struct simhash_error *error)
{
	struct simhash_bands *b = calloc(1, sizeof *b);
	struct sh_error err;

	if (b && lay_out(&b->band, bits, distance, blocks, &err) == 0)
		return b;
	if (!b)
		sh_error_nomem(&err);
	sh_api_fail(error, &err);
	free(b);
	return NULL;
}

void simhash_bands_free(struct simhash_bands *b)
{
	if (b)
		sh_band_free(&b->band);
	free(b);
}

size_t simhash_bands_tables(const struct simhash_bands *b)
{
	return b->band.tables;
}

size_t simhash_bands_key_size(const struct simhash_bands *b)
{
	return b->band.key_len;
}

void simhash_bands_key(const struct simhash_bands *b, size_t t, const uint64_t *fp, char *out)
{
	sh_band_key(&b->band, &b->band.table[t], fp, out);
	out[b->band.key_len] = '\0';
}
