/* SPDX-License-Identifier: MIT */
/* Documents of feature records do not depend on the division into files and chunks, the sizes of
 * reads, and the number of threads. This holds up to and including the first bad record. */
#include "stream/feature_docs.h"

#include "packets.h"
#include "tap.h"
#include "text_util.h"

enum { CASES = 6000, WORKERS_MAX = 8 };

/* ---- input ---- */

static void random_line(struct sh_buf *b, unsigned id, bool bad)
{
	static const char *const bads[] = { "", "a", "a\tx", "d1\tx\t1\t1", "\tx\t1", "d1\tx\t-1",
		"d1\t\t1", "d2\trefused\t1" };
	char text[80];
	int n;

	if (bad)
		n = snprintf(text, sizeof text, "%s", bads[rng_below(8)]);
	else if (rng_below(12))
		n = snprintf(text, sizeof text, "d%u\tf%u g\t%u%s", id, (unsigned)rng_below(30),
		    (unsigned)rng_below(9), rng_below(4) ? "" : ".25");
	else
		n = snprintf(text, sizeof text, "d%u\t\t0", id);
	append(b, text, (size_t)n);
}

/* Makes documents of a few or of many records, with some repeated ids and some bad records. */
static void random_records(struct sh_buf *b, bool good)
{
	unsigned documents = (unsigned)rng_below(rng_below(3) ? 5 : 40), id = 0;

	b->n = 0;
	for (unsigned i = 0; i < documents; i++) {
		unsigned lines = 1 + (unsigned)rng_below(rng_below(8) ? 4 : 300);

		id = rng_below(4) ? id + 1 : (unsigned)rng_below(id + 2);
		for (unsigned j = 0; j < lines; j++) {
			random_line(b, id, !good && rng_below(100) == 0);
			if (i + 1 < documents || j + 1 < lines || rng() & 1)
				append(b, "\n", 1);
		}
	}
}

/* ---- the work, and its expected result ---- */

struct result {
	struct sh_buf out, aside;
	uint64_t records, rejected, again, again_at;
	int status;
	unsigned file; /* where it stopped */
	uint64_t line;
};

/* The sums of a document, which depend on the order of its features. */
struct sums {
	uint64_t records, hash;
};

static void add_to(struct sums *s, struct sh_slice feature, int64_t weight)
{
	s->records++;
	for (size_t i = 0; i < feature.n; i++)
		s->hash = s->hash * 31 + (unsigned char)feature.p[i];
	s->hash = s->hash * 31 + (uint64_t)weight;
}

static void write_sums(struct sh_buf *out, struct sh_slice id, const struct sums *s)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%.*s %llu %llx\n", (int)id.n, id.p,
	    (unsigned long long)s->records, (unsigned long long)s->hash);

	append(out, text, (size_t)n);
}

static bool is_refused(struct sh_slice feature)
{
	return sh_slice_eq(feature, sh_slice_str("refused"));
}

static int check(const struct sh_feature *f, struct sh_error *err)
{
	return is_refused(f->text) ? sh_error_set(err, SH_ERR_RECORD, "refused") : 0;
}

struct oracle {
	struct sums sums;
	char id[8];
	struct sh_past_ids past;
	bool begun;
};

static void oracle_record(
    struct oracle *o, const struct sh_feature *f, const char *file, uint64_t line, struct result *r)
{
	if (!o->begun || !sh_slice_eq(f->id, sh_slice_str(o->id))) {
		if (o->begun)
			write_sums(&r->out, sh_slice_str(o->id), &o->sums);
		snprintf(o->id, sizeof o->id, "%.*s", (int)f->id.n, f->id.p);
		o->sums = (struct sums){ 0 };
		o->begun = true;
		sh_past_ids_begin(&o->past, f->id, file, line);
	}
	add_to(&o->sums, f->text, f->weight);
	r->records++;
}

/* Returns false when a record ends the run. */
static bool oracle_line(struct oracle *o, const struct input *in, unsigned file, uint64_t number,
    struct sh_slice line, bool rejects, struct result *r)
{
	struct sh_feature f;
	struct sh_error err;

	if (sh_record_feature(line, &f, &err) == 0 && check(&f, &err) == 0) {
		oracle_record(o, &f, in->name[file], number, r);
		return true;
	}
	if (!rejects) {
		r->status = -1;
		r->file = file;
		r->line = number;
		return false;
	}
	append(&r->aside, line.p, line.n);
	append(&r->aside, "\n", 1);
	r->rejected++;
	return true;
}

static void oracle(const struct input *in, bool rejects, struct result *r)
{
	struct oracle o = { .begun = false };
	bool more = true;

	for (unsigned f = 0; more && f < in->n; f++) {
		const struct sh_buf *b = &in->text[f];
		uint64_t number = 0;

		for (size_t i = 0, start = 0; more && i <= b->n; i++) {
			if (i < b->n ? b->p[i] != '\n' : i == start)
				continue;
			more = oracle_line(
			    &o, in, f, ++number, sh_slice(b->p + start, i - start), rejects, r);
			start = i + 1;
		}
	}
	if (more && o.begun)
		write_sums(&r->out, sh_slice_str(o.id), &o.sums);
	r->again = o.past.again;
	r->again_at = o.past.line;
}

static void begin(struct sh_feature_doc *d)
{
	*(struct sums *)d->own = (struct sums){ 0 };
}

static int add(
    struct sh_feature_doc *d, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	(void)err;
	add_to(d->own, feature, weight);
	return 0;
}

/* Leaves some lines for add(). */
static size_t add_lines(struct sh_feature_doc *d)
{
	const struct sh_feature_lines *l = &d->lines;
	size_t n = 0;

	for (; n < l->lines && l->start[n] % 7; n++) {
		struct sh_slice feature = sh_slice(l->base + l->start[n], l->end[n] - l->start[n]);

		if (is_refused(feature))
			break;
		add_to(d->own, feature, l->weight[n]);
	}
	return n;
}

static int end(struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	const struct sums *s = d->own;

	write_sums(&job->out, sh_feature_doc_id(d), s);
	return s->records % 5 ? 0 : sh_job_flush(job, err);
}

static int init(void *own, void *arg, struct sh_error *err)
{
	(void)own, (void)arg, (void)err;
	return 0;
}

static const struct sh_feature_calls calls = { sizeof(struct sums), init, NULL, check, begin, add,
	add_lines, end, false };

struct run {
	struct sh_feature_docs docs;
	struct result *result;
};

static int done(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct run *r = arg;

	(void)err;
	if (!job->part)
		sh_feature_docs_done(&r->docs, job);
	append(&r->result->out, job->out.p, job->out.n);
	append(&r->result->aside, job->aside.p, job->aside.n);
	r->result->records += job->records;
	r->result->rejected += job->rejected;
	return 0;
}

/* large: as for packets_open() */
static void run(struct input *in, size_t large, bool rejects, unsigned workers, struct result *r)
{
	struct run run = { .result = r };
	void *states[WORKERS_MAX];
	struct sh_pool pool = { sh_feature_docs_work, states, workers, done, &run };
	struct sh_source source;
	struct sh_slice first;
	struct sh_error err = { 0 };

	must(sh_feature_docs_init(&run.docs, &calls, NULL, workers, &err) == 0);
	run.docs.rejects = rejects;
	for (unsigned i = 0; i < workers; i++)
		states[i] = &run.docs.doc[i];
	open_input(in, large);
	sh_source_init(&source, in->names, in->n);
	if (rng() & 1)
		must(sh_source_peek(&source, &first, &err) >= 0);
	sh_feature_docs_source(&run.docs, &source);
	r->status = sh_pool_run(&pool, &source, &err);
	for (unsigned i = 0; i < in->n; i++)
		if (r->status < 0 && err.file && strcmp(err.file, in->name[i]) == 0)
			r->file = i;
	r->line = r->status < 0 ? err.line : 0;
	r->again = run.docs.past.again;
	r->again_at = run.docs.past.line;
	sh_source_free(&source);
	sh_feature_docs_free(&run.docs);
	close_input(in);
}

static void clear(struct result *r)
{
	r->out.n = r->aside.n = 0;
	r->records = r->rejected = r->line = r->again = r->again_at = 0;
	r->status = 0;
	r->file = 0;
}

static bool same(const struct result *x, const struct result *y)
{
	return x->status == y->status && x->file == y->file && x->line == y->line &&
	       x->records == y->records && x->rejected == y->rejected && x->again == y->again &&
	       x->again_at == y->again_at &&
	       sh_slice_eq(sh_buf_slice(&x->out), sh_buf_slice(&y->out)) &&
	       sh_slice_eq(sh_buf_slice(&x->aside), sh_buf_slice(&y->aside));
}

/* ---- borders ---- */

/* Chunks have whole documents, also across files. */
static void test_borders(void)
{
	static struct sh_buf text;
	struct packets pipe;
	char name[32], *names[] = { name };
	struct sh_feature_docs docs;
	struct sh_source source;
	struct sh_buf chunk = { 0 };
	struct sh_origin from;
	struct sh_error err;
	unsigned chunks = 0, bad = 0;

	for (unsigned i = 0; i < 3000; i++)
		for (unsigned j = 0; j < 10; j++) {
			char line[40];
			int n = snprintf(line, sizeof line, "d%u\tfeature %u\t1\n", i, j);

			append(&text, line, (size_t)n);
		}
	must(sh_feature_docs_init(&docs, &calls, NULL, 1, &err) == 0);
	packets_open(&pipe, &text, PACKET_SIZE);
	snprintf(name, sizeof name, "/dev/fd/%d", pipe.end);
	sh_source_init(&source, names, 1);
	sh_feature_docs_source(&docs, &source);
	for (; sh_source_read(&source, &chunk, &from, &err) > 0; chunks++) {
		bad += from.cut || from.stretches != 1 || (from.line - 1) % 10 != 0 ||
		       from.lines % 10 != 0;
	}
	ok(bad == 0 && chunks > 50, "%u chunks end with whole documents (%u do not)", chunks, bad);
	sh_source_free(&source);
	sh_feature_docs_free(&docs);
	packets_close(&pipe);
	sh_buf_free(&chunk);
	sh_buf_free(&text);
}

int main(void)
{
	static struct input in;
	struct result want = { .status = 0 }, got = { .status = 0 };
	unsigned cases = rng_rounds(CASES), bad = 0, stopped = 0, again = 0;

	rng_init(230111);
	for (unsigned i = 0; i < cases; i++) {
		bool rejects = rng() & 1, good = rng() & 1;
		unsigned workers = rng() & 1 ? 1 : 2 + (unsigned)rng_below(WORKERS_MAX - 1);
		size_t large;

		in.n = 1 + (unsigned)rng_below(FILES_MAX);
		large = rng() & 1 ? PACKET_SIZE : 300;
		for (unsigned f = 0; f < in.n; f++)
			random_records(&in.text[f], good);
		clear(&want);
		clear(&got);
		run(&in, large, rejects, workers, &got);
		oracle(&in, rejects, &want);
		stopped += want.status < 0;
		again += want.again > 0;
		if (!same(&want, &got) && bad++ < 5)
			printf("# case %u: %u files, %u workers, rejects %d: %zu bytes, expected "
			       "%zu\n",
			    i, in.n, workers, rejects, got.out.n, want.out.n);
	}
	ok(bad == 0,
	    "%u inputs give the same documents for any division and number of threads (%u do not)",
	    cases, bad);
	ok(stopped > cases / 20 && stopped < cases / 2, "%u inputs stop at a bad record", stopped);
	ok(again > cases / 5, "%u inputs have repeated ids", again);
	test_borders();
	for (unsigned f = 0; f < FILES_MAX; f++)
		sh_buf_free(&in.text[f]);
	sh_buf_free(&want.out);
	sh_buf_free(&want.aside);
	sh_buf_free(&got.out);
	sh_buf_free(&got.aside);
	return done_testing();
}
