/* SPDX-License-Identifier: MIT */
/* The output does not depend on the form of the input: division into files, sizes of reads, number
 * of threads; up to and with the first bad line. */
#include "io/pool.h"
#include "packets.h"
#include "tap.h"
#include "text_util.h"

enum { CASES = 10000, LARGE = 4000, WORKERS_MAX = 8 };

/* ---- input ---- */

/* Makes lines of any length, some bad, and the last one perhaps without its LF. */
static void random_lines(struct sh_buf *b)
{
	size_t lines = rng_below(rng_below(3) ? 8 : 60);

	b->n = 0;
	for (size_t i = 0; i < lines; i++) {
		size_t n = rng_below(rng_below(10) ? 12 : 3000);

		if (rng_below(60) == 0)
			append(b, "!", 1);
		for (size_t j = 0; j < n; j++)
			append(b, &(char){ "ab \t\r"[rng_below(5)] }, 1);
		if (i + 1 < lines || rng() & 1)
			append(b, "\n", 1);
	}
}

/* ---- the work, and its expected result ---- */

struct result {
	struct sh_buf out, aside;
	uint64_t records, rejected;
	int status;
	unsigned file; /* where it stopped */
	uint64_t line;
};

/* "number:length:last byte" of a line shows every error at its borders. */
static void describe(struct sh_buf *out, uint64_t file_line, uint64_t number, struct sh_slice line)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%llu:%llu:%zu:%d\n", (unsigned long long)file_line,
	    (unsigned long long)number, line.n, line.n ? line.p[line.n - 1] : -1);

	append(out, text, (size_t)n);
}

static bool is_bad(struct sh_slice line)
{
	return line.n && *line.p == '!';
}

static void oracle(const struct input *in, bool rejects, struct result *r)
{
	uint64_t number = 0;

	for (unsigned f = 0; f < in->n; f++) {
		const struct sh_buf *b = &in->text[f];
		uint64_t file_line = 0;

		for (size_t i = 0, start = 0; i <= b->n; i++) {
			struct sh_slice line = sh_slice(b->p + start, i - start);

			if (i < b->n ? b->p[i] != '\n' : i == start)
				continue;
			start = i + 1;
			file_line++;
			number++;
			if (!is_bad(line)) {
				describe(&r->out, file_line, number, line);
				r->records++;
				continue;
			}
			if (!rejects) {
				r->status = -1;
				r->file = f;
				r->line = file_line;
				return;
			}
			append(&r->aside, line.p, line.n);
			append(&r->aside, "\n", 1);
			r->rejected++;
		}
	}
}

static int each(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	(void)arg;
	/* The output of a bad line is removed. */
	describe(&job->out, sh_job_line(job), job->from.number + job->at, line);
	return is_bad(line) ? sh_error_set(err, SH_ERR_RECORD, "bad") : 0;
}

static int work(void *worker, struct sh_job *job)
{
	return sh_job_lines(job, *(bool *)worker, each, NULL);
}

static int done(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct result *r = arg;

	(void)err;
	append(&r->out, job->out.p, job->out.n);
	append(&r->aside, job->aside.p, job->aside.n);
	r->records += job->records;
	r->rejected += job->rejected;
	return 0;
}

static void run(struct input *in, bool rejects, unsigned workers, struct result *r)
{
	void *states[WORKERS_MAX];
	struct sh_pool pool = { work, states, workers, done, r };
	struct sh_source source;
	struct sh_slice first;
	struct sh_error err = { 0 };

	for (unsigned i = 0; i < workers; i++)
		states[i] = &rejects;
	open_input(in, LARGE);
	sh_source_init(&source, in->names, in->n);
	if (rng() & 1)
		must(sh_source_peek(&source, &first, &err) >= 0);
	r->status = sh_pool_run(&pool, &source, &err);
	for (unsigned i = 0; i < in->n; i++)
		if (r->status < 0 && err.file && strcmp(err.file, in->name[i]) == 0)
			r->file = i;
	r->line = r->status < 0 ? err.line : 0;
	sh_source_free(&source);
	close_input(in);
}

static void clear(struct result *r)
{
	r->out.n = r->aside.n = 0;
	r->records = r->rejected = r->line = 0;
	r->status = 0;
	r->file = 0;
}

static bool same(const struct result *x, const struct result *y)
{
	return x->status == y->status && x->file == y->file && x->line == y->line &&
	       x->records == y->records && x->rejected == y->rejected &&
	       sh_slice_eq(sh_buf_slice(&x->out), sh_buf_slice(&y->out)) &&
	       sh_slice_eq(sh_buf_slice(&x->aside), sh_buf_slice(&y->aside));
}

/* ---- blocks of whole lines ---- */

/* Consumes some of the first lines one by one. Returns whether they equal the lines of the
 * input. */
static bool pass_lines(
    struct sh_source *source, const struct sh_buf *all, size_t *at, uint64_t *lines)
{
	struct sh_slice line;
	struct sh_error err;

	for (size_t n = rng() & 1 ? rng_below(20) : 0; n && sh_source_peek(source, &line, &err) > 0;
	     n--) {
		if (line.n > all->n - *at || memcmp(all->p + *at, line.p, line.n) != 0 ||
		    memchr(line.p, '\n', line.n))
			return false;
		*at += line.n;
		*at += *at < all->n && all->p[*at] == '\n';
		++*lines;
		sh_source_pass(source);
	}
	return true;
}

/* Returns whether all blocks together are the input, and have the right origins. */
static bool blocks_hold(struct input *in)
{
	struct sh_source source;
	struct sh_buf block = { 0 }, all = { 0 };
	struct sh_origin from;
	struct sh_error err;
	uint64_t lines = 0;
	size_t at = 0;
	bool good;

	for (unsigned f = 0; f < in->n; f++)
		append(&all, in->text[f].p, in->text[f].n);
	open_input(in, LARGE);
	sh_source_init(&source, in->names, in->n);
	good = pass_lines(&source, &all, &at, &lines);
	while (good && sh_source_read(&source, &block, &from, &err) > 0) {
		good = from.at == at && from.number == lines + 1 && at + block.n <= all.n &&
		       block.n && memcmp(all.p + at, block.p, block.n) == 0;
		at += block.n;
		lines += from.lines;
	}
	good = good && at == all.n;
	sh_source_free(&source);
	close_input(in);
	sh_buf_free(&block);
	sh_buf_free(&all);
	return good;
}

static void test_blocks(void)
{
	static struct input in;
	unsigned cases = rng_rounds(CASES / 4), bad = 0;

	for (unsigned i = 0; i < cases; i++) {
		in.n = 1 + (unsigned)rng_below(FILES_MAX);
		for (unsigned f = 0; f < in.n; f++) {
			struct sh_buf *b = &in.text[f];

			random_lines(b);
			if (f + 1 < in.n && b->n && b->p[b->n - 1] != '\n')
				append(b, "\n", 1);
		}
		bad += !blocks_hold(&in);
	}
	ok(bad == 0, "%u inputs are read in blocks of whole lines (%u are not)", cases, bad);
	for (unsigned f = 0; f < FILES_MAX; f++)
		sh_buf_free(&in.text[f]);
}

/* Readable files are processed; then the file that cannot be opened is reported. */
static void test_unreadable(void)
{
	static struct input in = { .n = 2 };
	struct result got = { .status = 0 };
	unsigned bad = 0;

	for (unsigned workers = 1; workers <= WORKERS_MAX; workers++) {
		void *states[WORKERS_MAX];
		bool rejects = false;
		struct sh_pool pool = { work, states, workers, done, &got };
		struct sh_source source;
		struct sh_error err = { 0 };

		for (unsigned i = 0; i < workers; i++)
			states[i] = &rejects;
		in.text[0].n = in.text[1].n = 0;
		append(&in.text[0], "a\nb\n", 4);
		clear(&got);
		open_input(&in, LARGE);
		in.names[1] = (char *)(uintptr_t) "/dev/fd/none";
		sh_source_init(&source, in.names, 2);
		bad += sh_pool_run(&pool, &source, &err) != -1 || err.code != SH_ERR_IO ||
		       got.records != 2;
		sh_source_free(&source);
		close_input(&in);
	}
	ok(bad == 0, "a file that cannot be read is an error, with any number of threads");
	sh_buf_free(&in.text[0]);
	sh_buf_free(&got.out);
}

int main(void)
{
	static struct input in;
	struct result want = { .status = 0 }, got = { .status = 0 };
	unsigned cases = rng_rounds(CASES), bad = 0, stopped = 0;

	rng_init(41121);
	for (unsigned i = 0; i < cases; i++) {
		bool rejects = rng() & 1;
		unsigned workers = rng() & 1 ? 1 : 2 + (unsigned)rng_below(WORKERS_MAX - 1);

		in.n = 1 + (unsigned)rng_below(FILES_MAX);
		for (unsigned f = 0; f < in.n; f++)
			random_lines(&in.text[f]);
		clear(&want);
		clear(&got);
		oracle(&in, rejects, &want);
		run(&in, rejects, workers, &got);
		stopped += want.status < 0;
		if (!same(&want, &got) && bad++ < 5)
			printf("# case %u: %u files, %u workers, rejects %d: %zu bytes, expected "
			       "%zu\n",
			    i, in.n, workers, rejects, got.out.n, want.out.n);
	}
	ok(bad == 0,
	    "%u inputs in pieces give the same for any division and number of threads (%u do not)",
	    cases, bad);
	test_blocks();
	test_unreadable();
	ok(stopped > cases / 20 && stopped < cases / 2, "%u inputs stop at a bad line", stopped);
	for (unsigned f = 0; f < FILES_MAX; f++)
		sh_buf_free(&in.text[f]);
	sh_buf_free(&want.out);
	sh_buf_free(&want.aside);
	sh_buf_free(&got.out);
	sh_buf_free(&got.aside);
	return done_testing();
}
