/* shband: fingerprints to bands. */

#include "band/bandlines.h"
#include "base/num.h"
#include "fp/defaults.h"
#include "fp/tag.h"
#include "record/fields.h"
#include "run.h"

enum { EXPLAIN = CLI_OWN, RECALL, SEED };

enum {
	DEFAULT_BITS = 64,
	DEFAULT_COUNT = 1000000,
	ID_BYTES = 16, /* length of an id in the cost model, in bytes */
	MAX_ROWS = SH_BAND_MAX_BLOCKS,
};

static const struct cli_option options[] = {
	{ 'k', "distance", "K",
	    "find all pairs within Hamming distance K [" SH_DEFAULT_TEXT(SH_DEFAULT_DISTANCE) "]" },
	{ 'M', "blocks", "M", "cut the fingerprint into M blocks [the cheapest for -N]" },
	{ 'N', "count", "N", "number of fingerprints to plan for [1000000]" },
	{ RECALL, "recall", "R", "draw fewer tables at random: recall R at distance K" },
	{ SEED, "seed", "N", "seed of --recall [0]" },
	{ 'b', "bits", "BITS", "width of fingerprints for --explain [64]" },
	{ EXPLAIN, "explain", NULL, "show the cost of each layout and the choice, and end" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shband",
	.threads = "fingerprints",
	.synopsis = "[FILE...]",
	.purpose = "Fingerprints (fp<TAB>id<TAB>tag) to bands (key<TAB>fp<TAB>id), one a table.",
	.options = { options },
};

struct plan {
	unsigned k, blocks, bits, seed;
	double count, recall; /* recall 0: an exact layout */
};

/* Prices the layouts drawn at random. Returns their number. */
static unsigned price_drawn(
    struct cli *c, const struct plan *p, unsigned bits, struct sh_band_cost *row, unsigned *best)
{
	struct sh_error err;
	int n = sh_band_choose_drawn(
	    row, MAX_ROWS, best, bits, p->k, p->recall, p->count, ID_BYTES, &err);

	if (n < 0)
		cli_die(c, &err);
	if (n == 0)
		cli_usage(c,
		    "--recall %g: no %d tables of %u-bit fingerprints reach it at distance %u",
		    p->recall, SH_BAND_MAX_DRAWN, bits, p->k);
	return (unsigned)n;
}

/* Prices the exact layouts. Returns their number. */
static unsigned price(
    struct cli *c, const struct plan *p, unsigned bits, struct sh_band_cost *row, unsigned *best)
{
	struct sh_error err;
	int n = sh_band_choose(row, MAX_ROWS, best, bits, p->k, p->count, ID_BYTES, &err);

	if (n < 0)
		cli_die(c, &err);
	if (n == 0)
		cli_usage(c, "-k %u: no table of %u-bit fingerprints guarantees that", p->k, bits);
	return (unsigned)n;
}

/* Returns the number of blocks of -M, or the cheapest. */
static unsigned choose_blocks(struct cli *c, const struct plan *p, unsigned bits)
{
	static struct sh_band_cost row[MAX_ROWS];
	unsigned best;

	if (p->blocks)
		return p->blocks;
	price(c, p, bits, row, &best);
	return row[best].blocks;
}

/* Prices the exact layouts and that of -M, which is then chosen. Returns their number. */
static unsigned price_with_given(
    struct cli *c, const struct plan *p, struct sh_band_cost *row, unsigned *chosen)
{
	struct sh_band_cost given;
	struct sh_error err;
	unsigned n;

	if (!p->blocks)
		return price(c, p, p->bits, row, chosen);
	if (sh_band_cost(&given, p->bits, p->k, p->blocks, p->count, ID_BYTES, &err) < 0) {
		if (err.code == SH_ERR_NOMEM)
			cli_die(c, &err);
		cli_usage(c, "%s", err.text);
	}
	n = price(c, p, p->bits, row, chosen);
	for (*chosen = 0; *chosen < n; ++*chosen)
		if (row[*chosen].blocks == p->blocks)
			return n;
	row[n] = given;
	return n + 1;
}

static int init_layout(
    struct cli *c, const struct plan *p, unsigned bits, struct sh_band *band, struct sh_error *err)
{
	static struct sh_band_cost row[MAX_ROWS];
	unsigned best;

	if (p->recall <= 0)
		return sh_band_init(band, bits, p->k, choose_blocks(c, p, bits), err);
	price_drawn(c, p, bits, row, &best);
	return sh_band_draw(band, bits, p->k, row[best].key_bits, row[best].tables, p->seed, err);
}

static void explain_drawn(struct cli *c, const struct plan *p)
{
	static struct sh_band_cost row[MAX_ROWS];
	unsigned best, n = price_drawn(c, p, p->bits, row, &best);

	cli_text(c);
	cli_open(c);
	cli_print(c,
	    "%u bits, distance %u, recall %g there, %.0f fingerprints with ids of %d bytes\n",
	    p->bits, p->k, p->recall, p->count, ID_BYTES);
	cli_print(c, "  %8s %8s %12s %12s %10s %10s %10s\n", "key bits", "tables", "bytes",
	    "candidates", "in bucket", "sort s", "compare s");
	for (unsigned i = 0; i < n; i++) {
		cli_print(c, "%c %8u %8u %12.3g %12.3g %10.3g %10.3g %10.3g\n",
		    i == best ? '*' : ' ', row[i].key_bits, row[i].tables, row[i].stream_bytes,
		    row[i].candidates, row[i].bucket, row[i].sort_seconds, row[i].compare_seconds);
	}
	for (unsigned d = 0; d <= p->k; d++) {
		cli_print(c, "expected recall at distance %u: %.4f\n", d,
		    sh_band_recall(p->bits, row[best].key_bits, row[best].tables, d));
	}
}

static void explain(struct cli *c, const struct plan *p)
{
	static struct sh_band_cost row[MAX_ROWS + 1];
	unsigned chosen, n = price_with_given(c, p, row, &chosen);

	cli_text(c);
	cli_open(c);
	cli_print(c,
	    "%u bits, distance %u, %.0f fingerprints with ids of %d bytes, uniformly distributed\n",
	    p->bits, p->k, p->count, ID_BYTES);
	cli_print(c, "  %6s %8s %8s %12s %12s %10s %10s %10s\n", "blocks", "tables", "key bits",
	    "bytes", "candidates", "in bucket", "sort s", "compare s");
	for (unsigned i = 0; i < n; i++) {
		cli_print(c, "%c %6u %8u %8u %12.3g %12.3g %10.3g %10.3g %10.3g\n",
		    i == chosen ? '*' : ' ', row[i].blocks, row[i].tables, row[i].key_bits,
		    row[i].stream_bytes, row[i].candidates, row[i].bucket, row[i].sort_seconds,
		    row[i].compare_seconds);
	}
}

/* Shared by all workers. */
struct shared {
	struct sh_band band;
	struct sh_band_lines lines;
	struct sh_tags tags;
	bool rejects, crlf;
};

static int each(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct shared *s = arg;
	unsigned bits = s->band.bits;
	struct sh_fp_record r;

	line = cli_strip(s->crlf, line);
	if (sh_record_fp(line, &r, err) < 0 || sh_same_width(&bits, &r, err) < 0 ||
	    sh_tags_check(&s->tags, r.tag, job->from.file, err) < 0)
		return -1;
	return sh_band_lines_add(&s->lines, &r, &job->out, err);
}

static int work(void *worker, struct sh_job *job)
{
	const struct shared *s = worker;

	return sh_job_lines(job, s->rejects, each, worker);
}

static int fingerprint(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_fp_record r;

	(void)source;
	return sh_record_fp(line, &r, err);
}

/* Makes the layout for the width of the first record. Returns false when the input is empty. */
static bool make_layout(
    struct cli *c, const struct plan *p, struct sh_source *source, struct shared *s)
{
	struct sh_slice line;
	struct sh_fp_record r;
	struct sh_error err;
	unsigned bits = p->bits;

	if (!cli_first(c, source, fingerprint, &line))
		return false;
	cli_doubt(c, source, sh_record_fp_doubt(sh_source_peeked(source)));
	/* The workers report a bad first record. */
	if (sh_record_fp(line, &r, &err) == 0) {
		bits = r.bits;
		sh_tags_check(&s->tags, r.tag, source->peeked_from.file, &err);
	}
	if (init_layout(c, p, bits, &s->band, &err) < 0 ||
	    sh_band_lines_init(&s->lines, &s->band, &err) < 0)
		cli_die(c, &err);
	return true;
}

/* Returns the value of --recall. */
static double share(struct cli *c)
{
	uint64_t millionths =
	    cli_share(c, "--recall", 1, SH_WEIGHT_ONE - 1, "a number between 0 and 1");

	return (double)millionths / (double)SH_WEIGHT_ONE;
}

static void set_option(struct cli *c, struct plan *p, int opt)
{
	switch (opt) {
	case 'k':
		p->k = (unsigned)cli_number(c, "-k", 0, SH_BAND_MAX_BLOCKS - 1);
		break;
	case 'M':
		p->blocks = (unsigned)cli_number(c, "-M", 1, SH_BAND_MAX_BLOCKS);
		break;
	case 'N':
		p->count = (double)cli_number(c, "-N", 1, UINT64_C(1) << 53);
		break;
	case 'b':
		p->bits = (unsigned)cli_number(c, "-b", 4, SH_FP_MAX_BITS);
		if (!sh_fp_width_ok(p->bits))
			cli_usage(c, "-b %u: expected a multiple of 4", p->bits);
		break;
	case RECALL:
		p->recall = share(c);
		break;
	case SEED:
		p->seed = (unsigned)cli_number(c, "--seed", 0, SH_BAND_MAX_SEED);
		break;
	}
}

/* Refuses options that contradict each other. */
static void check(struct cli *c, const struct plan *p)
{
	if (p->recall > 0 && p->blocks)
		cli_usage(c, "--recall cannot be used with -M: it draws tables at random");
	if (p->recall <= 0 && cli_given(c, SEED))
		cli_usage(c, "--seed is for --recall, which draws tables");
	if (cli_given(c, EXPLAIN) && c->n_operands)
		cli_usage(c, "--explain reads no file: '%s' would be ignored (-b sets the width)",
		    c->operands[0]);
}

static void band_all(struct cli *c, const struct plan *p)
{
	struct shared shared = { .tags = SH_TAGS(SH_TAG_DIGITS) };
	struct run run = { .cli = c, .work = work };
	struct sh_source source;

	cli_source_init(c, &source);
	shared.rejects = c->rejects_path != NULL;
	shared.crlf = c->crlf;
	for (unsigned i = 0; i < c->jobs; i++)
		run.workers[i] = &shared;
	if (make_layout(c, p, &source, &shared))
		run_pool(&run, &source);
	run_finish(&run);
	if (sh_tags_part_bare(&shared.tags))
		cli_warn(c, SH_TAGS_PART_BARE);
	sh_source_free(&source);
	sh_band_lines_free(&shared.lines);
	sh_band_free(&shared.band);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct plan plan = {
		.k = SH_DEFAULT_DISTANCE, .bits = DEFAULT_BITS, .count = DEFAULT_COUNT
	};
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		set_option(&c, &plan, opt);
	check(&c, &plan);
	if (cli_given(&c, EXPLAIN)) {
		(plan.recall > 0 ? explain_drawn : explain)(&c, &plan);
		return cli_finish(&c);
	}
	cli_open(&c);
	band_all(&c, &plan);
	return cli_finish(&c);
}
