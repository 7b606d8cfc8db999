/* SPDX-License-Identifier: MIT */
/* Sorted bands, fingerprints and a comparison of all pairs give the same pairs, each once. Cases:
 * random clustered sets, every distance to 12, many layouts, little memory, two files, several
 * threads, copies collapsed.
 *
 *     test_props_join --brute K [NEW] <FINGERPRINTS    prints the pairs of a comparison of all
 *
 * With NEW it prints pairs of a line of that file and a line of standard input. */
#include "join/bands.h"

#include <stdlib.h>
#include <string.h>

#include "fps.h"
#include "tap.h"

enum {
	CASES = 12000,
	FEW = 60,
	RECORDS_MAX = 240,
	PAIRS_MAX = RECORDS_MAX * RECORDS_MAX,
	BANDS_MAX = 160000
};

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
	unsigned ids = 1 + (unsigned)rng_below(4 * FEW), kind = (unsigned)rng_below(5);

	s->n = (unsigned)rng_below(rng_below(4) ? 24 : rng_below(6) ? FEW : RECORDS_MAX);
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

/* Adds the lines of a job: two ids and a distance. */
static int add_lines(void *arg, struct sh_job *job, struct sh_error *err)
{
	const char *p = job->out.p, *end = p + job->out.n;

	(void)err;
	while (p < end) {
		char line[64], a[8], b[8];
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		unsigned d;

		must(lf && (size_t)(lf - p) < sizeof line);
		memcpy(line, p, (size_t)(lf - p));
		line[lf - p] = '\0';
		must(sscanf(line, "%7[^\t]\t%7[^\t]\t%u", a, b, &d) == 3);
		add_pair(arg, a, b, d);
		p = lf + 1;
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
	uint64_t place; /* a random number to order by */
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

/* Makes all bands in order of their keys; lines of one key are in random order. */
static void make_bands(struct bands *b, const struct set *s, const struct sh_band *layout)
{
	b->n = b->at = 0;
	b->key_len = comparing = layout->key_len;
	for (unsigned i = 0; i < s->n; i++) {
		for (uint32_t t = 0; t < layout->tables; t++) {
			struct line *l = &b->line[b->n++];

			must(b->n <= BANDS_MAX);
			sh_band_key(layout, &layout->table[t], s->r[i].fp, l->key);
			l->r = &s->r[i];
			l->place = rng();
		}
	}
	qsort(b->line, b->n, sizeof *b->line, by_key);
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

struct sides {
	struct sh_bands *join;
	struct bands *bands[2];
};

static int next_of_side(void *arg, unsigned side, struct sh_band_record *r, struct sh_error *err)
{
	struct sides *s = arg;

	if (!next_record(s->bands[side], r))
		return 0;
	return sh_bands_check(s->join, side, r, err) < 0 ? -1 : 1;
}

static void join_bands(
    const struct sh_bands_opts *opts, struct bands *a, struct bands *b, struct pairs *out)
{
	struct sh_error err = { .text = "" };
	struct sh_bands *join = sh_bands_new(opts, &err);
	struct sh_pool pool = { .done = add_lines, .arg = out };
	struct sh_job job = { .pool = &pool };

	must(join != NULL);
	out->n = 0;
	if (sh_bands_join(join, next_of_side, &(struct sides){ join, { a, b } }, &job, &err) < 0) {
		printf("# %s\n", err.text);
		add_pair(out, "error", "", 0);
	}
	must(sh_job_flush(&job, &err) == 0);
	sh_buf_free(&job.out);
	sh_bands_delete(join);
}

/* ---- fingerprints ---- */

static unsigned partitions; /* joins with several partitions */

static void fill(struct sh_parts *parts, const struct set *s)
{
	struct sh_error err;

	for (unsigned i = 0; i < s->n; i++)
		must(sh_parts_add(parts, s->r[i].fp, sh_slice_str(s->r[i].id), &err) == 0);
	must(sh_parts_close(parts, &err) == 0);
}

/* Joins in memory, or in partitions when the memory is little. */
static void join_fingerprints(const struct set *a, const struct set *b, unsigned k, bool collapse,
    size_t memory, struct pairs *out)
{
	struct sh_join_side room = { 0 };
	struct sh_parts x, y;
	struct sh_error err;
	unsigned threads = 1 + below(4);
	struct sh_join *engine = sh_join_new(bits, k, threads, &err);
	struct sh_pool pool = { .done = add_lines, .arg = out };
	struct sh_job job = { .pool = &pool };
	struct sh_pairs how = { .collapse = collapse, .identical = true };

	must(engine != NULL);
	out->n = 0;
	sh_parts_init(&x, words, memory, threads, &room, NULL);
	sh_parts_init(&y, words, memory, threads, &room, NULL);
	fill(&x, a);
	if (b)
		fill(&y, b);
	if (x.n > 1)
		partitions++;
	must(sh_parts_join(&x, b ? &y : NULL, how, engine, &job, &err) == 0);
	must(sh_job_flush(&job, &err) == 0);
	sh_buf_free(&job.out);
	sh_parts_free(&x);
	sh_parts_free(&y);
	sh_join_side_free(&room);
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
	unsigned banded, in_memory, pairs, cross, collapsed, little;
};

static void one_case(struct tally *bad, struct tally *did, struct bands *x, struct bands *y)
{
	static struct set a, b;
	static struct pairs want, got;
	unsigned k = (unsigned)rng_below(13);
	bool cross = rng_below(3) == 0, collapse = rng_below(3) == 0;
	struct sh_bands_opts opts = { .k = -1,
		.collapse = collapse,
		.sides = cross ? 2 : 1,
		.threads = 1 + below(3),
		.memory = 1 << 20 };
	struct sh_band layout;

	random_layout(&layout, k);
	if (rng_below(4) == 0)
		opts.k = (int)(k = (unsigned)rng_below(k + 1));
	if (layout.tables <= 20 && rng_below(4) == 0)
		opts.memory = 1, did->little++;
	random_set(&a, NULL, k);
	make_bands(x, &a, &layout);
	if (cross) {
		random_set(&b, &a, k);
		make_bands(y, &b, &layout);
		brute_cross(&a, &b, k, collapse, &want);
	} else {
		brute_self(&a, k, collapse, &want);
	}
	join_bands(&opts, x, cross ? y : NULL, &got);
	bad->banded += !same_pairs(&got, &want);
	join_fingerprints(&a, cross ? &b : NULL, k, collapse, opts.memory, &got);
	bad->in_memory += !same_pairs(&got, &want);
	did->pairs += want.n;
	did->cross += cross;
	did->collapsed += collapse;
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
	ok(bad.banded == 0,
	    "%u random sets: pairs of bands equal the pairs of brute force (%u do not)", cases,
	    bad.banded);
	ok(bad.in_memory == 0, "pairs of fingerprints equal the pairs of brute force (%u do not)",
	    bad.in_memory);
	ok(did.pairs > 10 * cases, "each of %u pairs is written once", did.pairs);
	ok(did.cross > cases / 5 && did.collapsed > cases / 5,
	    "%u sets are joined across two files, %u collapsed", did.cross, did.collapsed);
	ok(did.little > cases / 20 && partitions > cases / 1000,
	    "%u joins have very little memory, %u several partitions", did.little, partitions);
	free(x.line);
	free(y.line);
	return done_testing();
}
