/* shfp: documents or features to fingerprints. */
#include <stdio.h>
#include <stdlib.h>

#include "docopts.h"
#include "fp/fingerprinter.h"
#include "fp/format.h"
#include "fp/simhash.h"
#include "run.h"

enum { SEED = CLI_OWN, EMPTY };
enum empty { EMPTY_SKIP, EMPTY_ZERO, EMPTY_ERROR };

static const struct cli_option options[] = {
	{ 'b', "bits", "32|64|128|256", "width of the fingerprint [64]" },
	{ 'H', "hash", "NAME", "hash of a feature: mix, xxh3 or md5 [mix]" },
	{ 'w', "weight", "SCHEME", "of a document's features: set, tf, freq or log [log]" },
	{ SEED, "seed", "N", "seed of the hash [0]" },
	{ 'x', "format", "hex|bin|dec", "how fingerprints are written [hex]" },
	{ EMPTY, "empty", "skip|zero|error", "documents without features [skip]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shfp",
	.synopsis = "[FILE...]",
	.purpose = "Documents (id<TAB>text) or features (id<TAB>feature<TAB>weight)\n"
		   "to fingerprints (fp<TAB>id).",
	.options = { options, docopts_table },
};

struct settings {
	struct sh_fingerprint_opts fp;
	struct docopts docs;
	const struct sh_format *format;
	enum empty empty;
	bool weight_given;
};

struct worker {
	const struct settings *settings;
	struct sh_fingerprinter *fingerprinter;
};

/* Append "fp TAB id LF". */
static int add_record(struct sh_buf *out, const struct settings *s, const uint64_t *fp,
    struct sh_slice id, struct sh_error *err)
{
	char *p;

	if (sh_buf_reserve(out, SH_FORMAT_MAX + id.n + 2, err) < 0)
		return -1;
	p = out->p + out->n;
	p += s->format->print(p, fp, s->fp.bits);
	*p++ = '\t';
	memcpy(p, id.p, id.n);
	p += id.n;
	*p++ = '\n';
	out->n = (size_t)(p - out->p);
	return 0;
}

/* A document without features: no fingerprint would say anything about it. */
static int add_empty(const struct settings *s, struct sh_slice id, uint64_t line,
    struct sh_job *job, struct sh_error *err)
{
	static const uint64_t zero[SH_FP_MAX_WORDS];
	char text[160];

	if (s->empty == EMPTY_ERROR)
		return sh_error_set(err, SH_ERR_RECORD,
		    "document '%.*s' has no features (--empty=skip|zero)",
		    (int)(id.n > 80 ? 80 : id.n), id.p);
	job->empty++;
	if (s->empty == EMPTY_ZERO)
		return add_record(&job->out, s, zero, id, err);
	snprintf(text, sizeof text, "document '%.*s' has no features: skipped",
	    (int)(id.n > 80 ? 80 : id.n), id.p);
	return sh_job_note(job, line, text, err);
}

static void report_empty(const struct cli *c, const struct settings *s, const struct run *run)
{
	if (run->empty && s->empty == EMPTY_SKIP)
		cli_warn(c, "%llu document%s without features skipped",
		    (unsigned long long)run->empty, run->empty == 1 ? "" : "s");
}

/* ---- documents ---- */

static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_fingerprint fp;

	if (sh_fingerprint(w->fingerprinter, doc->text, &fp, err) < 0)
		return -1;
	job->ill_formed += fp.bad_utf8;
	if (fp.empty)
		return add_empty(w->settings, doc->id, sh_job_line(job), job, err);
	return add_record(&job->out, w->settings, fp.w, doc->id, err);
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->settings->docs.docs, each_document, w, job);
}

static void run_documents(struct cli *c, struct settings *s, struct sh_source *source)
{
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_error err;

	s->fp.token = s->docs.token;
	s->fp.ngrams = s->docs.ngrams;
	for (unsigned i = 0; i < c->jobs; i++) {
		workers[i] = (struct worker){ s, sh_fingerprinter_new(&s->fp, &err) };
		if (!workers[i].fingerprinter)
			cli_die(c, &err);
		run.workers[i] = &workers[i];
	}
	run_pool(&run, source);
	run_finish(&run, NULL);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_fingerprinter_delete(workers[i].fingerprinter);
	report_empty(c, s, &run);
}

/* ---- features ---- */

/* The document whose lines are being read; it may go on in the next block. */
struct open_document {
	const struct settings *settings;
	bool rejects, crlf;
	struct sh_simhash simhash;
	struct sh_buf id;
	bool begun;
	const char *file; /* of its last line so far */
	uint64_t line;
};

static int finish_document(struct open_document *d, struct sh_job *job, struct sh_error *err)
{
	uint64_t fp[SH_FP_MAX_WORDS];
	struct sh_slice id = sh_buf_slice(&d->id);

	if (!d->begun)
		return 0;
	d->begun = false;
	if (sh_simhash_total(&d->simhash) == 0) {
		if (add_empty(d->settings, id, d->line, job, err) == 0)
			return 0;
		/* The line at hand, which may be the next document's, is not to blame. */
		if (err->code == SH_ERR_RECORD)
			err->code = SH_ERR_PARAM;
		return -1;
	}
	sh_simhash_finish(&d->simhash, fp);
	return add_record(&job->out, d->settings, fp, id, err);
}

static int each_feature(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct open_document *d = arg;
	const struct sh_fingerprint_opts *o = &d->settings->fp;
	uint64_t words[SH_FP_MAX_WORDS];
	struct sh_feature f;

	if (sh_record_feature(cli_strip(d->crlf, line), &f, err) < 0)
		return -1;
	if (!d->begun || !sh_slice_eq(f.id, sh_buf_slice(&d->id))) {
		if (finish_document(d, job, err) < 0)
			return -1;
		sh_simhash_clear(&d->simhash);
		d->begun = true;
		d->id.n = 0;
		if (sh_buf_add(&d->id, f.id.p, f.id.n, err) < 0)
			return -1;
	}
	d->file = job->from.file;
	d->line = sh_job_line(job);
	if (f.weight == 0)
		return 0;
	o->hash->feature(f.text, o->seed, SH_FP_WORDS(o->bits), words);
	return sh_simhash_add(&d->simhash, words, f.weight, err);
}

static int work_features(void *worker, struct sh_job *job)
{
	struct open_document *d = worker;

	return sh_job_lines(job, d->rejects, each_feature, d);
}

/* In order, by one thread: a document's lines may stand in two blocks. */
static void run_features(struct cli *c, struct settings *s, struct sh_source *source)
{
	struct open_document d = {
		.settings = s,
		.rejects = c->rejects_path != NULL,
		.crlf = c->crlf,
	};
	struct run run = { .cli = c, .work = work_features, .workers = { &d } };
	struct sh_job last = { 0 };
	struct sh_error err;

	if (s->docs.used || s->weight_given)
		cli_usage(c,
		    "the input is features (three fields, the last a number), and -w or an "
		    "option for documents was given: those belong to shtok and shweight");
	if (sh_simhash_init(&d.simhash, s->fp.bits, s->fp.tie, &err) < 0)
		cli_die(c, &err);
	c->jobs = 1;
	run_pool(&run, source);
	last.from.file = d.file;
	if (finish_document(&d, &last, &err) < 0)
		cli_die(c, &err);
	run_finish(&run, &last);
	report_empty(c, s, &run);
	sh_buf_free(&d.id);
}

/* ---- both ---- */

static unsigned bits(struct cli *c)
{
	uint64_t n = cli_number(c, "-b", 1, SH_FP_MAX_BITS);

	if (n != 32 && n != 64 && n != 128 && n != 256)
		cli_usage(c, "-b %s: expected 32, 64, 128 or 256", c->arg);
	return (unsigned)n;
}

static enum empty empty(struct cli *c)
{
	static const char *const names[] = { "skip", "zero", "error" };

	for (int i = 0; i < 3; i++)
		if (strcmp(c->arg, names[i]) == 0)
			return (enum empty)i;
	cli_usage(c, "--empty '%s': expected skip, zero or error", c->arg);
}

static void take(struct cli *c, struct settings *s, int opt)
{
	switch (opt) {
	case 'b':
		s->fp.bits = bits(c);
		break;
	case 'H':
		s->fp.hash = sh_hash_find(c->arg);
		if (!s->fp.hash)
			cli_usage(c, "-H '%s': expected mix, xxh3 or md5", c->arg);
		break;
	case 'w':
		s->fp.scheme = sh_scheme_find(c->arg);
		if (!s->fp.scheme || s->fp.scheme->needs_df)
			cli_usage(c,
			    "-w '%s': expected set, tf, freq or log (shweight has those that "
			    "need document frequencies)",
			    c->arg);
		s->weight_given = true;
		break;
	case SEED:
		s->fp.seed = cli_number(c, "--seed", 0, UINT64_MAX);
		break;
	case 'x':
		s->format = sh_format_find(c->arg);
		if (!s->format)
			cli_usage(c, "-x '%s': expected hex, bin or dec", c->arg);
		break;
	case EMPTY:
		s->empty = empty(c);
		break;
	default:
		docopts_take(&s->docs, c, opt);
	}
}

/* The first record tells: three fields with a number last are a feature. */
static bool holds_features(struct cli *c, const struct settings *s, struct sh_source *source)
{
	struct sh_slice line;
	struct sh_feature f;
	struct sh_error err;
	int got;

	if (s->docs.docs.form.line_ids || s->docs.docs.form.id_field)
		return false;
	got = sh_source_peek(source, &line, &err);
	if (got < 0)
		cli_die(c, &err);
	return got && sh_record_feature(cli_strip(c->crlf, line), &f, &err) == 0;
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = {
		.fp = { .hash = sh_hash_find("mix"), .scheme = sh_scheme_find("log"), .bits = 64 },
		.format = sh_format_find("hex"),
	};
	struct sh_source source;
	int opt;

	docopts_init(&s.docs);
	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		take(&c, &s, opt);
	docopts_settle(&s.docs, &c);
	cli_open(&c);
	sh_source_init(&source, c.operands, c.n_operands);
	if (holds_features(&c, &s, &source))
		run_features(&c, &s, &source);
	else
		run_documents(&c, &s, &source);
	sh_source_free(&source);
	docopts_free(&s.docs);
	return cli_finish(&c);
}
