/* SPDX-License-Identifier: MIT */
/* Numbers in text, compared with other parsers. */
#include "fuzz.h"

#include <ctype.h>

#include "base/num.h"
#include "fp/format.h"
#include "record/document.h"
#include "text/ngram.h"
#include "text/token.h"
#include "weight/df.h"

const unsigned fuzz_random = 20000;

typedef unsigned long long ull;

/* Parses a decimal digit by digit, with saturation. */
static bool slow_decimal(struct sh_slice s, uint64_t *x, bool *large)
{
	*x = 0;
	*large = false;
	for (size_t i = 0; i < s.n; i++) {
		if (!isdigit((unsigned char)s.p[i]))
			return false;
		if (__builtin_mul_overflow(*x, 10, x) ||
		    __builtin_add_overflow(*x, (uint64_t)(s.p[i] - '0'), x))
			*large = true;
	}
	return s.n > 0;
}

static void whole(struct sh_slice s)
{
	uint64_t want, got = 0;
	char text[SH_NUM_CHARS], printed[32];
	bool large;
	int rc = sh_parse_u64(s, &got);

	if (!slow_decimal(s, &want, &large)) {
		check(rc == SH_NUM_MALFORMED);
		return;
	}
	check(rc == (large ? SH_NUM_RANGE : SH_NUM_OK));
	if (rc)
		return;
	check(got == want);
	snprintf(printed, sizeof printed, "%llu", (ull)got);
	check(sh_slice_eq(sh_slice(text, sh_print_u64(text, got)), sh_slice_str(printed)));
}

static void weight(struct sh_slice s)
{
	const char *dot = s.n ? memchr(s.p, '.', s.n) : NULL;
	size_t before = dot ? (size_t)(dot - s.p) : s.n, places = dot ? s.n - before - 1 : 0;
	uint64_t a, b = 0, want = 0;
	bool large, unused, good = slow_decimal(sh_slice(s.p, before), &a, &large);
	char text[SH_NUM_CHARS];
	int64_t got = -1, back;
	int rc = sh_parse_weight(s, &got);

	if (!good || (dot && !slow_decimal(sh_slice(dot + 1, places), &b, &unused))) {
		check(rc == SH_NUM_MALFORMED && got == -1);
		return;
	}
	if (places > SH_WEIGHT_PLACES) {
		check(rc == SH_NUM_PLACES);
		return;
	}
	for (size_t i = dot ? places : SH_WEIGHT_PLACES; i < SH_WEIGHT_PLACES; i++)
		b *= 10;
	large = large || __builtin_mul_overflow(a, 1000000, &want) ||
		__builtin_add_overflow(want, b, &want) || want > INT64_MAX;
	check(rc == (large ? SH_NUM_RANGE : SH_NUM_OK));
	if (rc)
		return;
	check((uint64_t)got == want);
	check(sh_parse_weight(sh_slice(text, sh_print_weight(text, got)), &back) == 0);
	check(back == got);
}

static void hex(struct sh_slice s)
{
	uint64_t w[4096 / 16 + 1];
	char text[4096 + 16];
	bool good = true;

	if (s.n > 4096)
		return;
	for (size_t i = 0; i < s.n; i++)
		good = good && isxdigit((unsigned char)s.p[i]) && !isupper((unsigned char)s.p[i]);
	if (s.n == 0)
		return;
	check((sh_parse_hex(s, w) == 0) == good);
	if (!good)
		return;
	check(sh_slice_eq(s, sh_slice(text, sh_print_hex(text, w, s.n))));
	if (s.n <= 16) {
		memcpy(text, s.p, s.n);
		text[s.n] = '\0';
		check(strtoull(text, NULL, 16) == w[0] >> (64 - 4 * s.n));
	}
}

/* Runs the parsers of option arguments, which accept or refuse the text. */
static void arguments(const char *text)
{
	struct sh_error err;
	struct sh_ngrams range;
	struct sh_df_limit limit;
	struct sh_document_form form = { 0 };
	unsigned keep;
	uint64_t bytes, x;
	int64_t weight, share;
	size_t n = strlen(text);

	if (sh_ngrams_parse(text, &range, &err) == 0)
		check(range.min >= 1 && range.min <= range.max && range.max <= SH_NGRAM_MAX);
	if (sh_df_limit_parse(text, &limit, &err) == 0)
		check(limit.given && (!limit.share || limit.n <= SH_DF_ALL));
	if (sh_document_form_parse(text, &form, &err) == 0)
		check(form.number[0] != form.number[1] && form.number[1] <= SH_FIELD_MAX);
	sh_keep_parse(sh_slice(text, n), &keep, &err);
	if (sh_parse_u64(sh_slice(text, n), &x) == 0)
		check(sh_parse_count(sh_slice(text, n), &bytes) == 0 && x == bytes);
	if (sh_parse_weight(sh_slice(text, n), &weight) == 0)
		check(sh_parse_millionths(sh_slice(text, n), &share) == 0 && weight == share);
	if (sh_parse_size(sh_slice(text, n), &bytes) == 0 &&
	    sh_parse_u64(sh_slice(text, n), &x) == 0)
		check(x == bytes);
	form = (struct sh_document_form){ .json = true };
	if (sh_document_form_parse(text, &form, &err) == 0)
		check(form.name[0].n && form.name[1].n);
}

/* Random numbers are printed as by printf, parsed back, and refused with another byte in their
 * digits. */
static void printed(void)
{
	uint64_t x = rng_any(), w[4], v[4], y = 0;
	size_t digits = 1 + rng_below(64), width = 1 + rng_below(16);
	char text[SH_NUM_CHARS], hex_text[64], want[65], *at;
	int64_t back;

	snprintf(want, sizeof want, "%llu", (ull)x);
	whole(sh_slice_str(want));
	x >>= 1;
	weight(sh_slice(text, sh_print_weight(text, (int64_t)x)));
	check(sh_parse_weight(sh_slice(text, sh_print_weight(text, (int64_t)x)), &back) == 0);
	check(back == (int64_t)x);
	for (size_t i = 0; i < 4; i++)
		w[i] = rng();
	snprintf(want, sizeof want, "%016llx%016llx%016llx%016llx", (ull)w[0], (ull)w[1], (ull)w[2],
	    (ull)w[3]);
	check(sh_print_hex(hex_text, w, digits) == digits && memcmp(hex_text, want, digits) == 0);
	if (digits % 16)
		w[digits / 16] &= ~(UINT64_MAX >> digits % 16 * 4);
	check(sh_parse_hex(sh_slice(hex_text, digits), v) == 0);
	check(memcmp(v, w, (digits + 15) / 16 * 8) == 0);
	x = width < 16 ? x % (UINT64_C(1) << 4 * width) : x;
	snprintf(want, sizeof want, "%0*llx", (int)width, (ull)x);
	check(sh_print_hex_number(text, x, (unsigned)width) == width &&
	      memcmp(text, want, width) == 0);
	check(sh_parse_hex_number(sh_slice(text, width), &y) == SH_NUM_OK && y == x);
	at = &text[rng_below(width)];
	*at = (char)rng();
	check((sh_parse_hex_number(sh_slice(text, width), &y) == SH_NUM_OK) ==
	      (isxdigit((unsigned char)*at) && !isupper((unsigned char)*at)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_slice s = sh_slice(fuzz_copy(data, size, 0), size);
	char *text = fuzz_copy(data, size, 1);

	whole(s);
	weight(s);
	hex(s);
	arguments(text);
	fuzz_begin(data, size);
	printed();
	free(text);
	free((char *)(uintptr_t)s.p);
	return 0;
}
