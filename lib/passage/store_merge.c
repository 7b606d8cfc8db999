/* Merges the segments of a store. */
#include <stdlib.h>

#include "base/merge.h"
#include "passage/store.h"

enum { AT_ONCE = 1 << 16 }; /* bytes of documents */

/* The seeds of a segment. */
struct cursor {
	struct sh_folder_map map;
	const struct sh_posting *seed;
	size_t at, n;
	uint32_t base;  /* number of its first document in the new segment */
	uint8_t key[8]; /* of the posting before `at`, big-endian: memcmp() orders keys */
};

struct merging {
	const struct sh_passages *store;
	struct cursor *cursor; /* by segment */
	struct sh_passages_segment to;
	struct sh_folder_file file; /* of the part that is written */
};

static int open_part(struct merging *m, const char *suffix, struct sh_error *err)
{
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, m->to.number, suffix);
	return sh_folder_create(&m->file, &m->store->folder, name, err);
}

/* ---- documents ---- */

static int copy_documents(
    struct merging *m, const struct sh_passages_segment *e, struct sh_error *err)
{
	struct sh_folder_map map = { 0 };
	char name[SH_PASSAGES_NAME];
	int status = 0;

	sh_passages_part(name, e->number, "tsv");
	if (e->bytes == 0)
		return 0;
	if (sh_folder_map(&map, &m->store->folder, name, e->bytes, err) < 0)
		return -1;
	for (size_t at = 0, k; status == 0 && at < map.n; at += k) {
		k = map.n - at < AT_ONCE ? map.n - at : AT_ONCE;
		status = sh_folder_write(&m->file, map.p + at, k, err);
	}
	sh_folder_unmap(&map);
	m->to.bytes += e->bytes;
	return status;
}

static int merge_documents(struct merging *m, struct sh_error *err)
{
	if (open_part(m, "tsv", err) < 0)
		return -1;
	for (size_t i = 0; i < m->store->n; i++)
		if (copy_documents(m, &m->store->segment[i], err) < 0)
			return -1;
	return sh_folder_finish(&m->file, err);
}

/* ---- seeds ---- */

static int open_cursor(struct merging *m, size_t i, struct sh_error *err)
{
	const struct sh_passages_segment *e = &m->store->segment[i];
	struct cursor *c = &m->cursor[i];
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, e->number, "seed");
	if (e->seeds > SIZE_MAX / sizeof *c->seed || e->documents > UINT32_MAX - m->to.documents)
		return sh_passages_damaged(m->store, name, err);
	c->base = (uint32_t)m->to.documents;
	c->n = (size_t)e->seeds;
	m->to.documents += e->documents;
	m->to.seeds += e->seeds;
	if (e->seeds &&
	    sh_folder_map(&c->map, &m->store->folder, name, e->seeds * sizeof *c->seed, err) < 0)
		return -1;
	c->seed = (const struct sh_posting *)(const void *)c->map.p;
	sh_folder_expect(&c->map, true);
	return 0;
}

static int next_seed(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct cursor *c = &((struct merging *)arg)->cursor[i];
	uint64_t k;

	(void)err;
	if (c->at == c->n)
		return 0;
	k = c->seed[c->at++].of.key;
	for (int b = 0; b < 8; b++)
		c->key[b] = (uint8_t)(k >> (56 - 8 * b));
	*key = sh_slice((const char *)c->key, sizeof c->key);
	return 1;
}

/* Equal keys come in the order of the segments, and so in the order of documents and tokens. */
static int merge_seeds(struct merging *m, struct sh_error *err)
{
	struct sh_merge heap = { .next = next_seed, .arg = m };
	int status = open_part(m, "seed", err);
	size_t top;

	if (status == 0)
		status = sh_merge_init(&heap, m->store->n, err);
	while (status == 0 && sh_merge_top(&heap, &top)) {
		const struct cursor *c = &m->cursor[top];
		struct sh_posting p = c->seed[c->at - 1];

		p.document += c->base;
		status = sh_folder_write(&m->file, &p, sizeof p, err);
		if (status == 0)
			status = sh_merge_pop(&heap, err);
	}
	sh_merge_free(&heap);
	return status == 0 ? sh_folder_finish(&m->file, err) : -1;
}

/* ---- the new segment ---- */

static int write_segment(struct merging *m, struct sh_error *err)
{
	/* Otherwise damage would get a checksum of its own. */
	for (size_t i = 0; i < m->store->n; i++)
		if (sh_passages_verify(m->store, &m->store->segment[i], err) < 0 ||
		    open_cursor(m, i, err) < 0)
			return -1;
	if (merge_documents(m, err) < 0 || merge_seeds(m, err) < 0)
		return -1;
	return sh_passages_sum(m->store, &m->to, err);
}

/* Removes the files of a segment that could not be written: a full disk is the most frequent cause. */
static void remove_segment(struct merging *m)
{
	struct sh_error ignored;
	char name[SH_PASSAGES_NAME];

	sh_folder_abandon(&m->file);
	sh_passages_part(name, m->to.number, "tsv");
	(void)sh_folder_remove(&m->store->folder, name, &ignored);
	sh_passages_part(name, m->to.number, "seed");
	(void)sh_folder_remove(&m->store->folder, name, &ignored);
}

static int merge(const struct sh_passages *s, struct sh_passages_segment *to, struct sh_error *err)
{
	struct merging m = { .store = s, .cursor = calloc(s->n, sizeof *m.cursor) };
	int status = m.cursor ? 0 : sh_error_nomem(err);

	if (status == 0)
		status = sh_passages_number(s, &m.to.number, err);
	if (status == 0) {
		status = write_segment(&m, err);
		if (status < 0)
			remove_segment(&m);
	}
	for (size_t i = 0; m.cursor && i < s->n; i++)
		sh_folder_unmap(&m.cursor[i].map);
	free(m.cursor);
	*to = m.to;
	return status;
}

int sh_passages_compact(struct sh_passages *s, struct sh_error *err)
{
	struct sh_passages_segment all;

	if (s->n < 2)
		return 0;
	if (merge(s, &all, err) < 0)
		return -1;
	s->segment[0] = all;
	s->n = 1;
	s->added = true;
	return sh_passages_commit(s, err) < 0 ? -1 : sh_passages_clean(s, err);
}
