#include <string.h>

#include "group/dedup_state.h"
#include "io/parallel.h"

/* The vertices that sh_subset_pick() picks. */
struct picking {
	struct sh_dedup *dedup;
	const struct sh_subset *from;
	uint32_t lo, hi;
	bool stay;
	uint32_t *to;
};

static bool is_picked(const struct picking *p, uint32_t v)
{
	const struct sh_dedup *d = p->dedup;

	return d->place[v] >= p->lo && d->place[v] < p->hi &&
	       d->vertex_keeper[v] == (p->stay ? v : SH_UNDECIDED);
}

static size_t select_picked(void *arg, size_t from, size_t to, size_t at)
{
	const struct picking *p = arg;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t v = sh_subset_vertex(p->from, (uint32_t)i);

		if (!is_picked(p, v))
			continue;
		if (at != SH_COUNT_ONLY)
			p->to[at + n] = v;
		n++;
	}
	return n;
}

int sh_subset_pick(struct sh_dedup *d, const struct sh_subset *from, uint32_t lo, uint32_t hi,
    bool stay, struct sh_subset *to, struct sh_error *err)
{
	struct picking p = { d, from, lo, hi, stay, NULL };
	struct sh_selection s = {
		.threads = d->opts.jobs, .n = from->n, .fn = select_picked, .arg = &p
	};

	*to = (struct sh_subset){ 0 };
	if (sh_selection_count(&s, err) < 0)
		return -1;
	p.to = sh_tables_get(d->opts.tables, s.found, sizeof *p.to, err);
	if (!p.to) {
		sh_selection_free(&s);
		return -1;
	}
	*to = (struct sh_subset){ .vertex = p.to, .n = (uint32_t)s.found };
	return sh_selection_fill(&s, err);
}

struct node_finder {
	const struct sh_dedup *dedup;
	struct sh_subset *subset;
};

static const uint64_t *fingerprint(const struct node_finder *f, size_t i)
{
	const struct sh_dedup *d = f->dedup;

	return sh_dedup_fp(d, d->vertex[sh_subset_vertex(f->subset, (uint32_t)i)]);
}

static bool differ(const uint64_t *x, const uint64_t *y, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		if (x[i] != y[i])
			return true;
	return false;
}

static size_t select_nodes(void *arg, size_t from, size_t to, size_t at)
{
	const struct node_finder *f = arg;
	const uint64_t *last = from ? fingerprint(f, from - 1) : NULL;
	unsigned words = f->dedup->words;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		const uint64_t *fp = fingerprint(f, i);

		if (last && !differ(fp, last, words))
			continue;
		if (at != SH_COUNT_ONLY) {
			memcpy(f->subset->fp + (at + n) * words, fp, words * sizeof *fp);
			f->subset->node[at + n] = (uint32_t)i;
		}
		last = fp;
		n++;
	}
	return n;
}

int sh_subset_find_nodes(struct sh_dedup *d, struct sh_subset *c, struct sh_error *err)
{
	struct node_finder f = { d, c };
	struct sh_selection s = {
		.threads = d->opts.jobs, .n = c->n, .fn = select_nodes, .arg = &f
	};
	struct sh_tables *tables = d->opts.tables;

	if (c->node)
		return 0;
	if (sh_selection_count(&s, err) < 0)
		return -1;
	c->node = sh_tables_get(tables, s.found + 1, sizeof *c->node, err);
	c->fp = c->node ? sh_tables_get(tables, s.found * d->words, sizeof *c->fp, err) : NULL;
	if (!c->fp) {
		sh_selection_free(&s);
		return -1;
	}
	c->n_nodes = s.found;
	c->node[c->n_nodes] = c->n;
	return sh_selection_fill(&s, err);
}

void sh_subset_put_nodes(struct sh_dedup *d, struct sh_subset *c)
{
	sh_tables_put(d->opts.tables, c->node);
	sh_tables_put(d->opts.tables, c->fp);
	c->node = NULL;
	c->fp = NULL;
}

void sh_subset_put(struct sh_dedup *d, struct sh_subset *c)
{
	sh_subset_put_nodes(d, c);
	sh_tables_put(d->opts.tables, c->vertex);
	*c = (struct sh_subset){ 0 };
}
