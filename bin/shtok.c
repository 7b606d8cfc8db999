/* SPDX-License-Identifier: MIT */
/* shtok: documents to features. */
#include <stdlib.h>

#include "docopts.h"
#include "record/escape.h"
#include "run.h"
#include "text/method.h"

static const struct cli_program program = {
	.name = "shtok",
	.threads = "documents",
	.synopsis = "[FILE...]",
	.purpose = "Documents (id<TAB>text) to features (id<TAB>feature<TAB>1), one an occurrence.",
	.options = { docopts_table },
};

struct worker {
	const struct docopts *opts;
	struct sh_tokenizer *tokenizer;
	bool escapes; /* tokens may contain characters that need escapes */
	/* Between two features of a document: "TAB 1 LF", and the prefix "id TAB" of the next. */
	char joint[SH_ID_MAX + 32];
	size_t joint_n;
};

/* Appends "id TAB feature TAB weight LF". Tokens of most methods contain no characters that need
 * escapes. */
static int add_feature(const struct worker *w, struct sh_buf *out, struct sh_slice id,
    struct sh_slice text, char weight, struct sh_error *err)
{
	const char end[3] = { '\t', weight, '\n' };
	char *p;

	if (sh_buf_reserve(out, id.n + 2 * text.n + 4, err) < 0)
		return -1;
	p = out->p + out->n;
	memcpy(p, id.p, id.n);
	p[id.n] = '\t';
	out->n += id.n + 1;
	if ((w->escapes && sh_needs_escape(text) ? sh_escape(text, out, err)
						 : sh_buf_add(out, text.p, text.n, err)) < 0)
		return -1;
	memcpy(out->p + out->n, end, sizeof end);
	out->n += sizeof end;
	return 0;
}

/* Copies n bytes: `first` bytes, then 16 at a time. May read and write more than n bytes. */
static inline char *copy(char *restrict to, const char *restrict from, size_t n, size_t first)
{
	memcpy(to, from, first);
	for (size_t i = first; i < n; i += 16)
		memcpy(to + i, from + i, 16);
	return to + n;
}

/* Appends all n-grams of n tokens, without escapes. copy() may read behind the text and write
 * behind the output: both have room. */
static int add_all(struct sh_buf *out, const struct worker *w, const struct sh_tokens *t,
    unsigned n, struct sh_error *err)
{
	size_t count = t->n - n + 1, line = w->joint_n, i;
	uint64_t room = (uint64_t)(count + 1) * line + 64; /* more than a size_t, on 32 bits */
	const uint32_t *start = t->start, *end = t->end + n - 1;
	char *p;

	for (i = 0; i < count; i++)
		room += end[i] - start[i];
	if (room > SIZE_MAX / 2)
		return sh_error_nomem(err);
	if (sh_buf_reserve(out, (size_t)room, err) < 0)
		return -1;
	p = copy(out->p + out->n, w->joint + 3, line - 3, 16);
	for (i = 0; i < count; i++) {
		p = copy(p, t->text + start[i], end[i] - start[i], 32);
		p = copy(p, w->joint, line, 16);
	}
	/* The last line is complete; no prefix follows it. */
	out->n = (size_t)(p - out->p) - (line - 3);
	return 0;
}

static int each(void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_tokens tokens, all;
	struct sh_ngrams range;

	if (sh_tokenize(w->tokenizer, doc->text, &tokens, err) < 0)
		return -1;
	job->ill_formed += tokens.bad_utf8;
	all = tokens;
	range = sh_ngrams_in(w->opts->ngrams, &tokens);
	if (range.min == 0)
		return add_feature(w, &job->out, doc->id, sh_slice("", 0), '0', err);
	/* The only n-gram has a record without weight, which distinguishes the document from an
	 * empty one. */
	if (range.max == 0)
		return add_feature(
		    w, &job->out, doc->id, sh_ngram_text(&all, 0, (unsigned)all.n), '0', err);
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		if (add_feature(w, &job->out, doc->id, sh_ngram_text(&tokens, 0, n), '1', err) < 0)
			return -1;
	memcpy(w->joint, "\t1\n", 3);
	memcpy(w->joint + 3, doc->id.p, doc->id.n);
	w->joint[3 + doc->id.n] = '\t';
	w->joint_n = 3 + doc->id.n + 1;
	for (unsigned n = range.min; n <= range.max; n++) {
		if (!w->escapes) {
			if (add_all(&job->out, w, &tokens, n, err) < 0)
				return -1;
			continue;
		}
		for (size_t i = 0; i + n <= tokens.n; i++)
			if (add_feature(
				w, &job->out, doc->id, sh_ngram_text(&tokens, i, n), '1', err) < 0)
				return -1;
	}
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->opts->docs, each, w, job);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct docopts opts = { 0 };
	struct worker *workers;
	struct run run = { .cli = &c, .work = work };
	struct sh_error err;

	cli_start(&c, &program, argc, argv);
	docopts_complete(&opts, &c);
	opts.token.apart = opts.ngrams.max == 1;
	/* Not on the stack: an array for CLI_MAX_JOBS would touch 2 MB of it. */
	workers = cli_zeroed(&c, c.jobs, sizeof *workers);
	for (unsigned i = 0; i < c.jobs; i++) {
		workers[i].opts = &opts;
		workers[i].escapes = opts.token.method->escapes;
		workers[i].tokenizer = sh_tokenizer_new(&opts.token, &err);
		if (!workers[i].tokenizer)
			cli_die(&c, &err);
		run.workers[i] = &workers[i];
	}
	cli_open(&c);
	formopts_run(&run, &opts.docs.form, NULL);
	for (unsigned i = 0; i < c.jobs; i++)
		sh_tokenizer_delete(workers[i].tokenizer);
	free(workers);
	docopts_free(&opts);
	return cli_finish(&c);
}
