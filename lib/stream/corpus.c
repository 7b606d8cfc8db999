#include "stream/corpus.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/siphash.h"
#include "io/csv.h"

enum { FIRST_SLOT_BITS = 10 };

int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err)
{
	*c = (struct sh_corpus){ .form = *form };
	return sh_random_key(c->key, err);
}

void sh_corpus_free(struct sh_corpus *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		sh_mapped_close(&c->file[i].map);
	free(c->file);
	sh_tables_put(c->tables, c->at);
	sh_tables_put(c->tables, c->number);
	sh_tables_put(c->tables, c->hash);
	sh_tables_put(c->tables, c->slots);
	*c = (struct sh_corpus){ 0 };
}

int sh_corpus_open(struct sh_corpus *c, const char *name, const char *dir, struct sh_error *err)
{
	struct sh_corpus_file *f;

	if (c->n_files == c->files_cap &&
	    sh_grow((void **)&c->file, &c->files_cap, c->n_files + 1, sizeof *c->file, err) < 0)
		return -1;
	f = &c->file[c->n_files];
	*f = (struct sh_corpus_file){ .base = 0 };
	if (c->n_files)
		f->base = f[-1].base + f[-1].map.n;
	if (sh_mapped_open(&f->map, name, dir, err) < 0)
		return -1;
	if (!c->keeps_open)
		sh_mapped_close_descriptor(&f->map);
	c->n_files++;
	return 0;
}

int sh_corpus_add(struct sh_corpus *c, uint64_t place, uint64_t number, struct sh_error *err)
{
	if (c->n >= SH_CORPUS_NONE - 1)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u documents", (unsigned)(SH_CORPUS_NONE - 1));
	if (c->n == c->at_cap && sh_tables_grow(c->tables, (void **)&c->at, &c->at_cap, c->n + 1,
				     sizeof *c->at, err) < 0)
		return -1;
	if (c->form.line_ids) {
		if (c->n == c->number_cap &&
		    sh_tables_grow(c->tables, (void **)&c->number, &c->number_cap, c->n + 1,
			sizeof *c->number, err) < 0)
			return -1;
		c->number[c->n] = number;
	}
	c->at[c->n++] = place;
	return 0;
}

/* ---- documents ---- */

/* Returns the last file that begins at or before the offset. */
static const struct sh_corpus_file *file_of(const struct sh_corpus *c, uint64_t at)
{
	size_t lo = 0, hi = c->n_files;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->file[mid].base <= at)
			lo = mid;
		else
			hi = mid;
	}
	return &c->file[lo];
}

struct sh_slice sh_corpus_line(const struct sh_corpus *c, uint32_t document)
{
	const struct sh_corpus_file *f = file_of(c, c->at[document]);
	size_t offset = (size_t)(c->at[document] - f->base);
	const char *p = f->map.p + offset, *lf;

	if (c->form.columns)
		return sh_slice(p, sh_csv_record(p, f->map.n - offset));
	lf = memchr(p, '\n', f->map.n - offset);
	return sh_slice(p, lf ? (size_t)(lf - p) : f->map.n - offset);
}

int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err)
{
	struct sh_slice line = sh_corpus_line(c, document);
	uint64_t number = c->form.line_ids ? c->number[document] : 0;

	return sh_document_parse(&c->form, line, number, room, doc, err);
}

/* ---- ids ---- */

static size_t slot_of(const struct sh_corpus *c, uint64_t hash)
{
	return (size_t)(hash >> (64 - c->slot_bits));
}

static size_t next_slot(const struct sh_corpus *c, size_t slot)
{
	return (slot + 1) & (((size_t)1 << c->slot_bits) - 1);
}

static void fill_slot(struct sh_corpus *c, uint32_t document)
{
	size_t slot = slot_of(c, c->hash[document]);

	while (c->slots[slot])
		slot = next_slot(c, slot);
	c->slots[slot] = document + 1;
}

static int grow_slots(struct sh_corpus *c, struct sh_error *err)
{
	unsigned bits = c->slots ? c->slot_bits + 1 : FIRST_SLOT_BITS;
	uint32_t *slots = sh_tables_get_zeroed(c->tables, (size_t)1 << bits, sizeof *slots, err);

	if (!slots)
		return -1;
	sh_tables_put(c->tables, c->slots);
	c->slots = slots;
	c->slot_bits = bits;
	for (size_t i = 0; i < c->n; i++)
		fill_slot(c, (uint32_t)i);
	return 0;
}

static uint32_t find_line_number(const struct sh_corpus *c, struct sh_slice id)
{
	size_t lo = 0, hi = c->n;
	uint64_t number;

	if (sh_parse_u64(id, &number) < 0 || id.p[0] == '0')
		return SH_CORPUS_NONE;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->number[mid] < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n && c->number[lo] == number ? (uint32_t)lo : SH_CORPUS_NONE;
}

/* Returns the first document after `from` with this hash. */
static uint32_t find_hash(const struct sh_corpus *c, uint64_t hash, uint32_t from)
{
	uint32_t best = SH_CORPUS_NONE;

	if (!c->slots)
		return best;
	for (size_t s = slot_of(c, hash); c->slots[s]; s = next_slot(c, s)) {
		uint32_t i = c->slots[s] - 1;

		if (c->hash[i] == hash && (from == SH_CORPUS_NONE || i > from) && i < best)
			best = i;
	}
	return best;
}

uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from)
{
	if (c->form.line_ids)
		return from == SH_CORPUS_NONE ? find_line_number(c, id) : SH_CORPUS_NONE;
	return find_hash(c, sh_siphash(c->key, id.p, id.n), from);
}

static int is_known(struct sh_corpus *c, uint64_t hash, struct sh_slice id,
    struct sh_document_room *room, bool *known, struct sh_error *err)
{
	struct sh_document doc;
	uint32_t i = SH_CORPUS_NONE;

	*known = false;
	while (!*known && (i = find_hash(c, hash, i)) != SH_CORPUS_NONE) {
		if (sh_corpus_document(c, i, room, &doc, err) < 0)
			return -1;
		*known = sh_slice_eq(doc.id, id);
	}
	return 0;
}

static int add_named(struct sh_corpus *c, struct sh_slice id, uint64_t place,
    struct sh_document_room *room, struct sh_error *err)
{
	uint64_t hash = sh_siphash(c->key, id.p, id.n);
	bool known;

	if (is_known(c, hash, id, room, &known, err) < 0)
		return -1;
	if (known) {
		c->repeated++;
		return 0;
	}
	if (c->n == c->hash_cap && sh_tables_grow(c->tables, (void **)&c->hash, &c->hash_cap,
				       c->n + 1, sizeof *c->hash, err) < 0)
		return -1;
	if ((!c->slots || 2 * c->n >= (size_t)1 << c->slot_bits) && grow_slots(c, err) < 0)
		return -1;
	c->hash[c->n] = hash;
	if (sh_corpus_add(c, place, 0, err) < 0)
		return -1;
	fill_slot(c, (uint32_t)c->n - 1);
	return 0;
}

/* ---- reading through ---- */

struct scan {
	struct sh_corpus *corpus;
	struct sh_trailer_check check;
	struct sh_document_room room, other;
};

static int scan_line(
    struct scan *s, struct sh_slice line, uint64_t place, uint64_t number, struct sh_error *err)
{
	struct sh_corpus *c = s->corpus;
	struct sh_document doc;

	if (sh_document_parse(&c->form, line, number, &s->room, &doc, err) < 0)
		return -1;
	if (c->form.line_ids)
		return sh_corpus_add(c, place, number, err);
	return add_named(c, doc.id, place, &s->other, err);
}

/* Returns 1 for a valid trailer and -1 for an invalid one. Adds any other line to the checksum and
 * returns 0. */
static int scan_trailer(struct scan *s, struct sh_slice line, struct sh_error *err)
{
	bool crlf = s->corpus->form.crlf;

	if (!s->corpus->trailer)
		return sh_trailer_refuse(line, err);
	if (!sh_is_trailer(line.p, line.n)) {
		sh_sum_line(&s->check.found, line, crlf);
		return 0;
	}
	if (crlf)
		line = sh_without_cr(line);
	return sh_trailer_add(&s->check, line, err) < 0 ? -1 : 1;
}

int sh_corpus_scan(
    struct sh_corpus *c, uint64_t *lines, sh_corpus_bad *bad, void *arg, struct sh_error *err)
{
	const struct sh_mapped *m = &c->file[c->n_files - 1].map;
	struct sh_slice all = sh_slice(m->p, m->n);
	struct scan s = { .corpus = c };
	uint64_t in_file = 0, base = c->file[c->n_files - 1].base;
	int status = sh_docs_head(&all, err);

	if (status < 0)
		err->file = m->name;
	for (const char *p = all.p, *end = all.p + all.n, *lf; status == 0 && p < end; p = lf + 1) {
		struct sh_slice line, whole;
		int trailer;

		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf)
			lf = end;
		line = sh_slice(p, (size_t)(lf - p));
		whole = in_file++ ? line : sh_slice(m->p, (size_t)(lf - m->p));
		trailer = scan_trailer(&s, whole, err);
		if (trailer > 0)
			continue;
		status = trailer < 0
			     ? -1
			     : scan_line(&s, line, base + (uint64_t)(p - m->p), ++*lines, err);
		if (status < 0) {
			err->file = m->name;
			err->line = in_file;
			if (err->code == SH_ERR_RECORD)
				status = bad(arg, line, err);
		}
	}
	if (status == 0 && c->trailer && sh_trailer_verify(&s.check, err) < 0) {
		err->file = m->name;
		status = -1;
	}
	sh_document_room_free(&s.room);
	sh_document_room_free(&s.other);
	return status;
}
