/* SPDX-License-Identifier: MIT */
#include "dedup_archive_state.h"

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

/* ---- options ---- */

void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path)
{
	char *target;
	const char *slash, *name;
	struct sh_buf file = { 0 };
	struct sh_error err;

	if (!path || sh_target_find(path, &target) != SH_TARGET_FILE)
		return;
	slash = strrchr(target, '/');
	name = slash ? slash + 1 : target;
	if (sh_store_owns(name)) {
		if (sh_buf_add(&file, dir, strlen(dir), &err) < 0 ||
		    sh_buf_add(&file, "/", 1, &err) < 0 ||
		    sh_buf_add(&file, name, strlen(name) + 1, &err) < 0)
			cli_die(c, &err);
		if (sh_target_same(file.p, target))
			cli_usage(c, "%s: this is a file of the archive", path);
		sh_buf_free(&file);
	}
	free(target);
}

static void keep_files(struct cli *c, const struct dedup_settings *s)
{
	const char *dir = s->archive.dir;

	dedup_archive_keep_file(c, dir, c->out_path);
	dedup_archive_keep_file(c, dir, c->rejects_path);
	dedup_archive_keep_file(c, dir, s->report_path);
}

void dedup_archive_complete(struct cli *c, const struct dedup_settings *s)
{
	const struct dedup_archive_settings *a = &s->archive;

	if (!a->dir && !s->shards.dir && a->wait_given)
		cli_usage(c, "--wait needs -a DIR or -O DIR");
	if (s->feed.seconds && !a->dir)
		cli_usage(c, "--every needs -a DIR");
	if (!a->dir)
		return;
	keep_files(c, s);
	if (s->sample)
		cli_usage(c, "--sample cannot be used with -a: an archive need not have the texts");
	if (s->single)
		cli_usage(c, "--link single cannot be used with -a: chains could pass through the "
			     "archive (use --link star)");
}

/* ---- opening ---- */

static bool is_random(const struct sh_store_manifest *m)
{
	return sh_slice_eq(
	    sh_store_manifest_setting(m, sh_slice_str("--seed")), sh_slice_str("random"));
}

void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings)
{
	struct sh_store *store = &s->archive.store;
	struct sh_error err;

	if (!settings->archive.dir)
		return;
	if (sh_store_open(store, settings->archive.dir, &err) < 0)
		cli_die(s->cli, &err);
	if (store->manifest.kind != SH_STORE_OF_DOCUMENTS) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "'%s' is an archive of shspan, expected one of shdedup (sharchive init makes "
		    "one)",
		    settings->archive.dir);
		cli_die(s->cli, &err);
	}
	/* The archive has its seed. */
	if (is_random(&store->manifest) && (!settings->seed_given || settings->random_seed)) {
		settings->random_seed = true;
		memcpy(settings->rules.secret, store->manifest.key, sizeof store->manifest.key);
	}
	made_with_compare(s->cli, settings, &store->manifest);
}

/* ---- archived documents ---- */

static struct sh_feature_opts feature_opts(const struct dedup_state *s)
{
	const struct sh_store_manifest *m = &s->archive.store.manifest;

	return (struct sh_feature_opts){ .token = s->settings->docs.token,
		.ngrams = s->settings->docs.ngrams,
		.form = SH_FEATURES_OF_TOKENS,
		.key = { m->key[0], m->key[1] },
		.ordered = true,
		.only_order = true,
		.cut = m->form == SH_STORE_SKETCH };
}

int dedup_archive_analyse(struct dedup_state *s, struct sh_analyser *a, bool raw,
    struct sh_slice text, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_feature_opts opts = feature_opts(s);
	struct sh_analysis x;

	opts.token.raw = raw;
	if (!a->tokenizer && sh_analyser_init(a, NULL, &opts, err) < 0)
		return -1;
	if (sh_analyse(a, text, &x, err) < 0)
		return -1;
	*set = x.set;
	return 0;
}

static int no_record(const struct dedup_state *s, uint32_t number, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive '%s' has no valid record of document %08x: restore it from a backup",
	    s->settings->archive.dir, number);
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
	struct dedup_archive *a = &s->archive;
	struct archive_reader *w = &a->reader[thread];
	uint32_t number = a->stored[document - s->corpus.n];
	struct sh_slice content;
	struct sh_record r;

	if (read_record(s, number, &r, err) < 0)
		return -1;
	if (r.id.p != r.line.p || r.line.n <= r.id.n)
		return no_record(s, number, err);
	content = sh_slice(r.line.p + r.id.n + 1, r.line.n - r.id.n - 1);
	if (a->store.manifest.form == SH_STORE_DOCUMENTS) {
		w->text.n = 0;
		if (sh_buf_reserve(&w->text, content.n + SH_PAD, err) < 0 ||
		    sh_unescape(content, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0)
			return -1;
		return dedup_archive_analyse(
		    s, &w->archived, true, sh_buf_slice(&w->text), set, err);
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
	if (!s->settings->archive.dir)
		return;
	s->archive.reader = cli_zeroed(s->cli, s->cli->jobs, sizeof *s->archive.reader);
	opts->features = feature_opts(s);
	opts->features.only_order = false;
	opts->stored = read_stored;
}

/* ---- documents that the archive knows ---- */

int dedup_archive_escaped(
    struct archive_reader *w, bool raw, struct sh_slice *text, struct sh_error *err)
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

struct worker {
	struct dedup_state *state;
	struct archive_reader *reader;
};

static int digest_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = arg;
	struct dedup_state *s = w->state;
	const struct sh_store_manifest *m = &s->archive.store.manifest;
	struct sh_document doc;

	for (size_t i = from; i < to; i++) {
		struct dedup_known_document *d = &s->archive.document[i];

		if (sh_corpus_document(&s->corpus, (uint32_t)i, &w->reader->room, &doc, err) < 0 ||
		    dedup_archive_escaped(w->reader, s->settings->docs.token.raw, &doc.text, err) <
			0)
			return -1;
		*d = (struct dedup_known_document){ .digest =
							sh_siphash(m->key, doc.text.p, doc.text.n),
			.id_key = sh_store_id_key(m, doc.id) };
	}
	return 0;
}

static int by_id(const void *a, const void *b, void *arg)
{
	const struct dedup_known_document *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (d[x].id_key != d[y].id_key)
		return d[x].id_key < d[y].id_key ? -1 : 1;
	if (d[x].digest != d[y].digest)
		return d[x].digest < d[y].digest ? -1 : 1;
	return sh_compare(x, y);
}

/* The documents of the run by the keys of their ids. */
struct looking {
	struct dedup_state *state;
	uint32_t *order; /* see dedup_archive_order() */
	uint64_t *key;   /* distinct keys */
	size_t *first;   /* by key: its first place in `order`; the end */
	size_t keys;
	struct sh_document_room room;
};

/* Sets what the archive knows of a document. */
static void set_known(struct dedup_known_document *d, const struct sh_record *r)
{
	d->known = r->keeper == r->number ? DEDUP_STAYED : DEDUP_DROPPED;
	d->number = r->number;
	d->keeper = r->keeper;
	d->similarity = r->similarity;
	d->measure = r->measure;
}

/* Later records replace earlier ones of the same document. */
static int found_id(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct looking *l = arg;
	struct dedup_state *s = l->state;
	size_t i = l->first[asked], end = l->first[asked + 1];
	struct sh_document doc;
	struct sh_record r;

	if (read_record(s, p->document, &r, err) < 0)
		return -1;
	SH_BISECT(i, end, mid, s->archive.document[l->order[mid]].digest < r.digest);
	for (; i < l->first[asked + 1]; i++) {
		struct dedup_known_document *d = &s->archive.document[l->order[i]];

		if (d->digest != r.digest)
			break;
		if (sh_corpus_document(&s->corpus, l->order[i], &l->room, &doc, err) < 0)
			return -1;
		if (sh_slice_eq(doc.id, r.id))
			set_known(d, &r);
	}
	return 0;
}

uint32_t *dedup_archive_order(struct dedup_state *s, struct sh_error *err)
{
	size_t n = s->corpus.n;
	uint32_t *order = sh_tables_get(&s->tables, n + 1, sizeof *order, err);

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, n, sizeof *order, by_id, s->archive.document);
	return order;
}

/* Fills l. */
static int order_by_id(struct looking *l, struct sh_error *err)
{
	struct dedup_state *s = l->state;
	const struct dedup_known_document *d = s->archive.document;
	size_t n = s->corpus.n;

	l->order = dedup_archive_order(s, err);
	if (!l->order)
		return -1;
	l->key = sh_tables_get(&s->tables, n + 1, sizeof *l->key, err);
	l->first = l->key ? sh_tables_get(&s->tables, n + 1, sizeof *l->first, err) : NULL;
	if (!l->first)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i && d[l->order[i]].id_key == l->key[l->keys - 1])
			continue;
		l->first[l->keys] = i;
		l->key[l->keys++] = d[l->order[i]].id_key;
	}
	l->first[l->keys] = n;
	return 0;
}

static void looking_free(struct looking *l)
{
	struct sh_tables *tables = &l->state->tables;

	sh_tables_put(tables, l->order);
	sh_tables_put(tables, l->key);
	sh_tables_put(tables, l->first);
	sh_document_room_free(&l->room);
}

static int by_number(const void *a, const void *b, void *arg)
{
	const struct dedup_known_document *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return d[x].number != d[y].number ? sh_compare(d[x].number, d[y].number) : sh_compare(x, y);
}

/* Of several documents that are one document of the archive, which stayed, the first one stays, or
 * the last one under --keep newest. Documents without tokens are in no pair: all stay. */
static int drop_repeated(struct dedup_state *s, struct sh_error *err)
{
	struct dedup_known_document *d = s->archive.document;
	bool newest = s->settings->keep.by == SH_RANK_NEWEST;
	uint32_t *order = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *order, err);
	size_t n = 0;

	if (!order)
		return -1;
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (d[i].known == DEDUP_STAYED && d[i].similarity &&
		    !sh_engine_is_protected(s->engine, i))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_number, d);
	for (size_t i = 1; i < n; i++)
		if (d[order[i]].number == d[order[i - 1]].number)
			d[order[newest ? i - 1 : i]].known = DEDUP_DROPPED;
	sh_tables_put(&s->tables, order);
	return 0;
}

/* Finds the documents that the archive knows. A protected document that it has dropped is new. */
static int find_known(struct dedup_state *s, struct sh_error *err)
{
	struct worker worker[CLI_MAX_JOBS];
	struct looking l = { .state = s };
	struct dedup_known_document *d;
	int status;

	s->archive.document =
	    sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *s->archive.document, err);
	if (!s->archive.document)
		return -1;
	d = s->archive.document;
	for (unsigned i = 0; i < s->cli->jobs; i++)
		worker[i] = (struct worker){ s, &s->archive.reader[i] };
	status =
	    sh_parallel(worker, sizeof *worker, s->cli->jobs, s->corpus.n, 64, digest_some, err);
	if (status == 0)
		status = order_by_id(&l, err);
	if (status == 0)
		status = sh_store_look(
		    &s->archive.store, SH_LIST_IDS, l.key, l.keys, 0, found_id, &l, err);
	looking_free(&l);
	for (uint32_t i = 0; status == 0 && i < s->corpus.n; i++)
		if (d[i].known == DEDUP_DROPPED && sh_engine_is_protected(s->engine, i))
			d[i].known = DEDUP_NEW;
	if (status == 0)
		status = drop_repeated(s, err);
	for (uint32_t i = 0; status == 0 && i < s->corpus.n; i++) {
		if (d[i].known == DEDUP_NEW)
			continue;
		s->archive.n_known++;
		status = sh_engine_leave_out(s->engine, i, err);
	}
	return status;
}

/* ---- candidates ---- */

/* Postings of archived documents; their documents have the archive's numbers at first. */
struct candidates {
	struct dedup_state *state;
	struct sh_key_posting *posting;
	size_t n, cap;
	/* of the postings of the run that are looked up */
	uint64_t *key;
	bool *is_short;  /* by key: a short document of the run has it */
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

/* Looks up the postings of a column that the documents of the run have. Of a bucket of the archive
 * the first and the last documents are enough: match/bucket.h. Documents that are not short meet
 * the first short ones, so all of them are needed where the archive has few short ones. */
static int look_up(void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_store *store = &c->state->archive.store;
	unsigned column = posting[0].column;
	bool shorts = sh_column_of_short(column);
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
	if (!shorts)
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

/* Sets a->stored to the documents of the postings, and numbers the postings by it. */
static int number_stored(struct candidates *c, struct sh_error *err)
{
	struct dedup_archive *a = &c->state->archive;
	size_t n = 0;

	if (SH_RESERVE(a->stored, a->stored_cap, c->n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		a->stored[i] = c->posting[i].document;
	qsort(a->stored, c->n, sizeof *a->stored, by_value);
	for (size_t i = 0; i < c->n; i++)
		if (i == 0 || a->stored[i] != a->stored[n - 1])
			a->stored[n++] = a->stored[i];
	a->n_stored = n;
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t *at =
		    bsearch(&c->posting[i].document, a->stored, n, sizeof *a->stored, by_value);

		c->posting[i].document = (uint32_t)(c->state->corpus.n + (size_t)(at - a->stored));
	}
	return 0;
}

/* Adds the archived documents that share a key with a new document of the run to the engine. */
static int find_candidates(struct dedup_state *s, struct sh_error *err)
{
	struct candidates c = { .state = s };
	int status = 0;

	if (s->archive.store.n_segments)
		status = sh_engine_postings(s->engine, look_up, &c, err);
	if (status == 0 && c.n)
		status = number_stored(&c, err);
	if (status == 0 && c.n)
		status = sh_engine_add_stored(s->engine, NULL, s->archive.n_stored, err);
	if (status == 0 && c.n)
		status = sh_engine_add_postings(s->engine, c.posting, c.n, err);
	free(c.posting);
	free(c.key);
	free(c.is_short);
	free(c.found);
	return status;
}

void dedup_archive_look(struct dedup_state *s)
{
	const struct dedup_archive_settings *how = &s->settings->archive;
	struct sh_error err;

	if (!how->dir)
		return;
	s->archive.now = cli_now(s->cli);
	/* Another run may have changed the archive while documents were read. */
	if (sh_store_lock(&s->archive.store, !s->settings->dry_run, how->wait, &err) < 0 ||
	    find_known(s, &err) < 0 || find_candidates(s, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- outcomes ---- */

bool dedup_archive_drops(const struct dedup_state *s, uint32_t document)
{
	if (!s->archive.document)
		return false;
	return s->archive.document[document].known == DEDUP_DROPPED ||
	       sh_engine_keeper(s->engine, document) >= s->corpus.n;
}

uint32_t dedup_archive_keeper(const struct dedup_state *s, uint32_t document)
{
	const struct dedup_known_document *d = &s->archive.document[document];

	return d->known ? d->keeper
			: s->archive.stored[sh_engine_keeper(s->engine, document) - s->corpus.n];
}

int dedup_archive_keeper_id(
    struct dedup_state *s, uint32_t document, struct sh_slice *id, struct sh_error *err)
{
	struct sh_record r;

	if (read_record(s, dedup_archive_keeper(s, document), &r, err) < 0)
		return -1;
	*id = r.id;
	return 0;
}

struct sh_verdict dedup_archive_verdict(const struct dedup_state *s, uint32_t document)
{
	const struct dedup_known_document *d = &s->archive.document[document];

	return d->known ? (struct sh_verdict){ true, d->measure, d->similarity }
			: sh_engine_verdict(s->engine, document);
}

/* ---- the end ---- */

void dedup_archive_done(struct dedup_state *s)
{
	struct dedup_archive *a = &s->archive;
	struct sh_store store = a->store;

	for (unsigned i = 0; a->reader && i < s->cli->jobs; i++) {
		struct archive_reader *w = &a->reader[i];

		sh_analyser_free(&w->archived);
		sh_analyser_free(&w->new);
		free(w->token);
		sh_buf_free(&w->text);
		sh_buf_free(&w->line);
		sh_document_room_free(&w->room);
	}
	free(a->reader);
	free(a->stored);
	sh_tables_put(&s->tables, a->document);
	*a = (struct dedup_archive){ .store = store };
	if (s->settings->archive.dir)
		sh_store_unlock(&a->store);
}

void dedup_archive_close(struct dedup_state *s)
{
	dedup_archive_done(s);
	sh_store_close(&s->archive.store);
}
