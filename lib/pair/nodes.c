#include "pair/nodes.h"

#include <stdlib.h>

#include "base/siphash.h"

enum {
	FEW = 8, /* nodes that are searched one by one */
	FIRST_SLOTS = 64,
};

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
	free(s->slots);
	sh_buf_free(&s->ids);
	*s = (struct sh_nodes){ .words = s->words };
}

void sh_nodes_clear(struct sh_nodes *s)
{
	/* A table that one large bucket left behind would be cleared for every small one. */
	free(s->slots);
	s->slots = NULL;
	s->n = s->records = s->n_slots = 0;
	s->ids.n = 0;
	s->repeated = 0;
}

/* Multiply and fold by a random odd key: nobody can choose fingerprints for one slot. */
static size_t slot_of(const struct sh_nodes *s, const uint64_t *fp)
{
	uint64_t h = s->hash_key;

	for (unsigned i = 0; i < s->words; i++) {
		__uint128_t m =
		    (__uint128_t)(h ^ fp[i]) * (s->hash_key ^ UINT64_C(0x9E3779B97F4A7C15));

		h = (uint64_t)m ^ (uint64_t)(m >> 64);
	}
	return (size_t)h & (s->n_slots - 1);
}

static bool same(const struct sh_nodes *s, size_t node, const uint64_t *fp)
{
	return memcmp(s->fp + node * s->words, fp, s->words * sizeof *fp) == 0;
}

/* Enter a node that is not in the table. */
static void enter(struct sh_nodes *s, uint32_t node)
{
	size_t i = slot_of(s, s->fp + (size_t)node * s->words);

	while (s->slots[i] != SH_NODES_END)
		i = (i + 1) & (s->n_slots - 1);
	s->slots[i] = node;
}

/* A table of at least twice the nodes, once they are many. */
static int grow_slots(struct sh_nodes *s, struct sh_error *err)
{
	size_t want = s->n_slots ? 2 * s->n_slots : FIRST_SLOTS;
	uint32_t *slots;

	if (s->n < FEW || 2 * (s->n + 1) <= s->n_slots)
		return 0;
	slots = malloc(want * sizeof *slots);
	if (!slots)
		return sh_error_nomem(err);
	memset(slots, 0xff, want * sizeof *slots);
	free(s->slots);
	s->slots = slots;
	s->n_slots = want;
	for (size_t i = 0; i < s->n; i++)
		enter(s, (uint32_t)i);
	return 0;
}

/* The node with this fingerprint, or s->n. */
static size_t find(const struct sh_nodes *s, const uint64_t *fp)
{
	size_t i;

	if (!s->slots) {
		/* Sorted input brings equal ones together: the last first. */
		for (i = s->n; i-- > 0;)
			if (same(s, i, fp))
				return i;
		return s->n;
	}
	for (i = slot_of(s, fp); s->slots[i] != SH_NODES_END; i = (i + 1) & (s->n_slots - 1))
		if (same(s, s->slots[i], fp))
			return s->slots[i];
	return s->n;
}

static int add_node(struct sh_nodes *s, const uint64_t *fp, struct sh_error *err)
{
	size_t words = (s->n + 1) * s->words;

	if (grow_slots(s, err) < 0)
		return -1;
	if (words > s->fp_cap &&
	    sh_grow((void **)&s->fp, &s->fp_cap, words, sizeof *s->fp, err) < 0)
		return -1;
	if (s->n == s->head_cap &&
	    sh_grow((void **)&s->head, &s->head_cap, s->n + 1, sizeof *s->head, err) < 0)
		return -1;
	memcpy(s->fp + s->n * s->words, fp, s->words * sizeof *fp);
	s->head[s->n] = SH_NODES_END;
	s->n++;
	if (s->slots)
		enter(s, (uint32_t)(s->n - 1));
	return 0;
}

int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	size_t node = find(s, fp), r = s->records;

	if (r == SH_NODES_END - 1)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u fingerprints at once", SH_NODES_END - 1);
	if (node == s->n && add_node(s, fp, err) < 0)
		return -1;
	if (r + 2 > s->id_cap &&
	    sh_grow((void **)&s->id, &s->id_cap, r + 2, sizeof *s->id, err) < 0)
		return -1;
	if (r == s->next_cap &&
	    sh_grow((void **)&s->next, &s->next_cap, r + 1, sizeof *s->next, err) < 0)
		return -1;
	s->id[r] = s->ids.n;
	if (sh_buf_add(&s->ids, id.p, id.n, err) < 0)
		return -1;
	s->id[r + 1] = s->ids.n;
	s->next[r] = s->head[node];
	s->head[node] = (uint32_t)r;
	s->records++;
	return 0;
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

int sh_nodes_close(struct sh_nodes *s, struct sh_error *err)
{
	uint32_t *record = NULL;
	size_t cap = 0;

	free(s->slots);
	s->slots = NULL;
	s->n_slots = 0;
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

size_t sh_nodes_bytes(const struct sh_nodes *s)
{
	return s->n * (s->words * sizeof *s->fp + sizeof *s->head) +
	       s->records * (sizeof *s->next + sizeof *s->id) + s->n_slots * sizeof *s->slots +
	       s->ids.n;
}
