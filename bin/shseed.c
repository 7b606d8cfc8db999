/* SPDX-License-Identifier: MIT */
/* shseed: documents to seeds. */
#include "base/num.h"
#include "docopts.h"
#include "passage/seeds.h"
#include "run.h"

enum { WINDOW = CLI_OWN };

static const struct cli_option options[] = {
	CLI_HEADING("Seeds"),
	{ 'n', "ngram", "K", "tokens of a seed [6 words or 10 characters]" },
	{ WINDOW, "window", "W", "take the least of W successive k-grams; 1 takes all [10]" },
	CLI_HEADING("Tokens"),
	{ 0 },
};

static const struct cli_program program = {
	.name = "shseed",
	.threads = "documents",
	.synopsis = "[FILE...]",
	.purpose = "Documents (id<TAB>text) to seeds (key<TAB>id<TAB>token<TAB>start<TAB>end).",
	.options = { options, docopts_token_table },
};

struct settings {
	struct docopts docs;
	struct sh_seed_opts seed;
};

struct worker {
	const struct settings *settings;
	struct sh_seeder *seeder;
};

enum { KEY_DIGITS = 16 };

static void add_seed(struct sh_buf *out, struct sh_slice id, const struct sh_seeds *seeds, size_t i)
{
	const struct sh_tokens *t = &seeds->tokens;
	char *p = out->p + out->n;

	p += sh_print_hex_number(p, seeds->gram[i], KEY_DIGITS);
	*p++ = '\t';
	memcpy(p, id.p, id.n);
	p += id.n;
	*p++ = '\t';
	p += sh_print_u64(p, i);
	*p++ = '\t';
	p += sh_print_u64(p, t->from[i]);
	*p++ = '\t';
	p += sh_print_u64(p, t->to[i + seeds->length[i] - 1]);
	*p++ = '\n';
	out->n = (size_t)(p - out->p);
}

static int each(void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_seeds seeds;

	if (sh_seeder_run(w->seeder, doc->text, &seeds, err) < 0)
		return -1;
	job->ill_formed += seeds.tokens.bad_utf8;
	for (size_t i = 0; i < seeds.n; i++) {
		if (sh_buf_reserve(&job->out, doc->id.n + KEY_DIGITS + 3 * SH_NUM_CHARS + 5, err) <
		    0)
			return -1;
		add_seed(&job->out, doc->id, &seeds, seeds.pick[i]);
	}
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->settings->docs.docs, each, w, job);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { .seed.units = SH_SEED_UNITS };
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = &c, .work = work };
	struct sh_error err;

	cli_start(&c, &program, argc, argv);
	s.seed.k = (unsigned)opt_number(&c, 'n', 1, SH_SEED_K_MAX, 0);
	s.seed.window = (unsigned)opt_number(&c, WINDOW, 1, SH_SEED_WINDOW_MAX, SH_SEED_WINDOW);
	docopts_complete(&s.docs, &c);
	docopts_need_places(&s.docs, &c);
	s.docs.token.places = true;
	for (unsigned i = 0; i < c.jobs; i++) {
		workers[i] = (struct worker){ &s, sh_seeder_new(&s.docs.token, &s.seed, &err) };
		if (!workers[i].seeder)
			cli_die(&c, &err);
		run.workers[i] = &workers[i];
	}
	cli_open(&c);
	formopts_run(&run, &s.docs.docs.form, NULL);
	for (unsigned i = 0; i < c.jobs; i++)
		sh_seeder_delete(workers[i].seeder);
	docopts_free(&s.docs);
	return cli_finish(&c);
}
