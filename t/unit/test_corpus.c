/* SPDX-License-Identifier: MIT */
/* lib/stream/corpus.h: several threads find in mapped and in compressed files, and in FIFOs, the
 * documents that a reader of single lines finds. */
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hmap.h"
#include "io/lines.h"
#include "io/newlines.h"
#include "io/sink.h"
#include "rng.h"
#include "scratch.h"
#include "stream/corpus.h"
#include "tap.h"

enum { LONG = 300000 }; /* bytes of a line that is longer than the range of a task */

static char path[SCRATCH_MAX], fifo[SCRATCH_MAX];
static struct sh_error err;

struct kind {
	struct sh_document_form form;
	struct sh_columns columns;
	bool trailer;
};

/* The documents that were read, and the bad lines with their errors. */
struct found {
	struct sh_buf documents, bad;
	uint64_t repeated, lines, n_bad;
	uint64_t first_bad; /* the line of the first one in the last file */
};

static void found_free(struct found *f)
{
	sh_buf_free(&f->documents);
	sh_buf_free(&f->bad);
}

static void add(struct sh_buf *b, struct sh_slice s)
{
	must(sh_buf_add(b, s.p, s.n, &err) == 0 && sh_buf_add(b, "\n", 1, &err) == 0);
}

static void add_document(struct found *f, const struct sh_document *doc)
{
	add(&f->documents, doc->id);
	add(&f->documents, doc->text);
}

static int add_bad(void *found, struct sh_slice lines, uint64_t n, struct sh_error *e)
{
	struct found *f = found;

	f->n_bad += n;
	return sh_buf_add(&f->bad, lines.p, lines.n, e);
}

/* ---- files ---- */

static void add_words(struct sh_buf *b, bool csv, size_t n)
{
	static const char *const word[] = { "fern ", "moss ", "lichen ", "\"\"", ",", "\n" };

	while (n-- > 0) {
		const char *w = word[rng_below(csv ? 6 : 3)];

		must(sh_buf_add(b, w, strlen(w), &err) == 0);
	}
}

static void add_line(struct sh_buf *b, const struct kind *k)
{
	bool csv = k->form.csv;
	char id[32];
	/* A byte order mark belongs to the id, except at the beginning of the first line. */
	const char *mark = b->n < 20 || rng_below(8) ? "" : "\xef\xbb\xbf";
	size_t words = rng_below(4000) == 0 ? LONG / 5 : rng_below(40);

	if (k->form.columns)
		snprintf(
		    id, sizeof id, csv ? "%s%x,\"" : "%s%x\t", mark, (unsigned)rng_below(9000));
	else
		snprintf(id, sizeof id, "%s%x\t", mark, (unsigned)rng_below(9000));
	must(sh_buf_add(b, id, strlen(id), &err) == 0);
	add_words(b, csv, words);
	if (csv)
		must(sh_buf_add(b, "\"", 1, &err) == 0);
	if (rng_below(1000) == 0)
		must(sh_buf_add(b, csv ? ",x" : "\tx\ty", csv ? 2 : 4, &err) == 0);
	must(sh_buf_add(b, "\n", 1, &err) == 0);
}

static void add_trailer(struct sh_buf *b, size_t from)
{
	struct sh_sum sum = { 0 };
	char trailer[SH_TRAILER_MAX];

	sh_sum_lines(&sum, b->p + from, b->n - from, false);
	must(sh_buf_add(b, trailer, sh_trailer_print(trailer, &sum), &err) == 0);
}

static void write_file(const struct kind *k)
{
	const struct sh_compressor *gzip = sh_compressor_named("gzip");
	struct sh_buf b = { 0 };
	struct sh_sink out;

	if (!k->trailer && rng_below(2))
		must(sh_buf_add(&b, "\xef\xbb\xbf", 3, &err) == 0);
	if (k->form.columns)
		add(&b, sh_slice_str(k->form.csv ? "id,text" : "id\ttext"));
	for (unsigned parts = k->trailer ? 2 : 1; parts > 0; parts--) {
		size_t from = b.n;

		for (size_t n = rng_below(8) ? rng_below(12000) : rng_below(3); n > 0; n--)
			add_line(&b, k);
		if (k->trailer)
			add_trailer(&b, from);
	}
	/* The last line may have no LF. */
	if (!k->trailer && b.n && rng_below(2))
		b.n--;
	must(sh_sink_open(&out, path, &err) == 0);
	if (gzip->start && rng_below(2))
		must(sh_sink_compress(&out, gzip, &err) == 0);
	must(sh_sink_write(&out, b.p, b.n, &err) == 0 && sh_sink_close(&out, &err) == 0);
	sh_buf_free(&b);
}

/* ---- readers ---- */

/* Reads the file line by line. */
static void read_in_order(struct kind *k, struct sh_hmap *ids, struct found *f)
{
	struct sh_lines lines;
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_slice line;
	uint64_t number;
	uint32_t i;
	bool fresh;

	f->first_bad = 0;
	sh_lines_init(&lines, (char *const[]){ path }, 1);
	lines.source.header.wanted = k->form.columns != NULL;
	lines.source.header.csv = k->form.csv;
	lines.source.trailer = k->trailer;
	while (sh_lines_next(&lines, &line, &err) > 0) {
		if (lines.starts_file)
			must(sh_docs_header(&k->form, &lines.source.header, &err) == 0);
		number = f->lines + 1;
		f->lines = number + sh_count_newlines(line.p, line.n);
		if (sh_document_parse(&k->form, line, number, &room, &doc, &err) < 0) {
			f->first_bad = f->first_bad ? f->first_bad : lines.from.line;
			f->n_bad++;
			add(&f->bad, line);
			continue;
		}
		must(sh_hmap_put(ids, doc.id, &i, &fresh, &err) == 0);
		f->repeated += !fresh;
		if (fresh)
			add_document(f, &doc);
	}
	must(lines.at == lines.chunk.n);
	sh_lines_free(&lines);
	sh_document_room_free(&room);
}

static void read_all(const struct sh_corpus *c, struct found *f)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc;

	for (uint32_t i = 0; i < c->n; i++) {
		must(sh_corpus_document(c, i, &room, &doc, &err) == 0);
		add_document(f, &doc);
		must(sh_corpus_find(c, doc.id, SH_CORPUS_NONE) == i);
	}
	f->repeated = c->repeated;
	sh_document_room_free(&room);
}

static bool same(const struct found *a, const struct found *b)
{
	return a->repeated == b->repeated && a->lines == b->lines && a->n_bad == b->n_bad &&
	       sh_slice_eq(sh_buf_slice(&a->documents), sh_buf_slice(&b->documents)) &&
	       sh_slice_eq(sh_buf_slice(&a->bad), sh_buf_slice(&b->bad));
}

/* Writes the file to the FIFO in small parts. */
static void *feed(void *arg)
{
	FILE *from = fopen(path, "r"), *to = fopen(fifo, "w");
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

/* Opens the file, or a FIFO with its bytes. */
static void open_file(struct sh_corpus *c)
{
	bool piped = rng_below(3) == 0;
	pthread_t thread;

	if (piped)
		must(mkfifo(fifo, 0600) == 0 && pthread_create(&thread, NULL, feed, NULL) == 0);
	must(sh_corpus_open(c, &(char *){ piped ? fifo : path }, 1, NULL, &err) == 0);
	if (piped) {
		pthread_join(thread, NULL);
		unlink(fifo);
	}
}

/* Returns whether a run without rejects ends at the first bad line, if there is one. */
static bool stops(const struct kind *k, const struct found *f)
{
	struct sh_corpus c;
	uint64_t lines = 0;
	bool good;

	must(sh_corpus_init(&c, &k->form, &err) == 0);
	c.jobs = 1 + (unsigned)rng_below(5);
	c.trailer = k->trailer;
	open_file(&c);
	if (sh_corpus_scan(&c, &lines, NULL, NULL, &err) == 0)
		good = f->first_bad == 0;
	else
		good = err.line == f->first_bad && err.file == c.file[0].name;
	sh_corpus_free(&c);
	return good;
}

/* Reads up to three files in both ways. Returns whether they agree. */
static bool agree(struct kind *k)
{
	struct sh_tables tables;
	struct sh_corpus c;
	struct sh_hmap ids;
	struct found expected = { 0 }, got = { 0 };
	bool good = true;

	sh_tables_init(&tables, rng_below(2) ? 0 : (size_t)1 << (10 + rng_below(14)), NULL);
	must(sh_hmap_init(&ids, &err) == 0 && sh_corpus_init(&c, &k->form, &err) == 0);
	c.tables = &tables;
	c.jobs = 1 + (unsigned)rng_below(5);
	c.trailer = k->trailer;
	c.keeps_open = c.reads = rng_below(2);
	for (size_t files = 1 + rng_below(3); files > 0; files--) {
		write_file(k);
		read_in_order(k, &ids, &expected);
		good = good && stops(k, &expected);
		open_file(&c);
		must(sh_corpus_scan(&c, &got.lines, add_bad, &got, &err) == 0);
		unlink(path);
	}
	must(sh_corpus_index(&c, &err) == 0);
	read_all(&c, &got);
	good = good && same(&expected, &got);
	sh_corpus_free(&c);
	sh_tables_free(&tables);
	sh_hmap_free(&ids);
	found_free(&expected);
	found_free(&got);
	return good;
}

static void reads(const char *name, struct kind *k)
{
	unsigned rounds = rng_rounds(8), wrong = 0;

	for (unsigned i = 0; i < rounds; i++)
		wrong += !agree(k);
	ok(wrong == 0, "%s: several threads read what a reader of single lines reads, %u times",
	    name, rounds);
}

/* ---- ids ---- */

/* Many documents have few ids. The first document of an id counts, for any order of threads. */
static void repeat(void)
{
	enum { DOCS = 200000, IDS = 3 };
	const struct sh_document_form form = { 0 };
	FILE *f = fopen(path, "w");
	struct sh_corpus c;
	uint64_t lines = 0;
	unsigned wrong = 0;

	for (unsigned i = 0; i < DOCS; i++)
		fprintf(f, "%u\t%u\n", i % IDS, i);
	must(fclose(f) == 0 && sh_corpus_init(&c, &form, &err) == 0);
	c.jobs = 5;
	must(sh_corpus_open(&c, &(char *){ path }, 1, NULL, &err) == 0 &&
	     sh_corpus_scan(&c, &lines, NULL, NULL, &err) == 0 && sh_corpus_index(&c, &err) == 0);
	for (uint32_t i = 0; i < IDS; i++) {
		struct sh_document_room room = { 0 };
		struct sh_document doc;
		char n[2] = { (char)('0' + i), 0 };

		wrong += sh_corpus_document(&c, i, &room, &doc, &err) < 0 ||
			 !sh_slice_eq(doc.text, sh_slice_str(n));
		sh_document_room_free(&room);
	}
	ok(wrong == 0 && c.n == IDS && c.repeated == DOCS - IDS,
	    "%d documents with %d ids: the first document of each id counts", DOCS, IDS);
	sh_corpus_free(&c);
}

int main(void)
{
	struct kind tsv = { 0 }, numbered = { .form = { .line_ids = true } }, header = { 0 },
		    csv = { .form = { .csv = true } }, trailer = { .trailer = true },
		    numbered_trailer = { .form = { .line_ids = true }, .trailer = true };

	rng_init(0xC0D95);
	scratch(path, "corpus");
	scratch(fifo, "corpus-fifo");
	header.form.columns = &header.columns;
	csv.form.columns = &csv.columns;
	reads("TSV", &tsv);
	reads("TSV with a header", &header);
	reads("CSV", &csv);
	reads("lines as texts", &numbered);
	reads("two parts with trailers", &trailer);
	reads("lines as texts, with trailers", &numbered_trailer);
	repeat();
	unlink(path);
	return done_testing();
}
