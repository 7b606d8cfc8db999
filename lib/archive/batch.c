/* SPDX-License-Identifier: MIT */
#include "archive/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "fp/features.h"
#include "io/parallel.h"
#include "io/pool.h"
#include "match/posting.h"
#include "record/escape.h"
#include "store/change.h"

enum { GRAIN = 64 }; /* documents of a task */

/* Reads documents of the batch and of the archive, in one thread. */
struct sh_batch_reader {
	struct sh_batch *batch;
	/* of archived texts, or of the texts of the batch where the archive has sketches; NULL
	 * until it is needed */
	struct sh_features *features;
	uint64_t *token;
	size_t token_cap;
	struct sh_buf text, line;
	struct sh_document_room room;
};

static bool has_texts(const struct sh_batch *b)
{
	return b->store->manifest.form == SH_STORE_DOCUMENTS;
}

int sh_batch_options(struct sh_batch *b, struct sh_engine_opts *opts, struct sh_error *err)
{
	const struct sh_store_manifest *m = &b->store->manifest;

	b->features = (struct sh_feature_opts){ .token = opts->token,
		.ngrams = opts->rules.ngrams,
		.of_tokens = true,
		.key = { m->key[0], m->key[1] },
		.cut = !has_texts(b) };
	opts->features = b->features;
	opts->stored = sh_batch_stored;
	opts->stored_arg = b;
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

		sh_features_delete(w->features);
		free(w->token);
		sh_buf_free(&w->text);
		sh_buf_free(&w->line);
		sh_document_room_free(&w->room);
	}
	free(b->reader);
	sh_tables_put(b->tables, b->stored);
	sh_tables_put(b->tables, b->order);
	sh_tables_put(b->tables, b->document);
	*b = (struct sh_batch){ 0 };
}

/* ---- archived documents ---- */

/* Sets *set to the tokens of a text in their order. */
static int analyse(struct sh_batch_reader *w, struct sh_slice text, struct sh_feature_set *set,
    struct sh_error *err)
{
	struct sh_feature_opts opts = w->batch->features;

	opts.only_order = true;
	opts.token.raw = opts.token.raw || has_texts(w->batch);
	if (!w->features)
		w->features = sh_features_new(&opts, err);
	return w->features ? sh_features_of(w->features, text, set, err) : -1;
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
	if (has_texts(b)) {
		w->text.n = 0;
		if (sh_unescape(content, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0)
			return -1;
		return analyse(w, sh_buf_slice(&w->text), set, err);
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
 * all forms of input. It is valid until the next call. */
static int escaped(struct sh_batch_reader *w, struct sh_slice *text, struct sh_error *err)
{
	bool raw = w->batch->features.token.raw;

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
		    escaped(w, &doc.text, err) < 0)
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

/* Returns whether two documents are one: they have the same id and text. The hashes have 128 bits
 * under the archive's key. */
static bool are_one(const struct sh_batch_document *x, const struct sh_batch_document *y)
{
	return x->id_key == y->id_key && x->digest == y->digest;
}

/* Sets what the archive knows of the documents of this id and text. Later records replace earlier
 * ones of the same document. */
static int found_id(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct sh_batch *b = arg;
	const uint32_t *order = b->order;
	struct sh_batch_document *d = b->document, wanted = { .id_key = p->key };
	size_t i = asked, end = b->corpus->n;
	struct sh_record r;

	if (sh_batch_record(b, p->document, &r, err) < 0)
		return -1;
	wanted.digest = r.digest;
	SH_BISECT(i, end, mid, d[order[mid]].id_key == p->key && d[order[mid]].digest < r.digest);
	for (; i < b->corpus->n && are_one(&d[order[i]], &wanted); i++) {
		struct sh_batch_document *here = &d[order[i]];

		here->known = r.keeper == r.number ? SH_KNOWN_STAYED : SH_KNOWN_DROPPED;
		here->number = r.number;
		here->keeper = r.keeper;
		here->verdict = (struct sh_verdict){ true, r.measure, r.similarity };
	}
	return 0;
}

/* Finds the documents that the archive knows. Of several documents that are one document of the
 * archive, which stayed, the first one stays, or the last one under --keep newest. Documents
 * without tokens are in no pair: all stay. A protected document that the archive has dropped is
 * new. */
static int find_known(struct sh_batch *b, struct sh_error *err)
{
	size_t n = b->corpus->n;
	uint64_t *key = sh_tables_get(b->tables, n + 1, sizeof *key, err);
	struct sh_batch_document *d = sh_tables_get(b->tables, n + 1, sizeof *d, err);
	int status = -1;

	b->document = d;
	b->order = sh_tables_get(b->tables, n + 1, sizeof *b->order, err);
	if (key && d && b->order)
		status =
		    sh_parallel(b->reader, sizeof *b->reader, b->jobs, n, GRAIN, digest_some, err);
	for (uint32_t i = 0; status == 0 && i < n; i++)
		b->order[i] = i;
	if (status == 0)
		qsort_r(b->order, n, sizeof *b->order, by_id, d);
	for (size_t i = 0; status == 0 && i < n; i++)
		key[i] = d[b->order[i]].id_key;
	if (status == 0)
		status = sh_store_look(b->store, SH_LIST_IDS, key, n, 0, found_id, b, err);
	sh_tables_put(b->tables, key);
	for (size_t i = 1; status == 0 && i < n; i++) {
		struct sh_batch_document *before = &d[b->order[i - 1]], *here = &d[b->order[i]];

		if (here->known == SH_KNOWN_STAYED && are_one(before, here) &&
		    sh_engine_has_tokens(b->engine, b->order[i]) &&
		    !sh_engine_is_protected(b->engine, b->order[i]))
			(b->newest ? before : here)->known = SH_KNOWN_DROPPED;
	}
	for (uint32_t i = 0; status == 0 && i < n; i++) {
		if (d[i].known == SH_KNOWN_DROPPED && sh_engine_is_protected(b->engine, i))
			d[i].known = SH_KNOWN_NOT;
		if (d[i].known == SH_KNOWN_NOT)
			continue;
		b->n_known++;
		sh_engine_leave_out(b->engine, i);
	}
	return status;
}

/* ---- candidates ---- */

/* Postings of archived documents; their documents have the archive's numbers at first. */
struct candidates {
	struct sh_batch *batch;
	struct sh_doc_key *posting;
	uint64_t *key;   /* of the postings of the batch that are looked up */
	uint32_t *found; /* by key: postings found */
	size_t n, cap, key_cap, found_cap;
};

static int found_posting(
    void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct candidates *c = arg;

	if (SH_RESERVE(c->posting, c->cap, c->n + 1, err) < 0)
		return -1;
	c->posting[c->n++] =
	    (struct sh_doc_key){ .hash = p->key >> 1 & ((UINT64_C(1) << SH_KEYS_BITS) - 1),
		    .document = p->document,
		    .column = (uint8_t)(p->key >> (SH_KEYS_BITS + 1)),
		    .meets_all = !(p->key & 1) };
	c->found[asked]++;
	return 0;
}

/* Looks up the keys of postings of the batch. Of a bucket of the archive the first and the last
 * documents are enough: match/posting.h. Documents that are not short meet the first short ones, so
 * a short document of the batch needs all documents that are not short where the archive has few
 * short ones. */
static int look_up(void *arg, const struct sh_doc_key *posting, size_t n, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_store *store = c->batch->store;
	size_t keys = 0, others = 0;

	if (SH_RESERVE(c->key, c->key_cap, n, err) < 0 ||
	    SH_RESERVE(c->found, c->found_cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct sh_doc_key *p = &posting[i];
		uint64_t key = sh_stored_key(p->column, p->hash, true);

		if (keys && key == c->key[keys - 1])
			continue;
		/* The first posting of a bucket is that of a short document, if there is one. */
		c->found[keys] = p->meets_all && sh_column_of_short(p->column) ? 0 : SH_BUCKET_MOST;
		c->key[keys++] = key;
	}
	if (sh_store_look(
		store, SH_LIST_POSTINGS, c->key, keys, SH_BUCKET_MOST, found_posting, c, err) < 0)
		return -1;
	for (size_t i = 0; i < keys; i++)
		if (c->found[i] < SH_BUCKET_MOST)
			c->key[others++] = c->key[i] | 1;
	return sh_store_look(store, SH_LIST_POSTINGS, c->key, others, 0, found_posting, c, err);
}

static int by_value(const void *a, const void *b)
{
	return sh_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Returns the engine's number of a document of b->stored. */
static uint32_t stored_document(const struct sh_batch *b, uint32_t number)
{
	const uint32_t *at = bsearch(&number, b->stored, b->n_stored, sizeof *b->stored, by_value);

	return (uint32_t)(b->corpus->n + (size_t)(at - b->stored));
}

/* Adds archived documents to the engine: the documents that share a key with a document of the
 * batch, and the keepers of known documents. */
static int add_stored(struct sh_batch *b, struct candidates *c, struct sh_error *err)
{
	size_t all = 0;

	if (b->store->n_segments && sh_engine_postings(b->engine, look_up, c, err) < 0)
		return -1;
	b->stored = sh_tables_get(b->tables, c->n + (size_t)b->n_known + 1, sizeof *b->stored, err);
	if (!b->stored)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		b->stored[all++] = c->posting[i].document;
	for (size_t i = 0; b->document && i < b->corpus->n; i++)
		if (b->document[i].known == SH_KNOWN_DROPPED)
			b->stored[all++] = b->document[i].keeper;
	qsort(b->stored, all, sizeof *b->stored, by_value);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || b->stored[i] != b->stored[b->n_stored - 1])
			b->stored[b->n_stored++] = b->stored[i];
	for (size_t i = 0; i < c->n; i++)
		c->posting[i].document = stored_document(b, c->posting[i].document);
	return sh_engine_add_stored(b->engine, b->n_stored, err) < 0
		   ? -1
		   : sh_engine_add_postings(b->engine, c->posting, c->n, err);
}

int sh_batch_find(struct sh_batch *b, struct sh_error *err)
{
	struct candidates c = { .batch = b };
	int status = add_stored(b, &c, err);

	free(c.posting);
	free(c.key);
	free(c.found);
	return status;
}

/* ---- outcomes ---- */

uint32_t sh_batch_keeper(const struct sh_batch *b, uint32_t document)
{
	uint32_t keeper = sh_engine_keeper(b->engine, document);

	return keeper < b->corpus->n ? b->document[keeper].number
				     : b->stored[keeper - b->corpus->n];
}

int sh_batch_keeper_id(const struct sh_batch *b, uint32_t document, struct sh_document_room *room,
    struct sh_slice *id, struct sh_error *err)
{
	uint32_t keeper = sh_engine_keeper(b->engine, document);
	struct sh_document kept;
	struct sh_record r;

	if (sh_batch_drops(b, document)) {
		if (sh_batch_record(b, b->stored[keeper - b->corpus->n], &r, err) < 0)
			return -1;
		*id = r.id;
		return 0;
	}
	if (sh_corpus_document(b->corpus, keeper, room, &kept, err) < 0)
		return -1;
	*id = kept.id;
	return 0;
}

/* Of the new documents that are one, the first that stays is recorded; when none stays, the
 * first. */
static void number(struct sh_batch *b)
{
	struct sh_batch_document *d = b->document;
	uint32_t first = b->store->manifest.next_number, *order = b->order;

	for (uint32_t i = 0; i < b->corpus->n; i++)
		if (d[i].known == SH_KNOWN_DROPPED)
			sh_engine_set_keeper(
			    b->engine, i, stored_document(b, d[i].keeper), &d[i].verdict);
	for (size_t i = 0, end, of; i < b->corpus->n; i = end) {
		for (end = i + 1; end < b->corpus->n && are_one(&d[order[end]], &d[order[i]]);)
			end++;
		if (d[order[i]].known)
			continue;
		for (of = i; of < end && !sh_batch_stays(b, order[of]);)
			of++;
		of = of < end ? of : i;
		d[order[of]].recorded = true;
		for (size_t k = i; k < end; k++)
			if (!d[order[k]].known)
				d[order[k]].number = order[of];
	}
	for (uint32_t i = 0; i < b->corpus->n; i++) {
		b->n_matched += !d[i].known && sh_batch_drops(b, i);
		if (!d[i].recorded)
			continue;
		d[i].number = first + (uint32_t)b->n_added++;
		b->n_kept += sh_batch_stays(b, i);
	}
	for (uint32_t i = 0; i < b->corpus->n; i++)
		if (!d[i].known && !d[i].recorded)
			d[i].number = d[d[i].number].number;
}

int sh_batch_run(struct sh_batch *b, struct sh_error *err)
{
	if (find_known(b, err) < 0 || sh_batch_find(b, err) < 0 ||
	    sh_engine_run(b->engine, err) < 0)
		return -1;
	number(b);
	return 0;
}

/* ---- adding ---- */

/* Appends the line of a document to job->out, and its length to job->facts. A document that stays
 * has its sketch or its text behind the id. */
static int encode(
    struct sh_batch_reader *w, uint32_t document, struct sh_job *job, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	bool stays = sh_batch_stays(b, document);
	struct sh_buf *to = &job->out;
	struct sh_feature_set set = { 0 };
	struct sh_document doc;
	size_t n = to->n;

	if (sh_corpus_document(b->corpus, document, &w->room, &doc, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0)
		return -1;
	if (stays && has_texts(b) &&
	    (escaped(w, &doc.text, err) < 0 || sh_buf_add(to, doc.text.p, doc.text.n, err) < 0))
		return -1;
	if (stays && !has_texts(b) && analyse(w, doc.text, &set, err) < 0)
		return -1;
	if (sh_buf_reserve(to, 4 * set.n_ordered, err) < 0)
		return -1;
	for (size_t k = 0; k < set.n_ordered; k++, to->n += 4)
		sh_put_le32(to->p + to->n, (uint32_t)(set.ordered[k] >> 32));
	n = to->n - n;
	return sh_buf_add(&job->facts, &n, sizeof n, err);
}

static int encode_some(void *reader, struct sh_job *job)
{
	struct sh_batch_reader *w = reader;
	size_t n = w->batch->corpus->n, i = job->task * GRAIN, end = n - i < GRAIN ? n : i + GRAIN;
	int status = 0;

	for (; status == 0 && i < end; i++)
		if (w->batch->document[i].recorded)
			status = encode(w, (uint32_t)i, job, &job->err);
	return status;
}

/* Adds the documents of a job to the archive. */
static int add_documents(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct sh_batch *b = arg;
	const size_t *length = (const size_t *)(const void *)job->facts.p;
	size_t left = job->facts.n / sizeof *length;
	const char *line = job->out.p;

	/* A failed job has the lines of its first documents only. */
	for (size_t i = job->task * GRAIN; left; i++) {
		uint32_t document = (uint32_t)i;
		struct sh_record r = { .time = b->now, .digest = b->document[i].digest };

		if (!b->document[i].recorded)
			continue;
		r.keeper = sh_batch_keeper(b, document);
		r.line = sh_slice(line, *length);
		r.id = sh_slice(line, (size_t)((const char *)memchr(line, '\t', r.line.n) - line));
		line += *length++;
		left--;
		if (sh_batch_stays(b, document)) {
			r.similarity = sh_engine_has_tokens(b->engine, document) ? 10000 : 0;
		} else {
			struct sh_verdict v = sh_engine_verdict(b->engine, document);

			r.similarity = (uint16_t)v.similarity;
			r.measure = (uint8_t)v.measure;
		}
		if (sh_store_change_document(b->change, &r, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the postings of the documents that stay. */
static int add_postings(void *arg, const struct sh_doc_key *posting, size_t n, struct sh_error *err)
{
	struct sh_batch *b = arg;

	for (const struct sh_doc_key *p = posting; p < posting + n; p++) {
		struct sh_store_posting to = { .key = sh_stored_key(
						   p->column, p->hash, p->meets_all) };

		if (p->document >= b->corpus->n || !b->document[p->document].recorded ||
		    !sh_batch_stays(b, p->document))
			continue;
		to.document = b->document[p->document].number;
		if (sh_store_change_posting(b->change, &to, err) < 0)
			return -1;
	}
	return 0;
}

int sh_batch_add(struct sh_batch *b, uint64_t merges, struct sh_error *err)
{
	struct sh_store_change change;
	void **workers = calloc(b->jobs, sizeof *workers);
	struct sh_pool pool = { encode_some, workers, b->jobs, add_documents, b };
	int status;

	if (!workers)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < b->jobs; i++)
		workers[i] = &b->reader[i];
	b->change = &change;
	status = sh_store_change_begin(&change, b->store, err);
	if (status == 0)
		status = sh_pool_tasks(&pool, (b->corpus->n + GRAIN - 1) / GRAIN, err);
	if (status == 0 && b->n_added)
		status = sh_engine_postings(b->engine, add_postings, b, err);
	if (status == 0)
		status = sh_store_change_add_segment(&change, merges, err);
	if (status == 0)
		status = sh_store_change_commit(&change, err);
	sh_store_change_end(&change);
	free(workers);
	return status;
}
