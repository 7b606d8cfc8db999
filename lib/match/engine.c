/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "io/parallel.h"
#include "match/engine_state.h"
#include "match/rank.h"

enum {
	ARENA = 1 << 24, /* bytes of a thread for texts: more does not make it faster */
	ARENA_LEAST = 1 << 18,
	POSTINGS = 1 << 10,  /* added to the sorter at a time: far fewer than fit in its memory */
	REPRESENTATIVES = 4, /* documents with which one of the same hash of its text is compared */
};

/* ---- a run ---- */

static void set_matching(struct sh_engine *m)
{
	const struct sh_engine_opts *o = &m->opts;
	size_t arena = o->memory / 3 / o->jobs;

	m->matching = (struct sh_comparer_opts){ .jaccard = o->rules.jaccard,
		.edit = o->rules.edit,
		.features = o->features,
		.corpus = o->corpus,
		.stored = o->stored,
		.arg = o->stored_arg,
		.arena = arena > ARENA         ? ARENA
			 : arena < ARENA_LEAST ? ARENA_LEAST
					       : arena };
	m->matching.features.token = o->token;
	m->matching.features.ngrams = o->rules.ngrams;
}

struct sh_engine *sh_engine_new(const struct sh_engine_opts *opts, struct sh_error *err)
{
	struct sh_engine *m = calloc(1, sizeof *m);

	if (!m) {
		sh_error_nomem(err);
		return NULL;
	}
	m->opts = *opts;
	pthread_mutex_init(&m->lock, NULL);
	set_matching(m);
	m->postings = (struct sh_sorter){ .size = SH_POSTING_SIZE,
		.memory = opts->memory / 3,
		.threads = opts->jobs,
		.dir = opts->tables ? opts->tables->dir : NULL };
	sh_sorter_init(&m->postings);
	m->worker = calloc(opts->jobs, sizeof *m->worker);
	if (m->worker)
		return m;
	sh_error_nomem(err);
	sh_engine_delete(m);
	return NULL;
}

void sh_engine_delete(struct sh_engine *m)
{
	struct sh_tables *tables;

	if (!m)
		return;
	tables = m->opts.tables;
	for (unsigned i = 0; m->worker && i < m->opts.jobs; i++) {
		sh_comparer_delete(m->worker[i].comparer);
		sh_partner_room_free(&m->worker[i].partners);
	}
	free(m->worker);
	sh_sorter_free(&m->postings);
	sh_partners_free(&m->partners);
	sh_tables_put(tables, m->described);
	sh_tables_put(tables, m->given);
	sh_tables_put(tables, m->is_protected);
	sh_tables_put(tables, m->rank);
	sh_tables_put(tables, m->document);
	sh_tables_put(tables, m->keeper);
	sh_tables_put(tables, m->verdict);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

const struct sh_engine_stats *sh_engine_stats(const struct sh_engine *m)
{
	return &m->stats;
}

/* ---- documents ---- */

struct sh_describer {
	const struct sh_engine *match;
	struct sh_tokenizer *tokenizer;
	struct sh_key_maker *maker;
};

struct sh_describer *sh_describer_new(const struct sh_engine *m, struct sh_error *err)
{
	struct sh_describer *d = calloc(1, sizeof *d);
	struct sh_token_opts token = m->opts.token;

	if (!d) {
		sh_error_nomem(err);
		return NULL;
	}
	/* Keys are made of tokens, not of the text between them. */
	token.apart = true;
	d->match = m;
	d->tokenizer = sh_tokenizer_new(&token, err);
	d->maker = d->tokenizer ? sh_key_maker_new(&m->opts.rules, err) : NULL;
	if (d->maker)
		return d;
	sh_describer_delete(d);
	return NULL;
}

void sh_describer_delete(struct sh_describer *d)
{
	if (!d)
		return;
	sh_tokenizer_delete(d->tokenizer);
	sh_key_maker_delete(d->maker);
	free(d);
}

int sh_engine_describe(struct sh_describer *d, struct sh_slice text, uint32_t document,
    struct sh_description *about, struct sh_buf *postings, uint64_t *ill_formed,
    struct sh_error *err)
{
	struct sh_doc_key *p;
	struct sh_doc_keys keys;
	struct sh_tokens t;
	const uint64_t *token;

	if (sh_tokenize(d->tokenizer, text, &t, err) < 0 ||
	    !(token = sh_key_tokens(d->maker, &t, err)) ||
	    sh_keys_make(d->maker, token, t.n, &keys, err) < 0)
		return -1;
	*ill_formed += t.bad_utf8;
	about->tokens = t.n < UINT16_MAX ? (uint16_t)t.n : UINT16_MAX;
	/* A set of so many features is not known to be smaller than another. */
	about->features = keys.features < SH_LEFT_OUT ? (uint16_t)keys.features : 0;
	if (keys.n == 0)
		return 0;
	if (sh_buf_reserve(postings, keys.n * sizeof *p, err) < 0)
		return -1;
	p = (struct sh_doc_key *)(void *)(postings->p + postings->n);
	memcpy(p, keys.key, keys.n * sizeof *p);
	for (size_t i = 0; i < keys.n; i++)
		p[i].document = document;
	postings->n += keys.n * sizeof *p;
	return 0;
}

static int add_postings(struct sh_engine *m, const struct sh_doc_key *posting, size_t n,
    uint32_t first, struct sh_error *err)
{
	for (size_t i = 0; i < n;) {
		size_t end = n - i < POSTINGS ? n : i + POSTINGS;
		char *record = sh_sorter_append(&m->postings, end - i, err);

		if (!record)
			return -1;
		for (; i < end; i++, record += SH_POSTING_SIZE) {
			struct sh_doc_key p = posting[i];

			p.document += first;
			sh_posting_pack(&p, record);
		}
	}
	return 0;
}

/* Appends n zeroed elements to an array by document. */
static int append(
    struct sh_engine *m, void **array, size_t *cap, size_t n, size_t size, struct sh_error *err)
{
	if (m->n + n > *cap && sh_tables_grow(m->opts.tables, array, cap, m->n + n, size, err) < 0)
		return -1;
	memset((char *)*array + m->n * size, 0, n * size);
	return 0;
}

static int check_number(const struct sh_engine *m, size_t n, struct sh_error *err)
{
	return n < SH_COPY - 1 - m->n ? 0
				      : sh_error_set(err, SH_ERR_RANGE, "more than %u documents",
					    (unsigned)(SH_COPY - 2));
}

int sh_engine_add(struct sh_engine *m, size_t n, const struct sh_description *described,
    size_t stride, const struct sh_doc_key *posting, size_t n_postings, struct sh_error *err)
{
	if (n == 0)
		return 0;
	if (check_number(m, n, err) < 0 ||
	    append(m, (void **)&m->described, &m->described_cap, n, sizeof *m->described, err) < 0)
		return -1;
	if (m->opts.ranks &&
	    append(m, (void **)&m->given, &m->given_cap, n, sizeof *m->given, err) < 0)
		return -1;
	if (m->opts.protects && append(m, (void **)&m->is_protected, &m->protected_cap, n,
				    sizeof *m->is_protected, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		memcpy(&m->described[m->n + i], (const char *)described + i * stride,
		    sizeof *m->described);
		m->stats.without_tokens += !m->described[m->n + i].tokens;
	}
	if (add_postings(m, posting, n_postings, m->n, err) < 0)
		return -1;
	m->n += (uint32_t)n;
	m->n_read = m->n;
	m->stats.documents = m->n;
	return 0;
}

void sh_engine_set_rank(struct sh_engine *m, uint32_t document, uint64_t rank)
{
	m->given[document] = rank;
}

void sh_engine_protect(struct sh_engine *m, uint32_t document)
{
	m->is_protected[document] = true;
}

bool sh_engine_is_protected(const struct sh_engine *m, uint32_t document)
{
	return m->is_protected && m->is_protected[document];
}

/* ---- an archive ---- */

void sh_engine_leave_out(struct sh_engine *m, uint32_t document)
{
	m->described[document].features = SH_LEFT_OUT;
	m->leaves_out = true;
}

int sh_engine_add_stored(struct sh_engine *m, size_t n, struct sh_error *err)
{
	if (n == 0)
		return 0;
	if (check_number(m, n, err) < 0 ||
	    append(m, (void **)&m->described, &m->described_cap, n, sizeof *m->described, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		m->described[m->n + i].tokens = UINT16_MAX;
	m->n += (uint32_t)n;
	return 0;
}

int sh_engine_add_postings(
    struct sh_engine *m, const struct sh_doc_key *posting, size_t n, struct sh_error *err)
{
	return add_postings(m, posting, n, 0, err);
}

int sh_engine_postings(
    struct sh_engine *m, sh_engine_postings_fn *fn, void *arg, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	struct sh_buf list = { 0 };
	int status = sh_sorter_finish(&m->postings, SH_POSTING_KEY, err);

	for (size_t i = 0; status == 0 && i < m->postings.ranges; i++) {
		struct sh_doc_key *p;
		size_t n = 0;

		if (sh_sorter_load(&m->postings, i, &sorted, err) < 0 ||
		    sh_buf_reserve(&list, (sorted.n + 1) * sizeof *p, err) < 0) {
			status = -1;
			break;
		}
		p = (struct sh_doc_key *)(void *)list.p;
		for (size_t k = 0; k < sorted.n; k++) {
			p[n] = sh_posting_unpack(sorted.record + k * SH_POSTING_SIZE);
			n += m->described[p[n].document].features != SH_LEFT_OUT;
		}
		status = fn(arg, p, n, err);
	}
	sh_sorted_free(&sorted);
	sh_buf_free(&list);
	return status;
}

/* ---- ranks ---- */

static struct sh_rank rank_of_document(const struct sh_engine *m, uint32_t document)
{
	return (struct sh_rank){ sh_engine_is_protected(m, document),
		m->given ? m->given[document] : 0, document };
}

static int by_rank(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct sh_engine *m = arg;

	return sh_rank_compare(rank_of_document(m, x), rank_of_document(m, y));
}

/* Makes the permutation of numbers and ranks, unless they are equal. */
static int find_ranks(struct sh_engine *m, struct sh_error *err)
{
	uint32_t behind = m->n;

	m->prior = m->fixed = m->n - m->n_read;
	m->ranks = m->n;
	if (!m->given && !m->is_protected && !m->leaves_out && m->prior == 0)
		return 0;
	m->document = sh_tables_get(m->opts.tables, (size_t)m->n + 1, sizeof *m->document, err);
	m->rank = sh_tables_get(m->opts.tables, (size_t)m->n + 1, sizeof *m->rank, err);
	if (!m->document || !m->rank)
		return -1;
	m->ranks = 0;
	for (uint32_t i = m->n_read; i < m->n; i++)
		m->document[m->ranks++] = i;
	for (uint32_t i = 0; i < m->n_read; i++) {
		if (m->described[i].features == SH_LEFT_OUT) {
			m->document[--behind] = i;
			continue;
		}
		m->document[m->ranks++] = i;
		m->fixed += sh_engine_is_protected(m, i);
	}
	if (m->given || m->is_protected)
		qsort_r(
		    m->document + m->prior, m->ranks - m->prior, sizeof *m->document, by_rank, m);
	for (uint32_t r = 0; r < m->n; r++)
		m->rank[m->document[r]] = r;
	sh_tables_put(m->opts.tables, m->given);
	m->given = NULL;
	return 0;
}

/* ---- copies ---- */

/* Finds the best document with the tokens of each document. */
static int find_copies(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_engine_worker *w = worker;
	struct sh_engine *m = w->match;

	for (uint32_t r = from < m->fixed ? m->fixed : (uint32_t)from; r < to; r++) {
		struct sh_bucket_place at;
		bool same = false;

		if (!sh_partners_any(&m->partners, r))
			continue;
		at = m->partners.place[m->partners.first[r]];
		for (uint32_t i = 0; !same && i < at.before && i < REPRESENTATIVES; i++) {
			uint32_t better = m->partners.member[at.start + i];

			if (sh_comparer_same(w->comparer, sh_engine_document(m, r),
				sh_engine_document(m, better), &same, err) < 0)
				return -1;
			if (same)
				m->keeper[r] = SH_COPY | better;
		}
		w->copies += same;
	}
	return 0;
}

/* Makes the partners in the columns from .. to-1. */
static int find_partners(struct sh_engine *m, unsigned from, unsigned to, struct sh_error *err)
{
	sh_partners_free(&m->partners);
	m->partners = (struct sh_partners){ .documents = m->ranks,
		.prior = m->prior,
		.rank = m->rank,
		.tables = m->opts.tables,
		.jobs = m->opts.jobs };
	return sh_partners_make(&m->partners, &m->postings, from, to, err);
}

/* ---- all pairs ---- */

/* Passes the pairs of some documents to opts.seen(). */
static int see_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_engine_worker *w = worker;
	struct sh_engine *m = w->match;

	for (uint32_t r = (uint32_t)from; r < to; r++) {
		size_t n = sh_partners_of(&m->partners, r, &w->partners, err);

		if (n == SIZE_MAX)
			return -1;
		for (size_t i = 0; i < n; i++) {
			struct sh_engine_pair pair = { sh_engine_document(m, r),
				sh_engine_document(m, (uint32_t)w->partners.partner[i]), { 0 } };

			if (pair.a > pair.b)
				pair = (struct sh_engine_pair){ pair.b, pair.a, { 0 } };
			if (sh_comparer_compare(
				w->comparer, pair.a, pair.b, true, &pair.verdict, err) < 0)
				return -1;
			pthread_mutex_lock(&m->lock);
			m->opts.seen(m->opts.arg, &pair);
			pthread_mutex_unlock(&m->lock);
		}
	}
	return 0;
}

/* ---- the run ---- */

static int start(struct sh_engine *m, struct sh_error *err)
{
	struct sh_tables *tables = m->opts.tables;

	if (find_ranks(m, err) < 0)
		return -1;
	m->keeper = sh_tables_get(tables, (size_t)m->n + 1, sizeof *m->keeper, err);
	m->verdict = sh_tables_get(tables, (size_t)m->n + 1, sizeof *m->verdict, err);
	if (!m->keeper || !m->verdict)
		return -1;
	for (uint32_t r = 0; r < m->n; r++)
		m->keeper[r] = r < m->ranks ? SH_UNKNOWN : r;
	for (unsigned i = 0; i < m->opts.jobs; i++) {
		struct sh_comparer_opts how = m->matching;

		how.thread = i;
		m->worker[i].match = m;
		m->worker[i].comparer = sh_comparer_new(&how, err);
		if (!m->worker[i].comparer)
			return -1;
	}
	return 0;
}

/* A copy has similarity 1 to the document of the same tokens. */
static void set_copies(struct sh_engine *m)
{
	struct sh_verdict same = {
		.measure = m->opts.rules.jaccard ? SH_VERDICT_JACCARD : SH_VERDICT_EDIT,
		.similarity = 10000,
	};

	for (uint32_t r = 0; r < m->ranks; r++)
		if (m->keeper[r] != SH_UNKNOWN)
			sh_engine_set_verdict(m, r, &same);
}

static int each_rank(struct sh_engine *m, size_t grain, sh_tasks_fn *fn, struct sh_error *err)
{
	return sh_parallel(m->worker, sizeof *m->worker, m->opts.jobs, m->ranks, grain, fn, err);
}

int sh_engine_run(struct sh_engine *m, struct sh_error *err)
{
	int status;

	if (start(m, err) < 0 || sh_sorter_finish(&m->postings, SH_POSTING_KEY, err) < 0 ||
	    find_partners(m, SH_COLUMN_TEXT, SH_COLUMN_TEXT + 1, err) < 0 ||
	    each_rank(m, SH_TELL, find_copies, err) < 0)
		return -1;
	set_copies(m);
	if (find_partners(m, 0, SH_COLUMN_TEXT, err) < 0)
		return -1;
	/* With an archive the caller stores the postings. */
	if (!m->opts.stored)
		sh_sorter_free(&m->postings);
	m->stats.cut = m->partners.cut;
	if (m->opts.seen && each_rank(m, 1, see_some, err) < 0)
		return -1;
	status = sh_decide(m, err);
	for (unsigned i = 0; i < m->opts.jobs; i++) {
		m->stats.compared += m->worker[i].compared;
		m->stats.similar += m->worker[i].similar;
		m->stats.copies += m->worker[i].copies;
		sh_comparer_delete(m->worker[i].comparer);
		m->worker[i].comparer = NULL;
	}
	sh_partners_free(&m->partners);
	return status;
}

/* ---- results ---- */

static uint32_t rank_of(const struct sh_engine *m, uint32_t document)
{
	return m->rank ? m->rank[document] : document;
}

bool sh_engine_has_tokens(const struct sh_engine *m, uint32_t document)
{
	return m->described[document].tokens > 0;
}

void sh_engine_set_keeper(
    struct sh_engine *m, uint32_t document, uint32_t keeper, const struct sh_verdict *v)
{
	m->keeper[m->rank[document]] = m->rank[keeper];
	sh_engine_set_verdict(m, m->rank[document], v);
}

uint32_t sh_engine_keeper(const struct sh_engine *m, uint32_t document)
{
	return sh_engine_document(m, m->keeper[rank_of(m, document)]);
}

struct sh_verdict sh_engine_verdict(const struct sh_engine *m, uint32_t document)
{
	unsigned packed = m->verdict[rank_of(m, document)];

	return (struct sh_verdict){ true, packed >> 14, packed & 0x3fff };
}
