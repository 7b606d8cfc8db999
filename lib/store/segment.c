/* SPDX-License-Identifier: MIT */
#include "store/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/bytes.h"

/* ---- names ---- */

static const char *const suffix[] = { "tsv", "bin", "index" };
enum { DIGITS = 8, KEY_DIGITS = 12 };

void sh_store_part_name(char out[SH_STORE_PART_NAME], const struct sh_store_manifest *m,
    uint32_t segment, enum sh_store_part part)
{
	unsigned which = part == SH_STORE_PART_INDEX ? 2 : m->form == SH_STORE_SKETCH;

	snprintf(out, SH_STORE_PART_NAME, "%08x.%012llx.%s", segment,
	    (unsigned long long)(m->key[0] >> 16), suffix[which]);
}

enum sh_store_file sh_store_file_of(
    const struct sh_store_manifest *m, const char *name, uint32_t *segment)
{
	static const char hex[] = "0123456789abcdef";
	const char *dot = strchr(name, '.'), *end;

	if (!dot || strspn(dot + 1, hex) != KEY_DIGITS ||
	    (m && strtoull(dot + 1, NULL, 16) != m->key[0] >> 16))
		return SH_STORE_FOREIGN;
	end = dot + 1 + KEY_DIGITS;
	if (strncmp(name, "manifest.", (size_t)(dot + 1 - name)) == 0)
		return *end ? SH_STORE_FOREIGN : SH_STORE_NEW_MANIFEST;
	if (dot - name != DIGITS || strspn(name, hex) != DIGITS || *end != '.')
		return SH_STORE_FOREIGN;
	*segment = (uint32_t)strtoul(name, NULL, 16);
	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
		if (strcmp(end + 1, suffix[i]) == 0)
			return SH_STORE_SEGMENT;
	return SH_STORE_FOREIGN;
}

/* ---- opening ---- */

int sh_store_segment_damaged(const struct sh_store_segment *s, enum sh_store_part part,
    const char *what, uint64_t at, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s/%s' is damaged: %s at byte %llu: restore the archive from a backup",
	    s->folder->path, s->part[part].name, what, (unsigned long long)at);
}

static int open_part(struct sh_store_segment *s, const struct sh_store_manifest *m,
    enum sh_store_part part, uint64_t bytes, struct sh_error *err)
{
	struct sh_store_checked *c = &s->part[part];

	sh_store_part_name(c->name, m, s->entry.number, part);
	if (sh_folder_map(&c->map, s->folder, c->name, bytes, err) < 0)
		return -1;
	sh_mapped_expect(&c->map, false);
	c->seen = calloc((size_t)sh_store_blocks(bytes) / 32 + 1, sizeof *c->seen);
	return c->seen ? 0 : sh_error_nomem(err);
}

int sh_store_segment_open(struct sh_store_segment *s, const struct sh_folder *folder,
    const struct sh_store_manifest *m, const struct sh_store_segment_entry *entry,
    struct sh_error *err)
{
	uint64_t ids = entry->postings * SH_STORE_POSTING_BYTES;
	uint64_t records = ids + entry->documents * SH_STORE_POSTING_BYTES;
	uint64_t sums = records + entry->documents * SH_STORE_RECORD_BYTES;
	uint64_t blocks = sh_store_blocks(entry->bytes) + sh_store_blocks(sums);
	struct sh_store_checked *part = s->part;
	int status;

	*s = (struct sh_store_segment){ .entry = *entry, .folder = folder };
	s->ids = (size_t)ids;
	s->records = (size_t)records;
	s->sums = (size_t)sums;
	status = open_part(s, m, SH_STORE_PART_DOCUMENTS, entry->bytes, err);
	if (status == 0)
		status = open_part(s, m, SH_STORE_PART_INDEX, sums + 8 * blocks, err);
	if (status == 0 &&
	    XXH3_64bits(part[SH_STORE_PART_INDEX].map.p + sums, (size_t)(8 * blocks)) != entry->sum)
		status =
		    sh_store_segment_damaged(s, SH_STORE_PART_INDEX, "other checksums", sums, err);
	if (status < 0) {
		sh_store_segment_close(s);
		return -1;
	}
	part[SH_STORE_PART_DOCUMENTS].sums = part[SH_STORE_PART_INDEX].map.p + sums;
	part[SH_STORE_PART_INDEX].sums =
	    part[SH_STORE_PART_DOCUMENTS].sums + 8 * sh_store_blocks(entry->bytes);
	return 0;
}

void sh_store_segment_close(struct sh_store_segment *s)
{
	for (enum sh_store_part i = 0; i < SH_STORE_PARTS; i++) {
		sh_mapped_close(&s->part[i].map);
		free(s->part[i].seen);
	}
	*s = (struct sh_store_segment){ 0 };
}

/* ---- checksums ---- */

int sh_store_segment_need(struct sh_store_segment *s, enum sh_store_part part, uint64_t from,
    uint64_t to, struct sh_error *err)
{
	struct sh_store_checked *c = &s->part[part];
	uint64_t end = part == SH_STORE_PART_INDEX ? s->sums : s->entry.bytes;

	if (from > to || to > end)
		return sh_store_segment_damaged(s, part, "a record beyond the end", from, err);
	for (uint64_t block = from / SH_STORE_BLOCK; block * SH_STORE_BLOCK < to; block++) {
		uint32_t bit = UINT32_C(1) << block % 32, *seen = &c->seen[block / 32];
		uint64_t at = block * SH_STORE_BLOCK;
		size_t n = end - at < SH_STORE_BLOCK ? (size_t)(end - at) : SH_STORE_BLOCK;

		if (__atomic_load_n(seen, __ATOMIC_RELAXED) & bit)
			continue;
		if (sh_le64(c->sums + 8 * block) != XXH3_64bits(c->map.p + at, n))
			return sh_store_segment_damaged(s, part, "another checksum", at, err);
		__atomic_fetch_or(seen, bit, __ATOMIC_RELAXED);
	}
	return 0;
}

/* ---- records ---- */

/* Layout of a record: number 0, keeper 4, time 8, digest 16, offset of the line 24, bytes of the
 * line 32, offset of the id in the line 36, bytes of the id 40, similarity 44, measure 46, and a
 * byte 0. */
int sh_store_segment_record(
    struct sh_store_segment *s, size_t i, struct sh_record *r, struct sh_error *err)
{
	size_t at = s->records + i * SH_STORE_RECORD_BYTES;
	const char *p = s->part[SH_STORE_PART_INDEX].map.p + at,
		   *text = s->part[SH_STORE_PART_DOCUMENTS].map.p;
	uint64_t line;
	uint32_t n, id, id_n;

	if (sh_store_segment_need(s, SH_STORE_PART_INDEX, at, at + SH_STORE_RECORD_BYTES, err) < 0)
		return -1;
	*r = (struct sh_record){ .number = sh_le32(p),
		.keeper = sh_le32(p + 4),
		.time = sh_le64(p + 8),
		.digest = sh_le64(p + 16),
		.similarity = (uint16_t)((uint8_t)p[44] | (uint8_t)p[45] << 8),
		.measure = (uint8_t)p[46] };
	line = sh_le64(p + 24);
	n = sh_le32(p + 32);
	id = sh_le32(p + 36);
	id_n = sh_le32(p + 40);
	if (line > s->entry.bytes || n >= s->entry.bytes - line || id > n || id_n > n - id)
		return sh_store_segment_damaged(s, SH_STORE_PART_INDEX, "a bad record", at, err);
	if (sh_store_segment_need(s, SH_STORE_PART_DOCUMENTS, line, line + n + 1, err) < 0)
		return -1;
	r->line = sh_slice(text + line, n);
	r->id = sh_slice(text + line + id, id_n);
	return 0;
}

int sh_store_segment_find(
    struct sh_store_segment *s, uint32_t number, size_t *i, struct sh_error *err)
{
	size_t lo = 0, hi = (size_t)s->entry.documents;
	bool first = true;

	if (number < s->entry.first || number > s->entry.last)
		return 0;
	/* Without gaps the distance to the first number is the place. Gaps make the place lower. */
	for (; lo < hi; first = false) {
		size_t mid = lo + (hi - lo) / 2, at;
		uint32_t got;

		if (first)
			mid = number - s->entry.first < hi ? number - s->entry.first : hi - 1;
		at = s->records + mid * SH_STORE_RECORD_BYTES;
		if (sh_store_segment_need(s, SH_STORE_PART_INDEX, at, at + 4, err) < 0)
			return -1;
		got = sh_le32(s->part[SH_STORE_PART_INDEX].map.p + at);
		if (got == number) {
			*i = mid;
			return 1;
		}
		if (got < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/* ---- lists ---- */

size_t sh_store_segment_length(const struct sh_store_segment *s, enum sh_list list)
{
	return (size_t)(list == SH_LIST_POSTINGS ? s->entry.postings : s->entry.documents);
}

int sh_store_segment_posting(struct sh_store_segment *s, enum sh_list list, size_t i,
    struct sh_store_posting *p, struct sh_error *err)
{
	size_t at = (list == SH_LIST_POSTINGS ? 0 : s->ids) + i * SH_STORE_POSTING_BYTES;
	const char *from = s->part[SH_STORE_PART_INDEX].map.p + at;

	if (sh_store_segment_need(s, SH_STORE_PART_INDEX, at, at + SH_STORE_POSTING_BYTES, err) < 0)
		return -1;
	*p = (struct sh_store_posting){ sh_le64(from), sh_le32(from + 8), sh_le32(from + 12) };
	return 0;
}

/* Moves *at to the first element from *at on whose key is not less (beyond: is greater). Looks at
 * near elements first. */
static int skip_to(struct sh_store_segment *s, enum sh_list list, size_t *at, uint64_t key,
    bool beyond, struct sh_error *err)
{
	size_t n = sh_store_segment_length(s, list), lo = *at, hi = n, step = 1;
	struct sh_store_posting p;

	/* All elements before lo are less; the element at hi is not. */
	for (bool near = true; lo < hi;) {
		size_t mid = near ? (step < hi - lo ? lo + step - 1 : hi - 1) : lo + (hi - lo) / 2;

		if (sh_store_segment_posting(s, list, mid, &p, err) < 0)
			return -1;
		if (p.key < key || (beyond && p.key == key)) {
			lo = mid + 1;
			step *= 4;
		} else {
			hi = mid;
			near = false;
		}
	}
	*at = lo;
	return 0;
}

int sh_store_segment_look(struct sh_store_segment *s, enum sh_list list, const uint64_t *key,
    size_t n, size_t most, sh_store_found *found, void *arg, struct sh_error *err)
{
	size_t at = 0, end, length = sh_store_segment_length(s, list);

	for (size_t k = 0; k < n && at < length; k++, at = end) {
		struct sh_store_posting p;

		end = at;
		if (k && key[k] == key[k - 1])
			continue;
		if (skip_to(s, list, &at, key[k], false, err) < 0)
			return -1;
		end = at;
		if (skip_to(s, list, &end, key[k], true, err) < 0)
			return -1;
		for (size_t i = at; i < end; i++) {
			if (most && i == at + most && end - i > most)
				i = end - most;
			if (sh_store_segment_posting(s, list, i, &p, err) < 0)
				return -1;
			if (p.key != key[k])
				return sh_store_segment_damaged(s, SH_STORE_PART_INDEX,
				    "keys out of order", i * SH_STORE_POSTING_BYTES, err);
			if (found(arg, k, &p, err) < 0)
				return -1;
		}
	}
	return 0;
}
