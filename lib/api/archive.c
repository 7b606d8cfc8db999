/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "archive/batch.h"
#include "archive/settings.h"
#include "base/hmap.h"
#include "io/pool.h"
#include "published/cppjieba.h"
#include "record/escape.h"
#include "record/fields.h"
#include "segment/jieba.h"
#include "store/change.h"
#include "text/stopwords.h"

enum {
	GRAIN = 64,         /* documents of a task */
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
	return a->jieba && o->dict ? read_files(o->dict, NULL, a->jieba, &s->dict_sum, err) : 0;
}

static int read_stop(
    struct simhash_archive *a, const struct simhash_archive_options *o, struct sh_error *err)
{
	struct sh_archive_settings *s = &a->settings;
	struct sh_slice lines = sh_slice_str(s->profile->stop ? s->profile->stop : "");
	struct sh_buf all = { 0 };

	if (o->stop && read_files(o->stop, &all, NULL, &s->stop_sum, err) < 0)
		goto out;
	if (o->stop && *o->stop)
		lines = sh_buf_slice(&all);
	s->token.stop_any_case = !(o->stop && *o->stop);
	s->token.stop = a->stop = sh_stopwords_read(lines, &s->token, err);
out:
	sh_buf_free(&all);
	return a->stop ? 0 : -1;
}

/* Other versions of Unicode and Snowball are no error. shdedup warns about other versions. */
static int check_settings(struct simhash_archive *a, struct sh_error *err)
{
	struct sh_buf list = { 0 };
	struct sh_store_setting now, made;
	struct sh_slice lines;
	int status = sh_archive_settings_list(&a->settings, &list, err);

	lines = sh_buf_slice(&list);
	if (status == 0 && sh_archive_settings_differ(&lines, &a->store.manifest, &now, &made) &&
	    !sh_archive_setting_is_version(now.name))
		status = sh_error_set(err, SH_ERR_PARAM,
		    "'%s' was made with %.*s %.*s, not %.*s: open it with the same files", a->path,
		    (int)made.name.n, made.name.p, (int)made.value.n, made.value.p,
		    (int)now.value.n, now.value.p);
	sh_buf_free(&list);
	return status;
}

static int open_archive(
    struct simhash_archive *a, const struct simhash_archive_options *o, struct sh_error *err)
{
	if (sh_api_reserved(o->reserved, sizeof o->reserved / sizeof *o->reserved, err) < 0)
		return -1;
	a->wait = o->wait;
	a->jobs = o->jobs ? o->jobs : 1;
	a->memory = (size_t)(o->memory_mb ? o->memory_mb : MEMORY_MB) << 20;
	if (sh_store_open(&a->store, a->path, SH_STORE_OF_DOCUMENTS, err) < 0 ||
	    sh_archive_settings_read(&a->settings, &a->store.manifest, err) < 0 ||
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

/* A thread that describes the texts of a call. */
struct describing {
	const struct sh_corpus *corpus;
	struct sh_describer *describer;
	struct sh_document_room room;
};

/* Describes the documents of a task: the descriptions to job->facts, the postings to job->out. */
static int describe_some(void *worker, struct sh_job *job)
{
	struct describing *d = worker;
	size_t first = job->task * GRAIN, left = d->corpus->n - first;
	struct sh_description about;
	struct sh_document doc;

	for (uint32_t i = 0; i < GRAIN && i < left; i++)
		if (sh_corpus_document(d->corpus, (uint32_t)first + i, &d->room, &doc, &job->err) <
			0 ||
		    sh_engine_describe(d->describer, doc.text, i, &about, &job->out,
			&job->ill_formed, &job->err) < 0 ||
		    sh_buf_add(&job->facts, &about, sizeof about, &job->err) < 0)
			return -1;
	return 0;
}

static int add_described(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct call *c = arg;
	const struct sh_description *about = (const void *)job->facts.p;
	const struct sh_doc_key *posting = (const void *)job->out.p;

	return sh_engine_add(c->engine, job->facts.n / sizeof *about, about, sizeof *about, posting,
	    job->out.n / sizeof *posting, err);
}

/* Gives the documents to the engine. */
static int describe(struct call *c, struct sh_error *err)
{
	unsigned jobs = c->opts.jobs;
	struct describing *d = calloc(jobs, sizeof *d);
	void **workers = calloc(jobs, sizeof *workers);
	struct sh_pool pool = { describe_some, workers, jobs, add_described, c };
	int status = d && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < jobs; i++) {
		workers[i] = &d[i];
		d[i].corpus = &c->corpus;
		d[i].describer = sh_describer_new(c->engine, err);
		status = d[i].describer ? 0 : -1;
	}
	if (status == 0)
		status = sh_pool_tasks(&pool, (c->corpus.n + GRAIN - 1) / GRAIN, err);
	for (unsigned i = 0; d && i < jobs; i++) {
		sh_describer_delete(d[i].describer);
		sh_document_room_free(&d[i].room);
	}
	free(d);
	free(workers);
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
		struct sh_verdict v;
		struct sh_slice id;
		struct simhash_drop d;

		if (sh_batch_stays(&c->batch, i))
			continue;
		status = sh_batch_keeper_id(&c->batch, i, &room, &id, err);
		if (status < 0)
			break;
		v = sh_engine_verdict(c->engine, i);
		d = (struct simhash_drop){ i, id.p, id.n, v.similarity / 10000.0,
			sh_verdict_measure(v.measure) };
		status = each(arg, &d) < 0 ? end_by_caller(err) : 0;
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

static bool is_listed(void *ids, const struct sh_record *r)
{
	uint32_t index;

	return sh_hmap_find(ids, r->id, &index);
}

int simhash_archive_remove(struct simhash_archive *a, const char *const *ids, const size_t *sizes,
    size_t n, uint64_t *removed, struct simhash_error *error)
{
	struct sh_hmap map = { 0 };
	struct sh_error err;
	uint64_t documents = 0, kept;
	uint32_t index;
	int status = sh_hmap_init(&map, &err);

	for (size_t i = 0; status == 0 && i < n; i++)
		status = sh_hmap_put(&map, sh_slice(ids[i], sizes[i]), &index, NULL, &err);
	if (status == 0)
		status = sh_store_lock(&a->store, true, a->wait, &err);
	if (status == 0)
		status =
		    sh_store_remove(&a->store, is_listed, &map, false, &documents, &kept, &err);
	*removed += status == 0 ? documents : 0;
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
