#include "join/parts.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "record/fields.h"

enum { FP_BYTES_MAX = 8 * SH_FP_MAX_WORDS };

/* Each partition is joined with each other partition, so there must be few. After each MANY
 * partitions the limit of their size doubles, until it is at least ENOUGH bytes. */
enum { MANY = 64, ENOUGH = 256 * 1024 };

/* A chunk of a partition is written when its records, as lines, would have CHUNK bytes. */
enum { CHUNK = 64 * 1024, MOST_OF_LINE = 2 * FP_BYTES_MAX + SH_ID_MAX + 2 };

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

static int write_node(struct sh_parts *p, size_t node, struct sh_error *err)
{
	const struct sh_nodes *s = &p->nodes;
	char key[FP_BYTES_MAX + SH_ID_MAX];
	size_t n = pack_fp(key, s->fp + node * s->words, s->words);
	uint32_t records;
	const uint32_t *r = sh_nodes_records(s, &s->who[node], &records);

	for (uint32_t i = 0; i < records; i++) {
		char room[SH_ID_ROOM];
		struct sh_slice id = sh_node_ids_get(&s->ids, r[i], room);

		memcpy(key + n, id.p, id.n);
		if (sh_runs_add(&p->runs, sh_slice(key, n + id.n), sh_slice("", 0), err) < 0)
			return -1;
	}
	return 0;
}

/* Writes the records in memory as a sorted run. An entry's key is a packed fingerprint and an id. */
static int spill(struct sh_parts *p, struct sh_error *err)
{
	int status = sh_nodes_close(&p->nodes, err);

	if (status == 0)
		status = sh_nodes_sort(&p->nodes, err);
	p->repeated += p->nodes.repeated;
	if (status == 0)
		status = sh_runs_begin(&p->runs, err);
	for (size_t i = 0; status == 0 && i < p->nodes.n; i++)
		status = write_node(p, i, err);
	if (status == 0)
		status = sh_runs_end(&p->runs, err);
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

/* Returns the number of records that fit in memory when each id has eight bytes; at least 1. Ids may
 * be longer, so is_full() must be called after they were added. */
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

/* Cuts the merged entries into a run for each partition, without repeated entries. An entry of a
 * partition's run has no key; its value is a packed chunk. */
struct cutter {
	struct sh_parts *parts;
	size_t bytes;        /* bytes of the run so far, counted as by sh_nodes_bytes() */
	size_t most;         /* limit of `bytes`; the last entry may exceed it */
	struct sh_buf last;  /* last entry */
	struct sh_buf first; /* first entry that has the fingerprint of the last entry */
	struct sh_buf room;  /* memory of the chunk */
	struct sh_fp_chunk *chunk;
	size_t chunk_bytes; /* bytes that the records of the chunk would have as lines */
	struct sh_buf packed;
};

/* Returns 1 when first_only drops the entry, because its id is not the first of its fingerprint.
 * Passes the entry to copy(). Returns 0 when the entry stays, and -1 on failure. */
static int is_copy(struct cutter *c, struct sh_slice key, struct sh_error *err)
{
	struct sh_parts *p = c->parts;
	size_t n = 8 * p->nodes.words;

	if (!p->first_only)
		return 0;
	if (c->first.n && memcmp(c->first.p, key.p, n) == 0) {
		if (p->copy && p->copy(p->out, sh_slice(c->first.p + n, c->first.n - n),
				   sh_slice(key.p + n, key.n - n), 0, err) < 0)
			return -1;
		return 1;
	}
	c->first.n = 0;
	return sh_buf_add(&c->first, key.p, key.n, err);
}

static int new_chunk(struct cutter *c, struct sh_error *err)
{
	c->chunk_bytes = 0;
	c->chunk = sh_fp_chunk_new(&c->room, 16 * c->parts->words, CHUNK + MOST_OF_LINE, err);
	return c->chunk ? 0 : -1;
}

static int end_chunk(struct cutter *c, struct sh_error *err)
{
	c->packed.n = 0;
	if (c->chunk->n &&
	    (sh_fp_chunk_pack(c->chunk, &c->packed, err) < 0 ||
		sh_runs_add(&c->parts->sorted, sh_slice("", 0), sh_buf_slice(&c->packed), err) < 0))
		return -1;
	return new_chunk(c, err);
}

static int next_run(struct cutter *c, struct sh_error *err)
{
	struct sh_runs *to = &c->parts->sorted;

	if (end_chunk(c, err) < 0 || sh_runs_end(to, err) < 0 || sh_runs_begin(to, err) < 0)
		return -1;
	c->bytes = 0;
	if (to->n % MANY == 0 && c->most < ENOUGH)
		c->most = c->most ? 2 * c->most : 1;
	return 0;
}

/* Adds an entry to the run. */
static int add_entry(struct cutter *c, struct sh_slice entry, struct sh_error *err)
{
	size_t n = 8 * c->parts->words;
	uint64_t fp[SH_FP_MAX_WORDS];

	for (unsigned i = 0; i < c->parts->words; i++)
		fp[i] = sh_be64(entry.p + 8 * i);
	sh_fp_chunk_add(c->chunk, fp, sh_slice(entry.p + n, entry.n - n));
	/* 8 bytes for `at` and `who` */
	c->bytes += entry.n + 8;
	c->chunk_bytes += 2 * n + 2 + entry.n - n;
	return c->chunk_bytes >= CHUNK ? end_chunk(c, err) : 0;
}

static int cut(void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	struct cutter *c = arg;
	int copy;

	(void)value;

	if (sh_slice_eq(key, sh_buf_slice(&c->last))) {
		c->parts->repeated++;
		return 0;
	}
	c->last.n = 0;
	if (sh_buf_add(&c->last, key.p, key.n, err) < 0 ||
	    sh_buf_reserve(&c->last, SH_NODE_IDS_PAD, err) < 0)
		return -1;
	copy = is_copy(c, key, err);
	if (copy)
		return copy < 0 ? -1 : 0;
	if (c->bytes > c->most && next_run(c, err) < 0)
		return -1;
	return add_entry(c, sh_buf_slice(&c->last), err);
}

/* Merges the runs, and writes them as partitions. */
static int cut_all(struct sh_parts *p, struct sh_error *err)
{
	struct cutter c = { .parts = p, .most = p->memory };
	int status = new_chunk(&c, err);

	if (status == 0)
		status = sh_runs_begin(&p->sorted, err);
	if (status == 0)
		status = sh_runs_merge(&p->runs, cut, &c, err);
	if (status == 0)
		status = end_chunk(&c, err);
	if (status == 0)
		status = sh_runs_end(&p->sorted, err);
	sh_buf_free(&c.last);
	sh_buf_free(&c.first);
	sh_buf_free(&c.room);
	sh_buf_free(&c.packed);
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
	status = cut_all(p, err);
	sh_runs_free(&p->runs);
	p->n = p->sorted.n;
	p->loaded = p->n; /* no partition is in `nodes` */
	return status;
}

static int read_part(
    struct sh_run_reader *run, struct sh_nodes *into, struct sh_buf *room, struct sh_error *err)
{
	struct sh_slice key, value;
	int got;

	while ((got = sh_run_next(run, &key, &value, err)) > 0) {
		const struct sh_fp_chunk *c = sh_fp_chunk_unpack(room, into->words, value, err);

		if (!c || sh_nodes_append(into, c, 0, c->n, err) < 0)
			return -1;
	}
	return got < 0 ? -1 : sh_nodes_close(into, err);
}

static int load(struct sh_parts *p, size_t i, struct sh_nodes *into, struct sh_error *err)
{
	struct sh_buf room = { 0 };
	struct sh_run_reader run;
	int status;

	sh_nodes_clear(into);
	sh_run_open(&run, &p->sorted, i);
	status = read_part(&run, into, &room, err);
	sh_run_close(&run);
	sh_buf_free(&room);
	return status;
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
