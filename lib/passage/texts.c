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
	uint32_t tokens;
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

/* Returns the first window whose minimum is seed i. Seed i-1 is the minimum of the windows before:
 * until seed i enters the window, or until seed i-1 leaves it when it is less than seed i. */
static uint32_t first_window(const struct sh_seeds *s, size_t i, unsigned window)
{
	const uint32_t *pick = &s->pick[i];

	if (i == 0)
		return 0;
	return s->gram[pick[0]] <= s->gram[pick[-1]] ? pick[0] + 1 - window : pick[-1] + 1;
}

static int add_postings(struct sh_buf *out, uint32_t document, const struct sh_seeds *s,
    const struct sh_texts_opts *opts, struct sh_error *err)
{
	if (sh_buf_reserve(out, s->n * SH_SEED_SIZE, err) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++, out->n += SH_SEED_SIZE)
		sh_seed_pack(
		    &(struct sh_posting){ s->gram[s->pick[i]], document,
			opts->windows ? first_window(s, i, opts->seed.window) : s->pick[i] },
		    out->p + out->n);
	return 0;
}

static int load_one(struct worker *w, uint32_t document, struct sh_job *job, struct sh_error *err)
{
	const struct sh_texts_opts *opts = w->all->opts;
	struct sh_seeds seeds = { .n = 0 };
	struct loaded x = { 0, false };
	struct sh_document doc;

	if (!opts->wanted || sh_bits_has(opts->wanted, document)) {
		uint64_t ill;

		if (sh_corpus_document(w->all->corpus, document, &w->room, &doc, err) < 0 ||
		    sh_seeder_run(w->seeder, doc.text, &seeds, err) < 0)
			return -1;
		ill = doc.ill_formed + seeds.tokens.bad_utf8;
		job->ill_formed += ill;
		x.bad = opts->strict && ill;
		if (x.bad)
			seeds.tokens.n = seeds.n = 0;
		x.tokens = (uint32_t)seeds.tokens.n;
	}
	if (sh_buf_add(&job->facts, &x, sizeof x, err) < 0 ||
	    add_tokens(&job->out, &seeds, err) < 0)
		return -1;
	return opts->seeds ? add_postings(&job->aside, document, &seeds, opts, err) : 0;
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

static int add_chunk(void *loading, struct sh_job *job, struct sh_error *err)
{
	const struct loading *l = loading;
	struct sh_texts *t = l->texts;
	const struct loaded *x = (const struct loaded *)(const void *)job->facts.p;
	size_t n = job->facts.n / sizeof *x, tokens = (size_t)t->at[t->n];
	size_t want = tokens + job->out.n / sizeof *t->token;

	if (job->failed)
		return 0;
	if ((want > t->token_cap && sh_tables_grow(t->tables, (void **)&t->token, &t->token_cap,
					want, sizeof *t->token, err) < 0) ||
	    (t->n + n + 1 > t->at_cap && sh_tables_grow(t->tables, (void **)&t->at, &t->at_cap,
					     t->n + n + 1, sizeof *t->at, err) < 0))
		return -1;
	if (job->out.n)
		memcpy(t->token + tokens, job->out.p, job->out.n);
	for (size_t i = 0; i < job->aside.n; i += SH_SEED_SIZE)
		if (sh_sorter_add(l->opts->seeds, job->aside.p + i, SH_SEED_SIZE, err) < 0)
			return -1;
	for (size_t i = 0; i < n; i++, t->n++) {
		t->at[t->n + 1] = t->at[t->n] + x[i].tokens;
		if (!x[i].bad || !l->opts->bad)
			continue;
		sh_error_set(err, SH_ERR_RECORD, "ill-formed UTF-8 (--strict)");
		if (l->opts->bad(l->opts->arg, (uint32_t)t->n, err) < 0)
			return -1;
	}
	t->ill_formed += job->ill_formed;
	return 0;
}

int sh_texts_load(struct sh_texts *t, const struct sh_corpus *corpus,
    const struct sh_texts_opts *opts, struct sh_error *err)
{
	struct loading l = { t, corpus, opts };
	struct worker *workers = calloc(opts->jobs, sizeof *workers);
	void **all = calloc(opts->jobs, sizeof *all);
	struct sh_pool pool = { load_chunk, all, opts->jobs, add_chunk, &l };
	int status = workers && all ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < opts->jobs; i++) {
		all[i] = &workers[i];
		workers[i].all = &l;
		workers[i].seeder = sh_seeder_new(&opts->token, &opts->seed, err);
		if (!workers[i].seeder)
			status = -1;
	}
	if (status == 0)
		status =
		    sh_tables_grow(t->tables, (void **)&t->at, &t->at_cap, 1, sizeof *t->at, err);
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
