/* SPDX-License-Identifier: MIT */
/* Reads the documents and the seeds of shspan. */
#include "base/bisect.h"
#include "base/num.h"
#include "documents.h"
#include "run.h"
#include "span.h"

void span_open(struct cli *c, const struct span_settings *s, char *const *names, size_t n,
    struct sh_tables *tables, struct sh_corpus *corpus)
{
	/* The files of an option are not operands. */
	documents_read(c, &s->docs.docs.form, s->files.n ? &s->docs.of : NULL, &s->docs.token,
	    names, n, tables, !s->files.n, corpus);
	documents_warn(c, corpus, "ignored");
}

struct loading {
	struct cli *cli;
	const struct sh_corpus *corpus;
};

static int bad_document(void *arg, uint32_t document, struct sh_error *err)
{
	struct loading *l = arg;

	cli_reject(l->cli, sh_corpus_line(l->corpus, document), err);
	return 0;
}

static int known_bad(void *arg, uint32_t document, struct sh_error *err)
{
	(void)arg;
	(void)document;
	(void)err;
	return 0;
}

void span_load(struct cli *c, const struct span_settings *s, struct sh_corpus *corpus,
    const struct span_part *part, struct sh_texts *texts)
{
	struct loading loading = { c, corpus };
	struct sh_texts_opts opts = {
		.token = s->docs.token,
		.seed = s->seed,
		.no_seeds = part->no_seeds,
		.strict = s->docs.docs.strict,
		.first = part->first,
		.wanted = part->wanted,
		.jobs = c->jobs,
		.bad = part->again ? known_bad : bad_document,
		.arg = &loading,
	};
	struct sh_error err;

	if (sh_texts_load(texts, corpus, &opts, &err) < 0)
		cli_die(c, &err);
	if (texts->ill_formed && !s->docs.docs.strict && !part->again)
		cli_warn(c,
		    "%llu ill-formed UTF-8 sequence%s replaced (--strict makes them errors)",
		    (unsigned long long)texts->ill_formed, CLI_PLURAL(texts->ill_formed));
}

/* ---- seeds ---- */

static int parse_seed(
    struct sh_slice line, struct sh_posting *p, struct sh_slice *id, struct sh_error *err)
{
	struct sh_slice field[6];
	uint64_t token, start, end;

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (sh_fields_split(line, field, 6) != 5)
		return sh_error_set(
		    err, SH_ERR_RECORD, "expected a seed: key<TAB>id<TAB>token<TAB>start<TAB>end");
	*id = field[1];
	if (sh_id_check(*id, err) < 0)
		return -1;
	if (field[0].n != 16 || sh_parse_hex_number(field[0], &p->of.key) < 0)
		return sh_error_set(
		    err, SH_ERR_RECORD, "the key of a seed has 16 lower-case hexadecimal digits");
	if (sh_parse_u64(field[2], &token) < 0 || sh_parse_u64(field[3], &start) < 0 ||
	    sh_parse_u64(field[4], &end) < 0 || token > INT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RECORD, "token, start and end of a seed are numbers");
	p->token = (uint32_t)token;
	return 0;
}

/* Adds the seed to the postings, unless it is a bad record. */
static void add_seeds(struct cli *c, const struct sh_corpus *corpus, struct sh_texts *t,
    const struct sh_lines *lines, struct sh_slice line, struct sh_document_room *room)
{
	struct sh_document doc;
	struct sh_posting p;
	struct sh_slice id;
	struct sh_error err;
	int bad = parse_seed(line, &p, &id, &err);

	if (!bad && (p.document = documents_find(c, corpus, id, room, &doc)) == SH_CORPUS_NONE)
		bad = sh_error_set(&err, SH_ERR_RECORD, "no document has the id '%.*s' (-d)",
		    sh_shown(id, 80), id.p);
	if (!bad && p.token >= sh_texts_tokens(t, p.document).n)
		bad = sh_error_set(&err, SH_ERR_RECORD,
		    "document '%.*s' has %zu tokens: the seeds are of other documents, or of other "
		    "options",
		    sh_shown(id, 80), id.p, sh_texts_tokens(t, p.document).n);
	if (bad) {
		sh_lines_blame(lines, &err);
		cli_reject(c, line, &err);
		return;
	}
	if (t->n_postings == t->posting_cap &&
	    sh_tables_grow(t->tables, (void **)&t->posting, &t->posting_cap, t->n_postings + 1,
		sizeof *t->posting, &err) < 0)
		cli_die(c, &err);
	t->posting[t->n_postings++] = p;
}

void span_read_seeds(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    struct sh_texts *texts)
{
	struct sh_document_room room = { 0 };
	struct sh_lines lines;
	struct sh_slice line;

	cli_lines_init(c, &lines);
	while (cli_line(c, &lines, &line))
		add_seeds(c, corpus, texts, &lines, cli_strip(s->docs.docs.form.crlf, line), &room);
	sh_lines_free(&lines);
	sh_document_room_free(&room);
}

/* ---- all documents ---- */

enum { TASK = 1 << 16 }; /* tokens of the documents of a task, about */

struct each_worker {
	void *own;
	span_document *each;
	const struct sh_texts *texts;
};

static int do_task(void *worker, struct sh_job *job)
{
	const struct each_worker *w = worker;
	const struct sh_texts *t = w->texts;
	uint64_t begin = (uint64_t)job->task * TASK;
	size_t end = sh_lower_bound(t->at, t->n, begin + TASK);

	for (size_t d = sh_lower_bound(t->at, t->n, begin); d < end; d++)
		if (w->each(w->own, (uint32_t)d, &job->out, &job->err) < 0)
			return -1;
	return 0;
}

bool span_each(struct cli *c, const struct sh_texts *texts, void **workers, span_document *each)
{
	struct each_worker worker[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = do_task };

	for (unsigned i = 0; i < c->jobs; i++) {
		worker[i] = (struct each_worker){ workers[i], each, texts };
		run.workers[i] = &worker[i];
	}
	run_tasks(&run, (size_t)(texts->at[texts->n] / TASK) + 1);
	return run.wrote;
}
