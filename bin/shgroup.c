/* SPDX-License-Identifier: MIT */
/* shgroup: pairs to groups. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/num.h"
#include "formopts.h"
#include "fp/defaults.h"
#include "group/group.h"
#include "group/idset.h"
#include "group/prefer.h"
#include "io/parallel.h"
#include "io/target.h"
#include "match/measure.h"
#include "names.h"
#include "record/document.h"
#include "record/fields.h"
#include "run.h"

enum { KEEP = CLI_OWN, PROTECT, LINK, AUDIT };

static const struct cli_option options[] = {
	CLI_HEADING("Groups and keepers"),
	{ KEEP, "keep", "first|longest|newest|max:FIELD|min:FIELD|FILE",
	    "keeper of a group; FILE: ids, best first [first]" },
	{ PROTECT, "protect", "FILE", "make each document with an id of FILE a keeper" },
	{ LINK, "link", "HOW",
	    "%s: chains, or neighbours of one document [star when pairs have a similarity]",
	    link_names },
	{ 'd', "documents", "DOCS", "the documents, for their order and length; may be repeated" },
	{ AUDIT, "audit", "FILE", "write keeper, size and weakest pair of each group to FILE" },
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
	struct sh_prefer keep;
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
	bool keep_edges;            /* `edge` holds the pairs; false: only `components` does */
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

/* Appends the pair to job->facts, and its two ids to the ids of the chunk. */
static int each_pair(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	struct sh_pair_record pair;
	struct sh_edge e;

	if (sh_record_pair(cli_strip(r->crlf, line), &pair, err) < 0)
		return -1;
	if (pair.distance >= SH_EDGE_NONE)
		return sh_error_set(err, SH_ERR_RECORD, "a distance above %d", SH_EDGE_NONE - 1);
	e = (struct sh_edge){ .distance = SH_EDGE_NONE, .similarity = SH_EDGE_NONE };
	if (pair.distance >= 0)
		e.distance = (uint16_t)pair.distance;
	if (pair.similarity >= 0)
		e.similarity = (uint16_t)((pair.similarity + 50) / 100);
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
	if (!g->keep_edges)
		return sh_union_link_all(&g->components, e, n, err);
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

static void number_edges(void *graph, size_t from, size_t to)
{
	const struct graph *g = graph;

	for (size_t i = from; i < to; i++) {
		g->edge[i].a = g->ids.number[g->edge[i].a];
		g->edge[i].b = g->ids.number[g->edge[i].b];
	}
}

static int sort_ids(struct graph *g, unsigned threads, struct sh_error *err)
{
	if (sh_idset_sort(&g->ids, threads, err) < 0)
		return -1;
	return sh_parallel_each(threads, g->n_edges, number_edges, g, err);
}

/* ---- grouping ---- */

struct choice {
	struct graph *graph;
	const uint32_t *rank;
	_Atomic uint32_t *best; /* by handle of the component; SH_IDSET_NONE: none yet */
};

/* Chooses the best-ranked id of each component among the ids of these handles. */
static void choose(void *choice, size_t from, size_t to)
{
	const struct choice *c = choice;
	const uint32_t *number = c->graph->ids.number;

	for (size_t i = from; i < to; i++) {
		uint32_t id = number[i], best;
		_Atomic uint32_t *b;

		if (id == SH_IDSET_NONE)
			continue;
		b = &c->best[sh_union_find(&c->graph->components, (uint32_t)i)];
		best = *b;
		while ((best == SH_IDSET_NONE || c->rank[id] < c->rank[best]) &&
		       !atomic_compare_exchange_weak(b, &best, id))
			continue;
	}
}

static void assign(void *choice, size_t from, size_t to)
{
	const struct choice *c = choice;
	struct graph *g = c->graph;

	for (size_t i = from; i < to; i++)
		if (g->ids.number[i] != SH_IDSET_NONE)
			g->keeper[g->ids.number[i]] =
			    c->best[sh_union_find(&g->components, (uint32_t)i)];
}

/* Sets the keeper of each id to the best-ranked id of its component. */
static int keepers_of_components(
    struct graph *g, const uint32_t *rank, unsigned threads, struct sh_error *err)
{
	uint32_t n = g->components.n; /* no handle of an id is above n - 1 */
	struct choice c = { g, rank, malloc((size_t)n * sizeof *c.best + 1) };
	int status;

	if (!c.best)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		atomic_init(&c.best[i], SH_IDSET_NONE);
	status = sh_parallel_each(threads, n, choose, &c, err);
	if (status == 0)
		status = sh_parallel_each(threads, n, assign, &c, err);
	free(c.best);
	return status;
}

/* n_protected: the ids of the ranks below it are keepers. */
static int find_keepers(struct graph *g, const uint32_t *rank, uint32_t n_protected,
    unsigned threads, struct sh_error *err)
{
	uint32_t n = g->ids.n;
	int status;

	g->keeper = malloc((size_t)n * sizeof *g->keeper + 1);
	if (!g->keeper)
		return sh_error_nomem(err);
	if (g->star)
		return sh_group_star_in(
		    NULL, n_protected, g->keeper, n, g->edge, g->n_edges, rank, err);
	status = g->keep_edges ? sh_group_single(g->keeper, n, g->edge, g->n_edges, rank, err)
			       : keepers_of_components(g, rank, threads, err);
	for (uint32_t i = 0; status == 0 && i < n; i++)
		if (rank[i] < n_protected)
			g->keeper[i] = i;
	return status;
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

enum { TASK = 1 << 14 }; /* ids that a thread writes at once */

struct writer {
	const struct graph *graph;
	const uint32_t *order;
};

static int write_groups(void *writer, struct sh_job *job)
{
	const struct writer *w = writer;
	const struct sh_idset *ids = &w->graph->ids;
	size_t from = job->task * TASK, to = ids->n - from < TASK ? ids->n : from + TASK;

	for (size_t i = from; i < to; i++) {
		struct sh_slice id = sh_idset_id(ids, w->order[i]);
		struct sh_slice keeper = sh_idset_id(ids, w->graph->keeper[w->order[i]]);

		if (sh_buf_add(&job->out, id.p, id.n, &job->err) < 0 ||
		    sh_buf_add(&job->out, "\t", 1, &job->err) < 0 ||
		    sh_buf_add(&job->out, keeper.p, keeper.n, &job->err) < 0 ||
		    sh_buf_add(&job->out, "\n", 1, &job->err) < 0)
			return -1;
	}
	return 0;
}

static void run_writers(struct cli *c, const struct graph *g, const uint32_t *order)
{
	struct writer writer = { g, order };
	struct run run = { .cli = c, .work = write_groups };

	for (unsigned i = 0; i < c->jobs; i++)
		run.workers[i] = &writer;
	run_tasks(&run, ((size_t)g->ids.n + TASK - 1) / TASK);
}

/* Writes keeper, size, then the weakest pair: id1, id2, distance, and its similarity if known. */
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
	};

	sh_similarity_print(similarity, e->similarity);
	return write_fields(out, field, e->similarity == SH_EDGE_NONE ? 5 : 6, err);
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
	run_writers(c, g, order);
	free(order);
}

static int collect_rejected(void *cli, const struct sh_job *job, struct sh_error *err)
{
	struct cli *c = cli;

	c->n_rejected += job->rejected;
	return sh_sink_write(&c->rejects, job->aside.p, job->aside.n, err);
}

/* Checks the options after the last one: only then it is known whether fields are numbers or
 * names. */
static void complete(struct cli *c, struct settings *s)
{
	struct sh_error err;

	if ((s->keep.rule.by == SH_RANK_LONGEST || sh_rank_by_value(&s->keep.rule)) && !s->docs.n)
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
	if (sh_rank_rule_check(&s->keep.rule, &s->form, &err) < 0)
		cli_usage(c, "--keep: %s", err.text);
	s->keep.protects = s->protects.name;
	s->keep.n_protects = s->protects.n;
	s->keep.docs = s->docs.name;
	s->keep.n_docs = s->docs.n;
	s->keep.form = &s->form;
	s->keep.trailer = c->trailer_in;
	s->keep.threads = c->jobs;
	s->keep.rejected = c->rejects_path ? collect_rejected : NULL;
	s->keep.arg = c;
}

static void set_option(struct cli *c, struct settings *s, struct graph *g, int opt)
{
	struct sh_error err;

	switch (opt) {
	case KEEP:
		if (sh_rank_rule_parse(c->arg, &s->keep.rule, &err) < 0)
			cli_usage(c, "--keep %s", err.text);
		if (s->keep.rule.path)
			cli_reads_or(
			    c, "--keep", "first, longest, newest, max:FIELD nor min:FIELD");
		break;
	case PROTECT:
		cli_reads_more(c, &s->protects);
		break;
	case LINK:
		g->star = cli_choice(c, opt) == 1;
		g->by_similarity = false;
		break;
	case 'd':
		cli_reads_more(c, &s->docs);
		break;
	case AUDIT:
		s->audit_path = cli_writes(c, "--audit");
		break;
	default:
		formopts_set(&s->of, c, opt);
	}
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };
	struct graph g = { .by_similarity = SH_DEFAULT_STAR };
	struct sh_sink audit;
	uint32_t *rank;
	struct sh_error err;
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		set_option(&c, &s, &g, opt);
	complete(&c, &s);
	g.keep_edges = g.star || s.audit_path;
	cli_open(&c);
	if (s.audit_path)
		cli_open_further(&c, &audit, s.audit_path);
	read_pairs(&c, &g);
	if (sort_ids(&g, c.jobs, &err) < 0)
		cli_die(&c, &err);
	rank = sh_prefer_ranks(&s.keep, &g.ids, &err);
	if (!rank || find_keepers(&g, rank, s.keep.n_protected, c.jobs, &err) < 0)
		cli_die(&c, &err);
	if (*s.keep.doubt)
		cli_warn(&c, "%s (--keep)", s.keep.doubt);
	if (s.keep.unknown)
		cli_warn(&c,
		    "%s does not rank %llu of %u ids; they are kept only where no ranked id is in "
		    "the group",
		    s.docs.n == 0   ? s.keep.rule.path
		    : s.docs.n == 1 ? s.docs.name[0]
				    : "-d",
		    (unsigned long long)s.keep.unknown, g.ids.n);
	write_all(&c, &s, &g, &audit);
	free(rank);
	free(g.keeper);
	free(g.edge);
	sh_union_free(&g.components);
	sh_idset_free(&g.ids);
	cli_files_free(&s.docs);
	cli_files_free(&s.protects);
	return cli_finish(&c);
}
