/* SPDX-License-Identifier: MIT */
#include "match/comparer.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fp/bag.h"
#include "fp/features.h"
#include "match/align.h"

enum {
	VIEW_BYTES = 512,  /* bytes of the arena for each view, at least */
	KNOWN_COUNTS = 64, /* occurrences whose weights are computed once */
};

/* A document in the arena: its bag of tokens, its tokens in order, its set, the weights of the set,
 * its id. */
struct view {
	uint32_t document;
	bool has_bag;           /* the bag is filled: it is needed for edit similarity only */
	size_t at;              /* the first word in the arena */
	size_t tokens;          /* in order */
	size_t set;             /* hashes of the set; 0 when the measure is edit */
	size_t id;              /* bytes of the id */
	struct sh_wide squares; /* of the weights */
};

struct sh_comparer {
	struct sh_comparer_opts opts;
	struct sh_features *features;
	struct sh_aligner *aligner;
	struct sh_document_room room[2];
	uint64_t *arena;
	size_t used, cap; /* words */
	struct view *view;
	size_t n_views, views;         /* views: most of them */
	uint32_t *slot;                /* hash table: view + 1; 2 * views slots */
	bool sets, orders, weighs;     /* what the measures compare */
	uint64_t weight[KNOWN_COUNTS]; /* weight[c]: of a feature that occurs c times, c >= 1 */
};

/* ---- weights ---- */

/* Computes weights as whole numbers: the counts for set and tf, millionths of logarithms for
 * log. */
static int weight_of(
    const struct sh_scheme *scheme, uint32_t count, uint64_t *weight, struct sh_error *err)
{
	struct sh_term t = { .tf = count };
	int64_t w;

	if (scheme->weigh(&t, &w, err) < 0)
		return -1;
	*weight = (uint64_t)(scheme->needs_count ? w : w / SH_WEIGHT_ONE);
	return 0;
}

static int start_weights(struct sh_comparer *m, struct sh_error *err)
{
	const struct sh_scheme *scheme = m->opts.scheme;

	if (!m->weighs)
		return 0;
	if (scheme->needs_df || scheme->needs_tokens)
		return sh_error_set(err, SH_ERR_PARAM, "weight %s: %s can use set, tf or log",
		    scheme->name, m->opts.measure->name);
	for (uint32_t i = 1; i < KNOWN_COUNTS; i++)
		if (weight_of(scheme, i, &m->weight[i], err) < 0)
			return -1;
	return 0;
}

static int weigh(const struct sh_comparer *m, const struct sh_feature_set *f, uint64_t *weight,
    struct sh_wide *squares, struct sh_error *err)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->count[i] < KNOWN_COUNTS)
			weight[i] = m->weight[f->count[i]];
		else if (weight_of(m->opts.scheme, f->count[i], &weight[i], err) < 0)
			return -1;
		*squares = sh_wide_add(*squares, sh_wide_mul(weight[i], weight[i]));
	}
	return 0;
}

/* ---- a comparer ---- */

struct sh_comparer *sh_comparer_new(const struct sh_comparer_opts *opts, struct sh_error *err)
{
	struct sh_comparer *m = calloc(1, sizeof *m);
	struct sh_feature_opts features = opts->features;

	if (!m) {
		sh_error_nomem(err);
		return NULL;
	}
	m->opts = *opts;
	m->sets = opts->measure ? !opts->measure->ordered : opts->jaccard > 0;
	m->orders = opts->measure ? opts->measure->ordered || opts->measure->any : opts->edit > 0;
	m->weighs = opts->measure && opts->measure->weighs;
	features.only_order = !m->sets;
	m->opts.features = features;
	for (m->views = 64; m->views < opts->arena / VIEW_BYTES; m->views *= 2) {
	}
	m->view = malloc(m->views * sizeof *m->view);
	m->slot = calloc(2 * m->views, sizeof *m->slot);
	if (!m->view || !m->slot)
		sh_error_nomem(err);
	else if ((m->features = sh_features_new(&features, err)) &&
		 (m->aligner = sh_aligner_new(err)) && start_weights(m, err) == 0)
		return m;
	sh_comparer_delete(m);
	return NULL;
}

void sh_comparer_delete(struct sh_comparer *m)
{
	if (!m)
		return;
	sh_features_delete(m->features);
	sh_aligner_delete(m->aligner);
	sh_document_room_free(&m->room[0]);
	sh_document_room_free(&m->room[1]);
	free(m->arena);
	free(m->view);
	free(m->slot);
	free(m);
}

/* ---- the arena ---- */

static void empty_arena(struct sh_comparer *m)
{
	m->used = m->n_views = 0;
	memset(m->slot, 0, 2 * m->views * sizeof *m->slot);
}

/* Returns the slot of the document, or the empty slot where it belongs. */
static uint32_t *slot_of(const struct sh_comparer *m, uint32_t document)
{
	size_t at = (size_t)(document * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (2 * m->views - 1);

	while (m->slot[at] && m->view[m->slot[at] - 1].document != document)
		at = (at + 1) & (2 * m->views - 1);
	return &m->slot[at];
}

static struct view *find(const struct sh_comparer *m, uint32_t document)
{
	uint32_t i = *slot_of(m, document);

	return i ? &m->view[i - 1] : NULL;
}

/* Sets *set to the tokens of a document, and to its set when sets are compared. */
static int read_document(struct sh_comparer *m, uint32_t document, struct sh_feature_set *set,
    struct sh_slice *id, struct sh_error *err)
{
	struct sh_document doc;

	*id = sh_slice(NULL, 0);
	if (document < m->opts.corpus->n) {
		if (sh_corpus_document(m->opts.corpus, document, &m->room[0], &doc, err) < 0 ||
		    sh_features_of(m->features, doc.text, set, err) < 0)
			return -1;
		if (m->opts.strict && set->bad_utf8 + doc.ill_formed)
			return sh_error_set(err, SH_ERR_RECORD,
			    "ill-formed UTF-8 in document '%.*s' (--strict)", sh_shown(doc.id, 80),
			    doc.id.p);
		if (m->opts.ids)
			*id = doc.id;
		return 0;
	}
	*set = (struct sh_feature_set){ 0 };
	if (m->opts.stored(m->opts.arg, m->opts.thread, document, set, err) < 0)
		return -1;
	return m->sets && !set->hash && set->n_ordered
		   ? sh_features_of_sequence(m->features, set->ordered, set->n_ordered, set, err)
		   : 0;
}

/* Reserves n words of the arena. Empties it when it is full, unless `keep`: then it grows. */
static int reserve(struct sh_comparer *m, size_t n, bool keep, struct sh_error *err)
{
	if (!keep && m->used + n > m->opts.arena / sizeof *m->arena)
		empty_arena(m);
	return SH_RESERVE(m->arena, m->cap, m->used + n, err);
}

/* Copies n words to the arena, behind the words in use. */
static void put_words(struct sh_comparer *m, const uint64_t *word, size_t n)
{
	if (n)
		memcpy(m->arena + m->used, word, n * sizeof *word);
	m->used += n;
}

/* Returns the view of a document. keep: no other view may be lost. */
static struct view *get(struct sh_comparer *m, uint32_t document, bool keep, struct sh_error *err)
{
	struct view *v = find(m, document);
	struct sh_feature_set set;
	struct sh_slice id;
	size_t words;

	if (v)
		return v;
	if (read_document(m, document, &set, &id, err) < 0)
		return NULL;
	words = SH_BAG_WORDS + set.n_ordered + (m->weighs ? 2 : 1) * set.n + id.n / 8 + 1;
	if (reserve(m, words, keep, err) < 0)
		return NULL;
	v = &m->view[m->n_views];
	*v = (struct view){ .document = document,
		.at = m->used,
		.tokens = set.n_ordered,
		.set = set.n,
		.id = id.n };
	m->used += SH_BAG_WORDS;
	put_words(m, set.ordered, set.n_ordered);
	put_words(m, set.hash, set.n);
	if (m->weighs) {
		if (weigh(m, &set, m->arena + m->used, &v->squares, err) < 0)
			return NULL;
		m->used += set.n;
	}
	if (id.n)
		memcpy(m->arena + m->used, id.p, id.n);
	m->used += id.n / 8 + 1;
	*slot_of(m, document) = (uint32_t)++m->n_views;
	return v;
}

/* Sets *a and *b to the views of two documents. */
static int get_both(struct sh_comparer *m, uint32_t x, uint32_t y, struct view **a, struct view **b,
    struct sh_error *err)
{
	if (m->n_views + 2 > m->views)
		empty_arena(m);
	*a = get(m, x, find(m, y) != NULL, err);
	*b = *a ? get(m, y, true, err) : NULL;
	return *b ? 0 : -1;
}

static struct sh_sequence tokens(const struct sh_comparer *m, const struct view *v)
{
	return (struct sh_sequence){ m->arena + v->at + SH_BAG_WORDS, v->tokens };
}

static struct sh_weighed_set set(const struct sh_comparer *m, const struct view *v)
{
	const uint64_t *hash = m->arena + v->at + SH_BAG_WORDS + v->tokens;

	return (struct sh_weighed_set){
		.hash = hash, .weight = hash + v->set, .n = v->set, .squares = v->squares
	};
}

static struct sh_slice id_of(const struct sh_comparer *m, const struct view *v)
{
	size_t sets = (m->weighs ? 2 : 1) * v->set;

	return sh_slice((const char *)(m->arena + v->at + SH_BAG_WORDS + v->tokens + sets), v->id);
}

static const struct sh_bag *bag(const struct sh_comparer *m, struct view *v)
{
	struct sh_bag *b = (struct sh_bag *)(void *)(m->arena + v->at);

	if (!v->has_bag)
		sh_bag_fill(b, tokens(m, v).token, v->tokens);
	v->has_bag = true;
	return b;
}

/* ---- comparing ---- */

static unsigned ratio(size_t part, size_t all)
{
	return (unsigned)((20000 * (uint64_t)part + all) / (2 * (uint64_t)all));
}

static void compare_sets(const struct sh_comparer *m, const struct view *a, const struct view *b,
    bool exact, struct sh_verdict *verdict)
{
	struct sh_weighed_set x = set(m, a), y = set(m, b);
	size_t least, common;

	if (m->opts.measure && !m->opts.measure->duplicates) {
		struct sh_similarity sim;

		m->opts.measure->compare(&x, &y, &sim);
		verdict->measure = SH_VERDICT_OTHER;
		verdict->similar = sh_similarity_reaches(&sim, m->opts.jaccard, SH_WEIGHT_ONE);
		verdict->similarity = sh_similarity_round(&sim);
		return;
	}
	least = sh_jaccard_common(x.n, y.n, m->opts.jaccard);
	common = sh_sets_share(&x, &y, exact ? 0 : least);
	verdict->similar = common >= least;
	if (exact || verdict->similar)
		verdict->similarity = ratio(common, x.n + y.n - common);
}

static int align(struct sh_comparer *m, struct view *a, struct view *b, bool exact,
    struct sh_verdict *verdict, struct sh_error *err)
{
	struct sh_sequence x = tokens(m, a), y = tokens(m, b);
	size_t longer = x.n > y.n ? x.n : y.n, shorter = x.n + y.n - longer, distance;
	size_t limit = sh_align_limit(longer, m->opts.edit);
	size_t most = exact ? longer : limit;

	*verdict = (struct sh_verdict){ .measure = SH_VERDICT_EDIT };
	if (!exact && (longer - shorter > limit || sh_bag_distance(bag(m, a), bag(m, b)) > limit))
		return 0;
	if (sh_align(m->aligner, x, y, most, &distance, err) < 0)
		return -1;
	verdict->similar = distance <= limit;
	if (distance <= most)
		verdict->similarity = ratio(longer - distance, longer);
	return 0;
}

int sh_comparer_compare(struct sh_comparer *m, uint32_t x, uint32_t y, bool exact,
    struct sh_verdict *verdict, struct sh_error *err)
{
	struct view *a, *b;

	if (get_both(m, x, y, &a, &b, err) < 0)
		return -1;
	/* A document without tokens has the similarity 0 to each document. */
	*verdict = (struct sh_verdict){ .measure = m->sets ? SH_VERDICT_JACCARD : SH_VERDICT_EDIT,
		.similar = m->opts.measure && !(m->sets ? m->opts.jaccard : m->opts.edit) &&
			   (!a->tokens || !b->tokens) };
	if (m->sets && a->set && b->set)
		compare_sets(m, a, b, exact, verdict);
	if (m->orders && !verdict->similar && a->tokens && b->tokens)
		return align(m, a, b, exact, verdict, err);
	return 0;
}

int sh_comparer_find(
    struct sh_comparer *m, struct sh_slice id, uint32_t *document, struct sh_error *err)
{
	*document = SH_CORPUS_NONE;
	while ((*document = sh_corpus_find(m->opts.corpus, id, *document)) != SH_CORPUS_NONE) {
		const struct view *v;

		if (m->n_views + 2 > m->views)
			empty_arena(m);
		v = get(m, *document, false, err);
		if (!v)
			return -1;
		if (sh_slice_eq(id_of(m, v), id))
			return 0;
	}
	return sh_error_set(err, SH_ERR_RECORD,
	    "no document has the id '%.*s' (-d, which may be given again)", sh_shown(id, 80), id.p);
}

int sh_comparer_same(
    struct sh_comparer *m, uint32_t x, uint32_t y, bool *same, struct sh_error *err)
{
	const struct sh_corpus *c = m->opts.corpus;
	struct sh_document p, q;
	struct sh_sequence s, t;
	struct view *a, *b;

	if (x < c->n && y < c->n) {
		if (sh_corpus_document(c, x, &m->room[0], &p, err) < 0 ||
		    sh_corpus_document(c, y, &m->room[1], &q, err) < 0)
			return -1;
		*same = sh_slice_eq(p.text, q.text);
		if (*same)
			return 0;
	}
	if (get_both(m, x, y, &a, &b, err) < 0)
		return -1;
	s = tokens(m, a);
	t = tokens(m, b);
	*same = s.n && s.n == t.n && memcmp(s.token, t.token, s.n * sizeof *s.token) == 0;
	return 0;
}

bool sh_comparer_excludes(const struct sh_comparer_opts *opts, size_t tokens1, size_t tokens2,
    size_t features1, size_t features2)
{
	size_t longer = tokens1 > tokens2 ? tokens1 : tokens2, shorter = tokens1 + tokens2 - longer;
	size_t less = features1 < features2 ? features1 : features2;

	if (opts->edit &&
	    (!tokens1 || !tokens2 || longer - shorter <= sh_align_limit(longer, opts->edit)))
		return false;
	return !opts->jaccard ||
	       (less && less < sh_jaccard_common(features1, features2, opts->jaccard));
}

const char *sh_verdict_measure(unsigned measure)
{
	return measure == SH_VERDICT_JACCARD ? "jaccard" : "edit";
}
