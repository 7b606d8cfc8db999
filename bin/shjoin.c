/* SPDX-License-Identifier: MIT */
/* shjoin: writes the pairs of near fingerprints, from fingerprints or bands; or of documents that
 * share a key. */
#include "band/band.h"
#include "fp/defaults.h"
#include "fp/tag.h"
#include "io/walk.h"
#include "join/bands.h"
#include "match/keyrecord.h"
#include "record/fpline.h"
#include "run.h"

enum { COLLAPSE = CLI_OWN, EXIT_CODE, EXPLAIN };

#define DEFAULT_MEMORY (UINT64_C(4) << 30)

static const struct cli_option options[] = {
	{ 'k', "distance", "K",
	    "write pairs within Hamming distance K [bands: the K of shband; 64 "
	    "bits: " SH_DEFAULT_TEXT(SH_DEFAULT_DISTANCE) "]" },
	{ COLLAPSE, "collapse", NULL, "pair identical fingerprints with the first id only" },
	{ EXIT_CODE, "exit-code", NULL, "exit 1 when a pair is found, and 0 when none is" },
	CLI_MEMORY_ROW("4G"),
	{ EXPLAIN, "explain", NULL, "show what each distance would cost; write no pairs" },
	CLI_TMPDIR_ROW,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shjoin",
	.synopsis = "[FILE [ARCHIVE]]",
	.purpose = "Write the pairs of near fingerprints (id1<TAB>id2<TAB>distance), from\n"
		   "fingerprints or from sorted bands; or the pairs that share a key, from\n"
		   "sorted keys. With two files: the pairs of a new record and an archived one.",
	.status = "1 found (--exit-code), ",
	.threads = "records",
	.options = { options },
};

enum kind { EMPTY, BANDS, FINGERPRINTS, KEYS };

/* The next record of keys of one side. */
struct key_side {
	struct sh_lines *lines;
	struct sh_key_record record;
	bool ended;
};

struct join {
	struct cli *cli;
	int k; /* -1: not given */
	bool collapse;
	size_t memory;
	unsigned sides;
	struct sh_lines lines[2];
	struct sh_pool pool; /* how `out` is written */
	struct sh_job out;   /* receives the pairs */
	bool found;          /* a pair was written */
	uint64_t repeated;
	struct sh_tags tags;

	struct sh_bands *bands; /* of bands */

	/* Of fingerprints. */
	unsigned bits, words;     /* bits: of the first record */
	struct sh_join_side room; /* scratch memory */
	struct sh_parts parts[2]; /* by side */
};

static int write_out(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct join *j = arg;

	if (job->out.n == 0)
		return 0;
	j->found = true;
	return sh_sink_write(&j->cli->out, job->out.p, job->out.n, err);
}

static void flush_out(struct join *j)
{
	struct sh_error err;

	if (sh_job_flush(&j->out, &err) < 0)
		cli_die(j->cli, &err);
}

static _Noreturn void die(struct join *j, const struct sh_error *err)
{
	flush_out(j);
	cli_die(j->cli, err);
}

/* Rejects a record, or dies. */
static void reject(struct join *j, struct sh_slice line, const struct sh_error *err)
{
	if (err->code != SH_ERR_RECORD || !j->cli->rejects_path)
		die(j, err);
	cli_reject(j->cli, line, err);
}

/* ---- keys ---- */

static int write_key_pair(
    void *join, struct sh_slice id1, struct sh_slice id2, struct sh_error *err)
{
	struct join *j = join;

	return sh_pair_write(&j->out, id1, id2, SH_NO_DISTANCE, err);
}

/* Reads the next record of a side. */
static void next_key(struct join *j, struct key_side *s)
{
	struct sh_slice line;
	struct sh_error err;

	while (!s->ended) {
		/* The pairs so far go out before the program waits for more records. */
		if (sh_lines_at_end(s->lines))
			flush_out(j);
		s->ended = !cli_line(j->cli, s->lines, &line);
		if (s->ended || sh_record_key(line, &s->record, &err) == 0)
			return;
		sh_lines_blame(s->lines, &err);
		reject(j, line, &err);
	}
}

static void join_keys(struct join *j)
{
	struct key_side side[2] = { { .lines = &j->lines[0] },
		{ .lines = &j->lines[1], .ended = j->sides < 2 } };
	struct sh_key_join keys = { .pair = write_key_pair, .arg = j, .two_sides = j->sides == 2 };
	struct cli *c = j->cli;
	struct sh_error err;

	if (j->k >= 0 || j->collapse || cli_given(c, EXPLAIN))
		cli_usage(c, "the input is keys, and %s was given: it is for fingerprints",
		    j->k >= 0     ? "-k"
		    : j->collapse ? "--collapse"
				  : "--explain");
	next_key(j, &side[0]);
	next_key(j, &side[1]);
	while (!side[0].ended || !side[1].ended) {
		/* With equal keys the archived record comes first. */
		unsigned i = side[0].ended ||
			     (!side[1].ended && memcmp(side[1].record.key.p, side[0].record.key.p,
						    SH_KEY_CHARS) <= 0);

		if (sh_key_join_add(&keys, &side[i].record, i, &err) < 0) {
			sh_lines_blame(side[i].lines, &err);
			die(j, &err);
		}
		next_key(j, &side[i]);
	}
	sh_key_join_free(&keys);
	if (keys.cut)
		cli_warn(c,
		    "%llu key%s of many documents: each document met the first %d and the nearest "
		    "%d of them",
		    (unsigned long long)keys.cut, CLI_PLURAL(keys.cut), SH_BUCKET_FIRST,
		    SH_BUCKET_NEAREST);
}

/* ---- bands ---- */

/* Makes the message of a bad first record of one field name both kinds of records. */
static void name_both_kinds(
    const struct sh_lines *lines, struct sh_slice line, struct sh_error *err)
{
	if (lines->from.line == 1 && !memchr(line.p, '\t', line.n))
		sh_error_set(err, SH_ERR_RECORD,
		    "1 field, expected key<TAB>fingerprint<TAB>id or fingerprint<TAB>id");
}

static int next_band(void *join, unsigned side, struct sh_band_record *r, struct sh_error *err)
{
	struct join *j = join;
	struct sh_lines *lines = &j->lines[side];
	struct sh_slice line;

	for (;;) {
		/* The pairs so far go out before the program waits for more records. */
		if (sh_lines_at_end(lines) && sh_job_flush(&j->out, err) < 0)
			return -1;
		if (!cli_line(j->cli, lines, &line))
			return 0;
		if (sh_record_band(line, r, err) == 0 &&
		    sh_bands_check(j->bands, side, r, err) == 0 &&
		    sh_tags_check(&j->tags, r->of.tag, lines->from.file, err) == 0)
			return 1;
		name_both_kinds(lines, line, err);
		sh_lines_blame(lines, err);
		if (err->code != SH_ERR_RECORD || !j->cli->rejects_path)
			return -1;
		cli_reject(j->cli, line, err);
	}
}

static void join_bands(struct join *j)
{
	const struct sh_bands_opts opts = {
		.k = j->k,
		.collapse = j->collapse,
		.sides = j->sides,
		.threads = j->cli->jobs,
		.memory = j->memory,
		.tmpdir = j->cli->tmpdir,
	};
	struct sh_error err;

	j->tags.digits = SH_BAND_TAG_DIGITS;
	j->bands = sh_bands_new(&opts, &err);
	if (!j->bands || sh_bands_join(j->bands, next_band, j, &j->out, &err) < 0)
		die(j, &err);
	j->repeated = sh_bands_repeated(j->bands);
	sh_bands_delete(j->bands);
}

/* ---- fingerprints ---- */

/* What one thread reads into the output of its job: for each record the words of its fingerprint,
 * the length of its id in 2 bytes, and its id. */
struct fp_reader {
	struct join *join;
	/* of the last line that sh_record_fp() read, or of the first record */
	struct sh_fp_form form;
	int tag; /* of that form */
};

static void set_form(struct fp_reader *r, int tag)
{
	r->form = sh_fp_form(r->join->bits / 4, tag);
	r->tag = tag;
}

/* Copies the words of a fingerprint, most often one: a constant size needs no call. */
static inline void copy_words(void *to, const void *from, unsigned words)
{
	if (words == 1)
		memcpy(to, from, 8);
	else
		memcpy(to, from, 8 * words);
}

static int pack(
    struct sh_buf *to, const uint64_t *fp, unsigned words, struct sh_slice id, struct sh_error *err)
{
	uint16_t length = (uint16_t)id.n;
	size_t need = 8 * words + sizeof length + id.n;
	char *p;

	if (to->cap - to->n < need && sh_buf_reserve(to, need, err) < 0)
		return -1;
	p = to->p + to->n;
	copy_words(p, fp, words);
	memcpy(p + 8 * words, &length, sizeof length);
	memcpy(p + 8 * words + sizeof length, id.p, id.n);
	to->n += need;
	return 0;
}

/* Adds the packed records of a job to the side. */
static int unpack(void *parts, struct sh_job *job, struct sh_error *err)
{
	struct sh_parts *to = parts;
	unsigned words = to->set.words;
	const char *p = job->out.p, *end = p + job->out.n;
	uint64_t fp[SH_FP_MAX_WORDS];
	uint16_t length;

	while (p < end) {
		copy_words(fp, p, words);
		memcpy(&length, p + 8 * words, sizeof length);
		p += 8 * words + sizeof length;
		if (sh_parts_add(to, fp, sh_slice(p, length), err) < 0)
			return -1;
		p += length;
	}
	return 0;
}

static int read_record(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct fp_reader *r = arg;
	struct join *j = r->join;
	unsigned bits = j->bits;
	struct sh_fp_record record;

	line = cli_strip(j->cli->crlf, line);
	if (sh_record_fp(line, &record, err) < 0 || sh_same_width(&bits, &record, err) < 0 ||
	    sh_tags_check(&j->tags, record.tag, job->from.file, err) < 0)
		return -1;
	if (record.tag != r->tag)
		set_form(r, record.tag);
	return pack(&job->out, record.fp, j->words, record.id, err);
}

/* Reads the lines of the usual form that follow. */
static const char *read_lines(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct fp_reader *r = arg;
	uint64_t fp[SH_FP_MAX_WORDS];
	struct sh_slice id;
	struct sh_error err;
	size_t n;

	for (*lines = 0; (n = sh_fp_line(p, end, &r->form, fp, &id)) > 0; ++*lines, p += n)
		if (pack(&job->out, fp, r->join->words, id, &err) < 0)
			break; /* read_record() fails, too, and tells why */
	return p;
}

static int read_chunk(void *reader, struct sh_job *job)
{
	struct fp_reader *r = reader;

	return sh_job_runs(job, r->join->cli->rejects_path != NULL, read_record, read_lines, r);
}

static void read_side(struct join *j, unsigned side)
{
	struct cli *c = j->cli;
	struct run run = {
		.cli = c, .work = read_chunk, .collect = unpack, .arg = &j->parts[side]
	};
	struct fp_reader reader[CLI_MAX_JOBS];

	/* Two partitions are in memory at a time. */
	sh_parts_init(&j->parts[side], j->words, j->memory / 2, c->jobs, &j->room, c->tmpdir);
	for (unsigned i = 0; i < c->jobs; i++) {
		reader[i].join = j;
		set_form(&reader[i], j->tags.first);
		run.workers[i] = &reader[i];
	}
	run_pool(&run, &j->lines[side].source);
	run_finish(&run);
}

/* Shows what a join costs by its distance: what the plan for a sample expects. */
static int explain(
    struct join *j, const struct sh_join *engine, unsigned mine, struct sh_error *err)
{
	enum { K_MAX = 16 };
	struct cli *c = j->cli;
	struct sh_parts *p = &j->parts[0];
	double scale = (double)p->n * (double)p->n;
	unsigned k_max = mine > K_MAX ? mine : K_MAX;
	struct sh_plan plan;
	uint64_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (sh_parts_load(p, i, err) < 0)
			return -1;
		n += p->set.side.n;
	}
	cli_print(c, "%llu different fingerprint%s of %u bits", (unsigned long long)n,
	    CLI_PLURAL(n), j->bits);
	if (p->n > 1)
		cli_print(c, ", in %zu partitions", p->n);
	cli_print(c, "\n  %8s %6s %12s %10s\n", "distance", "blocks", "compared", "seconds");
	for (unsigned k = 0; k <= k_max && k <= j->bits; k++) {
		sh_join_plan(engine, &p->set.side, k, &plan);
		cli_print(c, "%c %8u %6u %12.3g %10.2g\n", k == mine ? '*' : ' ', k, plan.blocks,
		    plan.candidates * scale, plan.seconds * scale);
	}
	return 0;
}

static void join_fingerprints(struct join *j)
{
	const struct sh_pairs how = { .collapse = j->collapse, .identical = true };
	unsigned k = j->k < 0 ? SH_DEFAULT_DISTANCE : (unsigned)j->k;
	struct sh_join *engine;
	struct sh_error err;
	int status;

	if (j->k < 0 && j->bits != SH_DEFAULT_BITS)
		cli_usage(j->cli,
		    "-k is needed: its default, %d, is for fingerprints of %d bits, these have %u",
		    SH_DEFAULT_DISTANCE, SH_DEFAULT_BITS, j->bits);
	j->words = SH_FP_WORDS(j->bits);
	for (unsigned side = 0; side < j->sides; side++)
		read_side(j, side);
	engine = sh_join_new(j->bits, k, j->cli->jobs, &err);
	status = engine ? 0 : -1;
	for (unsigned side = 0; side < j->sides && status == 0; side++)
		status = sh_parts_close(&j->parts[side], &err);
	if (status == 0 && cli_given(j->cli, EXPLAIN))
		status = explain(j, engine, k, &err);
	else if (status == 0)
		status = sh_parts_join(
		    &j->parts[0], j->sides == 2 ? &j->parts[1] : NULL, how, engine, &j->out, &err);
	if (status < 0)
		die(j, &err);
	sh_join_delete(engine);
	for (unsigned side = 0; side < j->sides; side++) {
		j->repeated += j->parts[side].repeated;
		sh_parts_free(&j->parts[side]);
	}
	sh_join_side_free(&j->room);
}

/* ---- the kind of the input ---- */

static int any_record(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_key_record key;
	struct sh_fp_record fp;
	struct sh_band_record band;

	(void)source;
	if (sh_record_key(line, &key, err) == 0 || sh_record_fp(line, &fp, err) == 0)
		return 0;
	return sh_record_band(line, &band, err);
}

/* Returns the kind of the first record, and sets width and tag of fingerprints. A key begins with a
 * letter that no other record begins with. A fingerprint has two fields, or three fields with a tag
 * as the last. The readers report a bad record. */
static enum kind kind_of_input(struct join *j)
{
	struct sh_fp_record r;
	struct sh_slice line;
	struct sh_error err;

	for (unsigned side = 0; side < j->sides; side++) {
		struct sh_source *source = &j->lines[side].source;
		bool is_fp;

		if (!cli_first(j->cli, source, any_record, &line))
			continue;
		if (sh_is_like_key(line))
			return KEYS;
		cli_doubt(j->cli, source, sh_record_fp_doubt(sh_source_peeked(source)));
		is_fp = sh_record_fp(line, &r, &err) == 0;
		j->bits = is_fp ? r.bits : SH_DEFAULT_BITS;
		if (sh_fields_split(line, NULL, 0) != 2 && !cli_given(j->cli, EXPLAIN) &&
		    (!is_fp || sh_is_band_record(line)))
			return BANDS;
		if (is_fp)
			sh_tags_check(&j->tags, r.tag, source->name, &err);
		return FINGERPRINTS;
	}
	return EMPTY;
}

static void open_sides(struct join *j)
{
	struct cli *c = j->cli;

	if (c->n_operands > 2)
		cli_usage(c,
		    "%zu files: one is joined with itself, two with each other "
		    "(cat puts fingerprints together, sort -m sorted bands)",
		    c->n_operands);
	j->sides = c->n_operands == 2 ? 2 : 1;
	if (j->sides == 2 && sh_is_input(c->operands[0], c->operands[1]))
		cli_usage(c, "%s: is named twice (shjoin %s joins it with itself)", c->operands[1],
		    c->operands[1]);
	for (unsigned side = 0; side < j->sides; side++) {
		struct sh_lines *lines = &j->lines[side];

		cli_lines_init(c, lines);
		lines->source.names += side;
		lines->source.n_names = 1;
	}
}

static void check_options(const struct join *j)
{
	struct cli *c = j->cli;
	bool explains = cli_given(c, EXPLAIN);

	if (explains && c->n_operands > 1)
		cli_usage(c, "--explain takes one file");
	if (explains && cli_given(c, EXIT_CODE))
		cli_usage(c, "--exit-code cannot be used with --explain, which finds no pairs");
}

static void join(struct join *j)
{
	switch (kind_of_input(j)) {
	case KEYS:
		join_keys(j);
		break;
	case FINGERPRINTS:
		join_fingerprints(j);
		break;
	case BANDS:
		join_bands(j);
		break;
	case EMPTY:
		break;
	}
}

int main(int argc, char **argv)
{
	struct cli c;
	struct join j = { .cli = &c, .k = -1, .tags = SH_TAGS(SH_TAG_DIGITS) };
	int status;

	cli_start(&c, &program, argc, argv);
	if (cli_given(&c, 'k'))
		j.k = (int)opt_number(&c, 'k', 0, SH_FP_MAX_BITS, 0);
	j.collapse = cli_given(&c, COLLAPSE);
	j.memory = opt_size(&c, 'S', DEFAULT_MEMORY);
	check_options(&j);
	open_sides(&j);
	if (cli_given(&c, EXPLAIN))
		c.trailer_out = false;
	cli_open(&c);
	j.pool = (struct sh_pool){ .done = write_out, .arg = &j };
	j.out.pool = &j.pool;
	join(&j);
	flush_out(&j);
	sh_buf_free(&j.out.out);
	if (sh_tags_part_bare(&j.tags))
		cli_warn(&c, SH_TAGS_PART_BARE);
	for (unsigned side = 0; side < j.sides; side++)
		sh_lines_free(&j.lines[side]);
	if (j.repeated)
		cli_warn(&c, "%llu record%s with the id and the fingerprint of another: left out",
		    (unsigned long long)j.repeated, CLI_PLURAL(j.repeated));
	status = cli_finish(&c);
	return cli_given(&c, EXIT_CODE) && j.found ? EXIT_FOUND : status;
}
