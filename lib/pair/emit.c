#include "pair/emit.h"

static int ordered(const struct sh_emit *e, struct sh_slice x, struct sh_slice y, unsigned distance,
    struct sh_error *err)
{
	int c = sh_slice_cmp(x, y);

	if (c == 0)
		return 0;
	return c < 0 ? e->pair(e->arg, x, y, distance, err) : e->pair(e->arg, y, x, distance, err);
}

/* One id against the ids from record r of nodes b on. */
static int one_with_chain(const struct sh_emit *e, struct sh_slice id, uint32_t r, bool alone,
    unsigned distance, struct sh_error *err)
{
	for (; r != SH_NODES_END; r = e->b->next[r]) {
		struct sh_slice other = sh_nodes_id(e->b, r);
		int status = e->same_set ? ordered(e, id, other, distance, err)
					 : e->pair(e->arg, id, other, distance, err);

		if (status < 0)
			return -1;
		if (alone)
			break;
	}
	return 0;
}

int sh_emit_hits(void *ctx, const struct sh_hit *hit, size_t n, struct sh_error *err)
{
	const struct sh_emit *e = ctx;
	bool first_only = e->collapse && e->same_set;

	for (size_t i = 0; i < n; i++) {
		for (uint32_t r = e->a->head[hit[i].a]; r != SH_NODES_END; r = e->a->next[r]) {
			if (one_with_chain(e, sh_nodes_id(e->a, r), e->b->head[hit[i].b],
				e->collapse, hit[i].distance, err) < 0)
				return -1;
			if (first_only)
				break;
		}
	}
	return 0;
}

int sh_emit_identical(const struct sh_emit *e, struct sh_error *err)
{
	const struct sh_nodes *s = e->a;

	for (size_t node = 0; node < s->n; node++) {
		for (uint32_t r = s->head[node]; s->next[r] != SH_NODES_END; r = s->next[r]) {
			if (one_with_chain(e, sh_nodes_id(s, r), s->next[r], false, 0, err) < 0)
				return -1;
			if (e->collapse)
				break;
		}
	}
	return 0;
}
