/* Merges the segments of a store, and removes documents. */
#include <stdlib.h>
#include <string.h>

#include "base/merge.h"
#include "passage/store.h"

/* The seeds of a segment. */
struct cursor {
	struct sh_folder_map map;
	const struct sh_posting *seed;
	size_t at, n;
	const uint32_t *number; /* by document of the segment: see struct merging */
	uint8_t key[8];         /* of the posting before `at`, big-endian: memcmp() orders keys */
};

struct merging {
	const struct sh_passages *store;
	const struct sh_passages_segment *segment; /* the n segments to merge */
	size_t n;
	struct cursor *cursor; /* by segment */
	uint32_t *number; /* by document: its number in the new segment; SH_CORPUS_NONE: dropped */
	struct sh_passages_segment to;
	struct sh_folder_file file; /* of the part that is written */
};

static int damaged(const struct merging *m, const struct sh_passages_segment *e, const char *suffix,
    struct sh_error *err)
{
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, e->number, suffix);
	return sh_passages_damaged(m->store, name, err);
}

static int open_part(struct merging *m, const char *suffix, struct sh_error *err)
{
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, m->to.number, suffix);
	return sh_folder_create(&m->file, &m->store->folder, name, err);
}

/* ---- documents ---- */

/* Copies the documents that stay. number: of the segment's documents in the new segment. */
static int copy_lines(struct merging *m, const struct sh_passages_segment *e,
    const uint32_t *number, const struct sh_folder_map *map, struct sh_error *err)
{
	size_t at = 0;

	for (uint64_t d = 0; d < e->documents; d++) {
		const char *line = map->p + at;
		const char *end = at < map->n ? memchr(line, '\n', map->n - at) : NULL;
		size_t n;

		if (!end)
			return damaged(m, e, "tsv", err);
		n = (size_t)(end - line) + 1;
		at += n;
		if (number[d] == SH_CORPUS_NONE)
			continue;
		m->to.bytes += n;
		if (sh_folder_write(&m->file, line, n, err) < 0)
			return -1;
	}
	return at == map->n ? 0 : damaged(m, e, "tsv", err);
}

static int copy_documents(struct merging *m, size_t i, struct sh_error *err)
{
	const struct sh_passages_segment *e = &m->segment[i];
	struct sh_folder_map map = { 0 };
	char name[SH_PASSAGES_NAME];
	int status;

	sh_passages_part(name, e->number, "tsv");
	if (e->bytes && sh_folder_map(&map, &m->store->folder, name, e->bytes, err) < 0)
		return -1;
	status = copy_lines(m, e, m->cursor[i].number, &map, err);
	sh_folder_unmap(&map);
	return status;
}

static int merge_documents(struct merging *m, struct sh_error *err)
{
	if (open_part(m, "tsv", err) < 0)
		return -1;
	for (size_t i = 0; i < m->n; i++)
		if (copy_documents(m, i, err) < 0)
			return -1;
	return sh_folder_finish(&m->file, err);
}

/* ---- seeds ---- */

static int open_cursor(struct merging *m, size_t i, struct sh_error *err)
{
	const struct sh_passages_segment *e = &m->segment[i];
	struct cursor *c = &m->cursor[i];
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, e->number, "seed");
	if (e->seeds > SIZE_MAX / sizeof *c->seed)
		return damaged(m, e, "seed", err);
	c->n = (size_t)e->seeds;
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
		status = sh_merge_init(&heap, m->n, err);
	while (status == 0 && sh_merge_top(&heap, &top)) {
		const struct cursor *c = &m->cursor[top];
		struct sh_posting p = c->seed[c->at - 1];

		if (p.document >= m->segment[top].documents) {
			status = damaged(m, &m->segment[top], "seed", err);
			break;
		}
		p.document = c->number[p.document];
		if (p.document != SH_CORPUS_NONE) {
			status = sh_folder_write(&m->file, &p, sizeof p, err);
			m->to.seeds++;
		}
		if (status == 0)
			status = sh_merge_pop(&heap, err);
	}
	sh_merge_free(&heap);
	return status == 0 ? sh_folder_finish(&m->file, err) : -1;
}

/* ---- the new segment ---- */

/* Numbers the documents that stay. */
static int number_documents(struct merging *m, const bool *gone, struct sh_error *err)
{
	uint64_t documents = 0, d = 0;

	for (size_t i = 0; i < m->n; i++)
		documents += m->segment[i].documents;
	if (documents >= SH_CORPUS_NONE)
		return sh_error_set(
		    err, SH_ERR_RANGE, "'%s' has 2^32 documents", m->store->folder.path);
	m->number = calloc((size_t)documents + 1, sizeof *m->number);
	if (!m->number)
		return sh_error_nomem(err);
	for (size_t i = 0; i < m->n; i++) {
		m->cursor[i].number = m->number + d;
		for (uint64_t end = d + m->segment[i].documents; d < end; d++)
			m->number[d] =
			    gone && gone[d] ? SH_CORPUS_NONE : (uint32_t)m->to.documents++;
	}
	return 0;
}

static int write_segment(struct merging *m, struct sh_error *err)
{
	/* Otherwise damage would get a checksum of its own. */
	for (size_t i = 0; i < m->n; i++)
		if (sh_passages_verify(m->store, &m->segment[i], err) < 0 ||
		    open_cursor(m, i, err) < 0)
			return -1;
	if (merge_documents(m, err) < 0 || merge_seeds(m, err) < 0)
		return -1;
	return sh_passages_sum(m->store, &m->to, err);
}

/* Removes the files of a segment that could not be written: a full disk is the most frequent
 * cause. */
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

/* Merges n segments from `from` on into a new one. gone: by document of these segments, whether it
 * is dropped; NULL: drops none. */
static int merge(const struct sh_passages *s, size_t from, size_t n, const bool *gone,
    struct sh_passages_segment *to, struct sh_error *err)
{
	struct merging m = { .store = s,
		.segment = &s->segment[from],
		.n = n,
		.cursor = calloc(n, sizeof *m.cursor) };
	int status = m.cursor ? 0 : sh_error_nomem(err);

	if (status == 0)
		status = number_documents(&m, gone, err);
	if (status == 0)
		status = sh_passages_number(s, &m.to.number, err);
	if (status == 0) {
		status = write_segment(&m, err);
		if (status < 0)
			remove_segment(&m);
	}
	for (size_t i = 0; m.cursor && i < n; i++)
		sh_folder_unmap(&m.cursor[i].map);
	free(m.cursor);
	free(m.number);
	if (status == 0)
		*to = m.to;
	return status;
}

/* The manifest names the new segments before the files of the old segments are removed. */
static int publish(struct sh_passages *s, struct sh_error *err)
{
	s->added = true;
	return sh_passages_commit(s, err) < 0 ? -1 : sh_passages_clean(s, err);
}

int sh_passages_compact(struct sh_passages *s, struct sh_error *err)
{
	struct sh_passages_segment all;

	if (s->n < 2)
		return 0;
	if (merge(s, 0, s->n, NULL, &all, err) < 0)
		return -1;
	s->segment[0] = all;
	s->n = 1;
	return publish(s, err);
}

/* ---- expiry ---- */

/* Drops the runs before this time, and marks their documents in `gone`. */
static void drop_runs(struct sh_passages *s, uint64_t before, bool *gone)
{
	uint64_t d = sh_passages_undated(s);
	size_t n = 0;

	for (size_t i = 0; i < s->n_runs; i++) {
		struct sh_passages_run r = s->run[i];

		if (r.time >= before)
			s->run[n++] = r;
		for (uint64_t end = d + r.documents; d < end; d++)
			gone[d] = r.time < before;
	}
	s->n_runs = n;
}

/* Rewrites the segments that lose some documents, and drops segments that lose all. */
static int rewrite(struct sh_passages *s, const bool *gone, struct sh_error *err)
{
	uint64_t first = 0, documents, left;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++, first += documents) {
		struct sh_passages_segment *e = &s->segment[i];

		documents = left = e->documents;
		for (uint64_t d = first; d < first + documents; d++)
			left -= gone[d];
		if (left && left < documents && merge(s, i, 1, gone + first, e, err) < 0)
			return -1;
		e->documents = left;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->segment[i].documents)
			s->segment[n++] = s->segment[i];
	s->n = n;
	return 0;
}

int sh_passages_expire(struct sh_passages *s, uint64_t before, bool dry, uint64_t *documents,
    uint64_t *undated, struct sh_error *err)
{
	bool *gone;
	int status;

	*documents = 0;
	*undated = sh_passages_undated(s);
	for (size_t i = 0; i < s->n_runs; i++)
		if (s->run[i].time < before)
			*documents += s->run[i].documents;
	if (dry || !*documents)
		return 0;
	gone = calloc((size_t)sh_passages_count(s), sizeof *gone);
	if (!gone)
		return sh_error_nomem(err);
	drop_runs(s, before, gone);
	status = rewrite(s, gone, err);
	free(gone);
	return status < 0 ? -1 : publish(s, err);
}
