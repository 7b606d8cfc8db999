/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "base/num.h"
#include "fp/analysis.h"
#include "match/posting.h"
#include "match/comparer.h"
#include "match/keys.h"
#include "published/published.h"
#include "record/escape.h"
#include "store/change.h"
#include "text/method.h"

enum { SETTING_MAX = 128 }; /* bytes of a value, with its NUL */

/* A query is document 0 of the comparer, and its candidates are the documents behind it. */
struct simhash_archive {
	char *path;
	unsigned wait;
	struct sh_store store;
	char stem[SETTING_MAX];
	struct sh_key_rules rules;
	struct sh_feature_opts features;
	struct sh_tokenizer *tokenizer;
	struct sh_key_maker *maker;
	struct sh_analyser analyser; /* of the query, and of stored texts */
	struct sh_corpus none;       /* without documents: all are read by read_document() */

	/* of the query */
	struct sh_slice text;
	uint64_t *key;
	uint32_t *number; /* of the candidates */
	struct simhash_match *match;
	struct sh_buf unescaped;
	uint64_t *token;
	size_t n_numbers, n_matches, key_cap, number_cap, match_cap, token_cap;
};

/* ---- the settings in the manifest ---- */

static bool is(struct sh_slice s, const char *word)
{
	return sh_slice_eq(s, sh_slice_str(word));
}

/* Sets the threshold of each measure: "0.8", or "0.8,0.89" for two. */
static int set_thresholds(struct sh_key_rules *r, const char *value)
{
	size_t n = strcspn(value, ",");
	int64_t first, second;

	if (sh_parse_weight(sh_slice(value, n), &first) < 0)
		return -1;
	second = first;
	if (value[n] && sh_parse_weight(sh_slice_str(value + n + 1), &second) < 0)
		return -1;
	/* --measure comes first: see set_measure(). */
	r->jaccard = r->jaccard ? (uint64_t)first : 0;
	r->edit = r->edit ? (uint64_t)second : 0;
	return 0;
}

static int set_measure(struct sh_key_rules *r, const char *value)
{
	const struct sh_measure *m = sh_measure_find(value);

	if (!m || !m->duplicates)
		return -1;
	r->jaccard = !m->ordered;
	r->edit = m->ordered || m->any;
	return 0;
}

static int set_flag(bool *flag, const char *value)
{
	*flag = strcmp(value, "yes") == 0;
	return *flag || strcmp(value, "no") == 0 ? 0 : -1;
}

static int set_keep(struct sh_token_opts *t, const char *value)
{
	struct sh_error ignored;

	t->punctuation = strcmp(value, "any") == 0;
	t->keep = 0;
	return t->punctuation || strcmp(value, "no") == 0
		   ? 0
		   : sh_keep_parse(sh_slice_str(value), &t->keep, &ignored);
}

static int set_seed(struct simhash_archive *a, const char *value)
{
	uint64_t seed;

	if (strcmp(value, "random") == 0) {
		memcpy(a->rules.secret, a->store.manifest.key, sizeof a->rules.secret);
		return 0;
	}
	if (sh_parse_u64(sh_slice_str(value), &seed) < 0)
		return -1;
	sh_key_secret(seed, a->rules.secret);
	return 0;
}

static int set_method(struct sh_token_opts *t, const char *value)
{
	t->method = sh_token_method_find(value);
	return t->method && !t->method->needs_jieba && !t->method->needs_cppjieba ? 0 : -1;
}

/* Applies a setting, as bin/made_with.c writes it. Returns -1 for a value that needs a file, or
 * that this version does not know. */
static int apply(struct simhash_archive *a, struct sh_slice name, const char *value)
{
	struct sh_token_opts *t = &a->features.token;
	struct sh_error ignored;

	if (is(name, "-p")) {
		const struct sh_profile *p = sh_profile_find(value);

		return p && !p->stop ? 0 : -1;
	}
	if (is(name, "--measure"))
		return set_measure(&a->rules, value);
	if (is(name, "-T"))
		return set_thresholds(&a->rules, value);
	if (is(name, "--seed"))
		return set_seed(a, value);
	if (is(name, "-n"))
		return sh_ngrams_parse(value, &a->rules.ngrams, &ignored);
	if (is(name, "-u")) {
		t->unit = strcmp(value, "char") == 0 ? SH_UNIT_CHAR : SH_UNIT_WORD;
		return 0;
	}
	if (is(name, "--split") || is(name, "--segment"))
		return set_method(t, value);
	if (is(name, "--dict") || is(name, "--stop"))
		return strcmp(value, "no") == 0 ? 0 : -1;
	if (is(name, "--stem")) {
		snprintf(a->stem, sizeof a->stem, "%s", value);
		t->stem = strcmp(value, "no") == 0 ? NULL : a->stem;
		return 0;
	}
	if (is(name, "--min-chars"))
		return sscanf(value, "%u", &t->min_chars) == 1 ? 0 : -1;
	if (is(name, "--keep-words"))
		return set_keep(t, value);
	if (is(name, "--no-fold"))
		return set_flag(&t->no_fold, value);
	if (is(name, "--mask-digits"))
		return set_flag(&t->mask_digits, value);
	if (is(name, "--fold-marks"))
		return set_flag(&t->fold_marks, value);
	if (is(name, "--join-hyphens"))
		return set_flag(&t->join_hyphens, value);
	if (is(name, "keys"))
		return sscanf(value, "%ux%u", &a->rules.keys, &a->rules.rows) == 2 ? 0 : -1;
	/* Versions of Unicode and of Snowball: shdedup warns of other ones. */
	return is(name, "unicode") || is(name, "snowball") ? 0 : -1;
}

static int read_settings(struct simhash_archive *a, struct sh_error *err)
{
	const struct sh_store_manifest *m = &a->store.manifest;
	char value[SETTING_MAX];

	if (m->kind != SH_STORE_OF_DOCUMENTS)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' is an archive of shspan, expected one of shdedup", a->path);
	for (size_t i = 0; i < m->n_settings; i++) {
		const struct sh_store_setting *s = &m->setting[i];

		snprintf(value, sizeof value, "%.*s", (int)s->value.n, s->value.p);
		if (apply(a, s->name, value) < 0)
			return sh_error_set(err, SH_ERR_PARAM,
			    "'%s' was made with %.*s %s, which only the programs can use (shdedup "
			    "-a --dry-run)",
			    a->path, (int)s->name.n, s->name.p, value);
	}
	if (!a->rules.keys || (!a->rules.jaccard && !a->rules.edit))
		return sh_error_set(err, SH_ERR_RECORD, "'%s' lacks settings", a->path);
	a->features.token.raw = true;
	a->rules.unit = sh_token_unit(&a->features.token);
	a->features.ngrams = a->rules.ngrams;
	a->features.of_tokens = true;
	memcpy(a->features.key, m->key, sizeof a->features.key);
	a->features.ordered = a->features.only_order = true;
	a->features.cut = m->form == SH_STORE_SKETCH;
	return 0;
}

/* ---- opening ---- */

static int open_archive(struct simhash_archive *a, struct sh_error *err)
{
	struct sh_token_opts token;

	if (sh_store_open(&a->store, a->path, err) < 0 || read_settings(a, err) < 0)
		return -1;
	token = a->features.token;
	token.apart = true; /* keys are made of tokens, not of the text between them */
	return (a->tokenizer = sh_tokenizer_new(&token, err)) &&
		       (a->maker = sh_key_maker_new(&a->rules, err)) &&
		       sh_analyser_init(&a->analyser, NULL, &a->features, err) == 0
		   ? 0
		   : -1;
}

struct simhash_archive *simhash_archive_open(
    const char *path, unsigned wait, struct simhash_error *error)
{
	struct simhash_archive *a = calloc(1, sizeof *a);
	struct sh_error err;

	if (a && (a->path = strdup(path))) {
		a->wait = wait;
		if (open_archive(a, &err) == 0)
			return a;
	} else {
		sh_error_nomem(&err);
	}
	sh_api_fail(error, &err);
	simhash_archive_close(a);
	return NULL;
}

void simhash_archive_close(struct simhash_archive *a)
{
	if (!a)
		return;
	sh_store_close(&a->store);
	sh_tokenizer_delete(a->tokenizer);
	sh_key_maker_delete(a->maker);
	sh_analyser_free(&a->analyser);
	sh_buf_free(&a->unescaped);
	free(a->path);
	free(a->key);
	free(a->number);
	free(a->match);
	free(a->token);
	free(a);
}

/* ---- candidates of a query ---- */

static int by_key(const void *x, const void *y)
{
	return sh_compare(*(const uint64_t *)x, *(const uint64_t *)y);
}

static int by_number(const void *x, const void *y)
{
	return sh_compare(*(const uint32_t *)x, *(const uint32_t *)y);
}

static int add_candidate(
    void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct simhash_archive *a = arg;

	(void)asked;
	if (SH_RESERVE(a->number, a->number_cap, a->n_numbers + 1, err) < 0)
		return -1;
	a->number[a->n_numbers++] = p->document;
	return 0;
}

/* Looks up the keys of the query. Of a bucket the first and the last documents are enough. */
static int find_candidates(struct simhash_archive *a, struct sh_error *err)
{
	struct sh_tokens t;
	struct sh_doc_keys keys;
	const uint64_t *token;
	size_t n = 0, kept = 0;

	a->n_numbers = 0;
	if (sh_tokenize(a->tokenizer, a->text, &t, err) < 0 ||
	    !(token = sh_key_tokens(a->maker, &t, err)) ||
	    sh_keys_make(a->maker, token, t.n, &keys, err) < 0 ||
	    SH_RESERVE(a->key, a->key_cap, 2 * keys.n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < keys.n; i++) {
		const struct sh_doc_key *k = &keys.key[i];

		a->key[n++] = sh_stored_key(k->column, k->hash, true);
		if (sh_column_of_short(k->column) && k->meets_all)
			a->key[n++] = sh_stored_key(k->column, k->hash, false);
	}
	qsort(a->key, n, sizeof *a->key, by_key);
	if (sh_store_look(
		&a->store, SH_LIST_POSTINGS, a->key, n, SH_BUCKET_MOST, add_candidate, a, err) < 0)
		return -1;
	if (a->n_numbers)
		qsort(a->number, a->n_numbers, sizeof *a->number, by_number);
	for (size_t i = 0; i < a->n_numbers; i++)
		if (i == 0 || a->number[i] != a->number[kept - 1])
			a->number[kept++] = a->number[i];
	a->n_numbers = kept;
	return 0;
}

/* ---- comparison ---- */

static int read_record(
    struct simhash_archive *a, uint32_t number, struct sh_record *r, struct sh_error *err)
{
	int got = sh_store_record(&a->store, number, r, err);

	if (got < 0)
		return -1;
	if (got > 0 && r->id.p == r->line.p && r->line.n > r->id.n)
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive '%s' has no valid record of document %08x: restore it from a backup",
	    a->path, number);
}

/* Sets set->ordered to the tokens of the query or of a candidate. */
static int read_document(
    void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct simhash_archive *a = arg;
	struct sh_slice text = a->text;
	struct sh_analysis x;
	struct sh_record r;

	(void)thread;
	if (document > 0) {
		if (read_record(a, a->number[document - 1], &r, err) < 0)
			return -1;
		text = sh_slice(r.line.p + r.id.n + 1, r.line.n - r.id.n - 1);
		if (a->store.manifest.form == SH_STORE_SKETCH) {
			size_t n = text.n / 4;

			if (SH_RESERVE(a->token, a->token_cap, n + 1, err) < 0)
				return -1;
			for (size_t i = 0; i < n; i++)
				a->token[i] = (uint64_t)sh_le32(text.p + 4 * i) << 32;
			*set = (struct sh_feature_set){ .ordered = a->token, .n_ordered = n };
			return 0;
		}
		a->unescaped.n = 0;
		if (sh_unescape(text, &a->unescaped, err) < 0 ||
		    sh_buf_reserve(&a->unescaped, SH_PAD, err) < 0)
			return -1;
		text = sh_buf_slice(&a->unescaped);
	}
	if (sh_analyse(&a->analyser, text, &x, err) < 0)
		return -1;
	*set = x.set;
	return 0;
}

static int compare(struct simhash_archive *a, struct sh_error *err)
{
	struct sh_comparer_opts opts = { .jaccard = a->rules.jaccard,
		.edit = a->rules.edit,
		.features = a->features,
		.corpus = &a->none,
		.stored = read_document,
		.arg = a };
	struct sh_comparer *c = sh_comparer_new(&opts, err);
	int status = c ? 0 : -1;

	for (size_t i = 0; status == 0 && i < a->n_numbers; i++) {
		struct sh_verdict v;
		struct sh_record r;

		status = sh_comparer_compare(c, 0, (uint32_t)i + 1, false, &v, err);
		if (status < 0 || !v.similar)
			continue;
		if (read_record(a, a->number[i], &r, err) < 0 ||
		    SH_RESERVE(a->match, a->match_cap, a->n_matches + 1, err) < 0)
			status = -1;
		else
			a->match[a->n_matches++] = (struct simhash_match){ r.id.p, r.id.n,
				v.similarity / 10000.0, sh_verdict_measure(v.measure) };
	}
	sh_comparer_delete(c);
	return status;
}

/* The matches are by number before: an insertion sort keeps the order of equal ones. */
static void sort_matches(struct simhash_match *m, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct simhash_match one = m[i];
		size_t at = i;

		for (; at > 0 && m[at - 1].similarity < one.similarity; at--)
			m[at] = m[at - 1];
		m[at] = one;
	}
}

int simhash_archive_query(struct simhash_archive *a, const char *text, size_t size,
    simhash_matches_fn *each, void *arg, struct simhash_error *error)
{
	struct sh_error err;
	int status = sh_store_lock(&a->store, false, a->wait, &err);

	a->text = sh_slice(text, size);
	a->n_matches = 0;
	if (status == 0 && (status = find_candidates(a, &err)) == 0 && a->n_numbers)
		status = compare(a, &err);
	if (status == 0 && a->n_matches) {
		sort_matches(a->match, a->n_matches);
		if (each(arg, a->match, a->n_matches) < 0)
			status = sh_error_set(&err, SH_ERR_PARAM, "the caller ended the query");
	}
	sh_store_unlock(&a->store);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}

/* ---- changes ---- */

static void ignore_met(void *arg, uint32_t id)
{
	(void)arg;
	(void)id;
}

int simhash_archive_remove(struct simhash_archive *a, const char *const *ids, const size_t *sizes,
    size_t n, uint64_t *removed, struct simhash_error *error)
{
	struct sh_hmap map = { 0 };
	struct sh_store_removal removal = { .ids = &map, .met = ignore_met };
	struct sh_error err;
	uint32_t index;
	int status = sh_hmap_init(&map, &err);

	for (size_t i = 0; status == 0 && i < n; i++)
		status = sh_hmap_put(&map, sh_slice(ids[i], sizes[i]), &index, NULL, &err);
	if (status == 0 && (status = sh_store_lock(&a->store, true, a->wait, &err)) == 0) {
		status = sh_store_remove(&a->store, &removal, &err);
		*removed += status == 0 ? removal.documents : 0;
	}
	sh_store_unlock(&a->store);
	sh_hmap_free(&map);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}

int simhash_archive_compact(struct simhash_archive *a, struct simhash_error *error)
{
	struct sh_error err;
	int status = sh_store_lock(&a->store, true, a->wait, &err);

	if (status == 0)
		status = sh_store_compact(&a->store, &err);
	sh_store_unlock(&a->store);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}
