/* shjoin: writes the pairs of near fingerprints, from bands or from fingerprints. */
#include <stdlib.h>

#include "band/bandlines.h"
#include "base/num.h"
#include "cli.h"
#include "fp/defaults.h"
#include "fp/tag.h"
#include "io/walk.h"
#include "join/parts.h"
#include "joinbuckets.h"
#include "joinkeys.h"
#include "joinsignatures.h"
#include "match/keyrecord.h"
#include "run.h"

enum { COLLAPSE = CLI_OWN, CHECK, EXPLAIN, ROWS, BANDS };

enum { NO_PAIR = 1, UNSEEN_BITS = 64 };

/* 4 GiB; or the whole address space of 32 bits. */
#define DEFAULT_MEMORY (SIZE_MAX > UINT32_MAX ? (size_t)(UINT64_C(4) << 30) : SIZE_MAX / 2)

static const struct cli_option options[] = {
	CLI_HEADING("Pairs"),
	{ 'k', "distance", "K",
	    "write pairs within Hamming distance K [bands: that of shband; " SH_DEFAULT_TEXT(
		SH_DEFAULT_DISTANCE) "]" },
	{ COLLAPSE, "collapse", NULL, "pair identical fingerprints with the first id only" },
	{ CHECK, "check", NULL, "exit 1 when there is no pair" },
	CLI_HEADING("Signatures"),
	{ ROWS, "rows", "R", "write pairs of signatures that share a band of R values" },
	{ BANDS, "bands", "B", "with --rows: take the first B bands only" },
	CLI_HEADING("The run"),
	{ 'S', "memory", "SIZE", "use temporary files beyond this memory [4G]" },
	{ EXPLAIN, "explain", NULL, "show how fingerprints would be joined; write no pairs" },
	{ 'N', "count", "N", "with --explain: plan for N random fingerprints of 64 bits" },
	{ CLI_TMPDIR, "tmpdir", "DIR", "put temporary files in DIR [$TMPDIR, /tmp]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shjoin",
	.synopsis = "[FILE [ARCHIVE]]",
	.purpose = "Write the pairs of near fingerprints (id1<TAB>id2<TAB>distance), from\n"
		   "fingerprints or from bands grouped by key. With two files: the pairs of a\n"
		   "new record and an archived one; bands must be sorted bytewise.",
	.status = "1 no pair, ",
	.threads = "records",
	.options = { options },
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
	unsigned rows, bands; /* rows and bands of signatures; rows 0: reads no signatures */
	uint64_t count;       /* plan for this number of random fingerprints; 0: for the input */
};

/* Copies an id. Most ids are short: a call of memcpy() would take longer than the copy. */
static char *put(char *to, struct sh_slice id)
{
	const char *p = id.p;
	size_t n = id.n;

	if (n >= 8) {
		for (size_t i = 0; i + 8 < n; i += 8)
			memcpy(to + i, p + i, 8);
		memcpy(to + n - 8, p + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, p, 4);
		memcpy(to + n - 4, p + n - 4, 4);
	} else {
		for (size_t i = 0; i < n; i++)
			to[i] = p[i];
	}
	return to + n;
}

static int write_pair(struct sh_job *job, struct sh_slice id1, struct sh_slice id2,
    unsigned distance, struct sh_error *err)
{
	char *p = sh_job_room(job, id1.n + id2.n + SH_NUM_CHARS + 3, err);

	if (!p)
		return -1;
	p = put(p, id1);
	*p++ = '\t';
	p = put(p, id2);
	*p++ = '\t';
	p += sh_print_u64(p, distance);
	*p++ = '\n';
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

/* Copies an id of at most 16 bytes without a branch on its length. The next write overwrites the
 * surplus bytes. */
static inline char *put_wide(char *to, struct sh_slice id)
{
	memcpy(to, id.p, 16);
	if (__builtin_expect(id.n > 16, 0))
		memcpy(to, id.p, id.n);
	return to + id.n;
}

/* Writes the end of a line, behind its second id. */
static inline char *put_distance(char *p, unsigned distance)
{
	*p++ = '\t';
	if (distance < 10)
		*p++ = (char)('0' + distance);
	else
		p += sh_print_u64(p, distance);
	*p++ = '\n';
	return p;
}

static int write_pairs(
    struct sh_job *job, const struct sh_id_pair *pair, size_t n, struct sh_error *err)
{
	size_t need = 16;
	char *p;

	for (size_t i = 0; i < n; i++)
		need += pair[i].id1.n + pair[i].id2.n + SH_NUM_CHARS + 3;
	p = sh_job_room(job, need, err);
	if (!p)
		return -1;
	for (size_t i = 0; i < n; i++) {
		p = put_wide(p, pair[i].id1);
		*p++ = '\t';
		p = put_wide(p, pair[i].id2);
		p = put_distance(p, pair[i].distance);
	}
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

/* Writes pairs of ids that are words; see sh_id_word_length(). */
static int write_words(
    struct sh_job *job, const struct sh_word_pair *pair, size_t n, struct sh_error *err)
{
	char *p = sh_job_room(job, n * (16 + SH_NUM_CHARS + 3) + 8, err);

	if (!p)
		return -1;
	for (size_t i = 0; i < n; i++) {
		sh_put_be64(p, pair[i].id1);
		p += sh_id_word_length(pair[i].id1);
		*p++ = '\t';
		sh_put_be64(p, pair[i].id2);
		p += sh_id_word_length(pair[i].id2);
		p = put_distance(p, pair[i].distance);
	}
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

static int write_out(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct join *j = arg;

	if (job->out.n == 0)
		return 0;
	j->found = true;
	return sh_sink_write(&j->cli->out, job->out.p, job->out.n, err);
}

static void begin_out(struct join *j)
{
	j->pool = (struct sh_pool){ .done = write_out, .arg = j };
	j->out.pool = &j->pool;
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

/* ---- bands and keys ---- */

static void join_by_bands(struct join *j)
{
	const struct sh_stream_opts opts = {
		.k = j->k,
		.collapse = j->collapse,
		.memory = j->memory,
		.tmpdir = j->cli->tmpdir,
		.pair = write_pair,
		.out = &j->out,
	};

	j->tags.digits = SH_BAND_TAG_DIGITS;
	if (j->sides == 2)
		j->repeated = join_band_files(j->cli, j->lines, &opts, &j->tags, &j->pool);
	else
		j->repeated = join_bands(j->cli, &j->lines[0].source, &opts, &j->tags, &j->pool);
}

/* ---- fingerprints ---- */

/* Fingerprints in memory: all of them, or one partition. */
struct held {
	struct join *join;
	struct sh_join *engine;
	struct sh_side room; /* scratch memory of the partitions and the engine */
	struct sh_parts parts[2];
	unsigned bits;
};

/* Makes the partitions of both sides for fingerprints of h->bits bits. */
static void make_parts(struct held *h)
{
	struct join *j = h->join;
	/* The join of two partitions needs the same memory again. */
	size_t part = j->memory / (j->sides == 1 ? 3 : 4);
	struct sh_error err;

	for (unsigned i = 0; i < 2; i++) {
		if (sh_parts_init(&h->parts[i], SH_FP_WORDS(h->bits), part, &h->room,
			j->cli->tmpdir, &err) < 0)
			cli_die(j->cli, &err);
		sh_parts_set_threads(&h->parts[i], j->cli->jobs);
	}
	h->parts[j->sides - 1].first_only = j->collapse;
	/* --explain writes no pairs. */
	h->parts[0].copy = j->sides == 1 && !cli_given(j->cli, EXPLAIN) ? write_pair : NULL;
	h->parts[0].out = &j->out;
}

/* What one thread reads into the chunk of its job. */
struct fp_reader {
	struct held *held;
	/* of the last line that sh_record_fp() read, or of the first record */
	struct sh_fp_form form;
	int tag;         /* of that form */
	const char *end; /* of the last whole line */
	struct sh_fp_chunk *chunk;
};

static void set_form(struct fp_reader *r, int tag)
{
	r->form = sh_fp_form(r->held->bits / 4, tag);
	r->tag = tag;
}

static int read_record(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct fp_reader *r = arg;
	struct join *j = r->held->join;
	unsigned bits = r->held->bits;
	struct sh_fp_record record;

	line = cli_strip(j->cli->crlf, line);
	if (sh_record_fp(line, &record, err) < 0 || sh_same_width(&bits, &record, err) < 0 ||
	    sh_tags_check(&j->tags, record.tag, job->from.file, err) < 0)
		return -1;
	sh_fp_chunk_add(r->chunk, record.fp, record.id);
	if (record.tag != r->tag)
		set_form(r, record.tag);
	return 0;
}

/* Reads the lines of the usual form that follow. */
static const char *read_lines(
    void *arg, const char *p, const char *end, struct sh_job *job, uint64_t *lines)
{
	struct fp_reader *r = arg;

	(void)end;
	(void)job;
	return sh_fp_chunk_add_lines(r->chunk, p, r->end, &r->form, lines);
}

static int read_chunk(void *reader, struct sh_job *job)
{
	struct fp_reader *r = reader;
	const char *lf = memrchr(job->in.p, '\n', job->in.n);

	r->end = lf ? lf + 1 : job->in.p;
	r->chunk = sh_fp_chunk_new(&job->out, r->held->bits / 4, job->in.n, &job->err);
	if (!r->chunk)
		return -1;
	return sh_job_runs(
	    job, r->held->join->cli->rejects_path != NULL, read_record, read_lines, r);
}

static int add_chunk(void *parts, struct sh_job *job, struct sh_error *err)
{
	const struct sh_fp_chunk *chunk = sh_fp_chunk_of(&job->out);

	return chunk ? sh_parts_append(parts, chunk, err) : 0;
}

static void read_side(struct held *h, unsigned side)
{
	struct cli *c = h->join->cli;
	struct run run = {
		.cli = c, .work = read_chunk, .collect = add_chunk, .arg = &h->parts[side]
	};
	struct fp_reader reader[CLI_MAX_JOBS];

	for (unsigned i = 0; i < c->jobs; i++) {
		reader[i].held = h;
		set_form(&reader[i], h->join->tags.first);
		run.workers[i] = &reader[i];
	}
	run_pool(&run, &h->join->lines[side].source);
	run_finish(&run);
}

static int fingerprint(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_fp_record r;

	(void)source;
	return sh_record_fp(line, &r, err);
}

/* Gets width and tag from the first record of both sides. The readers report a bad record.
 * Returns false when there are no records. */
static bool look_at_first(struct held *h)
{
	struct join *j = h->join;
	struct sh_fp_record r;
	struct sh_slice line;
	struct sh_error err;

	for (unsigned side = 0; side < j->sides; side++) {
		struct sh_source *source = &j->lines[side].source;

		if (!cli_first(j->cli, source, fingerprint, &line))
			continue;
		h->bits = UNSEEN_BITS;
		if (sh_record_fp(line, &r, &err) == 0) {
			h->bits = r.bits;
			sh_tags_check(&j->tags, r.tag, source->peeked_from.file, &err);
		}
		return true;
	}
	return false;
}

static int join_part(void *arg, struct sh_nodes *a, struct sh_error *err)
{
	struct held *h = arg;
	struct sh_emit e = { a, a, h->join->collapse, write_pair, &h->join->out, true, write_pairs,
		write_words };

	if (sh_emit_identical(&e, h->engine, err) < 0)
		return -1;
	return sh_emit_self(&e, h->engine, err);
}

static int join_two(void *arg, struct sh_nodes *a, struct sh_nodes *b, struct sh_error *err)
{
	struct held *h = arg;
	struct sh_emit e = { a, b, h->join->collapse, write_pair, &h->join->out,
		h->join->sides == 1, write_pairs, write_words };

	return sh_emit_cross(&e, h->engine, err);
}

static unsigned distance(const struct join *j)
{
	return j->k < 0 ? SH_DEFAULT_DISTANCE : (unsigned)j->k;
}

static void show_plan(struct cli *c, const struct sh_plan *p)
{
	cli_print(c, "every two compared: %.3g candidates, %.3g s\n", p->brute_candidates,
	    p->brute_seconds);
	if (p->blocks == 0)
		return;
	cli_print(
	    c, "by %u blocks: %.3g candidates, %.3g s\n", p->blocks, p->candidates, p->seconds);
	cli_print(c, "  %4s %-16s %8s %8s %12s %10s\n", "word", "bits", "key bits", "differ",
	    "candidates", "seconds");
	for (unsigned i = 0; i < p->blocks; i++) {
		const struct sh_block *b = &p->block[i];

		cli_print(c, "  %4u %016llx %8u %8u %12.3g %10.3g\n", b->word,
		    (unsigned long long)b->mask, b->bits, b->radius, b->candidates, b->seconds);
	}
}

/* Shows the plan for `count` uniform fingerprints of 64 bits. */
static void explain_count(struct join *j, unsigned k)
{
	struct sh_task task = {
		.bits = UNSEEN_BITS,
		.k = k,
		.self = true,
		.brute_factor = 1,
		.halves = SH_JOIN_HALVES,
	};
	struct sh_plan plan;

	task.nx = task.ny = (double)j->count;
	for (unsigned i = 0; i < task.bits; i++)
		task.agree[i] = 0.5;
	sh_plan(&plan, &task);
	cli_print(j->cli, "%llu fingerprint%s of %u bits, distance %u, uniformly distributed\n",
	    (unsigned long long)j->count, CLI_PLURAL(j->count), task.bits, k);
	show_plan(j->cli, &plan);
}

/* Shows the plan for all fingerprints when they fit in one partition. */
static int explain_part(void *arg, struct sh_nodes *s, struct sh_error *err)
{
	struct held *h = arg;
	struct cli *c = h->join->cli;
	struct sh_plan plan;

	if (sh_join_plan_self(h->engine, &plan, s->fp, s->n, err) < 0)
		return -1;
	cli_print(c, "%zu different fingerprint%s of %u bits, distance %u\n", s->n,
	    CLI_PLURAL(s->n), h->bits, distance(h->join));
	show_plan(c, &plan);
	return 0;
}

static int explain_held(struct held *h, struct sh_error *err)
{
	const struct sh_parts_join one = { explain_part, NULL, h };

	if (h->parts[0].n == 1)
		return sh_parts_join_self(&h->parts[0], &one, err);
	cli_print(h->join->cli, "%zu partitions, each joined with itself and with each other\n",
	    h->parts[0].n);
	return 0;
}

static int join_held(struct held *h, struct sh_error *err)
{
	const struct sh_parts_join join = { join_part, join_two, h };
	struct join *j = h->join;

	for (unsigned side = 0; side < j->sides; side++) {
		if (sh_parts_close(&h->parts[side], err) < 0)
			return -1;
		j->repeated += h->parts[side].repeated;
	}
	h->engine = sh_join_new(h->bits, distance(j), NULL, err);
	if (!h->engine || sh_join_set_threads(h->engine, j->cli->jobs, err) < 0)
		return -1;
	if (cli_given(j->cli, EXPLAIN))
		return explain_held(h, err);
	if (j->sides == 2)
		return sh_parts_join_cross(&h->parts[0], &h->parts[1], &join, err);
	return sh_parts_join_self(&h->parts[0], &join, err);
}

static void join_fingerprints(struct join *j)
{
	struct held h = { .join = j };
	struct sh_error err;

	if (!look_at_first(&h)) {
		if (cli_given(j->cli, EXPLAIN))
			cli_print(j->cli, "no fingerprints, distance %u\n", distance(j));
		return;
	}
	make_parts(&h);
	for (unsigned side = 0; side < j->sides; side++)
		read_side(&h, side);
	if (join_held(&h, &err) < 0)
		die(j, &err);
	sh_join_delete(h.engine);
	sh_parts_free(&h.parts[0]);
	sh_parts_free(&h.parts[1]);
	sh_side_free(&h.room);
}

/* ---- signatures ---- */

static void join_by_rows(struct join *j)
{
	struct sh_signature_join join = {
		.rows = j->rows,
		.bands = j->bands,
		.most = j->k < 0 ? SH_SIGNATURE_VALUES_MAX : (unsigned)j->k,
		.collapse = j->collapse,
		.pair = write_pair,
		.out = &j->out,
	};

	join_signatures(j->cli, j->lines, j->sides, &join);
}

/* ---- both ---- */

static int fingerprint_or_band(
    const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_fp_record fp;
	struct sh_band_record band;

	(void)source;
	return sh_record_fp(line, &fp, err) == 0 ? 0 : sh_record_band(line, &band, err);
}

/* Returns whether the first record is a fingerprint: it has two fields, or three fields with a
 * tag as the last. */
static bool holds_fingerprints(struct join *j)
{
	struct sh_slice line;
	struct sh_fp_record r;
	struct sh_error err;

	for (unsigned side = 0; side < j->sides; side++)
		if (cli_first(j->cli, &j->lines[side].source, fingerprint_or_band, &line)) {
			const struct sh_source *source = &j->lines[side].source;

			cli_doubt(j->cli, source, sh_record_fp_doubt(sh_source_peeked(source)));
			return sh_fields_split(line, NULL, 0) == 2 ||
			       (sh_record_fp(line, &r, &err) == 0 && !sh_is_band_record(line));
		}
	return false;
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

static void set_option(struct join *j, int opt)
{
	switch (opt) {
	case 'k':
		j->k = (int)cli_number(j->cli, "-k", 0, SH_FP_MAX_BITS);
		break;
	case COLLAPSE:
		j->collapse = true;
		break;
	case ROWS:
		j->rows = (unsigned)cli_number(j->cli, "--rows", 1, SH_SIGNATURE_VALUES_MAX);
		break;
	case BANDS:
		j->bands = (unsigned)cli_number(j->cli, "--bands", 1, SH_SIGNATURE_VALUES_MAX);
		break;
	case 'N':
		j->count = cli_number(j->cli, "-N", 1, UINT32_MAX);
		break;
	case 'S':
		j->memory = cli_size(j->cli, "-S");
		break;
	}
}

static void check_options(const struct join *j)
{
	struct cli *c = j->cli;
	bool explains = cli_given(c, EXPLAIN);

	if (explains ? c->n_operands > 1 : j->count > 0)
		cli_usage(c, explains ? "--explain takes one file" : "-N needs --explain");
	if (j->count && c->n_operands)
		cli_usage(
		    c, "-N plans for random fingerprints: '%s' would not be read", c->operands[0]);
	if (explains && cli_given(c, CHECK))
		cli_usage(c, "--check cannot be used with --explain, which finds no pairs");
	if (j->bands && !j->rows)
		cli_usage(c, "--bands needs --rows");
	if (j->rows && explains)
		cli_usage(c, "--explain cannot be used with --rows: signatures need no plan");
}

static int any_record(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_key_record key;

	return sh_record_key(line, &key, err) == 0 ? 0 : fingerprint_or_band(source, line, err);
}

/* Returns whether the first record is a key. */
static bool holds_keys(struct join *j)
{
	struct sh_slice line;

	for (unsigned side = 0; side < j->sides; side++)
		if (cli_first(j->cli, &j->lines[side].source, any_record, &line))
			return sh_is_like_key(line);
	return false;
}

static void join_by_keys(struct join *j)
{
	struct cli *c = j->cli;

	if (j->k >= 0 || j->collapse || cli_given(c, EXPLAIN))
		cli_usage(c, "the input is keys, and %s was given: it is for fingerprints",
		    j->k >= 0     ? "-k"
		    : j->collapse ? "--collapse"
				  : "--explain");
	j->found = join_keys(c, j->lines, j->sides) > 0;
}

static void join(struct join *j)
{
	if (j->count)
		explain_count(j, distance(j));
	else if (j->rows)
		join_by_rows(j);
	else if (holds_keys(j))
		join_by_keys(j);
	else if (cli_given(j->cli, EXPLAIN) || holds_fingerprints(j))
		join_fingerprints(j);
	else
		join_by_bands(j);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct join j = {
		.cli = &c, .k = -1, .memory = DEFAULT_MEMORY, .tags = SH_TAGS(SH_TAG_DIGITS)
	};
	int opt, status;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		set_option(&j, opt);
	check_options(&j);
	open_sides(&j);
	if (cli_given(&c, EXPLAIN))
		cli_text(&c);
	cli_open(&c);
	begin_out(&j);
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
	return status == EXIT_SUCCESS && cli_given(&c, CHECK) && !j.found ? NO_PAIR : status;
}
