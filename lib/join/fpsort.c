#include "join/fpsort.h"

#include <stdlib.h>

#include "join/scan.h"

enum {
	DIGIT = 8, /* bits of a pass */
	FEW = 32,  /* ranges up to this size are sorted by insertion */
};

struct sorter {
	struct sh_side *side, *room;
	sh_tie_fn *tie;
	const void *arg;
};

static int compare(const struct sorter *s, uint64_t x, uint32_t a, uint64_t y, uint32_t b)
{
	if (x != y)
		return x < y ? -1 : 1;
	return s->tie ? s->tie(s->arg, a, b) : 0;
}

static void insert_all(const struct sorter *s, uint32_t lo, uint32_t n)
{
	uint64_t *word = s->side->word;
	uint32_t *id = s->side->id;

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

static int by_tie(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;

	return s->tie(s->arg, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Orders lo .. lo+n-1, which agree on all but the last `bits` bits. */
static void sort_range(struct sorter *s, uint32_t lo, uint32_t n, unsigned bits)
{
	uint32_t start[(1 << DIGIT) + 1], next[1 << DIGIT];
	struct sh_key key;

	if (n <= FEW) {
		insert_all(s, lo, n);
		return;
	}
	if (bits == 0) {
		if (s->tie)
			qsort_r(s->side->id + lo, n, sizeof *s->side->id, by_tie, s);
		return;
	}
	sh_key_init(&key, (UINT64_MAX << (64 - DIGIT)) >> (64 - bits));
	sh_side_order(s->side, lo, n, &key, start, s->room, next);
	for (unsigned d = 0; d < 1 << DIGIT; d++)
		sort_range(s, start[d], start[d + 1] - start[d], bits - DIGIT);
}

void sh_side_sort(struct sh_side *s, struct sh_side *room, sh_tie_fn *tie, const void *arg)
{
	struct sorter o = { s, room, tie, arg };

	sort_range(&o, 0, s->n, 64);
}

static int get_side(struct sh_side *s, struct sh_tables *tables, size_t n, struct sh_error *err)
{
	*s = (struct sh_side){ .n = (uint32_t)n, .words = 1 };
	s->word = sh_tables_get(tables, n + SH_SCAN_TILE, sizeof *s->word, err);
	s->id = s->word ? sh_tables_get(tables, n + SH_SCAN_TILE, sizeof *s->id, err) : NULL;
	return s->id ? 0 : -1;
}

int sh_sorted_get(struct sh_sorted *s, struct sh_tables *tables, size_t n, struct sh_error *err)
{
	*s = (struct sh_sorted){ 0 };
	if (get_side(&s->side, tables, n, err) == 0 && get_side(&s->room, tables, n, err) == 0)
		return 0;
	sh_sorted_put(s, tables);
	return -1;
}

void sh_sorted_put(struct sh_sorted *s, struct sh_tables *tables)
{
	sh_tables_put(tables, s->side.word);
	sh_tables_put(tables, s->side.id);
	sh_tables_put(tables, s->room.word);
	sh_tables_put(tables, s->room.id);
	*s = (struct sh_sorted){ 0 };
}
