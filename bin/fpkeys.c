/* SPDX-License-Identifier: MIT */
#include "fpkeys.h"

#include <stdio.h>

#include "base/num.h"
#include "match/keyrecord.h"
#include "run.h"

struct worker {
	const struct fpkeys *keys;
	const struct sh_docs_opts *docs;
	unsigned tag;
	struct sh_tokenizer *tokenizer;
	struct sh_key_maker *maker;
};

void fpkeys_set_layout(struct fpkeys *k, struct cli *c, const char *layout)
{
	const char *x = layout ? strchr(layout, 'x') : NULL;
	uint64_t keys, rows;

	k->rules.keys = k->rules.rows = 0;
	if (!layout)
		return;
	if (!x || sh_parse_count(sh_slice(layout, (size_t)(x - layout)), &keys) < 0 ||
	    sh_parse_count(sh_slice_str(x + 1), &rows) < 0 || keys < 1 || keys > SH_KEYS_MAX ||
	    rows < 1 || rows > SH_KEYS_ROWS_MAX)
		cli_usage(c,
		    "--keys '%s': expected keys and values of a key, as 24x3; at most %dx%d",
		    layout, SH_KEYS_MAX, SH_KEYS_ROWS_MAX);
	k->rules.keys = (unsigned)keys;
	k->rules.rows = (unsigned)rows;
}

void fpkeys_complete(
    struct fpkeys *k, struct cli *c, const struct docopts *docs, int measure, uint64_t seed)
{
	k->measures.least = 1;
	measures_complete(&k->measures, c, measure);
	measures_key_rules(&k->measures, docs, seed, &k->rules);
}

static int add_empty(
    const struct fpkeys *k, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	char text[160];

	if (k->fail_empty)
		return sh_error_set(err, SH_ERR_RECORD,
		    "document '%.*s' has no features (--empty=skip)", sh_shown(doc->id, 80),
		    doc->id.p);
	job->empty++;
	snprintf(text, sizeof text, "document '%.*s' has no features: skipped",
	    sh_shown(doc->id, 80), doc->id.p);
	return sh_job_note(job, job->from.file, sh_job_line(job), text, err);
}

static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_tokens tokens;
	struct sh_doc_keys keys;
	const uint64_t *hash;
	char *p;

	if (sh_tokenize(w->tokenizer, doc->text, &tokens, err) < 0)
		return -1;
	job->ill_formed += tokens.bad_utf8;
	if (tokens.n == 0)
		return add_empty(w->keys, doc, job, err);
	hash = sh_key_tokens(w->maker, &tokens, err);
	if (!hash || sh_keys_make(w->maker, hash, tokens.n, &keys, err) < 0 ||
	    sh_buf_reserve(&job->out, keys.n * (SH_KEY_CHARS + doc->id.n + 2), err) < 0)
		return -1;
	p = job->out.p + job->out.n;
	for (size_t i = 0; i < keys.n; i++) {
		sh_key_record_print(p, &keys.key[i], w->tag);
		p += SH_KEY_CHARS;
		*p++ = '\t';
		memcpy(p, doc->id.p, doc->id.n);
		p += doc->id.n;
		*p++ = '\n';
	}
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(w->docs, each_document, w, job);
}

void fpkeys_run(struct fpkeys *k, struct cli *c, const struct docopts *docs, unsigned tokens,
    struct sh_source *source)
{
	unsigned tag = tokens ? sh_key_rules_tag(&k->rules, tokens) : 0;
	struct sh_token_opts token = docs->token;
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_error err;

	token.apart = true; /* keys are made of the tokens' hashes */
	for (unsigned i = 0; i < c->jobs; i++) {
		workers[i] =
		    (struct worker){ k, &docs->docs, tag, sh_tokenizer_new(&token, &err), NULL };
		if (workers[i].tokenizer)
			workers[i].maker = sh_key_maker_new(&k->rules, &err);
		if (!workers[i].maker)
			cli_die(c, &err);
		run.workers[i] = &workers[i];
	}
	run_pool(&run, source);
	run_finish(&run);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_tokenizer_delete(workers[i].tokenizer);
		sh_key_maker_delete(workers[i].maker);
	}
	if (run.empty)
		cli_warn(c, "%llu document%s without features skipped",
		    (unsigned long long)run.empty, CLI_PLURAL(run.empty));
}
