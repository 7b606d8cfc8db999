#include "archive/batch.h"

#include <stdlib.h>

#include "archive/batch_state.h"
#include "base/compare.h"
#include "base/num.h"
#include "base/siphash.h"
#include "io/parallel.h"
#include "record/escape.h"

enum { STRETCH = 64, MILLION = 1000000 };

/* Of a thread. */
struct worker {
	struct sh_batch *batch;
	struct sh_features *features, *raw; /* raw: of texts without escapes */
	struct sh_document_room room;
	struct sh_key_list keys;
	struct sh_probe *probe;
	size_t n_probes, probes_cap;
	struct sh_sketch own, other;
	struct sh_buf text;
	uint64_t compared;
};

struct sh_batch *sh_batch_new(const struct sh_batch_opts *opts, struct sh_error *err)
{
	struct sh_batch *b = calloc(1, sizeof *b);

	if (!b) {
		sh_error_nomem(err);
		return NULL;
	}
	b->opts = *opts;
	b->doc = calloc(opts->corpus->n + 1, sizeof *b->doc);
	if (b->doc)
		return b;
	sh_error_nomem(err);
	free(b);
	return NULL;
}

void sh_batch_delete(struct sh_batch *b)
{
	if (!b)
		return;
	free(b->doc);
	free(b->probe);
	free(b->candidate);
	free(b->key);
	free(b->first);
	free(b);
}

const struct sh_fate *sh_batch_fate(const struct sh_batch *b, uint32_t document)
{
	return &b->doc[document].fate;
}

const struct sh_batch_stats *sh_batch_stats(const struct sh_batch *b)
{
	return &b->stats;
}

/* ---- threads ---- */

static void end_worker(struct worker *w)
{
	sh_features_delete(w->features);
	sh_features_delete(w->raw);
	sh_document_room_free(&w->room);
	free(w->keys.key);
	free(w->probe);
	sh_sketch_free(&w->own);
	sh_sketch_free(&w->other);
	sh_buf_free(&w->text);
}

/* Made when they are needed first: that takes longer than a small document. */
static struct sh_features *features(struct worker *w, bool raw, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;
	struct sh_features **f = raw ? &w->raw : &w->features;
	struct sh_token_opts token = opts->token;

	if (raw)
		token.raw = true;
	if (!*f)
		*f = sh_features_new(&token, opts->ngrams, opts->rule.key, err);
	return *f;
}

/* The set of a text; raw: one without escapes. */
static int make_set(struct worker *w, bool raw, struct sh_slice text, struct sh_feature_set *set,
    struct sh_error *err)
{
	struct sh_features *f = features(w, raw, err);

	return f ? sh_features_of(f, text, set, err) : -1;
}

/* Documents by several threads; `last` is handed all workers afterwards. */
static int by_workers(struct sh_batch *b, sh_tasks_fn *fn,
    int (*last)(struct sh_batch *b, struct worker *w, struct sh_error *err), struct sh_error *err)
{
	struct worker *w = calloc(b->opts.jobs, sizeof *w);
	void **workers = calloc(b->opts.jobs, sizeof *workers);
	int status = w && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < b->opts.jobs; i++) {
		workers[i] = &w[i];
		w[i].batch = b;
	}
	if (status == 0)
		status = sh_parallel(workers, b->opts.jobs, b->opts.corpus->n, STRETCH, fn, err);
	if (status == 0)
		status = last(b, w, err);
	for (unsigned i = 0; w && i < b->opts.jobs; i++)
		end_worker(&w[i]);
	free(w);
	free(workers);
	return status;
}

/* ---- keys ---- */

static int add_probe(struct worker *w, uint64_t key, uint32_t doc, struct sh_error *err)
{
	if (w->n_probes == w->probes_cap &&
	    sh_grow((void **)&w->probe, &w->probes_cap, w->n_probes + 1, sizeof *w->probe, err) < 0)
		return -1;
	w->probe[w->n_probes++] = (struct sh_probe){ key, doc };
	return 0;
}

static int prepare_one(struct worker *w, uint32_t i, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_batch_doc *d = &b->doc[i];
	struct sh_feature_set set;
	struct sh_document doc;

	if (sh_corpus_document(b->opts.corpus, i, &w->room, &doc, err) < 0 ||
	    make_set(w, false, doc.text, &set, err) < 0)
		return -1;
	*d = (struct sh_batch_doc){ .digest = sh_siphash(b->opts.rule.key, doc.text.p, doc.text.n),
		.own = SH_CORPUS_NONE,
		.keeper = i,
		.has_features = set.n > 0 };
	w->keys.n = 0;
	if (sh_keys_of(&b->opts.rule, set.hash, set.n, &w->keys, err) < 0)
		return -1;
	for (size_t k = 0; k < w->keys.n; k++)
		if (add_probe(w, w->keys.key[k], i, err) < 0)
			return -1;
	return add_probe(w, sh_key_of_id(&b->opts.rule, doc.id), i, err);
}

static int prepare_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++)
		if (prepare_one(worker, (uint32_t)i, err) < 0)
			return -1;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct sh_probe *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return sh_compare(x->doc, y->doc);
}

static int list_keys(struct sh_batch *b, struct sh_error *err)
{
	b->key = malloc(b->n_probes * sizeof *b->key + 1);
	b->first = malloc((b->n_probes + 1) * sizeof *b->first);
	if (!b->key || !b->first)
		return sh_error_nomem(err);
	for (size_t i = 0; i < b->n_probes; i++) {
		if (i && b->probe[i].key == b->probe[i - 1].key)
			continue;
		b->first[b->n_keys] = (uint32_t)i;
		b->key[b->n_keys++] = b->probe[i].key;
	}
	b->first[b->n_keys] = (uint32_t)b->n_probes;
	return 0;
}

static int gather_probes(struct sh_batch *b, struct worker *w, struct sh_error *err)
{
	size_t n = 0, kept = 0;

	for (unsigned i = 0; i < b->opts.jobs; i++)
		n += w[i].n_probes;
	if (n > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "too many documents for one run with an archive: cut the input");
	b->probe = malloc(n * sizeof *b->probe + 1);
	if (!b->probe)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < b->opts.jobs; i++) {
		if (w[i].n_probes)
			memcpy(
			    b->probe + b->n_probes, w[i].probe, w[i].n_probes * sizeof *b->probe);
		b->n_probes += w[i].n_probes;
	}
	qsort(b->probe, n, sizeof *b->probe, by_key);
	/* Two features of a document may share a key. */
	for (size_t i = 0; i < n; i++)
		if (i == 0 || by_key(&b->probe[i], &b->probe[i - 1]) != 0)
			b->probe[kept++] = b->probe[i];
	b->n_probes = kept;
	return list_keys(b, err);
}

int sh_batch_prepare(struct sh_batch *b, struct sh_error *err)
{
	return by_workers(b, prepare_some, gather_probes, err);
}

/* ---- candidates ---- */

static int add_candidates(void *arg, size_t asked, uint32_t number, struct sh_error *err)
{
	struct sh_batch *b = arg;
	bool by_id = b->key[asked] >> 40 == SH_BAND_ID;

	for (uint32_t i = b->first[asked]; i < b->first[asked + 1]; i++) {
		if (b->n_candidates == b->candidates_cap &&
		    sh_grow((void **)&b->candidate, &b->candidates_cap, b->n_candidates + 1,
			sizeof *b->candidate, err) < 0)
			return -1;
		b->candidate[b->n_candidates++] =
		    (struct sh_meeting){ b->probe[i].doc, number, by_id };
	}
	return 0;
}

/* By document; those by id first, the latest of them last. */
static int by_document(const void *a, const void *b)
{
	const struct sh_meeting *x = a, *y = b;

	if (x->doc != y->doc)
		return x->doc < y->doc ? -1 : 1;
	if (x->by_id != y->by_id)
		return x->by_id ? -1 : 1;
	return sh_compare(x->number, y->number);
}

static int find_candidates(struct sh_batch *b, struct sh_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->archive->n_segments; i++)
		if (sh_segment_look(
			&b->archive->segment[i], b->key, b->n_keys, add_candidates, b, err) < 0)
			return -1;
	if (b->n_candidates)
		qsort(b->candidate, b->n_candidates, sizeof *b->candidate, by_document);
	for (size_t i = 0; i < b->n_candidates; i++)
		if (i == 0 || by_document(&b->candidate[i], &b->candidate[i - 1]) != 0)
			b->candidate[kept++] = b->candidate[i];
	b->n_candidates = kept;
	return 0;
}

/* ---- those that are known ---- */

static int broken(struct sh_error *err, uint32_t number)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive has no good record of document %08x: take back a copy of it", number);
}

static int numbers_of(const struct sh_doc_record *r, struct sh_fate *f, struct sh_error *err)
{
	int64_t similarity;
	uint64_t distance;

	if (sh_parse_u64(r->distance, &distance) < 0 || distance > SH_FP_MAX_BITS)
		return broken(err, r->number);
	f->distance = (uint16_t)distance;
	f->similarity = SH_UNVERIFIED;
	if (sh_slice_eq(r->similarity, sh_slice("-", 1)))
		return 0;
	if (sh_parse_weight(r->similarity, &similarity) < 0 || similarity > SH_WEIGHT_ONE)
		return broken(err, r->number);
	f->similarity = (uint16_t)(similarity / (SH_WEIGHT_ONE / 10000));
	return 0;
}

/* What the archive says of a document that it knows. */
static int recall(
    struct sh_batch *b, struct sh_batch_doc *d, const struct sh_doc_record *r, struct sh_error *err)
{
	struct sh_doc_record keeper = *r;
	int got = 1;

	d->own = r->number;
	d->is_known = true;
	d->fate.kind = r->keeper == r->number ? SH_FATE_STAYS : SH_FATE_DROPPED;
	d->fate.keeper = r->keeper;
	if (r->keeper != r->number)
		got = sh_archive_record(b->archive, r->keeper, &keeper, err);
	if (got <= 0)
		return got < 0 ? -1 : broken(err, r->keeper);
	d->fate.id = keeper.id;
	return numbers_of(r, &d->fate, err);
}

static int know(struct sh_batch *b, const struct sh_meeting *c, struct sh_document_room *room,
    struct sh_error *err)
{
	struct sh_batch_doc *d = &b->doc[c->doc];
	struct sh_doc_record r;
	struct sh_document doc;
	int got = sh_archive_record(b->archive, c->number, &r, err);

	if (got <= 0)
		return got < 0 ? -1 : broken(err, c->number);
	if (r.digest != d->digest)
		return 0;
	if (sh_corpus_document(b->opts.corpus, c->doc, room, &doc, err) < 0)
		return -1;
	return sh_slice_eq(doc.id, r.id) ? recall(b, d, &r, err) : 0;
}

static int find_known(struct sh_batch *b, struct sh_error *err)
{
	struct sh_document_room room = { 0 };
	int status = 0;

	for (size_t i = 0; status == 0 && i < b->n_candidates; i++)
		if (b->candidate[i].by_id)
			status = know(b, &b->candidate[i], &room, err);
	sh_document_room_free(&room);
	/* Who was dropped once and is protected now is as good as new. */
	for (uint32_t i = 0; status == 0 && i < b->opts.corpus->n; i++) {
		struct sh_batch_doc *d = &b->doc[i];

		if (d->fate.kind == SH_FATE_DROPPED && b->opts.is_protected(b->opts.arg, i))
			*d = (struct sh_batch_doc){ .digest = d->digest,
				.own = SH_CORPUS_NONE,
				.keeper = i,
				.has_features = d->has_features };
		b->stats.known += d->is_known;
	}
	return status;
}

/* ---- twins: several of one id and text in the batch ---- */

static int by_own(const void *a, const void *b, void *arg)
{
	const struct sh_batch *batch = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = batch->doc[x].own, q = batch->doc[y].own;

	if (p != q)
		return p < q ? -1 : 1;
	return sh_compare(x, y);
}

/* Of those that stay as one document only one stays again. */
static int drop_twins(struct sh_batch *b, struct sh_error *err)
{
	uint32_t *order = malloc(b->opts.corpus->n * sizeof *order + 1);
	size_t n = 0;

	if (!order)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < b->opts.corpus->n; i++)
		if (b->doc[i].fate.kind == SH_FATE_STAYS && b->doc[i].has_features &&
		    !b->opts.is_protected(b->opts.arg, i))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_own, b);
	for (size_t i = 1; i < n; i++) {
		struct sh_batch_doc *d = &b->doc[order[b->opts.newest ? i - 1 : i]];

		if (b->doc[order[i - 1]].own != b->doc[order[i]].own)
			continue;
		d->fate.kind = SH_FATE_DROPPED;
		d->fate.distance = 0;
		d->fate.similarity = b->opts.verify ? 10000 : SH_UNVERIFIED;
	}
	free(order);
	return 0;
}

/* ---- those that are like one ---- */

static size_t first_candidate(const struct sh_batch *b, uint32_t doc)
{
	size_t lo = 0, hi = b->n_candidates;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->candidate[mid].doc < doc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The features of an archived document, as far as the store has them. */
static int archived_features(
    struct worker *w, uint32_t number, struct sh_weighed_set *set, struct sh_error *err)
{
	struct sh_segment *s = sh_archive_segment_of(w->batch->archive, number);
	struct sh_feature_set found;
	struct sh_slice line;
	int got = s ? sh_segment_find(s, SH_PART_STORE, number, &line, err) : 0;

	if (got <= 0)
		return got < 0 ? -1 : broken(err, number);
	line = sh_slice(line.p + SH_NUMBER_DIGITS + 1, line.n - SH_NUMBER_DIGITS - 1);
	if (s->store == SH_STORE_SKETCH) {
		if (sh_sketch_parse(line, &w->other, err) < 0)
			return -1;
		*set = (struct sh_weighed_set){ .hash = w->other.hash, .n = w->other.n };
		return 0;
	}
	w->text.n = 0;
	if (sh_unescape(line, &w->text, err) < 0 || sh_buf_reserve(&w->text, SH_PAD, err) < 0 ||
	    make_set(w, true, sh_buf_slice(&w->text), &found, err) < 0)
		return -1;
	*set = (struct sh_weighed_set){ .hash = found.hash, .n = found.n };
	return 0;
}

static bool closer(const struct sh_fate *a, const struct sh_fate *b)
{
	if (b->kind == SH_FATE_NEW)
		return true;
	if (a->similarity != b->similarity)
		return a->similarity > b->similarity;
	if (a->distance != b->distance)
		return a->distance < b->distance;
	return a->keeper < b->keeper;
}

static int weigh_candidate(struct worker *w, uint32_t doc, uint32_t number,
    const struct sh_weighed_set *own, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_fate f = { .kind = SH_FATE_MATCHED, .keeper = number };
	bool like;
	uint64_t fp[SH_FP_MAX_WORDS];
	struct sh_doc_record r;
	int got = sh_archive_record(b->archive, number, &r, err);

	if (got < 0)
		return -1;
	if (got == 0 || r.keeper != number || r.fp.n != b->opts.bits / 4 ||
	    sh_parse_hex(r.fp, fp) < 0)
		return broken(err, number);
	w->compared++;
	f.id = r.id;
	f.distance = (uint16_t)sh_fp_distance(
	    fp, b->opts.fingerprint(b->opts.arg, doc), SH_FP_WORDS(b->opts.bits));
	f.similarity = SH_UNVERIFIED;
	like = f.distance <= b->opts.k;
	if (own) {
		struct sh_weighed_set other;
		struct sh_similarity s;

		if (archived_features(w, number, &other, err) < 0)
			return -1;
		sh_measure_find("jaccard")->compare(own, &other, &s);
		f.similarity = (uint16_t)sh_similarity_round(&s);
		like = sh_similarity_reaches(&s, b->opts.threshold, MILLION);
	}
	if (like && closer(&f, &b->doc[doc].fate))
		b->doc[doc].fate = f;
	return 0;
}

/* The document's own features, as the store would have them; NULL when there are none to
 * compare with. */
static int own_features(struct worker *w, uint32_t doc, struct sh_weighed_set *room,
    const struct sh_weighed_set **own, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_feature_set set;
	struct sh_document document;

	*own = NULL;
	if (!b->opts.verify || b->archive->manifest.store == SH_STORE_NONE)
		return 0;
	if (sh_corpus_document(b->opts.corpus, doc, &w->room, &document, err) < 0 ||
	    make_set(w, false, document.text, &set, err) < 0)
		return -1;
	*room = (struct sh_weighed_set){ .hash = set.hash, .n = set.n };
	if (b->archive->manifest.store == SH_STORE_SKETCH) {
		if (sh_sketch_cut(set.hash, set.n, &w->own, err) < 0)
			return -1;
		room->hash = w->own.hash;
	}
	*own = room;
	return 0;
}

static int match_one(struct worker *w, uint32_t doc, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_weighed_set room;
	const struct sh_weighed_set *own = NULL;
	bool made = false;

	if (b->doc[doc].fate.kind != SH_FATE_NEW || b->opts.is_protected(b->opts.arg, doc))
		return 0;
	for (size_t i = first_candidate(b, doc); i < b->n_candidates && b->candidate[i].doc == doc;
	     i++) {
		if (b->candidate[i].by_id)
			continue;
		if (!made && own_features(w, doc, &room, &own, err) < 0)
			return -1;
		made = true;
		if (weigh_candidate(w, doc, b->candidate[i].number, own, err) < 0)
			return -1;
	}
	return 0;
}

static int match_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++)
		if (match_one(worker, (uint32_t)i, err) < 0)
			return -1;
	return 0;
}

static int count_matched(struct sh_batch *b, struct worker *w, struct sh_error *err)
{
	(void)err;
	for (unsigned i = 0; i < b->opts.jobs; i++)
		b->stats.compared += w[i].compared;
	for (uint32_t i = 0; i < b->opts.corpus->n; i++)
		b->stats.matched += b->doc[i].fate.kind == SH_FATE_MATCHED;
	return 0;
}

int sh_batch_look(struct sh_batch *b, struct sh_archive *a, struct sh_error *err)
{
	b->archive = a;
	if (find_candidates(b, err) < 0 || find_known(b, err) < 0 || drop_twins(b, err) < 0)
		return -1;
	return by_workers(b, match_some, count_matched, err);
}
