/* Pairs of sorted bands, pairs in memory and a comparison of all pairs give the same pairs, each
 * once. Cases: random clustered sets, every distance to 12, many layouts, groups in any order,
 * little memory, two files, several threads, copies collapsed.
 *
 *     test_props_join --brute K [NEW] <FINGERPRINTS    prints the pairs of a comparison of all
 *
 * With NEW it prints pairs of a line of that file and a line of standard input. */
#include "base/num.h"
#include "io/source.h"
#include "join/bandfiles.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "fps.h"
#include "packets.h"
#include "tap.h"

enum { CASES = 12000, RECORDS_MAX = 60, PAIRS_MAX = RECORDS_MAX * RECORDS_MAX, BANDS_MAX = 40000 };

/* ---- sets ---- */

struct record {
	uint64_t fp[4];
	char id[8];
};

struct set {
	struct record r[RECORDS_MAX];
	unsigned n;
};

static unsigned bits, words;

static bool same_fp(const struct record *x, const struct record *y)
{
	return memcmp(x->fp, y->fp, words * sizeof *x->fp) == 0;
}

static bool same_record(const struct record *x, const struct record *y)
{
	return same_fp(x, y) && strcmp(x->id, y->id) == 0;
}

/* Makes copies, fingerprints at every distance up to k + 2, and repeated ids. */
static void random_set(struct set *s, const struct set *near, unsigned k)
{
	unsigned ids = 1 + (unsigned)rng_below(4 * RECORDS_MAX), kind = (unsigned)rng_below(5);

	s->n = (unsigned)rng_below(rng_below(4) ? 24 : RECORDS_MAX);
	for (unsigned i = 0; i < s->n; i++) {
		struct record *r = &s->r[i];
		const struct set *from = near && near->n && rng() & 1 ? near : s;

		memset(r, 0, sizeof *r);
		for (unsigned w = 0; w < words; w++)
			r->fp[w] = bits == 32 ? rng() << 32 : rng();
		if ((from == near || i) && rng_below(4)) {
			unsigned flips = (unsigned)rng_below(k + 3);

			memcpy(
			    r->fp, from->r[rng_below(from == near ? from->n : i)].fp, sizeof r->fp);
			for (; flips; flips--)
				flip(r->fp, (unsigned)rng_below(bits));
		}
		if (kind == 0)
			snprintf(r->id, sizeof r->id, "%u", (ids + i) % 1000000);
		else
			snprintf(r->id, sizeof r->id,
			    kind == 1       ? "%u"
			    : kind == 2     ? "%03u"
			    : rng_below(20) ? "%x"
					    : "x%u",
			    (unsigned)rng_below(ids));
	}
}

/* ---- pairs ---- */

struct pair {
	char a[8], b[8];
	unsigned distance;
};

struct pairs {
	struct pair p[PAIRS_MAX];
	unsigned n;
};

static void add_pair(struct pairs *to, const char *a, const char *b, unsigned distance)
{
	must(to->n < PAIRS_MAX);
	strcpy(to->p[to->n].a, a);
	strcpy(to->p[to->n].b, b);
	to->p[to->n++].distance = distance;
}

struct printed {
	char a[8], b[8];
	unsigned distance;
};

static int take_pair(struct sh_job *job, struct sh_slice a, struct sh_slice b, unsigned distance,
    struct sh_error *err)
{
	struct printed line = { "", "", distance };
	char *room = sh_job_room(job, sizeof line, err);

	must(room && a.n < sizeof line.a && b.n < sizeof line.b);
	memcpy(line.a, a.p, a.n);
	memcpy(line.b, b.p, b.n);
	memcpy(room, &line, sizeof line);
	job->out.n += sizeof line;
	return 0;
}

static int take_pairs(
    struct sh_job *job, const struct sh_id_pair *pair, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++)
		take_pair(job, pair[i].id1, pair[i].id2, pair[i].distance, err);
	return 0;
}

/* Adds the pairs of a job. */
static int add_lines(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct printed line;

	(void)err;
	for (size_t at = 0; at < job->out.n; at += sizeof line) {
		memcpy(&line, job->out.p + at, sizeof line);
		add_pair(arg, line.a, line.b, line.distance);
	}
	return 0;
}

static atomic_uint worded; /* pairs that came as words */

static int take_words(
    struct sh_job *job, const struct sh_word_pair *pair, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++) {
		char id1[8], id2[8];

		sh_put_be64(id1, pair[i].id1);
		sh_put_be64(id2, pair[i].id2);
		take_pair(job, sh_slice(id1, sh_id_word_length(pair[i].id1)),
		    sh_slice(id2, sh_id_word_length(pair[i].id2)), pair[i].distance, err);
		worded++;
	}
	return 0;
}

static int by_all(const void *p, const void *q)
{
	const struct pair *x = p, *y = q;
	int c = strcmp(x->a, y->a);

	c = c ? c : strcmp(x->b, y->b);
	return c ? c : (x->distance > y->distance) - (x->distance < y->distance);
}

static bool same_pairs(struct pairs *x, struct pairs *y)
{
	if (x->n != y->n)
		return false;
	qsort(x->p, x->n, sizeof *x->p, by_all);
	qsort(y->p, y->n, sizeof *y->p, by_all);
	for (unsigned i = 0; i < x->n; i++)
		if (by_all(&x->p[i], &y->p[i]) != 0)
			return false;
	return true;
}

/* ---- the oracle ---- */

static unsigned distance(const struct record *x, const struct record *y)
{
	unsigned d = 0;

	for (unsigned i = 0; i < bits; i++)
		d += (unsigned)((x->fp[i / 64] ^ y->fp[i / 64]) >> (63 - i % 64) & 1);
	return d;
}

/* Returns whether an earlier record equals this one. */
static bool is_repeated(const struct set *s, unsigned i)
{
	for (unsigned j = 0; j < i; j++)
		if (same_record(&s->r[i], &s->r[j]))
			return true;
	return false;
}

/* Returns whether the record has the smallest id of its fingerprint. */
static bool is_first(const struct set *s, unsigned i)
{
	for (unsigned j = 0; j < s->n; j++)
		if (same_fp(&s->r[i], &s->r[j]) && strcmp(s->r[j].id, s->r[i].id) < 0)
			return false;
	return true;
}

static void brute_self(const struct set *s, unsigned k, bool collapse, struct pairs *out)
{
	out->n = 0;
	for (unsigned i = 0; i < s->n; i++) {
		for (unsigned j = 0; j < i; j++) {
			const struct record *x = &s->r[i], *y = &s->r[j];
			unsigned d = distance(x, y);
			bool one = is_first(s, i), other = is_first(s, j);

			if (d > k || is_repeated(s, i) || is_repeated(s, j) ||
			    strcmp(x->id, y->id) == 0)
				continue;
			if (collapse && !(d == 0 ? one || other : one && other))
				continue;
			if (strcmp(x->id, y->id) < 0)
				add_pair(out, x->id, y->id, d);
			else
				add_pair(out, y->id, x->id, d);
		}
	}
}

static void brute_cross(
    const struct set *a, const struct set *b, unsigned k, bool collapse, struct pairs *out)
{
	out->n = 0;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned j = 0; j < b->n; j++)
			if (distance(&a->r[i], &b->r[j]) <= k && !is_repeated(a, i) &&
			    !is_repeated(b, j) && (!collapse || is_first(b, j)))
				add_pair(out, a->r[i].id, b->r[j].id, distance(&a->r[i], &b->r[j]));
}

/* ---- bands ---- */

struct line {
	char key[SH_BAND_MAX_KEY];
	const struct record *r;
	uint64_t group, place; /* random numbers to order by */
};

struct bands {
	struct line *line;
	unsigned n, at;
	size_t key_len;
};

static size_t comparing; /* bytes of the keys that qsort compares */

static int by_key(const void *p, const void *q)
{
	const struct line *x = p, *y = q;
	int c = memcmp(x->key, y->key, comparing);

	return c ? c : (x->place > y->place) - (x->place < y->place);
}

static int by_group(const void *p, const void *q)
{
	const struct line *x = p, *y = q;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return by_key(p, q);
}

/* All bands in order of their keys, lines of one key in random order; then, unless
 * `sorted`, the groups in random order too. */
static void make_bands(
    struct bands *b, const struct set *s, const struct sh_band *layout, bool sorted)
{
	struct sh_band_table room;

	b->n = b->at = 0;
	b->key_len = comparing = layout->key_len;
	for (unsigned i = 0; i < s->n; i++) {
		for (uint32_t t = 0; t < layout->tables; t++) {
			struct line *l = &b->line[b->n++];

			must(b->n <= BANDS_MAX);
			sh_band_key(layout, sh_band_table(layout, t, &room), s->r[i].fp, l->key);
			l->r = &s->r[i];
			l->place = rng();
		}
	}
	qsort(b->line, b->n, sizeof *b->line, by_key);
	for (unsigned i = 0; i < b->n; i++) {
		bool goes_on = i && memcmp(b->line[i].key, b->line[i - 1].key, b->key_len) == 0;

		b->line[i].group = goes_on ? b->line[i - 1].group : rng();
	}
	if (!sorted)
		qsort(b->line, b->n, sizeof *b->line, by_group);
}

/* As a band record; the fingerprint's text is only for messages. */
static bool next_record(struct bands *b, struct sh_band_record *r)
{
	const struct line *l = &b->line[b->at];

	if (b->at == b->n)
		return false;
	b->at++;
	*r = (struct sh_band_record){ .key = sh_slice(l->key, b->key_len) };
	r->of.hex = sh_slice("", 0);
	r->of.id = sh_slice_str(l->r->id);
	r->of.bits = bits;
	memcpy(r->of.fp, l->r->fp, words * sizeof *r->of.fp);
	return true;
}

/* The lines of bands, SH_PAD bytes behind them, and where each begins. */
struct text {
	struct sh_buf buf;
	size_t at[BANDS_MAX + 1];
};

static void print_bands(struct text *t, const struct bands *b)
{
	struct sh_error err;
	char hex[SH_FP_MAX_BITS / 4];

	for (unsigned i = 0; i < b->n; i++) {
		const struct record *r = b->line[i].r;
		struct sh_slice field[6] = { sh_slice(b->line[i].key, b->key_len),
			sh_slice_str("\t"), sh_slice(hex, sh_print_hex(hex, r->fp, bits / 4)),
			sh_slice_str("\t"), sh_slice_str(r->id), sh_slice_str("\n") };

		t->at[i] = t->buf.n;
		for (unsigned f = 0; f < 6; f++)
			must(sh_buf_add(&t->buf, field[f].p, field[f].n, &err) == 0);
	}
	t->at[b->n] = t->buf.n;
	must(sh_buf_reserve(&t->buf, SH_PAD, &err) == 0);
	memset(t->buf.p + t->buf.n, 0, SH_PAD);
}

/* Some of the lines that follow, as a block of text, which ends anywhere. */
static int take_block(
    struct sh_stream *s, struct bands *b, const struct text *t, struct sh_error *err)
{
	unsigned to = b->at + (unsigned)rng_below(b->n - b->at + 1);
	size_t from = t->at[b->at], n;
	ssize_t took = sh_stream_add_lines(s, sh_slice(t->buf.p + from, t->at[to] - from), &n, err);

	if (took < 0)
		return -1;
	must(n <= to - b->at && t->at[b->at + n] - from == (size_t)took);
	b->at += (unsigned)n;
	return 0;
}

struct sides {
	struct sh_stream *stream;
	struct bands *bands[2];
};

static int next_of_side(void *arg, unsigned side, struct sh_band_record *r, struct sh_error *err)
{
	struct sides *s = arg;

	if (!next_record(s->bands[side], r))
		return 0;
	return sh_stream_check(s->stream, side, r, err) < 0 ? -1 : 1;
}

static void join_stream(
    struct sh_stream_opts opts, struct bands *a, struct bands *b, struct pairs *out)
{
	struct sh_error err = { .text = "" };
	struct sh_stream *s;
	static struct text text;
	struct sh_band_record r;
	struct sh_pool pool = { .done = add_lines, .arg = out };
	struct sh_job job = { .pool = &pool };
	struct sh_error ignored;
	int status = 0;

	out->n = 0;
	opts.pair = take_pair;
	opts.out = &job;
	s = sh_stream_new(&opts, b ? 2 : 1, &err);
	must(s != NULL);
	if (b) {
		status =
		    sh_stream_cross(s, next_of_side, &(struct sides){ s, { a, b } }, NULL, &err);
	} else {
		text.buf.n = 0;
		print_bands(&text, a);
		while (status == 0 && next_record(a, &r)) {
			status = sh_stream_check(s, 0, &r, &err);
			if (status == 0)
				status = sh_stream_add(s, &r, &err);
			if (status == 0 && rng_below(4))
				status = take_block(s, a, &text, &err);
		}
		if (status == 0)
			status = sh_stream_finish(s, &err);
	}
	must(sh_job_flush(&job, &ignored) == 0);
	sh_buf_free(&job.out);
	if (status < 0) {
		printf("# %s\n", err.text);
		out->n = 0;
		add_pair(out, "error", "", 0);
	}
	sh_stream_delete(s);
}

/* ---- two files ---- */

static int read_band(void *arg, struct sh_stream *s, unsigned side, struct sh_slice line,
    const struct sh_lines *from, struct sh_band_record *r, struct sh_error *err)
{
	(void)arg;
	(void)from;
	return sh_record_band(line, r, err) < 0 ? -1 : sh_stream_check(s, side, r, err);
}

struct two_files {
	struct sh_stream *layout;
	struct pairs *out;
	unsigned failed; /* pieces */
};

static bool look_at_band(void *two, struct sh_slice line, struct sh_band_record *r)
{
	const struct two_files *f = two;
	struct sh_error err;

	return sh_record_band(line, r, &err) == 0 && sh_stream_check(f->layout, 0, r, &err) == 0;
}

static int add_job(void *two, struct sh_job *job, struct sh_error *err)
{
	struct two_files *f = two;

	if (job->failed)
		f->failed++;
	return add_lines(f->out, job, err);
}

/* By several threads. The keys are in order, so a piece fails only when a cut divides a bucket.
 * After that, one thread joins all other lines. */
static void join_files(
    struct sh_stream_opts opts, const struct bands *a, const struct bands *b, struct pairs *out)
{
	static struct text text[2];
	static char *names[] = { "text" };
	struct packets pipe[2]; /* so that the files are cut anywhere */
	struct sh_lines lines[2];
	struct sh_error err = { .text = "" };
	struct two_files two = { sh_stream_new(&opts, 1, &err), out, 0 };
	struct sh_band_files_calls calls = { read_band, look_at_band, NULL, add_job, &two };
	struct sh_band_files files = { lines, opts, 1 + below(4), false, below(3000) };
	uint64_t repeated;

	must(two.layout != NULL);
	files.opts.pair = take_pair;
	out->n = 0;
	for (unsigned i = 0; i < 2; i++) {
		text[i].buf.n = 0;
		print_bands(&text[i], i ? b : a);
		sh_lines_init(&lines[i], names, 1);
		packets_open(&pipe[i], &text[i].buf, 400);
		lines[i].source.fds = &pipe[i].end;
	}
	if (sh_band_files_join(&files, &calls, &repeated, &err) < 0) {
		printf("# %s\n", err.text);
		out->n = 0;
		add_pair(out, "error", "", 0);
	}
	if (two.failed)
		add_pair(out, "cut", "", 0);
	for (unsigned i = 0; i < 2; i++) {
		sh_lines_free(&lines[i]);
		packets_close(&pipe[i]);
	}
	sh_stream_delete(two.layout);
}

/* ---- in memory ---- */

static void fill(struct sh_nodes *nodes, const struct set *s, struct sh_side *room)
{
	struct sh_error err;

	must(sh_nodes_init(nodes, words, room, &err) == 0);
	for (unsigned i = 0; i < s->n; i++)
		must(sh_nodes_add(nodes, s->r[i].fp, sh_slice_str(s->r[i].id), &err) == 0);
	must(sh_nodes_close(nodes, &err) == 0);
	nodes->ids.roomy = rng_below(2);
}

static void join_memory(
    const struct set *a, const struct set *b, unsigned k, bool collapse, struct pairs *out)
{
	struct sh_nodes x, y;
	struct sh_side room = { 0 };
	struct sh_error err;
	struct sh_join *engine = sh_join_new(bits, k, NULL, &err);
	struct sh_pool pool = { .done = add_lines, .arg = out };
	struct sh_job job = { .pool = &pool };
	struct sh_emit e = { &x, b ? &y : &x, collapse, take_pair, &job, !b,
		rng_below(2) ? take_pairs : NULL, NULL };

	if (e.pairs && rng_below(2))
		e.words = take_words;
	must(engine && sh_join_set_threads(engine, 1 + (unsigned)rng_below(3), &err) == 0);
	out->n = 0;
	fill(&x, a, &room);
	if (b) {
		fill(&y, b, &room);
		must(sh_emit_cross(&e, engine, &err) == 0);
		sh_nodes_free(&y);
	} else {
		must(sh_emit_identical(&e, engine, &err) == 0);
		must(sh_emit_self(&e, engine, &err) == 0);
	}
	must(sh_job_flush(&job, &err) == 0);
	sh_buf_free(&job.out);
	sh_nodes_free(&x);
	sh_side_free(&room);
	sh_join_delete(engine);
}

/* ---- the properties ---- */

static void random_layout(struct sh_band *layout, unsigned k)
{
	static const unsigned widths[] = { 32, 64, 64, 128, 256 };
	struct sh_error err;

	bits = widths[rng_below(5)];
	words = SH_FP_WORDS(bits);
	/* Prefers few tables, because many tables take more time. */
	for (;;) {
		unsigned blocks = k + 1 + (unsigned)rng_below(rng_below(3) ? 2 : 5);

		must(sh_band_init(layout, bits, k, blocks, &err) == 0);
		if (layout->tables <= (rng_below(20) ? 60 : 600))
			return;
		sh_band_free(layout);
	}
}

struct tally {
	unsigned streamed, files, in_memory, pairs, cross, collapsed, little, shuffled;
};

static void one_case(struct tally *bad, struct tally *did, struct bands *x, struct bands *y)
{
	static struct set a, b;
	static struct pairs want, got;
	unsigned guaranteed = (unsigned)rng_below(13);
	bool cross = rng_below(3) == 0, collapse = rng_below(3) == 0, sorted = cross || rng() & 1;
	struct sh_stream_opts opts = { .k = -1, .collapse = collapse, .memory = 1 << 20 };
	unsigned k = guaranteed;
	struct sh_band layout;

	random_layout(&layout, guaranteed);
	if (rng_below(4) == 0)
		opts.k = (int)(k = (unsigned)rng_below(guaranteed + 1));
	if (layout.tables <= 20 && rng_below(4) == 0)
		opts.memory = 1 + rng_below(6000), did->little++;
	random_set(&a, NULL, k);
	make_bands(x, &a, &layout, sorted);
	if (cross) {
		random_set(&b, &a, k);
		make_bands(y, &b, &layout, true);
		brute_cross(&a, &b, k, collapse, &want);
	} else {
		brute_self(&a, k, collapse, &want);
	}
	join_stream(opts, x, cross ? y : NULL, &got);
	bad->streamed += !same_pairs(&got, &want);
	if (cross) {
		join_files(opts, x, y, &got);
		bad->files += !same_pairs(&got, &want);
	}
	join_memory(&a, cross ? &b : NULL, k, collapse, &got);
	bad->in_memory += !same_pairs(&got, &want);
	did->pairs += want.n;
	did->cross += cross;
	did->collapsed += collapse;
	did->shuffled += !sorted;
	sh_band_free(&layout);
}

/* ---- all with all, for files of records ---- */

enum { LINES_MAX = 1 << 16, LINE_MAX_BYTES = 8192 };

struct lines {
	char **line;
	size_t n;
};

static void read_lines(struct lines *to, FILE *f)
{
	char line[LINE_MAX_BYTES];

	to->line = calloc(LINES_MAX, sizeof *to->line);
	must(f && to->line);
	for (to->n = 0; fgets(line, sizeof line, f); to->n++) {
		must(to->n < LINES_MAX);
		line[strcspn(line, "\n")] = '\0';
		to->line[to->n] = strdup(line);
	}
}

static void free_lines(struct lines *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->line[i]);
	free(x->line);
}

/* Digit by digit, up to the TAB. */
static unsigned hex_distance(const char *x, const char *y)
{
	static const char digits[] = "0123456789abcdef";
	unsigned d = 0;

	for (; *x != '\t'; x++, y++) {
		unsigned long differ =
		    (unsigned long)((strchr(digits, *x) - digits) ^ (strchr(digits, *y) - digits));

		for (; differ; differ >>= 1)
			d += differ & 1;
	}
	return d;
}

static int brute_files(unsigned k, FILE *new)
{
	struct lines x, y;

	read_lines(&y, stdin);
	if (new)
		read_lines(&x, new);
	else
		x = y;
	for (size_t i = 0; i < x.n; i++) {
		for (size_t j = new ? 0 : i + 1; j < y.n; j++) {
			const char *a = strchr(x.line[i], '\t'), *b = strchr(y.line[j], '\t'), *c;
			unsigned d = hex_distance(x.line[i], y.line[j]);

			if (d > k)
				continue;
			if (!new &&strcmp(a, b) > 0)
				c = a, a = b, b = c;
			printf("%s%s\t%u\n", a + 1, b, d);
		}
	}
	free_lines(&y);
	if (new) {
		free_lines(&x);
		fclose(new);
	}
	return fflush(stdout) == EOF;
}

int main(int argc, char **argv)
{
	unsigned cases = rng_rounds(CASES);
	struct bands x = { 0 }, y = { 0 };
	struct tally bad = { 0 }, did = { 0 };

	if (argc >= 3 && strcmp(argv[1], "--brute") == 0)
		return brute_files(
		    (unsigned)strtoul(argv[2], NULL, 10), argc > 3 ? fopen(argv[3], "r") : NULL);
	x.line = calloc(BANDS_MAX, sizeof *x.line);
	y.line = calloc(BANDS_MAX, sizeof *y.line);
	must(x.line && y.line);
	rng_init(31121);
	for (unsigned i = 0; i < cases; i++)
		one_case(&bad, &did, &x, &y);
	ok(bad.streamed == 0,
	    "%u random sets: pairs of bands equal the pairs of brute force (%u do not)", cases,
	    bad.streamed);
	ok(bad.files == 0, "pairs of two files of bands equal the pairs of brute force (%u do not)",
	    bad.files);
	ok(bad.in_memory == 0, "pairs in memory equal the pairs of brute force (%u do not)",
	    bad.in_memory);
	ok(did.pairs > 10 * cases, "each of %u pairs is written once", did.pairs);
	ok(did.cross > cases / 5 && did.collapsed > cases / 5,
	    "%u sets are joined across two files, %u collapsed", did.cross, did.collapsed);
	ok(did.shuffled > cases / 5, "%u streams have groups of keys in random order",
	    did.shuffled);
	ok(worded > cases / 50, "%u pairs have words as ids", worded);
	ok(did.little > cases / 20, "%u joins have very little memory", did.little);
	free(x.line);
	free(y.line);
	return done_testing();
}
