/* SPDX-License-Identifier: MIT */
/* shband: fingerprints to bands, signatures to keys of their bands. */
#include <limits.h>

#include "band/band.h"
#include "base/num.h"
#include "fp/defaults.h"
#include "fp/tag.h"
#include "hash/hash.h"
#include "match/keyrecord.h"
#include "record/fields.h"
#include "run.h"

enum { EXPLAIN = CLI_OWN, ROWS, BANDS };

enum { NO_K = UINT_MAX };

/* See print_cost(). */
enum { COUNT = 1000000, ID = 16 };
#define SORT    1.9e-9
#define COMPARE 0.15e-9

/* Values of a signature: hex digits of a value, and most values. */
enum { VALUE_DIGITS = 8, MAX_VALUES = 65536 };

static const struct cli_option options[] = {
	{ 'k', "distance", "K",
	    "find all pairs within Hamming distance K [64 bits: " SH_DEFAULT_TEXT(
		SH_DEFAULT_DISTANCE) "]" },
	{ 'M', "blocks", "M", "cut the fingerprint into M blocks [K + 1]" },
	{ 'b', "bits", "BITS", "width of fingerprints for --explain [64]" },
	{ EXPLAIN, "explain", NULL, "show the cost of each layout and the choice, and end" },
	{ ROWS, "rows", "R", "read signatures; write a key for each band of R values" },
	{ BANDS, "bands", "B", "with --rows: take the first B bands only [all whole ones]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shband",
	.threads = "fingerprints",
	.synopsis = "[FILE...]",
	.purpose = "Fingerprints (fp<TAB>id<TAB>tag) to bands (key<TAB>fp<TAB>id), one a table;\n"
		   "with --rows, signatures (hex<TAB>id) to keys (key<TAB>id), one a band.",
	.options = { options },
};

/* Shared by all workers. */
struct state {
	struct cli *cli;
	unsigned k, blocks, bits; /* k: NO_K, or the value of -k; blocks: 0, or the value of -M */
	unsigned rows, bands;     /* of signatures; rows 0: the input is fingerprints */
	unsigned values;          /* of the first signature; 0 when it is bad */

	/* Of fingerprints. */
	struct sh_band band;
	struct sh_tags tags;
};

/* ---- layouts ---- */

/* Returns the value of -k, or its default for fingerprints of 64 bits. */
static unsigned distance(const struct state *s, unsigned bits)
{
	if (s->k != NO_K)
		return s->k;
	if (bits != SH_DEFAULT_BITS)
		cli_usage(s->cli,
		    "-k is needed: its default, %d, is for fingerprints of %d bits, these have %u",
		    SH_DEFAULT_DISTANCE, SH_DEFAULT_BITS, bits);
	return SH_DEFAULT_DISTANCE;
}

/* Makes the layout of -M, or the one with the fewest tables. */
static int init_layout(struct state *s, unsigned bits, struct sh_error *err)
{
	unsigned k = distance(s, bits);

	return sh_band_init(&s->band, bits, k, s->blocks ? s->blocks : k + 1, err);
}

/* ---- costs ---- */

/* Returns the natural logarithm of x >= 1, without libm: the result is the same on every
 * machine. */
static double ln(double x)
{
	double y, y2, term, sum = 0;
	int twos = 0;

	for (; x >= 2; x /= 2)
		twos++;
	y = (x - 1) / (x + 1);
	y2 = y * y;
	term = y;
	for (int i = 1; i < 40; i += 2, term *= y2)
		sum += term / i;
	return 2 * sum + twos * 0.6931471805599453;
}

/* Shows the cost of a layout for COUNT distinct, uniformly distributed fingerprints with ids of ID
 * bytes, in seconds of one core of a server of 2023: bytes * log2(lines) * SORT (GNU sort,
 * LC_ALL=C, whole line), and candidates * COMPARE. Returns the seconds. */
static double print_cost(struct cli *c, const struct sh_band *b, bool chosen)
{
	double lines = b->tables * (double)COUNT, buckets = 1, candidates, bytes, sort, compare;

	/* 2^1024 is no double. No two random fingerprints share a key of that many bits. */
	for (unsigned i = 0; i < b->key_bits_min && i < 1020; i++)
		buckets *= 2;
	candidates = lines * COUNT / 2 / buckets;
	bytes = lines * (b->key_len + 1 + b->bits / 4 + 1 + ID + 1);
	sort = bytes * ln(lines) / ln(2) * SORT;
	compare = candidates * COMPARE;
	cli_print(c, "%c %6u %8u %8u %12.3g %12.3g %10.3g %10.3g %10.3g\n", chosen ? '*' : ' ',
	    b->blocks, b->tables, b->key_bits_min, bytes, candidates, COUNT / buckets, sort,
	    compare);
	return sort + compare;
}

/* Shows the layout with the fewest tables, and the layouts that cost at most about four times as
 * much. Marks the layout of -M; without -M, the layout with the fewest tables. */
static void explain(struct state *s)
{
	struct cli *c = s->cli;
	unsigned k = distance(s, s->bits), chosen = s->blocks ? s->blocks : k + 1;
	double cost = 0, first = 0;
	struct sh_band b;
	struct sh_error err;

	if (init_layout(s, s->bits, &err) < 0)
		cli_usage(c, "%s", err.text);
	cli_print(c,
	    "%u bits, distance %u, %d fingerprints with ids of %d bytes, uniformly distributed\n",
	    s->bits, k, COUNT, ID);
	cli_print(c, "  %6s %8s %8s %12s %12s %10s %10s %10s\n", "blocks", "tables", "key bits",
	    "bytes", "candidates", "in bucket", "sort s", "compare s");
	for (unsigned m = k + 1; cost <= 4 * first; m++) {
		if (sh_band_init(&b, s->bits, k, m, &err) < 0) {
			if (err.code == SH_ERR_NOMEM)
				cli_die(c, &err);
			break;
		}
		cost = print_cost(c, &b, m == chosen);
		first = m == k + 1 ? cost : first;
		sh_band_free(&b);
		if (m == chosen)
			chosen = 0; /* it was shown */
	}
	if (chosen)
		print_cost(c, &s->band, true);
	sh_band_free(&s->band);
}

/* ---- fingerprints ---- */

static int each(void *state, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct state *s = state;
	unsigned bits = s->band.bits;
	struct sh_fp_record r;

	if (sh_record_fp(cli_strip(s->cli->crlf, line), &r, err) < 0 ||
	    sh_same_width(&bits, &r, err) < 0 ||
	    sh_tags_check(&s->tags, r.tag, job->from.file, err) < 0)
		return -1;
	return sh_band_lines_add(&s->band, &r, &job->out, err);
}

static int fingerprint(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_fp_record r;

	(void)source;
	return sh_record_fp(line, &r, err);
}

/* Makes the layout for the width of the first record. The workers report a bad one. */
static void begin_fingerprints(
    struct state *s, const struct sh_source *source, struct sh_slice line)
{
	unsigned bits = s->bits;
	struct sh_fp_record r;
	struct sh_error err;

	cli_doubt(s->cli, source, sh_record_fp_doubt(sh_source_peeked(source)));
	if (sh_record_fp(line, &r, &err) == 0) {
		bits = r.bits;
		sh_tags_check(&s->tags, r.tag, source->name, &err);
	}
	if (init_layout(s, bits, &err) == 0)
		return;
	if (err.code != SH_ERR_PARAM)
		cli_die(s->cli, &err);
	cli_usage(s->cli, "%s", err.text);
}

/* ---- signatures ---- */

/* Reads a record: hex TAB id. values: of its signature, or 0 for any number. */
static int read_signature(
    struct sh_slice line, unsigned values, struct sh_slice field[2], struct sh_error *err)
{
	size_t fields = sh_fields_split(line, field, 2), digits = field[0].n;
	uint64_t value;

	if (fields != 2)
		return sh_error_set(err, SH_ERR_RECORD, "%zu field%s, expected signature<TAB>id",
		    fields, CLI_PLURAL(fields));
	if (sh_id_check(field[1], err) < 0)
		return -1;
	if (digits == 0 || digits % VALUE_DIGITS || digits / VALUE_DIGITS > MAX_VALUES)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a signature of %zu digits, expected %d digits for each of 1 to %d values "
		    "(shfp --permutations)",
		    digits, VALUE_DIGITS, MAX_VALUES);
	if (values && digits != values * VALUE_DIGITS)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a signature of %zu values, expected %u values as in the first record",
		    digits / VALUE_DIGITS, values);
	for (size_t i = 0; i < digits; i += VALUE_DIGITS)
		if (sh_parse_hex_number(sh_slice(field[0].p + i, VALUE_DIGITS), &value) < 0)
			return sh_error_set(err, SH_ERR_RECORD,
			    "value %zu of the signature, '%.*s', is not lower-case hexadecimal",
			    i / VALUE_DIGITS + 1, VALUE_DIGITS, field[0].p + i);
	return 0;
}

static int each_signature(
    void *state, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	const struct state *s = state;
	const struct sh_hash *hash = sh_hash_find("xxh3");
	struct sh_slice field[2];
	size_t band_digits = (size_t)s->rows * VALUE_DIGITS;

	if (read_signature(cli_strip(s->cli->crlf, line), s->values, field, err) < 0)
		return -1;
	for (unsigned band = 0; band < s->bands; band++) {
		size_t need = SH_KEY_CHARS + field[1].n + 2;
		uint64_t h;
		char *p;

		if (sh_buf_reserve(&job->out, need, err) < 0)
			return -1;
		hash->feature(sh_slice(field[0].p + band * band_digits, band_digits), 0, 1, &h);
		p = job->out.p + job->out.n;
		sh_key_record_print_band(p, band, h);
		p[SH_KEY_CHARS] = '\t';
		memcpy(p + SH_KEY_CHARS + 1, field[1].p, field[1].n);
		p[need - 1] = '\n';
		job->out.n += need;
	}
	return 0;
}

static int signature(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice field[2];

	(void)source;
	return read_signature(line, 0, field, err);
}

/* Sets the number of bands from the first record. The workers report a bad one. */
static void begin_signatures(struct state *s, struct sh_slice line)
{
	struct sh_slice field[2];
	struct sh_error err;

	if (read_signature(line, 0, field, &err) == 0)
		s->values = (unsigned)(field[0].n / VALUE_DIGITS);
	if (!s->bands)
		s->bands = s->values / s->rows;
	if (s->values && (s->bands == 0 || (uint64_t)s->bands * s->rows > s->values))
		cli_usage(s->cli, "%u band%s of %u values, but the signatures have %u",
		    s->bands ? s->bands : 1, s->bands > 1 ? "s" : "", s->rows, s->values);
	if (s->bands > SH_KEY_SIGNATURE_BANDS)
		cli_usage(s->cli, "%u bands, at most %d are possible: give --bands", s->bands,
		    SH_KEY_SIGNATURE_BANDS);
}

/* ---- the run ---- */

static int work(void *state, struct sh_job *job)
{
	const struct state *s = state;

	return sh_job_lines(
	    job, s->cli->rejects_path != NULL, s->rows ? each_signature : each, state);
}

static void band_all(struct state *s)
{
	struct run run = { .cli = s->cli, .work = work };
	struct sh_source source;
	struct sh_slice line;

	cli_source_init(s->cli, &source);
	for (unsigned i = 0; i < s->cli->jobs; i++)
		run.workers[i] = s;
	if (cli_first(s->cli, &source, s->rows ? signature : fingerprint, &line)) {
		if (s->rows)
			begin_signatures(s, line);
		else
			begin_fingerprints(s, &source, line);
		run_pool(&run, &source);
	}
	run_finish(&run);
	if (sh_tags_part_bare(&s->tags))
		cli_warn(s->cli, SH_TAGS_PART_BARE);
	sh_source_free(&source);
	sh_band_free(&s->band);
}

/* Refuses options that contradict each other. */
static void check(const struct state *s)
{
	struct cli *c = s->cli;

	if (!sh_fp_width_ok(s->bits))
		cli_usage(c, "-b %u: expected a multiple of 4", s->bits);
	if (s->bands && !s->rows)
		cli_usage(c, "--bands needs --rows");
	if (s->rows && (cli_given(c, 'k') || s->blocks || cli_given(c, EXPLAIN)))
		cli_usage(c, "--rows reads signatures: -k, -M and --explain are for fingerprints");
	if (cli_given(c, EXPLAIN) && strcmp(c->operands[0], "-") != 0)
		cli_usage(c, "--explain reads no file: '%s' would be ignored (-b sets the width)",
		    c->operands[0]);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct state s = { .cli = &c, .tags = SH_TAGS(SH_TAG_DIGITS) };

	cli_start(&c, &program, argc, argv);
	s.k = (unsigned)opt_number(&c, 'k', 0, SH_BAND_MAX_BLOCKS - 1, NO_K);
	s.blocks = (unsigned)opt_number(&c, 'M', 1, SH_BAND_MAX_BLOCKS, 0);
	s.bits = (unsigned)opt_number(&c, 'b', 4, SH_FP_MAX_BITS, SH_DEFAULT_BITS);
	s.rows = (unsigned)opt_number(&c, ROWS, 1, MAX_VALUES, 0);
	s.bands = (unsigned)opt_number(&c, BANDS, 1, SH_KEY_SIGNATURE_BANDS, 0);
	check(&s);
	if (cli_given(&c, EXPLAIN))
		c.trailer_out = false;
	cli_open(&c);
	if (cli_given(&c, EXPLAIN))
		explain(&s);
	else
		band_all(&s);
	return cli_finish(&c);
}
