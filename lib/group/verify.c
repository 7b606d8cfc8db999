#include "group/verify.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "fp/analysis.h"
#include "fp/bag.h"
#include "group/align.h"
#include "io/pages.h"

enum { FIRST_BITS = 8, KNOWN_COUNTS = 64 };

/* Entries are stored in slabs: first a small one, which suffices for few documents, then large
 * ones. */
enum { FIRST_SLAB = 1 << 17, SLAB = 1 << 21, SLABS_MIN = 3 };

/* A document's set or sequence, with its id, in one part of a slab. */
struct entry {
	uint64_t document;
	struct entry *next_hash; /* next entry of the same slot */
	size_t bytes;
	struct sh_slice id;
	struct sh_weighed_set set;
	/* for measures of the order: the tokens, and the number of occurrences of each */
	struct sh_sequence text;
	const struct sh_bag *bag;
	struct sh_bag *set_bag; /* of the set's hashes, for the measure any: filled when needed */
	bool has_set_bag;
};

/* Entries, one after the other. */
struct slab {
	_Alignas(uint64_t) struct slab *newer;
	size_t size, used;
};

struct sh_verifier {
	struct sh_verify_opts opts;
	struct sh_analyser analyser;
	struct sh_aligner *aligner; /* NULL: the measure does not look at the order */
	size_t touched;             /* n-grams that contain one token, at most */
	bool bounded;               /* similarities below the threshold need not be exact */
	struct sh_document_room room;
	struct entry **slots;
	unsigned slot_bits;
	struct slab *newest, *oldest;
	size_t n, n_slabs, bytes;
	uint64_t made;
	uint64_t dropped;              /* number of slabs freed so far; their entries are invalid */
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

static int begin_analysis(struct sh_verifier *v, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	struct sh_feature_opts f = { .token = opts->token,
		.ngrams = opts->ngrams,
		.ordered = opts->measure->ordered || opts->measure->any,
		.only_order = opts->measure->ordered };

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
	v->slot_bits = FIRST_BITS;
	v->slots = calloc((size_t)1 << v->slot_bits, sizeof *v->slots);
	if (!v->slots)
		sh_error_nomem(err);
	else if (check(opts, err) == 0 && weigh_small_counts(v, err) == 0 &&
		 begin_analysis(v, err) == 0)
		return v;
	sh_verifier_delete(v);
	return NULL;
}

void sh_verifier_delete(struct sh_verifier *v)
{
	struct slab *s, *newer;

	if (!v)
		return;
	for (s = v->oldest; s; s = newer) {
		newer = s->newer;
		sh_pages_put(s, s->size);
	}
	sh_analyser_free(&v->analyser);
	sh_aligner_delete(v->aligner);
	sh_document_room_free(&v->room);
	free(v->slots);
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

/* ---- the cache ---- */

static struct entry **slot(const struct sh_verifier *v, uint64_t document)
{
	return &v->slots[document * UINT64_C(0x9E3779B97F4A7C15) >> (64 - v->slot_bits)];
}

static struct entry *find(const struct sh_verifier *v, uint64_t document)
{
	struct entry *e = *slot(v, document);

	while (e && e->document != document)
		e = e->next_hash;
	return e;
}

static void forget(struct sh_verifier *v, const struct entry *e)
{
	struct entry **at = slot(v, e->document);

	while (*at != e)
		at = &(*at)->next_hash;
	*at = e->next_hash;
	v->n--;
}

static void put_slab(struct slab *s)
{
	if (s)
		sh_pages_put(s, s->size);
}

/* Returns the oldest slab after it was emptied. */
static struct slab *drop_oldest(struct sh_verifier *v)
{
	struct slab *s = v->oldest;
	const char *p = (const char *)(s + 1), *end = (const char *)s + s->used;

	for (; p < end; p += ((const struct entry *)(const void *)p)->bytes)
		forget(v, (const struct entry *)(const void *)p);
	v->oldest = s->newer;
	v->n_slabs--;
	v->bytes -= s->size;
	v->dropped++;
	return s;
}

/* Adds a slab with room for an entry of `bytes` bytes, a dropped one if possible: the first
 * access to new memory takes time. Keeps the two newest slabs, which may hold the entries being
 * compared. */
static int add_slab(struct sh_verifier *v, size_t bytes, struct sh_error *err)
{
	size_t usual = v->n_slabs && v->opts.memory / SLABS_MIN >= SLAB ? SLAB : FIRST_SLAB, size;
	struct slab *s = NULL;

	if (bytes > SIZE_MAX / 2)
		return sh_error_nomem(err);
	bytes += sizeof *s;
	size = bytes <= usual ? usual : bytes;
	while (v->n_slabs >= SLABS_MIN && v->bytes + size > v->opts.memory) {
		put_slab(s);
		s = drop_oldest(v);
	}
	if (!s || s->size != size) {
		put_slab(s);
		s = sh_pages_get(size);
	}
	if (!s)
		return sh_error_nomem(err);
	*s = (struct slab){ .size = size, .used = sizeof *s };
	*(v->newest ? &v->newest->newer : &v->oldest) = s;
	v->newest = s;
	v->n_slabs++;
	v->bytes += size;
	return 0;
}

/* Returns memory for an entry, which becomes valid when it is inserted. */
static struct entry *room_for(struct sh_verifier *v, size_t bytes, struct sh_error *err)
{
	if ((!v->newest || bytes > v->newest->size - v->newest->used) &&
	    add_slab(v, bytes, err) < 0)
		return NULL;
	return (struct entry *)(void *)((char *)v->newest + v->newest->used);
}

static void grow_slots(struct sh_verifier *v)
{
	struct entry **old = v->slots;
	size_t n = (size_t)1 << v->slot_bits;

	if (v->slot_bits == 32)
		return;
	v->slots = calloc(2 * n, sizeof *v->slots);
	if (!v->slots) {
		v->slots = old; /* the old table still works, but slower */
		return;
	}
	v->slot_bits++;
	for (size_t i = 0; i < n; i++) {
		for (struct entry *e = old[i], *next; e; e = next) {
			struct entry **to = slot(v, e->document);

			next = e->next_hash;
			e->next_hash = *to;
			*to = e;
		}
	}
	free(old);
}

static void insert(struct sh_verifier *v, struct entry *e)
{
	struct entry **to;

	if (v->n >> v->slot_bits)
		grow_slots(v);
	to = slot(v, e->document);
	e->next_hash = *to;
	*to = e;
	v->newest->used += e->bytes;
	v->n++;
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

/* The numbers of 64 bits that an entry holds. */
static size_t numbers(const struct sh_verifier *v, const struct sh_feature_set *f)
{
	size_t bags = v->opts.measure->any ? 2 : v->opts.measure->ordered;

	return f->n + (v->opts.measure->weighs ? f->n : 0) + f->n_ordered + bags * SH_BAG_WORDS;
}

/* Adds the data that the measure needs besides the hashes. room: the memory behind the hashes. */
static int fill_entry(const struct sh_verifier *v, struct entry *e, const struct sh_feature_set *f,
    uint64_t *room, struct sh_error *err)
{
	struct sh_bag *bag;

	if (v->opts.measure->weighs)
		return weigh(v, f, room, &e->set, err);
	if (!v->aligner)
		return 0;
	e->text = (struct sh_sequence){ room, f->n_ordered };
	if (f->n_ordered)
		memcpy(room, f->ordered, f->n_ordered * sizeof *room);
	bag = (struct sh_bag *)(room + f->n_ordered);
	sh_bag_fill(bag, e->text.token, e->text.n);
	e->bag = bag;
	e->set_bag = bag + 1;
	return 0;
}

static struct entry *make_entry(struct sh_verifier *v, uint64_t document, struct sh_slice id,
    const struct sh_feature_set *f, struct sh_error *err)
{
	size_t arrays = numbers(v, f) * sizeof(uint64_t),
	       bytes = sizeof(struct entry) + arrays + id.n;
	struct entry *e;
	uint64_t *hash;
	char *name;

	bytes = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
	e = room_for(v, bytes, err);
	if (!e)
		return NULL;
	hash = (uint64_t *)(e + 1);
	name = (char *)hash + arrays;
	*e = (struct entry){ .document = document, .bytes = bytes, .id = { name, id.n } };
	if (id.n)
		memcpy(name, id.p, id.n);
	if (f->n)
		memcpy(hash, f->hash, f->n * sizeof *hash);
	e->set.hash = hash;
	e->set.n = f->n;
	return fill_entry(v, e, f, hash + f->n, err) < 0 ? NULL : e;
}

/* Computes the set of a document, which is valid until the next call. *id: its id, empty without
 * a corpus. */
static int set_of(struct sh_verifier *v, uint64_t document, struct sh_slice *id,
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

	return set_of(v, document, &id, set, err);
}

/* Returns the entry of a document. Earlier entries stay valid while no slab is dropped. */
static struct entry *get(struct sh_verifier *v, uint64_t document, struct sh_error *err)
{
	struct entry *e = find(v, document);
	struct sh_feature_set f;
	struct sh_slice id;

	if (e)
		return e;
	if (set_of(v, document, &id, &f, err) < 0)
		return NULL;
	e = make_entry(v, document, id, &f, err);
	if (e)
		insert(v, e);
	return e;
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

static struct edits edits_of(
    const struct sh_verifier *v, const struct entry *a, const struct entry *b)
{
	const struct sh_verify_opts *opts = &v->opts;
	uint64_t threshold = opts->measure->any ? opts->edit_threshold : opts->threshold;
	struct edits e = { .longer = larger(a->text.n, b->text.n) };
	size_t sets = larger(a->set.n, b->set.n);

	e.limit = sh_align_limit(e.longer, v->bounded ? threshold : 0);
	if (sh_bag_distance(a->bag, b->bag) > e.limit)
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
	return 0;
}

static int compare_ordered(const struct sh_verifier *v, const struct entry *a,
    const struct entry *b, struct sh_similarity *s, struct sh_error *err)
{
	struct edits e = edits_of(v, a, b);

	*s = (struct sh_similarity){ .a = sh_wide(1), .b = sh_wide(1) };
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

static int compare_any(const struct sh_verifier *v, struct entry *a, struct entry *b,
    struct sh_similarity *s, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	struct edits e = edits_of(v, a, b);
	size_t least = sh_jaccard_common(a->set.n, b->set.n, opts->threshold), common, all;
	struct sh_similarity edit;

	*s = (struct sh_similarity){ .a = sh_wide(1), .b = sh_wide(1) };
	least = least < e.common ? least : e.common;
	if (v->bounded && share_less(a, b, least, e.common == SIZE_MAX))
		return 0;
	common = sh_sets_share(&a->set, &b->set);
	all = a->set.n + b->set.n - common;
	*s = (struct sh_similarity){ sh_wide(common), sh_wide(all), sh_wide(all), false };
	s->reaches = sh_similarity_reaches(s, opts->threshold, SH_WEIGHT_ONE);
	if (s->reaches || common < e.common)
		return 0;
	if (compare_edits(v, a, b, e.limit, &edit, err) < 0)
		return -1;
	if (edit.reaches)
		*s = edit;
	return 0;
}

static int compare(struct sh_verifier *v, struct entry *a, struct entry *b, struct sh_similarity *s,
    struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;

	if (opts->measure->ordered)
		return compare_ordered(v, a, b, s, err);
	if (opts->measure->any)
		return compare_any(v, a, b, s, err);
	if (v->bounded && sh_sets_share_less(&a->set, &b->set,
			      sh_jaccard_common(a->set.n, b->set.n, opts->threshold)))
		*s = (struct sh_similarity){ .a = sh_wide(1), .b = sh_wide(1) };
	else
		opts->measure->compare(&a->set, &b->set, s);
	s->reaches = sh_similarity_reaches(s, opts->threshold, SH_WEIGHT_ONE);
	return 0;
}

int sh_verify(
    struct sh_verifier *v, uint64_t x, uint64_t y, struct sh_similarity *s, struct sh_error *err)
{
	struct entry *a, *b;
	uint64_t dropped;

	/* Getting y may drop the entry of x. The newest slabs stay, so the second or third attempt
	 * drops nothing. */
	do {
		dropped = v->dropped;
		a = get(v, x, err);
		b = a ? get(v, y, err) : NULL;
		if (!b)
			return -1;
	} while (v->dropped != dropped);
	return compare(v, a, b, s, err);
}

/* Documents with one digest and one measure have the same features; for an ordered measure also
 * in the same order. */
int sh_verifier_digest(
    struct sh_verifier *v, uint64_t document, uint64_t *digest, struct sh_error *err)
{
	static const uint64_t key[2] = { 0 }; /* features are hashed under a random key */
	const struct entry *e = get(v, document, err);

	if (!e)
		return -1;
	*digest = sh_siphash(key, e->set.hash, e->set.n * sizeof *e->set.hash);
	if (v->aligner)
		*digest = sh_siphash(key, e->text.token, e->text.n * sizeof *e->text.token);
	return 0;
}

int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err)
{
	const struct entry *e = get_named(v, id1, err);
	uint64_t x, y;

	if (!e)
		return -1;
	x = e->document;
	e = get_named(v, id2, err);
	if (!e)
		return -1;
	y = e->document;
	return sh_verify(v, x, y, s, err);
}
