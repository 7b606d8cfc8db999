/* SPDX-License-Identifier: MIT */
#include "join/parts.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

enum {
	MEMORY_MIN = 1 << 10, /* bytes of a partition */
	PARTS = 256,          /* most partitions, about: each is joined with each */
	AT_ONCE = 64,         /* pairs whose ids are fetched together */
};

void sh_parts_init(struct sh_parts *p, unsigned words, size_t memory, unsigned threads,
    struct sh_join_side *room, const char *tmpdir)
{
	*p = (struct sh_parts){ .memory = memory < MEMORY_MIN ? MEMORY_MIN : memory };
	sh_fpset_init(&p->set, words, room, threads);
	/* The set is full when its records go to the sorter. */
	p->sorter =
	    (struct sh_sorter){ .memory = p->memory / 2, .threads = threads, .dir = tmpdir };
	sh_sorter_init(&p->sorter);
}

void sh_parts_free(struct sh_parts *p)
{
	sh_fpset_free(&p->set);
	sh_sorter_free(&p->sorter);
}

void sh_parts_clear(struct sh_parts *p)
{
	sh_fpset_clear(&p->set);
	if (p->spilled)
		sh_sorter_free(&p->sorter);
	p->spilled = false;
	p->n = p->loaded = 0;
	p->bytes = p->repeated = 0;
}

/* ---- adding ---- */

/* Adds a record to the sorter: its bytes order as fingerprints do. */
static int add_to_sorter(
    struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	char bytes[8 * SH_FP_MAX_WORDS];

	for (unsigned i = 0; i < p->set.words; i++)
		sh_put_be64(bytes + 8 * i, fp[i]);
	return sh_sorter_add(&p->sorter, sh_slice(bytes, 8 * p->set.words), id, err);
}

static int spill(struct sh_parts *p, struct sh_error *err)
{
	const struct sh_fpset *s = &p->set;

	p->spilled = true;
	for (uint32_t i = 0; i < s->n; i++)
		if (add_to_sorter(p, sh_fpset_fp(s, i), sh_fpset_id(s, i), err) < 0)
			return -1;
	sh_fpset_free(&p->set);
	return 0;
}

int sh_parts_add(struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	p->bytes += sh_fpset_record_bytes(&p->set, id.n);
	if (!p->spilled && (p->bytes > p->memory || sh_fpset_full(&p->set)) && spill(p, err) < 0)
		return -1;
	return p->spilled ? add_to_sorter(p, fp, id, err) : sh_fpset_add(&p->set, fp, id, err);
}

/* ---- partitions ---- */

int sh_parts_close(struct sh_parts *p, struct sh_error *err)
{
	uint64_t memory = p->bytes / PARTS > p->memory ? p->bytes / PARTS : p->memory;

	p->n = 1;
	p->loaded = 0;
	if (!p->spilled) {
		if (sh_fpset_close(&p->set, err) < 0)
			return -1;
		p->repeated = p->set.repeated;
		return 0;
	}
	if (sh_sorter_finish(&p->sorter, 8 * p->set.words, err) < 0)
		return -1;
	p->ranges = (size_t)(memory * p->sorter.ranges / p->bytes);
	if (p->ranges == 0)
		p->ranges = 1;
	p->n = (p->sorter.ranges + p->ranges - 1) / p->ranges;
	p->loaded = p->n;
	return 0;
}

static int add_from_sorter(struct sh_fpset *s, struct sh_slice record, struct sh_error *err)
{
	uint64_t fp[SH_FP_MAX_WORDS];
	size_t n = 8 * s->words;

	for (unsigned i = 0; i < s->words; i++)
		fp[i] = sh_be64(record.p + 8 * i);
	return sh_fpset_add(s, fp, sh_slice(record.p + n, record.n - n), err);
}

/* Reads a partition into a set, which sorts it. */
static int read_part(
    const struct sh_parts *p, size_t part, struct sh_fpset *set, struct sh_error *err)
{
	size_t end = (part + 1) * p->ranges;
	struct sh_sorted sorted = { 0 };
	struct sh_slice record;
	int status = 0;

	end = end < p->sorter.ranges ? end : p->sorter.ranges;
	sh_fpset_clear(set);
	for (size_t r = part * p->ranges; r < end && status == 0; r++) {
		status = sh_sorter_load(&p->sorter, r, &sorted, err);
		while (status == 0 && sh_sorted_next(&sorted, &record))
			status = add_from_sorter(set, record, err);
	}
	sh_sorted_free(&sorted);
	return status == 0 ? sh_fpset_close(set, err) : -1;
}

/* Loads a partition into p->set, unless it is there. */
static int load(struct sh_parts *p, size_t part, bool counts, struct sh_error *err)
{
	int status = 0;

	if (p->loaded == part)
		return 0;
	status = read_part(p, part, &p->set, err);
	p->loaded = status == 0 ? part : p->n;
	if (counts)
		p->repeated += p->set.repeated;
	return status;
}

int sh_parts_load(struct sh_parts *p, size_t part, struct sh_error *err)
{
	return load(p, part, true, err);
}

/* ---- pairs ---- */

/* A join of two sets, or of one with itself. */
struct pairing {
	struct sh_fpset *a, *b; /* b is a: a with itself */
	bool one_input;         /* a and b hold different records of one input, or are one set */
	bool collapse;
};

int sh_pair_write(struct sh_job *job, struct sh_slice id1, struct sh_slice id2, unsigned distance,
    struct sh_error *err)
{
	char *p = sh_job_room(job, id1.n + id2.n + SH_NUM_CHARS + 3, err);

	if (!p)
		return -1;
	memcpy(p, id1.p, id1.n);
	p += id1.n;
	*p++ = '\t';
	memcpy(p, id2.p, id2.n);
	p += id2.n;
	*p++ = '\t';
	if (distance == SH_NO_DISTANCE)
		*p++ = '-';
	else
		p += sh_print_u64(p, distance);
	*p++ = '\n';
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

/* Writes the pairs of all ids of two fingerprints. */
static int write_ids(const struct pairing *s, struct sh_job *job, const struct sh_join_pair *pair,
    struct sh_error *err)
{
	size_t na, nb;
	const uint32_t *copy_a = sh_fpset_copies(s->a, pair->a, &na);
	const uint32_t *copy_b = sh_fpset_copies(s->b, pair->b, &nb);

	if (s->collapse) {
		na = s->one_input ? 0 : na;
		nb = 0;
	}
	for (size_t i = 0; i <= na; i++) {
		struct sh_slice x = sh_fpset_id(s->a, i ? copy_a[i - 1] : pair->a);

		for (size_t k = 0; k <= nb; k++) {
			struct sh_slice y = sh_fpset_id(s->b, k ? copy_b[k - 1] : pair->b);
			int order = s->one_input ? sh_slice_cmp(x, y) : -1;

			if (order && sh_pair_write(job, order < 0 ? x : y, order < 0 ? y : x,
					 pair->distance, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Receives the pairs of the join. Ids lie anywhere in memory: they are fetched for many pairs at
 * once. */
static int write_pairs(
    void *ctx, struct sh_job *job, const struct sh_join_pair *pair, size_t n, struct sh_error *err)
{
	const struct pairing *s = ctx;

	for (size_t from = 0, end; from < n; from = end) {
		end = n - from < AT_ONCE ? n : from + AT_ONCE;
		for (size_t i = from; i < end; i++) {
			__builtin_prefetch(&s->a->id_at[pair[i].a / SH_FPSET_STRIDE]);
			__builtin_prefetch(&s->b->id_at[pair[i].b / SH_FPSET_STRIDE]);
		}
		for (size_t i = from; i < end; i++) {
			__builtin_prefetch(s->a->ids.p + s->a->id_at[pair[i].a / SH_FPSET_STRIDE]);
			__builtin_prefetch(s->b->ids.p + s->b->id_at[pair[i].b / SH_FPSET_STRIDE]);
		}
		for (size_t i = from; i < end; i++)
			if (write_ids(s, job, &pair[i], err) < 0)
				return -1;
	}
	return 0;
}

/* Writes the pairs of records with the same fingerprint. */
static int write_identical(
    const struct sh_fpset *s, bool collapse, struct sh_job *out, struct sh_error *err)
{
	for (const struct sh_copies *c = s->copies; c < s->copies + s->n_copies; c++) {
		for (uint32_t i = 0; i <= c->n && (i == 0 || !collapse); i++) {
			struct sh_slice id =
			    sh_fpset_id(s, i ? s->copy[c->from + i - 1] : c->first);

			for (uint32_t k = i; k < c->n; k++)
				if (sh_pair_write(
					out, id, sh_fpset_id(s, s->copy[c->from + k]), 0, err) < 0)
					return -1;
		}
	}
	return 0;
}

static int join_sets(struct pairing *s, struct sh_join *j, struct sh_job *out, struct sh_error *err)
{
	return sh_join_sides(j, &s->a->side, s->b == s->a ? NULL : &s->b->side, s->a->room,
	    write_pairs, s, out, err);
}

/* Joins each partition of one input with itself and with the later ones. */
static int join_self(struct sh_parts *p, struct sh_pairs how, struct sh_join *j, struct sh_job *out,
    struct sh_error *err)
{
	struct sh_fpset later;
	struct pairing s = { .a = &p->set, .one_input = true, .collapse = how.collapse };
	int status = 0;

	sh_fpset_init(&later, p->set.words, p->set.room, p->set.threads);
	for (size_t i = 0; i < p->n && status == 0; i++) {
		s.b = s.a;
		status = load(p, i, true, err);
		if (status == 0 && how.identical)
			status = write_identical(s.a, how.collapse, out, err);
		if (status == 0)
			status = join_sets(&s, j, out, err);
		s.b = &later;
		for (size_t k = i + 1; k < p->n && status == 0; k++) {
			status = read_part(p, k, &later, err);
			if (status == 0)
				status = join_sets(&s, j, out, err);
		}
	}
	sh_fpset_free(&later);
	return status;
}

int sh_parts_join(struct sh_parts *a, struct sh_parts *b, struct sh_pairs how, struct sh_join *j,
    struct sh_job *out, struct sh_error *err)
{
	struct pairing s = { .a = &a->set, .collapse = how.collapse };
	int status = 0;

	if (!b)
		return join_self(a, how, j, out, err);
	s.b = &b->set;
	for (size_t i = 0; i < a->n && status == 0; i++) {
		status = load(a, i, true, err);
		for (size_t k = 0; k < b->n && status == 0; k++) {
			status = load(b, k, i == 0, err);
			if (status == 0)
				status = join_sets(&s, j, out, err);
		}
	}
	return status;
}
