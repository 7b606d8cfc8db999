/* SPDX-License-Identifier: MIT */
#include "stream/corpus.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "io/newlines.h"

enum {
	WINDOW = 1 << 20,    /* bytes of the file that are read at once, for documents to be held */
	GAP = 1 << 13,       /* bytes between two documents that cost as much as a system call */
	READ_MOST = 1 << 14, /* bytes of a line that is read, not mapped */
	MEMORY = 1 << 26,    /* for pieces, without tables */
	FORGET = 1 << 26,    /* bytes that a pass maps at a time */
	MAPPED = 1000,       /* files, at most: small files behind these are read into pieces */
	OTHER_FILES = 64,    /* descriptors for other purposes */
	SMALL = 1 << 20,     /* bytes of a file that is larger than these small files */
	FETCHED = 1 << 11,   /* bytes of a line that the processor fetches ahead, at most */
};

int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err)
{
	*c = (struct sh_corpus){ .form = *form, .held = calloc(1, sizeof *c->held) };
	if (!c->held)
		return sh_error_nomem(err);
	return sh_random_key(c->key, err);
}

static void free_held(struct sh_held *h)
{
	if (!h)
		return;
	free(h->document);
	free(h->at);
	sh_buf_free(&h->text);
	sh_buf_free(&h->window);
	sh_document_room_free(&h->room);
	free(h);
}

void sh_corpus_free(struct sh_corpus *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		sh_mapped_close(&c->file[i].map);
	free(c->file);
	sh_pieces_free(&c->pieces);
	free_held(c->held);
	sh_header_free(&c->header);
	sh_tables_put(c->tables, c->at);
	sh_tables_put(c->tables, c->number);
	sh_tables_put(c->tables, c->hash);
	sh_tables_put(c->tables, c->slots);
	*c = (struct sh_corpus){ 0 };
}

/* Returns how many files may be mapped while their descriptors are open. */
static size_t may_map(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= MAPPED + OTHER_FILES)
		return MAPPED;
	return limit.rlim_cur > 2 * OTHER_FILES ? limit.rlim_cur - OTHER_FILES : limit.rlim_cur / 2;
}

/* Maps a file. Keeps the descriptor of a pipe, which cannot be opened again. A system limits the
 * descriptors and the mappings of a process, so of many files the small ones are not mapped. */
static int map_file(struct sh_corpus *c, const char *name, struct sh_error *err)
{
	struct sh_corpus_file *f = &c->file[c->n_files];
	int mapped;

	*f = (struct sh_corpus_file){ .name = name };
	f->form = c->fields;
	mapped = sh_mapped_open(&f->map, name, err);
	if (mapped < 0)
		return -1;
	if (mapped && c->n_files >= may_map() && f->map.n < SMALL) {
		sh_mapped_close(&f->map);
		f->map = (struct sh_mapped){ .name = name, .regular = true, .fd = -1 };
		mapped = 0;
	}
	c->n_files++;
	f->n = f->map.n;
	f->codec = f->map.codec;
	if (mapped ? !c->keeps_open : f->map.regular)
		sh_mapped_close_descriptor(&f->map);
	return 0;
}

/* Reads the texts of the files file[0] .. file[in->n - 1] into pieces. */
static int read_texts(struct sh_corpus *c, const struct sh_pieces_inputs *in, const size_t *file,
    struct sh_pieces_text *text, struct sh_error *err)
{
	size_t held = c->pieces.held.n;
	uint64_t at = c->pieces.n;

	if (sh_pieces_add(&c->pieces, in, text, err) < 0)
		return -1;
	if (c->tables)
		sh_tables_charge(c->tables, c->pieces.held.n - held);
	for (size_t i = 0; i < in->n; i++) {
		struct sh_corpus_file *f = &c->file[file[i]];

		f->in_pieces = at;
		f->n = text[i].n;
		if (!f->codec)
			f->codec = text[i].codec;
		sh_mapped_close(&f->map);
		at += f->n;
	}
	return 0;
}

static int read_pipe(struct sh_corpus *c, size_t file, struct sh_error *err)
{
	const struct sh_corpus_file *f = &c->file[file];
	char *name = (char *)(uintptr_t)f->name;
	struct sh_pieces_inputs in = { &name, 1, &f->map.fd, c->form.csv, c->jobs };
	struct sh_pieces_text text;

	return read_texts(c, &in, &file, &text, err);
}

/* Reads the files that are neither mapped nor pipes, from file number `from` on. Threads read
 * several of them at the same time. */
static int read_unmapped(struct sh_corpus *c, size_t from, struct sh_error *err)
{
	size_t most = c->n_files - from, *file = calloc(most, sizeof *file);
	struct sh_pieces_text *text = calloc(most, sizeof *text);
	char **names = calloc(most, sizeof *names);
	struct sh_pieces_inputs in = { names, 0, NULL, c->form.csv, c->jobs };
	int status = file && text && names ? 0 : sh_error_nomem(err);

	for (size_t i = from; status == 0 && i < c->n_files; i++) {
		const struct sh_corpus_file *f = &c->file[i];

		if (f->map.base || !f->map.regular)
			continue;
		file[in.n] = i;
		names[in.n++] = (char *)(uintptr_t)f->name;
	}
	if (status == 0 && in.n)
		status = read_texts(c, &in, file, text, err);
	free(file);
	free(text);
	free(names);
	return status;
}

int sh_corpus_open(
    struct sh_corpus *c, char *const *names, size_t n, const char *dir, struct sh_error *err)
{
	size_t from = c->n_files;

	if (c->pieces.n == 0) {
		c->pieces.memory = c->tables ? c->tables->memory / 2 : MEMORY;
		c->pieces.dir = dir;
	}
	if (SH_RESERVE(c->file, c->files_cap, from + n, err) < 0)
		return -1;
	for (size_t i = from; i < from + n; i++) {
		if (map_file(c, names[i - from], err) < 0)
			return -1;
		/* The writer of the next pipe may wait for the end of this one. */
		if (!c->file[i].map.base && !c->file[i].map.regular && read_pipe(c, i, err) < 0)
			return -1;
	}
	if (read_unmapped(c, from, err) < 0)
		return -1;
	for (size_t i = from ? from : 1; i < c->n_files; i++)
		c->file[i].base = c->file[i - 1].base + c->file[i - 1].n;
	return 0;
}

/* Appends n numbers to a column of documents. Does nothing when `from` is NULL. */
static int append(struct sh_corpus *c, uint64_t **column, size_t *cap, const uint64_t *from,
    size_t n, struct sh_error *err)
{
	if (!from || n == 0)
		return 0;
	if (c->n + n > *cap &&
	    sh_tables_grow(c->tables, (void **)column, cap, c->n + n, sizeof **column, err) < 0)
		return -1;
	memcpy(*column + c->n, from, n * sizeof *from);
	return 0;
}

int sh_corpus_add(
    struct sh_corpus *c, const struct sh_corpus_columns *new, size_t n, struct sh_error *err)
{
	if (n > SH_CORPUS_NONE - 1 - c->n)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u documents", (unsigned)(SH_CORPUS_NONE - 1));
	if (append(c, &c->at, &c->at_cap, new->offset, n, err) < 0 ||
	    append(c, &c->number, &c->number_cap, new->number, n, err) < 0 ||
	    append(c, &c->hash, &c->hash_cap, new->hash, n, err) < 0)
		return -1;
	c->n += n;
	return 0;
}

/* ---- documents ---- */

/* Returns the last file that begins at or before the offset. */
static const struct sh_corpus_file *file_of(const struct sh_corpus *c, uint64_t at)
{
	size_t lo = 1, hi = c->n_files;

	SH_BISECT(lo, hi, mid, c->file[mid].base <= at);
	return &c->file[lo - 1];
}

int sh_corpus_bytes(const struct sh_corpus *c, const struct sh_corpus_file *f, uint64_t at,
    struct sh_document_room *room, struct sh_slice *bytes, struct sh_error *err)
{
	if (at >= f->n)
		*bytes = sh_slice("", 0);
	else if (f->map.base)
		*bytes = sh_slice(f->map.p + at, (size_t)(f->n - at));
	else if (sh_pieces_at(&c->pieces, f->in_pieces + at, &room->piece, bytes, err) < 0)
		return -1;
	/* The next file may follow in memory. */
	if (bytes->n > f->n - at)
		bytes->n = (size_t)(f->n - at);
	return 0;
}

bool sh_corpus_is_packed(const struct sh_corpus *c)
{
	return c->pieces.n_pieces > 0;
}

int sh_corpus_line(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_slice *line, struct sh_error *err)
{
	const struct sh_corpus_file *f = file_of(c, c->at[document]);

	if (sh_corpus_bytes(c, f, c->at[document] - f->base, room, line, err) < 0)
		return -1;
	*line = sh_record_front(*line, c->form.csv);
	return 0;
}

int sh_corpus_blame(const struct sh_corpus *c, uint32_t document, struct sh_error *err)
{
	const struct sh_corpus_file *f = file_of(c, c->at[document]);
	struct sh_document_room room = { 0 };
	uint64_t end = c->at[document] - f->base, at = 0, line = 1;
	struct sh_slice bytes = { 0 };
	struct sh_error ignored;

	for (; at < end; at += bytes.n) {
		if (sh_corpus_bytes(c, f, at, &room, &bytes, &ignored) < 0)
			break;
		if (bytes.n > end - at)
			bytes.n = (size_t)(end - at);
		line += sh_count_newlines(bytes.p, bytes.n);
	}
	sh_document_room_free(&room);
	err->file = f->name;
	err->line = line;
	return -1;
}

void sh_corpus_passed(struct sh_corpus *c, uint64_t at)
{
	if (!c->reads || (at >= c->forgot && at - c->forgot <= FORGET))
		return;
	for (size_t i = 0; i < c->n_files; i++)
		sh_mapped_forget(&c->file[i].map);
	c->forgot = at;
}

/* Sets *from to the offset of a document in its file, and *n to the bytes up to the next document.
 * Returns the file, or NULL when *n is above READ_MOST, or when a piece in memory has the
 * document. */
static const struct sh_corpus_file *place_of(
    const struct sh_corpus *c, uint32_t document, uint64_t *from, size_t *n)
{
	const struct sh_corpus_file *f = file_of(c, c->at[document]);
	uint64_t end = document + 1 < c->n ? c->at[document + 1] - f->base : f->n;

	*from = c->at[document] - f->base;
	*n = (size_t)(end - *from);
	if (!f->map.base && sh_pieces_held(&c->pieces, f->in_pieces + *from))
		return NULL;
	return end <= f->n && end - *from <= READ_MOST ? f : NULL;
}

/* Reads the line of a document of a mapped file into room. Returns 1, -1, or 0 when the line is not
 * to be read or too long. */
static int read_line(const struct sh_corpus *c, uint32_t document, struct sh_buf *room,
    struct sh_slice *line, struct sh_error *err)
{
	const struct sh_corpus_file *f;
	uint64_t from;
	size_t n;

	if (!c->reads || !(f = place_of(c, document, &from, &n)) || !f->map.base)
		return 0;
	room->n = 0;
	if (sh_buf_reserve(room, n + SH_PAD, err) < 0 ||
	    sh_mapped_read(&f->map, from, room->p, n, err) < 0)
		return -1;
	memset(room->p + n, 0, SH_PAD);
	*line = sh_record_front(sh_slice(room->p, n), c->form.csv);
	return 1;
}

/* ---- held documents ---- */

static int by_number(const void *a, const void *b)
{
	return sh_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

size_t sh_corpus_hold_bytes(const struct sh_corpus *c, uint32_t document)
{
	uint64_t from;
	size_t n;

	return place_of(c, document, &from, &n) ? n + sizeof(size_t) + sizeof document : 0;
}

/* Appends a line to the held lines. */
static int hold_line(
    struct sh_held *h, uint32_t document, struct sh_slice line, struct sh_error *err)
{
	if (sh_buf_reserve(&h->text, line.n + SH_PAD, err) < 0)
		return -1;
	memcpy(h->text.p + h->text.n, line.p, line.n);
	memset(h->text.p + h->text.n + line.n, 0, SH_PAD);
	h->document[h->n] = document;
	h->at[h->n++] = h->text.n;
	h->text.n += line.n;
	h->at[h->n] = h->text.n;
	return 0;
}

/* Holds a document of a piece in the file. */
static int hold_packed(const struct sh_corpus *c, uint32_t document, struct sh_error *err)
{
	struct sh_slice line;

	if (sh_corpus_line(c, document, &c->held->room, &line, err) < 0)
		return -1;
	return hold_line(c->held, document, line, err);
}

/* Holds the first documents of n, up to the first that is not close to the document before it in
 * the same file. Reads their bytes with one system call. Sets *done to the number of documents. */
static int hold_window(const struct sh_corpus *c, const uint32_t *document, size_t n, size_t *done,
    struct sh_error *err)
{
	uint64_t from, at, end;
	size_t bytes, k;
	const struct sh_corpus_file *f = place_of(c, document[0], &from, &bytes);

	*done = 1;
	if (!f)
		return 0;
	if (!f->map.base)
		return hold_packed(c, document[0], err);
	end = from + bytes;
	for (k = 1; k < n && place_of(c, document[k], &at, &bytes) == f && at - end <= GAP &&
		    at + bytes - from <= WINDOW;
	     k++)
		end = at + bytes;
	*done = k;
	c->held->window.n = 0;
	if (sh_buf_reserve(&c->held->window, (size_t)(end - from), err) < 0 ||
	    sh_mapped_read(&f->map, from, c->held->window.p, (size_t)(end - from), err) < 0)
		return -1;
	for (size_t i = 0; i < k; i++) {
		struct sh_slice rest;

		place_of(c, document[i], &at, &bytes);
		rest = sh_slice(c->held->window.p + (at - from), bytes);
		if (hold_line(c->held, document[i], sh_record_front(rest, c->form.csv), err) < 0)
			return -1;
	}
	return 0;
}

int sh_corpus_hold(const struct sh_corpus *c, uint32_t *document, size_t n, struct sh_error *err)
{
	struct sh_held *h = c->held;
	size_t kept = 0;

	h->n = h->text.n = 0;
	if (!c->reads)
		return 0;
	qsort(document, n, sizeof *document, by_number);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || document[i] != document[kept - 1])
			document[kept++] = document[i];
	if (SH_RESERVE(h->document, h->document_cap, kept, err) < 0 ||
	    SH_RESERVE(h->at, h->at_cap, kept + 1, err) < 0)
		return -1;
	for (size_t i = 0, done; i < kept; i += done)
		if (hold_window(c, document + i, kept - i, &done, err) < 0)
			return -1;
	return 0;
}

static bool find_held(const struct sh_corpus *c, uint32_t document, struct sh_slice *line)
{
	const struct sh_held *h = c->held;
	size_t lo = 0, hi = h ? h->n : 0;

	SH_BISECT(lo, hi, mid, h->document[mid] < document);
	if (!h || lo == h->n || h->document[lo] != document)
		return false;
	*line = sh_slice(h->text.p + h->at[lo], h->at[lo + 1] - h->at[lo]);
	return true;
}

bool sh_corpus_moves(const struct sh_corpus *c)
{
	return c->form.json || c->form.csv || c->form.more || c->fields || c->reads ||
	       sh_corpus_is_packed(c);
}

void sh_corpus_fetch(const struct sh_corpus *c, uint32_t document)
{
	const struct sh_corpus_file *f;
	uint64_t from;
	size_t n;

	if (c->reads || !(f = place_of(c, document, &from, &n)) || !f->map.base)
		return;
	for (size_t i = 0; i < n && i < FETCHED; i += 64)
		__builtin_prefetch(f->map.p + from + i);
}

int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err)
{
	uint64_t number = c->form.line_ids ? c->number[document] : 0;
	const struct sh_document_form *form = c->fields ? file_of(c, c->at[document])->form : NULL;
	struct sh_slice line;
	int got =
	    find_held(c, document, &line) ? 1 : read_line(c, document, &room->line, &line, err);

	if (got < 0)
		return -1;
	if (got == 0 && sh_corpus_line(c, document, room, &line, err) < 0)
		return -1;
	return sh_document_parse(form ? form : &c->form, line, number, room, doc, err);
}
