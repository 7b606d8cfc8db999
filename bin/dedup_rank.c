/* SPDX-License-Identifier: MIT */
/* --keep=max:FIELD and min:FIELD: ranks documents by a field of their records. */
#include "dedup.h"

/* Finds the column of the field, by the header of the first file that is not empty. */
static void read_header(struct dedup_state *s, struct sh_rank_values *v)
{
	struct sh_slice header = sh_slice("", 0);
	struct sh_error err;
	size_t before, i = 0;

	if (v->form->columns) {
		while (s->corpus.file[i].n == 0)
			i++;
		header = dedup_header(s, i, &before);
		header = sh_slice(header.p + before, header.n - before);
	}
	if (sh_rank_values_header(v, header, &err) < 0)
		cli_usage(s->cli, "--keep: %s", err.text);
}

static void set_rank(void *engine, uint32_t document, uint64_t rank)
{
	sh_engine_set_rank(engine, document, rank);
}

/* Warns of documents without a number; dies when no document has the field. */
static void warn(struct dedup_state *s, const struct sh_rank_values *v)
{
	char text[SH_RANK_TEXT];
	struct sh_error err;

	if (v->lacking == s->corpus.n) {
		sh_error_set(&err, SH_ERR_RECORD, "--keep: no document has a field '%.*s'",
		    sh_shown(v->rule.field, 80), v->rule.field.p);
		cli_die(s->cli, &err);
	}
	if (sh_rank_values_doubt(v, text) && !s->settings->quiet)
		cli_warn(s->cli, "%s (--keep)", text);
}

void dedup_rank(struct dedup_state *s)
{
	struct sh_rank_values v = { .tables = &s->tables,
		.rule = s->settings->keep,
		.form = &s->settings->docs.docs.form };
	struct sh_error err;

	if (!sh_rank_by_value(&v.rule) || s->corpus.n == 0)
		return;
	read_header(s, &v);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_rank_values_add(&v, i, sh_corpus_line(&s->corpus, i), &err) < 0)
			cli_die(s->cli, &err);
	sh_rank_values_finish(&v, set_rank, s->engine);
	warn(s, &v);
	sh_rank_values_free(&v);
}
