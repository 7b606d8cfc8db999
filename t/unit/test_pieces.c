/* SPDX-License-Identifier: MIT */
/* lib/io/pieces.h, and corpora of compressed files and FIFOs compared with corpora of plain files.
 * */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "io/pieces.h"
#include "io/sink.h"
#include "rng.h"
#include "scratch.h"
#include "stream/corpus.h"
#include "tap.h"

static char path[SCRATCH_MAX], other[SCRATCH_MAX];
static struct sh_error err;

static void add(struct sh_buf *b, const char *p, size_t n)
{
	must(sh_buf_add(b, p, n, &err) == 0);
}

static void write_file(const char *name, struct sh_slice text)
{
	FILE *f = fopen(name, "w");

	must(f && (text.n == 0 || fwrite(text.p, 1, text.n, f) == text.n) && fclose(f) == 0);
}

/* Appends a line of words; csv: a quoted field, which may have line ends. */
static void add_line(struct sh_buf *b, bool csv)
{
	static const char *const word[] = { "fern ", "moss ", "lichen ", "\"\"", ",", "\n" };
	size_t n = rng_below(100) == 0 ? rng_below(9000) : rng_below(60);

	add(b, "\"", csv);
	while (n-- > 0) {
		const char *w = word[rng_below(csv ? 6 : 3)];

		add(b, w, strlen(w));
	}
	add(b, csv ? "\"\n" : "\n", csv ? 2 : 1);
}

/* Appends an input. Only the last one may lack the LF of its last line. */
static void add_input(struct sh_buf *b, bool csv, bool last)
{
	size_t before = b->n;

	for (size_t lines = rng_below(4) ? rng_below(3000) : rng_below(3); lines > 0; lines--)
		add_line(b, csv);
	if (last && b->n > before && rng_below(2))
		b->n--;
}

static int take(struct sh_pieces *p, const char *name, bool csv, unsigned jobs)
{
	int fd = open(name, O_RDONLY);
	struct sh_pieces_inputs in = { &(char *){ (char *)(uintptr_t)name }, 1,
		rng_below(2) ? &fd : NULL, csv, jobs };
	struct sh_pieces_text text;
	int status;

	must(fd >= 0);
	status = sh_pieces_add(p, &in, &text, &err);
	close(fd);
	return status;
}

static bool are_bytes(const struct sh_pieces *p, struct sh_piece_room *room, struct sh_slice text,
    uint64_t at, struct sh_slice *bytes)
{
	return sh_pieces_at(p, at, room, bytes, &err) == 0 && bytes->n && bytes->n <= text.n - at &&
	       memcmp(bytes->p, text.p + at, bytes->n) == 0;
}

/* Returns whether the pieces are the text, and each ends where a record does. */
static bool same_text(const struct sh_pieces *p, struct sh_slice text, bool csv)
{
	struct sh_piece_room room = { 0 };
	bool good = p->n == text.n;
	struct sh_slice bytes;

	for (uint64_t at = 0; good && at < p->n; at += bytes.n) {
		unsigned quotes = 0;

		good = are_bytes(p, &room, text, at, &bytes);
		for (size_t i = 0; good && csv && i < bytes.n; i++)
			quotes += bytes.p[i] == '"';
		good = good && quotes % 2 == 0 &&
		       (at + bytes.n == p->n || bytes.p[bytes.n - 1] == '\n');
	}
	for (unsigned i = 0; good && p->n && i < 200; i++)
		good = are_bytes(p, &room, text, rng_below(p->n), &bytes);
	sh_piece_room_free(&room);
	return good;
}

static void random_inputs(size_t memory)
{
	unsigned rounds = rng_rounds(40), wrong = 0, in_file = 0;
	struct sh_buf text = { 0 };

	for (unsigned i = 0; i < rounds; i++) {
		struct sh_pieces p = { .memory = memory };
		unsigned inputs = 1 + (unsigned)rng_below(3);
		bool csv = rng_below(2);

		text.n = 0;
		while (inputs-- > 0) {
			size_t before = text.n;

			add_input(&text, csv, inputs == 0);
			write_file(path, sh_slice(text.p + before, text.n - before));
			wrong += take(&p, path, csv, 1 + (unsigned)rng_below(3)) < 0;
		}
		wrong += !same_text(&p, sh_buf_slice(&text), csv) || p.held.n > memory ||
			 (p.n_pieces > 0) != (text.n > p.held.n);
		in_file += p.n_pieces > 0;
		sh_pieces_free(&p);
	}
	ok(wrong == 0, "%zu bytes of memory: the pieces are the text, %u of %u times in a file",
	    memory, in_file, rounds);
	sh_buf_free(&text);
}

static void test_places(void)
{
	struct sh_pieces p = { .memory = 1 << 20, .dir = "/nowhere" };
	struct sh_piece_room room = { 0 };
	struct sh_buf text = { 0 };
	struct sh_slice bytes;

	for (unsigned i = 0; i < 60000; i++)
		add(&text, "some text of a line\n", 20);
	write_file(path, sh_slice(text.p, 1000000));
	ok(take(&p, path, false, 2) == 0 && p.n_pieces == 0 && p.held.n == 1000000,
	    "a text that fits in memory needs no folder");
	write_file(path, sh_slice(text.p, 200000));
	ok(take(&p, path, false, 2) < 0 && strstr(err.text, "/nowhere"),
	    "a larger text needs a folder: %s", err.text);
	sh_pieces_free(&p);
	p = (struct sh_pieces){ 0 };
	write_file(path, sh_buf_slice(&text));
	ok(take(&p, path, false, 2) == 0 && p.n == 1200000 && p.held.n == 0,
	    "a text without memory for it goes to a file");
	if (sh_compressor_named("lz4")->start) {
		ok(p.written < p.n / 10, "the file is compressed");
		must(pwrite(p.fd, "\377\377\377\377", 4, (off_t)p.piece[1].place) == 4);
		ok(sh_pieces_at(&p, p.piece[1].at, &room, &bytes, &err) < 0 &&
			strcmp(err.text, "a temporary file is damaged") == 0,
		    "a damaged file is an error");
	}
	must(ftruncate(p.fd, 100) == 0);
	ok(sh_pieces_at(&p, p.n - 1, &room, &bytes, &err) < 0 &&
		strcmp(err.text, "a temporary file was cut short") == 0,
	    "a file that is cut short is an error");
	sh_piece_room_free(&room);
	sh_pieces_free(&p);
	sh_buf_free(&text);
}

/* ---- corpora ---- */

static void compress_file(const char *from, const char *to)
{
	const struct sh_compressor *form = sh_compressor_named("gzip");
	struct sh_sink out;
	char block[4096];
	FILE *f = fopen(from, "r");
	size_t n;

	must(f && sh_sink_open(&out, to, &err) == 0 && sh_sink_compress(&out, form, &err) == 0);
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		must(sh_sink_write(&out, block, n, &err) == 0);
	must(fclose(f) == 0 && sh_sink_close(&out, &err) == 0);
}

/* Writes the file to the FIFO in small pieces. */
static void *feed(void *arg)
{
	FILE *from = fopen(path, "r"), *to = fopen(other, "w");
	char block[777];
	size_t n;

	(void)arg;
	must(from && to);
	setvbuf(to, NULL, _IONBF, 0);
	while ((n = fread(block, 1, sizeof block, from)) > 0)
		must(fwrite(block, 1, n, to) == n);
	fclose(from);
	fclose(to);
	return NULL;
}

static int no_bad(void *arg, struct sh_slice line, struct sh_error *e)
{
	(void)line;
	(void)e;
	++*(unsigned *)arg;
	return 0;
}

/* Opens the file `path` as it is, compressed, or through a FIFO. */
static void open_as(struct sh_corpus *c, unsigned how, uint64_t *lines, unsigned *bad)
{
	pthread_t thread;

	if (how == 1)
		compress_file(path, other);
	if (how == 2)
		must(mkfifo(other, 0600) == 0 && pthread_create(&thread, NULL, feed, NULL) == 0);
	must(sh_corpus_open(c, &(char *){ how ? other : path }, 1, NULL, &err) == 0 &&
	     sh_corpus_scan(c, lines, no_bad, bad, &err) == 0);
	if (how == 2)
		pthread_join(thread, NULL);
	if (how)
		unlink(other);
}

static void write_documents(unsigned n)
{
	FILE *f = fopen(path, "w");

	must(f != NULL);
	if (rng_below(2))
		fputs("\xef\xbb\xbf", f);
	for (unsigned i = 1; i <= n; i++) {
		fprintf(f, "%x\t", (unsigned)rng_below(2000));
		for (size_t words = rng_below(30) ? rng_below(40) : 5000; words > 0; words--)
			fprintf(f, "word%u ", (unsigned)rng_below(1000));
		if (rng_below(50) == 0)
			fputs("\tbad", f);
		/* The last line may lack its LF. */
		if (i < n || rng_below(2))
			fputc('\n', f);
	}
	must(fclose(f) == 0);
}

static bool same_documents(const struct sh_corpus *a, const struct sh_corpus *b)
{
	struct sh_document_room x = { 0 }, y = { 0 };
	bool good = a->n == b->n && a->repeated == b->repeated;

	/* Any documents, and all. */
	for (uint32_t i = 0; good && i < 2 * a->n; i++) {
		uint32_t d = i < a->n ? (uint32_t)rng_below(a->n) : i - (uint32_t)a->n;
		struct sh_document p, q;
		struct sh_slice line;

		good =
		    sh_corpus_document(a, d, &x, &p, &err) == 0 &&
		    sh_corpus_document(b, d, &y, &q, &err) == 0 && sh_slice_eq(p.id, q.id) &&
		    sh_slice_eq(p.text, q.text) && sh_corpus_find(b, p.id, SH_CORPUS_NONE) == d &&
		    sh_corpus_line(b, d, &y, &line, &err) == 0 && line.n == p.id.n + p.text.n + 1;
	}
	sh_document_room_free(&x);
	sh_document_room_free(&y);
	return good;
}

/* Keeps some documents in memory. The other documents are read as before. */
static void hold(struct sh_corpus *c)
{
	uint32_t document[100];
	size_t n = 1 + rng_below(rng_below(2) ? 4 : 100);

	c->reads = true;
	for (size_t i = 0; i < n; i++)
		document[i] = (uint32_t)rng_below(c->n);
	must(sh_corpus_hold(c, document, n, &err) == 0);
}

static void compare_corpora(void)
{
	const struct sh_document_form form = { 0 };
	unsigned rounds = rng_rounds(60), wrong = 0;

	for (unsigned i = 0; i < rounds; i++) {
		struct sh_corpus plain, c;
		struct sh_tables tables;
		uint64_t lines[2] = { 0 };
		unsigned bad[2] = { 0 };
		/* Held documents of a small file may seem near to documents of the next file. */
		bool few = rng_below(2);

		sh_tables_init(&tables, rng_below(2) ? 0 : (size_t)1 << (10 + rng_below(14)), NULL);
		must(sh_corpus_init(&plain, &form, &err) == 0);
		must(sh_corpus_init(&c, &form, &err) == 0);
		c.tables = &tables;
		c.jobs = 1 + (unsigned)rng_below(3);
		c.keeps_open = true;
		for (size_t files = 1 + rng_below(3); files > 0; files--) {
			write_documents((unsigned)rng_below(few ? 20 : 1000));
			open_as(&plain, 0, &lines[0], &bad[0]);
			open_as(&c, (unsigned)rng_below(few ? 1 : 3), &lines[1], &bad[1]);
			unlink(path);
		}
		must(sh_corpus_index(&plain, &err) == 0 && sh_corpus_index(&c, &err) == 0);
		wrong += lines[0] != lines[1] || bad[0] != bad[1] || !same_documents(&plain, &c);
		if (c.n) {
			hold(&c);
			wrong += !same_documents(&plain, &c);
		}
		sh_corpus_free(&plain);
		sh_corpus_free(&c);
		sh_tables_free(&tables);
	}
	ok(wrong == 0, "compressed, piped and mapped files give the same documents, %u times",
	    rounds);
}

int main(void)
{
	rng_init(3); /* holds documents that seem near to documents of the next file */
	scratch(path, "pieces");
	scratch(other, "pieces-other");
	random_inputs(0);
	random_inputs(100000);
	random_inputs(1 << 28);
	test_places();
	if (sh_compressor_named("gzip")->start)
		compare_corpora();
	unlink(path);
	return done_testing();
}
