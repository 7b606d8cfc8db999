#include <stdlib.h>

#include "group/dedup_state.h"

static bool is_picked(const struct sh_dedup *d, uint32_t v, uint32_t lo, uint32_t hi, bool stay)
{
	return d->place[v] >= lo && d->place[v] < hi &&
	       d->vertex_keeper[v] == (stay ? v : SH_UNDECIDED);
}

int sh_subset_pick(struct sh_dedup *d, const struct sh_subset *from, uint32_t lo, uint32_t hi,
    bool stay, struct sh_subset *to, struct sh_error *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < from->n; i++)
		n += is_picked(d, sh_subset_vertex(from, i), lo, hi, stay);
	*to = (struct sh_subset){ .vertex =
				      sh_tables_get(d->opts.tables, n, sizeof *to->vertex, err) };
	if (!to->vertex)
		return -1;
	for (uint32_t i = 0; i < from->n; i++) {
		uint32_t v = sh_subset_vertex(from, i);

		if (is_picked(d, v, lo, hi, stay))
			to->vertex[to->n++] = v;
	}
	return 0;
}

static const uint64_t *fingerprint(const struct sh_dedup *d, const struct sh_subset *c, uint32_t i)
{
	return sh_dedup_fp(d, d->vertex[sh_subset_vertex(c, i)]);
}

static bool begins_node(const struct sh_dedup *d, const struct sh_subset *c, uint32_t i)
{
	return i == 0 || memcmp(fingerprint(d, c, i - 1), fingerprint(d, c, i),
			     d->words * sizeof *d->fp) != 0;
}

int sh_subset_find_nodes(struct sh_dedup *d, struct sh_subset *c, struct sh_error *err)
{
	struct sh_tables *tables = d->opts.tables;
	size_t n = 0;

	if (c->node)
		return 0;
	for (uint32_t i = 0; i < c->n; i++)
		n += begins_node(d, c, i);
	c->node = sh_tables_get(tables, n + 1, sizeof *c->node, err);
	c->fp = c->node ? sh_tables_get(tables, n * d->words, sizeof *c->fp, err) : NULL;
	if (!c->fp)
		return -1;
	c->n_nodes = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		if (!begins_node(d, c, i))
			continue;
		memcpy(
		    c->fp + c->n_nodes * d->words, fingerprint(d, c, i), d->words * sizeof *c->fp);
		c->node[c->n_nodes++] = i;
	}
	c->node[c->n_nodes] = c->n;
	return 0;
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
