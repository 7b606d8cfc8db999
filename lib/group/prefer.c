#include "group/prefer.h"

#include <stdlib.h>

#include "base/compare.h"
#include "io/lines.h"
#include "record/escape.h"
#include "stream/docs.h"
#include "unicode/utf8.h"

void sh_prefer_parse(const char *text, struct sh_prefer *prefer)
{
	static const char *const names[] = { "first", "longest", "newest" };

	*prefer = (struct sh_prefer){ .which = SH_PREFER_RANKED, .path = text };
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0)
			*prefer = (struct sh_prefer){ .which = (enum sh_prefer_which)i };
}

#define UNKNOWN UINT64_MAX

/* The properties by which an id is ranked. */
struct standing {
	uint64_t place;  /* line in the input, from 0; UNKNOWN: the input lacks the id */
	uint64_t length; /* of the document's text, in bytes */
};

struct ranking {
	const struct sh_prefer *prefer;
	const struct sh_hmap *ids;
	struct standing *standing; /* by index of id; NULL when no file is read */
};

static void note(struct ranking *r, struct sh_slice id, uint64_t place, uint64_t length)
{
	uint32_t i;

	if (sh_hmap_find(r->ids, id, &i) && r->standing[i].place == UNKNOWN)
		r->standing[i] = (struct standing){ place, length };
}

static int note_line(struct ranking *r, const struct sh_document_form *form, struct sh_slice line,
    struct sh_document_room *room, uint64_t place, struct sh_error *err)
{
	struct sh_document doc;

	if (r->prefer->which == SH_PREFER_RANKED) {
		note(r, sh_record_listed(line), place, 0);
		return 0;
	}
	if (sh_document_parse(form, line, place + 1, room, &doc, err) < 0)
		return -1;
	note(r, doc.id, place,
	    form->json || form->line_ids || form->csv ? doc.text.n : sh_unescaped_length(doc.text));
	return 0;
}

/* Refuses input that is not UTF-8, as all readers of documents do. */
static int check_head(const struct sh_lines *lines, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice rest = sh_lines_rest(lines);
	struct sh_slice head = sh_slice(line.p, (size_t)(rest.p + rest.n - line.p));

	if (sh_docs_head(&head, err) == 0)
		return 0;
	err->file = lines->from.file;
	return -1;
}

static int read_lines(struct ranking *r, struct sh_lines *lines,
    const struct sh_document_form *form, struct sh_document_room *room, struct sh_error *err)
{
	const struct sh_prefer *prefer = r->prefer;
	struct sh_slice line, record;
	uint64_t place = 0;
	int got;

	while ((got = sh_lines_next(lines, &line, err)) > 0) {
		if (lines->starts_file && sh_docs_header(form, &lines->source.header, err) < 0)
			return -1;
		/* Readers of documents drop a byte order mark. */
		record = lines->starts_file ? sh_utf8_skip_bom(line) : line;
		if (lines->starts_file && prefer->which != SH_PREFER_RANKED &&
		    check_head(lines, line, err) < 0)
			return -1;
		if (note_line(r, form, record, room, place++, err) == 0)
			continue;
		sh_lines_blame(lines, err);
		if (err->code != SH_ERR_RECORD || !prefer->bad ||
		    prefer->bad(prefer->arg, line, err) < 0)
			return -1;
	}
	return got;
}

static int read_files(struct ranking *r, const char *const *names, size_t n,
    const struct sh_document_form *form, struct sh_error *err)
{
	struct sh_lines lines;
	struct sh_document_room room = { 0 };
	int status;

	r->standing = malloc(r->ids->n * sizeof *r->standing + 1);
	if (!r->standing)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < r->ids->n; i++)
		r->standing[i] = (struct standing){ UNKNOWN, 0 };
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n);
	lines.source.trailer = r->prefer->trailer && r->prefer->which != SH_PREFER_RANKED;
	lines.source.crlf = form->crlf;
	lines.source.header.wanted = form->columns && r->prefer->which != SH_PREFER_RANKED;
	lines.source.header.csv = form->csv && r->prefer->which != SH_PREFER_RANKED;
	status = read_lines(r, &lines, form, &room, err);
	sh_lines_free(&lines);
	sh_document_room_free(&room);
	return status;
}

static int by_bytes(const struct ranking *r, uint32_t x, uint32_t y)
{
	return sh_slice_cmp(sh_hmap_key(r->ids, x), sh_hmap_key(r->ids, y));
}

static int best_first(const void *a, const void *b, void *arg)
{
	const struct ranking *r = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	bool newest = r->prefer->which == SH_PREFER_NEWEST;
	const struct standing *s, *t;

	if (!r->standing)
		return newest ? by_bytes(r, y, x) : by_bytes(r, x, y);
	s = &r->standing[x];
	t = &r->standing[y];
	if (s->place == UNKNOWN && t->place == UNKNOWN)
		return by_bytes(r, x, y);
	if (s->place == UNKNOWN || t->place == UNKNOWN)
		return s->place == UNKNOWN ? 1 : -1;
	if (r->prefer->which == SH_PREFER_LONGEST && s->length != t->length)
		return s->length > t->length ? -1 : 1;
	return newest ? sh_compare(t->place, s->place) : sh_compare(s->place, t->place);
}

static uint32_t *rank(struct ranking *r, struct sh_error *err)
{
	uint32_t n = r->ids->n;
	uint32_t *order = malloc(n * sizeof *order + 1), *ranks = malloc(n * sizeof *ranks + 1);

	if (order && ranks) {
		for (uint32_t i = 0; i < n; i++)
			order[i] = i;
		qsort_r(order, n, sizeof *order, best_first, r);
		for (uint32_t i = 0; i < n; i++)
			ranks[order[i]] = i;
	} else {
		sh_error_nomem(err);
		free(ranks);
		ranks = NULL;
	}
	free(order);
	return ranks;
}

uint32_t *sh_prefer_ranks(const struct sh_prefer *prefer, const struct sh_hmap *ids,
    const char *const *docs, size_t n_docs, const struct sh_document_form *form, uint64_t *unknown,
    struct sh_error *err)
{
	struct ranking r = { prefer, ids, NULL };
	uint32_t *ranks = NULL;

	if (prefer->which == SH_PREFER_RANKED) {
		docs = &prefer->path;
		n_docs = 1;
	}
	*unknown = 0;
	if (n_docs == 0 || read_files(&r, docs, n_docs, form, err) == 0)
		ranks = rank(&r, err);
	for (uint32_t i = 0; r.standing && i < ids->n; i++)
		*unknown += r.standing[i].place == UNKNOWN;
	free(r.standing);
	return ranks;
}
