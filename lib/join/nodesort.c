#include "join/nodes.h"

#include <stdlib.h>

#include "join/fpsort.h"

/* Orders nodes whose first words are equal. No two nodes are equal. */
static int by_other_words(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_nodes *s = arg;
	const uint64_t *a = s->fp + (size_t)x * s->words, *b = s->fp + (size_t)y * s->words;

	for (unsigned i = 1; i < s->words; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void apply(struct sh_nodes *s, const struct sh_side *order, uint64_t *fp, uint32_t *who)
{
	for (size_t i = 0; i < s->n; i++) {
		uint32_t node = order->id[i];

		memcpy(fp + i * s->words, s->fp + (size_t)node * s->words, s->words * sizeof *fp);
		who[i] = s->who[node];
	}
	memcpy(s->fp, fp, s->n * s->words * sizeof *fp);
	memcpy(s->who, who, s->n * sizeof *who);
}

static int sort_wide(struct sh_nodes *s, struct sh_error *err)
{
	struct sh_side side = { .fp = s->fp, .words = s->words, .n = (uint32_t)s->n };
	uint64_t *fp = malloc(s->n * s->words * sizeof *fp + 1);
	uint32_t *who = malloc(s->n * sizeof *who + 1);
	int status = fp && who ? sh_side_reserve(&side, s->n, err) : sh_error_nomem(err);

	if (status == 0) {
		sh_side_load(&side, 0);
		status = sh_side_sort_by(s->threads, &side, s->room, by_other_words, s, err);
	}
	if (status == 0) {
		apply(s, &side, fp, who);
	}
	sh_side_free(&side);
	free(fp);
	free(who);
	return status;
}

int sh_nodes_sort(struct sh_nodes *s, struct sh_error *err)
{
	struct sh_side side = { .words = 1, .n = (uint32_t)s->n, .word = s->fp, .id = s->who };

	if (sh_side_reserve(s->room, s->n, err) < 0)
		return -1;
	if (s->words > 1)
		return sort_wide(s, err);
	return sh_side_sort_by(s->threads, &side, s->room, by_other_words, s, err);
}
