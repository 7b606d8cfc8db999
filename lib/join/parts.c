/* SPDX-License-Identifier: MIT */
#include "join/parts.h"

#include "base/bytes.h"
#include "record/fields.h"

enum {
	MEMORY_MIN = 1 << 10, /* bytes of a partition */
	PARTS = 256,          /* most partitions, about: each is joined with each */
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

/* Joins each partition of one input with itself and with the later ones. */
static int join_self(struct sh_parts *p, struct sh_pairs how, struct sh_join *j, struct sh_job *out,
    struct sh_error *err)
{
	struct sh_fpset later;
	int status = 0;

	sh_fpset_init(&later, p->set.words, p->set.room, p->set.threads);
	how.a = &p->set;
	how.one_input = true;
	for (size_t i = 0; i < p->n && status == 0; i++) {
		how.b = NULL;
		status = load(p, i, true, err);
		if (status == 0)
			status = sh_pairs_join(&how, j, out, err);
		how.b = &later;
		for (size_t k = i + 1; k < p->n && status == 0; k++) {
			status = read_part(p, k, &later, err);
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
		status = load(a, i, true, err);
		for (size_t k = 0; k < b->n && status == 0; k++) {
			status = load(b, k, i == 0, err);
			if (status == 0)
				status = sh_pairs_join(&pairs, j, out, err);
		}
	}
	return status;
}
