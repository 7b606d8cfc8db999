/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "archive/batch.h"
#include "archive/settings.h"
#include "io/parallel.h"
#include "io/source.h"
#include "published/cppjieba.h"
#include "record/escape.h"
#include "record/fields.h"
#include "segment/jieba.h"
#include "store/change.h"
#include "text/stopwords.h"

enum {
	GRAIN = 64,         /* documents of a task */
	TASKS = 64,         /* tasks of which the documents go to the engine together */
	ARENA = 1 << 18,    /* bytes of a query's texts */
	MEMORY_MB = 1 << 10 /* by default */
};

struct simhash_archive {
	char *path;
	unsigned wait, jobs;
	size_t memory;
	struct sh_store store;
	struct sh_archive_settings settings;
	struct sh_key_rules rules;
	struct sh_stoplist *stop;
	struct sh_jieba *jieba;
	struct sh_cppjieba *cppjieba;
};

/* ---- opening ---- */

/* Reads the files of a list, which ends with NULL: as stop words, or as words for jieba. */
static int read_files(const char *const *name, struct sh_buf *lines, struct sh_jieba *jieba,
    uint64_t *sum, struct sh_error *err)
{
	struct sh_buf file = { 0 };
	int status = 0;

	for (; status == 0 && *name; name++) {
		file.n = 0;
		if (sh_source_all(*name, &file, err) < 0)
			status = -1;
		else if (jieba)
			status = sh_jieba_add_user(jieba, sh_buf_slice(&file), err);
		else if (sh_buf_add(lines, file.p, file.n, err) < 0 ||
			 sh_buf_add(lines, "\n", 1, err) < 0)
			status = -1;
		*sum = sh_content_sum(*sum, sh_buf_slice(&file));
	}
	sh_buf_free(&file);
	return status;
}

static int read_dictionary(
    struct simhash_archive *a, const struct simhash_archive_options *o, struct sh_error *err)
{
	struct sh_archive_settings *s = &a->settings;
	const struct sh_token_method *m = s->token.method;

	if ((m->needs_jieba || m->needs_cppjieba) && !o->dictionary)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' was made with --segment %s: open it with the dictionary", a->path,
		    m->name);
	if (m->needs_cppjieba)
		s->token.cppjieba = a->cppjieba = sh_cppjieba_open(o->dictionary, err);
	if (m->needs_jieba)
		s->token.jieba = a->jieba = sh_jieba_open(o->dictionary, err);
	if ((m->needs_jieba && !a->jieba) || (m->needs_cppjieba && !a->cppjieba))
		return -1;
	s->has_dict = a->jieba && o->dict && *o->dict;
	return s->has_dict ? read_files(o->dict, NULL, a->jieba, &s->dict_sum, err) : 0;
}

static int read_stop(
    struct simhash_archive *a, const struct simhash_archive_options *o, struct sh_error *err)
{
	struct sh_archive_settings *s = &a->settings;
	struct sh_slice lines = sh_slice_str(s->profile->stop ? s->profile->stop : "");
	struct sh_buf all = { 0 };

	s->has_stop = o->stop && *o->stop;
	if (s->has_stop && read_files(o->stop, &all, NULL, &s->stop_sum, err) < 0)
		goto out;
	if (s->has_stop)
		lines = sh_buf_slice(&all);
	s->token.stop_any_case = !s->has_stop;
	s->token.stop = a->stop = sh_stopwords_read(lines, &s->token, err);
out:
	sh_buf_free(&all);
	return a->stop ? 0 : -1;
}

/* Other versions of Unicode and Snowball are no error. shdedup warns about other versions. */
static int check_settings(struct simhash_archive *a, struct sh_error *err)
{
	struct sh_archive_rows now;
	struct sh_store_setting made;
	size_t i = 0;

	if (sh_archive_settings_list(&a->settings, &now, err) < 0)
		return -1;
	if (!sh_archive_settings_differ(&now, &a->store.manifest, &i, &made) || i >= now.options)
		return 0;
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s' was made with %.*s %.*s, not %.*s: open it with the same files", a->path,
	    (int)made.name.n, made.name.p, (int)made.value.n, made.value.p, (int)now.row[i].value.n,
	    now.row[i].value.p);
}

static int open_archive(
    struct simhash_archive *a, const struct simhash_archive_options *o, struct sh_error *err)
{
	for (size_t i = 0; i < sizeof o->reserved / sizeof *o->reserved; i++)
		if (o->reserved[i])
			return sh_error_set(err, SH_ERR_PARAM,
			    "an option that libsimhash %s does not know", simhash_version());
	a->wait = o->wait;
	a->jobs = o->jobs ? o->jobs : 1;
	a->memory = (size_t)(o->memory_mb ? o->memory_mb : MEMORY_MB) << 20;
	if (sh_store_open(&a->store, a->path, err) < 0)
		return -1;
	if (a->store.manifest.kind != SH_STORE_OF_DOCUMENTS)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' is an archive of shspan, expected one of shdedup", a->path);
	if (sh_archive_settings_read(&a->settings, &a->store.manifest, err) < 0 ||
	    read_dictionary(a, o, err) < 0 || read_stop(a, o, err) < 0 ||
	    check_settings(a, err) < 0)
		return -1;
	sh_archive_settings_rules(&a->settings, &a->store.manifest, &a->rules);
	return 0;
}

struct simhash_archive *simhash_archive_open(
    const char *path, const struct simhash_archive_options *options, struct simhash_error *error)
{
	static const struct simhash_archive_options defaults;
	struct simhash_archive *a = calloc(1, sizeof *a);
	struct sh_error err;

	sh_error_nomem(&err);
	if (a && (a->path = strdup(path)) &&
	    open_archive(a, options ? options : &defaults, &err) == 0)
		return a;
	sh_api_fail(error, &err);
	simhash_archive_close(a);
	return NULL;
}

void simhash_archive_close(struct simhash_archive *a)
{
	if (!a)
		return;
	sh_store_close(&a->store);
	sh_stoplist_delete(a->stop);
	if (a->jieba)
		sh_jieba_delete(a->jieba);
	sh_cppjieba_delete(a->cppjieba);
	free(a->path);
	free(a);
}

/* ---- the documents of a call ---- */

struct call {
	struct simhash_archive *archive;
	struct sh_corpus corpus;
	struct sh_engine_opts opts;
	struct sh_engine *engine;
	struct sh_batch batch;
};

/* Makes a file of documents in memory. Without ids: the text of a query. */
static int take_texts(struct call *c, const char *const *ids, const size_t *id_sizes,
    const char *const *texts, const size_t *sizes, size_t n, struct sh_error *err)
{
	static const struct sh_document_form form;
	struct sh_buf lines = { 0 };
	uint64_t *at = calloc(n + 1, sizeof *at);
	int status = sh_corpus_init(&c->corpus, &form, err);

	if (!at)
		status = sh_error_nomem(err);
	for (size_t i = 0; status == 0 && i < n; i++) {
		struct sh_slice id = ids ? sh_slice(ids[i], id_sizes[i]) : sh_slice_str("query");

		at[i] = lines.n;
		if (id.n == 0 || id.n > SH_ID_MAX || memchr(id.p, '\t', id.n) ||
		    memchr(id.p, '\n', id.n) || memchr(id.p, '\r', id.n))
			status = sh_error_set(err, SH_ERR_PARAM,
			    "id %zu: expected 1 to %d bytes without TAB, LF and CR", i, SH_ID_MAX);
		else if (sizes[i] > SH_TOKEN_TEXT_MAX)
			status = sh_error_set(err, SH_ERR_PARAM, "text %zu: 2^31 bytes or more", i);
		else if (sh_buf_add(&lines, id.p, id.n, err) < 0 ||
			 sh_buf_add(&lines, "\t", 1, err) < 0 ||
			 sh_escape(sh_slice(texts[i], sizes[i]), &lines, err) < 0 ||
			 sh_buf_add(&lines, "\n", 1, err) < 0)
			status = -1;
	}
	if (status == 0)
		status = sh_corpus_take(&c->corpus, &lines, err);
	if (status == 0)
		status = sh_corpus_add(&c->corpus, at, NULL, n, err);
	sh_buf_free(&lines);
	free(at);
	return status;
}

/* What a task finds. */
struct described {
	struct sh_description about[GRAIN];
	struct sh_buf postings;
};

struct describing {
	const struct call *call;
	struct sh_describer *describer;
	struct sh_document_room room;
	struct described *part; /* by task */
	size_t first;           /* document */
};

static size_t documents_of(const struct call *c, size_t first)
{
	return c->corpus.n - first < GRAIN ? c->corpus.n - first : GRAIN;
}

static int describe_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct describing *d = worker;
	struct sh_document doc;
	uint64_t ill_formed = 0;

	for (size_t task = from; task < to; task++) {
		struct described *part = &d->part[task];
		size_t first = d->first + task * GRAIN, n = documents_of(d->call, first);

		part->postings.n = 0;
		for (size_t i = 0; i < n; i++)
			if (sh_corpus_document(
				&d->call->corpus, (uint32_t)(first + i), &d->room, &doc, err) < 0 ||
			    sh_engine_describe(d->describer, doc.text, (uint32_t)i, &part->about[i],
				&part->postings, &ill_formed, err) < 0)
				return -1;
	}
	return 0;
}

/* Gives the documents to the engine. */
static int describe(struct call *c, struct sh_error *err)
{
	unsigned jobs = c->opts.jobs;
	size_t all = c->corpus.n, tasks = all < GRAIN ? 1 : TASKS;
	struct describing *d = calloc(jobs, sizeof *d);
	struct described *part = calloc(tasks, sizeof *part);
	int status = d && part ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < jobs; i++) {
		d[i] = (struct describing){ .call = c, .part = part };
		d[i].describer = sh_describer_new(c->engine, err);
		status = d[i].describer ? 0 : -1;
	}
	for (size_t first = 0; status == 0 && first < all; first += tasks * GRAIN) {
		size_t left = (all - first + GRAIN - 1) / GRAIN, n = left < tasks ? left : tasks;

		for (unsigned i = 0; i < jobs; i++)
			d[i].first = first;
		status = sh_parallel(d, sizeof *d, jobs, n, 1, describe_some, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = sh_engine_add(c->engine, documents_of(c, first + i * GRAIN),
			    part[i].about, sizeof *part[i].about,
			    (const struct sh_doc_key *)(const void *)part[i].postings.p,
			    part[i].postings.n / sizeof(struct sh_doc_key), err);
	}
	for (unsigned i = 0; d && i < jobs; i++) {
		sh_describer_delete(d[i].describer);
		sh_document_room_free(&d[i].room);
	}
	for (size_t i = 0; part && i < tasks; i++)
		sh_buf_free(&part[i].postings);
	free(d);
	free(part);
	return status;
}

/* Begins a call: the texts are known to the engine, and the archive is locked. */
static int begin(struct call *c, struct simhash_archive *a, const char *const *ids,
    const size_t *id_sizes, const char *const *texts, const size_t *sizes, size_t n,
    struct sh_error *err)
{
	unsigned most = 1 + (unsigned)(n / GRAIN < a->jobs ? n / GRAIN : a->jobs);

	*c = (struct call){ .archive = a,
		.opts = { .corpus = &c->corpus,
		    .rules = a->rules,
		    .token = a->settings.token,
		    .memory = a->memory,
		    .jobs = a->jobs < most ? a->jobs : most,
		    .arg = &c->batch },
		.batch = { .store = &a->store, .corpus = &c->corpus } };
	if (sh_batch_options(&c->batch, &c->opts, err) < 0 ||
	    take_texts(c, ids, id_sizes, texts, sizes, n, err) < 0)
		return -1;
	c->batch.engine = c->engine = sh_engine_new(&c->opts, err);
	if (!c->engine || describe(c, err) < 0)
		return -1;
	return sh_store_lock(&a->store, ids != NULL, a->wait, err);
}

static int end(struct call *c, int status, const struct sh_error *err, struct simhash_error *error)
{
	sh_store_unlock(&c->archive->store);
	sh_engine_delete(c->engine);
	sh_batch_free(&c->batch);
	sh_corpus_free(&c->corpus);
	return status < 0 ? sh_api_fail(error, err) : 0;
}

static int end_by_caller(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_PARAM, "ended by the receiver of the results");
}

/* ---- a query ---- */

/* Sets match[] to the similar ones of the candidates, and *n to their number. */
static int compare(struct call *c, struct simhash_match *match, size_t *n, struct sh_error *err)
{
	struct sh_comparer_opts opts = { .jaccard = c->opts.rules.jaccard,
		.edit = c->opts.rules.edit,
		.features = c->opts.features,
		.corpus = &c->corpus,
		.stored = sh_batch_stored,
		.arg = &c->batch,
		.arena = ARENA };
	struct sh_comparer *comparer = sh_comparer_new(&opts, err);
	int status = comparer ? 0 : -1;

	for (size_t i = 0; status == 0 && i < c->batch.n_stored; i++) {
		struct sh_verdict v;
		struct sh_record r;

		status =
		    sh_comparer_compare(comparer, 0, (uint32_t)(c->corpus.n + i), false, &v, err);
		if (status < 0 || !v.similar)
			continue;
		status = sh_batch_record(&c->batch, c->batch.stored[i], &r, err);
		match[(*n)++] = (struct simhash_match){ r.id.p, r.id.n, v.similarity / 10000.0,
			sh_verdict_measure(v.measure) };
	}
	sh_comparer_delete(comparer);
	return status;
}

/* The matches are by number before: an insertion sort keeps the order of equal ones. */
static void sort_matches(struct simhash_match *m, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct simhash_match one = m[i];
		size_t at = i;

		for (; at > 0 && m[at - 1].similarity < one.similarity; at--)
			m[at] = m[at - 1];
		m[at] = one;
	}
}

int simhash_archive_query(struct simhash_archive *a, const char *text, size_t size,
    simhash_matches_fn *each, void *arg, struct simhash_error *error)
{
	struct simhash_match *match = NULL;
	struct call c;
	struct sh_error err;
	size_t n = 0;
	int status = begin(&c, a, NULL, NULL, &text, &size, 1, &err);

	if (status == 0)
		status = sh_batch_find(&c.batch, &err);
	if (status == 0 && !(match = calloc(c.batch.n_stored + 1, sizeof *match)))
		status = sh_error_nomem(&err);
	if (status == 0 && c.batch.n_stored)
		status = compare(&c, match, &n, &err);
	if (status == 0 && n) {
		sort_matches(match, n);
		status = each(arg, match, n) < 0 ? end_by_caller(&err) : 0;
	}
	free(match);
	return end(&c, status, &err, error);
}

/* ---- changes ---- */

/* Passes the documents that do not stay. */
static int report(struct call *c, simhash_drops_fn *each, void *arg, struct sh_error *err)
{
	struct sh_document_room room = { 0 };
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < c->corpus.n; i++) {
		struct simhash_drop d = { .document = i };
		struct sh_document kept;
		struct sh_verdict v;
		struct sh_record r;

		if (sh_batch_stays(&c->batch, i))
			continue;
		v = sh_engine_verdict(c->engine, i);
		d.similarity = v.similarity / 10000.0;
		d.measure = sh_verdict_measure(v.measure);
		if (sh_batch_drops(&c->batch, i)) {
			status = sh_batch_record(&c->batch, sh_batch_keeper(&c->batch, i), &r, err);
			kept.id = r.id;
		} else {
			status = sh_corpus_document(
			    &c->corpus, sh_engine_keeper(c->engine, i), &room, &kept, err);
		}
		d.keeper = kept.id.p;
		d.size = kept.id.n;
		if (status == 0 && each(arg, &d) < 0)
			status = end_by_caller(err);
	}
	sh_document_room_free(&room);
	return status;
}

int simhash_archive_add(struct simhash_archive *a, const char *const *ids, const size_t *id_sizes,
    const char *const *texts, const size_t *sizes, size_t n, uint64_t now, simhash_drops_fn *each,
    void *arg, struct simhash_error *error)
{
	struct call c;
	struct sh_error err;
	int status = begin(&c, a, ids, id_sizes, texts, sizes, n, &err);

	c.batch.now = now;
	if (status == 0 && (sh_batch_run(&c.batch, &err) < 0 || report(&c, each, arg, &err) < 0 ||
			       sh_batch_add(&c.batch, 0, &err) < 0))
		status = -1;
	return end(&c, status, &err, error);
}

static void ignore_met(void *arg, uint32_t id)
{
	(void)arg;
	(void)id;
}

int simhash_archive_remove(struct simhash_archive *a, const char *const *ids, const size_t *sizes,
    size_t n, uint64_t *removed, struct simhash_error *error)
{
	struct sh_hmap map = { 0 };
	struct sh_store_removal removal = { .ids = &map, .met = ignore_met };
	struct sh_error err;
	uint32_t index;
	int status = sh_hmap_init(&map, &err);

	for (size_t i = 0; status == 0 && i < n; i++)
		status = sh_hmap_put(&map, sh_slice(ids[i], sizes[i]), &index, NULL, &err);
	if (status == 0 && (status = sh_store_lock(&a->store, true, a->wait, &err)) == 0) {
		status = sh_store_remove(&a->store, &removal, &err);
		*removed += status == 0 ? removal.documents : 0;
	}
	sh_store_unlock(&a->store);
	sh_hmap_free(&map);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}

int simhash_archive_compact(struct simhash_archive *a, struct simhash_error *error)
{
	struct sh_error err;
	int status = sh_store_lock(&a->store, true, a->wait, &err);

	if (status == 0)
		status = sh_store_compact(&a->store, &err);
	sh_store_unlock(&a->store);
	return status < 0 ? sh_api_fail(error, &err) : 0;
}
