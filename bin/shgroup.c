/* SPDX-License-Identifier: MIT */
/* shgroup: pairs to groups. */
#include <stdlib.h>

#include "base/num.h"
#include "formopts.h"
#include "fp/defaults.h"
#include "group/group.h"
#include "group/idset.h"
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

struct settings {
	struct sh_rank_rule keep;
	struct cli_files docs, protects;
	const char *audit_path;
	struct formopts of;
	struct sh_document_form form;
};

/* The ids, and the pairs when they are needed later. */
struct graph {
	struct sh_idset ids;
	struct sh_union components; /* of handles */
	bool by_similarity;         /* no --link: collect_chunk() sets star by the first pair */
	bool star;                  /* groups are stars around their keepers */
	bool keep_edges;            /* `edge` holds the pairs; `components` does unless star */
	struct sh_edge *edge;       /* of handles while pairs are read, then of numbers */
	size_t n_edges, cap;
	uint32_t *keeper; /* by number */
};

/* ---- reading, by several threads ---- */

struct reader {
	struct graph *graph;
	bool crlf, rejects;
	struct sh_idset_batch ids; /* two ids for each pair of the chunk */
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

/* Appends the pair to job->facts, and its two ids to the ids of the chunk. */
static int each_pair(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	struct sh_pair_record pair;
	struct sh_edge e;

	if (sh_record_pair(cli_strip(r->crlf, line), &pair, err) < 0)
		return -1;
	if (pair.distance >= SH_EDGE_NONE)
		return sh_error_set(err, SH_ERR_RECORD, "a distance above %u", SH_EDGE_NONE - 1);
	e = (struct sh_edge){ .distance = SH_EDGE_NONE, .similarity = SH_EDGE_NONE };
	if (pair.distance >= 0)
		e.distance = (uint32_t)pair.distance & SH_EDGE_NONE;
	if (pair.similarity >= 0) {
		e.similarity = (uint32_t)((pair.similarity + 50) / 100) & SH_EDGE_NONE;
		e.measure = measure_number(pair.measure) & MEASURE_OTHER;
	}
	if (sh_idset_add(&r->ids, pair.id1, err) < 0 || sh_idset_add(&r->ids, pair.id2, err) < 0)
		return -1;
	return sh_buf_add(&job->facts, &e, sizeof e, err);
}

static int read_chunk(void *reader, struct sh_job *job)
{
	struct reader *r = reader;
	struct sh_edge *e;
	const uint32_t *handle;

	if (sh_job_lines(job, r->rejects, each_pair, r) < 0)
		return -1;
	handle = sh_idset_put(&r->graph->ids, &r->ids, &job->err);
	e = (struct sh_edge *)(void *)job->facts.p;
	for (size_t i = 0; handle && i < job->facts.n / sizeof *e; i++) {
		e[i].a = handle[2 * i];
		e[i].b = handle[2 * i + 1];
	}
	return handle ? 0 : -1;
}

static int collect_chunk(void *graph, struct sh_job *job, struct sh_error *err)
{
	struct graph *g = graph;
	const struct sh_edge *e = (const struct sh_edge *)(const void *)job->facts.p;
	size_t n = job->facts.n / sizeof *e;

	/* A chunk that failed has pairs without handles. */
	if (n == 0 || job->failed)
		return 0;
	if (g->by_similarity) {
		g->star = e->similarity != SH_EDGE_NONE;
		g->keep_edges |= g->star;
		g->by_similarity = false;
	}
	if (!g->star && sh_union_link_all(&g->components, e, n, err) < 0)
		return -1;
	if (!g->keep_edges)
		return 0;
	if (SH_RESERVE(g->edge, g->cap, g->n_edges + n, err) < 0)
		return -1;
	memcpy(g->edge + g->n_edges, e, n * sizeof *e);
	g->n_edges += n;
	return 0;
}

static void read_pairs(struct cli *c, struct graph *g)
{
	struct reader readers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = read_chunk, .collect = collect_chunk, .arg = g };
	struct sh_source source;
	struct sh_error err;

	if (sh_idset_init(&g->ids, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		readers[i] = (struct reader){
			.graph = g, .crlf = c->crlf, .rejects = c->rejects_path != NULL
		};
		run.workers[i] = &readers[i];
	}
	cli_source_init(c, &source);
	run_pool(&run, &source);
	sh_source_free(&source);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_idset_batch_free(&readers[i].ids);
}

/* Numbers the ids, and replaces the handles of the edges by numbers. */
static int sort_ids(struct graph *g, unsigned threads, struct sh_error *err)
{
	if (sh_idset_sort(&g->ids, threads, err) < 0)
		return -1;
	for (size_t i = 0; i < g->n_edges; i++) {
		g->edge[i].a = g->ids.number[g->edge[i].a];
		g->edge[i].b = g->ids.number[g->edge[i].b];
	}
	return 0;
}

/* ---- ranks ---- */

/* Places of ids that the documents lack are from here on. */
#define UNKNOWN (UINT64_C(1) << 63)

/* Ranks of the ids: match/rank.h. */
struct ranking {
	struct cli *cli;
	const struct settings *settings;
	const struct sh_idset *ids;
	struct sh_rank *rank;         /* by id */
	struct sh_rank_values values; /* by id, with a rule by value */
	uint32_t known, protected;    /* numbers of ids */
};

/* Reads files of ids, one per line; further fields are ignored. protects: these ids are keepers,
 * otherwise they are the list of --keep. */
static void read_list(struct ranking *r, const char *const *names, size_t n_names, bool protects)
{
	struct sh_lines lines;
	struct sh_slice line;
	uint64_t place = 0;
	uint32_t id;

	if (n_names == 0)
		return;
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n_names);
	for (; cli_line(r->cli, &lines, &line); place++) {
		line = lines.starts_file ? sh_utf8_skip_bom(line) : line;
		if (!sh_idset_find(r->ids, sh_record_listed(line), &id))
			continue;
		if (protects) {
			r->protected += !r->rank[id].is_protected;
			r->rank[id].is_protected = true;
		} else if (r->rank[id].by_rule == SH_RANK_UNLISTED) {
			r->rank[id].by_rule =
			    place < SH_RANK_UNLISTED ? place : SH_RANK_UNLISTED - 1;
			r->known += r->settings->docs.n == 0;
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

struct document_reader {
	const struct ranking *ranking;
	struct sh_document_room room;
};

static int each_document(
    void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct document_reader *r = reader;
	const struct settings *s = r->ranking->settings;
	bool plain = s->form.json || s->form.line_ids || s->form.csv;
	struct sh_document doc;
	struct met m = { 0 };

	if (sh_document_parse(&s->form, line, job->from.number + job->at, &r->room, &doc, err) < 0)
		return -1;
	if (!sh_idset_find(r->ranking->ids, doc.id, &m.id))
		return 0;
	if (s->keep.by == SH_RANK_LONGEST)
		m.length = (uint32_t)(plain ? doc.text.n : sh_unescaped_length(doc.text));
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
	struct document_reader *r = reader;

	if (sh_docs_begin(job) < 0)
		return -1;
	return sh_job_lines(job, r->ranking->cli->rejects_path != NULL, each_document, r);
}

static int rank_documents(void *ranking, struct sh_job *job, struct sh_error *err)
{
	struct ranking *r = ranking;
	const struct sh_rank_rule *rule = &r->settings->keep;
	const struct met *m = (const struct met *)(const void *)job->facts.p;
	const char *record = job->out.p;

	for (size_t i = 0; i < job->facts.n / sizeof *m; record += m[i++].record) {
		struct sh_rank *rank = &r->rank[m[i].id];

		if (rank->place < UNKNOWN)
			continue;
		rank->place = r->known++;
		if (rule->by != SH_RANK_LISTED)
			rank->by_rule =
			    sh_rank_by_rule(rule, rank->place, m[i].length, SH_RANK_UNLISTED);
		if (m[i].record &&
		    sh_rank_values_add(&r->values, m[i].id, sh_slice(record, m[i].record), err) < 0)
			return -1;
	}
	r->cli->n_rejected += job->rejected;
	return job->rejected ? sh_sink_write(&r->cli->rejects, job->aside.p, job->aside.n, err) : 0;
}

static void set_value_rank(void *ranking, uint32_t id, uint64_t rank)
{
	struct ranking *r = ranking;

	r->rank[id].by_rule = rank;
}

/* Ranks the ids by the documents of -d. */
static void rank_by_documents(struct ranking *r)
{
	const struct settings *s = r->settings;
	struct cli *c = r->cli;
	struct document_reader readers[CLI_MAX_JOBS] = { 0 };
	void *workers[CLI_MAX_JOBS];
	struct sh_pool pool = { read_documents, workers, c->jobs, rank_documents, r };
	struct sh_source source;
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		readers[i].ranking = r;
		workers[i] = &readers[i];
	}
	sh_source_init(&source, (char *const *)(uintptr_t)s->docs.name, s->docs.n);
	source.trailer = c->trailer_in;
	source.crlf = c->crlf;
	formopts_read_header(c, &s->form, &source);
	if (sh_rank_by_value(&s->keep) &&
	    sh_rank_values_header(&r->values, sh_header_bare(&source.header), &err) < 0) {
		struct sh_error bad = err;

		sh_error_set(&err, SH_ERR_PARAM, "--keep: %s", bad.text);
		cli_die(c, &err);
	}
	if (sh_pool_run(&pool, &source, &err) < 0)
		cli_die(c, &err);
	sh_source_free(&source);
	sh_rank_values_finish(&r->values, set_value_rank, r);
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
 * occurrence. *n_protected: the ids of the ranks below it are protected. */
static uint32_t *rank_ids(
    struct cli *c, const struct settings *s, const struct sh_idset *ids, uint32_t *n_protected)
{
	struct ranking r = { .cli = c,
		.settings = s,
		.ids = ids,
		.rank = cli_zeroed(c, (size_t)ids->n + 1, sizeof *r.rank),
		.values = { .rule = s->keep, .form = &s->form } };
	uint32_t *order = cli_zeroed(c, (size_t)ids->n + 1, sizeof *order);
	uint32_t *ranks = cli_zeroed(c, (size_t)ids->n + 1, sizeof *ranks);
	bool listed = s->keep.by == SH_RANK_LISTED;
	char doubt[SH_RANK_TEXT];

	for (uint32_t i = 0; i < ids->n; i++)
		r.rank[i] = (struct sh_rank){ .by_rule = listed      ? SH_RANK_UNLISTED
							 : s->docs.n ? UINT64_MAX
								     : sh_rank_by_rule(&s->keep, i,
									   0, SH_RANK_UNLISTED),
			.place = UNKNOWN + i };
	read_list(&r, s->protects.name, s->protects.n, true);
	read_list(&r, &s->keep.path, listed, false);
	if (s->docs.n)
		rank_by_documents(&r);
	else if (!listed)
		r.known = ids->n;
	for (uint32_t i = 0; i < ids->n; i++)
		order[i] = i;
	qsort_r(order, ids->n, sizeof *order, by_rank, r.rank);
	for (uint32_t i = 0; i < ids->n; i++)
		ranks[order[i]] = i;
	if (sh_rank_values_doubt(&r.values, doubt))
		cli_warn(c, "%s (--keep)", doubt);
	if (r.known < ids->n)
		cli_warn(c,
		    "%s does not rank %u of %u ids; they are kept only where no ranked id is in "
		    "the group",
		    s->docs.n == 0   ? s->keep.path
		    : s->docs.n == 1 ? s->docs.name[0]
				     : "-d",
		    ids->n - r.known, ids->n);
	*n_protected = r.protected;
	sh_rank_values_free(&r.values);
	free(order);
	free(r.rank);
	return ranks;
}

/* ---- grouping ---- */

/* n_protected: the ids of the ranks below it are keepers. */
static int find_keepers(
    struct graph *g, const uint32_t *rank, uint32_t n_protected, struct sh_error *err)
{
	uint32_t n = g->ids.n;

	g->keeper = malloc((size_t)n * sizeof *g->keeper + 1);
	if (!g->keeper)
		return sh_error_nomem(err);
	if (g->star)
		return sh_group_star(g->keeper, n, g->edge, g->n_edges, rank, n_protected, err);
	sh_group_single(g->keeper, n, &g->components, g->ids.number, rank, n_protected);
	return 0;
}

/* ---- writing ---- */

static int write_fields(
    struct sh_sink *out, const struct sh_slice *field, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (sh_sink_write(out, field[i].p, field[i].n, err) < 0 ||
		    sh_sink_write(out, i + 1 < n ? "\t" : "\n", 1, err) < 0)
			return -1;
	return 0;
}

/* Writes keeper, size, then the weakest pair: id1, id2, distance, and its similarity and measure if
 * known. */
static int write_audit_line(const struct graph *g, const uint32_t *order, uint32_t keeper,
    uint32_t size, const struct sh_edge *e, struct sh_sink *out, struct sh_error *err)
{
	char number[2][SH_NUM_CHARS], similarity[SH_SIMILARITY_CHARS];
	struct sh_slice a = sh_idset_id(&g->ids, order[e->a]),
			b = sh_idset_id(&g->ids, order[e->b]);
	bool swap = sh_slice_cmp(a, b) > 0;
	struct sh_slice field[] = {
		sh_idset_id(&g->ids, order[keeper]),
		sh_slice(number[0], sh_print_u64(number[0], size)),
		swap ? b : a,
		swap ? a : b,
		e->distance == SH_EDGE_NONE
		    ? sh_slice("-", 1)
		    : sh_slice(number[1], sh_print_u64(number[1], e->distance)),
		sh_slice(similarity, SH_SIMILARITY_CHARS),
		e->measure && e->measure != MEASURE_OTHER
		    ? sh_slice_str(sh_measure_at(e->measure - 1U)->name)
		    : sh_slice("-", 1),
	};

	sh_similarity_print(similarity, e->similarity);
	return write_fields(out, field, e->similarity == SH_EDGE_NONE ? 5 : 7, err);
}

/* Renumbers the ids by `order`, in edges and keepers. The choice among equally weak pairs then does
 * not depend on the order of the pairs. */
static int renumber(struct graph *g, const uint32_t *order, uint32_t *keeper, struct sh_error *err)
{
	uint32_t n = g->ids.n;
	uint32_t *place = malloc(n * sizeof *place + 1);

	if (!place)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		place[order[i]] = i;
	for (uint32_t i = 0; i < n; i++)
		keeper[i] = place[g->keeper[order[i]]];
	for (size_t i = 0; i < g->n_edges; i++) {
		g->edge[i].a = place[g->edge[i].a];
		g->edge[i].b = place[g->edge[i].b];
	}
	free(place);
	return 0;
}

/* Writes the audit. The edges are not used afterwards. */
static int write_audit(
    struct graph *g, const uint32_t *order, struct sh_sink *out, struct sh_error *err)
{
	uint32_t n = g->ids.n;
	size_t *weakest = malloc(n * sizeof *weakest + 1);
	uint32_t *size = malloc(n * sizeof *size + 1);
	uint32_t *keeper = malloc(n * sizeof *keeper + 1);
	int status =
	    weakest && size && keeper ? renumber(g, order, keeper, err) : sh_error_nomem(err);

	if (status == 0) {
		sh_group_sizes(size, keeper, n);
		sh_group_weakest(weakest, keeper, n, g->edge, g->n_edges, g->star);
	}
	for (uint32_t i = 0; status == 0 && i < n; i++)
		if (size[i] && weakest[i] != SIZE_MAX)
			status =
			    write_audit_line(g, order, i, size[i], &g->edge[weakest[i]], out, err);
	free(weakest);
	free(size);
	free(keeper);
	return status;
}

/* Orders groups bytewise by keeper. In each group the keeper comes first, then the other ids
 * bytewise. The order of the pairs has no effect. Writes the audit first: it is complete before
 * groups that go to the same output. */
static void write_all(
    struct cli *c, const struct settings *s, struct graph *g, struct sh_sink *audit)
{
	uint32_t *order = cli_zeroed(c, (size_t)g->ids.n + 1, sizeof *order);
	struct sh_error err;

	if (sh_group_order(order, g->keeper, g->ids.n, &err) < 0)
		cli_die(c, &err);
	if (s->audit_path) {
		if (write_audit(g, order, audit, &err) < 0)
			cli_die(c, &err);
		cli_close_further(c, audit);
	}
	for (uint32_t i = 0; i < g->ids.n; i++) {
		const struct sh_slice field[] = { sh_idset_id(&g->ids, order[i]),
			sh_idset_id(&g->ids, g->keeper[order[i]]) };

		if (write_fields(&c->out, field, 2, &err) < 0)
			cli_die(c, &err);
	}
	free(order);
}

static void complete(struct cli *c, struct settings *s, struct graph *g)
{
	struct sh_error err;

	if (cli_given(c, KEEP) && sh_rank_rule_parse(opt_text(c, KEEP), &s->keep, &err) < 0)
		cli_usage(c, "--keep %s", err.text);
	if (s->keep.path)
		cli_reads_or(c, KEEP, "first, longest, newest, max:FIELD nor min:FIELD");
	s->protects = opt_all(c, PROTECT);
	s->docs = opt_all(c, 'd');
	s->audit_path = opt_text(c, AUDIT);
	g->star = opt_choice(c, LINK, 0) == 1;
	g->by_similarity = !cli_given(c, LINK) && SH_DEFAULT_STAR;
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
	struct settings s = { 0 };
	struct graph g = { 0 };
	struct sh_sink audit;
	uint32_t *rank, n_protected;
	struct sh_error err;

	cli_start(&c, &program, argc, argv);
	complete(&c, &s, &g);
	g.keep_edges = g.star || s.audit_path;
	cli_open(&c);
	if (s.audit_path)
		cli_open_further(&c, &audit, s.audit_path);
	read_pairs(&c, &g);
	if (sort_ids(&g, c.jobs, &err) < 0)
		cli_die(&c, &err);
	rank = rank_ids(&c, &s, &g.ids, &n_protected);
	if (find_keepers(&g, rank, n_protected, &err) < 0)
		cli_die(&c, &err);
	write_all(&c, &s, &g, &audit);
	free(rank);
	free(g.keeper);
	free(g.edge);
	sh_union_free(&g.components);
	sh_idset_free(&g.ids);
	return cli_finish(&c);
}
