#include "passage/texts.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buf.h"
#include "io/parallel.h"

enum {
	CHUNK = 1 << 18, /* bytes of text in a worker's task, about */
	ROUND = 64,      /* most chunks of a round, whose results are held together */
	A_WORKER = 4,    /* most chunks of a round for each worker: results stay in the cache */
};

/* Some documents, and their results. */
struct chunk {
	uint32_t from, to;
	struct sh_buf counts, tokens, postings; /* of uint32_t, uint32_t, struct sh_posting */
	struct sh_buf bad;                      /* numbers of bad documents */
	uint64_t ill_formed;
};

struct worker {
	const struct sh_corpus *corpus;
	const struct sh_texts_opts *opts;
	struct sh_seeder *seeder;
	struct sh_document_room room;
	struct chunk *chunk;
};

static int add_tokens(struct chunk *c, const struct sh_seeds *s, struct sh_error *err)
{
	uint32_t n = (uint32_t)s->tokens.n, *to;

	if (sh_buf_add(&c->counts, &n, sizeof n, err) < 0 ||
	    sh_buf_reserve(&c->tokens, n * sizeof *to, err) < 0)
		return -1;
	to = (uint32_t *)(void *)(c->tokens.p + c->tokens.n);
	for (size_t i = 0; i < n; i++)
		to[i] = (uint32_t)s->token[i];
	c->tokens.n += n * sizeof *to;
	return 0;
}

static int add_postings(
    struct chunk *c, uint32_t document, const struct sh_seeds *s, struct sh_error *err)
{
	struct sh_posting *to;

	if (sh_buf_reserve(&c->postings, s->n * sizeof *to, err) < 0)
		return -1;
	to = (struct sh_posting *)(void *)(c->postings.p + c->postings.n);
	for (size_t i = 0; i < s->n; i++)
		to[i] = (struct sh_posting){ { s->gram[s->pick[i]] }, document, s->pick[i] };
	c->postings.n += s->n * sizeof *to;
	return 0;
}

static int load_one(struct worker *w, struct chunk *c, uint32_t document, struct sh_error *err)
{
	struct sh_document doc;
	struct sh_seeds seeds;
	uint64_t ill;

	if (document < w->opts->first ||
	    (w->opts->wanted && !sh_bits_has(w->opts->wanted, document)))
		return sh_buf_add(&c->counts, &(uint32_t){ 0 }, sizeof(uint32_t), err);
	if (sh_corpus_document(w->corpus, document, &w->room, &doc, err) < 0 ||
	    sh_seeder_run(w->seeder, doc.text, &seeds, err) < 0)
		return -1;
	ill = doc.ill_formed + seeds.tokens.bad_utf8;
	c->ill_formed += ill;
	if (w->opts->strict && ill) {
		seeds.tokens.n = seeds.n = 0;
		if (sh_buf_add(&c->bad, &document, sizeof document, err) < 0)
			return -1;
	}
	if (add_tokens(c, &seeds, err) < 0)
		return -1;
	return w->opts->no_seeds ? 0 : add_postings(c, document, &seeds, err);
}

static int load_chunks(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;

	for (size_t i = from; i < to; i++) {
		struct chunk *c = &w->chunk[i];

		for (uint32_t d = c->from; d < c->to; d++)
			if (load_one(w, c, d, err) < 0)
				return -1;
	}
	return 0;
}

/* Plans the next chunks. Returns their number, 0 after the last document. */
static size_t plan_round(
    const struct sh_corpus *corpus, unsigned jobs, uint32_t *document, struct chunk *chunk)
{
	size_t n = 0, most = jobs * A_WORKER < ROUND ? jobs * A_WORKER : ROUND;

	for (; n < most && *document < corpus->n; n++) {
		uint64_t begin = corpus->at[*document];
		struct chunk *c = &chunk[n];

		c->from = *document;
		while (*document < corpus->n && corpus->at[*document] - begin < CHUNK)
			(*document)++;
		c->to = *document;
		c->counts.n = c->tokens.n = c->postings.n = c->bad.n = 0;
		c->ill_formed = 0;
	}
	return n;
}

static int add_counts(struct sh_texts *t, const struct chunk *c, struct sh_error *err)
{
	const uint32_t *count = (const uint32_t *)(const void *)c->counts.p;
	size_t n = c->to - c->from;

	if (t->n + n + 1 > t->at_cap && sh_tables_grow(t->tables, (void **)&t->at, &t->at_cap,
					    t->n + n + 1, sizeof *t->at, err) < 0)
		return -1;
	if (t->n == 0)
		t->at[0] = 0;
	for (size_t i = 0; i < n; i++, t->n++)
		t->at[t->n + 1] = t->at[t->n] + count[i];
	return 0;
}

static int add_chunk(struct sh_texts *t, const struct chunk *c, const struct sh_texts_opts *opts,
    struct sh_error *err)
{
	size_t tokens = t->n ? (size_t)t->at[t->n] : 0, more = c->tokens.n / sizeof *t->token;
	size_t postings = c->postings.n / sizeof *t->posting;
	const uint32_t *bad = (const uint32_t *)(const void *)c->bad.p;

	if (add_counts(t, c, err) < 0)
		return -1;
	if (tokens + more > t->token_cap &&
	    sh_tables_grow(t->tables, (void **)&t->token, &t->token_cap, tokens + more,
		sizeof *t->token, err) < 0)
		return -1;
	if (more)
		memcpy(t->token + tokens, c->tokens.p, c->tokens.n);
	if (t->n_postings + postings > t->posting_cap &&
	    sh_tables_grow(t->tables, (void **)&t->posting, &t->posting_cap,
		t->n_postings + postings, sizeof *t->posting, err) < 0)
		return -1;
	if (postings)
		memcpy(t->posting + t->n_postings, c->postings.p, c->postings.n);
	t->n_postings += postings;
	t->ill_formed += c->ill_formed;
	for (size_t i = 0; i < c->bad.n / sizeof *bad; i++) {
		sh_error_set(err, SH_ERR_RECORD, "ill-formed UTF-8 (--strict)");
		if (opts->bad(opts->arg, bad[i], err) < 0)
			return -1;
	}
	return 0;
}

static int load(struct sh_texts *t, struct worker *workers, const struct sh_texts_opts *opts,
    struct sh_error *err)
{
	struct chunk chunk[ROUND] = { 0 };
	const struct sh_corpus *corpus = workers[0].corpus;
	uint32_t document = 0;
	int status = 0;
	size_t n;

	for (unsigned i = 0; i < opts->jobs; i++)
		workers[i].chunk = chunk;
	while (status == 0 && (n = plan_round(corpus, opts->jobs, &document, chunk)) > 0) {
		status = sh_parallel(workers, sizeof *workers, opts->jobs, n, 1, load_chunks, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = add_chunk(t, &chunk[i], opts, err);
	}
	for (size_t i = 0; i < ROUND; i++) {
		sh_buf_free(&chunk[i].counts);
		sh_buf_free(&chunk[i].tokens);
		sh_buf_free(&chunk[i].postings);
		sh_buf_free(&chunk[i].bad);
	}
	return status;
}

int sh_texts_load(struct sh_texts *t, const struct sh_corpus *corpus,
    const struct sh_texts_opts *opts, struct sh_error *err)
{
	struct worker *workers = calloc(opts->jobs, sizeof *workers);
	int status = workers ? 0 : sh_error_nomem(err);

	if (status == 0 &&
	    sh_tables_grow(t->tables, (void **)&t->at, &t->at_cap, 1, sizeof *t->at, err) < 0)
		status = -1;
	if (status == 0)
		t->at[0] = 0;
	for (unsigned i = 0; status == 0 && i < opts->jobs; i++) {
		workers[i].corpus = corpus;
		workers[i].opts = opts;
		workers[i].seeder = sh_seeder_new(&opts->token, &opts->seed, err);
		if (!workers[i].seeder)
			status = -1;
	}
	if (status == 0)
		status = load(t, workers, opts, err);
	for (unsigned i = 0; workers && i < opts->jobs; i++) {
		sh_seeder_delete(workers[i].seeder);
		sh_document_room_free(&workers[i].room);
	}
	free(workers);
	return status;
}

void sh_texts_free(struct sh_texts *t)
{
	sh_tables_put(t->tables, t->at);
	sh_tables_put(t->tables, t->token);
	sh_tables_put(t->tables, t->posting);
	*t = (struct sh_texts){ 0 };
}
