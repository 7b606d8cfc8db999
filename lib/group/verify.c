#include "group/verify.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "fp/features.h"
#include "group/align.h"
#include "io/pages.h"

enum { FIRST_BITS = 8, KNOWN_COUNTS = 64 };

/* Sets lie in slabs: a small one, for few documents do with it, then large ones. */
enum { FIRST_SLAB = 1 << 17, SLAB = 1 << 21, SLABS_MIN = 3 };

/* A document's set or sequence, with its id, in one piece of a slab. */
struct entry {
	uint32_t document;
	struct entry *next_hash; /* the next entry of the same slot */
	size_t bytes;
	struct sh_slice id;
	struct sh_weighed_set set;
	struct sh_sequence sequence; /* for measures that are ordered */
};

/* Entries, one behind the other. */
struct slab {
	_Alignas(uint64_t) struct slab *newer;
	size_t size, used;
};

struct sh_verifier {
	struct sh_verify_opts opts;
	struct sh_features *features;
	struct sh_aligner *aligner; /* for measures that are ordered */
	struct sh_verifier *edit;   /* for the measure any: asked when Jaccard does not reach */
	bool bounded;               /* Jaccard similarities below the threshold need not be exact */
	struct sh_document_room room;
	struct entry **slots;
	unsigned slot_bits;
	struct slab *newest, *oldest;
	size_t n, n_slabs, bytes;
	uint64_t made;
	uint64_t dropped;              /* slabs freed so far, with the entries in them */
	uint64_t weight[KNOWN_COUNTS]; /* weight[c]: of a feature that stands c times, c >= 1 */
};

/* 0 when the scheme is one that the measure can use. */
static int check(const struct sh_verify_opts *opts, struct sh_error *err)
{
	if (opts->measure->weighs && (opts->scheme->needs_df || opts->scheme->needs_tokens))
		return sh_error_set(err, SH_ERR_PARAM, "weight %s: %s weighs by set, tf or log",
		    opts->scheme->name, opts->measure->name);
	return 0;
}

/* Weights as whole numbers: of set and tf the counts, of log millionths. */
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

/* The edit similarity looks at single tokens, in their order. */
static int make_features(struct sh_verifier *v, struct sh_error *err)
{
	const struct sh_verify_opts *opts = &v->opts;
	struct sh_ngrams tokens = { .min = 1, .max = 1 };
	bool ordered = opts->measure->ordered;

	v->features = sh_features_new_apart(&opts->token, ordered ? tokens : opts->ngrams, err);
	if (!v->features)
		return -1;
	if (!ordered)
		return 0;
	sh_features_keep_order(v->features);
	v->aligner = sh_aligner_new(err);
	return v->aligner ? 0 : -1;
}

/* Two verifiers share the memory of the measure any. */
static int make_edit(struct sh_verifier *v, struct sh_error *err)
{
	struct sh_verify_opts opts = v->opts;

	if (!opts.measure->any)
		return 0;
	opts.memory /= 2;
	v->opts.memory = opts.memory;
	v->opts.measure = sh_measure_find("jaccard");
	opts.measure = sh_measure_find("edit");
	opts.threshold = opts.edit_threshold;
	v->edit = sh_verifier_new(&opts, err);
	return v->edit ? 0 : -1;
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
		 make_edit(v, err) == 0 && make_features(v, err) == 0)
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
	sh_verifier_delete(v->edit);
	sh_features_delete(v->features);
	sh_aligner_delete(v->aligner);
	sh_document_room_free(&v->room);
	free(v->slots);
	free(v);
}

struct sh_features *sh_verifier_features(struct sh_verifier *v)
{
	return v->opts.measure->ordered ? NULL : v->features;
}

struct sh_features *sh_verifier_tokens(struct sh_verifier *v)
{
	v = v->edit ? v->edit : v;
	return v->opts.measure->ordered ? v->features : NULL;
}

uint64_t sh_verifier_made(const struct sh_verifier *v)
{
	return v->made + (v->edit ? v->edit->made : 0);
}

void sh_verifier_be_exact(struct sh_verifier *v)
{
	v->opts.exact = true;
	v->bounded = false;
	if (v->edit)
		v->edit->opts.exact = true;
}

/* ---- the cache ---- */

static struct entry **slot(const struct sh_verifier *v, uint32_t document)
{
	return &v->slots[document * UINT32_C(0x9E3779B1) >> (32 - v->slot_bits)];
}

static struct entry *find(const struct sh_verifier *v, uint32_t document)
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

static void drop_oldest(struct sh_verifier *v)
{
	struct slab *s = v->oldest;
	const char *p = (const char *)(s + 1), *end = (const char *)s + s->used;

	for (; p < end; p += ((const struct entry *)(const void *)p)->bytes)
		forget(v, (const struct entry *)(const void *)p);
	v->oldest = s->newer;
	v->n_slabs--;
	v->bytes -= s->size;
	v->dropped++;
	sh_pages_put(s, s->size);
}

/* Adds a slab with room for an entry of `bytes` bytes. Keeps the two newest slabs, which may hold
 * the entries being compared. */
static int add_slab(struct sh_verifier *v, size_t bytes, struct sh_error *err)
{
	size_t usual = v->n_slabs && v->opts.memory / SLABS_MIN >= SLAB ? SLAB : FIRST_SLAB, size;
	struct slab *s;

	if (bytes > SIZE_MAX / 2)
		return sh_error_nomem(err);
	bytes += sizeof *s;
	size = bytes <= usual ? usual : bytes;
	while (v->n_slabs >= SLABS_MIN && v->bytes + size > v->opts.memory)
		drop_oldest(v);
	s = sh_pages_get(size);
	if (!s)
		return sh_error_nomem(err);
	*s = (struct slab){ .size = size, .used = sizeof *s };
	*(v->newest ? &v->newest->newer : &v->oldest) = s;
	v->newest = s;
	v->n_slabs++;
	v->bytes += size;
	return 0;
}

/* Room for an entry, which counts once it is inserted. */
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
		v->slots = old; /* slower, and as good */
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

/* Bytes of the arrays of an entry. */
static size_t array_bytes(const struct sh_verifier *v, const struct sh_feature_set *f)
{
	size_t arrays = v->opts.measure->weighs ? 2 : 1, bytes = arrays * f->n * sizeof(uint64_t);

	return v->opts.measure->ordered ? bytes + sh_sequence_bytes(f->n, f->n_ordered) : bytes;
}

/* Adds the data that the measure needs besides the hashes. room: the memory behind the hashes. */
static int fill_entry(const struct sh_verifier *v, struct entry *e, const struct sh_feature_set *f,
    uint64_t *room, struct sh_error *err)
{
	if (v->opts.measure->weighs)
		return weigh(v, f, room, &e->set, err);
	if (v->opts.measure->ordered) {
		e->sequence = (struct sh_sequence){ .hash = e->set.hash, .distinct = f->n };
		sh_sequence_index(&e->sequence, f->ordered, f->n_ordered, (uint32_t *)(void *)room);
	}
	return 0;
}

static struct entry *make_entry(struct sh_verifier *v, uint32_t document, struct sh_slice id,
    const struct sh_feature_set *f, struct sh_error *err)
{
	size_t arrays = array_bytes(v, f), bytes = sizeof(struct entry) + arrays + id.n;
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
	memcpy(name, id.p, id.n);
	if (f->n)
		memcpy(hash, f->hash, f->n * sizeof *hash);
	e->set.hash = hash;
	e->set.n = f->n;
	return fill_entry(v, e, f, hash + f->n, err) < 0 ? NULL : e;
}

/* The entry of a document. One got before is valid as long as no slab was dropped. */
static struct entry *get(struct sh_verifier *v, uint32_t document, struct sh_error *err)
{
	struct entry *e = find(v, document);
	struct sh_feature_set f;
	struct sh_document doc;

	if (e)
		return e;
	if (sh_corpus_document(v->opts.corpus, document, &v->room, &doc, err) < 0 ||
	    sh_features_of(v->features, doc.text, &f, err) < 0)
		return NULL;
	if (v->opts.strict && f.bad_utf8 + doc.ill_formed) {
		sh_error_set(err, SH_ERR_RECORD, "ill-formed UTF-8 in document '%.*s' (--strict)",
		    sh_shown(doc.id, 80), doc.id.p);
		return NULL;
	}
	v->made++;
	e = make_entry(v, document, doc.id, &f, err);
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

/* 1 - distance / tokens of the longer text. Below the threshold it is 0, unless the exact value
 * is wanted. */
static int compare_edit(struct sh_verifier *v, const struct sh_sequence *x,
    const struct sh_sequence *y, struct sh_similarity *s, struct sh_error *err)
{
	size_t longer = x->n > y->n ? x->n : y->n, limit = longer, distance;

	if (!v->opts.exact)
		limit -= (size_t)((v->opts.threshold * longer + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);
	if (sh_align(v->aligner, x, y, limit, &distance, err) < 0)
		return -1;
	*s = (struct sh_similarity){ .a = sh_wide(longer), .b = sh_wide(longer) };
	if (distance <= limit && x->n && y->n)
		s->num = sh_wide(longer - distance);
	return 0;
}

static int compare(struct sh_verifier *v, const struct entry *a, const struct entry *b,
    struct sh_similarity *s, struct sh_error *err)
{
	if (v->opts.measure->ordered) {
		if (compare_edit(v, &a->sequence, &b->sequence, s, err) < 0)
			return -1;
	} else if (v->bounded && sh_jaccard_is_below(&a->set, &b->set, v->opts.threshold)) {
		*s = (struct sh_similarity){ .a = sh_wide(1), .b = sh_wide(1) };
	} else {
		v->opts.measure->compare(&a->set, &b->set, s);
	}
	s->reaches = sh_similarity_reaches(s, v->opts.threshold, SH_WEIGHT_ONE);
	return 0;
}

int sh_verify(
    struct sh_verifier *v, uint32_t x, uint32_t y, struct sh_similarity *s, struct sh_error *err)
{
	const struct entry *a, *b;
	struct sh_similarity edit;
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
	if (compare(v, a, b, s, err) < 0)
		return -1;
	if (!v->edit || s->reaches)
		return 0;
	if (sh_verify(v->edit, x, y, &edit, err) < 0)
		return -1;
	if (edit.reaches)
		*s = edit;
	return 0;
}

/* Documents of one digest and one measure have the same features, and, if that is ordered, in the
 * same order. */
int sh_verifier_digest(
    struct sh_verifier *v, uint32_t document, uint64_t *digest, struct sh_error *err)
{
	static const uint64_t key[2] = { 0 }; /* features are hashed by a random one */
	const struct entry *e = get(v, document, err);

	if (!e)
		return -1;
	*digest = sh_siphash(key, e->set.hash, e->set.n * sizeof *e->set.hash);
	if (v->opts.measure->ordered) {
		const uint64_t hashes[2] = { *digest, 0 };

		*digest = sh_siphash(
		    hashes, e->sequence.token, e->sequence.n * sizeof *e->sequence.token);
	}
	return 0;
}

int sh_verify_ids(struct sh_verifier *v, struct sh_slice id1, struct sh_slice id2,
    struct sh_similarity *s, struct sh_error *err)
{
	const struct entry *e = get_named(v, id1, err);
	uint32_t x, y;

	if (!e)
		return -1;
	x = e->document;
	e = get_named(v, id2, err);
	if (!e)
		return -1;
	y = e->document;
	return sh_verify(v, x, y, s, err);
}
