/* SPDX-License-Identifier: MIT */
#include "join/pairs.h"

#include <string.h>

#include "base/num.h"

enum { AT_ONCE = 64 /* pairs whose ids are fetched together */ };

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

static int write_ordered(const struct sh_pairs *s, struct sh_job *job, struct sh_slice x,
    struct sh_slice y, unsigned distance, struct sh_error *err)
{
	int c = s->one_input ? sh_slice_cmp(x, y) : -1;

	if (c == 0)
		return 0;
	return c < 0 ? sh_pair_write(job, x, y, distance, err)
		     : sh_pair_write(job, y, x, distance, err);
}

/* Writes the pairs of all ids of two fingerprints. */
static int write_ids(const struct sh_pairs *s, struct sh_job *job, const struct sh_join_pair *pair,
    struct sh_error *err)
{
	const struct sh_fpset *a = s->a, *b = s->b ? s->b : s->a;
	size_t na, nb;
	const uint32_t *copy_a = sh_fpset_copies(a, pair->a, &na);
	const uint32_t *copy_b = sh_fpset_copies(b, pair->b, &nb);

	if (s->collapse) {
		na = s->one_input ? 0 : na;
		nb = 0;
	}
	for (size_t i = 0; i <= na; i++) {
		struct sh_slice id = sh_fpset_id(a, i ? copy_a[i - 1] : pair->a);

		for (size_t k = 0; k <= nb; k++) {
			struct sh_slice other = sh_fpset_id(b, k ? copy_b[k - 1] : pair->b);

			if (write_ordered(s, job, id, other, pair->distance, err) < 0)
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
	const struct sh_pairs *s = ctx;
	const struct sh_fpset *a = s->a, *b = s->b ? s->b : s->a;

	for (size_t from = 0, end; from < n; from = end) {
		end = n - from < AT_ONCE ? n : from + AT_ONCE;
		for (size_t i = from; i < end; i++) {
			__builtin_prefetch(&a->id_at[pair[i].a / SH_FPSET_STRIDE]);
			__builtin_prefetch(&b->id_at[pair[i].b / SH_FPSET_STRIDE]);
		}
		for (size_t i = from; i < end; i++) {
			__builtin_prefetch(a->ids.p + a->id_at[pair[i].a / SH_FPSET_STRIDE]);
			__builtin_prefetch(b->ids.p + b->id_at[pair[i].b / SH_FPSET_STRIDE]);
		}
		for (size_t i = from; i < end; i++)
			if (write_ids(s, job, &pair[i], err) < 0)
				return -1;
	}
	return 0;
}

/* Writes the pairs of records with the same fingerprint. */
static int write_identical(const struct sh_pairs *s, struct sh_job *out, struct sh_error *err)
{
	const struct sh_fpset *a = s->a;

	for (const struct sh_copies *c = a->copies; c < a->copies + a->n_copies; c++) {
		for (uint32_t i = 0; i <= c->n && (i == 0 || !s->collapse); i++) {
			struct sh_slice id =
			    sh_fpset_id(a, i ? a->copy[c->from + i - 1] : c->first);

			for (uint32_t k = i; k < c->n; k++)
				if (sh_pair_write(
					out, id, sh_fpset_id(a, a->copy[c->from + k]), 0, err) < 0)
					return -1;
		}
	}
	return 0;
}

int sh_pairs_join(
    const struct sh_pairs *p, struct sh_join *j, struct sh_job *out, struct sh_error *err)
{
	struct sh_pairs s = *p;

	if (!s.b && s.identical && write_identical(&s, out, err) < 0)
		return -1;
	return sh_join_sides(
	    j, &s.a->side, s.b ? &s.b->side : NULL, s.a->room, write_pairs, &s, out, err);
}
