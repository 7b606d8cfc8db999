#include "archive/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/num.h"
#include "record/fields.h"

enum { FETCH = 512 };

static size_t blocks(uint64_t bytes)
{
	return (size_t)((bytes + SH_BLOCK - 1) / SH_BLOCK);
}

static int damaged(const struct sh_checked *c, const char *what, size_t at, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s/%s' is damaged: %s at byte %zu: take back a copy of the archive", c->folder,
	    c->name, what, at);
}

/* ---- opening ---- */

static int open_part(
    struct sh_segment *s, const struct sh_folder *folder, enum sh_part i, struct sh_error *err)
{
	struct sh_checked *c = &s->part[i];
	uint64_t bytes = s->entry.part[i].bytes;

	c->folder = folder->path;
	sh_part_name(c->name, s->entry.number, i, s->store);
	if (sh_folder_map(&c->map, folder, c->name, bytes, err) < 0)
		return -1;
	sh_folder_expect(&c->map, false);
	c->seen = calloc(blocks(bytes) / 64 + 1, sizeof *c->seen);
	return c->seen ? 0 : sh_error_nomem(err);
}

/* The checksums of each file are a stretch of all. */
static int share_sums(struct sh_segment *s, const struct sh_folder *folder, struct sh_error *err)
{
	const struct sh_part_size *all = &s->entry.part[SH_PART_SUM];
	const char *at = s->sums.p;
	size_t n = 0;

	for (enum sh_part i = 0; i < SH_PART_SUM; i++)
		n += blocks(s->entry.part[i].bytes) * SH_SUM_LINE;
	if (n != s->sums.n || XXH3_64bits(s->sums.p, s->sums.n) != all->checksum)
		return sh_error_set(err, SH_ERR_RECORD,
		    "'%s/%08x.sum' is damaged: take back a copy of the archive", folder->path,
		    s->entry.number);
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		size_t part = blocks(s->entry.part[i].bytes) * SH_SUM_LINE;

		s->part[i].sums = at;
		if (part && XXH3_64bits(at, part) != s->entry.part[i].checksum)
			return damaged(&s->part[i], "checksum", 0, err);
		at += part;
	}
	return 0;
}

int sh_segment_open(struct sh_segment *s, const struct sh_folder *folder,
    const struct sh_segment_entry *entry, enum sh_store store, struct sh_error *err)
{
	char name[SH_NAME_MAX];
	int status = 0;

	*s = (struct sh_segment){ .entry = *entry, .store = store };
	for (enum sh_part i = 0; status == 0 && i < SH_PART_SUM; i++)
		if (i != SH_PART_STORE || store != SH_STORE_NONE)
			status = open_part(s, folder, i, err);
	sh_part_name(name, entry->number, SH_PART_SUM, store);
	if (status == 0)
		status = sh_folder_map(&s->sums, folder, name, entry->part[SH_PART_SUM].bytes, err);
	if (status == 0)
		status = share_sums(s, folder, err);
	if (status < 0)
		sh_segment_close(s);
	return status;
}

void sh_segment_close(struct sh_segment *s)
{
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		sh_folder_unmap(&s->part[i].map);
		free(s->part[i].seen);
	}
	sh_folder_unmap(&s->sums);
	*s = (struct sh_segment){ 0 };
}

/* ---- reading ---- */

static int check_block(struct sh_checked *c, size_t block, struct sh_error *err)
{
	uint64_t bit = UINT64_C(1) << (block % 64), *seen = &c->seen[block / 64], sum;
	size_t at = block * SH_BLOCK;
	size_t n = c->map.n - at < SH_BLOCK ? c->map.n - at : SH_BLOCK;

	if (__atomic_load_n(seen, __ATOMIC_RELAXED) & bit)
		return 0;
	if (sh_parse_hex(sh_slice(c->sums + block * SH_SUM_LINE, SH_SUM_LINE - 1), &sum) < 0 ||
	    sum != XXH3_64bits(c->map.p + at, n))
		return damaged(c, "another checksum", at, err);
	__atomic_fetch_or(seen, bit, __ATOMIC_RELAXED);
	return 0;
}

int sh_checked_need(struct sh_checked *c, size_t from, size_t to, struct sh_error *err)
{
	for (size_t block = from / SH_BLOCK; block * SH_BLOCK < to; block++)
		if (check_block(c, block, err) < 0)
			return -1;
	return 0;
}

int sh_checked_line(struct sh_checked *c, size_t at, struct sh_slice *line, struct sh_error *err)
{
	size_t to = at;

	for (;;) {
		size_t end = to / SH_BLOCK * SH_BLOCK + SH_BLOCK;
		const char *lf;

		if (end > c->map.n)
			end = c->map.n;
		if (to >= end)
			return damaged(c, "no end of a line", at, err);
		if (sh_checked_need(c, to, end, err) < 0)
			return -1;
		lf = memchr(c->map.p + to, '\n', end - to);
		if (lf) {
			*line = sh_slice(c->map.p + at, (size_t)(lf - c->map.p) - at);
			return 0;
		}
		to = end;
	}
}

int sh_line_number(struct sh_slice line, uint32_t *number, struct sh_error *err)
{
	uint64_t w;

	if (line.n <= SH_NUMBER_DIGITS || line.p[SH_NUMBER_DIGITS] != '\t' ||
	    sh_parse_hex(sh_slice(line.p, SH_NUMBER_DIGITS), &w) < 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a record of the archive has no number: take back a copy of it");
	*number = (uint32_t)(w >> 32);
	return 0;
}

/* The first line that begins at or behind `at`, before `end`; end when there is none. */
static int line_start(struct sh_checked *c, size_t *at, size_t end, struct sh_error *err)
{
	struct sh_slice rest;

	if (*at == 0)
		return 0;
	if (sh_checked_line(c, *at - 1, &rest, err) < 0)
		return -1;
	*at += rest.n;
	if (*at > end)
		*at = end;
	return 0;
}

int sh_segment_find(struct sh_segment *s, enum sh_part part, uint32_t number, struct sh_slice *line,
    struct sh_error *err)
{
	struct sh_checked *c = &s->part[part];
	size_t lo = 0, hi = c->map.n; /* beginnings of lines, or the end */
	uint64_t first = s->entry.first, last = (uint64_t)s->entry.last + 1;
	bool guess = true;

	if (number < s->entry.first || number > s->entry.last)
		return 0;
	/* Numbers are nearly without gaps, and lines of like length: a guess, then a half, then
	 * a guess again. */
	while (lo < hi) {
		size_t mid = guess ? lo + (size_t)((double)(hi - lo) * (double)(number - first) /
						   (double)(last - first))
				   : lo + (hi - lo) / 2;
		uint32_t got = 0;

		/* So that the guess is more often before the line than behind it. */
		mid = guess && mid - lo > 64 ? mid - 64 : mid;
		if (line_start(c, &mid, hi, err) < 0)
			return -1;
		if (mid == hi)
			mid = lo;
		if (sh_checked_line(c, mid, line, err) < 0 || sh_line_number(*line, &got, err) < 0)
			return -1;
		if (got == number)
			return 1;
		if (got < number) {
			lo = mid + line->n + 1;
			first = (uint64_t)got + 1;
		} else {
			hi = mid;
			last = got;
		}
		if (first > number || last <= number)
			return 0;
		guess = !guess;
	}
	return 0;
}

/* ---- keys ---- */

size_t sh_segment_keys(const struct sh_segment *s)
{
	return s->part[SH_PART_KEY].map.n / SH_KEY_LINE;
}

int sh_segment_key(
    struct sh_segment *s, size_t i, uint64_t *key, uint32_t *number, struct sh_error *err)
{
	struct sh_checked *c = &s->part[SH_PART_KEY];
	const char *p = c->map.p + i * SH_KEY_LINE;
	uint64_t w;

	if (sh_checked_need(c, i * SH_KEY_LINE, (i + 1) * SH_KEY_LINE, err) < 0)
		return -1;
	if (sh_parse_hex(sh_slice(p, SH_KEY_DIGITS), key) < 0 || p[SH_KEY_DIGITS] != '\t' ||
	    sh_parse_hex(sh_slice(p + SH_KEY_DIGITS + 1, SH_NUMBER_DIGITS), &w) < 0 ||
	    p[SH_KEY_LINE - 1] != '\n')
		return damaged(c, "no key", i * SH_KEY_LINE, err);
	*key >>= 64 - 4 * SH_KEY_DIGITS;
	*number = (uint32_t)(w >> 32);
	return 0;
}

struct look {
	struct sh_segment *s;
	size_t n;
	struct sh_error *err;
};

/* Whether record i has a key below; -1 on failure. */
static int below(const struct look *l, size_t i, uint64_t key)
{
	uint64_t got;
	uint32_t number;

	if (sh_segment_key(l->s, i, &got, &number, l->err) < 0)
		return -1;
	return got < key;
}

/* The first record in lo .. hi-1 whose key is not below: all before lo are, hi is not. */
static int bisect(const struct look *l, size_t *lo, size_t hi, uint64_t key)
{
	while (*lo < hi) {
		size_t mid = *lo + (hi - *lo) / 2;
		int b = below(l, mid, key);

		if (b < 0)
			return -1;
		if (b)
			*lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/* The same, from a guess on in strides that double. */
static int gallop(const struct look *l, size_t *lo, size_t guess, uint64_t key)
{
	size_t hi = l->n, step = 1;
	int b;

	if (guess >= l->n)
		guess = l->n ? l->n - 1 : 0;
	if (guess < *lo)
		guess = *lo;
	if (*lo >= l->n)
		return 0;
	b = below(l, guess, key);
	if (b < 0)
		return -1;
	if (b) {
		for (*lo = guess + 1; *lo < l->n; step *= 2) {
			size_t next = *lo + step - 1 < l->n ? *lo + step - 1 : l->n - 1;

			b = below(l, next, key);
			if (b < 0)
				return -1;
			if (!b) {
				hi = next;
				break;
			}
			*lo = next + 1;
		}
	} else {
		for (hi = guess; hi > *lo; step *= 2) {
			size_t next = hi - *lo > step ? hi - step : *lo;

			b = below(l, next, key);
			if (b < 0)
				return -1;
			if (b) {
				*lo = next + 1;
				break;
			}
			hi = next;
		}
	}
	return bisect(l, lo, hi, key);
}

#define IN_BAND ((UINT64_C(1) << 40) - 1)

/* Keys of a band are spread evenly: where the next one stands follows from where the last one
 * did. */
struct place {
	uint64_t band, key; /* last looked for */
	size_t at, end;     /* where it would stand, and where the band ends */
};

static int enter_band(const struct look *l, struct place *p, uint64_t key)
{
	size_t end;

	p->band = key >> 40;
	p->key = p->band << 40;
	if (bisect(l, &p->at, l->n, p->key) < 0)
		return -1;
	end = p->at;
	if (gallop(l, &end, end, (p->band + 1) << 40) < 0)
		return -1;
	p->end = end;
	return 0;
}

static size_t guess(const struct place *p, uint64_t key)
{
	double span = (double)(IN_BAND - (p->key & IN_BAND)) + 1;

	return p->at + (size_t)((double)(p->end - p->at) * (double)(key - p->key) / span);
}

/* Have the disk bring at once what the next keys of this band will be looked for in, not one
 * after the other: how many keys that is. */
static size_t fetch(const struct look *l, const struct place *p, const uint64_t *key, size_t n)
{
	size_t at[FETCH], k = 0;

	for (; k < n && k < FETCH && key[k] >> 40 == p->band; k++)
		at[k] = guess(p, key[k]) * SH_KEY_LINE;
	sh_folder_fetch(&l->s->part[SH_PART_KEY].map, at, k);
	return k;
}

static int tell_found(
    const struct look *l, size_t at, uint64_t key, size_t asked, sh_key_found *found, void *arg)
{
	for (; at < l->n; at++) {
		uint64_t got;
		uint32_t number;

		if (sh_segment_key(l->s, at, &got, &number, l->err) < 0)
			return -1;
		if (got != key)
			return 0;
		if (found(arg, asked, number, l->err) < 0)
			return -1;
	}
	return 0;
}

int sh_segment_look(struct sh_segment *s, const uint64_t *key, size_t n, sh_key_found *found,
    void *arg, struct sh_error *err)
{
	struct look l = { s, sh_segment_keys(s), err };
	struct place p = { .band = UINT64_MAX };
	size_t fetched = 0;

	for (size_t i = 0; i < n; i++) {
		if (key[i] >> 40 != p.band) {
			if (enter_band(&l, &p, key[i]) < 0)
				return -1;
			fetched = i;
		}
		if (i == fetched)
			fetched = i + fetch(&l, &p, key + i, n - i);
		if (gallop(&l, &p.at, guess(&p, key[i]), key[i]) < 0)
			return -1;
		p.key = key[i];
		if (tell_found(&l, p.at, key[i], i, found, arg) < 0)
			return -1;
	}
	return 0;
}

/* ---- records ---- */

static bool digits(struct sh_slice s, size_t n, uint64_t *x)
{
	return s.n == n && sh_parse_u64(s, x) == SH_NUM_OK;
}

int sh_doc_parse(struct sh_slice line, struct sh_doc_record *r, struct sh_error *err)
{
	struct sh_slice f[9];
	uint64_t w;

	if (sh_line_number(line, &r->number, err) < 0)
		return -1;
	if (sh_fields_split(line, f, 9) != 8 || !digits(f[1], 10, &r->time) ||
	    f[2].n != SH_NUMBER_DIGITS || sh_parse_hex(f[2], &w) < 0 || f[6].n != 16 ||
	    sh_parse_hex(f[6], &r->digest) < 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "record %08x of the archive is bad: take back a copy of it", r->number);
	r->keeper = (uint32_t)(w >> 32);
	r->distance = f[3];
	r->similarity = f[4];
	r->fp = f[5];
	r->id = f[7];
	return 0;
}

int sh_doc_print(const struct sh_doc_record *r, struct sh_buf *out, struct sh_error *err)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%08x\t%010llu\t%08x\t", r->number,
	    (unsigned long long)r->time, r->keeper);

	if (sh_buf_add(out, text, (size_t)n, err) < 0 ||
	    sh_buf_add(out, r->distance.p, r->distance.n, err) < 0 ||
	    sh_buf_add(out, "\t", 1, err) < 0 ||
	    sh_buf_add(out, r->similarity.p, r->similarity.n, err) < 0 ||
	    sh_buf_add(out, "\t", 1, err) < 0 || sh_buf_add(out, r->fp.p, r->fp.n, err) < 0)
		return -1;
	n = snprintf(text, sizeof text, "\t%016llx\t", (unsigned long long)r->digest);
	if (sh_buf_add(out, text, (size_t)n, err) < 0 || sh_buf_add(out, r->id.p, r->id.n, err) < 0)
		return -1;
	return sh_buf_add(out, "\n", 1, err);
}

void sh_key_print(char *out, uint64_t key, uint32_t number)
{
	uint64_t word = (uint64_t)number << 32;

	key <<= 64 - 4 * SH_KEY_DIGITS;
	sh_print_hex(out, &key, SH_KEY_DIGITS);
	out[SH_KEY_DIGITS] = '\t';
	sh_print_hex(out + SH_KEY_DIGITS + 1, &word, SH_NUMBER_DIGITS);
	out[SH_KEY_LINE - 1] = '\n';
}

/* ---- writing ---- */

static int end_block(struct sh_part_writer *w, struct sh_error *err)
{
	uint64_t sum = XXH3_64bits(w->block, w->n);
	char line[SH_SUM_LINE];

	sh_print_hex(line, &sum, 16);
	line[16] = '\n';
	w->n = 0;
	return sh_buf_add(&w->sums, line, sizeof line, err);
}

static int write_part(struct sh_part_writer *w, struct sh_slice s, struct sh_error *err)
{
	if (sh_folder_write(&w->file, s.p, s.n, err) < 0)
		return -1;
	while (s.n) {
		size_t n = SH_BLOCK - w->n < s.n ? SH_BLOCK - w->n : s.n;

		memcpy(w->block + w->n, s.p, n);
		w->n += n;
		s = sh_slice(s.p + n, s.n - n);
		if (w->n == SH_BLOCK && end_block(w, err) < 0)
			return -1;
	}
	w->records++;
	return 0;
}

int sh_segment_create(struct sh_segment_writer *w, const struct sh_folder *folder, uint32_t number,
    enum sh_store store, struct sh_error *err)
{
	*w = (struct sh_segment_writer){
		.folder = folder, .store = store, .entry = { .number = number }, .empty = true
	};
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		char name[SH_NAME_MAX];

		if (i == SH_PART_STORE && store == SH_STORE_NONE)
			continue;
		sh_part_name(name, number, i, store);
		if (sh_folder_create(&w->part[i].file, folder, name, err) < 0)
			return -1;
	}
	return 0;
}

int sh_segment_write(
    struct sh_segment_writer *w, enum sh_part part, struct sh_slice line, struct sh_error *err)
{
	return write_part(&w->part[part], line, err);
}

void sh_segment_covers(struct sh_segment_writer *w, uint32_t first, uint32_t last)
{
	if (w->empty || first < w->entry.first)
		w->entry.first = first;
	if (w->empty || last > w->entry.last)
		w->entry.last = last;
	w->empty = false;
}

static int finish_part(struct sh_segment_writer *w, enum sh_part i, struct sh_error *err)
{
	struct sh_part_writer *p = &w->part[i];
	struct sh_part_size *size = &w->entry.part[i];

	if (!p->file.folder)
		return 0;
	if (p->n && end_block(p, err) < 0)
		return -1;
	*size = (struct sh_part_size){ .bytes = p->file.size, .records = p->records };
	size->checksum = p->sums.n ? XXH3_64bits(p->sums.p, p->sums.n) : 0;
	return sh_folder_finish(&p->file, err);
}

static int write_sums(struct sh_segment_writer *w, struct sh_error *err)
{
	struct sh_part_size *size = &w->entry.part[SH_PART_SUM];
	struct sh_folder_file out;
	struct sh_buf all = { 0 };
	char name[SH_NAME_MAX];
	int status = 0;

	for (enum sh_part i = 0; status == 0 && i < SH_PART_SUM; i++)
		status = sh_buf_add(&all, w->part[i].sums.p, w->part[i].sums.n, err);
	*size = (struct sh_part_size){ all.n, all.n / SH_SUM_LINE, XXH3_64bits(all.p, all.n) };
	sh_part_name(name, w->entry.number, SH_PART_SUM, w->store);
	if (status == 0)
		status = sh_folder_create(&out, w->folder, name, err);
	if (status == 0) {
		status = sh_folder_write(&out, all.p, all.n, err);
		if (status == 0)
			status = sh_folder_finish(&out, err);
		else
			sh_folder_abandon(&out);
	}
	sh_buf_free(&all);
	return status;
}

int sh_segment_finish(struct sh_segment_writer *w, struct sh_error *err)
{
	for (enum sh_part i = 0; i < SH_PART_SUM; i++)
		if (finish_part(w, i, err) < 0)
			return -1;
	return write_sums(w, err);
}

void sh_segment_abandon(struct sh_segment_writer *w)
{
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		sh_folder_abandon(&w->part[i].file);
		sh_buf_free(&w->part[i].sums);
	}
}
