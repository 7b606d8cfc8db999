/* SPDX-License-Identifier: MIT */
#include "passage/texts.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "io/pool.h"

/* ---- postings ---- */

void sh_postings_init(
    struct sh_sorter *s, size_t size, size_t memory, unsigned jobs, const char *dir)
{
	*s = (struct sh_sorter){ .size = size, .memory = memory, .threads = jobs, .dir = dir };
	sh_sorter_init(s);
}

static void pack(const struct sh_posting *p, size_t size, char *record)
{
	sh_put_be64(record, p->key);
	sh_put_be32(record + SH_POSTING_KEY_SIZE, p->document);
	sh_put_be32(record + SH_POSTING_KEY_SIZE + 4, p->token);
	if (size == SH_POSTING_WINDOWS)
		sh_put_be32(record + SH_POSTING_PLAIN, p->windows);
}

int sh_postings_add(struct sh_sorter *s, const struct sh_posting *p, struct sh_error *err)
{
	char *record = sh_sorter_append(s, 1, err);

	if (!record)
		return -1;
	pack(p, s->size, record);
	return 0;
}

size_t sh_postings_group(const struct sh_sorter *s, const char *record, size_t n)
{
	uint64_t key = sh_be64(record);
	size_t i = 1;

	while (i < n && sh_be64(record + i * s->size) == key)
		i++;
	return i;
}

/* ---- texts ---- */

enum { CHUNK = 1 << 18 }; /* bytes of text in a task, about */

#define ILL_FORMED UINT32_MAX /* in place of the number of tokens */

struct worker {
	struct sh_texts *texts; /* changed by add_chunk() only, one thread at a time */
	const struct sh_corpus *corpus;
	const struct sh_texts_opts *opts;
	struct sh_seeder *seeder;
	struct sh_document_room room;
};

/* Returns the first window whose minimum is seed i; for i = s->n the number of windows. Seed i-1 is
 * the minimum of the windows before: until seed i enters the window, or until seed i-1 leaves it
 * when it is less than seed i. */
static uint32_t first_window(const struct sh_seeds *s, size_t i, unsigned window)
{
	const uint32_t *pick = &s->pick[i];

	if (i == s->n)
		return s->n_grams < window ? 0 : (uint32_t)(s->n_grams - window + 1);
	if (i == 0)
		return 0;
	return s->gram[pick[0]] <= s->gram[pick[-1]] ? pick[0] + 1 - window : pick[-1] + 1;
}

/* Appends the tokens and the postings of a document to the job's `out` and `aside`, and the number
 * of its tokens to `facts`. */
static int load_one(struct worker *w, uint32_t document, struct sh_job *job, struct sh_error *err)
{
	const struct sh_texts_opts *opts = w->opts;
	const struct sh_sorter *postings = opts->postings;
	unsigned window = opts->seed.window;
	struct sh_seeds s = { .n = 0 };
	struct sh_document doc;
	uint32_t tokens = 0;

	if (!opts->wanted || sh_bits_has(opts->wanted, document)) {
		uint64_t ill;

		if (sh_corpus_document(w->corpus, document, &w->room, &doc, err) < 0 ||
		    sh_seeder_run(w->seeder, doc.text, &s, err) < 0)
			return -1;
		ill = doc.ill_formed + s.tokens.bad_utf8;
		job->ill_formed += ill;
		tokens = (uint32_t)s.tokens.n;
		if (opts->bad && ill) {
			tokens = ILL_FORMED;
			s.tokens.n = s.n = 0;
		}
	}
	if (sh_buf_add(&job->facts, &tokens, sizeof tokens, err) < 0 ||
	    sh_buf_add(&job->out, s.token, s.tokens.n * sizeof *s.token, err) < 0 ||
	    (postings && sh_buf_reserve(&job->aside, s.n * postings->size, err) < 0))
		return -1;
	for (size_t i = 0; postings && i < s.n; i++, job->aside.n += postings->size) {
		struct sh_posting p = { s.gram[s.pick[i]], document, s.pick[i], 0 };

		if (postings->size == SH_POSTING_WINDOWS) {
			p.token = first_window(&s, i, window);
			p.windows = first_window(&s, i + 1, window) - p.token;
		}
		pack(&p, postings->size, job->aside.p + job->aside.n);
	}
	return 0;
}

static int load_chunk(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct sh_corpus *corpus = w->corpus;
	uint64_t begin = (uint64_t)job->task * CHUNK;
	size_t end = sh_lower_bound(corpus->at, corpus->n, begin + CHUNK);

	for (size_t d = sh_lower_bound(corpus->at, corpus->n, begin); d < end; d++)
		if (load_one(w, (uint32_t)d, job, &job->err) < 0)
			return -1;
	return 0;
}

static int add_chunk(void *worker, struct sh_job *job, struct sh_error *err)
{
	const struct worker *w = worker;
	struct sh_sorter *postings = w->opts->postings;
	struct sh_texts *t = w->texts;
	const uint32_t *tokens = (const uint32_t *)(const void *)job->facts.p;
	size_t n = job->facts.n / sizeof *tokens, before = (size_t)t->at[t->n];
	char *record;

	if (job->failed)
		return 0;
	if (SH_TABLES_RESERVE(t->tables, t->token, t->token_cap,
		before + job->out.n / sizeof *t->token, err) < 0 ||
	    SH_TABLES_RESERVE(t->tables, t->at, t->at_cap, t->n + n + 1, err) < 0)
		return -1;
	if (job->out.n)
		memcpy(t->token + before, job->out.p, job->out.n);
	if (job->aside.n) {
		record = sh_sorter_append(postings, job->aside.n / postings->size, err);
		if (!record)
			return -1;
		memcpy(record, job->aside.p, job->aside.n);
	}
	for (size_t i = 0; i < n; i++, t->n++) {
		t->at[t->n + 1] = t->at[t->n] + (tokens[i] == ILL_FORMED ? 0 : tokens[i]);
		if (tokens[i] != ILL_FORMED)
			continue;
		sh_error_set(err, SH_ERR_RECORD, "ill-formed UTF-8 (--strict)");
		if (w->opts->bad(w->opts->arg, (uint32_t)t->n, err) < 0)
			return -1;
	}
	t->ill_formed += job->ill_formed;
	return 0;
}

int sh_texts_load(struct sh_texts *t, const struct sh_corpus *corpus,
    const struct sh_texts_opts *opts, struct sh_error *err)
{
	struct worker *workers = calloc(opts->jobs, sizeof *workers);
	void **all = calloc(opts->jobs, sizeof *all);
	struct sh_pool pool = { load_chunk, all, opts->jobs, add_chunk, workers };
	int status = workers && all ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < opts->jobs; i++) {
		all[i] = &workers[i];
		workers[i] = (struct worker){ .texts = t, .corpus = corpus, .opts = opts };
		workers[i].seeder = sh_seeder_new(&opts->token, &opts->seed, err);
		status = workers[i].seeder ? 0 : -1;
	}
	if (status == 0)
		status = SH_TABLES_RESERVE(t->tables, t->at, t->at_cap, 1, err);
	if (status == 0) {
		t->at[0] = 0;
		/* A task has the documents whose first bytes are in a range of CHUNK bytes. */
		if (corpus->n)
			status = sh_pool_tasks(
			    &pool, (size_t)(corpus->at[corpus->n - 1] / CHUNK) + 1, err);
	}
	for (unsigned i = 0; workers && i < opts->jobs; i++) {
		sh_seeder_delete(workers[i].seeder);
		sh_document_room_free(&workers[i].room);
	}
	free(workers);
	free(all);
	return status;
}

void sh_texts_free(struct sh_texts *t)
{
	sh_tables_put(t->tables, t->at);
	sh_tables_put(t->tables, t->token);
	*t = (struct sh_texts){ 0 };
}
