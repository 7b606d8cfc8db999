#include "pair/nodes.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "pair/same.h"

int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_error *err)
{
	uint64_t key[2];

	*s = (struct sh_nodes){ .words = words };
	if (sh_random_key(key, err) < 0)
		return -1;
	s->hash_key = key[0] | 1;
	return 0;
}

void sh_nodes_free(struct sh_nodes *s)
{
	free(s->fp);
	free(s->head);
	free(s->next);
	free(s->id);
	sh_buf_free(&s->ids);
	*s = (struct sh_nodes){ .words = s->words };
}

void sh_nodes_clear(struct sh_nodes *s)
{
	s->n = s->records = 0;
	s->ids.n = 0;
	s->repeated = 0;
}

int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	size_t r = s->records, words = (r + 1) * s->words;

	if (r == SH_NODES_END - 1)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u fingerprints at once", SH_NODES_END - 1);
	if (words > s->fp_cap &&
	    sh_grow((void **)&s->fp, &s->fp_cap, words, sizeof *s->fp, err) < 0)
		return -1;
	if (r + 2 > s->id_cap &&
	    sh_grow((void **)&s->id, &s->id_cap, r + 2, sizeof *s->id, err) < 0)
		return -1;
	s->id[r] = s->ids.n;
	if (sh_buf_add(&s->ids, id.p, id.n, err) < 0)
		return -1;
	s->id[r + 1] = s->ids.n;
	memcpy(s->fp + r * s->words, fp, s->words * sizeof *fp);
	s->records++;
	return 0;
}

/* From first[i], the first record like record i, to nodes. first[] is overwritten: behind i it
 * holds the node of each record that is a node's first. */
static void make_nodes(struct sh_nodes *s, uint32_t *first)
{
	s->n = 0;
	for (size_t i = 0; i < s->records; i++) {
		uint32_t f = first[i], node;

		if (f == i) {
			node = (uint32_t)s->n++;
			first[i] = node;
			s->next[i] = SH_NODES_END;
			memmove(s->fp + node * (size_t)s->words, s->fp + i * s->words,
			    s->words * sizeof *s->fp);
		} else {
			node = first[f];
			s->next[i] = s->head[node];
		}
		s->head[node] = (uint32_t)i;
	}
}

static int by_id(const void *a, const void *b, void *arg)
{
	const struct sh_nodes *s = arg;

	return sh_slice_cmp(
	    sh_nodes_id(s, *(const uint32_t *)a), sh_nodes_id(s, *(const uint32_t *)b));
}

/* Chain the records of one node in ascending order of their ids, equal ids once. */
static void chain(struct sh_nodes *s, size_t node, const uint32_t *record, size_t n)
{
	uint32_t *link = &s->head[node];
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && by_id(&record[i - 1], &record[i], s) == 0)
			continue;
		*link = record[i];
		link = &s->next[record[i]];
		kept++;
	}
	*link = SH_NODES_END;
	s->repeated += n - kept;
}

static int order_ids(struct sh_nodes *s, struct sh_error *err)
{
	uint32_t *record = NULL;
	size_t cap = 0;

	for (size_t node = 0; node < s->n; node++) {
		size_t n = 0;

		if (s->next[s->head[node]] == SH_NODES_END)
			continue;
		for (uint32_t r = s->head[node]; r != SH_NODES_END; r = s->next[r]) {
			if (n == cap &&
			    sh_grow((void **)&record, &cap, n + 1, sizeof *record, err) < 0) {
				free(record);
				return -1;
			}
			record[n++] = r;
		}
		qsort_r(record, n, sizeof *record, by_id, s);
		chain(s, node, record, n);
	}
	free(record);
	return 0;
}

static int room(uint32_t **array, size_t *cap, size_t n, struct sh_error *err)
{
	return n > *cap ? sh_grow((void **)array, cap, n, sizeof **array, err) : 0;
}

int sh_nodes_close(struct sh_nodes *s, struct sh_error *err)
{
	uint32_t *first;

	if (room(&s->head, &s->head_cap, s->records, err) < 0 ||
	    room(&s->next, &s->next_cap, s->records, err) < 0)
		return -1;
	first = malloc(s->records * sizeof *first + 1);
	if (!first)
		return sh_error_nomem(err);
	if (sh_same_first(s->fp, s->records, s->words, s->hash_key, first, err) < 0) {
		free(first);
		return -1;
	}
	make_nodes(s, first);
	free(first);
	return order_ids(s, err);
}

size_t sh_nodes_bytes(const struct sh_nodes *s)
{
	return s->records * (s->words * sizeof *s->fp + sizeof *s->id) + s->ids.n;
}
