/* SPDX-License-Identifier: MIT */
/* Finds passages that occur again, word for word. */
#include "passage/exact.h"
#include "span.h"

struct worker {
	const struct sh_texts *texts;
	const uint32_t *marked;
	struct sh_placer *placer;
};

/* Returns the first bit from `at` on, below `end`, that equals `wanted`; `end` when there is
 * none. */
static uint64_t next(const uint32_t *marked, uint64_t at, uint64_t end, bool wanted)
{
	while (at < end) {
		uint32_t word = marked[at / 32] ^ (wanted ? 0 : UINT32_MAX);

		word >>= at % 32;
		if (word) {
			at += (uint64_t)__builtin_ctz(word);
			return at < end ? at : end;
		}
		at += 32 - at % 32;
	}
	return end;
}

static int marks_of(void *worker, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	struct worker *w = worker;
	uint64_t begin = 2 * w->texts->at[document], end = 2 * w->texts->at[document + 1];
	uint64_t from = next(w->marked, begin, end, true);
	struct sh_placed placed;

	if (from < end && sh_placer_document(w->placer, document, &placed, err) < 0)
		return -1;
	while (from < end) {
		uint64_t to = next(w->marked, from, end, false);

		if (span_put_place(out, &placed, (uint32_t)((from - begin) / 2),
			(uint32_t)((to - begin + 1) / 2), NULL, 0, err) < 0)
			return -1;
		from = next(w->marked, to, end, true);
	}
	return 0;
}

void span_exact(struct cli *c, struct span_settings *s)
{
	struct worker workers[CLI_MAX_JOBS];
	void *all[CLI_MAX_JOBS];
	struct sh_tables tables;
	struct sh_corpus corpus;
	struct sh_texts texts = { .tables = &tables };
	struct sh_exact_opts how = { s->length, s->seed.k, s->every, c->jobs, s->memory / 2,
		&tables };
	struct sh_error err;
	char *const *names;
	uint32_t *marked;
	size_t n;

	sh_tables_init(&tables, s->memory / 2, c->tmpdir);
	names = cli_inputs(c, &n);
	span_open(c, s, names, n, &tables, &corpus);
	span_load(c, s, &corpus, &(struct span_part){ .no_seeds = true }, &texts);
	marked = sh_tables_get_zeroed(
	    &tables, SH_EXACT_WORDS((size_t)texts.at[texts.n]), sizeof *marked, &err);
	if (!marked || sh_exact_find(&texts, &how, marked, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		workers[i] =
		    (struct worker){ &texts, marked, sh_placer_new(&corpus, &s->docs.token, &err) };
		if (!workers[i].placer)
			cli_die(c, &err);
		all[i] = &workers[i];
	}
	s->found = span_each(c, &texts, all, marks_of);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_placer_delete(workers[i].placer);
	sh_tables_put(&tables, marked);
	sh_texts_free(&texts);
	sh_corpus_free(&corpus);
	sh_tables_free(&tables);
}
