/* The keys of a batch. */
#include "archive/batch_state.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/siphash.h"
#include "record/escape.h"

static int add_probe(struct sh_batch_worker *w, uint64_t key, uint32_t doc, struct sh_error *err)
{
	if (w->n_probes == w->probes_cap &&
	    sh_grow((void **)&w->probe, &w->probes_cap, w->n_probes + 1, sizeof *w->probe, err) < 0)
		return -1;
	w->probe[w->n_probes++] = (struct sh_probe){ key, doc };
	return 0;
}

/* Computes the digest of a text. A text has the same digest in each form of input: the text is digested with the
 * escapes of sh_escape(). */
static int digest_of(
    struct sh_batch_worker *w, struct sh_slice text, uint64_t *digest, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;

	if (opts->escape && sh_needs_escape(text)) {
		w->text.n = w->escaped.n = 0;
		if (!opts->token.raw) {
			if (sh_unescape(text, &w->text, err) < 0)
				return -1;
			text = sh_buf_slice(&w->text);
		}
		if (sh_escape(text, &w->escaped, err) < 0)
			return -1;
		text = sh_buf_slice(&w->escaped);
	}
	*digest = sh_siphash(opts->rule.key, text.p, text.n);
	return 0;
}

static int prepare_one(struct sh_batch_worker *w, uint32_t i, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_batch_doc *d = &b->doc[i];
	struct sh_feature_set set;
	struct sh_document doc;

	if (sh_corpus_document(b->opts.corpus, i, &w->room, &doc, err) < 0 ||
	    sh_batch_features(w, false, doc.text, &set, err) < 0)
		return -1;
	*d = (struct sh_batch_doc){ .own = SH_CORPUS_NONE, .keeper = i, .has_features = set.n > 0 };
	if (digest_of(w, doc.text, &d->digest, err) < 0 || sh_batch_keep(w, d, &set, err) < 0)
		return -1;
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

/* ---- ids ---- */

static int by_digest(const void *a, const void *b, void *arg)
{
	const struct sh_batch *batch = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = batch->doc[x].digest, q = batch->doc[y].digest;

	if (p != q)
		return p < q ? -1 : 1;
	return sh_compare(x, y);
}

/* Sorts the documents of each id by digest. Even when all documents have one id, a lookup by id and digest is fast. */
static int order_ids(struct sh_batch *b, struct sh_error *err)
{
	size_t from;

	while (b->first_id < b->n_keys && sh_key_band(b->key[b->first_id]) != SH_BAND_ID)
		b->first_id++;
	from = b->first[b->first_id];
	b->by_text = malloc((b->n_probes - from) * sizeof *b->by_text + 1);
	if (!b->by_text)
		return sh_error_nomem(err);
	for (size_t i = from; i < b->n_probes; i++)
		b->by_text[i - from] = b->probe[i].doc;
	for (size_t k = b->first_id; k < b->n_keys; k++)
		qsort_r(b->by_text + (b->first[k] - from), b->first[k + 1] - b->first[k],
		    sizeof *b->by_text, by_digest, b);
	return 0;
}

size_t sh_batch_of_id(
    const struct sh_batch *b, size_t key, const uint64_t *digest, const uint32_t **doc)
{
	const uint32_t *from = b->by_text + (b->first[key] - b->first[b->first_id]);
	size_t n = b->first[key + 1] - b->first[key], lo = 0, hi = n;

	while (digest && lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->doc[from[mid]].digest < *digest)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < n && (!digest || b->doc[from[hi]].digest == *digest);)
		hi++;
	*doc = from + lo;
	return hi - lo;
}

static int gather_probes(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
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
	/* Several features of a document may have one key. */
	for (size_t i = 0; i < n; i++)
		if (i == 0 || by_key(&b->probe[i], &b->probe[i - 1]) != 0)
			b->probe[kept++] = b->probe[i];
	b->n_probes = kept;
	return list_keys(b, err) < 0 ? -1 : order_ids(b, err);
}

int sh_batch_prepare(struct sh_batch *b, struct sh_error *err)
{
	return sh_batch_parallel(b, prepare_some, gather_probes, err);
}
