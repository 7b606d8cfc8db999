#include "join/parts.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "io/parallel.h"
#include "record/fields.h"

enum { FP_BYTES_MAX = 8 * SH_FP_MAX_WORDS };

/* Each partition is joined with each other partition, so there must be few. After each MANY
 * partitions the limit of their size doubles, until it is at least ENOUGH bytes. */
enum { MANY = 64, ENOUGH = 256 * 1024 };

/* A chunk of a partition is written when its records, as lines, would have at least CHUNK bytes. */
enum { CHUNK = 64 * 1024, MOST_OF_LINE = 2 * FP_BYTES_MAX + SH_ID_MAX + 2 };

enum { NODES = 8192 }; /* nodes that a thread writes at a time */

int sh_parts_init(struct sh_parts *p, unsigned words, size_t memory, struct sh_side *room,
    const char *tmpdir, struct sh_error *err)
{
	*p = (struct sh_parts){ .words = words, .memory = memory };
	sh_runs_init(&p->runs, tmpdir);
	sh_runs_init(&p->sorted, tmpdir);
	return sh_nodes_init(&p->nodes, words, room, err) < 0
		   ? -1
		   : sh_nodes_init(&p->later, words, room, err);
}

void sh_parts_free(struct sh_parts *p)
{
	sh_nodes_free(&p->nodes);
	sh_nodes_free(&p->later);
	sh_runs_free(&p->runs);
	sh_runs_free(&p->sorted);
	free(p->part);
}

void sh_parts_set_threads(struct sh_parts *p, unsigned n)
{
	p->nodes.threads = p->later.threads = n;
}

void sh_parts_clear(struct sh_parts *p)
{
	sh_nodes_clear(&p->nodes);
	if (p->runs.n)
		sh_runs_free(&p->runs);
	if (p->sorted.n)
		sh_runs_free(&p->sorted);
	p->n = p->loaded = 0;
	p->repeated = 0;
}

/* Stores a fingerprint so that the bytes have the order of fingerprints. Returns their number. */
static size_t pack_fp(char *out, const uint64_t *fp, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		sh_put_be64(out + 8 * i, fp[i]);
	return 8 * words;
}

/* Writes the nodes in memory. Task i writes at most NODES nodes, with writer i. */
struct spilling {
	const struct sh_nodes *nodes;
	struct sh_run_writer *writer;
};

static int write_node(
    const struct sh_nodes *s, size_t node, struct sh_run_writer *w, struct sh_error *err)
{
	char key[FP_BYTES_MAX + SH_ID_MAX];
	size_t n = pack_fp(key, s->fp + node * s->words, s->words);
	uint32_t records;
	const uint32_t *r = sh_nodes_records(s, &s->who[node], &records);

	for (uint32_t i = 0; i < records; i++) {
		char room[SH_ID_ROOM];
		struct sh_slice id = sh_node_ids_get(&s->ids, r[i], room);

		memcpy(key + n, id.p, id.n);
		if (sh_run_add(w, sh_slice(key, n + id.n), sh_slice("", 0), err) < 0)
			return -1;
	}
	return 0;
}

static int write_nodes(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct spilling *s = arg;

	for (size_t task = from; task < to; task++) {
		size_t end = (task + 1) * NODES < s->nodes->n ? (task + 1) * NODES : s->nodes->n;

		for (size_t i = task * NODES; i < end; i++)
			if (write_node(s->nodes, i, &s->writer[task], err) < 0)
				return -1;
		if (sh_run_end(&s->writer[task], err) < 0)
			return -1;
	}
	return 0;
}

/* Returns n writers, for end_writers(), or NULL when memory is short. */
static struct sh_run_writer *new_writers(struct sh_runs *r, size_t n, struct sh_error *err)
{
	struct sh_run_writer *w = malloc(n * sizeof *w + 1);

	if (!w)
		sh_error_nomem(err);
	for (size_t i = 0; w && i < n; i++)
		sh_run_begin(&w[i], r);
	return w;
}

/* Frees the writers. When status is 0, first adds their blocks as a run. */
static int end_writers(
    struct sh_runs *r, struct sh_run_writer *w, size_t n, int status, struct sh_error *err)
{
	if (status == 0)
		status = sh_runs_put(r, w, n, err);
	for (size_t i = 0; i < n; i++)
		sh_run_free(&w[i]);
	free(w);
	return status;
}

static int write_run(struct sh_parts *p, struct sh_error *err)
{
	size_t tasks = p->nodes.n / NODES + 1;
	struct spilling s = { &p->nodes, new_writers(&p->runs, tasks, err) };
	int status;

	if (!s.writer)
		return -1;
	status = sh_parallel(&s, 0, p->nodes.threads, tasks, 1, write_nodes, err);
	return end_writers(&p->runs, s.writer, tasks, status, err);
}

/* Writes the records in memory as a sorted run. An entry's key is a packed fingerprint and an
 * id. */
static int spill(struct sh_parts *p, struct sh_error *err)
{
	int status = sh_nodes_close(&p->nodes, err);

	if (status == 0)
		status = sh_nodes_sort(&p->nodes, err);
	p->repeated += p->nodes.repeated;
	if (status == 0)
		status = write_run(p, err);
	sh_nodes_clear(&p->nodes);
	return status;
}

static bool is_full(const struct sh_parts *p)
{
	return sh_nodes_bytes(&p->nodes) > p->memory || p->nodes.records == SH_NODES_MAX;
}

int sh_parts_add(struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	if (is_full(p) && spill(p, err) < 0)
		return -1;
	return sh_nodes_add(&p->nodes, fp, id, err);
}

/* Returns the number of records that still fit in memory when each id has at most 8 bytes; at least
 * 1. Ids may be longer, so the caller must call is_full() after it added the records. */
static size_t fitting(const struct sh_parts *p)
{
	size_t left = p->memory - sh_nodes_bytes(&p->nodes), n = left / (8 * p->words + 16) + 1;

	return n < SH_NODES_MAX - p->nodes.records ? n : SH_NODES_MAX - p->nodes.records;
}

int sh_parts_append(struct sh_parts *p, const struct sh_fp_chunk *c, struct sh_error *err)
{
	for (size_t at = 0, n; at < c->n; at += n) {
		if (is_full(p) && spill(p, err) < 0)
			return -1;
		n = fitting(p) < c->n - at ? fitting(p) : c->n - at;
		if (sh_nodes_append(&p->nodes, c, at, n, err) < 0)
			return -1;
	}
	return 0;
}

/* Runs n tasks of the pool. states: an array of `threads` states of `size` bytes. */
static int do_tasks(struct sh_pool *pool, unsigned threads, void *states, size_t size, size_t n,
    struct sh_error *err)
{
	int status;

	pool->n_workers = threads;
	pool->workers = calloc(threads, sizeof *pool->workers);
	if (!pool->workers)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < threads; i++)
		pool->workers[i] = (char *)states + i * size;
	status = sh_pool_tasks(pool, n, err);
	free(pool->workers);
	return status;
}

/* ---- the merge of the runs ---- */

/* The state of a thread that packs the entries of a range of keys to chunks, without repeated
 * entries. The key of a chunk in p->sorted is `bytes`, big-endian. */
struct merger {
	struct sh_parts *parts;
	struct sh_run_writer *writer; /* by range */
	struct sh_run_writer *to;     /* the writer of this range */
	struct sh_job *job;
	struct sh_buf last;  /* key of the last entry: fingerprint and id */
	struct sh_buf first; /* first_only: the first such key with the same fingerprint */
	struct sh_buf room;  /* memory of the chunk */
	struct sh_fp_chunk *chunk;
	size_t lines;         /* bytes that the records of the chunk would have as lines */
	uint64_t bytes;       /* bytes that they have in a partition, by record_bytes() */
	struct sh_buf packed; /* scratch: the packed chunk */
	uint64_t repeated;    /* entries left out, because their key is that of the entry before */
};

/* Returns 1 when first_only drops the entry, because its id is not the first of its fingerprint.
 * Passes the entry to copy(). Returns 0 when the entry stays, and -1 on failure. */
static int is_copy(struct merger *m, struct sh_slice key, struct sh_error *err)
{
	struct sh_parts *p = m->parts;
	size_t n = 8 * p->words;

	if (!p->first_only)
		return 0;
	if (m->first.n && memcmp(m->first.p, key.p, n) == 0) {
		if (p->copy && p->copy(m->job, sh_slice(m->first.p + n, m->first.n - n),
				   sh_slice(key.p + n, key.n - n), 0, err) < 0)
			return -1;
		return 1;
	}
	m->first.n = 0;
	return sh_buf_add(&m->first, key.p, key.n, err);
}

static int new_chunk(struct merger *m, struct sh_error *err)
{
	m->lines = 0;
	m->bytes = 0;
	m->chunk = sh_fp_chunk_new(&m->room, 16 * m->parts->words, CHUNK + MOST_OF_LINE, err);
	return m->chunk ? 0 : -1;
}

/* Writes the chunk as a block of its own. */
static int end_chunk(struct merger *m, struct sh_error *err)
{
	char bytes[8];

	if (m->chunk->n == 0)
		return 0;
	sh_put_be64(bytes, m->bytes);
	m->packed.n = 0;
	if (sh_fp_chunk_pack(m->chunk, &m->packed, err) < 0 ||
	    sh_run_add(m->to, sh_slice(bytes, sizeof bytes), sh_buf_slice(&m->packed), err) < 0 ||
	    sh_run_end(m->to, err) < 0)
		return -1;
	return new_chunk(m, err);
}

/* Returns the size of a record in a partition: fingerprint, id, and 8 bytes for `at` and `who`. */
static size_t record_bytes(unsigned words, size_t id)
{
	return 8 * words + id + 8;
}

/* Adds the record of an entry to the chunk. */
static int add_entry(struct merger *m, struct sh_slice entry, struct sh_error *err)
{
	unsigned words = m->parts->words;
	size_t n = 8 * words;
	uint64_t fp[SH_FP_MAX_WORDS];

	for (unsigned i = 0; i < words; i++)
		fp[i] = sh_be64(entry.p + 8 * i);
	sh_fp_chunk_add(m->chunk, fp, sh_slice(entry.p + n, entry.n - n));
	m->bytes += record_bytes(words, entry.n - n);
	m->lines += 2 * n + 2 + entry.n - n;
	return m->lines >= CHUNK ? end_chunk(m, err) : 0;
}

static int merge_entry(void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	struct merger *m = arg;
	int copy;

	(void)value;

	if (sh_slice_eq(key, sh_buf_slice(&m->last))) {
		m->repeated++;
		return 0;
	}
	m->last.n = 0;
	if (sh_buf_add(&m->last, key.p, key.n, err) < 0 ||
	    sh_buf_reserve(&m->last, SH_NODE_IDS_PAD, err) < 0)
		return -1;
	copy = is_copy(m, key, err);
	if (copy)
		return copy < 0 ? -1 : 0;
	return add_entry(m, sh_buf_slice(&m->last), err);
}

static int merge_range(void *merger, struct sh_job *job)
{
	struct merger *m = merger;
	struct sh_error *err = &job->err;

	m->job = job;
	m->to = &m->writer[job->task];
	m->last.n = m->first.n = 0;
	if (new_chunk(m, err) < 0 ||
	    sh_runs_merge(&m->parts->runs, job->task, merge_entry, m, err) < 0)
		return -1;
	return end_chunk(m, err);
}

static int no_pairs(void *arg, struct sh_job *job, struct sh_error *err)
{
	(void)arg, (void)job, (void)err;
	return 0;
}

/* Merges all ranges. The pairs of copy() go to the output of p->out, in order. */
static int merge_ranges(struct sh_parts *p, struct merger *m, struct sh_error *err)
{
	struct sh_pool pool = { .work = merge_range, .done = no_pairs };

	if (p->copy) {
		pool.done = p->out->pool->done;
		pool.arg = p->out->pool->arg;
		if (sh_job_flush(p->out, err) < 0)
			return -1;
	}
	return do_tasks(&pool, p->nodes.threads, m, sizeof *m, p->runs.ranges, err);
}

static void free_mergers(struct sh_parts *p, struct merger *m)
{
	for (unsigned i = 0; i < p->nodes.threads; i++) {
		p->repeated += m[i].repeated;
		sh_buf_free(&m[i].last);
		sh_buf_free(&m[i].first);
		sh_buf_free(&m[i].room);
		sh_buf_free(&m[i].packed);
	}
	free(m);
}

/* Merges the runs to one run of chunks. */
static int merge_runs(struct sh_parts *p, struct sh_error *err)
{
	struct sh_run_writer *writer;
	struct merger *m;
	int status;

	/* All records with the same fingerprint must be in one range. */
	if (sh_runs_close(&p->runs, 8 * p->words, p->nodes.threads, err) < 0)
		return -1;
	writer = new_writers(&p->sorted, p->runs.ranges, err);
	if (!writer)
		return -1;
	m = calloc(p->nodes.threads, sizeof *m);
	for (unsigned i = 0; m && i < p->nodes.threads; i++)
		m[i] = (struct merger){ .parts = p, .writer = writer };
	status = m ? merge_ranges(p, m, err) : sh_error_nomem(err);
	if (m)
		free_mergers(p, m);
	return end_writers(&p->sorted, writer, p->runs.ranges, status, err);
}

/* ---- partitions ---- */

/* Cuts the run of chunks into partitions. */
struct cutter {
	struct sh_parts *parts;
	size_t bytes; /* size of the last partition */
	size_t most;  /* limit of `bytes`; the last record may exceed it */
};

static int add_part(struct cutter *c, size_t chunk, size_t record, struct sh_error *err)
{
	struct sh_parts *p = c->parts;

	if (SH_RESERVE(p->part, p->part_cap, p->n + 1, err) < 0)
		return -1;
	p->part[p->n++] = (struct sh_part){ chunk, record };
	c->bytes = 0;
	return 0;
}

static size_t id_length(const struct sh_chunk_ids *c, size_t i)
{
	char room[SH_NUM_CHARS];

	if (c->base >= SH_NODE_IDS_COUNTED)
		return sh_print_u64(room, c->base - SH_NODE_IDS_COUNTED + i);
	if (c->base >= SH_NODE_IDS_NUMBERS)
		return sh_print_u64(room, c->at[i]);
	return c->at[i] - (i ? c->at[i - 1] : 0);
}

/* Reads a chunk into *room. Returns NULL on failure. */
static const struct sh_fp_chunk *read_chunk(
    const struct sh_parts *p, size_t i, struct sh_buf *room, struct sh_error *err)
{
	const struct sh_fp_chunk *chunk = NULL;
	struct sh_run_reader reader;
	struct sh_slice key, value;

	sh_run_open(&reader, &p->sorted, 0, i, i + 1);
	if (sh_run_next(&reader, &key, &value, err) > 0)
		chunk = sh_fp_chunk_unpack(room, p->words, value, err);
	sh_run_close(&reader);
	return chunk;
}

/* Begins a new partition before each record of chunk i that follows a full partition. */
static int cut_chunk(struct cutter *c, size_t i, struct sh_buf *room, struct sh_error *err)
{
	const struct sh_fp_chunk *chunk = read_chunk(c->parts, i, room, err);

	if (!chunk)
		return -1;
	for (size_t r = 0; r < chunk->n; r++) {
		if (c->bytes > c->most) {
			if (add_part(c, i, r, err) < 0)
				return -1;
			if ((c->parts->n - 1) % MANY == 0 && c->most < ENOUGH)
				c->most = c->most ? 2 * c->most : 1;
		}
		c->bytes += record_bytes(chunk->words, id_length(&chunk->ids, r));
	}
	return 0;
}

static int cut(struct sh_parts *p, struct sh_error *err)
{
	const struct sh_run *run = p->sorted.run;
	struct cutter c = { .parts = p, .most = p->memory };
	struct sh_buf room = { 0 };
	int status = add_part(&c, 0, 0, err);

	for (size_t i = 0; status == 0 && i < run->n; i++) {
		size_t bytes = (size_t)sh_be64(sh_run_key(run, i).p);

		if (bytes <= c.most && c.bytes <= c.most - bytes)
			c.bytes += bytes;
		else
			status = cut_chunk(&c, i, &room, err);
	}
	sh_buf_free(&room);
	/* The end of the last partition. */
	if (status == 0)
		status = add_part(&c, run->n, 0, err);
	p->n--;
	return status;
}

int sh_parts_close(struct sh_parts *p, struct sh_error *err)
{
	int status;

	p->loaded = 0;
	p->n = 1;
	p->nodes.ids.roomy = false;
	if (p->runs.n == 0) {
		status = sh_nodes_close(&p->nodes, err);
		p->repeated = p->nodes.repeated;
		p->nodes.ids.roomy = sh_nodes_bytes(&p->nodes) + 8 * p->nodes.records <= p->memory;
		return status;
	}
	if (p->nodes.records && spill(p, err) < 0)
		return -1;
	status = merge_runs(p, err);
	sh_runs_free(&p->runs);
	p->n = 0;
	if (status == 0)
		status = cut(p, err);
	p->loaded = p->n; /* no partition is in `nodes` */
	return status;
}

/* Reads a partition. */
struct loader {
	const struct sh_parts *parts;
	const struct sh_part *from, *to;
	struct sh_nodes *into;
};

static int load_chunk(void *loader, struct sh_job *job)
{
	const struct loader *l = loader;

	return read_chunk(l->parts, l->from->chunk + job->task, &job->out, &job->err) ? 0 : -1;
}

static int append_chunk(void *loader, struct sh_job *job, struct sh_error *err)
{
	const struct loader *l = loader;
	const struct sh_fp_chunk *c = sh_fp_chunk_of(&job->out);
	size_t at = l->from->chunk + job->task;
	size_t from = at == l->from->chunk ? l->from->record : 0;

	if (job->failed)
		return 0;
	return sh_nodes_append(
	    l->into, c, from, (at == l->to->chunk ? l->to->record : c->n) - from, err);
}

static int load(struct sh_parts *p, size_t i, struct sh_nodes *into, struct sh_error *err)
{
	struct loader l = { p, &p->part[i], &p->part[i + 1], into };
	struct sh_pool pool = { .work = load_chunk, .done = append_chunk, .arg = &l };
	size_t chunks = l.to->chunk - l.from->chunk + (l.to->record > 0);

	sh_nodes_clear(into);
	return do_tasks(&pool, into->threads, &l, 0, chunks, err) < 0 ? -1
								      : sh_nodes_close(into, err);
}

/* Loads partition i into p->nodes. */
static int load_first(struct sh_parts *p, size_t i, struct sh_error *err)
{
	if (p->loaded == i)
		return 0;
	p->loaded = p->n;
	if (load(p, i, &p->nodes, err) < 0)
		return -1;
	p->loaded = i;
	return 0;
}

int sh_parts_join_self(struct sh_parts *p, const struct sh_parts_join *join, struct sh_error *err)
{
	for (size_t i = 0; i < p->n; i++) {
		if (load_first(p, i, err) < 0 || join->self(join->arg, &p->nodes, err) < 0)
			return -1;
		for (size_t j = i + 1; j < p->n; j++)
			if (load(p, j, &p->later, err) < 0 ||
			    join->cross(join->arg, &p->nodes, &p->later, err) < 0)
				return -1;
	}
	return 0;
}

int sh_parts_join_cross(
    struct sh_parts *a, struct sh_parts *b, const struct sh_parts_join *join, struct sh_error *err)
{
	for (size_t i = 0; i < a->n; i++) {
		if (load_first(a, i, err) < 0)
			return -1;
		for (size_t j = 0; j < b->n; j++)
			if (load_first(b, j, err) < 0 ||
			    join->cross(join->arg, &a->nodes, &b->nodes, err) < 0)
				return -1;
	}
	return 0;
}
