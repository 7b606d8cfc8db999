#include <stdlib.h>

#include "api/api.h"
#include "band/band.h"

enum { MAX_ROWS = SH_BAND_MAX_BLOCKS, ID_BYTES = 16, DEFAULT_COUNT = 1000000 };

struct simhash_bands {
	struct sh_band band;
};

/* Finds the number of blocks with the least cost. */
static int cheapest(
    unsigned *blocks, unsigned bits, unsigned distance, double count, struct sh_error *err)
{
	struct sh_band_cost row[MAX_ROWS];
	unsigned best;
	int n = sh_band_choose(row, MAX_ROWS, &best, bits, distance, count, ID_BYTES, err);

	if (n < 0)
		return -1;
	if (n == 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "no bands of %u bits guarantee distance %u", bits, distance);
	*blocks = row[best].blocks;
	return 0;
}

static int lay_out(struct sh_band *band, unsigned bits, unsigned distance, unsigned blocks,
    double count, struct sh_error *err)
{
	if (!blocks && cheapest(&blocks, bits, distance, count, err) < 0)
		return -1;
	return sh_band_init(band, bits, distance, blocks, err);
}

static int draw(struct sh_band *band, unsigned bits, unsigned distance, double recall, double count,
    unsigned seed, struct sh_error *err)
{
	struct sh_band_cost row[MAX_ROWS];
	unsigned best;
	int n;

	if (!(recall > 0 && recall < 1))
		return sh_error_set(
		    err, SH_ERR_PARAM, "recall %g: expected a number between 0 and 1", recall);
	if (seed > SH_BAND_MAX_SEED)
		return sh_error_set(
		    err, SH_ERR_PARAM, "seed %u: expected at most %d", seed, SH_BAND_MAX_SEED);
	n = sh_band_choose_drawn(
	    row, MAX_ROWS, &best, bits, distance, recall, count, ID_BYTES, err);
	if (n < 0)
		return -1;
	if (n == 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "no %d tables of %u-bit fingerprints find a share of %g at distance %u",
		    SH_BAND_MAX_DRAWN, bits, recall, distance);
	return sh_band_draw(band, bits, distance, row[best].key_bits, row[best].tables, seed, err);
}

/* Checks the arguments. Sets *count to the default when it is 0. */
static int check(unsigned bits, double *count, struct sh_error *err)
{
	if (*count == 0)
		*count = DEFAULT_COUNT;
	if (!sh_fp_width_ok(bits))
		return sh_error_set(err, SH_ERR_PARAM, "%u bits: expected a multiple of 4 up to %d",
		    bits, SH_FP_MAX_BITS);
	if (!(*count >= 1 && *count <= (double)(UINT64_C(1) << 53)))
		return sh_error_set(
		    err, SH_ERR_PARAM, "%g fingerprints: expected a number from 1 to 2^53", *count);
	return 0;
}

/* Returns b when status is 0; otherwise frees it, copies the error and returns NULL. */
static struct simhash_bands *made(
    struct simhash_bands *b, int status, const struct sh_error *err, struct simhash_error *error)
{
	if (status == 0)
		return b;
	sh_api_fail(error, err);
	free(b);
	return NULL;
}

struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, double count, struct simhash_error *error)
{
	struct simhash_bands *b = calloc(1, sizeof *b);
	struct sh_error err;
	int status = b ? check(bits, &count, &err) : sh_error_nomem(&err);

	if (status == 0)
		status = lay_out(&b->band, bits, distance, blocks, count, &err);
	return made(b, status, &err, error);
}

struct simhash_bands *simhash_bands_draw(unsigned bits, unsigned distance, double recall,
    double count, unsigned seed, struct simhash_error *error)
{
	struct simhash_bands *b = calloc(1, sizeof *b);
	struct sh_error err;
	int status = b ? check(bits, &count, &err) : sh_error_nomem(&err);

	if (status == 0)
		status = draw(&b->band, bits, distance, recall, count, seed, &err);
	return made(b, status, &err, error);
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

double simhash_bands_recall(const struct simhash_bands *b, unsigned distance)
{
	const struct sh_band *band = &b->band;

	if (band->drawn)
		return distance >= band->bits
			   ? 0
			   : sh_band_recall(band->bits, band->key_bits_min, band->tables, distance);
	return distance <= band->k ? 1 : -1;
}

void simhash_bands_key(const struct simhash_bands *b, size_t t, const uint64_t *fp, char *out)
{
	struct sh_band_table room;

	sh_band_key(&b->band, sh_band_table(&b->band, (uint32_t)t, &room), fp, out);
	out[b->band.key_len] = '\0';
}
