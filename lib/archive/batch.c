/* SPDX-License-Identifier: MIT */
#include "archive/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "fp/analysis.h"
#include "io/parallel.h"
#include "match/bucket.h"
#include "record/escape.h"
#include "store/change.h"

enum {
	TASKS = 64,
	GRAIN = 64, /* documents that are encoded before they are written */
};

/* Reads documents of the archive, and tokenises new ones, in one thread. */
struct sh_batch_reader {
	struct sh_batch *batch;
	struct sh_analyser archived, new; /* empty until they are needed */
	uint64_t *token;
	size_t token_cap;
	struct sh_buf text, line;
	struct sh_document_room room;
	struct adding *adding;
};

int sh_batch_options(struct sh_batch *b, struct sh_engine_opts *opts, struct sh_error *err)
{
	const struct sh_store_manifest *m = &b->store->manifest;

	b->features = (struct sh_feature_opts){ .token = opts->token,
		.ngrams = opts->rules.ngrams,
		.of_tokens = true,
		.key = { m->key[0], m->key[1] },
		.ordered = true,
		.only_order = true,
		.cut = m->form == SH_STORE_SKETCH };
	opts->features = b->features;
	opts->features.only_order = false;
	opts->stored = sh_batch_stored;
	b->jobs = opts->jobs;
	b->reader = calloc(b->jobs, sizeof *b->reader);
	if (!b->reader)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < b->jobs; i++)
		b->reader[i].batch = b;
	return 0;
}

void sh_batch_free(struct sh_batch *b)
{
	for (unsigned i = 0; b->reader && i < b->jobs; i++) {
		struct sh_batch_reader *w = &b->reader[i];

		sh_analyser_free(&w->archived);
		sh_analyser_free(&w->new);
		free(w->token);
		sh_buf_free(&w->text);
		sh_buf_free(&w->line);
		sh_document_room_free(&w->room);
	}
	free(b->reader);
	free(b->stored);
	sh_tables_put(b->tables, b->document);
	*b = (struct sh_batch){ 0 };
}

/* ---- archived documents ---- */

/* Analyses a text for its tokens in their order. raw: the text has no escapes. */
static int analyse(struct sh_batch *b, struct sh_analyser *a, bool raw, struct sh_slice text,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_feature_opts opts = b->features;
	struct sh_analysis x;

	opts.token.raw = raw;
	if (!a->tokenizer && sh_analyser_init(a, NULL, &opts, err) < 0)
		return -1;
	if (sh_analyse(a, text, &x, err) < 0)
		return -1;
	*set = x.set;
	return 0;
}

static int no_record(const struct sh_batch *b, uint32_t number, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive '%s' has no valid record of document %08x: restore it from a backup",
	    b->store->folder.path, number);
}

int sh_batch_record(
    const struct sh_batch *b, uint32_t number, struct sh_record *r, struct sh_error *err)
{
	int got = sh_store_record(b->store, number, r, err);

	return got > 0 ? 0 : got < 0 ? -1 : no_record(b, number, err);
}

int sh_batch_stored(void *batch, unsigned thread, uint32_t document, struct sh_feature_set *set,
    struct sh_error *err)
{
	struct sh_batch *b = batch;
	struct sh_batch_reader *w = &b->reader[thread];
	uint32_t number = b->stored[document - b->corpus->n];
	struct sh_slice content;
	struct sh_record r;

	if (sh_batch_record(b, number, &r, err) < 0)
		return -1;
	if (r.id.p != r.line.p || r.line.n <= r.id.n)
		return no_record(b, number, err);
	content = sh_slice(r.line.p + r.id.n + 1, r.line.n - r.id.n - 1);
	if (b->store->manifest.form == SH_STORE_DOCUMENTS) {
		w->text.n = 0;
		if (sh_buf_reserve(&w->text, content.n + SH_PAD, err) < 0 ||
		    sh_unescape(content, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0)
			return -1;
		return analyse(b, &w->archived, true, sh_buf_slice(&w->text), set, err);
	}
	if (content.n % 4)
		return no_record(b, number, err);
	set->n_ordered = content.n / 4;
	if (SH_RESERVE(w->token, w->token_cap, set->n_ordered, err) < 0)
		return -1;
	for (size_t i = 0; i < set->n_ordered; i++)
		w->token[i] = (uint64_t)sh_le32(content.p + 4 * i) << 32;
	set->ordered = w->token;
	return 0;
}

/* ---- documents that the archive knows ---- */

/* Sets *text to the text in the form of sh_escape(): then a text has one digest, and one line, in
 * all forms of input. raw: it has no escapes. It is valid until the next call. */
static int escaped(struct sh_batch_reader *w, bool raw, struct sh_slice *text, struct sh_error *err)
{
	if (raw ? !sh_needs_escape(*text) : sh_is_escaped(*text))
		return 0;
	w->text.n = w->line.n = 0;
	if (!raw) {
		if (sh_unescape(*text, &w->text, err) < 0)
			return -1;
		*text = sh_buf_slice(&w->text);
	}
	if (sh_escape(*text, &w->line, err) < 0)
		return -1;
	*text = sh_buf_slice(&w->line);
	return 0;
}

static int digest_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct sh_batch_reader *w = arg;
	struct sh_batch *b = w->batch;
	const struct sh_store_manifest *m = &b->store->manifest;
	struct sh_document doc;

	for (size_t i = from; i < to; i++) {
		if (sh_corpus_document(b->corpus, (uint32_t)i, &w->room, &doc, err) < 0 ||
		    escaped(w, b->features.token.raw, &doc.text, err) < 0)
			return -1;
		b->document[i] = (struct sh_batch_document){ .digest = sh_siphash(
								 m->key, doc.text.p, doc.text.n),
			.id_key = sh_store_id_key(m, doc.id) };
	}
	return 0;
}

static int by_id(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct sh_batch_document *d = arg, *p = &d[x], *q = &d[y];

	if (p->id_key != q->id_key)
		return p->id_key < q->id_key ? -1 : 1;
	if (p->digest != q->digest)
		return p->digest < q->digest ? -1 : 1;
	return sh_compare(x, y);
}

/* Returns the documents of the batch by key of the id, digest of the text, and number, in b->tables;
 * or NULL. */
static uint32_t *order_by_id(struct sh_batch *b, struct sh_error *err)
{
	size_t n = b->corpus->n;
	uint32_t *order = sh_tables_get(b->tables, n + 1, sizeof *order, err);

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, n, sizeof *order, by_id, b->document);
	return order;
}

struct looking {
	struct sh_batch *batch;
	const uint32_t *order; /* of order_by_id() */
	struct sh_document_room room;
};

/* Sets what the archive knows of the documents of this id and text. Later records replace earlier
 * ones of the same document. */
static int found_id(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct looking *l = arg;
	struct sh_batch *b = l->batch;
	struct sh_batch_document *d = b->document;
	size_t i = asked, end = b->corpus->n;
	struct sh_document doc;
	struct sh_record r;

	if (sh_batch_record(b, p->document, &r, err) < 0)
		return -1;
	SH_BISECT(
	    i, end, mid, d[l->order[mid]].id_key == p->key && d[l->order[mid]].digest < r.digest);
	for (; i < b->corpus->n; i++) {
		struct sh_batch_document *here = &d[l->order[i]];

		if (here->id_key != p->key || here->digest != r.digest)
			break;
		if (sh_corpus_document(b->corpus, l->order[i], &l->room, &doc, err) < 0)
			return -1;
		if (!sh_slice_eq(doc.id, r.id))
			continue;
		here->known = r.keeper == r.number ? SH_KNOWN_STAYED : SH_KNOWN_DROPPED;
		here->number = r.number;
		here->keeper = r.keeper;
		here->similarity = r.similarity;
		here->measure = r.measure;
	}
	return 0;
}

/* Asks the archive for the documents of the batch. Of several documents that are one document of the
 * archive, which stayed, the first one stays, or the last one under --keep newest. Documents
 * without tokens are in no pair: all stay. */
static int ask(struct sh_batch *b, struct sh_error *err)
{
	struct sh_batch_document *d = b->document;
	bool newest = b->newest;
	uint32_t *order = order_by_id(b, err);
	uint64_t *key = sh_tables_get(b->tables, b->corpus->n + 1, sizeof *key, err);
	struct looking l = { .batch = b, .order = order };
	int status = order && key ? 0 : -1;

	for (size_t i = 0; status == 0 && i < b->corpus->n; i++)
		key[i] = d[order[i]].id_key;
	if (status == 0)
		status =
		    sh_store_look(b->store, SH_LIST_IDS, key, b->corpus->n, 0, found_id, &l, err);
	for (size_t i = 1; status == 0 && i < b->corpus->n; i++) {
		struct sh_batch_document *before = &d[order[i - 1]], *here = &d[order[i]];

		if (here->known && here->keeper == here->number && here->similarity &&
		    before->known && before->number == here->number &&
		    !sh_engine_is_protected(b->engine, order[i]))
			(newest ? before : here)->known = SH_KNOWN_DROPPED;
	}
	sh_tables_put(b->tables, order);
	sh_tables_put(b->tables, key);
	sh_document_room_free(&l.room);
	return status;
}

/* Finds the documents that the archive knows. A protected document that it has dropped is new. */
static int find_known(struct sh_batch *b, struct sh_error *err)
{
	int status;

	b->document = sh_tables_get(b->tables, b->corpus->n + 1, sizeof *b->document, err);
	if (!b->document)
		return -1;
	status = sh_parallel(
	    b->reader, sizeof *b->reader, b->jobs, b->corpus->n, GRAIN, digest_some, err);
	if (status == 0)
		status = ask(b, err);
	for (uint32_t i = 0; status == 0 && i < b->corpus->n; i++) {
		struct sh_batch_document *d = &b->document[i];

		if (d->known == SH_KNOWN_DROPPED && sh_engine_is_protected(b->engine, i))
			d->known = SH_KNOWN_NOT;
		if (d->known == SH_KNOWN_NOT)
			continue;
		b->n_known++;
		status = sh_engine_leave_out(b->engine, i, err);
	}
	return status;
}

/* ---- candidates ---- */

/* Postings of archived documents; their documents have the archive's numbers at first. */
struct candidates {
	struct sh_batch *batch;
	struct sh_key_posting *posting;
	size_t n, cap;
	/* of the postings of the batch that are looked up */
	uint64_t *key;
	bool *is_short;  /* by key: a short document of the batch has it */
	uint32_t *found; /* by key: postings found, in columns of short documents */
	size_t key_cap, short_cap, found_cap;
};

static int found_posting(
    void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_key_posting *to;

	if (SH_RESERVE(c->posting, c->cap, c->n + 1, err) < 0)
		return -1;
	to = &c->posting[c->n++];
	*to = (struct sh_key_posting){ .hash = p->key >> 1 & ((UINT64_C(1) << SH_KEYS_BITS) - 1),
		.document = p->document,
		.column = (uint8_t)(p->key >> (SH_KEYS_BITS + 1)),
		.is_short = !(p->key & 1) };
	c->found[asked]++;
	return 0;
}

/* Looks up the postings of a column that the documents of the batch have. Of a bucket of the archive
 * the first and the last documents are enough: match/bucket.h. Documents that are not short meet
 * the first short ones, so all of them are needed where the archive has few short ones. */
static int look_up(void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_store *store = c->batch->store;
	unsigned column = posting[0].column;
	size_t keys = 0, others = 0;

	if (SH_RESERVE(c->key, c->key_cap, n, err) < 0 ||
	    SH_RESERVE(c->is_short, c->short_cap, n, err) < 0 ||
	    SH_RESERVE(c->found, c->found_cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || posting[i].hash != posting[i - 1].hash) {
			c->key[keys] = sh_stored_key(column, posting[i].hash, true);
			c->is_short[keys] = false;
			c->found[keys++] = 0;
		}
		c->is_short[keys - 1] = c->is_short[keys - 1] || posting[i].is_short;
	}
	if (sh_store_look(
		store, SH_LIST_POSTINGS, c->key, keys, SH_BUCKET_MOST, found_posting, c, err) < 0)
		return -1;
	if (!sh_column_of_short(column))
		return 0;
	for (size_t i = 0; i < keys; i++)
		if (c->is_short[i] && c->found[i] < SH_BUCKET_MOST)
			c->key[others++] = c->key[i] | 1;
	return sh_store_look(store, SH_LIST_POSTINGS, c->key, others, 0, found_posting, c, err);
}

static int by_value(const void *a, const void *b)
{
	return sh_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Sets b->stored to the documents of the postings, and numbers the postings by it. */
static int number_stored(struct candidates *c, struct sh_error *err)
{
	struct sh_batch *b = c->batch;
	size_t n = 0;

	if (SH_RESERVE(b->stored, b->stored_cap, c->n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		b->stored[i] = c->posting[i].document;
	qsort(b->stored, c->n, sizeof *b->stored, by_value);
	for (size_t i = 0; i < c->n; i++)
		if (i == 0 || b->stored[i] != b->stored[n - 1])
			b->stored[n++] = b->stored[i];
	b->n_stored = n;
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t *at =
		    bsearch(&c->posting[i].document, b->stored, n, sizeof *b->stored, by_value);

		c->posting[i].document = (uint32_t)(b->corpus->n + (size_t)(at - b->stored));
	}
	return 0;
}

int sh_batch_find(struct sh_batch *b, struct sh_error *err)
{
	struct candidates c = { .batch = b };
	int status = 0;

	if (b->store->n_segments)
		status = sh_engine_postings(b->engine, look_up, &c, err);
	if (status == 0 && c.n)
		status = number_stored(&c, err);
	if (status == 0 && c.n)
		status = sh_engine_add_stored(b->engine, b->n_stored, err);
	if (status == 0 && c.n)
		status = sh_engine_add_postings(b->engine, c.posting, c.n, err);
	free(c.posting);
	free(c.key);
	free(c.is_short);
	free(c.found);
	return status;
}

int sh_batch_look(struct sh_batch *b, struct sh_error *err)
{
	return find_known(b, err) < 0 ? -1 : sh_batch_find(b, err);
}

/* ---- outcomes ---- */

bool sh_batch_drops(const struct sh_batch *b, uint32_t document)
{
	return b->document && (b->document[document].known == SH_KNOWN_DROPPED ||
				  sh_engine_keeper(b->engine, document) >= b->corpus->n);
}

uint32_t sh_batch_keeper(const struct sh_batch *b, uint32_t document)
{
	const struct sh_batch_document *d = b->document;
	uint32_t keeper = sh_engine_keeper(b->engine, document);

	return d[document].known       ? d[document].keeper
	       : keeper < b->corpus->n ? d[keeper].number
				       : b->stored[keeper - b->corpus->n];
}

struct sh_verdict sh_batch_verdict(const struct sh_batch *b, uint32_t document)
{
	const struct sh_batch_document *d = b->document ? &b->document[document] : NULL;

	return d && d->known ? (struct sh_verdict){ true, d->measure, d->similarity }
			     : sh_engine_verdict(b->engine, document);
}

/* Of the new documents of one id and text, the first that stays is recorded; when none stays, the
 * first. They are one when the key of the id and the digest are equal: 128 bits under the archive's
 * key. */
int sh_batch_number(struct sh_batch *b, struct sh_error *err)
{
	struct sh_batch_document *d = b->document;
	uint32_t first = b->store->manifest.next_number, *order = order_by_id(b, err);

	if (!order)
		return -1;
	for (size_t i = 0, end, of; i < b->corpus->n; i = end) {
		const struct sh_batch_document *here = &d[order[i]];

		for (end = i + 1; end < b->corpus->n && d[order[end]].id_key == here->id_key &&
				  d[order[end]].digest == here->digest;)
			end++;
		if (here->known)
			continue;
		for (of = i; of < end && !sh_batch_stays(b, order[of]);)
			of++;
		of = of < end ? of : i;
		d[order[of]].recorded = true;
		for (size_t k = i; k < end; k++)
			d[order[k]].number = order[of];
	}
	sh_tables_put(b->tables, order);
	for (uint32_t i = 0; i < b->corpus->n; i++) {
		if (!d[i].recorded)
			continue;
		d[i].number = first + (uint32_t)b->n_added++;
		b->n_kept += sh_batch_stays(b, i);
	}
	for (uint32_t i = 0; i < b->corpus->n; i++) {
		if (d[i].known)
			continue;
		if (!d[i].recorded)
			d[i].number = d[d[i].number].number;
		b->n_matched += sh_engine_keeper(b->engine, i) >= b->corpus->n;
	}
	return 0;
}

/* ---- adding ---- */

struct adding {
	struct sh_batch *batch;
	struct sh_store_change change;
	uint32_t *list; /* the recorded documents */
	size_t from;
	struct sh_buf line[TASKS * GRAIN]; /* of the documents from list[from] on */
};

/* Sets the line of document i: id, and sketch or text of a document that stays. */
static int encode(struct sh_batch_reader *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	bool raw = b->features.token.raw;
	struct sh_feature_set set;
	struct sh_document doc;

	to->n = 0;
	if (sh_corpus_document(b->corpus, i, &w->room, &doc, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0)
		return -1;
	if (!sh_batch_stays(b, i))
		return 0;
	if (b->store->manifest.form == SH_STORE_DOCUMENTS)
		return escaped(w, raw, &doc.text, err) < 0
			   ? -1
			   : sh_buf_add(to, doc.text.p, doc.text.n, err);
	if (analyse(b, &w->new, raw, doc.text, &set, err) < 0 ||
	    sh_buf_reserve(to, 4 * set.n_ordered, err) < 0)
		return -1;
	for (size_t k = 0; k < set.n_ordered; k++)
		sh_put_le32(to->p + to->n + 4 * k, (uint32_t)(set.ordered[k] >> 32));
	to->n += 4 * set.n_ordered;
	return 0;
}

static int encode_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct sh_batch_reader *w = arg;
	struct adding *a = w->adding;

	for (size_t i = from; i < to; i++)
		if (encode(w, a->list[a->from + i], &a->line[i], err) < 0)
			return -1;
	return 0;
}

static int add_document(
    struct adding *a, uint32_t i, const struct sh_buf *text, struct sh_error *err)
{
	struct sh_batch *b = a->batch;
	struct sh_slice line = sh_buf_slice(text);
	struct sh_record r = { .time = b->now,
		.digest = b->document[i].digest,
		.keeper = sh_batch_keeper(b, i),
		.line = line,
		.id = sh_slice(
		    line.p, (size_t)((const char *)memchr(line.p, '\t', line.n) - line.p)) };

	if (sh_engine_keeper(b->engine, i) == i) {
		r.similarity = sh_engine_has_tokens(b->engine, i) ? 10000 : 0;
	} else {
		struct sh_verdict v = sh_engine_verdict(b->engine, i);

		r.similarity = (uint16_t)v.similarity;
		r.measure = (uint8_t)v.measure;
	}
	return sh_store_change_document(&a->change, &r, err);
}

static int add_documents(struct adding *a, struct sh_error *err)
{
	struct sh_batch *b = a->batch;
	size_t all = (size_t)b->n_added, n = 0;
	int status = 0;

	for (uint32_t i = 0; i < b->corpus->n; i++)
		if (b->document[i].recorded)
			a->list[n++] = i;
	for (a->from = 0; status == 0 && a->from < all; a->from += TASKS * GRAIN) {
		n = all - a->from < TASKS * GRAIN ? all - a->from : TASKS * GRAIN;
		status =
		    sh_parallel(b->reader, sizeof *b->reader, b->jobs, n, GRAIN, encode_some, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = add_document(a, a->list[a->from + i], &a->line[i], err);
	}
	return status;
}

/* Adds the postings of the documents that stay. In a bucket the short documents come first. */
static int add_postings(
    void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct adding *a = arg;
	struct sh_batch *b = a->batch;
	bool shorts = sh_column_of_short(posting[0].column);

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && posting[end].hash == posting[i].hash;)
			end++;
		for (size_t pass = 0; pass < 2; pass++)
			for (size_t k = i; k < end; k++) {
				const struct sh_key_posting *p = &posting[k];
				bool is_short = !shorts || p->is_short;
				struct sh_store_posting to = { .key = sh_stored_key(
								   p->column, p->hash, is_short) };

				if (is_short != (pass == 0) || p->document >= b->corpus->n ||
				    !b->document[p->document].recorded ||
				    !sh_batch_stays(b, p->document))
					continue;
				to.document = b->document[p->document].number;
				if (sh_store_change_posting(&a->change, &to, err) < 0)
					return -1;
			}
	}
	return 0;
}

int sh_batch_add(struct sh_batch *b, uint64_t merges, struct sh_error *err)
{
	struct adding *a = calloc(1, sizeof *a);
	int status;

	if (!a)
		return sh_error_nomem(err);
	a->batch = b;
	for (unsigned i = 0; i < b->jobs; i++)
		b->reader[i].adding = a;
	status = sh_store_change_begin(&a->change, b->store, err);
	if (status == 0 &&
	    !(a->list = sh_tables_get(b->tables, b->corpus->n + 1, sizeof *a->list, err)))
		status = -1;
	if (status == 0)
		status = add_documents(a, err);
	if (status == 0 && b->n_added)
		status = sh_engine_postings(b->engine, add_postings, a, err);
	if (status == 0)
		status = sh_store_change_add_segment(&a->change, merges, err);
	if (status == 0)
		status = sh_store_change_commit(&a->change, err);
	sh_store_change_end(&a->change);
	for (size_t i = 0; i < TASKS * GRAIN; i++)
		sh_buf_free(&a->line[i]);
	sh_tables_put(b->tables, a->list);
	free(a);
	return status;
}
