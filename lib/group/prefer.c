/* SPDX-License-Identifier: MIT */
#include "group/prefer.h"

#include <stdlib.h>

#include "io/lines.h"
#include "record/escape.h"
#include "stream/docs.h"
#include "unicode/utf8.h"

/* Places of ids that the input lacks are from here on. */
#define UNKNOWN (UINT64_C(1) << 63)

struct ranking {
	struct sh_prefer *prefer;
	const struct sh_idset *ids;
	struct sh_rank *rank;         /* by id */
	struct sh_rank_values values; /* by id, with a rule by value */
	uint32_t n;                   /* known ids */
};

/* ---- lists of ids ---- */

/* Calls set() for each id of the files, with its place among the lines. */
static int read_list(struct ranking *r, const char *const *names, size_t n,
    void (*set)(struct ranking *r, uint32_t id, uint64_t place), struct sh_error *err)
{
	struct sh_lines lines;
	struct sh_slice line;
	uint64_t place = 0;
	uint32_t id;
	int status = 0;

	if (n == 0)
		return 0;
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n);
	while ((status = sh_lines_next(&lines, &line, err)) > 0) {
		line = lines.starts_file ? sh_utf8_skip_bom(line) : line;
		if (sh_idset_find(r->ids, sh_record_listed(line), &id))
			set(r, id, place);
		place++;
	}
	sh_lines_free(&lines);
	return status;
}

static void protect(struct ranking *r, uint32_t id, uint64_t place)
{
	(void)place;
	r->prefer->n_protected += !r->rank[id].is_protected;
	r->rank[id].is_protected = true;
}

static void list(struct ranking *r, uint32_t id, uint64_t place)
{
	if (r->rank[id].by_rule != SH_RANK_UNLISTED)
		return;
	r->rank[id].by_rule = place < SH_RANK_UNLISTED ? place : SH_RANK_UNLISTED - 1;
	r->n += r->prefer->n_docs == 0;
}

/* ---- documents, by several threads ---- */

/* A document with one of the ids. Its record follows in job->out, for a rule by value. */
struct met {
	uint32_t id;
	uint32_t length; /* of the document's text, in bytes */
	size_t record;   /* bytes of the record */
};

struct reader {
	const struct ranking *ranking;
	struct sh_document_room room;
};

static int each_line(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	const struct ranking *all = r->ranking;
	const struct sh_document_form *form = all->prefer->form;
	bool plain = form->json || form->line_ids || form->csv;
	struct sh_document doc;
	struct met m = { 0 };

	if (sh_document_parse(form, line, job->from.number + job->at, &r->room, &doc, err) < 0)
		return -1;
	if (!sh_idset_find(all->ids, doc.id, &m.id))
		return 0;
	if (all->prefer->rule.by == SH_RANK_LONGEST)
		m.length = (uint32_t)(plain ? doc.text.n : sh_unescaped_length(doc.text));
	if (sh_rank_by_value(&all->prefer->rule)) {
		m.record = line.n;
		if (sh_buf_add(&job->out, line.p, line.n, err) < 0)
			return -1;
	}
	return sh_buf_add(&job->facts, &m, sizeof m, err);
}

/* Refuses documents that are not UTF-8, as all readers of documents do. */
static int work(void *reader, struct sh_job *job)
{
	struct reader *r = reader;

	if (sh_docs_begin(job) < 0)
		return -1;
	return sh_job_lines(job, r->ranking->prefer->rejected != NULL, each_line, r);
}

static int collect(void *ranking, struct sh_job *job, struct sh_error *err)
{
	struct ranking *r = ranking;
	const struct sh_prefer *prefer = r->prefer;
	const struct met *m = (const struct met *)(const void *)job->facts.p;
	const char *record = job->out.p;

	for (size_t i = 0; i < job->facts.n / sizeof *m; record += m[i++].record) {
		struct sh_rank *rank = &r->rank[m[i].id];

		if (rank->place < UNKNOWN)
			continue;
		rank->place = r->n++;
		if (prefer->rule.by != SH_RANK_LISTED)
			rank->by_rule = sh_rank_by_rule(
			    &prefer->rule, rank->place, m[i].length, SH_RANK_UNLISTED);
		if (m[i].record &&
		    sh_rank_values_add(&r->values, m[i].id, sh_slice(record, m[i].record), err) < 0)
			return -1;
	}
	return job->rejected ? prefer->rejected(prefer->arg, job, err) : 0;
}

static int read_source(struct ranking *r, struct sh_source *source, struct sh_error *err)
{
	unsigned threads = r->prefer->threads;
	struct reader *readers = calloc(threads, sizeof *readers);
	void **workers = calloc(threads, sizeof *workers);
	struct sh_pool pool = { work, workers, threads, collect, r };
	int status = readers && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < threads; i++) {
		readers[i].ranking = r;
		workers[i] = &readers[i];
	}
	if (status == 0)
		status = sh_pool_run(&pool, source, err);
	for (unsigned i = 0; readers && i < threads; i++)
		sh_document_room_free(&readers[i].room);
	free(readers);
	free(workers);
	return status;
}

static void set_value_rank(void *ranking, uint32_t id, uint64_t rank)
{
	struct ranking *r = ranking;

	r->rank[id].by_rule = rank;
}

static int read_documents(struct ranking *r, struct sh_error *err)
{
	const struct sh_prefer *prefer = r->prefer;
	const struct sh_document_form *form = prefer->form;
	struct sh_source source;
	struct sh_slice first;
	struct sh_error bad;
	int status = 0;

	sh_source_init(&source, (char *const *)(uintptr_t)prefer->docs, prefer->n_docs);
	source.trailer = prefer->trailer;
	source.crlf = form->crlf;
	source.header.wanted = form->columns;
	source.header.csv = form->csv;
	source.blanks = sh_document_blanks(form);
	if (source.header.wanted && (sh_source_peek(&source, &first, err) < 0 ||
					sh_docs_header(form, &source.header, err) < 0))
		status = -1;
	if (status == 0 && sh_rank_by_value(&prefer->rule) &&
	    sh_rank_values_header(&r->values, sh_header_bare(&source.header), &bad) < 0)
		status = sh_error_set(err, SH_ERR_PARAM, "--keep: %s", bad.text);
	if (status == 0)
		status = read_source(r, &source, err);
	sh_source_free(&source);
	if (status == 0)
		sh_rank_values_finish(&r->values, set_value_rank, r);
	return status;
}

/* ---- ranks ---- */

static int by_rank(const void *a, const void *b, void *rank)
{
	const struct sh_rank *r = rank;

	return sh_rank_compare(r[*(const uint32_t *)a], r[*(const uint32_t *)b]);
}

static int read_all(struct ranking *r, struct sh_error *err)
{
	struct sh_prefer *prefer = r->prefer;
	bool listed = prefer->rule.by == SH_RANK_LISTED;

	for (uint32_t i = 0; i < r->ids->n; i++) {
		r->rank[i] = (struct sh_rank){ .by_rule = UINT64_MAX, .place = UNKNOWN + i };
		if (listed)
			r->rank[i].by_rule = SH_RANK_UNLISTED;
		else if (prefer->n_docs == 0)
			r->rank[i].by_rule = sh_rank_by_rule(&prefer->rule, i, 0, SH_RANK_UNLISTED);
	}
	prefer->n_protected = 0;
	if (read_list(r, prefer->protects, prefer->n_protects, protect, err) < 0 ||
	    read_list(r, &prefer->rule.path, listed, list, err) < 0)
		return -1;
	if (prefer->n_docs)
		return read_documents(r, err);
	if (!listed)
		r->n = r->ids->n;
	return 0;
}

uint32_t *sh_prefer_ranks(
    struct sh_prefer *prefer, const struct sh_idset *ids, struct sh_error *err)
{
	struct ranking r = { .prefer = prefer,
		.ids = ids,
		.values = { .rule = prefer->rule, .form = prefer->form } };
	uint32_t *order = malloc(ids->n * sizeof *order + 1);
	uint32_t *ranks = malloc(ids->n * sizeof *ranks + 1);
	int status = -1;

	r.rank = malloc(ids->n * sizeof *r.rank + 1);
	if (!order || !ranks || !r.rank)
		sh_error_nomem(err);
	else
		status = read_all(&r, err);
	if (status == 0) {
		for (uint32_t i = 0; i < ids->n; i++)
			order[i] = i;
		qsort_r(order, ids->n, sizeof *order, by_rank, r.rank);
		for (uint32_t i = 0; i < ids->n; i++)
			ranks[order[i]] = i;
		prefer->unknown = ids->n - r.n;
		sh_rank_values_doubt(&r.values, prefer->doubt);
	} else {
		free(ranks);
		ranks = NULL;
	}
	sh_rank_values_free(&r.values);
	free(order);
	free(r.rank);
	return ranks;
}
