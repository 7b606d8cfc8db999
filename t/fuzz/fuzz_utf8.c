/* SPDX-License-Identifier: MIT */
/* Any bytes as UTF-8: compares decoding with the standard's table of well-formed sequences, and
 * folding with utf8proc_map, of the whole text and of pieces; checks the encoding of a file. */
#include "fuzz.h"

#include "../unit/text_util.h"
#include "unicode/encoding.h"
#include "unicode/fold.h"

/* Table 3-7 of the Unicode standard: the ranges of the second byte by the first. */
static unsigned second(uint8_t first, uint8_t *lo, uint8_t *hi)
{
	*lo = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
	*hi = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
	return first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static uint32_t by_table(const uint8_t **pp, const uint8_t *end)
{
	const uint8_t *p = *pp;
	uint8_t lo, hi, first = *p++;
	unsigned length = second(first, &lo, &hi);
	uint32_t c = first & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07);

	*pp = p;
	if (first < 0x80)
		return first;
	for (unsigned i = 1; i < length; i++, lo = 0x80, hi = 0xBF) {
		if (p == end || *p < lo || *p > hi)
			return SH_UTF8_ILL; /* p is behind the valid beginning */
		c = c << 6 | (*p++ & 0x3F);
		*pp = p;
	}
	return length ? c : SH_UTF8_ILL;
}

static uint64_t decode(const uint8_t *p, const uint8_t *end)
{
	uint64_t ill = 0;

	while (p < end) {
		const uint8_t *a = p, *b = p, *c = p;
		uint32_t want = by_table(&a, end);
		uint8_t bytes[4];

		check(sh_utf8_next(&b, end) == want && b == a);
		check(sh_utf8_next_checked(&c, end) == want && c == a);
		if (want == SH_UTF8_ILL)
			ill++;
		else
			check(sh_utf8_put(bytes, want) == (size_t)(a - p) &&
			      memcmp(bytes, p, (size_t)(a - p)) == 0);
		p = a;
	}
	return ill;
}

static void encoding(const char *p, size_t n, uint64_t ill)
{
	enum sh_encoding e = sh_encoding_guess(p, n);

	sh_encoding_iconv_name(e);
	/* Well-formed text without NULs is detected as UTF-8. */
	if (ill == 0 && (n == 0 || !memchr(p, 0, n)))
		check(e == SH_ENC_UTF8 || e == SH_ENC_UTF8_BOM);
	if (e == SH_ENC_UTF8_BOM)
		check(n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sh_fold *fold;
	struct sh_buf want = { 0 }, got = { 0 };
	struct sh_error err;
	char *text = fuzz_copy(data, size, 0);
	const uint8_t *p = (const uint8_t *)text;
	uint64_t ill = decode(p, p + size), folded_ill = 0;

	check(sh_utf8_count_ill(text, size) == ill);
	check(sh_utf8_valid(text, size) == (ill == 0));
	encoding(text, size, ill);
	if (!fold)
		fold = sh_fold_new(&err);
	check(fold != NULL);
	check(sh_fold_text(fold, sh_slice(text, size), &got, &folded_ill, &err) == 0);
	check(fold_by_map(text, size, &want) == ill && folded_ill == ill);
	check(sh_slice_eq(sh_buf_slice(&got), sh_buf_slice(&want)));
	sh_buf_free(&want);
	sh_buf_free(&got);
	free(text);
	return 0;
}
