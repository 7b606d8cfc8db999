#include "pair/nodes.h"

#include <stdlib.h>

enum {
	DIGIT = 8, /* bits a pass looks at */
	FEW = 32,  /* put in order one by one */
};

/* Whole fingerprints of nodes, of which the side holds the first word. */
struct sorter {
	struct sh_nodes *nodes;
	struct sh_side side, *room;
};

static int compare(const struct sorter *s, uint64_t x, uint32_t node_x, uint64_t y, uint32_t node_y)
{
	unsigned words = s->nodes->words;
	const uint64_t *a, *b;

	if (x != y || words == 1)
		return (x > y) - (x < y);
	a = s->nodes->fp + (size_t)node_x * words;
	b = s->nodes->fp + (size_t)node_y * words;
	for (unsigned i = 1; i < words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void insert_all(const struct sorter *s, uint32_t lo, uint32_t n)
{
	uint64_t *word = s->side.word;
	uint32_t *id = s->side.id;

	for (uint32_t i = lo + 1; i < lo + n; i++) {
		uint64_t w = word[i];
		uint32_t d = id[i], at = i;

		for (; at > lo && compare(s, word[at - 1], id[at - 1], w, d) > 0; at--) {
			word[at] = word[at - 1];
			id[at] = id[at - 1];
		}
		word[at] = w;
		id[at] = d;
	}
}

static int by_fp(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;

	return compare(s, 0, *(const uint32_t *)a, 0, *(const uint32_t *)b);
}

/* Order lo .. lo+n-1, which agree on all bits above the `bits` last ones of the first word. */
static void sort_range(struct sorter *s, uint32_t lo, uint32_t n, unsigned bits)
{
	uint32_t start[(1 << DIGIT) + 1], next[1 << DIGIT];
	struct sh_key key;

	if (n <= FEW) {
		insert_all(s, lo, n);
		return;
	}
	if (bits == 0) {
		/* Equal first words: there are other words, since nodes are distinct. */
		qsort_r(s->side.id + lo, n, sizeof *s->side.id, by_fp, s);
		return;
	}
	sh_key_init(&key, (UINT64_MAX << (64 - DIGIT)) >> (64 - bits));
	sh_side_order(&s->side, lo, n, &key, start, s->room, next);
	for (unsigned d = 0; d < 1 << DIGIT; d++)
		sort_range(s, start[d], start[d + 1] - start[d], bits - DIGIT);
}

static void apply(struct sh_nodes *s, const struct sorter *o, uint64_t *fp, uint32_t *who)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t node = o->side.id[i];

		memcpy(fp + i * s->words, s->fp + (size_t)node * s->words, s->words * sizeof *fp);
		who[i] = s->who[node];
	}
	memcpy(s->fp, fp, s->n * s->words * sizeof *fp);
	memcpy(s->who, who, s->n * sizeof *who);
}

static int sort_wide(struct sh_nodes *s, struct sh_error *err)
{
	struct sorter o = { s, { .fp = s->fp, .words = s->words, .n = (uint32_t)s->n }, s->room };
	uint64_t *fp = malloc(s->n * s->words * sizeof *fp + 1);
	uint32_t *who = malloc(s->n * sizeof *who + 1);
	int status = fp && who ? sh_side_reserve(&o.side, s->n, err) : sh_error_nomem(err);

	if (status == 0) {
		sh_side_load(&o.side, 0);
		sort_range(&o, 0, o.side.n, 64);
		apply(s, &o, fp, who);
	}
	sh_side_free(&o.side);
	free(fp);
	free(who);
	return status;
}

int sh_nodes_sort(struct sh_nodes *s, struct sh_error *err)
{
	struct sorter o = { s, { .words = 1, .n = (uint32_t)s->n, .word = s->fp, .id = s->who },
		s->room };

	if (sh_side_reserve(s->room, s->n, err) < 0)
		return -1;
	if (s->words > 1)
		return sort_wide(s, err);
	sort_range(&o, 0, o.side.n, 64);
	return 0;
}
