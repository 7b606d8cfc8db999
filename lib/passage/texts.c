/* SPDX-License-Identifier: MIT */
#include "passage/texts.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/buf.h"
#include "io/pool.h"

enum { CHUNK = 1 << 18 }; /* bytes of text in a task, about */

/* A document that was loaded: an element of job->facts. Its tokens are in job->out, its postings in
 * job->aside. */
struct loaded {
	uint32_t document, tokens;
	bool bad; /* ill-formed, under opts.strict */
};

/* Shared by all workers. */
struct loading {
	struct sh_texts *texts;
	const struct sh_corpus *corpus;
	const struct sh_texts_opts *opts;
};

struct worker {
	const struct loading *all;
	struct sh_seeder *seeder;
	struct sh_document_room room;
};

static int add_tokens(struct sh_buf *out, const struct sh_seeds *s, struct sh_error *err)
{
	size_t n = s->tokens.n;
	uint32_t *to;

	if (sh_buf_reserve(out, n * sizeof *to, err) < 0)
		return -1;
	to = (uint32_t *)(void *)(out->p + out->n);
	for (size_t i = 0; i < n; i++)
		to[i] = (uint32_t)s->token[i];
	out->n += n * sizeof *to;
	return 0;
}

static int add_postings(
    struct sh_buf *out, uint32_t document, const struct sh_seeds *s, struct sh_error *err)
{
	struct sh_posting *to;

	if (sh_buf_reserve(out, s->n * sizeof *to, err) < 0)
		return -1;
	to = (struct sh_posting *)(void *)(out->p + out->n);
	for (size_t i = 0; i < s->n; i++)
		to[i] = (struct sh_posting){ { s->gram[s->pick[i]] }, document, s->pick[i] };
	out->n += s->n * sizeof *to;
	return 0;
}

static bool is_wanted(const struct sh_texts_opts *opts, uint32_t document)
{
	return document >= opts->first && (!opts->wanted || sh_bits_has(opts->wanted, document));
}

static int load_one(struct worker *w, uint32_t document, struct sh_job *job, struct sh_error *err)
{
	const struct sh_texts_opts *opts = w->all->opts;
	struct loaded x = { .document = document };
	struct sh_document doc;
	struct sh_seeds seeds;
	uint64_t ill;

	if (!is_wanted(opts, document))
		return sh_buf_add(&job->facts, &x, sizeof x, err);
	if (sh_corpus_document(w->all->corpus, document, &w->room, &doc, err) < 0 ||
	    sh_seeder_run(w->seeder, doc.text, &seeds, err) < 0)
		return -1;
	ill = doc.ill_formed + seeds.tokens.bad_utf8;
	job->ill_formed += ill;
	x.bad = opts->strict && ill;
	if (x.bad)
		seeds.tokens.n = seeds.n = 0;
	x.tokens = (uint32_t)seeds.tokens.n;
	if (sh_buf_add(&job->facts, &x, sizeof x, err) < 0 ||
	    add_tokens(&job->out, &seeds, err) < 0)
		return -1;
	return opts->no_seeds ? 0 : add_postings(&job->aside, document, &seeds, err);
}

static int load_chunk(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct sh_corpus *corpus = w->all->corpus;
	uint64_t begin = (uint64_t)job->task * CHUNK;
	size_t end = sh_lower_bound(corpus->at, corpus->n, begin + CHUNK);

	for (size_t d = sh_lower_bound(corpus->at, corpus->n, begin); d < end; d++)
		if (load_one(w, (uint32_t)d, job, &job->err) < 0)
			return -1;
	return 0;
}

static int add_documents(const struct loading *l, const struct sh_job *job, struct sh_error *err)
{
	const struct loaded *x = (const struct loaded *)(const void *)job->facts.p;
	struct sh_texts *t = l->texts;
	size_t n = job->facts.n / sizeof *x;

	if (t->n + n + 1 > t->at_cap && sh_tables_grow(t->tables, (void **)&t->at, &t->at_cap,
					    t->n + n + 1, sizeof *t->at, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++, t->n++) {
		t->at[t->n + 1] = t->at[t->n] + x[i].tokens;
		if (!x[i].bad)
			continue;
		sh_error_set(err, SH_ERR_RECORD, "ill-formed UTF-8 (--strict)");
		if (l->opts->bad(l->opts->arg, x[i].document, err) < 0)
			return -1;
	}
	return 0;
}

static int add_chunk(void *loading, struct sh_job *job, struct sh_error *err)
{
	const struct loading *l = loading;
	struct sh_texts *t = l->texts;
	size_t tokens = (size_t)t->at[t->n], more = job->out.n / sizeof *t->token;
	size_t postings = job->aside.n / sizeof *t->posting;

	if (job->failed)
		return 0;
	if (add_documents(l, job, err) < 0)
		return -1;
	if (tokens + more > t->token_cap &&
	    sh_tables_grow(t->tables, (void **)&t->token, &t->token_cap, tokens + more,
		sizeof *t->token, err) < 0)
		return -1;
	if (more)
		memcpy(t->token + tokens, job->out.p, job->out.n);
	if (t->n_postings + postings > t->posting_cap &&
	    sh_tables_grow(t->tables, (void **)&t->posting, &t->posting_cap,
		t->n_postings + postings, sizeof *t->posting, err) < 0)
		return -1;
	if (postings)
		memcpy(t->posting + t->n_postings, job->aside.p, job->aside.n);
	t->n_postings += postings;
	t->ill_formed += job->ill_formed;
	return 0;
}

/* Loads the documents in tasks: those whose first bytes are in a range of CHUNK bytes. */
static int load(struct loading *l, void **workers, struct sh_error *err)
{
	const struct sh_corpus *corpus = l->corpus;
	struct sh_pool pool = { load_chunk, workers, l->opts->jobs, add_chunk, l };

	return corpus->n == 0
		   ? 0
		   : sh_pool_tasks(&pool, (size_t)(corpus->at[corpus->n - 1] / CHUNK) + 1, err);
}

int sh_texts_load(struct sh_texts *t, const struct sh_corpus *corpus,
    const struct sh_texts_opts *opts, struct sh_error *err)
{
	struct loading l = { t, corpus, opts };
	struct worker *workers = calloc(opts->jobs, sizeof *workers);
	void **all = calloc(opts->jobs, sizeof *all);
	int status = workers && all ? 0 : sh_error_nomem(err);

	if (status == 0 &&
	    sh_tables_grow(t->tables, (void **)&t->at, &t->at_cap, 1, sizeof *t->at, err) < 0)
		status = -1;
	if (status == 0)
		t->at[0] = 0;
	for (unsigned i = 0; status == 0 && i < opts->jobs; i++) {
		all[i] = &workers[i];
		workers[i].all = &l;
		workers[i].seeder = sh_seeder_new(&opts->token, &opts->seed, err);
		if (!workers[i].seeder)
			status = -1;
	}
	if (status == 0)
		status = load(&l, all, err);
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
	sh_tables_put(t->tables, t->posting);
	*t = (struct sh_texts){ 0 };
}
