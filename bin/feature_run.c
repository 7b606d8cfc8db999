/* SPDX-License-Identifier: MIT */
#include "feature_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "io/newlines.h"
#include "stream/docs.h"
#include "text/token.h"

/* ---- features, or texts followed by numbers ----
 *
 * Feature records (id, feature, weight) and documents whose text is followed by a number
 * both have three fields. The first HEAD bytes decide:
 *
 * 1. The input has features when two adjacent records have the same id, and one of these holds:
 *    - both features are plain: one token that the default tokenizer does not change;
 *    - a feature is empty;
 *    - the second feature begins with the end of the first feature, as n-grams do.
 * 2. Otherwise, count the records whose id no adjacent record has and that may be texts. Such a
 *    feature has a space, has more than 4 tokens, or is one word that folding changes ("Red"; but
 *    not "u.s.a"). Also count the records whose id an adjacent record has.
 * 3. The input has texts when the first number is above 0 and at least the second number.
 * 4. When the first number is less, the input has texts if most records of the second number have
 *    more than 4 tokens. */

enum {
	HEAD = 65536, /* bytes that decide */
	WIDE = 4,     /* a feature of more tokens is wide */
};

/* The properties of one feature. */
struct look {
	bool plain, wide;
	bool text; /* it may be a text if no adjacent record has its id */
};

/* Sets *n to the number of tokens of the feature, and *same to whether the feature is one unchanged
 * token. */
static int tokenize(
    struct sh_tokenizer *t, struct sh_slice feature, size_t *n, bool *same, struct sh_error *err)
{
	struct sh_tokens tokens;

	if (sh_tokenize(t, feature, &tokens, err) < 0)
		return -1;
	*n = tokens.n;
	*same = tokens.n == 1 && sh_slice_eq(feature, sh_slice(tokens.text + tokens.start[0],
							  tokens.end[0] - tokens.start[0]));
	return 0;
}

/* t: the default tokenizer, and the same without folding. */
static int look_at(
    struct sh_tokenizer *const t[2], struct sh_slice feature, struct look *l, struct sh_error *err)
{
	size_t n;

	if (tokenize(t[0], feature, &n, &l->plain, err) < 0)
		return -1;
	l->wide = n > WIDE;
	l->text = l->wide || (feature.n && memchr(feature.p, ' ', feature.n));
	if (l->text || l->plain || n != 1)
		return 0;
	/* One token: the text is a word that folding changes, without other characters. */
	return tokenize(t[1], feature, &n, &l->text, err);
}

/* Returns whether b begins with a, without the first `cut` bytes of a. */
static bool overlap_at(struct sh_slice a, struct sh_slice b, size_t cut)
{
	return cut < a.n && a.n - cut <= b.n && memcmp(a.p + cut, b.p, a.n - cut) == 0;
}

/* Returns whether b follows a as the next n-gram: without the first word or character of a. */
static bool overlap(struct sh_slice a, struct sh_slice b)
{
	const char *blank = memchr(a.p, ' ', a.n);
	size_t character = 1;

	while (character < a.n && (a.p[character] & 0xC0) == 0x80)
		character++;
	return (blank && overlap_at(a, b, (size_t)(blank - a.p) + 1)) ||
	       overlap_at(a, b, character);
}

/* The counts of the rules above. */
struct counts {
	bool certain;      /* the input has features */
	uint64_t alone;    /* records whose id no adjacent record has and that may be texts */
	uint64_t together; /* records whose id an adjacent record has */
	uint64_t wide;     /* the wide records among `together` */
	uint64_t first;    /* line of the first record that may be a text; 0: none */
	uint64_t open;     /* line of the last record, if it may be a text alone; 0: no */
};

/* Ends the run of records with one id. */
static void end_run(struct counts *c)
{
	c->alone += c->open != 0;
	c->first = c->first ? c->first : c->open;
	c->open = 0;
}

/* Counts the records of whole lines. line: the number of the first. */
static int count(struct sh_tokenizer *const t[2], struct sh_slice in, uint64_t line,
    struct counts *c, struct sh_error *err)
{
	struct sh_feature f, last = { 0 };
	struct look is, was = { 0 };
	bool in_run = false; /* the record before `last` has the id of `last` */
	struct sh_error bad;

	*c = (struct counts){ 0 };
	for (size_t at = 0; at < in.n && at < HEAD && !c->certain; line++) {
		struct sh_slice record = sh_record_front(sh_slice(in.p + at, in.n - at), false);

		at += record.n + 1;
		if (sh_record_feature(sh_without_cr(record), &f, &bad) < 0)
			continue;
		if (look_at(t, f.text, &is, err) < 0)
			return -1;
		if (last.id.p && sh_slice_eq(f.id, last.id)) {
			bool two = !in_run && was.wide;

			c->certain = f.text.n == 0 || last.text.n == 0 || (is.plain && was.plain) ||
				     overlap(last.text, f.text);
			c->together += in_run ? 1 : 2;
			c->wide += (uint64_t)is.wide + two;
			if (!c->first && (is.wide || two))
				c->first = line - two;
			c->open = 0;
			in_run = true;
		} else {
			end_run(c);
			c->open = is.text ? line : 0;
			in_run = false;
		}
		last = f;
		was = is;
	}
	return 0;
}

_Noreturn void refuse_peeked(
    struct cli *c, const struct sh_source *source, uint64_t line, const char *text)
{
	struct sh_slice head = sh_source_peeked(source);
	struct sh_error err;

	if (sh_docs_head(&head, &err) == 0) {
		sh_error_set(&err, SH_ERR_RECORD, "%s", text);
		err.line = line;
	}
	err.file = source->name;
	cli_die(c, &err);
}

void need_features(struct cli *c, struct sh_source *source, const char *advice)
{
	const struct sh_token_opts opts[2] = { { 0 }, { .no_fold = true } };
	struct sh_tokenizer *t[2];
	struct counts n = { 0 };
	struct sh_error err;
	struct sh_slice in;
	char text[256];
	int got;

	for (unsigned i = 0; i < 2; i++) {
		t[i] = sh_tokenizer_new(&opts[i], &err);
		if (!t[i])
			cli_die(c, &err);
	}
	got = sh_source_peek(source, &in, &err);
	while (got > 0) {
		in = sh_source_peeked(source);
		if (count(t, in, source->line, &n, &err) < 0)
			cli_die(c, &err);
		if (n.certain || in.n >= HEAD)
			break;
		/* Do not wait for a slow writer while all features are plain. */
		got = sh_source_peek_more(source, n.open || n.alone || n.together, &err);
	}
	if (got < 0)
		cli_die(c, &err);
	/* At the limit, the run of the last record may be incomplete. */
	if (got == 0 || n.alone == 0)
		end_run(&n);
	sh_tokenizer_delete(t[0]);
	sh_tokenizer_delete(t[1]);
	if (n.certain || (n.alone >= n.together ? n.alone == 0 : 2 * n.wide <= n.together))
		return;
	snprintf(text, sizeof text,
	    "this looks like a text followed by a number, not like a feature%s (%s)",
	    n.together ? "" : ": each id stands once", advice);
	refuse_peeked(c, source, n.first, text);
}

/* ---- records ---- */

/* A document that a job began: an element of job->facts. */
struct beginning {
	struct sh_slice id;
	const char *file;
	uint64_t line;
};

enum { PAST_IDS = 1 << 14, ID_SHOWN = 80 };

/* The run over the documents of a source. */
struct feature_run {
	struct cli *cli;
	const struct feature_calls *calls;
	struct feature_doc *doc; /* the workers */

	/* Documents whose id began another document before, with other ids between. An id that
	 * occurs again much later may be missed: only 2^14 ids are remembered, as hashes of 64
	 * bits. An id is counted wrongly with probability 2^-50, unless ids are constructed to have
	 * equal hashes. */
	uint64_t past[PAST_IDS]; /* by the top bits of hashes: the last hash; 0: none */
	uint64_t again;          /* number of these documents */
	struct beginning first;  /* the first of them; its id is in first_id, perhaps cut */
	char first_id[ID_SHOWN];
};

/* Returns whether a feature has too many words for the program. */
static bool is_wide(const struct feature_run *r, struct sh_slice feature)
{
	unsigned most = r->calls->words_max;

	return most && feature.n > most && sh_feature_words(feature) > most;
}

static int read_record(
    const struct feature_run *r, struct sh_slice line, struct sh_feature *f, struct sh_error *err)
{
	if (sh_record_feature(r->cli->crlf ? sh_without_cr(line) : line, f, err) < 0)
		return -1;
	if (!is_wide(r, f->text))
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "%llu words in the second field: a text, expected a feature of at most %u words "
	    "(-f 1,2 reads documents)",
	    (unsigned long long)sh_feature_words(f->text), r->calls->words_max);
}

/* Returns whether the line begins with the id and a TAB. */
static bool has_id(struct sh_slice line, struct sh_slice id)
{
	return line.n > id.n && line.p[id.n] == '\t' && memcmp(line.p, id.p, id.n) == 0;
}

/* Returns the offset of the first valid record from `at` on. There must be one. */
static size_t next_record(const struct feature_run *r, const char *p, size_t n, size_t at)
{
	struct sh_feature f;
	struct sh_error err;

	for (;;) {
		const char *lf = memchr(p + at, '\n', n - at);
		size_t end = lf ? (size_t)(lf - p) : n;

		if (read_record(r, sh_slice(p + at, end - at), &f, &err) == 0)
			return at;
		at = end + 1;
	}
}

/* See sh_border_fn. Goes backward to the last record whose id differs from the id of the last
 * record. Bad records between two documents stay in the chunk of the first document: when the run
 * stops at a bad record, the document before it must not be ended. Lines without a valid record are
 * all handed over. */
static size_t find_border(void *arg, const char *p, size_t n, size_t one)
{
	const struct feature_run *r = arg;
	struct sh_slice last = { 0 }, line;
	struct sh_feature f;
	struct sh_error err;

	for (size_t end = n; end; end = (size_t)(line.p - p)) {
		bool same;

		line = sh_line_before(p, end);
		same = last.p && has_id(line, last);
		if (end <= one && (same || !last.p))
			return 0;
		if (!same && read_record(r, line, &f, &err) == 0) {
			if (last.p)
				return next_record(r, p, n, end);
			last = f.id;
		}
	}
	return last.p ? 0 : n;
}

/* ---- documents ---- */

/* Hands the collected features to the program. */
static int add_features(struct feature_doc *d, struct sh_job *job)
{
	size_t n = d->n, added;

	if (n == 0)
		return 0;
	added = d->run->calls->add(d, &job->err);
	d->n = 0;
	if (added == n)
		return 0;
	if (job->err.code != SH_ERR_IO && job->err.code != SH_ERR_NOMEM) {
		job->err.file = d->file;
		job->err.line = d->first + added;
	}
	return -1;
}

/* Ends the document. Reports an error at the last record of the document, not at the record that is
 * being read. */
static int end_document(struct feature_doc *d, struct sh_job *job)
{
	size_t out = job->out.n;
	struct sh_error *err = &job->err;

	if (!d->begun)
		return 0;
	if (add_features(d, job) < 0)
		return -1;
	if (d->run->calls->end(d, job, err) < 0) {
		job->out.n = out < job->out.n ? out : job->out.n;
		if (err->code == SH_ERR_RECORD)
			err->code = SH_ERR_PARAM;
		if (err->code != SH_ERR_IO && err->code != SH_ERR_NOMEM) {
			err->file = d->file;
			err->line = d->line;
		}
		return -1;
	}
	d->begun = false;
	return 0;
}

static int begin_document(struct feature_doc *d, struct sh_slice id, struct sh_job *job)
{
	struct beginning b = { id, job->from.file, sh_job_line(job) };

	memcpy(d->prefix, id.p, id.n);
	d->prefix[id.n] = '\t';
	d->prefix_n = id.n + 1;
	d->begun = true;
	return sh_buf_add(&job->facts, &b, sizeof b, &job->err);
}

/* Counts the documents that a job began, in the order of the jobs. */
static int count_documents(void *feature_run, struct sh_job *job, struct sh_error *err)
{
	struct feature_run *r = feature_run;
	const struct beginning *b = (const struct beginning *)(const void *)job->facts.p;

	(void)err;
	for (size_t i = 0; i < job->facts.n / sizeof *b; i++) {
		uint64_t hash = XXH3_64bits(b[i].id.p, b[i].id.n);
		uint64_t *past = &r->past[hash / (UINT64_MAX / PAST_IDS + 1)];

		if (*past == hash && r->again++ == 0) {
			r->first = b[i];
			r->first.id = sh_slice(r->first_id, (size_t)sh_shown(b[i].id, ID_SHOWN));
			memcpy(r->first_id, b[i].id.p, r->first.id.n);
		}
		*past = hash;
	}
	return 1;
}

/* There are two possible causes: the lines of one document are not adjacent, or several documents
 * have one id. The message gives a remedy for both. */
static void warn_repeated_ids(const struct feature_run *r)
{
	const struct beginning *b = &r->first;

	if (r->again == 0)
		return;
	cli_warn(r->cli,
	    "%s:%llu: id '%.*s' comes again after other ids and begins another document; %llu such "
	    "documents in all "
	    "(lines of one document: bring them together with LC_ALL=C sort -s -t \"$(printf "
	    "'\\t')\" -k 1,1; several documents: give each its own id)",
	    b->file, (unsigned long long)b->line, (int)b->id.n, b->id.p,
	    (unsigned long long)r->again);
}

/* ---- chunks ---- */

static int each_record(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct feature_doc *d = arg;
	uint64_t number = sh_job_line(job);
	struct sh_feature f;

	if (read_record(d->run, line, &f, err) < 0)
		return -1;
	if (!d->begun || !sh_slice_eq(f.id, feature_doc_id(d))) {
		if (end_document(d, job) < 0 || begin_document(d, f.id, job) < 0)
			return -1;
	} else if ((d->n == FEATURES_MAX || d->first + d->n != number) &&
		   add_features(d, job) < 0) {
		return -1;
	}
	d->file = job->from.file;
	d->line = number;
	if (f.text.n == 0)
		return 0;
	if (d->n == 0)
		d->first = number;
	d->text[d->n] = f.text;
	d->weight[d->n++] = f.weight;
	return 0;
}

/* Collects the usual records of the document in one call: see sh_job_runs(). */
static const char *more_records(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct feature_doc *d = arg;
	struct sh_slice prefix = sh_slice(d->prefix, d->prefix_n);
	uint64_t number = sh_job_line(job);
	size_t before = d->n;

	*lines = 0;
	if (!d->begun || end[-1] != '\n' || (d->n && d->first + d->n != number))
		return p;
	while (p < end && d->n < FEATURES_MAX) {
		struct sh_slice *text = &d->text[d->n];
		const char *next = sh_feature_line(prefix, p, end, text, &d->weight[d->n]);

		if (!next || is_wide(d->run, *text))
			break;
		d->n++;
		p = next;
	}
	*lines = d->n - before;
	if (before == 0)
		d->first = number;
	if (*lines) {
		d->file = job->from.file;
		d->line = number + *lines - 1;
	}
	return p;
}

static int work(void *worker, struct sh_job *job)
{
	struct feature_doc *d = worker;
	const struct sh_origin from = job->from;
	const struct sh_slice in = job->in;
	const char *p = in.p;
	int status = 0;

	d->begun = false;
	d->n = 0;
	for (size_t i = 0; status == 0 && i < from.stretches; i++) {
		const struct sh_stretch *s = &from.stretch[i];

		job->in = sh_slice(p, s->bytes);
		job->from.file = s->file;
		job->from.line = s->line;
		job->from.at = s->at;
		status = sh_job_runs(
		    job, d->run->cli->rejects_path != NULL, each_record, more_records, d);
		if (status == 0)
			status = add_features(d, job);
		p += s->bytes;
	}
	if (status == 0 && !from.cut)
		status = end_document(d, job);
	job->in = in;
	job->from = from;
	return status;
}

/* ---- the run ---- */

uint64_t run_feature_docs(
    struct cli *c, struct sh_source *source, const struct feature_calls *calls, void *arg)
{
	struct feature_run r = { .cli = c, .calls = calls };
	struct run run = { .cli = c, .work = work, .collect = count_documents, .arg = &r };
	struct sh_error err;

	source->border = find_border;
	source->border_arg = &r;
	r.doc = cli_zeroed(c, c->jobs, sizeof *r.doc);
	for (unsigned i = 0; i < c->jobs; i++) {
		struct feature_doc *d = &r.doc[i];

		d->run = &r;
		d->arg = arg;
		d->own = cli_zeroed(c, 1, calls->size);
		if (calls->init(d->own, arg, &err) < 0)
			cli_die(c, &err);
		run.workers[i] = d;
	}
	run_pool(&run, source);
	run_finish(&run);
	warn_repeated_ids(&r);
	for (unsigned i = 0; i < c->jobs; i++) {
		if (calls->free)
			calls->free(r.doc[i].own);
		free(r.doc[i].own);
	}
	free(r.doc);
	return run.empty;
}

void run_features(struct cli *c, int sure, const struct feature_calls *calls, void *arg)
{
	struct sh_source source;

	cli_source_init(c, &source);
	if (!cli_given(c, sure))
		need_features(c, &source,
		    "shtok -f 1,2 makes features of documents, --features reads these records as "
		    "features");
	run_feature_docs(c, &source, calls, arg);
	sh_source_free(&source);
}

/* ---- options ---- */

static void read_df_limit(struct cli *c, int code, struct sh_df_limit *limit)
{
	const char *text = opt_text(c, code);
	struct sh_error err;

	if (text && sh_df_limit_parse(text, limit, &err) < 0)
		cli_usage(c, "%s: %s", cli_option_name(c, code), err.text);
}

void read_df_limits(
    struct cli *c, int min_code, int max_code, struct sh_df_limit *min, struct sh_df_limit *max)
{
	read_df_limit(c, min_code, min);
	read_df_limit(c, max_code, max);
	if (!sh_df_limits_agree(min, max))
		cli_usage(c, "--min-df is above --max-df: no feature is within both");
}
