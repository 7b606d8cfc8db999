#include "group/prefer.h"

#include <stdlib.h>

#include "join/pairsort.h"
#include "record/escape.h"
#include "stream/docs.h"

void sh_prefer_parse(const char *text, struct sh_prefer *prefer)
{
	static const char *const names[] = { "first", "longest", "newest" };

	*prefer = (struct sh_prefer){ .which = SH_PREFER_RANKED, .path = text };
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0)
			*prefer = (struct sh_prefer){ .which = (enum sh_prefer_which)i };
}

struct ranking {
	const struct sh_prefer *prefer;
	const struct sh_idset *ids;
	const struct sh_document_form *form;
	bool *known;     /* by id: the input has it */
	uint32_t *order; /* known ids, by their first occurrences */
	uint32_t n;      /* known ids */
	/* SH_PREFER_LONGEST, of the known ids in the same order: the length of the text, counted
	 * down, then the place in order[] */
	struct sh_pairs keys;
};

/* ---- reading, by several threads ---- */

/* A line with one of the ids. */
struct met {
	uint32_t id;
	uint32_t length; /* of the document's text, in bytes */
};

struct reader {
	const struct ranking *ranking;
	struct sh_document_room room;
};

static int each_line(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	const struct ranking *all = r->ranking;
	const struct sh_document_form *form = all->form;
	bool plain = form->json || form->line_ids || form->csv;
	struct sh_document doc = { 0 };
	struct met m = { 0 };

	if (all->prefer->which == SH_PREFER_RANKED)
		doc.id = sh_record_listed(line);
	else if (sh_document_parse(form, line, job->from.number + job->at, &r->room, &doc, err) < 0)
		return -1;
	if (!sh_idset_find(all->ids, doc.id, &m.id))
		return 0;
	if (all->keys.pair)
		m.length = (uint32_t)(plain ? doc.text.n : sh_unescaped_length(doc.text));
	return sh_buf_add(&job->facts, &m, sizeof m, err);
}

/* Refuses documents that are not UTF-8, as all readers of documents do. */
static int work(void *reader, struct sh_job *job)
{
	struct reader *r = reader;
	const struct sh_prefer *prefer = r->ranking->prefer;
	bool documents = prefer->which != SH_PREFER_RANKED;

	if (documents && sh_docs_begin(job) < 0)
		return -1;
	return sh_job_lines(job, prefer->rejected != NULL, each_line, r);
}

static int collect_lengths(void *ranking, struct sh_job *job, struct sh_error *err)
{
	struct ranking *r = ranking;
	const struct met *m = (const struct met *)(const void *)job->facts.p;

	for (size_t i = 0; i < job->facts.n / sizeof *m; i++) {
		if (r->known[m[i].id])
			continue;
		r->known[m[i].id] = true;
		if (r->keys.pair)
			r->keys.pair[r->n] = (uint64_t)(UINT32_MAX - m[i].length) << 32 | r->n;
		r->order[r->n++] = m[i].id;
	}
	return job->rejected ? r->prefer->rejected(r->prefer->arg, job, err) : 0;
}

static int read_source(struct ranking *r, struct sh_source *source, struct sh_error *err)
{
	unsigned threads = r->prefer->threads;
	struct reader *readers = calloc(threads, sizeof *readers);
	void **workers = calloc(threads, sizeof *workers);
	struct sh_pool pool = { work, workers, threads, collect_lengths, r };
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

static int read_files(struct ranking *r, const char *const *names, size_t n, struct sh_error *err)
{
	bool documents = r->prefer->which != SH_PREFER_RANKED;
	struct sh_source source;
	struct sh_slice first;
	int status = 0;

	sh_source_init(&source, (char *const *)(uintptr_t)names, n);
	source.trailer = r->prefer->trailer && documents;
	source.crlf = r->form->crlf;
	source.header.wanted = r->form->columns && documents;
	source.header.csv = r->form->csv && documents;
	source.blanks = (r->form->json || r->form->csv) && documents;
	if (source.header.wanted && (sh_source_peek(&source, &first, err) < 0 ||
					sh_docs_header(r->form, &source.header, err) < 0))
		status = -1;
	if (status == 0)
		status = read_source(r, &source, err);
	sh_source_free(&source);
	return status;
}

/* ---- ranks ---- */

/* Moves the ids of longer documents to the front. */
static int order_by_length(struct ranking *r, struct sh_error *err)
{
	uint32_t *order = malloc((size_t)r->n * sizeof *order + 1);

	r->keys.n = r->n;
	if (!order)
		return sh_error_nomem(err);
	if (sh_pairs_sort(&r->keys, r->prefer->threads, NULL, err) < 0) {
		free(order);
		return -1;
	}
	for (uint32_t i = 0; i < r->n; i++)
		order[i] = r->order[(uint32_t)r->keys.pair[i]];
	free(r->order);
	r->order = order;
	return 0;
}

/* Ranks the known ids by order[], then the unknown ids. */
static void rank(const struct ranking *r, uint32_t *ranks)
{
	bool newest = r->prefer->which == SH_PREFER_NEWEST;
	uint32_t next = r->n;

	for (uint32_t i = 0; i < r->n; i++)
		ranks[r->order[i]] = newest ? r->n - 1 - i : i;
	for (uint32_t i = 0; i < r->ids->n; i++)
		if (!r->known[i])
			ranks[i] = next++;
}

/* Without files, all ids are known, in bytewise order. */
static int find_order(struct ranking *r, const char *const *names, size_t n, struct sh_error *err)
{
	bool longest = r->prefer->which == SH_PREFER_LONGEST;

	if (n == 0) {
		r->n = r->ids->n;
		for (uint32_t i = 0; i < r->n; i++)
			r->order[i] = i;
		memset(r->known, true, r->n);
		return 0;
	}
	if (longest) {
		r->keys.cap = r->ids->n;
		r->keys.pair = sh_tables_get(NULL, r->keys.cap, sizeof *r->keys.pair, err);
		if (!r->keys.pair)
			return -1;
	}
	if (read_files(r, names, n, err) < 0)
		return -1;
	return longest ? order_by_length(r, err) : 0;
}

uint32_t *sh_prefer_ranks(const struct sh_prefer *prefer, const struct sh_idset *ids,
    const char *const *docs, size_t n_docs, const struct sh_document_form *form, uint64_t *unknown,
    struct sh_error *err)
{
	struct ranking r = { .prefer = prefer, .ids = ids, .form = form };
	uint32_t *ranks = malloc(ids->n * sizeof *ranks + 1);
	int status;

	r.known = calloc((size_t)ids->n + 1, sizeof *r.known);
	r.order = malloc(ids->n * sizeof *r.order + 1);
	if (prefer->which == SH_PREFER_RANKED) {
		docs = &prefer->path;
		n_docs = 1;
	}
	status =
	    ranks && r.known && r.order ? find_order(&r, docs, n_docs, err) : sh_error_nomem(err);
	if (status == 0) {
		rank(&r, ranks);
		*unknown = ids->n - r.n;
	} else {
		free(ranks);
		ranks = NULL;
	}
	free(r.known);
	free(r.order);
	sh_tables_put(NULL, r.keys.pair);
	return ranks;
}
