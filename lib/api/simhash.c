#include "simhash.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fp/fingerprinter.h"
#include "pair/band.h"
#include "pair/join.h"

#ifndef SH_VERSION
#define SH_VERSION "unknown"
#endif

enum { MAX_ROWS = SH_BAND_MAX_BLOCKS, ID_BYTES = 16 };

/* The public error is the internal one without its place. */
static int fail(struct simhash_error *out, const struct sh_error *err)
{
	if (out) {
		out->code = (int)err->code;
		memcpy(out->text, err->text, sizeof out->text);
	}
	return -1;
}

_Static_assert(sizeof((struct sh_error){ 0 }.text) == sizeof((struct simhash_error){ 0 }.text),
    "errors are copied as they are");

const char *simhash_version(void)
{
	return SH_VERSION;
}

/* ---- fingerprints ---- */

struct simhash {
	struct sh_fingerprinter *fingerprinter;
	unsigned words;
};

void simhash_defaults(struct simhash_options *o)
{
	*o = (struct simhash_options){
		.bits = 64, .ngram_min = 1, .ngram_max = 1, .weight = "log", .hash = "mix"
	};
}

/* The internal options, or SH_ERR_PARAM. */
static int translate(
    const struct simhash_options *o, struct sh_fingerprint_opts *to, struct sh_error *err)
{
	*to = (struct sh_fingerprint_opts){
		.token = { .unit = o->chars ? SH_UNIT_CHAR : SH_UNIT_WORD,
		    .no_fold = o->no_fold,
		    .mask_digits = o->mask_digits,
		    .raw = true },
		.ngrams = { .min = o->ngram_min, .max = o->ngram_max },
		.hash = sh_hash_find(o->hash),
		.scheme = sh_scheme_find(o->weight),
		.bits = o->bits,
		.seed = o->seed,
	};
	if (!to->hash)
		return sh_error_set(err, SH_ERR_PARAM, "no hash '%s'", o->hash);
	if (!to->scheme || to->scheme->needs_df)
		return sh_error_set(
		    err, SH_ERR_PARAM, "weight '%s': expected set, tf, freq or log", o->weight);
	if (o->ngram_min < 1 || o->ngram_max < o->ngram_min || o->ngram_max > SH_NGRAM_MAX)
		return sh_error_set(err, SH_ERR_PARAM,
		    "n-grams of %u to %u: expected 1 <= min <= max <= %d", o->ngram_min,
		    o->ngram_max, SH_NGRAM_MAX);
	if (o->bits != 32 && o->bits != 64 && o->bits != 128 && o->bits != 256)
		return sh_error_set(
		    err, SH_ERR_PARAM, "%u bits: expected 32, 64, 128 or 256", o->bits);
	return 0;
}

struct simhash *simhash_new(const struct simhash_options *options, struct simhash_error *error)
{
	struct sh_fingerprint_opts opts;
	struct sh_error err;
	struct simhash *s = calloc(1, sizeof *s);

	if (!s)
		sh_error_nomem(&err);
	else if (translate(options, &opts, &err) == 0 &&
		 (s->fingerprinter = sh_fingerprinter_new(&opts, &err))) {
		s->words = SH_FP_WORDS(options->bits);
		return s;
	}
	fail(error, &err);
	free(s);
	return NULL;
}

void simhash_free(struct simhash *s)
{
	if (s)
		sh_fingerprinter_delete(s->fingerprinter);
	free(s);
}

int simhash_text(
    struct simhash *s, const char *text, size_t size, uint64_t *fp, struct simhash_error *error)
{
	struct sh_fingerprint out;
	struct sh_error err;

	if (sh_fingerprint(s->fingerprinter, sh_slice(text, size), &out, &err) < 0)
		return fail(error, &err);
	if (out.empty)
		return 0;
	memcpy(fp, out.w, s->words * sizeof *fp);
	return 1;
}

unsigned simhash_distance(const uint64_t *a, const uint64_t *b, unsigned bits)
{
	return sh_fp_distance(a, b, SH_FP_WORDS(bits));
}

void simhash_hex(const uint64_t *fp, unsigned bits, char *out)
{
	out[sh_print_hex(out, fp, bits / 4)] = '\0';
}

int simhash_from_hex(const char *hex, unsigned bits, uint64_t *fp)
{
	struct sh_slice s = sh_slice_str(hex);

	if (!sh_fp_width_ok(bits) || s.n != bits / 4)
		return -1;
	return sh_parse_hex(s, fp) < 0 ? -1 : 0;
}

/* ---- joins ---- */

struct caller {
	simhash_pair *pair;
	void *arg;
};

static int pass_on(void *ctx, const struct sh_hit *hit, size_t n, struct sh_error *err)
{
	const struct caller *c = ctx;

	for (size_t i = 0; i < n; i++)
		if (c->pair(c->arg, hit[i].a, hit[i].b, hit[i].distance) < 0)
			return sh_error_set(
			    err, SH_ERR_PARAM, "ended by the receiver of the pairs");
	return 0;
}

static struct sh_join *new_join(unsigned bits, unsigned distance, struct sh_error *err)
{
	if (sh_fp_width_ok(bits))
		return sh_join_new(bits, distance, NULL, err);
	sh_error_set(
	    err, SH_ERR_PARAM, "%u bits: expected a multiple of 4 up to %d", bits, SH_FP_MAX_BITS);
	return NULL;
}

int simhash_join(const uint64_t *fp, size_t n, unsigned bits, unsigned distance, simhash_pair *pair,
    void *arg, struct simhash_error *error)
{
	struct caller c = { pair, arg };
	struct sh_error err;
	struct sh_join *j = new_join(bits, distance, &err);
	int status = j ? sh_join_self(j, fp, n, pass_on, &c, &err) : -1;

	sh_join_delete(j);
	return status < 0 ? fail(error, &err) : 0;
}

int simhash_join_two(const uint64_t *fp, size_t n, const uint64_t *other, size_t m, unsigned bits,
    unsigned distance, simhash_pair *pair, void *arg, struct simhash_error *error)
{
	struct caller c = { pair, arg };
	struct sh_error err;
	struct sh_join *j = new_join(bits, distance, &err);
	int status = j ? sh_join_cross(j, fp, n, other, m, pass_on, &c, &err) : -1;

	sh_join_delete(j);
	return status < 0 ? fail(error, &err) : 0;
}

/* ---- bands ---- */

struct simhash_bands {
	struct sh_band band;
};

/* The cheapest number of blocks; 0 when there is no layout. */
static unsigned cheapest(unsigned bits, unsigned distance, double count)
{
	struct sh_band_cost row[MAX_ROWS];
	unsigned best;

	if (sh_band_choose(row, MAX_ROWS, &best, bits, distance, count, ID_BYTES) == 0)
		return 0;
	return row[best].blocks;
}

struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, double count, struct simhash_error *error)
{
	struct simhash_bands *b = calloc(1, sizeof *b);
	struct sh_error err;

	if (b && !blocks)
		blocks = cheapest(bits, distance, count);
	if (!b)
		sh_error_nomem(&err);
	else if (!blocks)
		sh_error_set(&err, SH_ERR_PARAM, "no bands of %u bits guarantee distance %u", bits,
		    distance);
	else if (sh_band_init(&b->band, bits, distance, blocks, &err) == 0)
		return b;
	fail(error, &err);
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
	struct sh_band_table room;

	sh_band_key(&b->band, sh_band_table(&b->band, (uint32_t)t, &room), fp, out);
	out[b->band.key_len] = '\0';
}
