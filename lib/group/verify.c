#include "group/verify.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "fp/analysis.h"
#include "fp/bag.h"
#include "match/align.h"
#include "group/foretell.h"
#include "group/slabcache.h"

enum { KNOWN_COUNTS = 64 };

/* A document's set or sequence, with its id. */
struct entry {
	struct sh_cached cached; /* number: the document */
	struct sh_slice id;
	/* With v->foretells, set.n is the largest number that it can be until has_set. */
	struct sh_weighed_set set;
	bool has_set;
	struct sh_sequence text; /* the tokens, for measures of the order and for v->foretells */
	/* Filled when needed: of the tokens, for measures of the order; of the set's hashes, for
	 * the measure any; of the n-grams, for v->foretells. */
	struct sh_bag *bag, *set_bag;
	struct sh_gram_slots slots;
	bool has_bag, has_set_bag, has_slots;
};

struct sh_verifier {
	struct sh_verify_opts opts;
	struct sh_analyser analyser;
	struct sh_aligner *aligner; /* NULL: no text is aligned */
	size_t touched;             /* n-grams that contain one token, at most */
	bool bounded;               /* similarities below the threshold need not be exact */
	/* The tokens of most pairs decide. A set is made of them when it is needed. */
	bool foretells;
	struct sh_document_room room;
	struct sh_slab_cache cache;
	uint64_t made;
	uint64_t weight[KNOWN_COUNTS]; /* weight[c]: of a feature that occurs c times, c >= 1 */
};

/* Returns 0 when the measure can use the scheme. */
static int check(const struct sh_verify_opts *opts, struct sh_error *err)
{
	if (opts->measure->weighs && (opts->scheme->needs_df || opts->scheme->needs_tokens))
		return sh_error_set(err, SH_ERR_PARAM, "weight %s: %s can use set, tf or log",
		    opts->scheme->name, opts->measure->name);
	return 0;
}

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

static int weigh_small_counts(struct sh_verifier *v, struct sh_error *err)
{
	for (uint32_t i = 1; v->opts.measure->weighs && i < KNOWN_COUNTS; i++)
		if (weight_of(v->opts.scheme, i, &v->weight[i], err) < 0)
			return -1;
	return 0;
}

/* Returns whether the measure looks at the order of the tokens. */
static bool orders(const struct sh_verifier *v)
{
	return v->opts.measure->ordered || v->opts.measure->any;
}

static int begin_analysis(struct sh_verifier *v, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	struct sh_feature_opts f = { .token = opts->token, .ngrams = opts->ngrams };

	v->foretells = opts->corpus && v->bounded && opts->decide && !opts->measure->ordered &&
		       sh_features_follow(&f);
	f.ordered = orders(v) || v->foretells;
	f.only_order = opts->measure->ordered || v->foretells;
	if (opts->corpus)
		memcpy(f.key, opts->corpus->key, sizeof f.key);
	if (opts->corpus && sh_analyser_init(&v->analyser, NULL, &f, err) < 0)
		return -1;
	if (!f.ordered)
		return 0;
	v->touched = sh_ngrams_lead(opts->ngrams);
	for (unsigned n = opts->ngrams.min; n <= opts->ngrams.max; n++)
		v->touched += n;
	v->aligner = sh_aligner_new(err);
	return v->aligner ? 0 : -1;
}

struct sh_verifier *sh_verifier_new(const struct sh_verify_opts *opts, struct sh_error *err)
{
	struct sh_verifier *v = calloc(1, sizeof *v);

	if (!v) {
		sh_error_nomem(err);
		return NULL;
	}
	v->opts = *opts;
	v->bounded = !opts->exact && !opts->measure->weighs && opts->measure->duplicates;
	if (sh_slab_cache_init(&v->cache, opts->memory, err) == 0 && check(opts, err) == 0 &&
	    weigh_small_counts(v, err) == 0 && begin_analysis(v, err) == 0)
		return v;
	sh_verifier_delete(v);
	return NULL;
}

void sh_verifier_delete(struct sh_verifier *v)
{
	if (!v)
		return;
	sh_slab_cache_free(&v->cache);
	sh_analyser_free(&v->analyser);
	sh_aligner_delete(v->aligner);
	sh_document_room_free(&v->room);
	free(v);
}

uint64_t sh_verifier_made(const struct sh_verifier *v)
{
	return v->made;
}

void sh_verifier_be_exact(struct sh_verifier *v)
{
	v->bounded = false;
}

/* ---- sets ---- */

static int weigh(const struct sh_verifier *v, const struct sh_feature_set *f, uint64_t *weight,
    struct sh_weighed_set *set, struct sh_error *err)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->count[i] < KNOWN_COUNTS)
			weight[i] = v->weight[f->count[i]];
		else if (weight_of(v->opts.scheme, f->count[i], &weight[i], err) < 0)
			return -1;
		set->squares = sh_wide_add(set->squares, sh_wide_mul(weight[i], weight[i]));
	}
	set->weight = weight;
	return 0;
}

/* Sets *n to the hashes that the set needs room for. */
static int hashes(
    const struct sh_verifier *v, const struct sh_feature_set *f, size_t *n, struct sh_error *err)
{
	*n = f->n;
	if (!v->foretells)
		return 0;
	return sh_ngrams_count(sh_ngrams_of(v->opts.ngrams, f->n_ordered), f->n_ordered, n, err);
}

/* The numbers of 64 bits that an entry holds. */
static size_t numbers(const struct sh_verifier *v, const struct sh_feature_set *f, size_t hashes)
{
	size_t n = hashes + (v->opts.measure->weighs ? f->n : 0) + (v->aligner ? f->n_ordered : 0);

	if (orders(v))
		n += 2 * SH_BAG_WORDS;
	return v->foretells ? n + sh_gram_slots_words(f->n_ordered) : n;
}

/* Adds the data that the measure needs besides the hashes. room: the memory behind the hashes. */
static int fill_entry(const struct sh_verifier *v, struct entry *e, const struct sh_feature_set *f,
    uint64_t *room, struct sh_error *err)
{
	if (v->opts.measure->weighs)
		return weigh(v, f, room, &e->set, err);
	if (!v->aligner)
		return 0;
	e->text = (struct sh_sequence){ room, f->n_ordered };
	if (f->n_ordered)
		memcpy(room, f->ordered, f->n_ordered * sizeof *room);
	room += f->n_ordered;
	if (orders(v)) {
		e->bag = (struct sh_bag *)room;
		e->set_bag = e->bag + 1;
		room += 2 * SH_BAG_WORDS;
	}
	e->slots.taken = room;
	return 0;
}

static struct entry *make_entry(struct sh_verifier *v, uint64_t document, struct sh_slice id,
    const struct sh_feature_set *f, struct sh_error *err)
{
	struct entry *e;
	size_t n, arrays, bytes;
	uint64_t *hash;
	char *name;

	if (hashes(v, f, &n, err) < 0)
		return NULL;
	arrays = numbers(v, f, n) * sizeof(uint64_t);
	bytes = sizeof *e + arrays + id.n;
	bytes = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
	e = sh_slab_cache_room(&v->cache, bytes, err);
	if (!e)
		return NULL;
	hash = (uint64_t *)(e + 1);
	name = (char *)hash + arrays;
	*e = (struct entry){ .cached = { .number = document, .bytes = bytes },
		.id = { name, id.n },
		.set = { .hash = hash, .n = n },
		.has_set = !v->foretells };
	if (id.n)
		memcpy(name, id.p, id.n);
	if (f->n)
		memcpy(hash, f->hash, f->n * sizeof *hash);
	return fill_entry(v, e, f, hash + n, err) < 0 ? NULL : e;
}

/* Analyses a document. The result is valid until the next call. With v->foretells it has only the
 * tokens. *id: the id, empty without a corpus. */
static int analyse(struct sh_verifier *v, uint64_t document, struct sh_slice *id,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_document doc;
	struct sh_analysis x;

	*id = sh_slice(NULL, 0);
	v->made++;
	if (!v->opts.corpus)
		return v->opts.set_of(v->opts.arg, document, set, err);
	if (sh_corpus_document(v->opts.corpus, (uint32_t)document, &v->room, &doc, err) < 0 ||
	    sh_analyse(&v->analyser, doc.text, &x, err) < 0)
		return -1;
	if (v->opts.strict && x.bad_utf8 + doc.ill_formed)
		return sh_error_set(err, SH_ERR_RECORD,
		    "ill-formed UTF-8 in document '%.*s' (--strict)", sh_shown(doc.id, 80),
		    doc.id.p);
	*id = doc.id;
	*set = x.set;
	return 0;
}

int sh_verifier_set(
    struct sh_verifier *v, uint64_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_slice id;

	if (analyse(v, document, &id, set, err) < 0)
		return -1;
	return v->foretells ? sh_features_of_sequence(
				  v->analyser.features, set->ordered, set->n_ordered, set, err)
			    : 0;
}

/* Makes the set of an entry, if it has none. */
static int make_set(struct sh_verifier *v, struct entry *e, struct sh_error *err)
{
	struct sh_feature_set f;

	if (e->has_set)
		return 0;
	if (sh_features_of_sequence(v->analyser.features, e->text.token, e->text.n, &f, err) < 0)
		return -1;
	if (f.n)
		memcpy(e + 1, f.hash, f.n * sizeof *f.hash);
	e->set.n = f.n;
	e->has_set = true;
	return 0;
}

/* Returns the entry of a document. Earlier entries stay valid while no slab is dropped. */
static struct entry *get(struct sh_verifier *v, uint64_t document, struct sh_error *err)
{
	struct sh_cached *known = sh_slab_cache_find(&v->cache, document);
	struct sh_feature_set f;
	struct sh_slice id;
	struct entry *e;

	if (known)
		return (struct entry *)(void *)known;
	if (analyse(v, document, &id, &f, err) < 0)
		return NULL;
	e = make_entry(v, document, id, &f, err);
	if (e)
		sh_slab_cache_insert(&v->cache, &e->cached);
	return e;
}

/* Sets *a and *b to the entries of two documents. */
static int get_both(struct sh_verifier *v, uint64_t x, uint64_t y, struct entry **a,
    struct entry **b, struct sh_error *err)
{
	uint64_t dropped;

	/* Getting y may drop the entry of x. The newest slabs stay, so the second or third attempt
	 * drops nothing. */
	do {
		dropped = v->cache.dropped;
		*a = get(v, x, err);
		*b = *a ? get(v, y, err) : NULL;
		if (!*b)
			return -1;
	} while (v->cache.dropped != dropped);
	return 0;
}

static struct entry *get_named(struct sh_verifier *v, struct sh_slice id, struct sh_error *err)
{
	uint32_t i = SH_CORPUS_NONE;

	while ((i = sh_corpus_find(v->opts.corpus, id, i)) != SH_CORPUS_NONE) {
		struct entry *e = get(v, i, err);

		if (!e || sh_slice_eq(e->id, id))
			return e;
	}
	sh_error_set(err, SH_ERR_RECORD,
	    "no document has the id '%.*s' (-d, which may be given again)", sh_shown(id, 80), id.p);
	return NULL;
}

/* ---- comparing ---- */

/* The edits that still give the edit similarity, and the n-grams that these leave in common:
 * each edit changes at most v->touched n-grams of a text (Jokinen and Ukkonen 1991). */
struct edits {
	size_t longer; /* tokens of the longer text */
	size_t limit;  /* edits, at most */
	size_t common; /* n-grams in common, at least */
};

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static const struct sh_bag *bag(struct entry *e)
{
	if (!e->has_bag)
		sh_bag_fill(e->bag, e->text.token, e->text.n);
	e->has_bag = true;
	return e->bag;
}

static struct edits edits_of(const struct sh_verifier *v, struct entry *a, struct entry *b)
{
	const struct sh_verify_opts *opts = &v->opts;
	uint64_t threshold = opts->measure->any ? opts->edit_threshold : opts->threshold;
	struct edits e = { .longer = larger(a->text.n, b->text.n) };
	size_t sets = larger(a->set.n, b->set.n);

	e.limit = sh_align_limit(e.longer, v->bounded ? threshold : 0);
	if (sh_bag_distance(bag(a), bag(b)) > e.limit)
		e.common = SIZE_MAX;
	else if (sets > v->touched * e.limit)
		e.common = sets - v->touched * e.limit;
	return e;
}

static int compare_edits(const struct sh_verifier *v, const struct entry *a, const struct entry *b,
    size_t limit, struct sh_similarity *s, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	struct sh_align_bound bound = { limit, opts->decide && v->bounded };

	if (sh_align_similarity(v->aligner, a->text, b->text, bound, s, err) < 0)
		return -1;
	s->reaches = sh_similarity_reaches(
	    s, opts->measure->any ? opts->edit_threshold : opts->threshold, SH_WEIGHT_ONE);
	s->edit = true;
	return 0;
}

/* *s is 0 when it is called, and stays 0 when the edits are too many. */
static int compare_ordered(const struct sh_verifier *v, struct entry *a, struct entry *b,
    struct sh_similarity *s, struct sh_error *err)
{
	struct edits e = edits_of(v, a, b);

	return e.common == SIZE_MAX ? 0 : compare_edits(v, a, b, e.limit, s, err);
}

static const struct sh_bag *set_bag(struct entry *e)
{
	if (!e->has_set_bag)
		sh_bag_fill(e->set_bag, e->set.hash, e->set.n);
	e->has_set_bag = true;
	return e->set_bag;
}

/* Returns whether a cheap look proves that the sets have fewer common features than that. far:
 * they probably have. */
static bool share_less(struct entry *a, struct entry *b, size_t common, bool far)
{
	if (far && larger(a->set.n, b->set.n) - sh_bag_distance(set_bag(a), set_bag(b)) < common)
		return true;
	return sh_sets_share_less(&a->set, &b->set, common);
}

/* *s is 0 when it is called, and stays 0 when a part of the sets shows that they fail. */
static int compare_any(const struct sh_verifier *v, struct entry *a, struct entry *b,
    struct sh_similarity *s, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	struct edits e = edits_of(v, a, b);
	size_t least = sh_jaccard_common(a->set.n, b->set.n, opts->threshold), common, all;
	struct sh_similarity edit;

	least = least < e.common ? least : e.common;
	if (v->bounded && share_less(a, b, least, e.common == SIZE_MAX))
		return 0;
	common = sh_sets_share(&a->set, &b->set);
	all = a->set.n + b->set.n - common;
	*s = (struct sh_similarity){ .num = sh_wide(common), .a = sh_wide(all), .b = sh_wide(all) };
	s->reaches = sh_similarity_reaches(s, opts->threshold, SH_WEIGHT_ONE);
	if (s->reaches || common < e.common)
		return 0;
	if (compare_edits(v, a, b, e.limit, &edit, err) < 0)
		return -1;
	if (edit.reaches)
		*s = edit;
	return 0;
}

/* ---- proofs by the tokens ---- */

enum proof { NOTHING, REACHES, FAILS };

static const struct sh_gram_slots *slots(const struct sh_verifier *v, struct entry *e)
{
	if (!e->has_slots)
		sh_gram_slots_fill(&e->slots, e->text, v->opts.ngrams, SIZE_MAX);
	e->has_slots = true;
	return &e->slots;
}

/* Returns whether the slots prove that the document has at least this number of features. */
static bool has_features(const struct sh_verifier *v, struct entry *e, size_t least)
{
	if (!e->has_slots) {
		sh_gram_slots_fill(&e->slots, e->text, v->opts.ngrams, least);
		e->has_slots = e->slots.distinct < least;
	}
	return e->slots.distinct >= least;
}

/* Proves that the threshold is reached by a few edits. edits: at most this number gives the edit
 * similarity. */
static int prove_reach(const struct sh_verifier *v, struct entry *a, const struct entry *b,
    size_t edits, enum proof *proof, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	size_t most = sh_foretell_edits(a->set.n, v->touched, opts->threshold), distance;
	struct sh_align_bound bound = { larger(edits, most), true, true };

	if (sh_align(v->aligner, a->text, b->text, bound, &distance, err) < 0)
		return -1;
	if ((opts->measure->any && distance <= edits) || distance == 0 ||
	    (distance <= most &&
		has_features(v, a, sh_foretell_features(v->touched * distance, opts->threshold))))
		*proof = REACHES;
	return 0;
}

/* Returns whether more than `edits` edits, and too few common features for the Jaccard threshold,
 * are proven. */
static bool prove_failure(
    const struct sh_verifier *v, struct entry *a, struct entry *b, size_t edits)
{
	struct sh_slots_apart apart;

	if (!sh_gram_slots_apart(slots(v, a), slots(v, b), &apart))
		return false;
	if (v->opts.measure->any && larger(apart.x, apart.y) <= edits * a->slots.size &&
	    sh_bag_distance(bag(a), bag(b)) <= edits)
		return false;
	return sh_foretell_dissimilar(apart, a->set.n, b->set.n, v->opts.threshold);
}

static int prove(const struct sh_verifier *v, struct entry *a, struct entry *b, enum proof *proof,
    struct sh_error *err)
{
	size_t longer = larger(a->text.n, b->text.n),
	       edits = v->opts.measure->any ? sh_align_limit(longer, v->opts.edit_threshold) : 0;

	*proof = NOTHING;
	if (a->text.n == 0 || b->text.n == 0)
		return 0;
	if (prove_reach(v, a, b, edits, proof, err) < 0)
		return -1;
	if (*proof == NOTHING && prove_failure(v, a, b, edits))
		*proof = FAILS;
	return 0;
}

static int compare(struct sh_verifier *v, struct entry *a, struct entry *b, struct sh_similarity *s,
    struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;

	*s = (struct sh_similarity){ .a = sh_wide(1), .b = sh_wide(1) };
	if (v->foretells && v->bounded) {
		enum proof proof;

		if (prove(v, a, b, &proof, err) < 0)
			return -1;
		s->reaches = proof == REACHES;
		if (proof != NOTHING)
			return 0;
	}
	if (make_set(v, a, err) < 0 || make_set(v, b, err) < 0)
		return -1;
	if (opts->measure->ordered)
		return compare_ordered(v, a, b, s, err);
	if (opts->measure->any)
		return compare_any(v, a, b, s, err);
	if (!v->bounded || !sh_sets_share_less(&a->set, &b->set,
			       sh_jaccard_common(a->set.n, b->set.n, opts->threshold)))
		opts->measure->compare(&a->set, &b->set, s);
	s->reaches = sh_similarity_reaches(s, opts->threshold, SH_WEIGHT_ONE);
	return 0;
}

int sh_verify(
    struct sh_verifier *v, uint64_t x, uint64_t y, struct sh_similarity *s, struct sh_error *err)
{
	struct entry *a, *b;

	return get_both(v, x, y, &a, &b, err) < 0 ? -1 : compare(v, a, b, s, err);
}

static bool same_numbers(const uint64_t *x, size_t n, const uint64_t *y, size_t m)
{
	return n == m && (n == 0 || memcmp(x, y, n * sizeof *x) == 0);
}

int sh_verify_same(struct sh_verifier *v, uint64_t x, uint64_t y, bool *same, struct sh_error *err)
{
	struct sh_slots_apart apart;
	struct entry *a, *b;

	if (get_both(v, x, y, &a, &b, err) < 0)
		return -1;
	*same = same_numbers(a->text.token, a->text.n, b->text.token, b->text.n);
	if (v->opts.measure->ordered)
		return 0;
	if (v->foretells &&
	    (*same || (sh_gram_slots_apart(slots(v, a), slots(v, b), &apart) && apart.x + apart.y)))
		return 0;
	if (make_set(v, a, err) < 0 || make_set(v, b, err) < 0)
		return -1;
	*same = same_numbers(a->set.hash, a->set.n, b->set.hash, b->set.n);
	return 0;
}

/* Documents with one digest and one measure have the same features; for an ordered measure also
 * in the same order. */
int sh_verifier_digest(
    struct sh_verifier *v, uint64_t document, uint64_t *digest, struct sh_error *err)
{
	static const uint64_t key[2] = { 0 }; /* features are hashed under a random key */
	struct entry *e = get(v, document, err);

	if (!e || (!orders(v) && make_set(v, e, err) < 0))
		return -1;
	*digest = orders(v) ? sh_siphash(key, e->text.token, e->text.n * sizeof *e->text.token)
			    : sh_siphash(key, e->set.hash, e->set.n * sizeof *e->set.hash);
	return 0;
}

int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err)
{
	const struct entry *e = get_named(v, id1, err);
	uint64_t x, y;

	if (!e)
		return -1;
	x = e->cached.number;
	e = get_named(v, id2, err);
	if (!e)
		return -1;
	y = e->cached.number;
	return sh_verify(v, x, y, s, err);
}
