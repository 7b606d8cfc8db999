/* SPDX-License-Identifier: MIT */
#include "join/parts.h"

#include <string.h>

#include "base/bytes.h"
#include "record/fields.h"

enum {
	MEMORY_MIN = 1 << 10,             /* bytes of a partition */
	PARTS = 256,                      /* most partitions, about: each is joined with each */
	RANGES = 8,                       /* ranges of the merged runs that fit in the memory */
	IN_MEMORY = 2,                    /* most bytes in memory for a byte in the file */
	BLOCKS = 64 * RANGES * IN_MEMORY, /* blocks of the file; io/runs.h makes ranges of 64 */
	BLOCK_MIN = 16,
};

void sh_parts_init(struct sh_parts *p, unsigned words, size_t memory, unsigned threads,
    struct sh_join_side *room, const char *tmpdir)
{
	*p = (struct sh_parts){ .memory = memory < MEMORY_MIN ? MEMORY_MIN : memory };
	sh_fpset_init(&p->set, words, room, threads);
	sh_runs_init(&p->runs, tmpdir);
	if (p->memory / BLOCKS < p->runs.block)
		p->runs.block = p->memory / BLOCKS < BLOCK_MIN ? BLOCK_MIN : p->memory / BLOCKS;
}

void sh_parts_free(struct sh_parts *p)
{
	sh_fpset_free(&p->set);
	sh_runs_free(&p->runs);
}

void sh_parts_clear(struct sh_parts *p)
{
	sh_fpset_clear(&p->set);
	if (p->runs.n)
		sh_runs_free(&p->runs);
	p->n = p->loaded = 0;
	p->repeated = 0;
}

/* ---- runs ---- */

/* Writes a record. The key of an entry is the fingerprint, so that its bytes order as fingerprints
 * do, and the id. */
static int write_record(const struct sh_fpset *s, uint32_t record, const uint64_t *fp,
    struct sh_run_writer *w, struct sh_error *err)
{
	char key[8 * SH_FP_MAX_WORDS + SH_ID_MAX];
	struct sh_slice id = sh_fpset_id(s, record);

	for (unsigned i = 0; i < s->words; i++)
		sh_put_be64(key + 8 * i, fp[i]);
	memcpy(key + 8 * s->words, id.p, id.n);
	return sh_run_add(w, sh_slice(key, 8 * s->words + id.n), sh_slice("", 0), err);
}

/* Writes all records of the closed set, which are ascending by fingerprint and id. */
static int write_set(const struct sh_fpset *s, struct sh_run_writer *w, struct sh_error *err)
{
	for (uint32_t i = 0; i < s->side.n; i++) {
		uint32_t record = s->side.number[i];
		const uint64_t *fp =
		    s->words == 1 ? &s->side.word[i] : s->fp + (size_t)record * s->words;
		size_t n;
		const uint32_t *copy = sh_fpset_copies(s, record, &n);

		if (write_record(s, record, fp, w, err) < 0)
			return -1;
		for (size_t k = 0; k < n; k++)
			if (write_record(s, copy[k], fp, w, err) < 0)
				return -1;
	}
	return sh_run_end(w, err);
}

static int spill(struct sh_parts *p, struct sh_error *err)
{
	struct sh_run_writer w;
	int status = sh_fpset_close(&p->set, err);

	p->repeated += p->set.repeated;
	sh_run_begin(&w, &p->runs);
	if (status == 0)
		status = write_set(&p->set, &w, err);
	if (status == 0)
		status = sh_runs_put(&p->runs, &w, 1, err);
	sh_run_free(&w);
	sh_fpset_clear(&p->set);
	return status;
}

int sh_parts_add(struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	if ((sh_fpset_bytes(&p->set) > p->memory || sh_fpset_full(&p->set)) && spill(p, err) < 0)
		return -1;
	return sh_fpset_add(&p->set, fp, id, err);
}

/* ---- partitions ---- */

int sh_parts_close(struct sh_parts *p, struct sh_error *err)
{
	/* Copies are left out one after the other, so they must be in one range. */
	size_t prefix = p->first_only ? 8 * p->set.words : SIZE_MAX;
	uint64_t bytes, memory;

	p->n = 1;
	p->loaded = 0;
	if (p->runs.n == 0) {
		if (sh_fpset_close(&p->set, err) < 0)
			return -1;
		p->repeated = p->set.repeated;
		return 0;
	}
	if (p->set.n && spill(p, err) < 0)
		return -1;
	if (sh_runs_close(&p->runs, prefix, p->set.threads, err) < 0)
		return -1;
	bytes = IN_MEMORY * p->runs.end;
	memory = bytes / PARTS > p->memory ? bytes / PARTS : p->memory;
	p->ranges = (size_t)(memory * p->runs.ranges / bytes);
	if (p->ranges == 0)
		p->ranges = 1;
	p->n = (p->runs.ranges + p->ranges - 1) / p->ranges;
	p->loaded = p->n;
	return 0;
}

/* Reads a partition into a set. */
struct loader {
	struct sh_parts *parts;
	struct sh_fpset *set;
	bool counts;         /* count repeated records */
	struct sh_job *out;  /* receives the pairs of the copies that are left out; or NULL */
	struct sh_buf last;  /* the last entry */
	struct sh_buf first; /* first_only: the entry with the smallest id of the fingerprint */
};

static int load_entry(void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	struct loader *l = arg;
	size_t n = 8 * l->set->words;
	uint64_t fp[SH_FP_MAX_WORDS];

	(void)value;
	if (sh_slice_eq(key, sh_buf_slice(&l->last))) {
		l->parts->repeated += l->counts;
		return 0;
	}
	l->last.n = 0;
	if (sh_buf_add(&l->last, key.p, key.n, err) < 0)
		return -1;
	if (l->parts->first_only && l->first.n && memcmp(l->first.p, key.p, n) == 0)
		return l->out ? sh_pair_write(l->out, sh_slice(l->first.p + n, l->first.n - n),
				    sh_slice(key.p + n, key.n - n), 0, err)
			      : 0;
	l->first.n = 0;
	if (sh_buf_add(&l->first, key.p, key.n, err) < 0)
		return -1;
	for (unsigned i = 0; i < l->set->words; i++)
		fp[i] = sh_be64(key.p + 8 * i);
	return sh_fpset_add(l->set, fp, sh_slice(key.p + n, key.n - n), err);
}

static int load_into(struct loader *l, size_t part, struct sh_error *err)
{
	struct sh_parts *p = l->parts;
	size_t end = (part + 1) * p->ranges;
	int status = 0;

	end = end < p->runs.ranges ? end : p->runs.ranges;
	sh_fpset_clear(l->set);
	for (size_t r = part * p->ranges; r < end && status == 0; r++)
		status = sh_runs_merge(&p->runs, r, load_entry, l, err);
	sh_buf_free(&l->last);
	sh_buf_free(&l->first);
	return status == 0 ? sh_fpset_close(l->set, err) : -1;
}

/* Loads a partition into p->set, unless it is there. */
static int load(
    struct sh_parts *p, size_t part, bool counts, struct sh_job *out, struct sh_error *err)
{
	struct loader l = { .parts = p, .set = &p->set, .counts = counts, .out = out };
	int status = p->loaded == part ? 0 : load_into(&l, part, err);

	p->loaded = status == 0 ? part : p->n;
	return status;
}

int sh_parts_load(struct sh_parts *p, size_t part, struct sh_error *err)
{
	return load(p, part, true, NULL, err);
}

/* Joins each partition of one input with itself and with the later ones. */
static int join_self(struct sh_parts *p, struct sh_pairs how, struct sh_join *j, struct sh_job *out,
    struct sh_error *err)
{
	struct sh_fpset later;
	struct loader l = { .parts = p, .set = &later };
	int status = 0;

	sh_fpset_init(&later, p->set.words, p->set.room, p->set.threads);
	how.a = &p->set;
	how.one_input = true;
	for (size_t i = 0; i < p->n && status == 0; i++) {
		how.b = NULL;
		status = load(p, i, true, how.identical ? out : NULL, err);
		if (status == 0)
			status = sh_pairs_join(&how, j, out, err);
		how.b = &later;
		for (size_t k = i + 1; k < p->n && status == 0; k++) {
			status = load_into(&l, k, err);
			if (status == 0)
				status = sh_pairs_join(&how, j, out, err);
		}
	}
	sh_fpset_free(&later);
	return status;
}

int sh_parts_join(struct sh_parts *a, struct sh_parts *b, const struct sh_pairs *how,
    struct sh_join *j, struct sh_job *out, struct sh_error *err)
{
	struct sh_pairs pairs = { .a = &a->set, .collapse = how->collapse };
	int status = 0;

	if (!b)
		return join_self(a, *how, j, out, err);
	pairs.b = &b->set;
	for (size_t i = 0; i < a->n && status == 0; i++) {
		status = load(a, i, true, NULL, err);
		for (size_t k = 0; k < b->n && status == 0; k++) {
			status = load(b, k, i == 0, NULL, err);
			if (status == 0)
				status = sh_pairs_join(&pairs, j, out, err);
		}
	}
	return status;
}
