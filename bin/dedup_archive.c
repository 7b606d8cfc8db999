/* SPDX-License-Identifier: MIT */
/* The archive (lib/store) of shdedup: looks documents up in it and adds documents to it.
 *
 * The archive has every document of earlier runs, by id and digest of the text. A document that
 * stayed has its keys, and its sketch or its text. A dropped document has its keeper and the
 * verdict on both. So a document that the archive knows changes nothing, and has the same outcome
 * again: how documents are divided into runs does not matter.
 *
 * In the store the key of a posting is made of the column, the hash, and a last bit which says that
 * the document is not short (match/keys.h): so the short documents of a bucket come first, as in
 * match/bucket.h.
 *
 * A sketch is the tokens of the document in their order, 4 bytes each, little-endian: the upper
 * half of each token's hash under the archive's key. Two different tokens are equal in sketches
 * with probability 2^-32. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "dedup.h"
#include "fp/analysis.h"
#include "io/parallel.h"
#include "io/target.h"
#include "made_with.h"
#include "match/bucket.h"
#include "record/escape.h"
#include "store/change.h"

enum {
	GRAIN = 64,             /* documents of a task */
	EVERY_MERGES = 1 << 16, /* documents of a merge under --every: it takes about a second */
};

/* Reads documents of the run and of the archive, in one thread. */
struct archive_reader {
	struct dedup_state *state;
	/* of archived texts, or of the texts of the run where the archive has sketches; empty until
	 * it is needed */
	struct sh_analyser analyser;
	uint64_t *token;
	size_t token_cap;
	struct sh_buf text, line;
	struct sh_document_room room;
};

/* ---- opening ---- */

void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path)
{
	char *target, *file;
	const char *slash, *name;
	struct sh_error err;

	if (!path || sh_target_find(path, &target) != SH_TARGET_FILE)
		return;
	slash = strrchr(target, '/');
	name = slash ? slash + 1 : target;
	if (asprintf(&file, "%s/%s", dir, name) < 0) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	if (sh_store_owns(name) && sh_target_same(file, target))
		cli_usage(c, "%s: this is a file of the archive", path);
	free(file);
	free(target);
}

void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings)
{
	struct sh_store *store = &s->archive.store;
	struct sh_slice seed;
	struct sh_error err;

	if (!settings->archive)
		return;
	if (sh_store_open(store, settings->archive, &err) < 0)
		cli_die(s->cli, &err);
	if (store->manifest.kind != SH_STORE_OF_DOCUMENTS) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "'%s' is an archive of shspan, expected one of shdedup (sharchive init makes "
		    "one)",
		    settings->archive);
		cli_die(s->cli, &err);
	}
	/* The archive has its seed. */
	seed = sh_store_manifest_setting(&store->manifest, sh_slice_str("--seed"));
	if (sh_slice_eq(seed, sh_slice_str("random")) &&
	    (!settings->seed_given || settings->random_seed)) {
		settings->random_seed = true;
		memcpy(settings->rules.secret, store->manifest.key, sizeof store->manifest.key);
	}
	made_with_compare(s->cli, settings, &store->manifest);
}

/* ---- archived documents ---- */

static bool has_texts(const struct dedup_state *s)
{
	return s->archive.store.manifest.form == SH_STORE_DOCUMENTS;
}

static struct sh_feature_opts feature_opts(const struct dedup_state *s)
{
	const struct sh_store_manifest *m = &s->archive.store.manifest;

	return (struct sh_feature_opts){ .token = s->settings->docs.token,
		.ngrams = s->settings->docs.ngrams,
		.of_tokens = true,
		.key = { m->key[0], m->key[1] },
		.ordered = true,
		.cut = !has_texts(s) };
}

/* Sets *set to the tokens of a text in their order. */
static int analyse(struct archive_reader *w, struct sh_slice text, struct sh_feature_set *set,
    struct sh_error *err)
{
	struct sh_feature_opts opts = feature_opts(w->state);
	struct sh_analysis x;

	opts.only_order = true;
	opts.token.raw = opts.token.raw || has_texts(w->state);
	if (!w->analyser.tokenizer && sh_analyser_init(&w->analyser, NULL, &opts, err) < 0)
		return -1;
	if (sh_analyse(&w->analyser, text, &x, err) < 0)
		return -1;
	*set = x.set;
	return 0;
}

static int no_record(const struct dedup_state *s, uint32_t number, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive '%s' has no valid record of document %08x: restore it from a backup",
	    s->settings->archive, number);
}

/* Reads a record that must exist. */
static int read_record(
    struct dedup_state *s, uint32_t number, struct sh_record *r, struct sh_error *err)
{
	int got = sh_store_record(&s->archive.store, number, r, err);

	return got > 0 ? 0 : got < 0 ? -1 : no_record(s, number, err);
}

/* Sets set->ordered to the tokens of an archived document. It has the type of
 * sh_engine_opts.stored. */
static int read_stored(
    void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct dedup_state *s = arg;
	struct archive_reader *w = &s->archive.reader[thread];
	uint32_t number = s->archive.stored[document - s->corpus.n];
	struct sh_slice content;
	struct sh_record r;

	if (read_record(s, number, &r, err) < 0)
		return -1;
	if (r.id.p != r.line.p || r.line.n <= r.id.n)
		return no_record(s, number, err);
	content = sh_slice(r.line.p + r.id.n + 1, r.line.n - r.id.n - 1);
	if (has_texts(s)) {
		w->text.n = 0;
		if (sh_unescape(content, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0)
			return -1;
		return analyse(w, sh_buf_slice(&w->text), set, err);
	}
	if (content.n % 4)
		return no_record(s, number, err);
	set->n_ordered = content.n / 4;
	if (SH_RESERVE(w->token, w->token_cap, set->n_ordered, err) < 0)
		return -1;
	for (size_t i = 0; i < set->n_ordered; i++)
		w->token[i] = (uint64_t)sh_le32(content.p + 4 * i) << 32;
	set->ordered = w->token;
	return 0;
}

void dedup_archive_engine(struct dedup_state *s, struct sh_engine_opts *opts)
{
	if (!s->settings->archive)
		return;
	s->archive.reader = cli_zeroed(s->cli, s->cli->jobs, sizeof *s->archive.reader);
	for (unsigned i = 0; i < s->cli->jobs; i++)
		s->archive.reader[i].state = s;
	opts->features = feature_opts(s);
	opts->stored = read_stored;
}

/* ---- documents that the archive knows ---- */

/* Sets *text to the text in the form of sh_escape(): then a text has one digest, and one line, in
 * all forms of input. It is valid until the next call. */
static int escaped(struct archive_reader *w, struct sh_slice *text, struct sh_error *err)
{
	bool raw = w->state->settings->docs.token.raw;

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
	struct archive_reader *w = arg;
	struct dedup_state *s = w->state;
	const struct sh_store_manifest *m = &s->archive.store.manifest;
	struct sh_document doc;

	for (size_t i = from; i < to; i++) {
		if (sh_corpus_document(&s->corpus, (uint32_t)i, &w->room, &doc, err) < 0 ||
		    escaped(w, &doc.text, err) < 0)
			return -1;
		s->archive.document[i] =
		    (struct dedup_document){ .digest = sh_siphash(m->key, doc.text.p, doc.text.n),
			    .id_key = sh_store_id_key(m, doc.id) };
	}
	return 0;
}

static int by_id(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct dedup_document *d = arg, *p = &d[x], *q = &d[y];

	if (p->id_key != q->id_key)
		return p->id_key < q->id_key ? -1 : 1;
	if (p->digest != q->digest)
		return p->digest < q->digest ? -1 : 1;
	return sh_compare(x, y);
}

/* Returns whether two documents are one: they have the same id and text. The hashes have 128 bits
 * under the archive's key. */
static bool are_one(const struct dedup_document *x, const struct dedup_document *y)
{
	return x->id_key == y->id_key && x->digest == y->digest;
}

/* Sets what the archive knows of the documents of this id and text. Later records replace earlier
 * ones of the same document. */
static int found_id(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct dedup_state *s = arg;
	const uint32_t *order = s->archive.order;
	struct dedup_document *d = s->archive.document, wanted = { .id_key = p->key };
	size_t i = asked, end = s->corpus.n;
	struct sh_record r;

	if (read_record(s, p->document, &r, err) < 0)
		return -1;
	wanted.digest = r.digest;
	SH_BISECT(i, end, mid, d[order[mid]].id_key == p->key && d[order[mid]].digest < r.digest);
	for (; i < s->corpus.n && are_one(&d[order[i]], &wanted); i++) {
		struct dedup_document *here = &d[order[i]];

		here->known = r.keeper == r.number ? DEDUP_STAYED : DEDUP_DROPPED;
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
static int find_known(struct dedup_state *s, struct sh_error *err)
{
	struct dedup_archive *a = &s->archive;
	bool newest = s->settings->keep.by == SH_RANK_NEWEST;
	size_t n = s->corpus.n;
	uint64_t *key = sh_tables_get(&s->tables, n + 1, sizeof *key, err);
	struct dedup_document *d = sh_tables_get(&s->tables, n + 1, sizeof *d, err);

	a->document = d;
	a->order = sh_tables_get(&s->tables, n + 1, sizeof *a->order, err);
	if (!key || !d || !a->order ||
	    sh_parallel(a->reader, sizeof *a->reader, s->cli->jobs, n, GRAIN, digest_some, err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		a->order[i] = i;
	qsort_r(a->order, n, sizeof *a->order, by_id, d);
	for (size_t i = 0; i < n; i++)
		key[i] = d[a->order[i]].id_key;
	if (sh_store_look(&a->store, SH_LIST_IDS, key, n, 0, found_id, s, err) < 0)
		return -1;
	sh_tables_put(&s->tables, key);
	for (size_t i = 1; i < n; i++) {
		struct dedup_document *before = &d[a->order[i - 1]], *here = &d[a->order[i]];

		if (here->known == DEDUP_STAYED && are_one(before, here) &&
		    sh_engine_has_tokens(s->engine, a->order[i]) &&
		    !sh_engine_is_protected(s->engine, a->order[i]))
			(newest ? before : here)->known = DEDUP_DROPPED;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (d[i].known == DEDUP_DROPPED && sh_engine_is_protected(s->engine, i))
			d[i].known = DEDUP_NEW;
		if (d[i].known == DEDUP_NEW)
			continue;
		a->n_known++;
		sh_engine_leave_out(s->engine, i);
	}
	return 0;
}

/* ---- candidates ---- */

/* Postings of archived documents; their documents have the archive's numbers at first. */
struct candidates {
	struct dedup_state *state;
	struct sh_doc_key *posting;
	uint64_t *key;   /* of the postings of the run that are looked up */
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

/* Looks up the keys of postings of the run. Of a bucket of the archive the first and the last
 * documents are enough: match/bucket.h. Documents that are not short meet the first short ones, so
 * all of them are needed for a short document of the run, where the archive has few short ones. */
static int look_up(void *arg, const struct sh_doc_key *posting, size_t n, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_store *store = &c->state->archive.store;
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

/* Returns the engine's number of a document of a->stored. */
static uint32_t stored_document(const struct dedup_state *s, uint32_t number)
{
	const struct dedup_archive *a = &s->archive;
	const uint32_t *at = bsearch(&number, a->stored, a->n_stored, sizeof *a->stored, by_value);

	return (uint32_t)(s->corpus.n + (size_t)(at - a->stored));
}

/* Adds archived documents to the engine: those that share a key with a new document of the run, and
 * the keepers of known documents. */
static int add_stored(struct dedup_state *s, struct candidates *c, struct sh_error *err)
{
	struct dedup_archive *a = &s->archive;
	size_t all = 0;

	if (a->store.n_segments && sh_engine_postings(s->engine, look_up, c, err) < 0)
		return -1;
	a->stored =
	    sh_tables_get(&s->tables, c->n + (size_t)a->n_known + 1, sizeof *a->stored, err);
	if (!a->stored)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		a->stored[all++] = c->posting[i].document;
	for (size_t i = 0; i < s->corpus.n; i++)
		if (a->document[i].known == DEDUP_DROPPED)
			a->stored[all++] = a->document[i].keeper;
	qsort(a->stored, all, sizeof *a->stored, by_value);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || a->stored[i] != a->stored[a->n_stored - 1])
			a->stored[a->n_stored++] = a->stored[i];
	for (size_t i = 0; i < c->n; i++)
		c->posting[i].document = stored_document(s, c->posting[i].document);
	return sh_engine_add_stored(s->engine, a->n_stored, err) < 0
		   ? -1
		   : sh_engine_add_postings(s->engine, c->posting, c->n, err);
}

void dedup_archive_look(struct dedup_state *s)
{
	struct candidates c = { .state = s };
	struct sh_error err;

	if (!s->settings->archive)
		return;
	s->archive.now = cli_now(s->cli);
	/* Another run may have changed the archive while documents were read. */
	if (sh_store_lock(&s->archive.store, !s->settings->dry_run, s->settings->wait, &err) < 0 ||
	    find_known(s, &err) < 0 || add_stored(s, &c, &err) < 0)
		cli_die(s->cli, &err);
	free(c.posting);
	free(c.key);
	free(c.found);
}

/* ---- outcomes ---- */

uint32_t dedup_archive_keeper(const struct dedup_state *s, uint32_t document)
{
	uint32_t keeper = sh_engine_keeper(s->engine, document);

	return keeper < s->corpus.n ? s->archive.document[keeper].number
				    : s->archive.stored[keeper - s->corpus.n];
}

int dedup_archive_id(
    struct dedup_state *s, uint32_t number, struct sh_slice *id, struct sh_error *err)
{
	struct sh_record r;

	if (read_record(s, number, &r, err) < 0)
		return -1;
	*id = r.id;
	return 0;
}

/* Of the new documents that are one, the first that stays is recorded; when none stays, the
 * first. */
void dedup_archive_decided(struct dedup_state *s)
{
	struct dedup_archive *a = &s->archive;
	struct dedup_document *d = a->document;
	uint32_t first = a->store.manifest.next_number, *order = a->order;

	if (!d)
		return;
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (d[i].known == DEDUP_DROPPED)
			sh_engine_set_keeper(
			    s->engine, i, stored_document(s, d[i].keeper), &d[i].verdict);
	for (size_t i = 0, end, of; i < s->corpus.n; i = end) {
		for (end = i + 1; end < s->corpus.n && are_one(&d[order[end]], &d[order[i]]);)
			end++;
		if (d[order[i]].known)
			continue;
		for (of = i; of < end && !dedup_stays(s, order[of]);)
			of++;
		of = of < end ? of : i;
		d[order[of]].recorded = true;
		for (size_t k = i; k < end; k++)
			d[order[k]].number = order[of];
	}
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		a->n_matched += !d[i].known && dedup_is_archived(s, sh_engine_keeper(s->engine, i));
		if (!d[i].recorded)
			continue;
		d[i].number = first + (uint32_t)a->n_added++;
		a->n_kept += dedup_stays(s, i);
	}
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (!d[i].known && !d[i].recorded)
			d[i].number = d[d[i].number].number;
}

/* ---- adding ---- */

struct adding {
	struct dedup_state *state;
	struct sh_store_change change;
};

/* The line of a recorded document, in job->facts. */
struct encoded {
	uint32_t document;
	size_t id, n; /* bytes of the id and of the line */
};

/* Appends the line of document i: id, and sketch or text of a document that stays. */
static int encode(struct dedup_writer *writer, uint32_t i, struct sh_job *job, struct sh_error *err)
{
	struct dedup_state *s = writer->state;
	struct archive_reader *w = &s->archive.reader[writer->thread];
	struct sh_buf *to = &job->out;
	struct sh_feature_set set = { 0 };
	struct encoded e = { .document = i };
	struct sh_document doc;
	size_t begin = to->n;

	if (!s->archive.document[i].recorded)
		return 0;
	if (sh_corpus_document(&s->corpus, i, &w->room, &doc, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0)
		return -1;
	e.id = doc.id.n;
	if (dedup_stays(s, i) && has_texts(s) &&
	    (escaped(w, &doc.text, err) < 0 || sh_buf_add(to, doc.text.p, doc.text.n, err) < 0))
		return -1;
	if (dedup_stays(s, i) && !has_texts(s) && analyse(w, doc.text, &set, err) < 0)
		return -1;
	if (sh_buf_reserve(to, 4 * set.n_ordered, err) < 0)
		return -1;
	for (size_t k = 0; k < set.n_ordered; k++, to->n += 4)
		sh_put_le32(to->p + to->n, (uint32_t)(set.ordered[k] >> 32));
	e.n = to->n - begin;
	return sh_buf_add(&job->facts, &e, sizeof e, err);
}

/* Adds the documents of a job to the archive. */
static int add_documents(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct adding *a = arg;
	struct dedup_state *s = a->state;
	const struct encoded *e = (const struct encoded *)(const void *)job->facts.p;
	const char *line = job->out.p;

	for (size_t i = 0; i < job->facts.n / sizeof *e; line += e[i++].n) {
		uint32_t document = e[i].document;
		struct sh_record r = { .time = s->archive.now,
			.digest = s->archive.document[document].digest,
			.keeper = dedup_archive_keeper(s, document),
			.line = sh_slice(line, e[i].n),
			.id = sh_slice(line, e[i].id) };

		if (sh_engine_keeper(s->engine, document) == document) {
			r.similarity = sh_engine_has_tokens(s->engine, document) ? 10000 : 0;
		} else {
			struct sh_verdict v = sh_engine_verdict(s->engine, document);

			r.similarity = (uint16_t)v.similarity;
			r.measure = (uint8_t)v.measure;
		}
		if (sh_store_change_document(&a->change, &r, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the postings of the documents that stay. */
static int add_postings(void *arg, const struct sh_doc_key *posting, size_t n, struct sh_error *err)
{
	struct adding *a = arg;
	struct dedup_state *s = a->state;

	for (const struct sh_doc_key *p = posting; p < posting + n; p++) {
		struct sh_store_posting to = { .key = sh_stored_key(
						   p->column, p->hash, p->meets_all) };

		if (p->document >= s->corpus.n || !s->archive.document[p->document].recorded ||
		    !dedup_stays(s, p->document))
			continue;
		to.document = s->archive.document[p->document].number;
		if (sh_store_change_posting(&a->change, &to, err) < 0)
			return -1;
	}
	return 0;
}

static void summarise(const struct dedup_state *s)
{
	const struct dedup_archive *a = &s->archive;
	const struct sh_store_manifest *m = &a->store.manifest;
	uint64_t n = sh_store_manifest_documents(m);
	bool added = !s->settings->dry_run;

	if (s->settings->quiet || s->settings->every)
		return;
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu added, %llu of which "
	    "stay; %llu document%s in %zu segment%s",
	    (unsigned long long)a->n_known, (unsigned long long)a->n_matched,
	    (unsigned long long)(added ? a->n_added : 0),
	    (unsigned long long)(added ? a->n_kept : 0), (unsigned long long)n, CLI_PLURAL(n),
	    m->n_segments, CLI_PLURAL(m->n_segments));
}

void dedup_archive_add(struct dedup_state *s)
{
	struct dedup_archive *archive = &s->archive;
	struct adding a = { .state = s };
	struct dedup_pass pass = { .state = s,
		.to = (uint32_t)s->corpus.n,
		.add = encode,
		.done = add_documents,
		.arg = &a };
	struct sh_error err;
	int status = 0;

	if (!archive->document)
		return;
	/* The archive may record only documents whose output was written. */
	if (sh_sink_flush(&s->cli->out, &err) < 0)
		cli_die(s->cli, &err);
	if (!s->settings->dry_run) {
		status = sh_store_change_begin(&a.change, &archive->store, &err);
		if (status == 0)
			status = dedup_pass(&pass, &err);
		if (status == 0 && archive->n_added)
			status = sh_engine_postings(s->engine, add_postings, &a, &err);
		if (status == 0)
			status = sh_store_change_add_segment(
			    &a.change, s->settings->every ? EVERY_MERGES : 0, &err);
		if (status == 0)
			status = sh_store_change_commit(&a.change, &err);
		sh_store_change_end(&a.change);
	}
	if (status < 0)
		cli_die(s->cli, &err);
	summarise(s);
}

void dedup_archive_done(struct dedup_state *s)
{
	struct dedup_archive *a = &s->archive;

	for (unsigned i = 0; a->reader && i < s->cli->jobs; i++) {
		struct archive_reader *w = &a->reader[i];

		sh_analyser_free(&w->analyser);
		free(w->token);
		sh_buf_free(&w->text);
		sh_buf_free(&w->line);
		sh_document_room_free(&w->room);
	}
	free(a->reader);
	sh_tables_put(&s->tables, a->stored);
	sh_tables_put(&s->tables, a->order);
	sh_tables_put(&s->tables, a->document);
	*a = (struct dedup_archive){ .store = a->store };
	if (s->settings->archive)
		sh_store_unlock(&a->store);
}
