/* SPDX-License-Identifier: MIT */
/* Functions for the tests of the text layer: files, random text, and folding by utf8proc_map. */
#ifndef TEXT_UTIL_H
#define TEXT_UTIL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "base/buf.h"
#include "rng.h"
#include "tap.h"
#include "unicode/utf8.h"

static inline void append(struct sh_buf *b, const void *p, size_t n)
{
	struct sh_error err;

	must(sh_buf_add(b, p, n, &err) == 0);
}

static inline void append_cp(struct sh_buf *b, uint32_t c)
{
	uint8_t bytes[4];

	append(b, bytes, sh_utf8_put(bytes, c));
}

/* Returns a copy in a block of exactly n bytes, so that a sanitizer finds reads beyond it. */
static inline char *exact_copy(const void *p, size_t n)
{
	char *copy = malloc(n ? n : 1);

	must(copy != NULL);
	if (n)
		memcpy(copy, p, n);
	return n ? copy : (copy[0] = 0, copy);
}

/* Returns the content of the stream. NULL gives an empty buffer. */
static inline struct sh_buf slurp(FILE *f)
{
	struct sh_buf b = { 0 };
	char block[65536];
	size_t n;

	while (f && (n = fread(block, 1, sizeof block, f)) > 0)
		append(&b, block, n);
	return b;
}

/* Returns the content of the file. A missing file gives an empty buffer. */
static inline struct sh_buf slurp_path(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct sh_buf b = slurp(f);

	if (f)
		fclose(f);
	return b;
}

/* Returns the content of a file, which must exist. */
static inline struct sh_buf slurp_file(const char *dir, const char *name)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	must(access(path, R_OK) == 0);
	return slurp_path(path);
}

/* Replaces ill-formed sequences by U+FFFD. Returns their number. */
static inline uint64_t repair(const char *text, size_t n, struct sh_buf *out)
{
	const uint8_t *p = (const uint8_t *)text, *end = n ? p + n : p;
	uint64_t ill = 0;

	while (p < end) {
		uint32_t c = sh_utf8_next_checked(&p, end);

		ill += c == SH_UTF8_ILL;
		append_cp(out, c == SH_UTF8_ILL ? 0xFFFD : c);
	}
	return ill;
}

static inline void append_map(const char *text, size_t n, struct sh_buf *out)
{
	utf8proc_uint8_t *mapped = NULL;
	utf8proc_ssize_t got =
	    utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)n, &mapped,
		UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
		    UTF8PROC_IGNORE);

	must(got >= 0);
	append(out, mapped, (size_t)got);
	free(mapped);
}

/* Computes NFKC_Casefold by utf8proc_map. Folds the text before each U+11A7 separately, because
 * utf8proc drops this vowel behind a syllable. */
static inline uint64_t fold_by_map(const char *text, size_t n, struct sh_buf *out)
{
	struct sh_buf repaired = { 0 };
	uint64_t ill = repair(text, n, &repaired);
	size_t from = 0;

	for (size_t i = 1; i + 3 <= repaired.n; i++)
		if (memcmp(repaired.p + i, "\u11A7", 3) == 0) {
			append_map(repaired.p + from, i - from, out);
			from = i;
		}
	if (from < repaired.n)
		append_map(repaired.p + from, repaired.n - from, out);
	sh_buf_free(&repaired);
	return ill;
}

/* Random text has code points of these ranges: scripts, marks, jamo, ignorables, compatibility
 * forms. */
static const uint32_t TEXT_BLOCKS[][2] = {
	{ 0x0000, 0x0080 },
	{ 0x0020, 0x007F },
	{ 0x0041, 0x005B },
	{ 0x0061, 0x007B },
	{ 0x0030, 0x003A },
	{ 0x00A0, 0x0100 },
	{ 0x0100, 0x0250 },
	{ 0x02B0, 0x0300 },
	{ 0x0300, 0x0370 },
	{ 0x0300, 0x0350 },
	{ 0x0370, 0x0400 },
	{ 0x0400, 0x0500 },
	{ 0x0530, 0x0590 },
	{ 0x0590, 0x0600 },
	{ 0x0600, 0x0700 },
	{ 0x0900, 0x0980 },
	{ 0x0980, 0x0E00 },
	{ 0x0E00, 0x0E80 },
	{ 0x0E80, 0x0F00 },
	{ 0x0F00, 0x1000 },
	{ 0x1000, 0x10A0 },
	{ 0x10A0, 0x1100 },
	{ 0x1100, 0x1200 },
	{ 0x1160, 0x11B0 },
	{ 0x1780, 0x1800 },
	{ 0x180B, 0x1810 },
	{ 0x1AB0, 0x1B00 },
	{ 0x1B00, 0x1B80 },
	{ 0x1E00, 0x2000 },
	{ 0x2000, 0x2070 },
	{ 0x200B, 0x2010 },
	{ 0x2070, 0x2200 },
	{ 0x2200, 0x2300 },
	{ 0x2460, 0x2500 },
	{ 0x2C00, 0x2E00 },
	{ 0x2E80, 0x3000 },
	{ 0x3000, 0x3040 },
	{ 0x3040, 0x3100 },
	{ 0x3099, 0x309B },
	{ 0x3130, 0x3400 },
	{ 0x4E00, 0x9FFF },
	{ 0xA640, 0xA6A0 },
	{ 0xAA60, 0xAA80 },
	{ 0xAB30, 0xABC0 },
	{ 0xAC00, 0xD7A4 },
	{ 0xE000, 0xE010 },
	{ 0xF900, 0xFB50 },
	{ 0xFB50, 0xFE00 },
	{ 0xFE00, 0xFE70 },
	{ 0xFE70, 0x10000 },
	{ 0xFF00, 0xFFF0 },
	{ 0x10400, 0x10450 },
	{ 0x11080, 0x11200 },
	{ 0x11300, 0x11380 },
	{ 0x114B0, 0x114C0 },
	{ 0x115A0, 0x115C0 },
	{ 0x11930, 0x11940 },
	{ 0x1D100, 0x1D200 },
	{ 0x1D400, 0x1D800 },
	{ 0x1E000, 0x1E030 },
	{ 0x1E900, 0x1E950 },
	{ 0x1F300, 0x1F700 },
	{ 0x1FBF0, 0x1FBFA },
	{ 0x20000, 0x20010 },
	{ 0x2F800, 0x2FA20 },
	{ 0xE0000, 0xE0200 },
	{ 0, 0x110000 },
};
enum { TEXT_BLOCK_COUNT = sizeof TEXT_BLOCKS / sizeof *TEXT_BLOCKS };

static inline uint32_t random_cp(size_t block)
{
	const uint32_t *b = TEXT_BLOCKS[block];
	uint32_t c;

	do
		c = b[0] + (uint32_t)rng_below(b[1] - b[0]);
	while (c >= 0xD800 && c < 0xE000);
	return c;
}

/* Appends text of a few ranges, so that neighbours interact. percent_ill: percentage of code points
 * that an ill-formed byte follows. */
static inline void random_text(struct sh_buf *b, size_t cps, unsigned percent_ill)
{
	size_t pick[6];

	for (size_t i = 0; i < 6; i++)
		pick[i] = rng_below(TEXT_BLOCK_COUNT);
	for (size_t i = 0; i < cps; i++) {
		append_cp(
		    b, random_cp(rng_below(8) ? pick[rng_below(6)] : rng_below(TEXT_BLOCK_COUNT)));
		if (rng_below(100) >= percent_ill)
			continue;
		if (rng() & 1)
			append(b, &(uint8_t){ (uint8_t)(0x80 + rng_below(128)) }, 1);
		else
			b->n -= rng_below(b->n < 3 ? b->n : 3); /* cut a sequence */
	}
}

#endif
