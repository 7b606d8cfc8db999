/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/compare.h"
#include "base/num.h"
#include "fp/fingerprinter.h"
#include "join/join.h"
#include "published/published.h"
#include "text/method.h"

#ifndef SH_VERSION
#define SH_VERSION "unknown"
#endif

int sh_api_fail(struct simhash_error *out, const struct sh_error *err)
{
	if (out) {
		out->code = (int)err->code;
		memcpy(out->text, err->text, sizeof out->text);
	}
	return -1;
}

int sh_api_reserved(const uint64_t *reserved, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (reserved[i])
			return sh_error_set(err, SH_ERR_PARAM,
			    "an option that libsimhash %s does not know: `reserved` is not 0",
			    SH_VERSION);
	return 0;
}

int sh_api_ngrams(unsigned min, unsigned max, struct sh_error *err)
{
	if (min >= 1 && min <= max && max <= SH_NGRAM_MAX)
		return 0;
	return sh_error_set(err, SH_ERR_PARAM,
	    "n-grams of %u to %u: expected 1 <= min <= max <= %d", min, max, SH_NGRAM_MAX);
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
	struct sh_fingerprint_opts opts;
	enum sh_empty empty;
};

static void from_profile(struct simhash_options *o, const struct sh_profile *p)
{
	*o = (struct simhash_options){
		.bits = p->bits,
		.ngram_min = p->ngrams.min,
		.ngram_max = p->ngrams.max,
		.no_fold = p->no_fold,
		.weight = p->weight,
		.hash = p->hash,
		.profile = p->name,
	};
}

void simhash_defaults(struct simhash_options *o)
{
	from_profile(o, sh_profile_at(0));
}

/* Returns the profile of this name. Returns NULL when there is none, or when it needs a dictionary
 * or document frequencies. */
static const struct sh_profile *find_profile(const char *name, struct sh_error *err)
{
	const struct sh_profile *p = name ? sh_profile_find(name) : sh_profile_at(0);
	const struct sh_token_method *method = p ? sh_token_method_find(p->method) : NULL;

	if (!p) {
		sh_error_set(
		    err, SH_ERR_PARAM, "no profile '%s' (simhash-profiles(7) lists them)", name);
		return NULL;
	}
	if (!method->needs_jieba && !method->needs_cppjieba && !p->stop &&
	    !sh_scheme_find(p->weight)->needs_df)
		return p;
	sh_error_set(err, SH_ERR_PARAM,
	    "profile '%s' needs a dictionary or document frequencies, which only programs read",
	    name);
	return NULL;
}

int simhash_profile(struct simhash_options *o, const char *name, struct simhash_error *error)
{
	struct sh_error err;
	const struct sh_profile *p = find_profile(name, &err);

	if (!p)
		return sh_api_fail(error, &err);
	from_profile(o, p);
	return 0;
}

static int check_options(const struct simhash_options *o, const struct sh_profile *p,
    const struct sh_scheme *scheme, struct sh_error *err)
{
	if (sh_api_reserved(o->reserved, sizeof o->reserved / sizeof *o->reserved, err) < 0 ||
	    sh_api_ngrams(o->ngram_min, o->ngram_max, err) < 0)
		return -1;
	if (!sh_hash_find(o->hash))
		return sh_error_set(
		    err, SH_ERR_PARAM, "no hash '%s' (shfp(1) lists them)", o->hash);
	if (!scheme || scheme->needs_df)
		return sh_error_set(
		    err, SH_ERR_PARAM, "weight '%s': expected set, tf, freq or log", o->weight);
	if (!sh_profile_has_bits(p, o->bits))
		return sh_error_set(err, SH_ERR_PARAM,
		    p->bits_step ? "the profile has no fingerprints of %u bits"
				 : "%u bits: expected 32, 64, 128 or 256",
		    o->bits);
	if ((o->mask_digits || o->fold_marks || o->join_hyphens) &&
	    sh_token_method_find(p->method)->chars)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%s needs words, but profile '%s' gives characters",
		    o->mask_digits  ? "mask_digits"
		    : o->fold_marks ? "fold_marks"
				    : "join_hyphens",
		    p->name);
	return 0;
}

/* Converts the options to internal ones. Returns SH_ERR_PARAM for invalid ones. */
static int translate(const struct simhash_options *o, const struct sh_profile *p,
    struct sh_fingerprint_opts *to, struct sh_error *err)
{
	const struct sh_scheme *scheme;

	if (!o->hash || !o->weight)
		return sh_error_set(err, SH_ERR_PARAM,
		    "options without a hash or a weight (simhash_defaults() fills them in)");
	scheme = sh_scheme_find(o->weight);
	if (check_options(o, p, scheme, err) < 0)
		return -1;
	*to = (struct sh_fingerprint_opts){
		.hash = sh_hash_find(o->hash),
		.scheme = scheme,
		.bits = o->bits,
		.seed = o->seed,
		.tie = p->tie,
		.real = p->real,
		.rounded = p->rounded,
	};
	sh_profile_tokens(p, &to->token, &to->ngrams);
	if (o->chars)
		to->token.unit = SH_UNIT_CHAR;
	to->token.no_fold = o->no_fold;
	to->token.mask_digits = o->mask_digits;
	to->token.fold_marks = o->fold_marks;
	to->token.join_hyphens = o->join_hyphens;
	to->token.raw = true;
	to->ngrams.min = o->ngram_min;
	to->ngrams.max = o->ngram_max;
	return sh_fingerprint_check(to, err);
}

struct simhash *simhash_new(const struct simhash_options *options, struct simhash_error *error)
{
	struct simhash *s = calloc(1, sizeof *s);
	const struct sh_profile *p;
	struct sh_error err;

	sh_error_nomem(&err);
	if (s && (p = find_profile(options->profile, &err)) &&
	    translate(options, p, &s->opts, &err) == 0 &&
	    (s->fingerprinter = sh_fingerprinter_new(&s->opts, &err))) {
		s->empty = p->empty;
		return s;
	}
	sh_api_fail(error, &err);
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
		return sh_api_fail(error, &err);
	/* As in shfp: a profile with a rule for empty documents applies it only to documents
	 * without tokens, not to features of weight 0. */
	if (out.empty && (!out.tokens || s->empty == SH_EMPTY_SKIP))
		return sh_empty_fingerprint(s->empty, &s->opts, fp);
	memcpy(fp, out.w, SH_FP_WORDS(s->opts.bits) * sizeof *fp);
	return 1;
}

int simhash_texts(struct simhash *s, const char *texts, const size_t *sizes, size_t n, uint64_t *fp,
    unsigned char *has, struct simhash_error *error)
{
	size_t words = SH_FP_WORDS(s->opts.bits);

	for (size_t i = 0; i < n; texts += sizes[i++]) {
		int got = simhash_text(s, texts, sizes[i], fp + i * words, error);

		if (got < 0)
			return -1;
		has[i] = (unsigned char)got;
	}
	return 0;
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

_Static_assert(
    sizeof(struct simhash_pair) == sizeof(struct sh_join_pair) &&
	offsetof(struct simhash_pair, j) == offsetof(struct sh_join_pair, b) &&
	offsetof(struct simhash_pair, distance) == offsetof(struct sh_join_pair, distance),
    "pairs are passed on as they are");

struct caller {
	simhash_pairs_fn *each;
	void *arg;
};

static int pass_on(
    void *ctx, struct sh_job *job, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	const struct caller *c = ctx;

	(void)job;
	if (c->each(c->arg, (const struct simhash_pair *)hit, n) < 0)
		return sh_error_set(err, SH_ERR_PARAM, "ended by the receiver of the pairs");
	return 0;
}

/* Joins by one thread, which hands each pair on when it finds it. other NULL: joins fp with
 * itself. */
static int join(const uint64_t *fp, size_t n, const uint64_t *const *other, size_t m, unsigned bits,
    unsigned distance, struct caller c, struct simhash_error *error)
{
	struct sh_join_side x = { 0 }, y = { 0 }, room = { 0 };
	const struct sh_pool pool = { 0 };
	struct sh_job out = { .pool = &pool };
	struct sh_error err;
	struct sh_join *j = sh_join_new(bits, distance, 1, &err);
	int status = j ? sh_join_side_load(&x, fp, n, SH_FP_WORDS(bits), &err) : -1;

	if (status == 0 && other)
		status = sh_join_side_load(&y, *other, m, SH_FP_WORDS(bits), &err);
	if (status == 0)
		status = sh_join_sides(j, &x, other ? &y : NULL, &room, pass_on, &c, &out, &err);
	sh_join_side_free(&x);
	sh_join_side_free(&y);
	sh_join_side_free(&room);
	sh_join_delete(j);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}

int simhash_join(const uint64_t *fp, size_t n, unsigned bits, unsigned distance,
    simhash_pairs_fn *each, void *arg, struct simhash_error *error)
{
	return join(fp, n, NULL, 0, bits, distance, (struct caller){ each, arg }, error);
}

int simhash_join_two(const uint64_t *fp, size_t n, const uint64_t *other, size_t m, unsigned bits,
    unsigned distance, simhash_pairs_fn *each, void *arg, struct simhash_error *error)
{
	return join(fp, n, &other, m, bits, distance, (struct caller){ each, arg }, error);
}

static int by_indexes(const void *x, const void *y)
{
	const struct simhash_pair *a = x, *b = y;

	return a->i != b->i ? sh_compare(a->i, b->i) : sh_compare(a->j, b->j);
}

void simhash_sort_pairs(struct simhash_pair *pairs, size_t n)
{
	if (n)
		qsort(pairs, n, sizeof *pairs, by_indexes);
}
