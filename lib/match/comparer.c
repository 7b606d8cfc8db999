#include "match/comparer.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fp/analysis.h"
#include "fp/bag.h"
#include "match/align.h"

/* A document in the arena: its bag of tokens, its tokens in order, its set. */
struct view {
	uint32_t document;
	bool has_bag;  /* the bag is filled: it is needed for edit similarity only */
	size_t at;     /* the first word in the arena */
	size_t tokens; /* in order */
	size_t set;    /* hashes of the set; 0 without Jaccard similarity */
};

struct sh_comparer {
	struct sh_comparer_opts opts;
	struct sh_analyser analyser;
	struct sh_features *stored; /* sets of stored tokens */
	struct sh_aligner *aligner;
	struct sh_document_room room[2];
	uint64_t *arena;
	size_t used, cap; /* words */
	struct view *view;
	size_t n_views, views; /* views: most of them */
	uint32_t *slot;        /* hash table: view + 1; 2 * views slots */
};

enum { VIEW_BYTES = 512 }; /* bytes of the arena for each view, at least */

struct sh_comparer *sh_comparer_new(const struct sh_comparer_opts *opts, struct sh_error *err)
{
	struct sh_comparer *m = calloc(1, sizeof *m);
	struct sh_feature_opts features = opts->features;

	if (!m) {
		sh_error_nomem(err);
		return NULL;
	}
	m->opts = *opts;
	features.ordered = true;
	features.only_order = !opts->jaccard;
	m->opts.features = features;
	for (m->views = 64; m->views < opts->arena / VIEW_BYTES; m->views *= 2) {
	}
	m->view = malloc(m->views * sizeof *m->view);
	m->slot = calloc(2 * m->views, sizeof *m->slot);
	if (!m->view || !m->slot)
		sh_error_nomem(err);
	else if (sh_analyser_init(&m->analyser, NULL, &features, err) == 0 &&
		 (m->aligner = sh_aligner_new(err)) &&
		 (!opts->stored || (m->stored = sh_features_new(&features, err))))
		return m;
	sh_comparer_delete(m);
	return NULL;
}

void sh_comparer_delete(struct sh_comparer *m)
{
	if (!m)
		return;
	sh_analyser_free(&m->analyser);
	sh_features_delete(m->stored);
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

/* Sets *set to the tokens of a document, and to its set when Jaccard similarity makes matches. */
static int read_document(
    struct sh_comparer *m, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_document doc;
	struct sh_analysis x;

	if (document < m->opts.corpus->n) {
		if (sh_corpus_document(m->opts.corpus, document, &m->room[0], &doc, err) < 0 ||
		    sh_analyse(&m->analyser, doc.text, &x, err) < 0)
			return -1;
		*set = x.set;
		return 0;
	}
	*set = (struct sh_feature_set){ 0 };
	if (m->opts.stored(m->opts.arg, m->opts.thread, document, set, err) < 0)
		return -1;
	return m->opts.jaccard && !set->hash && set->n_ordered
		   ? sh_features_of_sequence(m->stored, set->ordered, set->n_ordered, set, err)
		   : 0;
}

/* Reserves n words of the arena. Empties it when it is full, unless `keep`: then it grows. */
static int reserve(struct sh_comparer *m, size_t n, bool keep, struct sh_error *err)
{
	if (!keep && m->used + n > m->opts.arena / sizeof *m->arena)
		empty_arena(m);
	return SH_RESERVE(m->arena, m->cap, m->used + n, err);
}

/* Returns the view of a document. keep: no other view may be lost. */
static struct view *get(struct sh_comparer *m, uint32_t document, bool keep, struct sh_error *err)
{
	struct view *v = find(m, document);
	struct sh_feature_set set;
	size_t words;

	if (v)
		return v;
	if (read_document(m, document, &set, err) < 0)
		return NULL;
	words = SH_BAG_WORDS + set.n_ordered + set.n;
	if (reserve(m, words, keep, err) < 0)
		return NULL;
	v = &m->view[m->n_views++];
	*v = (struct view){ document, false, m->used, set.n_ordered, set.n };
	m->used += words;
	if (set.n_ordered)
		memcpy(m->arena + v->at + SH_BAG_WORDS, set.ordered,
		    set.n_ordered * sizeof *set.ordered);
	if (set.n)
		memcpy(m->arena + v->at + SH_BAG_WORDS + set.n_ordered, set.hash,
		    set.n * sizeof *set.hash);
	*slot_of(m, document) = (uint32_t)m->n_views;
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
	return (struct sh_weighed_set){ .hash = m->arena + v->at + SH_BAG_WORDS + v->tokens,
		.n = v->set };
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
	size_t least = sh_jaccard_common(x.n, y.n, m->opts.jaccard), common;

	if (!exact && ((x.n < y.n ? x.n : y.n) < least || sh_sets_share_less(&x, &y, least)))
		return;
	common = sh_sets_share(&x, &y);
	verdict->similar = common >= least;
	verdict->similarity = ratio(common, x.n + y.n - common);
}

static int align(struct sh_comparer *m, struct view *a, struct view *b, bool exact,
    struct sh_verdict *verdict, struct sh_error *err)
{
	struct sh_sequence x = tokens(m, a), y = tokens(m, b);
	size_t longer = x.n > y.n ? x.n : y.n, shorter = x.n + y.n - longer, distance;
	size_t limit = sh_align_limit(longer, m->opts.edit);
	struct sh_align_bound bound = { .most = exact ? longer : limit };

	*verdict = (struct sh_verdict){ .measure = SH_VERDICT_EDIT };
	if (!exact && (longer - shorter > limit || sh_bag_distance(bag(m, a), bag(m, b)) > limit))
		return 0;
	if (sh_align(m->aligner, x, y, bound, &distance, err) < 0)
		return -1;
	verdict->similar = distance <= limit;
	if (distance <= bound.most)
		verdict->similarity = ratio(longer - distance, longer);
	return 0;
}

int sh_comparer_compare(struct sh_comparer *m, uint32_t x, uint32_t y, bool exact,
    struct sh_verdict *verdict, struct sh_error *err)
{
	struct view *a, *b;

	*verdict = (struct sh_verdict){ .measure = m->opts.jaccard ? SH_VERDICT_JACCARD
								   : SH_VERDICT_EDIT };
	if (get_both(m, x, y, &a, &b, err) < 0)
		return -1;
	if (m->opts.jaccard && a->set && b->set)
		compare_sets(m, a, b, exact, verdict);
	if (m->opts.edit && !verdict->similar && a->tokens && b->tokens)
		return align(m, a, b, exact, verdict, err);
	return 0;
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
