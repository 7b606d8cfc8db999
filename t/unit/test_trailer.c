/* SPDX-License-Identifier: MIT */
/* Trailers: for all cuts between reads, and for all positions of trailers, a complete input is read
 * as if it had none. Any incomplete input is refused. */
#include <xxhash.h>

#include "io/source.h"
#include "packets.h"
#include "tap.h"
#include "text_util.h"

enum { CASES = 20000, LINES_MAX = 40 };

struct lines {
	char text[LINES_MAX][24];
	size_t n;
};

/* cr: lines have CRs, which count as bytes of the line. */
static void random_lines(struct lines *l, bool cr)
{
	l->n = rng_below(LINES_MAX + 1);
	for (size_t i = 0; i < l->n; i++) {
		size_t n = rng_below(20);

		for (size_t j = 0; j < n; j++)
			l->text[i][j] = "ab\t\tsim\r"[rng_below(7U + cr)];
		l->text[i][n] = '\0';
	}
}

/* The definition of a trailer in the manual page, implemented without the library. */
static void describe(const struct lines *l, size_t from, size_t to, char *out)
{
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += XXH3_64bits_withSeed(
		    l->text[i], strlen(l->text[i]), UINT64_C(0x73686c696e657331));
	snprintf(out, SH_TRAILER_MAX, "\t\tsimhash-trailer\t%zu\t%016llx", to - from,
	    (unsigned long long)sum);
}

static void add_line(struct sh_buf *b, const char *text, bool crlf)
{
	append(b, text, strlen(text));
	append(b, crlf ? "\r\n" : "\n", crlf ? 2 : 1);
}

/* Writes the lines in one to three parts, each with a trailer at any position. */
static void write_input(const struct lines *l, struct sh_buf *b, bool crlf)
{
	size_t parts = 1 + rng_below(3), place[3], bound[4] = { 0 };

	for (size_t p = 1; p < parts; p++)
		bound[p] = bound[p - 1] + rng_below(l->n - bound[p - 1] + 1);
	bound[parts] = l->n;
	for (size_t p = 0; p < parts; p++)
		place[p] = rng_below(l->n + 1);
	b->n = 0;
	for (size_t i = 0; i <= l->n; i++) {
		for (size_t p = 0; p < parts; p++) {
			char trailer[SH_TRAILER_MAX];

			if (place[p] != i)
				continue;
			describe(l, bound[p], bound[p + 1], trailer);
			if (rng_below(10) == 0)
				strcpy(strrchr(trailer, '\t'), "\t-");
			add_line(b, trailer, crlf);
		}
		if (i < l->n)
			add_line(b, l->text[i], crlf);
	}
	/* An empty last line needs its LF. */
	if ((rng() & 1) && b->p[b->n - 1 - crlf] != '\n' && b->n > 2U + crlf &&
	    b->p[b->n - 2 - crlf] != '\n')
		b->n -= crlf ? 2 : 1;
}

/* Appends the lines of a block that are no trailers. Returns their number. */
static uint64_t append_records(struct sh_buf *to, struct sh_slice block)
{
	uint64_t n = 0;

	while (block.n) {
		size_t line = sh_record_front(block, false).n, all = line + (line < block.n);

		if (!sh_is_trailer(block.p, line)) {
			append(to, block.p, all);
			n++;
		}
		block = sh_slice(block.p + all, block.n - all);
	}
	return n;
}

/* All blocks; 0, or -1 with err. *right: each block is where it says it is. */
static int read_all(const struct sh_buf *input, bool crlf, bool peek, struct sh_buf *got,
    bool *right, struct sh_error *err)
{
	struct packets pipe;
	int status;
	char name[32], *names[] = { name };
	struct sh_source source;
	struct sh_buf block = { 0 };
	struct sh_origin from;
	struct sh_slice first;
	uint64_t number = 1, records;
	bool begun = false;

	packets_open(&pipe, input, 400);
	snprintf(name, sizeof name, "/dev/fd/%d", pipe.end);
	sh_source_init(&source, names, 1);
	source.trailer = true;
	source.crlf = crlf;
	*right = true;
	got->n = 0;
	status = peek ? sh_source_peek(&source, &first, err) : 1;
	while (status > 0 && (status = sh_source_read(&source, &block, &from, err)) > 0) {
		uint64_t lines = 1;

		for (uint64_t i = 0; i < from.at; i++)
			lines += input->p[i] == '\n';
		*right = *right && from.line == lines && from.number == number &&
			 from.starts_file == !begun &&
			 memcmp(block.p, input->p + from.at, block.n) == 0;
		must(from.trailer);
		records = append_records(got, sh_buf_slice(&block));
		number += records;
		begun = begun || records;
	}
	sh_source_free(&source);
	sh_buf_free(&block);
	packets_close(&pipe);
	return status;
}

static void test_whole(void)
{
	struct lines l;
	struct sh_buf input = { 0 }, want = { 0 }, got = { 0 };
	struct sh_error err;
	unsigned bad = 0, displaced = 0, refused = 0;

	for (unsigned c = 0; c < CASES; c++) {
		bool crlf = rng_below(4) == 0, right;

		random_lines(&l, !crlf);
		write_input(&l, &input, crlf);
		want.n = 0;
		for (size_t i = 0; i < l.n; i++)
			add_line(&want, l.text[i], crlf);
		refused += read_all(&input, crlf, rng() & 1, &got, &right, &err) < 0;
		/* The last line's end may be missing. */
		bad += got.n < want.n - (want.n ? 1 + crlf : 0) || got.n > want.n ||
		       (got.n && memcmp(got.p, want.p, got.n) != 0);
		displaced += !right;
	}
	ok(refused == 0, "%d complete inputs: %u refused", CASES, refused);
	ok(bad == 0, "complete inputs are read as without a trailer: %u are not", bad);
	ok(displaced == 0, "blocks have the right place and line number: %u do not", displaced);
	sh_buf_free(&input);
	sh_buf_free(&want);
	sh_buf_free(&got);
}

/* One trailer, at the end; then something happens to the stream. */
static bool damage(const struct lines *l, struct sh_buf *b)
{
	char trailer[SH_TRAILER_MAX];
	size_t i, lf;

	describe(l, 0, l->n, trailer);
	b->n = 0;
	for (i = 0; i < l->n; i++)
		add_line(b, l->text[i], false);
	lf = b->n;
	add_line(b, trailer, false);
	switch (rng_below(4)) {
	case 0: /* cut anywhere; only its last LF may be missing */
		b->n = rng_below(b->n - 1);
		return true;
	case 1: /* a byte changed */
		i = rng_below(b->n - 1);
		b->p[i] = (char)(b->p[i] ^ (1 << rng_below(8)));
		return true;
	case 2: /* some lines are repeated */
		if (lf == 0)
			return false;
		i = (size_t)((const char *)memchr(b->p, '\n', lf) - b->p) + 1;
		must(sh_buf_reserve(b, i, &(struct sh_error){ 0 }) == 0);
		memmove(b->p + i, b->p, b->n);
		b->n += i;
		return true;
	default: /* a line is missing */
		if (lf == 0)
			return false;
		i = (size_t)((const char *)memchr(b->p, '\n', lf) - b->p) + 1;
		memmove(b->p, b->p + i, b->n - i);
		b->n -= i;
		return true;
	}
}

static void test_damaged(void)
{
	struct lines l;
	struct sh_buf input = { 0 }, got = { 0 };
	struct sh_error err;
	unsigned tried = 0, taken = 0;
	bool right;

	for (unsigned c = 0; c < CASES; c++) {
		random_lines(&l, true);
		if (!damage(&l, &input))
			continue;
		tried++;
		taken += read_all(&input, false, rng() & 1, &got, &right, &err) == 0;
	}
	ok(tried > CASES / 2 && taken == 0, "%u damaged inputs: %u accepted", tried, taken);
	sh_buf_free(&input);
	sh_buf_free(&got);
}

int main(void)
{
	rng_init(20261121);
	test_whole();
	test_damaged();
	return done_testing();
}
