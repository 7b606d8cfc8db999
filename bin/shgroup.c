/* SPDX-License-Identifier: MIT */
/* shgroup: pairs to groups. */
#include <stdlib.h>

#include "base/num.h"
#include "formopts.h"
#include "fp/defaults.h"
#include "group/group.h"
#include "io/target.h"
#include "match/measure.h"
#include "match/rank.h"
#include "names.h"
#include "record/document.h"
#include "record/escape.h"
#include "record/fields.h"
#include "run.h"
#include "stream/docs.h"
#include "unicode/utf8.h"

enum { KEEP = CLI_OWN, PROTECT, LINK, AUDIT };

static const struct cli_option options[] = {
	CLI_HEADING("Groups and keepers"),
	{ KEEP, "keep", "first|longest|newest|max:FIELD|min:FIELD|FILE",
	    "keeper of a group; FILE: ids, best first [first]" },
	{ PROTECT, "protect", "FILE", "make each document with an id of FILE a keeper", NULL,
	    CLI_READS },
	{ LINK, "link", "HOW",
	    "%s: chains, or neighbours of one document [star when pairs have a similarity]",
	    link_names },
	{ 'd', "documents", "DOCS", "the documents, for their order and length; may be repeated",
	    NULL, CLI_READS },
	{ AUDIT, "audit", "FILE", "write keeper, size and weakest pair of each group to FILE", NULL,
	    CLI_WRITES },
	CLI_TMPDIR_ROW,
	CLI_HEADING("Records of documents"),
	FORMOPTS_ROWS,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shgroup",
	.threads = "pairs and documents",
	.synopsis = "[FILE...]",
	.purpose = "Pairs (id1<TAB>id2<TAB>distance) to groups (id<TAB>keeper).",
	.options = { options },
};

/* The options; the ids, and the pairs when they are needed later. */
struct state {
	struct cli *cli;
	struct sh_rank_rule keep;
	struct cli_files docs, protects;
	const char *audit_path; /* NULL: no audit */
	struct formopts of;
	struct sh_document_form form;
	bool star;          /* groups are stars around their keepers */
	bool by_similarity; /* no --link: the first pair decides `star` */

	struct sh_idset ids;
	struct sh_union components; /* of handles, unless star */
	struct sh_edge *edge;       /* with star or an audit: of handles, later of numbers */
	size_t n_edges, cap;
	uint32_t *keeper;             /* by number */
	struct sh_rank *rank;         /* by number: match/rank.h */
	uint32_t known, fixed;        /* ids that have a rank; protected ids */
	struct sh_rank_values values; /* by number, with a rule by value */
};

/* ---- pairs ---- */

/* A pair of a chunk, in job->facts. The ids are in the chunk. */
struct pair {
	struct sh_slice id[2];
	struct sh_edge edge;
};

/* A measure as a number: its row of the table from 1 on, MEASURE_OTHER when it is none of them. */
enum { MEASURE_OTHER = 15 };

static unsigned measure_number(struct sh_slice name)
{
	const struct sh_measure *m;

	for (unsigned i = 0; (m = sh_measure_at(i)) && i + 1 < MEASURE_OTHER; i++)
		if (sh_slice_eq(name, sh_slice_str(m->name)))
			return i + 1;
	return MEASURE_OTHER;
}

static int each_pair(void *cli, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	const struct cli *c = cli;
	struct sh_pair_record r;
	struct pair p = { .edge = { .distance = SH_EDGE_NONE, .similarity = SH_EDGE_NONE } };

	if (sh_record_pair(cli_strip(c->crlf, line), &r, err) < 0)
		return -1;
	if (r.distance >= SH_EDGE_NONE)
		return sh_error_set(err, SH_ERR_RECORD, "a distance above %u", SH_EDGE_NONE - 1);
	p.id[0] = r.id1;
	p.id[1] = r.id2;
	if (r.distance >= 0)
		p.edge.distance = (uint32_t)r.distance & SH_EDGE_NONE;
	if (r.similarity >= 0) {
		p.edge.similarity = (uint32_t)((r.similarity + 50) / 100) & SH_EDGE_NONE;
		p.edge.measure = measure_number(r.measure) & MEASURE_OTHER;
	}
	return sh_buf_add(&job->facts, &p, sizeof p, err);
}

static int read_chunk(void *cli, struct sh_job *job)
{
	const struct cli *c = cli;

	return sh_job_lines(job, c->rejects_path != NULL, each_pair, cli);
}

/* Adds the pairs of a chunk, and their ids. */
static int collect_chunk(void *state, struct sh_job *job, struct sh_error *err)
{
	struct state *s = state;
	const struct pair *p = (const struct pair *)(const void *)job->facts.p;
	size_t n = job->facts.n / sizeof *p, some;

	if (n && s->by_similarity) {
		s->star = p->edge.similarity != SH_EDGE_NONE;
		s->by_similarity = false;
	}
	for (; n; n -= some, p += some) {
		struct sh_slice id[SH_HMAP_MANY];
		uint32_t handle[SH_HMAP_MANY];
		struct sh_edge edge[SH_HMAP_MANY / 2];

		some = n < SH_HMAP_MANY / 2 ? n : SH_HMAP_MANY / 2;
		for (size_t i = 0; i < some; i++)
			memcpy(id + 2 * i, p[i].id, sizeof p[i].id);
		if (sh_hmap_put_many(&s->ids.ids, id, 2 * some, handle, err) < 0)
			return -1;
		for (size_t i = 0; i < some; i++) {
			edge[i] = p[i].edge;
			edge[i].a = handle[2 * i];
			edge[i].b = handle[2 * i + 1];
		}
		if (!s->star && sh_union_link_all(&s->components, edge, some, err) < 0)
			return -1;
		if (!s->star && !s->audit_path)
			continue;
		if (SH_RESERVE(s->edge, s->cap, s->n_edges + some, err) < 0)
			return -1;
		memcpy(s->edge + s->n_edges, edge, some * sizeof *edge);
		s->n_edges += some;
	}
	return 0;
}

/* Reads the pairs, then numbers the ids. */
static void read_pairs(struct state *s)
{
	struct cli *c = s->cli;
	struct run run = { .cli = c, .work = read_chunk, .collect = collect_chunk, .arg = s };
	struct sh_source source;
	struct sh_error err;

	if (sh_hmap_init(&s->ids.ids, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++)
		run.workers[i] = c;
	cli_source_init(c, &source);
	run_pool(&run, &source);
	sh_source_free(&source);
	if (sh_idset_sort(&s->ids, c->jobs, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < s->n_edges; i++) {
		s->edge[i].a = s->ids.number[s->edge[i].a];
		s->edge[i].b = s->ids.number[s->edge[i].b];
	}
}

/* ---- ranks ---- */

/* Places of ids that the documents lack are from here on. */
#define UNKNOWN (UINT64_C(1) << 63)

/* Reads files of ids, one per line; further fields are ignored. protects: these ids are keepers,
 * otherwise they are the list of --keep. */
static void read_list(struct state *s, const char *const *names, size_t n_names, bool protects)
{
	struct sh_lines lines;
	struct sh_slice line;
	uint64_t place = 0;
	uint32_t id;

	if (n_names == 0)
		return;
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n_names);
	for (; cli_line(s->cli, &lines, &line); place++) {
		line = lines.starts_file ? sh_utf8_skip_bom(line) : line;
		if (!sh_idset_find(&s->ids, sh_record_listed(line), &id))
			continue;
		if (protects) {
			s->fixed += !s->rank[id].is_protected;
			s->rank[id].is_protected = true;
		} else if (s->rank[id].by_rule == SH_RANK_UNLISTED) {
			s->rank[id].by_rule =
			    place < SH_RANK_UNLISTED ? place : SH_RANK_UNLISTED - 1;
			s->known += s->docs.n == 0;
		}
	}
	sh_lines_free(&lines);
}

/* A document with one of the ids. Its record follows in job->out, for a rule by value. */
struct met {
	uint32_t id;
	uint32_t length; /* of the document's text, in bytes */
	size_t record;   /* bytes of the record */
};

struct reader {
	const struct state *state;
	struct sh_document_room room;
};

static int each_document(
    void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	const struct state *s = r->state;
	struct sh_document doc;
	struct met m = { 0 };

	if (sh_document_parse(&s->form, line, job->from.number + job->at, &r->room, &doc, err) < 0)
		return -1;
	if (!sh_idset_find(&s->ids, doc.id, &m.id))
		return 0;
	if (s->keep.by == SH_RANK_LONGEST)
		m.length = (uint32_t)(formopts_escaped(&s->form) ? sh_unescaped_length(doc.text)
								 : doc.text.n);
	if (sh_rank_by_value(&s->keep)) {
		m.record = line.n;
		if (sh_buf_add(&job->out, line.p, line.n, err) < 0)
			return -1;
	}
	return sh_buf_add(&job->facts, &m, sizeof m, err);
}

/* Refuses documents that are not UTF-8, as all readers of documents do. */
static int read_documents(void *reader, struct sh_job *job)
{
	struct reader *r = reader;

	return sh_docs_lines(job, r->state->cli->rejects_path != NULL, each_document, r);
}

static int rank_documents(void *state, struct sh_job *job, struct sh_error *err)
{
	struct state *s = state;
	const struct met *m = (const struct met *)(const void *)job->facts.p;
	const char *record = job->out.p;

	for (size_t i = 0; i < job->facts.n / sizeof *m; record += m[i++].record) {
		struct sh_rank *rank = &s->rank[m[i].id];

		if (rank->place < UNKNOWN)
			continue;
		rank->place = s->known++;
		if (s->keep.by != SH_RANK_LISTED)
			rank->by_rule =
			    sh_rank_by_rule(&s->keep, rank->place, m[i].length, SH_RANK_UNLISTED);
		if (m[i].record &&
		    sh_rank_values_add(&s->values, m[i].id, sh_slice(record, m[i].record), err) < 0)
			return -1;
	}
	s->cli->n_rejected += job->rejected;
	return job->rejected ? sh_sink_write(&s->cli->rejects, job->aside.p, job->aside.n, err) : 0;
}

static void set_value_rank(void *rank, uint32_t id, uint64_t by_rule)
{
	((struct sh_rank *)rank)[id].by_rule = by_rule;
}

/* Ranks the ids by the documents of -d. */
static void rank_by_documents(struct state *s)
{
	struct cli *c = s->cli;
	struct reader readers[CLI_MAX_JOBS] = { 0 };
	void *workers[CLI_MAX_JOBS];
	struct sh_pool pool = { read_documents, workers, c->jobs, rank_documents, s };
	struct sh_source source;
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		readers[i].state = s;
		workers[i] = &readers[i];
	}
	sh_source_init(&source, (char *const *)(uintptr_t)s->docs.name, s->docs.n);
	source.trailer = c->trailer_in;
	source.crlf = c->crlf;
	formopts_read_header(c, &s->form, &source);
	if (sh_rank_by_value(&s->keep) &&
	    sh_rank_values_header(&s->values, sh_header_bare(&source.header), &err) < 0) {
		struct sh_error bad = err;

		sh_error_set(&err, SH_ERR_PARAM, "--keep: %s", bad.text);
		cli_die(c, &err);
	}
	if (sh_pool_run(&pool, &source, &err) < 0)
		cli_die(c, &err);
	sh_source_free(&source);
	sh_rank_values_finish(&s->values, set_value_rank, s->rank);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_document_room_free(&readers[i].room);
}

static int by_rank(const void *a, const void *b, void *rank)
{
	const struct sh_rank *r = rank;

	return sh_rank_compare(r[*(const uint32_t *)a], r[*(const uint32_t *)b]);
}

/* Returns the rank of each id by its number: distinct, the best 0, in memory that the caller frees.
 * Unknown ids come after all others, in bytewise order. A repeated id has the rank of its first
 * occurrence. */
static uint32_t *rank_ids(struct state *s)
{
	uint32_t n = s->ids.n;
	uint32_t *order = cli_zeroed(s->cli, (size_t)n + 1, sizeof *order);
	uint32_t *ranks = cli_zeroed(s->cli, (size_t)n + 1, sizeof *ranks);
	bool listed = s->keep.by == SH_RANK_LISTED;
	char doubt[SH_RANK_TEXT];

	s->rank = cli_zeroed(s->cli, (size_t)n + 1, sizeof *s->rank);
	s->values = (struct sh_rank_values){ .rule = s->keep, .form = &s->form };
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		s->rank[i].place = UNKNOWN + i;
		s->rank[i].by_rule = s->docs.n && !listed
					 ? UINT64_MAX
					 : sh_rank_by_rule(&s->keep, i, 0, SH_RANK_UNLISTED);
	}
	read_list(s, s->protects.name, s->protects.n, true);
	read_list(s, &s->keep.path, listed, false);
	if (s->docs.n)
		rank_by_documents(s);
	else if (!listed)
		s->known = n;
	qsort_r(order, n, sizeof *order, by_rank, s->rank);
	for (uint32_t i = 0; i < n; i++)
		ranks[order[i]] = i;
	if (sh_rank_values_doubt(&s->values, doubt))
		cli_warn(s->cli, "%s (--keep)", doubt);
	if (s->known < n)
		cli_warn(s->cli,
		    "%s does not rank %u of %u ids; they are kept only where no ranked id is in "
		    "the group",
		    s->docs.n == 0   ? s->keep.path
		    : s->docs.n == 1 ? s->docs.name[0]
				     : "-d",
		    n - s->known, n);
	sh_rank_values_free(&s->values);
	free(order);
	free(s->rank);
	return ranks;
}

/* ---- groups ---- */

static void find_keepers(struct state *s)
{
	uint32_t n = s->ids.n, *rank = rank_ids(s);
	struct sh_error err;

	s->keeper = cli_zeroed(s->cli, (size_t)n + 1, sizeof *s->keeper);
	if (!s->star)
		sh_group_single(s->keeper, n, &s->components, s->ids.number, rank, s->fixed);
	else if (sh_group_star(s->keeper, n, s->edge, s->n_edges, rank, s->fixed, &err) < 0)
		cli_die(s->cli, &err);
	free(rank);
}

static void write_fields(
    struct state *s, struct sh_sink *out, const struct sh_slice *field, size_t n)
{
	struct sh_error err;

	for (size_t i = 0; i < n; i++)
		if (sh_sink_write(out, field[i].p, field[i].n, &err) < 0 ||
		    sh_sink_write(out, i + 1 < n ? "\t" : "\n", 1, &err) < 0)
			cli_die(s->cli, &err);
}

/* Writes keeper, size, then the weakest pair of each group of two or more: id1, id2, distance, and
 * its similarity and measure if known. */
static void write_audit(struct state *s, struct sh_sink *out)
{
	uint32_t n = s->ids.n, *size = cli_zeroed(s->cli, (size_t)n + 1, sizeof *size);
	size_t *weakest = cli_zeroed(s->cli, (size_t)n + 1, sizeof *weakest);

	sh_group_sizes(size, s->keeper, n);
	sh_group_weakest(weakest, s->keeper, n, s->edge, s->n_edges, s->star);
	for (uint32_t i = 0; i < n; i++) {
		char number[2][SH_NUM_CHARS], similarity[SH_SIMILARITY_CHARS];
		struct sh_slice field[7];
		const struct sh_edge *e;

		if (!size[i] || weakest[i] == SIZE_MAX)
			continue;
		e = &s->edge[weakest[i]];
		sh_similarity_print(similarity, e->similarity);
		field[0] = sh_idset_id(&s->ids, i);
		field[1] = sh_slice(number[0], sh_print_u64(number[0], size[i]));
		field[2] = sh_idset_id(&s->ids, e->a < e->b ? e->a : e->b);
		field[3] = sh_idset_id(&s->ids, e->a < e->b ? e->b : e->a);
		field[4] = e->distance == SH_EDGE_NONE
			       ? sh_slice("-", 1)
			       : sh_slice(number[1], sh_print_u64(number[1], e->distance));
		field[5] = sh_slice(similarity, SH_SIMILARITY_CHARS);
		field[6] = e->measure && e->measure != MEASURE_OTHER
			       ? sh_slice_str(sh_measure_at(e->measure - 1U)->name)
			       : sh_slice("-", 1);
		write_fields(s, out, field, e->similarity == SH_EDGE_NONE ? 5 : 7);
	}
	cli_close_further(s->cli, out);
	free(weakest);
	free(size);
}

/* Orders groups bytewise by keeper. In each group the keeper comes first, then the other ids
 * bytewise. The order of the pairs has no effect. */
static void write_groups(struct state *s)
{
	uint32_t *order = cli_zeroed(s->cli, (size_t)s->ids.n + 1, sizeof *order);
	struct sh_error err;

	if (sh_group_order(order, s->keeper, s->ids.n, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->ids.n; i++) {
		const struct sh_slice field[] = { sh_idset_id(&s->ids, order[i]),
			sh_idset_id(&s->ids, s->keeper[order[i]]) };

		write_fields(s, &s->cli->out, field, 2);
	}
	free(order);
}

/* ---- options ---- */

static void complete(struct state *s)
{
	struct cli *c = s->cli;
	struct sh_error err;

	if (cli_given(c, KEEP) && sh_rank_rule_parse(opt_text(c, KEEP), &s->keep, &err) < 0)
		cli_usage(c, "--keep %s", err.text);
	if (s->keep.path)
		cli_reads_or(c, KEEP, "first, longest, newest, max:FIELD nor min:FIELD");
	s->protects = opt_all(c, PROTECT);
	s->docs = opt_all(c, 'd');
	s->audit_path = opt_text(c, AUDIT);
	s->star = opt_choice(c, LINK, 0) == 1;
	s->by_similarity = !cli_given(c, LINK) && SH_DEFAULT_STAR;
	if ((s->keep.by == SH_RANK_LONGEST || sh_rank_by_value(&s->keep)) && !s->docs.n)
		cli_usage(c, "--keep longest, max: and min: need the documents: -d DOCS");
	/* Both outputs may be standard output as /dev/stdout. As "-" it would be closed after the
	 * audit. */
	if (s->audit_path && sh_target_same(s->audit_path, c->out_path) &&
	    (c->out_path || sh_target_descriptor(s->audit_path) < 0))
		cli_usage(c, "--audit %s: the groups are written to it", s->audit_path);
	formopts_complete(&s->of, &s->form, c);
	if ((s->of.fields || s->form.json || s->form.columns || s->form.line_ids) && !s->docs.n)
		cli_usage(c, "%s needs the documents: -d DOCS",
		    s->of.fields      ? "-f"
		    : s->form.json    ? "--json"
		    : s->form.csv     ? "--csv"
		    : s->form.columns ? "--header"
				      : "-l");
	if (sh_rank_rule_check(&s->keep, &s->form, &err) < 0)
		cli_usage(c, "--keep: %s", err.text);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct state s = { .cli = &c };
	struct sh_sink audit;

	cli_start(&c, &program, argc, argv);
	complete(&s);
	cli_open(&c);
	if (s.audit_path)
		cli_open_further(&c, &audit, s.audit_path);
	read_pairs(&s);
	find_keepers(&s);
	/* The audit is complete before groups that go to the same output. */
	if (s.audit_path)
		write_audit(&s, &audit);
	write_groups(&s);
	free(s.keeper);
	free(s.edge);
	sh_union_free(&s.components);
	sh_idset_free(&s.ids);
	return cli_finish(&c);
}
