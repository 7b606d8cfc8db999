/* SPDX-License-Identifier: MIT */
#include "stream/corpus.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/bisect.h"
#include "base/num.h"
#include "base/siphash.h"
#include "io/newlines.h"
#include "io/reader.h"
#include "io/spill.h"
#include "unicode/utf8.h"

enum {
	READ_MOST = 1 << 14, /* bytes of the longest line that is read, not mapped */
	MEMORY = 1 << 26,    /* most bytes of copied texts in memory, without tables */
	FORGET = 1 << 26,    /* bytes that a pass maps at a time */
	MAPPED = 1000,       /* mapped files; small files behind this number of files are copied */
	OTHER_FILES = 64,    /* descriptors for other purposes */
	SMALL = 1 << 20,     /* bytes; a smaller file is small */
	TASK = 1 << 17,      /* bytes of a task, without the end of its last line */
	AHEAD = 16,          /* number of documents ahead whose slots are prefetched */
};

#define NO_MAP SIZE_MAX

int sh_corpus_init(struct sh_corpus *c, const struct sh_document_form *form, struct sh_error *err)
{
	*c = (struct sh_corpus){ .form = *form, .jobs = 1 };
	return sh_random_key(c->key, err);
}

void sh_corpus_free(struct sh_corpus *c)
{
	for (size_t i = 0; i < c->n_maps; i++)
		sh_mapped_close(&c->map[i]);
	free(c->map);
	free(c->file);
	sh_header_free(&c->header);
	sh_tables_put(c->tables, c->at);
	sh_tables_put(c->tables, c->number);
	sh_tables_put(c->tables, c->slots);
	*c = (struct sh_corpus){ 0 };
}

/* ---- files ---- */

/* Returns how many files may be mapped while their descriptors are open. */
static size_t may_map(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= MAPPED + OTHER_FILES)
		return MAPPED;
	return limit.rlim_cur > 2 * OTHER_FILES ? limit.rlim_cur - OTHER_FILES : limit.rlim_cur / 2;
}

/* Maps a file. A system limits the descriptors and the mappings of a process, so of many files the
 * small ones are not mapped. f->map is NO_MAP when the text must be copied. */
static int map_file(struct sh_corpus *c, const char *name, struct sh_error *err)
{
	struct sh_corpus_file *f = &c->file[c->n_files];
	struct sh_mapped *m = &c->map[c->n_maps];
	int mapped = sh_mapped_open(m, name, err);

	if (mapped < 0)
		return -1;
	*f = (struct sh_corpus_file){
		.name = name, .form = c->fields, .codec = m->codec, .map = NO_MAP
	};
	c->n_files++;
	if (mapped && c->n_maps >= may_map() && m->n < SMALL) {
		sh_mapped_close(m);
		mapped = 0;
	}
	if (!mapped)
		return 0;
	if (!c->keeps_open)
		sh_mapped_close_descriptor(m);
	f->p = m->p;
	f->n = m->n;
	f->map = c->n_maps++;
	return 0;
}

/* The texts of the files that are copied, one after the other. */
struct copy {
	size_t memory; /* most bytes in memory */
	const char *dir;
	struct sh_buf text;
	int fd; /* the temporary file with all the text; -1: it is in memory */
};

static int append_text(struct copy *x, struct sh_slice more, struct sh_error *err)
{
	if (x->fd < 0 && x->text.n + more.n <= x->memory)
		return sh_buf_add(&x->text, more.p, more.n, err);
	if (x->fd < 0) {
		x->fd = sh_spill_open(x->dir, err);
		if (x->fd < 0 || sh_spill_write(x->fd, x->text.p, x->text.n, err) < 0)
			return -1;
		sh_buf_free(&x->text);
	}
	return sh_spill_write(x->fd, more.p, more.n, err);
}

static int copy_file(struct copy *x, struct sh_corpus_file *f, struct sh_error *err)
{
	struct sh_reader r;
	int got = 1;

	if (sh_reader_open(&r, f->name, err) < 0)
		return -1;
	f->codec = r.codec;
	while (got > 0) {
		struct sh_slice ready = sh_reader_ready(&r);

		if (ready.n && append_text(x, ready, err) < 0)
			got = -1;
		f->n += ready.n;
		sh_reader_consume(&r, ready.n);
		if (got > 0)
			got = sh_reader_more(&r, err);
	}
	sh_reader_close(&r);
	return got;
}

/* Copies the texts of all files from number `from` on that are not mapped. */
static int copy_files(struct sh_corpus *c, size_t from, struct copy *x, struct sh_error *err)
{
	struct sh_mapped *m = &c->map[c->n_maps];
	bool copied = false;
	int fd;
	const char *p;

	for (size_t i = from; i < c->n_files; i++)
		if (c->file[i].map == NO_MAP) {
			copied = true;
			if (copy_file(x, &c->file[i], err) < 0)
				return -1;
		}
	if (!copied)
		return 0;
	c->held += x->text.n;
	if (c->tables)
		sh_tables_charge(c->tables, x->text.n);
	fd = x->fd;
	x->fd = -1;
	if ((fd < 0 ? sh_mapped_take(m, &x->text, err)
		    : sh_mapped_fd(m, fd, "a temporary file", err)) < 0)
		return -1;
	if (!c->keeps_open)
		sh_mapped_close_descriptor(m);
	p = m->p;
	for (size_t i = from; i < c->n_files; i++)
		if (c->file[i].map == NO_MAP) {
			c->file[i].p = p;
			c->file[i].map = c->n_maps;
			p += c->file[i].n;
		}
	c->n_maps++;
	return 0;
}

int sh_corpus_open(
    struct sh_corpus *c, char *const *names, size_t n, const char *dir, struct sh_error *err)
{
	size_t from = c->n_files, most = c->tables ? (c->tables->memory + c->held) / 2 : MEMORY;
	struct copy x = { .dir = dir, .memory = most > c->held ? most - c->held : 0, .fd = -1 };
	int status = 0;

	if (SH_RESERVE(c->file, c->files_cap, from + n, err) < 0 ||
	    SH_RESERVE(c->map, c->maps_cap, c->n_maps + n + 1, err) < 0)
		return -1;
	for (size_t i = 0; status == 0 && i < n; i++)
		status = map_file(c, names[i], err);
	if (status == 0)
		status = copy_files(c, from, &x, err);
	sh_spill_close(x.fd);
	sh_buf_free(&x.text);
	for (size_t i = from ? from : 1; status == 0 && i < c->n_files; i++)
		c->file[i].base = c->file[i - 1].base + c->file[i - 1].n;
	return status;
}

int sh_corpus_take(struct sh_corpus *c, struct sh_buf *text, struct sh_error *err)
{
	struct sh_mapped *m;

	if (SH_RESERVE(c->file, c->files_cap, c->n_files + 1, err) < 0 ||
	    SH_RESERVE(c->map, c->maps_cap, c->n_maps + 1, err) < 0)
		return -1;
	m = &c->map[c->n_maps];
	if (sh_mapped_take(m, text, err) < 0)
		return -1;
	c->file[c->n_files] = (struct sh_corpus_file){
		.name = "memory", .p = m->p, .n = m->n, .base = sh_corpus_size(c), .map = c->n_maps
	};
	c->n_files++;
	c->n_maps++;
	return 0;
}

int sh_corpus_check(const struct sh_corpus *c, struct sh_error *err)
{
	for (size_t i = 0; i < c->n_maps; i++)
		if (sh_mapped_check(&c->map[i], err) < 0)
			return -1;
	return 0;
}

void sh_corpus_passed(struct sh_corpus *c, uint64_t at)
{
	if (!c->reads || (at >= c->forgot && at - c->forgot <= FORGET))
		return;
	for (size_t i = 0; i < c->n_maps; i++)
		sh_mapped_forget(&c->map[i]);
	c->forgot = at;
}

/* ---- documents ---- */

int sh_corpus_add(
    struct sh_corpus *c, const uint64_t *at, const uint64_t *number, size_t n, struct sh_error *err)
{
	if (n > SH_CORPUS_NONE - 1 - c->n)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u documents", (unsigned)(SH_CORPUS_NONE - 1));
	if (n == 0)
		return 0;
	if (SH_TABLES_RESERVE(c->tables, c->at, c->at_cap, c->n + n, err) < 0 ||
	    (number && SH_TABLES_RESERVE(c->tables, c->number, c->number_cap, c->n + n, err) < 0))
		return -1;
	memcpy(c->at + c->n, at, n * sizeof *at);
	if (number)
		memcpy(c->number + c->n, number, n * sizeof *number);
	c->n += n;
	return 0;
}

/* Returns the file of a document: the last that begins at or before it. Sets *rest to the bytes
 * from its line on. */
static const struct sh_corpus_file *file_of(
    const struct sh_corpus *c, uint32_t document, struct sh_slice *rest)
{
	uint64_t at = c->at[document];
	size_t lo = 1, hi = c->n_files;
	const struct sh_corpus_file *f;

	SH_BISECT(lo, hi, mid, c->file[mid].base <= at);
	f = &c->file[lo - 1];
	at -= f->base;
	*rest = sh_slice(f->p + at, f->n - (size_t)at);
	return f;
}

struct sh_slice sh_corpus_line(const struct sh_corpus *c, uint32_t document)
{
	struct sh_slice rest;

	file_of(c, document, &rest);
	return sh_record_front(rest, c->form.csv);
}

int sh_corpus_blame(const struct sh_corpus *c, uint32_t document, struct sh_error *err)
{
	struct sh_slice rest;
	const struct sh_corpus_file *f = file_of(c, document, &rest);

	err->file = f->name;
	err->line = 1 + sh_count_newlines(f->p, f->n - rest.n);
	return -1;
}

/* Replaces *rest, whose first n bytes have the line, by a copy that a system call reads. */
static int read_line(const struct sh_mapped *m, size_t n, struct sh_buf *room,
    struct sh_slice *rest, struct sh_error *err)
{
	room->n = 0;
	if (sh_buf_reserve(room, n + SH_PAD, err) < 0 ||
	    sh_mapped_read(m, rest->p, room->p, n, err) < 0)
		return -1;
	memset(room->p + n, 0, SH_PAD);
	*rest = sh_slice(room->p, n);
	return 0;
}

int sh_corpus_document(const struct sh_corpus *c, uint32_t document, struct sh_document_room *room,
    struct sh_document *doc, struct sh_error *err)
{
	uint64_t number = c->form.line_ids ? c->number[document] : 0;
	struct sh_slice rest;
	const struct sh_corpus_file *f = file_of(c, document, &rest);
	const struct sh_mapped *m = &c->map[f->map];
	size_t n = rest.n;

	if (document + 1 < c->n && c->at[document + 1] - c->at[document] < n)
		n = (size_t)(c->at[document + 1] - c->at[document]);
	if (c->reads && m->fd >= 0 && n <= READ_MOST &&
	    read_line(m, n, &room->line, &rest, err) < 0)
		return -1;
	return sh_document_parse(f->form ? f->form : &c->form, sh_record_front(rest, c->form.csv),
	    number, room, doc, err);
}

/* ---- lines ---- */

/* Whole lines that one thread reads. */
struct sh_corpus_task {
	const struct sh_corpus_file *file;
	size_t begin, end; /* offsets in the file */
	bool first;        /* of the file; its header and its byte order mark end at `begin` */
};

/* Sets *n to the bytes of the header of the file, or of its byte order mark. */
static int read_header(
    struct sh_corpus *c, const struct sh_corpus_file *f, size_t *n, struct sh_error *err)
{
	struct sh_slice all = sh_slice(f->p, f->n);

	*n = all.n - sh_utf8_skip_bom(all).n;
	c->header.csv = c->form.csv;
	if (!c->form.columns || all.n == 0)
		return 0;
	return sh_header_check(&c->header, all, f->name, n, err) < 0 ||
		       sh_docs_header(&c->form, &c->header, err) < 0
		   ? -1
		   : 0;
}

/* Compares the trailers of a file with its lines, from `at` on. */
static int check_trailer(
    const struct sh_corpus *c, const struct sh_corpus_file *f, size_t at, struct sh_error *err)
{
	struct sh_trailer_check check = { 0 };
	uint64_t trailers;

	if (!c->trailer || (sh_trailer_add_lines(&check, sh_slice(f->p + at, f->n - at),
				c->form.crlf, &trailers, err) == 0 &&
			       sh_trailer_verify(&check, err) == 0))
		return 0;
	err->file = f->name;
	return -1;
}

/* Divides a file into tasks. */
static int divide(struct sh_corpus_lines *l, struct sh_corpus *c, const struct sh_corpus_file *f,
    struct sh_error *err)
{
	size_t begin, at;

	if (read_header(c, f, &begin, err) < 0 || check_trailer(c, f, begin, err) < 0)
		return -1;
	for (at = begin; at < f->n;) {
		size_t from = at, n = f->n - from < TASK ? f->n - from : TASK;
		struct sh_slice rest = sh_slice(f->p + from + n, f->n - from - n);
		bool quoted = false;

		if (c->form.csv) {
			sh_csv_whole(f->p + from, n, &quoted);
			rest.n = sh_csv_record(rest.p, rest.n, quoted);
		} else {
			rest = sh_record_front(rest, false);
		}
		if (rest.n > SH_LINE_MAX) {
			err->file = f->name;
			err->line = 1 + sh_count_newlines(f->p, from + n);
			return sh_line_too_long(err);
		}
		at += n + rest.n;
		at += at < f->n;
		sh_corpus_passed(c, f->base + at);
		if (SH_RESERVE(l->task, l->cap, l->tasks + 1, err) < 0)
			return -1;
		l->task[l->tasks++] = (struct sh_corpus_task){ f, from, at, from == begin };
	}
	return 0;
}

int sh_corpus_lines_init(struct sh_corpus_lines *l, struct sh_corpus *c, size_t from,
    uint64_t number, struct sh_error *err)
{
	*l = (struct sh_corpus_lines){ .corpus = c, .number = number };
	for (size_t i = from; i < c->n_files; i++)
		if (divide(l, c, &c->file[i], err) < 0)
			return -1;
	return 0;
}

void sh_corpus_lines_free(struct sh_corpus_lines *l)
{
	free(l->task);
}

void sh_corpus_lines_read(const struct sh_corpus_lines *l, struct sh_job *job)
{
	const struct sh_corpus *c = l->corpus;
	const struct sh_corpus_task *t = &l->task[job->task];

	job->at = 0;
	job->from = (struct sh_origin){ .file = t->file->name,
		.line = 1,
		.number = 1,
		.at = t->file->base + t->begin,
		.starts_file = t->first,
		.csv = c->form.csv,
		.blanks = sh_document_blanks(&c->form),
		.header = c->form.columns != NULL,
		.trailer = c->trailer };
	job->in = sh_slice(t->file->p + t->begin, t->end - t->begin);
}

void sh_corpus_lines_done(struct sh_corpus_lines *l, struct sh_job *job)
{
	const struct sh_corpus_task *t = &l->task[job->task];
	/* A trailer has no number: it makes from.number smaller. */
	uint64_t lines = job->at + job->from.number - 1;

	if (t->first)
		l->line = 1 + sh_count_newlines(t->file->p, t->begin);
	job->from.line = l->line;
	job->from.number = l->number;
	if (job->failed && job->err.file == job->from.file && job->err.line)
		job->err.line += l->line - 1;
	if (job->failed)
		return;
	l->line += job->at;
	l->number += lines;
}

/* ---- all documents of files ---- */

struct scan {
	struct sh_corpus *corpus;
	struct sh_corpus_lines lines;
	sh_corpus_rejects *rejects;
	void *arg; /* of rejects() */
};

struct scan_worker {
	struct scan *scan;
	struct sh_document_room room;
};

/* Appends the offset of a document to job->out, and to job->facts the hash of its id, or with
 * line_ids its number from the task's first line on. */
static int scan_line(void *worker, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct scan_worker *w = worker;
	const struct sh_corpus *c = w->scan->corpus;
	uint64_t offset = job->from.at + job->offset, value = job->from.number + job->at;
	struct sh_document doc;

	if (sh_document_parse(&c->form, line, value, &w->room, &doc, err) < 0 ||
	    sh_token_check(c->unit, doc.text, c->memory, err) < 0)
		return -1;
	if (!c->form.line_ids)
		value = sh_siphash(c->key, doc.id.p, doc.id.n);
	if (sh_buf_add(&job->out, &offset, sizeof offset, err) < 0)
		return -1;
	return sh_buf_add(&job->facts, &value, sizeof value, err);
}

static int scan_task(void *worker, struct sh_job *job)
{
	struct scan_worker *w = worker;

	sh_corpus_lines_read(&w->scan->lines, job);
	return sh_docs_lines(job, w->scan->rejects != NULL, scan_line, w);
}

static int add_documents(void *scan, struct sh_job *job, struct sh_error *err)
{
	struct scan *s = scan;
	uint64_t *value = (uint64_t *)(void *)job->facts.p;
	size_t n = job->facts.n / sizeof *value;

	sh_corpus_lines_done(&s->lines, job);
	if (job->rejected && s->rejects(s->arg, sh_buf_slice(&job->aside), job->rejected, err) < 0)
		return -1;
	s->corpus->blank += job->blank;
	for (size_t i = 0; s->corpus->form.line_ids && i < n; i++)
		value[i] += job->from.number - 1;
	return sh_corpus_add(s->corpus, (const uint64_t *)(const void *)job->out.p, value, n, err);
}

int sh_corpus_scan(struct sh_corpus *c, uint64_t *lines, sh_corpus_rejects *rejects, void *arg,
    struct sh_error *err)
{
	struct scan s = { .corpus = c, .rejects = rejects, .arg = arg };
	struct scan_worker *worker = calloc(c->jobs, sizeof *worker);
	void **workers = calloc(c->jobs, sizeof *workers);
	struct sh_pool pool = { scan_task, workers, c->jobs, add_documents, &s };
	int status = worker && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < c->jobs; i++) {
		worker[i].scan = &s;
		workers[i] = &worker[i];
	}
	if (status == 0)
		status = sh_corpus_lines_init(&s.lines, c, c->n_scanned, *lines + 1, err);
	if (status == 0)
		status = sh_pool_tasks(&pool, s.lines.tasks, err);
	if (status == 0)
		*lines = s.lines.number - 1;
	sh_corpus_lines_free(&s.lines);
	for (unsigned i = 0; worker && i < c->jobs; i++)
		sh_document_room_free(&worker[i].room);
	c->n_scanned = c->n_files;
	free(worker);
	free(workers);
	return status;
}

/* ---- ids: a hash table of documents by the hash of their ids ---- */

static size_t slot_of(const struct sh_corpus *c, uint64_t hash)
{
	return (size_t)(hash >> (64 - c->slot_bits));
}

static size_t next_slot(const struct sh_corpus *c, size_t slot)
{
	return (slot + 1) & (((size_t)1 << c->slot_bits) - 1);
}

uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from)
{
	uint32_t best = SH_CORPUS_NONE;
	uint64_t value;
	size_t i;

	if (c->form.line_ids) {
		if (from != SH_CORPUS_NONE || sh_parse_u64(id, &value) < 0 || id.p[0] == '0')
			return SH_CORPUS_NONE;
		i = sh_lower_bound(c->number, c->n, value);
		return i < c->n && c->number[i] == value ? (uint32_t)i : SH_CORPUS_NONE;
	}
	value = sh_siphash(c->key, id.p, id.n);
	for (size_t s = c->slots ? slot_of(c, value) : 0; c->slots && c->slots[s];
	     s = next_slot(c, s)) {
		uint32_t d = c->slots[s] - 1;

		if (c->number[d] == value && (from == SH_CORPUS_NONE || d > from) && d < best)
			best = d;
	}
	return best;
}

static int have_same_id(const struct sh_corpus *c, uint32_t i, uint32_t j,
    struct sh_document_room room[2], bool *same, struct sh_error *err)
{
	struct sh_document a, b;

	if (sh_corpus_document(c, i, &room[0], &a, err) < 0 ||
	    sh_corpus_document(c, j, &room[1], &b, err) < 0)
		return -1;
	*same = sh_slice_eq(a.id, b.id);
	return 0;
}

/* Puts document `from` into the table under the number `to`, unless an earlier document has its
 * id. */
static int put(struct sh_corpus *c, uint32_t from, uint32_t to, struct sh_document_room room[2],
    struct sh_error *err)
{
	size_t s = slot_of(c, c->number[from]);
	bool same = false;

	for (; c->slots[s]; s = next_slot(c, s)) {
		if (c->number[c->slots[s] - 1] != c->number[from])
			continue;
		if (have_same_id(c, c->slots[s] - 1, from, room, &same, err) < 0)
			return -1;
		if (same) {
			c->repeated++;
			return 0;
		}
	}
	c->slots[s] = to + 1;
	return 1;
}

int sh_corpus_index(struct sh_corpus *c, struct sh_error *err)
{
	struct sh_document_room room[2] = { 0 };
	uint32_t kept = 0;
	int got = 0;

	if (c->form.line_ids || c->n == 0)
		return 0;
	for (c->slot_bits = 1; (size_t)1 << c->slot_bits < 2 * c->n;)
		c->slot_bits++;
	c->slots = sh_tables_get(c->tables, (size_t)1 << c->slot_bits, sizeof *c->slots, err);
	if (!c->slots)
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		if (i + AHEAD < c->n)
			__builtin_prefetch(&c->slots[slot_of(c, c->number[i + AHEAD])]);
		got = put(c, (uint32_t)i, kept, room, err);
		if (got < 0)
			break;
		c->at[kept] = c->at[i];
		c->number[kept] = c->number[i];
		kept += (uint32_t)got;
	}
	c->n = kept;
	sh_document_room_free(&room[0]);
	sh_document_room_free(&room[1]);
	return got < 0 ? -1 : 0;
}
