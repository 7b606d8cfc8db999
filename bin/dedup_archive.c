#include "dedup_archive.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "dedup.h"
#include "fp/analysis.h"
#include "io/parallel.h"
#include "io/target.h"
#include "made_with.h"
#include "match/bucket.h"
#include "now.h"
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

/* Reads documents of the archive, and tokenises new ones, in one thread. */
struct archive_reader {
	struct sh_analyser archived, new;
	uint64_t *token;
	size_t token_cap;
	struct sh_buf text, line;
	struct sh_document_room room;
};

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

/* Analyses a text for its tokens in their order. raw: the text has no escapes. */
static int analyse(struct dedup_state *s, struct sh_analyser *a, bool raw, struct sh_slice text,
    struct sh_feature_set *set, struct sh_error *err)
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
		return analyse(s, &w->archived, true, sh_buf_slice(&w->text), set, err);
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

/* Sets *text to the text in the form of sh_escape(): then a text has one digest, and one line, in
 * all forms of input. It is valid until the next call. */
static int escaped(struct archive_reader *w, bool raw, struct sh_slice *text, struct sh_error *err)
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
		    escaped(w->reader, s->settings->docs.token.raw, &doc.text, err) < 0)
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
	uint32_t *order; /* documents, by key of the id, digest, number */
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
	struct sh_document doc;
	struct sh_record r;

	if (read_record(s, p->document, &r, err) < 0)
		return -1;
	for (size_t i = l->first[asked]; i < l->first[asked + 1]; i++) {
		struct dedup_known_document *d = &s->archive.document[l->order[i]];

		if (d->digest != r.digest)
			continue;
		if (sh_corpus_document(&s->corpus, l->order[i], &l->room, &doc, err) < 0)
			return -1;
		if (sh_slice_eq(doc.id, r.id))
			set_known(d, &r);
	}
	return 0;
}

/* Makes l->order, and l->key when it is asked for. */
static int order_by_id(struct looking *l, bool keys, struct sh_error *err)
{
	struct dedup_state *s = l->state;
	const struct dedup_known_document *d = s->archive.document;
	size_t n = s->corpus.n;

	l->order = sh_tables_get(&s->tables, n + 1, sizeof *l->order, err);
	if (!l->order)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		l->order[i] = i;
	qsort_r(l->order, n, sizeof *l->order, by_id, s->archive.document);
	if (!keys)
		return 0;
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
		status = order_by_id(&l, true, err);
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

static bool has_shorts(unsigned column)
{
	return column == SH_COLUMN_FEATURE || column == SH_COLUMN_GRAM;
}

static uint64_t store_key(unsigned column, uint64_t hash, bool is_short)
{
	return ((uint64_t)column << SH_KEYS_BITS | hash) << 1 | !is_short;
}

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
	bool shorts = has_shorts(column);
	size_t keys = 0, others = 0;

	if (SH_RESERVE(c->key, c->key_cap, n, err) < 0 ||
	    SH_RESERVE(c->is_short, c->short_cap, n, err) < 0 ||
	    SH_RESERVE(c->found, c->found_cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || posting[i].hash != posting[i - 1].hash) {
			c->key[keys] = store_key(column, posting[i].hash, true);
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
	s->archive.now = now_seconds(s->cli);
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

/* ---- adding ---- */

enum { TASKS = 64, GRAIN = 64 }; /* documents that are encoded before they are written */

struct adding {
	struct dedup_state *state;
	struct sh_store_change change;
	uint32_t first; /* number of the first new document */
	/* by document: the one that is recorded, of all new documents of its id and text; then, by
	 * recorded document: its number; SH_CORPUS_NONE: the archive knows the document */
	uint32_t *same, *number;
	uint32_t *list; /* the recorded documents */
	size_t n;
	struct sh_buf line[TASKS * GRAIN]; /* of the documents from list[from] on */
	size_t from;
};

static bool stays(const struct dedup_state *s, uint32_t i)
{
	return sh_engine_keeper(s->engine, i) == i;
}

static int same_id(struct dedup_state *s, uint32_t x, uint32_t y, bool *same, struct sh_error *err)
{
	struct archive_reader *w = s->archive.reader;
	struct sh_document_room room = { 0 };
	struct sh_document p, q;
	int status = sh_corpus_document(&s->corpus, x, &w->room, &p, err);

	if (status == 0)
		status = sh_corpus_document(&s->corpus, y, &room, &q, err);
	if (status == 0)
		*same = sh_slice_eq(p.id, q.id);
	sh_document_room_free(&room);
	return status;
}

/* Chooses the documents to record among n new ones of one digest and key of the id. Of the
 * documents of one id the first that stays is recorded; when none stays, the first. */
static int choose(struct adding *a, const uint32_t *document, size_t n, struct sh_error *err)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			uint32_t d = document[i];
			bool same = false;

			if (a->same[d] != SH_CORPUS_NONE || (pass == 0 && !stays(a->state, d)))
				continue;
			for (size_t k = 0; k < n && !same; k++) {
				if (a->same[document[k]] != document[k])
					continue;
				if (same_id(a->state, d, document[k], &same, err) < 0)
					return -1;
				if (same)
					a->same[d] = document[k];
			}
			if (!same)
				a->same[d] = d;
		}
	}
	return 0;
}

/* Fills a->same, a->list and a->number. */
static int choose_all(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	struct looking l = { .state = s };
	const struct dedup_known_document *d = s->archive.document;
	int status = order_by_id(&l, false, err);
	size_t new = 0;

	for (size_t i = 0; status == 0 && i < s->corpus.n; i++) {
		a->same[i] = a->number[i] = SH_CORPUS_NONE;
		if (d[l.order[i]].known == DEDUP_NEW)
			l.order[new ++] = l.order[i];
	}
	for (size_t i = 0, end; status == 0 && i < new; i = end) {
		for (end = i + 1; end < new &&d[l.order[end]].id_key ==
				  d[l.order[i]].id_key &&d[l.order[end]].digest ==
				  d[l.order[i]].digest;)
			end++;
		if (end - i == 1)
			a->same[l.order[i]] = l.order[i];
		else
			status = choose(a, l.order + i, end - i, err);
	}
	looking_free(&l);
	for (uint32_t i = 0; status == 0 && i < s->corpus.n; i++) {
		if (a->same[i] != i)
			continue;
		a->number[i] = a->first + (uint32_t)a->n;
		a->list[a->n++] = i;
		s->archive.n_kept += stays(s, i);
	}
	return status;
}

/* Sets a->line[place] to the line of a document. */
static int encode(struct adding *a, struct archive_reader *w, size_t place, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	struct sh_buf *to = &a->line[place];
	uint32_t i = a->list[a->from + place];
	bool raw = s->settings->docs.token.raw;
	struct sh_feature_set set;
	struct sh_document doc;

	to->n = 0;
	if (sh_corpus_document(&s->corpus, i, &w->room, &doc, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0)
		return -1;
	if (!stays(s, i))
		return 0;
	if (s->archive.store.manifest.form == SH_STORE_DOCUMENTS)
		return escaped(w, raw, &doc.text, err) < 0
			   ? -1
			   : sh_buf_add(to, doc.text.p, doc.text.n, err);
	if (analyse(s, &w->new, raw, doc.text, &set, err) < 0 ||
	    sh_buf_reserve(to, 4 * set.n_ordered, err) < 0)
		return -1;
	for (size_t k = 0; k < set.n_ordered; k++)
		sh_put_le32(to->p + to->n + 4 * k, (uint32_t)(set.ordered[k] >> 32));
	to->n += 4 * set.n_ordered;
	return 0;
}

struct encoder {
	struct adding *adding;
	struct archive_reader *reader;
};

static int encode_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct encoder *e = arg;

	for (size_t i = from; i < to; i++)
		if (encode(e->adding, e->reader, i, err) < 0)
			return -1;
	return 0;
}

static int add_document(struct adding *a, size_t place, uint64_t now, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	uint32_t i = a->list[a->from + place], keeper = sh_engine_keeper(s->engine, i);
	struct sh_slice line = sh_buf_slice(&a->line[place]);
	struct sh_record r = { .time = now,
		.digest = s->archive.document[i].digest,
		.line = line,
		.id = sh_slice(
		    line.p, (size_t)((const char *)memchr(line.p, '\t', line.n) - line.p)) };

	if (keeper == i) {
		r.similarity = sh_engine_has_tokens(s->engine, i) ? 10000 : 0;
		r.keeper = a->number[i];
	} else {
		struct sh_verdict v = sh_engine_verdict(s->engine, i);

		r.similarity = (uint16_t)v.similarity;
		r.measure = (uint8_t)v.measure;
		r.keeper = keeper < s->corpus.n ? a->number[a->same[keeper]]
						: s->archive.stored[keeper - s->corpus.n];
	}
	return sh_store_change_document(&a->change, &r, err);
}

static int add_documents(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	struct encoder encoder[CLI_MAX_JOBS];
	uint64_t now = s->archive.now;
	int status = 0;

	for (unsigned i = 0; i < s->cli->jobs; i++)
		encoder[i] = (struct encoder){ a, &s->archive.reader[i] };
	for (a->from = 0; status == 0 && a->from < a->n; a->from += TASKS * GRAIN) {
		size_t n = a->n - a->from < TASKS * GRAIN ? a->n - a->from : TASKS * GRAIN;

		status =
		    sh_parallel(encoder, sizeof *encoder, s->cli->jobs, n, GRAIN, encode_some, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = add_document(a, i, now, err);
	}
	return status;
}

/* Adds the postings of the documents that stay. In a bucket the short documents come first. */
static int add_postings(
    void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct adding *a = arg;
	struct dedup_state *s = a->state;
	bool shorts = has_shorts(posting[0].column);

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && posting[end].hash == posting[i].hash;)
			end++;
		for (int is_short = 1; is_short >= 0; is_short--) {
			for (size_t k = i; k < end; k++) {
				const struct sh_key_posting *p = &posting[k];

				if ((shorts ? p->is_short : 1) != is_short ||
				    p->document >= s->corpus.n ||
				    a->number[p->document] == SH_CORPUS_NONE ||
				    !stays(s, p->document))
					continue;
				if (sh_store_change_posting(&a->change,
					&(struct sh_store_posting){
					    store_key(p->column, p->hash, is_short),
					    a->number[p->document], 0 },
					err) < 0)
					return -1;
			}
		}
	}
	return 0;
}

static int add_all(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;

	if (choose_all(a, err) < 0 || add_documents(a, err) < 0)
		return -1;
	if (a->n == 0)
		return 0;
	if (sh_engine_postings(s->engine, add_postings, a, err) < 0)
		return -1;
	return sh_store_change_add_segment(&a->change, err);
}

static void summarise(const struct dedup_state *s)
{
	const struct dedup_archive *a = &s->archive;
	uint64_t n = sh_store_manifest_documents(&a->store.manifest);

	if (s->settings->quiet || s->settings->feed.seconds)
		return;
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu added, %llu of which "
	    "stay; %llu document%s in %zu segment%s",
	    (unsigned long long)a->n_known, (unsigned long long)a->n_matched,
	    (unsigned long long)a->n_added, (unsigned long long)a->n_kept, (unsigned long long)n,
	    CLI_PLURAL(n), a->store.manifest.n_segments, CLI_PLURAL(a->store.manifest.n_segments));
}

void dedup_archive_add(struct dedup_state *s)
{
	struct adding *a;
	struct sh_error err;
	int status;

	if (!s->archive.document)
		return;
	/* The archive may record only documents whose output was written. */
	if (sh_sink_flush(&s->cli->out, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		s->archive.n_matched += s->archive.document[i].known == DEDUP_NEW &&
					sh_engine_keeper(s->engine, i) >= s->corpus.n;
	if (s->settings->dry_run) {
		summarise(s);
		return;
	}
	a = cli_zeroed(s->cli, 1, sizeof *a);
	a->state = s;
	status = sh_store_change_begin(&a->change, &s->archive.store, &err);
	a->first = a->change.next.next_number;
	a->same = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->same, &err);
	a->number = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->number, &err);
	a->list = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->list, &err);
	if (!a->same || !a->number || !a->list)
		status = -1;
	if (status == 0)
		status = add_all(a, &err);
	if (status == 0)
		status = sh_store_change_commit(&a->change, &err);
	sh_store_change_end(&a->change);
	if (status < 0)
		cli_die(s->cli, &err);
	s->archive.n_added = a->n;
	for (size_t i = 0; i < TASKS * GRAIN; i++)
		sh_buf_free(&a->line[i]);
	sh_tables_put(&s->tables, a->same);
	sh_tables_put(&s->tables, a->number);
	sh_tables_put(&s->tables, a->list);
	free(a);
	summarise(s);
}

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
