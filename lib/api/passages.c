/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "passage/index.h"
#include "passage/placed.h"
#include "text/method.h"

/* BOUND: sh_index.bound, as shspan -d has it. UNIT: millionths. */
enum { BOUND = 200, MIN_TOKENS = 12, UNIT = 1000000 };

struct simhash_passages {
	char *text; /* of all queries, one after the other */
	size_t *at; /* of each query; at[n]: the end */
	struct sh_texts texts;
	struct sh_index index;
	struct sh_index_room room;
	struct sh_seeder *seeder;
	struct sh_matcher *matcher;
	struct sh_placer *document, *query;
};

void simhash_passages_defaults(struct simhash_passage_options *o)
{
	*o = (struct simhash_passage_options){
		.min_tokens = MIN_TOKENS, .merge = SH_MATCH_MERGE, .min_identity = 0.5
	};
}

void simhash_passages_free(struct simhash_passages *p)
{
	if (!p)
		return;
	free(p->text);
	free(p->at);
	sh_index_free(&p->index);
	sh_index_room_free(&p->room);
	sh_texts_free(&p->texts);
	sh_seeder_delete(p->seeder);
	sh_matcher_delete(p->matcher);
	sh_placer_delete(p->document);
	sh_placer_delete(p->query);
	free(p);
}

static int check_size(size_t size, struct sh_error *err)
{
	return size > INT32_MAX ? sh_error_set(err, SH_ERR_RANGE,
				      "a text of %zu bytes: expected less than 2^31", size)
				: 0;
}

/* ---- queries ---- */

static int copy_texts(struct simhash_passages *p, const char *const *queries, const size_t *sizes,
    size_t n, struct sh_error *err)
{
	size_t sum = 0;

	p->at = malloc((n + 1) * sizeof *p->at);
	if (!p->at)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (check_size(sizes[i], err) < 0)
			return -1;
		p->at[i] = sum;
		sum += sizes[i];
	}
	p->at[n] = sum;
	p->text = malloc(sum + SH_PAD);
	if (!p->text)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++)
		if (sizes[i])
			memcpy(p->text + p->at[i], queries[i], sizes[i]);
	return 0;
}

static struct sh_slice text_of(const struct simhash_passages *p, size_t i)
{
	return sh_slice(p->text + p->at[i], p->at[i + 1] - p->at[i]);
}

static int add_query(
    struct simhash_passages *p, size_t i, struct sh_sorter *seeds, struct sh_error *err)
{
	struct sh_texts *t = &p->texts;
	struct sh_seeds s;
	size_t tokens = (size_t)t->at[i];

	if (sh_seeder_run(p->seeder, text_of(p, i), &s, err) < 0 ||
	    SH_RESERVE(t->token, t->token_cap, tokens + s.tokens.n, err) < 0)
		return -1;
	for (size_t j = 0; j < s.tokens.n; j++)
		t->token[tokens + j] = s.token[j];
	for (size_t j = 0; j < s.n; j++) {
		struct sh_posting posting = { s.gram[s.pick[j]], (uint32_t)i, s.pick[j], 0 };

		if (sh_postings_add(seeds, &posting, err) < 0)
			return -1;
	}
	t->at[i + 1] = tokens + s.tokens.n;
	t->n++;
	return 0;
}

static int add_queries(struct simhash_passages *p, size_t n, struct sh_error *err)
{
	struct sh_sorter seeds;
	int status = 0;

	if (SH_RESERVE(p->texts.at, p->texts.at_cap, n + 1, err) < 0)
		return -1;
	p->texts.at[0] = 0;
	sh_postings_init(&seeds, SH_POSTING_PLAIN, SIZE_MAX, 1, NULL);
	for (size_t i = 0; i < n && status == 0; i++)
		status = add_query(p, i, &seeds, err);
	if (status == 0)
		status = sh_index_make(&p->index, &p->texts, &seeds, SH_INDEX_QUERIES, err);
	sh_sorter_free(&seeds);
	return status;
}

static int set_up(struct simhash_passages *p, const char *const *queries, const size_t *sizes,
    size_t n, const struct simhash_passage_options *o, struct sh_error *err)
{
	struct sh_token_opts token = { .method = &sh_words_method,
		.unit = o->chars ? SH_UNIT_CHAR : SH_UNIT_WORD,
		.no_fold = o->no_fold != 0,
		.raw = true };
	struct sh_seed_opts seed = { o->ngram, SH_SEED_QUERY_UNITS, 1 };
	struct sh_match_opts match = { sh_seed_shortest(&seed), o->min_tokens,
		(uint64_t)(o->min_identity * UNIT + 0.5), o->merge, false };

	if (sh_api_reserved(o->reserved, sizeof o->reserved / sizeof *o->reserved, err) < 0)
		return -1;
	if (!o->min_tokens)
		return sh_error_set(
		    err, SH_ERR_PARAM, "min_tokens is 0: call simhash_passages_defaults() first");
	if (n >= UINT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "%zu queries: expected less than 2^32 - 1", n);
	if (o->ngram > SH_SEED_K_MAX)
		return sh_error_set(
		    err, SH_ERR_PARAM, "ngram %u: expected at most %d", o->ngram, SH_SEED_K_MAX);
	if (!(o->min_identity >= 0 && o->min_identity <= 1))
		return sh_error_set(err, SH_ERR_PARAM,
		    "min_identity %g: expected a number from 0 to 1", o->min_identity);
	if (!(p->seeder = sh_seeder_new(&token, &seed, err)) ||
	    !(p->matcher = sh_matcher_new(&match, &p->texts, err)) ||
	    !(p->document = sh_placer_new(NULL, &token, err)) ||
	    !(p->query = sh_placer_new(NULL, &token, err)))
		return -1;
	p->index = (struct sh_index){ .bound = BOUND,
		.enough = SH_CHANCE_VERBATIM,
		.longest = sh_seed_longest(&seed, sh_token_unit(&token)),
		.least = o->min_tokens };
	return copy_texts(p, queries, sizes, n, err) < 0 ? -1 : add_queries(p, n, err);
}

struct simhash_passages *simhash_passages_new(const char *const *queries, const size_t *sizes,
    size_t n, const struct simhash_passage_options *options, struct simhash_error *error)
{
	struct simhash_passages *p = calloc(1, sizeof *p);
	struct simhash_passage_options usual;
	struct sh_error err;

	simhash_passages_defaults(&usual);
	if (!p) {
		sh_error_nomem(&err);
		sh_api_fail(error, &err);
		return NULL;
	}
	if (set_up(p, queries, sizes, n, options ? options : &usual, &err) < 0) {
		sh_api_fail(error, &err);
		simhash_passages_free(p);
		return NULL;
	}
	return p;
}

/* ---- a text ---- */

static void place(struct simhash_passage *out, const struct sh_span *span,
    const struct sh_placed *text, const struct sh_placed *query)
{
	uint32_t start, end;

	*out = (struct simhash_passage){ .query = span->document,
		.matched = span->matched,
		.identity = (double)sh_span_identity(span) / UNIT };
	sh_placed_bytes(text, span->from, span->to, &start, &end);
	out->start = start;
	out->end = end;
	sh_placed_bytes(query, span->at, span->end, &start, &end);
	out->query_start = start;
	out->query_end = end;
}

/* Calls `each` for each significant span. The spans are ordered by query, so the places in a query
 * are found once. */
static int tell_spans(struct simhash_passages *p, struct sh_slice text, const struct sh_span *spans,
    size_t n, simhash_passage_fn *each, void *arg, struct sh_error *err)
{
	struct sh_placed document, query = { 0 };

	if (n && sh_placer_text(p->document, text, &document, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct sh_span *span = &spans[i];
		struct simhash_passage passage;

		if ((i == 0 || span[-1].document != span->document) &&
		    sh_placer_text(p->query, text_of(p, span->document), &query, err) < 0)
			return -1;
		if (!sh_span_is_significant(span, &query))
			continue;
		place(&passage, span, &document, &query);
		if (each(arg, &passage) < 0)
			return sh_error_set(err, SH_ERR_PARAM, "the caller ended the search");
	}
	return 0;
}

int simhash_passages_find(struct simhash_passages *p, const char *text, size_t size,
    simhash_passage_fn *each, void *arg, struct simhash_error *error)
{
	struct sh_slice slice = sh_slice(text, size);
	struct sh_error err;
	struct sh_seeds seeds;
	struct sh_span *spans;
	size_t n;

	if (check_size(size, &err) < 0 || sh_seeder_run(p->seeder, slice, &seeds, &err) < 0 ||
	    sh_index_queries(&p->index, &seeds, &p->room, p->matcher, &spans, &n, &err) < 0 ||
	    tell_spans(p, slice, spans, n, each, arg, &err) < 0)
		return sh_api_fail(error, &err);
	return 0;
}
