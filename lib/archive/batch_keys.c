/* The digests, features and keys of a batch. */
#include "archive/batch_state.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "record/escape.h"

int sh_batch_add_probe(struct sh_batch_worker *w, uint64_t key, uint32_t doc, struct sh_error *err)
{
	if (SH_RESERVE(w->probe, w->probes_cap, w->n_probes + 1, err) < 0)
		return -1;
	w->probe[w->n_probes++] = (struct sh_probe){ key, doc };
	return 0;
}

/* ---- sorting ---- */

static int by_number(const void *arg, uint32_t a, uint32_t b)
{
	(void)arg;
	return a < b ? -1 : a > b;
}

static void drop_repeated(struct sh_side *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		if (i && s->word[i] == s->word[kept - 1] && s->id[i] == s->id[kept - 1])
			continue;
		s->word[kept] = s->word[i];
		s->id[kept++] = s->id[i];
	}
	s->n = kept;
}

enum { ANALYSED = 4096 }; /* most documents whose descriptions are held at once */

enum { PARTS_BITS = 10, PARTS = 1 << PARTS_BITS };

/* Pairs in parts by the upper bits of their keys, which threads sort one by one. */
struct parts {
	struct sh_sorted *pairs;
	unsigned shift;
	uint32_t start[PARTS + 1];
};

static void split(struct parts *p, const struct sh_batch_worker *w, unsigned jobs)
{
	struct sh_side *to = &p->pairs->side;
	uint32_t sum = 0;

	for (unsigned i = 0; i < jobs; i++)
		for (size_t k = 0; k < w[i].n_probes; k++)
			p->start[w[i].probe[k].key >> p->shift]++;
	for (size_t k = 0; k <= PARTS; k++) {
		uint32_t n = p->start[k];

		p->start[k] = sum;
		sum += n;
	}
	for (unsigned i = 0; i < jobs; i++) {
		for (size_t k = 0; k < w[i].n_probes; k++) {
			uint32_t at = p->start[w[i].probe[k].key >> p->shift]++;

			to->word[at] = w[i].probe[k].key;
			to->id[at] = w[i].probe[k].doc;
		}
	}
	/* start[k] has moved on to start[k + 1]. */
	memmove(p->start + 1, p->start, PARTS * sizeof *p->start);
	p->start[0] = 0;
}

static struct sh_side part_of(const struct sh_side *s, uint32_t from, uint32_t to)
{
	struct sh_side part = *s;

	part.word += from;
	part.id += from;
	part.n = to - from;
	return part;
}

static int sort_some(void *parts, size_t from, size_t to, struct sh_error *err)
{
	struct parts *p = parts;

	(void)err;
	for (size_t i = from; i < to; i++) {
		struct sh_side part = part_of(&p->pairs->side, p->start[i], p->start[i + 1]);
		struct sh_side room = part_of(&p->pairs->room, p->start[i], p->start[i + 1]);

		sh_side_sort(&part, &room, by_number, NULL);
	}
	return 0;
}

int sh_batch_gather(struct sh_batch *b, struct sh_batch_worker *w, unsigned bits,
    struct sh_sorted *pairs, struct sh_error *err)
{
	struct parts p = { .pairs = pairs, .shift = bits - PARTS_BITS };
	size_t n = 0;

	for (unsigned i = 0; i < b->opts.jobs; i++)
		n += w[i].n_probes;
	if (n > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "too many documents for one run with an archive: split the input");
	if (sh_sorted_get(pairs, NULL, n, err) < 0)
		return -1;
	split(&p, w, b->opts.jobs);
	if (sh_parallel(&p, 0, b->opts.jobs, PARTS, 1, sort_some, err) < 0)
		return -1;
	/* Several features of a document may have one key. */
	drop_repeated(&pairs->side);
	return 0;
}

static int gather_keys(
    struct sh_batch *b, struct sh_batch_worker *w, struct sh_probes *p, struct sh_error *err)
{
	const struct sh_side *s = &p->pairs.side;

	if (sh_batch_gather(b, w, SH_KEY_BITS, &p->pairs, err) < 0)
		return -1;
	p->key = malloc(s->n * sizeof *p->key + 1);
	p->first = malloc(((size_t)s->n + 1) * sizeof *p->first);
	if (!p->key || !p->first)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < s->n; i++) {
		if (i && s->word[i] == s->word[i - 1])
			continue;
		p->first[p->n] = i;
		p->key[p->n++] = s->word[i];
	}
	p->first[p->n] = s->n;
	return 0;
}

/* ---- digests and ids ---- */

/* Computes the digest of a text, with opts.escape in the form of sh_escape(): then a text has one
 * digest in all forms of input. */
static int digest_of(
    struct sh_batch_worker *w, struct sh_slice text, uint64_t *digest, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;

	if (opts->escape && (opts->fp.token.raw ? sh_needs_escape(text) : !sh_is_escaped(text))) {
		w->text.n = w->escaped.n = 0;
		if (!opts->fp.token.raw) {
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
	struct sh_document doc;

	if (sh_corpus_document(b->opts.corpus, i, &w->room, &doc, err) < 0)
		return -1;
	*d = (struct sh_batch_doc){ .own = SH_CORPUS_NONE, .keeper = i };
	if (digest_of(w, doc.text, &d->digest, err) < 0)
		return -1;
	return sh_batch_add_probe(w, sh_key_of_id(&b->opts.rule, doc.id), i, err);
}

static int prepare_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++)
		if (prepare_one(worker, (uint32_t)i, err) < 0)
			return -1;
	return 0;
}

static int by_digest(const void *a, const void *b, void *arg)
{
	const struct sh_batch *batch = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = batch->doc[x].digest, q = batch->doc[y].digest;

	if (p != q)
		return p < q ? -1 : 1;
	return sh_compare(x, y);
}

/* Sorts the documents of each id by digest. Even when all documents have one id, a lookup by id and
 * digest is fast. */
static int order_ids(struct sh_batch *b, struct sh_error *err)
{
	const struct sh_probes *ids = &b->ids;
	size_t bytes = ids->pairs.side.n * sizeof *b->by_text;

	b->by_text = malloc(bytes + 1);
	if (!b->by_text)
		return sh_error_nomem(err);
	memcpy(b->by_text, ids->pairs.side.id, bytes);
	for (size_t k = 0; k < ids->n; k++)
		if (ids->first[k + 1] - ids->first[k] > 1)
			qsort_r(b->by_text + ids->first[k], ids->first[k + 1] - ids->first[k],
			    sizeof *b->by_text, by_digest, b);
	return 0;
}

size_t sh_batch_of_id(
    const struct sh_batch *b, size_t key, const uint64_t *digest, const uint32_t **doc)
{
	const uint32_t *from = b->by_text + b->ids.first[key];
	size_t n = b->ids.first[key + 1] - b->ids.first[key], lo = 0, hi = n;

	if (digest)
		SH_BISECT(lo, hi, mid, b->doc[from[mid]].digest < *digest);
	for (hi = lo; hi < n && (!digest || b->doc[from[hi]].digest == *digest);)
		hi++;
	*doc = from + lo;
	return hi - lo;
}

static int gather_ids(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
{
	return gather_keys(b, w, &b->ids, err) < 0 ? -1 : order_ids(b, err);
}

int sh_batch_prepare(struct sh_batch *b, struct sh_error *err)
{
	return sh_batch_parallel(
	    b, b->opts.corpus->n, SH_BATCH_GRAIN, prepare_some, gather_ids, err);
}

/* ---- analysis ---- */

static char *described(const struct sh_batch *b, uint32_t i)
{
	return b->described.p + (i - b->first) * b->opts.described;
}

static int analyse_one(struct sh_batch_worker *w, uint32_t i, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_batch_doc *d = &b->doc[i];
	struct sh_analysis x;
	struct sh_document doc;

	if (d->outcome.kind != SH_OUTCOME_NEW)
		return 0;
	if (sh_corpus_document(b->opts.corpus, i, &w->room, &doc, err) < 0 ||
	    sh_batch_analyse_text(w, SH_BATCH_NEW, doc.text, &x, err) < 0 ||
	    sh_batch_keep(w, d, &x.set, err) < 0)
		return -1;
	b->opts.describe(b->opts.arg, w->analyser[SH_BATCH_NEW].fingerprinter, &x.fp, d->digest,
	    described(b, i));
	d->has_features = x.set.n > 0;
	w->keys.n = 0;
	if (sh_keys_of(&b->opts.rule, &x.set, &w->keys, err) < 0)
		return -1;
	for (size_t k = 0; k < w->keys.n; k++)
		if (sh_batch_add_probe(w, w->keys.key[k], i, err) < 0)
			return -1;
	return 0;
}

static int analyse_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;

	for (size_t i = from; i < to; i++)
		if (analyse_one(w, w->batch->first + (uint32_t)i, err) < 0)
			return -1;
	return 0;
}

static int collect_some(struct sh_batch *b, uint32_t n, struct sh_error *err)
{
	for (uint32_t i = b->first; i < b->first + n; i++) {
		bool is_new = b->doc[i].outcome.kind == SH_OUTCOME_NEW;

		if (b->opts.collect(b->opts.arg, i, is_new ? described(b, i) : NULL, err) < 0)
			return -1;
	}
	return 0;
}

static int analyse_all(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
{
	uint32_t n;

	if (sh_buf_reserve(&b->described, ANALYSED * b->opts.described, err) < 0)
		return -1;
	for (b->first = 0; b->first < b->opts.corpus->n; b->first += n) {
		n = (uint32_t)b->opts.corpus->n - b->first;
		n = n < ANALYSED ? n : ANALYSED;
		if (sh_parallel(w, sizeof *w, b->opts.jobs, n, SH_BATCH_GRAIN, analyse_some, err) <
			0 ||
		    collect_some(b, n, err) < 0)
			return -1;
	}
	return 0;
}

int sh_batch_analyse(struct sh_batch *b, struct sh_error *err)
{
	struct sh_batch_worker *w = sh_batch_workers_new(b, err);
	int status;

	if (!w)
		return -1;
	status = analyse_all(b, w, err);
	if (status == 0)
		status = gather_keys(b, w, &b->bands, err);
	sh_batch_workers_delete(b, w);
	return status;
}
