#include "archive/maintain.h"

#include <stdlib.h>

#include "archive/change.h"
#include "base/bits.h"

/* ---- all records of documents ---- */

typedef int each_doc(
    void *arg, size_t segment, const struct sh_doc_record *r, struct sh_error *err);

static int walk_segment(
    struct sh_archive *a, size_t i, each_doc *each, void *arg, struct sh_error *err)
{
	struct sh_checked *c = &a->segment[i].part[SH_PART_DOC];
	struct sh_slice line;
	struct sh_doc_record r;

	sh_folder_expect(&c->map, true);
	for (size_t at = 0; at < c->map.n; at += line.n + 1)
		if (sh_checked_line(c, at, &line, err) < 0 || sh_doc_parse(line, &r, err) < 0 ||
		    each(arg, i, &r, err) < 0)
			return -1;
	return 0;
}

static int walk(struct sh_archive *a, each_doc *each, void *arg, struct sh_error *err)
{
	for (size_t i = 0; i < a->n_segments; i++)
		if (walk_segment(a, i, each, arg, err) < 0)
			return -1;
	return 0;
}

static uint64_t *new_set(const struct sh_archive *a, struct sh_error *err)
{
	uint64_t *set = calloc(sh_bits_words(a->manifest.next_number), sizeof *set);

	if (!set)
		sh_error_nomem(err);
	return set;
}

/* ---- compacting ---- */

int sh_archive_compact(struct sh_archive *a, struct sh_error *err)
{
	struct sh_change c = { 0 };
	struct sh_segment_entry all;
	int status;

	if (a->n_segments < 2)
		return 0;
	status = sh_change_begin(&c, a, err);
	if (status == 0)
		status = sh_change_merge(&c, 0, a->n_segments, NULL, &all, err);
	if (status == 0) {
		c.next.segment[0] = all;
		c.next.n_segments = 1;
		status = sh_change_commit(&c, err);
	}
	sh_change_end(&c);
	return status;
}

/* ---- removing ---- */

struct removing {
	struct sh_archive *archive;
	struct sh_removal *what;
	uint64_t *set;
	bool *touched; /* by segment */
};

static void mark_removed(struct removing *g, size_t segment, const struct sh_doc_record *r)
{
	sh_bits_put(g->set, r->number);
	g->touched[segment] = true;
	g->what->documents++;
	g->what->kept += r->keeper == r->number;
}

static int bad_record(const struct sh_doc_record *r, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD, "record %08x of the archive is bad", r->number);
}

static int find_unwanted(
    void *arg, size_t segment, const struct sh_doc_record *r, struct sh_error *err)
{
	struct removing *g = arg;
	bool unwanted = r->time < g->what->before;
	uint32_t i;

	if (r->number >= g->archive->manifest.next_number)
		return bad_record(r, err);
	if (g->what->ids && sh_hmap_find(g->what->ids, r->id, &i)) {
		g->what->met(g->what->arg, i);
		unwanted = true;
	}
	if (unwanted)
		mark_removed(g, segment, r);
	return 0;
}

static int find_orphans(
    void *arg, size_t segment, const struct sh_doc_record *r, struct sh_error *err)
{
	struct removing *g = arg;

	if (r->keeper >= g->archive->manifest.next_number)
		return bad_record(r, err);
	if (!sh_bits_has(g->set, r->number) && sh_bits_has(g->set, r->keeper))
		mark_removed(g, segment, r);
	return 0;
}

static int rewrite(struct removing *g, struct sh_error *err)
{
	struct sh_change c;
	struct sh_manifest *m = &c.next;
	size_t kept = 0;
	int status = sh_change_begin(&c, g->archive, err);

	for (size_t i = 0; status == 0 && i < m->n_segments; i++) {
		struct sh_segment_entry e = m->segment[i];

		if (g->touched[i])
			status = sh_change_merge(&c, i, i + 1, g->set, &e, err);
		if (status == 0 && e.first <= e.last)
			m->segment[kept++] = e;
	}
	if (status == 0) {
		m->n_segments = kept;
		m->documents -= g->what->documents;
		m->kept -= g->what->kept;
		status = sh_change_commit(&c, err);
	}
	sh_change_end(&c);
	return status;
}

int sh_archive_remove(struct sh_archive *a, struct sh_removal *r, struct sh_error *err)
{
	struct removing g = { .archive = a, .what = r, .set = new_set(a, err) };
	int status = g.set ? 0 : -1;

	r->documents = r->kept = 0;
	g.touched = calloc(a->n_segments + 1, sizeof *g.touched);
	if (status == 0 && !g.touched)
		status = sh_error_nomem(err);
	if (status == 0)
		status = walk(a, find_unwanted, &g, err);
	if (status == 0)
		status = walk(a, find_orphans, &g, err);
	if (status == 0 && r->documents && !r->dry)
		status = rewrite(&g, err);
	free(g.set);
	free(g.touched);
	return status;
}

/* ---- figures ---- */

static int look_at_time(
    void *arg, size_t segment, const struct sh_doc_record *r, struct sh_error *err)
{
	struct sh_archive_stats *s = arg;

	(void)segment;
	(void)err;
	if (s->documents++ == 0 || r->time < s->oldest)
		s->oldest = r->time;
	if (r->time > s->newest)
		s->newest = r->time;
	return 0;
}

int sh_archive_stats(struct sh_archive *a, struct sh_archive_stats *s, struct sh_error *err)
{
	*s = (struct sh_archive_stats){ 0 };
	for (size_t i = 0; i < a->n_segments; i++) {
		const struct sh_segment_entry *e = &a->segment[i].entry;

		for (enum sh_part p = 0; p < SH_PARTS; p++)
			s->bytes[p] += e->part[p].bytes;
		s->keys += e->part[SH_PART_KEY].records;
	}
	return walk(a, look_at_time, s, err);
}

/* ---- texts ---- */

struct exporting {
	struct sh_archive *archive;
	sh_archive_document *each;
	void *arg;
	uint64_t *without;
};

static int export_document(
    void *arg, size_t segment, const struct sh_doc_record *r, struct sh_error *err)
{
	struct exporting *e = arg;
	struct sh_slice line;
	int got;

	if (r->keeper != r->number)
		return 0;
	got = sh_segment_find(&e->archive->segment[segment], SH_PART_STORE, r->number, &line, err);
	if (got < 0)
		return -1;
	if (got == 0) {
		++*e->without;
		return 0;
	}
	return e->each(e->arg, r->id, sh_line_rest(line), err);
}

int sh_archive_export(struct sh_archive *a, sh_archive_document *each, void *arg, uint64_t *without,
    struct sh_error *err)
{
	struct exporting e = { a, each, arg, without };

	*without = 0;
	if (a->manifest.store != SH_ARCHIVE_DOCUMENTS)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the archive keeps no texts: export needs an archive of 'sharchive init "
		    "--store=documents'");
	return walk(a, export_document, &e, err);
}
