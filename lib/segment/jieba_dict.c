/* SPDX-License-Identifier: MIT */
#include "segment/jieba_dict.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/bytes.h"
#include "unicode/script.h"
#include "unicode/utf8.h"

enum { ALIGN = 64 };

static uint64_t align_up(uint64_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

struct sh_jieba_layout sh_jieba_layout(uint32_t n_nodes)
{
	struct sh_jieba_layout l;

	l.code = align_up(sizeof(struct sh_jieba_header));
	l.emit = align_up(l.code + 0x10000 * sizeof(uint16_t));
	l.node = align_up(l.emit + SH_HAN_COUNT * SH_HMM_STATES * sizeof(double));
	l.freq = align_up(l.node + (uint64_t)n_nodes * sizeof(struct sh_jieba_node));
	l.size = l.freq + (uint64_t)n_nodes * sizeof(uint64_t);
	return l;
}

static uint64_t header_sum(const void *image)
{
	return XXH3_64bits(image, offsetof(struct sh_jieba_header, header_sum));
}

static uint64_t body_sum(const void *image, uint64_t size)
{
	uint64_t start = align_up(sizeof(struct sh_jieba_header));

	return XXH3_64bits((const char *)image + start, (size_t)(size - start));
}

static uint64_t mix(uint64_t sum, uint64_t x)
{
	char bytes[8];

	sh_put_le64(bytes, x);
	return XXH3_64bits_withSeed(bytes, sizeof bytes, sum);
}

/* Returns the checksum of the word that ends at a node, from its last unit to the first. Stops
 * after max_len units: parents may form a cycle in a damaged file. */
static uint64_t word_sum(const struct sh_jieba *j, const uint16_t *unit, uint32_t node)
{
	uint64_t sum = j->freq[node];

	for (uint32_t n = 0; n < j->h.max_len && node != SH_NODE_ROOT; n++) {
		uint32_t parent = j->node[node].check, code;

		if (parent >= j->h.n_nodes)
			break;
		code = node - j->node[parent].base;
		sum = mix(sum, code < SH_CODE_END ? unit[code] : code);
		node = parent;
	}
	return sum;
}

/* Logarithms are left out: another libm may round them differently. */
int sh_jieba_checksum(const struct sh_jieba *j, uint64_t *sum, struct sh_error *err)
{
	uint16_t *unit = calloc(SH_CODE_END, sizeof *unit); /* UTF-16 unit of each code */

	if (!unit)
		return sh_error_nomem(err);
	for (uint32_t u = 0; u < 0x10000; u++) {
		uint32_t code = sh_jieba_word_code(j->code, u);

		if (code < SH_CODE_END)
			unit[code] = (uint16_t)u;
	}
	*sum = j->h.total;
	for (uint32_t i = 1; i < j->h.n_nodes; i++)
		if (j->node[i].check != SH_NODE_FREE && j->freq[i])
			*sum += word_sum(j, unit, i);
	free(unit);
	return 0;
}

void sh_jieba_seal(void *image)
{
	struct sh_jieba_header *h = image;

	h->body_sum = body_sum(image, h->file_size);
	h->header_sum = header_sum(image);
}

static int check_header(
    const struct sh_jieba_header *h, struct sh_slice image, struct sh_error *err)
{
	if (h->order != SH_JIEBA_ORDER || h->version != SH_JIEBA_VERSION)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the dictionary has another version or byte order (compile it again with "
		    "shdict)");
	if (h->header_sum != header_sum(image.p))
		return sh_error_set(
		    err, SH_ERR_RECORD, "damaged dictionary: wrong header checksum");
	if (h->n_nodes < SH_CODE_END || h->max_len < 1 || h->max_len > SH_JIEBA_WORD_MAX ||
	    h->total == 0 || h->total > SH_FREQ_MAX)
		return sh_error_set(err, SH_ERR_RECORD, "damaged dictionary: impossible header");
	if (h->file_size != image.n || sh_jieba_layout(h->n_nodes).size != image.n)
		return sh_error_set(err, SH_ERR_RECORD,
		    "damaged dictionary: %zu bytes, expected %llu", image.n,
		    (unsigned long long)h->file_size);
	return 0;
}

/* Checks each code, because codes index the other tables. This takes 20 microseconds at opening.
 * The other tables are not checked as a whole. */
static int check_codes(const uint16_t *code, struct sh_error *err)
{
	unsigned bad = 0;

	for (uint32_t u = 0; u < 0x10000; u++) {
		bool han = u - SH_HAN_FIRST < SH_HAN_COUNT;
		unsigned lo = han ? SH_CODE_HAN : 0, hi = han ? SH_CODE_GAP : SH_NODE_ROOT;

		bad |= code[u] < lo || code[u] >= hi;
	}
	for (uint32_t u = 0; u < 0x80; u++)
		bad |= code[u] != sh_jieba_text_code(u);
	if (bad)
		return sh_error_set(
		    err, SH_ERR_RECORD, "damaged dictionary: impossible character code");
	return 0;
}

/* Sets the members of *j to the tables of the image, and checks these tables. */
static int open_tables(struct sh_jieba *j, struct sh_slice image, struct sh_error *err)
{
	struct sh_jieba_layout l;

	memcpy(&j->h, image.p, sizeof j->h);
	if (check_header(&j->h, image, err) < 0)
		return -1;
	l = sh_jieba_layout(j->h.n_nodes);
	j->image = image;
	j->code = (const void *)(image.p + l.code);
	j->emit = (const void *)(image.p + l.emit);
	j->node = (const void *)(image.p + l.node);
	j->freq = (const void *)(image.p + l.freq);
	if (j->node[0].base != 0 || j->node[0].check != SH_NODE_FREE ||
	    j->node[SH_NODE_ROOT].base != 0)
		return sh_error_set(err, SH_ERR_RECORD, "damaged dictionary: no root");
	return check_codes(j->code, err);
}

struct sh_jieba *sh_jieba_open_image(struct sh_slice image, struct sh_error *err)
{
	struct sh_jieba *j;

	if (image.n < sizeof j->h || memcmp(image.p, SH_JIEBA_MAGIC, sizeof j->h.magic) != 0) {
		sh_error_set(err, SH_ERR_RECORD, "not a compiled jieba dictionary");
		return NULL;
	}
	j = calloc(1, sizeof *j);
	if (!j)
		sh_error_nomem(err);
	else if (open_tables(j, image, err) == 0)
		return j;
	free(j);
	return NULL;
}

struct sh_jieba *sh_jieba_open(const char *path, struct sh_error *err)
{
	struct sh_mapped file;
	struct sh_error why;
	struct sh_jieba *j;

	if (sh_mapped_load(&file, path, err) < 0)
		return NULL;
	j = sh_jieba_open_image(sh_slice(file.p, file.n), &why);
	if (!j) {
		sh_mapped_close(&file);
		sh_error_set(err, why.code, "%s: %s", path, why.text);
		return NULL;
	}
	j->file = file;
	j->file.name = NULL; /* the path was borrowed for messages about opening the file */
	return j;
}

void sh_jieba_delete(struct sh_jieba *j)
{
	if (!j)
		return;
	sh_mapped_close(&j->file);
	if (j->own)
		j->delete_own(j->own);
	free(j);
}

int sh_jieba_check(const struct sh_jieba *j, struct sh_error *err)
{
	const struct sh_jieba_header *h = (const void *)j->image.p;

	if (body_sum(j->image.p, j->image.n) != h->body_sum)
		return sh_error_set(err, SH_ERR_RECORD, "damaged dictionary: wrong checksum");
	return 0;
}

struct sh_slice sh_jieba_strip(struct sh_slice s)
{
	return sh_slice_strip(s, " \t\n\v\f\r");
}

unsigned sh_jieba_units(uint32_t cp, uint32_t units[2])
{
	units[0] = cp;
	if (cp < 0x10000)
		return 1;
	units[0] = 0xD800 + ((cp - 0x10000) >> 10);
	units[1] = 0xDC00 + (cp & 0x3FF);
	return 2;
}

uint16_t sh_jieba_text_code(uint32_t cp)
{
	static const char signs[] = "+#&._%-";
	const char *sign = cp && cp < 0x80 ? strchr(signs, (int)cp) : NULL;

	if (cp >= '0' && cp <= '9')
		return (uint16_t)(SH_CODE_DIGIT + cp - '0');
	if (cp >= 'A' && cp <= 'Z')
		return (uint16_t)(SH_CODE_DIGIT + 10 + cp - 'A');
	if (cp >= 'a' && cp <= 'z')
		return (uint16_t)(SH_CODE_DIGIT + 36 + cp - 'a');
	if (sign)
		return (uint16_t)(SH_CODE_ALNUM + 1 + (sign - signs));
	if (cp >= 0xD800 && cp < 0xE000)
		return 0;
	/* Python's str.isspace(). */
	return sh_is_white_space(cp) || (cp >= 0x1C && cp <= 0x1F) ? SH_CODE_SPACE : SH_CODE_GAP;
}

uint32_t sh_jieba_word_code(const uint16_t *code, uint32_t unit)
{
	if (code[unit] && code[unit] < SH_CODE_GAP)
		return code[unit];
	return SH_CODE_OTHER + (unit < SH_HAN_FIRST ? unit : unit - SH_HAN_COUNT);
}

uint32_t sh_jieba_find(const struct sh_jieba *j, const uint16_t *codes, size_t n)
{
	uint32_t at = SH_NODE_ROOT;

	if (n > j->h.max_len)
		return 0;
	for (size_t i = 0; i < n; i++) {
		at = sh_jieba_child(j, at, codes[i]);
		if (at == 0)
			return 0;
	}
	return at;
}

int64_t sh_jieba_freq(const struct sh_jieba *j, struct sh_slice word)
{
	const uint8_t *p = (const uint8_t *)word.p, *end = p + word.n;
	uint32_t at = word.n ? SH_NODE_ROOT : 0, units[2];

	while (p < end && at) {
		uint32_t cp = sh_utf8_next(&p, end);
		unsigned n = cp == SH_UTF8_ILL ? 0 : sh_jieba_units(cp, units);

		if (n == 0)
			return -1;
		for (unsigned i = 0; i < n && at; i++)
			at = sh_jieba_child(j, at, sh_jieba_word_code(j->code, units[i]));
	}
	return at ? (int64_t)(j->freq[at] & ~SH_FREQ_SPLIT) : -1;
}
