#include "archive/segment.h"

#include <stdlib.h>
#include <xxhash.h>

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
	c->seen = calloc(sh_checked_blocks(bytes) / SH_SEEN_BITS + 1, sizeof *c->seen);
	return c->seen ? 0 : sh_error_nomem(err);
}

/* Assigns to each file its part of the lines of .sum. */
static int share_sums(struct sh_segment *s, const struct sh_folder *folder, struct sh_error *err)
{
	const struct sh_part_size *all = &s->entry.part[SH_PART_SUM];
	const char *at = s->sums.p;
	size_t n = 0;

	for (enum sh_part i = 0; i < SH_PART_SUM; i++)
		n += sh_checked_blocks(s->entry.part[i].bytes) * SH_SUM_LINE;
	if (n != s->sums.n || XXH3_64bits(s->sums.p, s->sums.n) != all->checksum)
		return sh_error_set(err, SH_ERR_RECORD,
		    "'%s/%08x.sum' is damaged: restore the archive from a backup", folder->path,
		    s->entry.number);
	for (enum sh_part i = 0; i < SH_PART_SUM; i++) {
		size_t part = sh_checked_blocks(s->entry.part[i].bytes) * SH_SUM_LINE;

		s->part[i].sums = at;
		if (part && XXH3_64bits(at, part) != s->entry.part[i].checksum)
			return sh_checked_damaged(&s->part[i], "checksum", 0, err);
		at += part;
	}
	return 0;
}

int sh_segment_open(struct sh_segment *s, const struct sh_folder *folder,
    const struct sh_segment_entry *entry, enum sh_archive_store store, struct sh_error *err)
{
	char name[SH_NAME_MAX];
	int status = 0;

	*s = (struct sh_segment){ .entry = *entry, .store = store };
	for (enum sh_part i = 0; status == 0 && i < SH_PART_SUM; i++)
		if (sh_has_part(store, i))
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

/* Moves *at to the first line that begins at *at or later, and before end; to end when there is no
 * such line. */
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
	/* Numbers have few gaps, and lines have similar lengths. So interpolation and bisection
	 * take turns. */
	while (lo < hi) {
		size_t mid = guess ? lo + (size_t)((double)(hi - lo) * (double)(number - first) /
						   (double)(last - first))
				   : lo + (hi - lo) / 2;
		uint32_t got = 0;

		/* 64 bytes less: an estimate before the line is better than one behind it. */
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
	size_t at = i * SH_KEY_LINE;

	if (sh_checked_need(c, at, at + SH_KEY_LINE, err) < 0)
		return -1;
	if (sh_key_parse(c->map.p + at, key, number) < 0)
		return sh_checked_damaged(c, "no key", at, err);
	return 0;
}
