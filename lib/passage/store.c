#include "passage/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/bisect.h"
#include "base/num.h"

enum { NUMBER_DIGITS = 8, CHECKSUM_LINE = 9 + 16 + 1, HEAD_LINES = 3 };

static const char manifest_name[] = "manifest", manifest_new[] = "manifest.new";
static const char first_run[] = "first-run";
static const char head[] = "simhash-passages 1\n";

void sh_passages_part(char *out, uint32_t segment, const char *suffix)
{
	snprintf(out, SH_PASSAGES_NAME, "%08x.%s", (unsigned)segment, suffix);
}

/* ---- the manifest ---- */

enum { ORDER_LINE = 1 + 6 + 16 + 1 };

/* The line feed before the line of the byte order, and the line. */
static void print_order(char line[static ORDER_LINE + 1])
{
	const uint64_t order = UINT64_C(0x0102030405060708);
	uint8_t bytes[8];

	memcpy(bytes, &order, 8);
	snprintf(line, ORDER_LINE + 1, "\norder %02x%02x%02x%02x%02x%02x%02x%02x\n", bytes[0],
	    bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]);
}

static int print_head(const char *settings, struct sh_buf *out, struct sh_error *err)
{
	char order[ORDER_LINE + 1];

	print_order(order);
	if (sh_buf_add(out, head, sizeof head - 1, err) < 0 ||
	    sh_buf_add(out, "settings ", 9, err) < 0 ||
	    sh_buf_add(out, settings, strlen(settings), err) < 0)
		return -1;
	return sh_buf_add(out, order, ORDER_LINE, err);
}

static int print_manifest(const struct sh_passages *s, struct sh_buf *out, struct sh_error *err)
{
	char line[160];

	if (sh_buf_add(out, s->head.p, s->head.n, err) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct sh_passages_segment *e = &s->segment[i];

		snprintf(line, sizeof line, "segment %08x %llu %llu %llu %llu %llu\n",
		    (unsigned)e->number, (unsigned long long)e->documents,
		    (unsigned long long)e->bytes, (unsigned long long)e->seeds,
		    (unsigned long long)e->sum_documents, (unsigned long long)e->sum_seeds);
		if (sh_buf_add(out, line, strlen(line), err) < 0)
			return -1;
	}
	for (size_t i = 0; i < s->n_runs; i++) {
		snprintf(line, sizeof line, "added %llu %llu\n", (unsigned long long)s->run[i].time,
		    (unsigned long long)s->run[i].documents);
		if (sh_buf_add(out, line, strlen(line), err) < 0)
			return -1;
	}
	snprintf(line, sizeof line, "checksum %016llx\n",
	    (unsigned long long)XXH3_64bits(out->p, out->n));
	return sh_buf_add(out, line, strlen(line), err);
}

int sh_passages_damaged(const struct sh_passages *s, const char *name, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s': %s is damaged: restore the folder, or make it again from its *.tsv",
	    s->folder.path, name);
}

/* Removes the first word of the rest, a number that ends with `end`, and stores it. */
static int parse_number(struct sh_slice *rest, char end, uint64_t *n)
{
	const char *stop = rest->n ? memchr(rest->p, end, rest->n) : NULL;
	size_t length;

	if (!stop)
		return -1;
	length = (size_t)(stop - rest->p);
	if (sh_parse_u64(sh_slice(rest->p, length), n) < 0)
		return -1;
	*rest = sh_slice(stop + 1, rest->n - length - 1);
	return 0;
}

static int parse_segment(struct sh_passages *s, struct sh_slice *rest, struct sh_error *err)
{
	struct sh_passages_segment e;
	uint64_t number;

	if (rest->n <= NUMBER_DIGITS ||
	    sh_parse_hex_number(sh_slice(rest->p, NUMBER_DIGITS), &number) < 0 ||
	    rest->p[NUMBER_DIGITS] != ' ')
		return sh_passages_damaged(s, manifest_name, err);
	e.number = (uint32_t)number;
	*rest = sh_slice(rest->p + NUMBER_DIGITS + 1, rest->n - NUMBER_DIGITS - 1);
	if (parse_number(rest, ' ', &e.documents) < 0 || parse_number(rest, ' ', &e.bytes) < 0 ||
	    parse_number(rest, ' ', &e.seeds) < 0 ||
	    parse_number(rest, ' ', &e.sum_documents) < 0 ||
	    parse_number(rest, '\n', &e.sum_seeds) < 0)
		return sh_passages_damaged(s, manifest_name, err);
	if (SH_RESERVE(s->segment, s->cap, s->n + 1, err) < 0)
		return -1;
	s->segment[s->n++] = e;
	return 0;
}

static int add_run(struct sh_passages *s, uint64_t time, uint64_t documents, struct sh_error *err)
{
	if (SH_RESERVE(s->run, s->runs_cap, s->n_runs + 1, err) < 0)
		return -1;
	s->run[s->n_runs++] = (struct sh_passages_run){ time, documents };
	return 0;
}

/* Parses a line of a run. *undated: number of documents that belong to none of the runs so far. */
static int parse_run(
    struct sh_passages *s, struct sh_slice *rest, uint64_t *undated, struct sh_error *err)
{
	uint64_t time, documents;

	if (parse_number(rest, ' ', &time) < 0 || parse_number(rest, '\n', &documents) < 0 ||
	    documents > *undated)
		return sh_passages_damaged(s, manifest_name, err);
	*undated -= documents;
	return add_run(s, time, documents, err);
}

/* Skips the first word of a line. */
static bool skip_word(struct sh_slice *rest, const char *word)
{
	size_t n = strlen(word);

	if (rest->n < n || memcmp(rest->p, word, n) != 0)
		return false;
	*rest = sh_slice(rest->p + n, rest->n - n);
	return true;
}

static int other_settings(const struct sh_passages *s, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s' was made with other options, or on a machine of another byte order (see its file "
	    "'%s')",
	    s->folder.path, manifest_name);
}

/* Compares the first lines with s->head, or sets s->head when it is empty. Sets *end to the end of
 * the first lines. */
static int parse_head(
    struct sh_passages *s, struct sh_slice text, size_t *end, struct sh_error *err)
{
	if (text.n > 15 && memcmp(text.p, "simhash-archive", 15) == 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' is an archive of shdedup, expected one of shspan (shspan makes one in a "
		    "new folder)",
		    s->folder.path);
	if (text.n < sizeof head - 1 || memcmp(text.p, head, sizeof head - 1) != 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "'%s' is of another version of shspan", s->folder.path);
	*end = s->head.n;
	if (*end)
		return text.n < *end || memcmp(text.p, s->head.p, *end) != 0
			   ? other_settings(s, err)
			   : 0;
	for (int line_feeds = 0; *end < text.n && line_feeds < HEAD_LINES; ++*end)
		line_feeds += text.p[*end] == '\n';
	return sh_buf_add(&s->head, text.p, *end, err);
}

static int parse_manifest(struct sh_passages *s, const struct sh_buf *text, struct sh_error *err)
{
	size_t n = text->n < CHECKSUM_LINE ? 0 : text->n - CHECKSUM_LINE;
	char line[CHECKSUM_LINE + 1];
	struct sh_slice rest;
	uint64_t undated;
	size_t from = 0;

	snprintf(
	    line, sizeof line, "checksum %016llx\n", (unsigned long long)XXH3_64bits(text->p, n));
	if (n == 0 || memcmp(text->p + n, line, CHECKSUM_LINE) != 0)
		return sh_passages_damaged(s, manifest_name, err);
	if (parse_head(s, sh_slice(text->p, n), &from, err) < 0)
		return -1;
	rest = sh_slice(text->p + from, n - from);
	while (skip_word(&rest, "segment "))
		if (parse_segment(s, &rest, err) < 0)
			return -1;
	undated = sh_passages_count(s);
	while (skip_word(&rest, "added "))
		if (parse_run(s, &rest, &undated, err) < 0)
			return -1;
	return rest.n ? sh_passages_damaged(s, manifest_name, err) : 0;
}

uint64_t sh_passages_count(const struct sh_passages *s)
{
	uint64_t documents = 0;

	for (size_t i = 0; i < s->n; i++)
		documents += s->segment[i].documents;
	return documents;
}

uint64_t sh_passages_undated(const struct sh_passages *s)
{
	uint64_t documents = sh_passages_count(s);

	for (size_t i = 0; i < s->n_runs; i++)
		documents -= s->run[i].documents;
	return documents;
}

static int read_manifest(struct sh_passages *s, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	int got = sh_folder_read(&s->folder, manifest_name, &text, err);

	if (got > 0)
		got = parse_manifest(s, &text, err);
	sh_buf_free(&text);
	return got;
}

/* ---- open and close ---- */

static bool has_number(const struct sh_passages *s, uint32_t number)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->segment[i].number == number)
			return true;
	return false;
}

/* Returns whether the name is that of a file of a segment, and sets the segment's number. */
static bool is_part(const char *name, uint32_t *number)
{
	char tsv[SH_PASSAGES_NAME], seed[SH_PASSAGES_NAME];

	*number = (uint32_t)strtoul(name, NULL, 16);
	sh_passages_part(tsv, *number, "tsv");
	sh_passages_part(seed, *number, "seed");
	return strcmp(name, tsv) == 0 || strcmp(name, seed) == 0;
}

/* Remove a file of a run that did not end, or of a segment that was merged. */
static int clean(void *arg, const char *name, struct sh_error *err)
{
	const struct sh_passages *s = arg;
	uint32_t number;

	if (strcmp(name, manifest_new) == 0 || (is_part(name, &number) && !has_number(s, number)))
		return sh_folder_remove(&s->folder, name, err);
	return 0;
}

int sh_passages_clean(struct sh_passages *s, struct sh_error *err)
{
	return sh_folder_list(&s->folder, clean, s, err);
}

static int is_other(void *arg, const char *name, struct sh_error *err)
{
	(void)arg;
	(void)err;
	return strcmp(name, "lock") != 0;
}

/* Marks the folder, which must be empty, until it has a manifest: files of a killed first run
 * belong to the store. */
static int mark(const struct sh_passages *s, struct sh_error *err)
{
	int other = sh_folder_list(&s->folder, is_other, NULL, err);

	if (other < 0)
		return -1;
	if (other)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' has other files and no manifest: restore it, or name a new folder",
		    s->folder.path);
	return sh_folder_put(&s->folder, first_run, "", 0, err) < 0
		   ? -1
		   : sh_folder_sync(&s->folder, err);
}

static int make_or_clean(struct sh_passages *s, struct sh_error *err)
{
	int there = sh_folder_has(&s->folder, manifest_name, err);
	int marked = there < 0 ? -1 : sh_folder_has(&s->folder, first_run, err);

	if (marked < 0 || (!there && !marked && mark(s, err) < 0) ||
	    (there && marked && sh_folder_remove(&s->folder, first_run, err) < 0))
		return -1;
	/* A new folder gets a manifest even from a run without documents. */
	s->added = !there;
	return sh_passages_clean(s, err);
}

/* Refuses a store of another byte order, whose keys would be wrong, and a folder without a
 * manifest. */
static int same_order(const struct sh_passages *s, struct sh_error *err)
{
	char order[ORDER_LINE + 1];

	if (!s->head.n)
		return sh_error_set(
		    err, SH_ERR_PARAM, "'%s' has no file '%s'", s->folder.path, manifest_name);
	print_order(order);
	return s->head.n < ORDER_LINE ||
		       memcmp(s->head.p + s->head.n - ORDER_LINE, order, ORDER_LINE) != 0
		   ? other_settings(s, err)
		   : 0;
}

int sh_passages_open(struct sh_passages *s, const char *path, const char *settings, uint64_t wait,
    struct sh_error *err)
{
	int status;

	*s = (struct sh_passages){ 0 };
	if (sh_folder_open(&s->folder, path, settings != NULL, err) < 0)
		return -1;
	status = settings ? print_head(settings, &s->head, err) : 0;
	if (status == 0)
		status = sh_folder_lock(&s->folder, true, wait, err);
	if (status == 0)
		status = read_manifest(s, err);
	if (status == 0 && !settings)
		status = same_order(s, err);
	if (status == 0)
		status = make_or_clean(s, err);
	if (status < 0)
		sh_passages_close(s);
	return status;
}

int sh_passages_read(struct sh_passages *s, const char *path, uint64_t wait, struct sh_error *err)
{
	*s = (struct sh_passages){ 0 };
	if (sh_folder_open(&s->folder, path, false, err) < 0)
		return -1;
	if (sh_folder_lock(&s->folder, false, wait, err) == 0 && read_manifest(s, err) >= 0)
		return 0;
	sh_passages_close(s);
	return -1;
}

void sh_passages_close(struct sh_passages *s)
{
	if (!s->folder.path)
		return;
	sh_folder_close(&s->folder);
	sh_buf_free(&s->head);
	free(s->segment);
	free(s->run);
	*s = (struct sh_passages){ 0 };
}

char *sh_passages_documents(const struct sh_passages *s, size_t i, struct sh_error *err)
{
	size_t n = strlen(s->folder.path) + 1 + SH_PASSAGES_NAME;
	char *path = malloc(n), name[SH_PASSAGES_NAME];

	if (!path) {
		sh_error_nomem(err);
		return NULL;
	}
	sh_passages_part(name, s->segment[i].number, "tsv");
	snprintf(path, n, "%s/%s", s->folder.path, name);
	return path;
}

/* ---- checksums ---- */

static int sum_file(const struct sh_passages *s, const char *name, uint64_t size, uint64_t *sum,
    struct sh_error *err)
{
	struct sh_folder_map map = { 0 };

	if (size && sh_folder_map(&map, &s->folder, name, size, err) < 0)
		return -1;
	*sum = XXH3_64bits(map.p, map.n);
	sh_folder_unmap(&map);
	return 0;
}

static int check_file(const struct sh_passages *s, uint32_t segment, const char *suffix,
    uint64_t size, uint64_t want, struct sh_error *err)
{
	char name[SH_PASSAGES_NAME];
	uint64_t sum;

	sh_passages_part(name, segment, suffix);
	if (sum_file(s, name, size, &sum, err) < 0)
		return -1;
	return sum == want ? 0 : sh_passages_damaged(s, name, err);
}

int sh_passages_verify(
    const struct sh_passages *s, const struct sh_passages_segment *e, struct sh_error *err)
{
	if (check_file(s, e->number, "tsv", e->bytes, e->sum_documents, err) < 0)
		return -1;
	return check_file(
	    s, e->number, "seed", e->seeds * sizeof(struct sh_posting), e->sum_seeds, err);
}

int sh_passages_sum(
    const struct sh_passages *s, struct sh_passages_segment *e, struct sh_error *err)
{
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, e->number, "tsv");
	if (sum_file(s, name, e->bytes, &e->sum_documents, err) < 0)
		return -1;
	sh_passages_part(name, e->number, "seed");
	return sum_file(s, name, e->seeds * sizeof(struct sh_posting), &e->sum_seeds, err);
}

int sh_passages_check(const struct sh_passages *s, struct sh_error *err)
{
	for (size_t i = 0; i < s->n; i++)
		if (sh_passages_verify(s, &s->segment[i], err) < 0)
			return -1;
	return 0;
}

int sh_passages_is(const char *path, struct sh_error *err)
{
	struct sh_passages s = { 0 };
	struct sh_buf text = { 0 };
	int got;

	if (sh_folder_open(&s.folder, path, false, err) < 0)
		return errno == ENOENT ? 0 : -1;
	got = sh_folder_read(&s.folder, manifest_name, &text, err);
	if (got > 0)
		got = text.n >= sizeof head - 1 && memcmp(text.p, head, sizeof head - 1) == 0;
	sh_buf_free(&text);
	sh_passages_close(&s);
	return got;
}

/* ---- seeds ---- */

/* Returns the first posting from `from` on whose key is at least `key`. Looks at nearby postings
 * first. */
static size_t skip_to(const struct sh_posting *p, size_t n, size_t from, uint64_t key)
{
	size_t step = 1, to;

	while (from + step < n && p[from + step].of.key < key) {
		from += step;
		step *= 2;
	}
	to = from + step < n ? from + step : n;
	SH_BISECT(from, to, middle, p[middle].of.key < key);
	return from;
}

int sh_passages_join(const struct sh_passages *s, size_t i, struct sh_postings *p, size_t n,
    uint32_t base, struct sh_error *err)
{
	const struct sh_passages_segment *e = &s->segment[i];
	struct sh_folder_map map = { 0 };
	const struct sh_posting *seed;
	char name[SH_PASSAGES_NAME];
	int status = 0;

	if (e->seeds == 0)
		return 0;
	sh_passages_part(name, e->number, "seed");
	if (e->seeds > SIZE_MAX / sizeof *seed)
		return sh_passages_damaged(s, name, err);
	if (sh_folder_map(&map, &s->folder, name, e->seeds * sizeof *seed, err) < 0)
		return -1;
	seed = (const struct sh_posting *)(const void *)map.p;
	for (size_t at = 0, j = 0; status == 0 && j < n && at < e->seeds; j++) {
		uint64_t key = p->p[j].of.key;

		if (j && p->p[j - 1].of.key == key)
			continue;
		at = skip_to(seed, (size_t)e->seeds, at, key);
		for (; at < e->seeds && seed[at].of.key == key; at++) {
			if (seed[at].document >= e->documents) {
				status = sh_passages_damaged(s, name, err);
				break;
			}
			/* This may move p->p. */
			if (p->n == p->cap && sh_tables_grow(p->tables, (void **)&p->p, &p->cap,
						  p->n + 1, sizeof *seed, err) < 0) {
				status = -1;
				break;
			}
			p->p[p->n] = seed[at];
			p->p[p->n++].document += base;
		}
	}
	sh_folder_unmap(&map);
	return status;
}

int sh_passages_number(const struct sh_passages *s, uint32_t *number, struct sh_error *err)
{
	*number = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (s->segment[i].number == UINT32_MAX)
			return sh_error_set(err, SH_ERR_RANGE,
			    "'%s' has used all segment numbers: make it again from its *.tsv",
			    s->folder.path);
		if (*number <= s->segment[i].number)
			*number = s->segment[i].number + 1;
	}
	return 0;
}

static int write_lines(struct sh_folder_file *file, const struct sh_corpus *corpus, uint32_t first,
    struct sh_passages_segment *e, struct sh_error *err)
{
	struct sh_document_room room = { 0 };
	struct sh_slice line;
	int status = 0;

	for (uint32_t d = first; status == 0 && d < corpus->n; d++) {
		if (sh_corpus_line(corpus, d, &room, &line, err) < 0 ||
		    sh_folder_write(file, line.p, line.n, err) < 0 ||
		    sh_folder_write(file, "\n", 1, err) < 0)
			status = -1;
		else
			e->bytes += line.n + 1;
	}
	e->documents = (uint32_t)corpus->n - first;
	sh_document_room_free(&room);
	return status;
}

static int write_documents(struct sh_passages *s, const struct sh_corpus *corpus, uint32_t first,
    struct sh_passages_segment *e, struct sh_error *err)
{
	struct sh_folder_file file;
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, e->number, "tsv");
	if (sh_folder_create(&file, &s->folder, name, err) < 0)
		return -1;
	if (write_lines(&file, corpus, first, e, err) < 0) {
		sh_folder_abandon(&file);
		return -1;
	}
	return sh_folder_finish(&file, err);
}

enum { AT_ONCE = 4096 };

static int write_seeds(struct sh_passages *s, uint32_t first, const struct sh_posting *p,
    const struct sh_passages_segment *e, struct sh_error *err)
{
	struct sh_posting block[AT_ONCE];
	struct sh_folder_file file;
	char name[SH_PASSAGES_NAME];

	sh_passages_part(name, e->number, "seed");
	if (sh_folder_create(&file, &s->folder, name, err) < 0)
		return -1;
	for (size_t i = 0, k = 0; i < e->seeds; i += k) {
		for (k = 0; k < AT_ONCE && i + k < e->seeds; k++) {
			block[k] = p[i + k];
			block[k].document -= first;
		}
		if (sh_folder_write(&file, block, k * sizeof *block, err) < 0) {
			sh_folder_abandon(&file);
			return -1;
		}
	}
	return sh_folder_finish(&file, err);
}

int sh_passages_add(struct sh_passages *s, const struct sh_corpus *corpus, uint32_t first,
    const struct sh_posting *p, size_t n, uint64_t now, struct sh_error *err)
{
	struct sh_passages_segment e = { .seeds = n };

	if (sh_passages_number(s, &e.number, err) < 0)
		return -1;
	if (SH_RESERVE(s->segment, s->cap, s->n + 1, err) < 0)
		return -1;
	if (write_documents(s, corpus, first, &e, err) < 0 ||
	    write_seeds(s, first, p, &e, err) < 0 || sh_passages_sum(s, &e, err) < 0)
		return -1;
	s->segment[s->n++] = e;
	s->added = true;
	return add_run(s, now, e.documents, err);
}

int sh_passages_commit(struct sh_passages *s, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	int status = 0;

	if (!s->added)
		return 0;
	if (print_manifest(s, &text, err) < 0 ||
	    sh_folder_put(&s->folder, manifest_new, text.p, text.n, err) < 0 ||
	    sh_folder_publish(&s->folder, manifest_new, manifest_name, err) < 0 ||
	    sh_folder_remove(&s->folder, first_run, err) < 0)
		status = -1;
	else
		s->added = false;
	sh_buf_free(&text);
	return status;
}
