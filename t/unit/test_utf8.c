/* SPDX-License-Identifier: MIT */
#include "unicode/utf8.h"

#include "tap.h"
#include "text_util.h"

static const uint8_t EDGES[] = { 0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1,
	0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF };
enum { EDGE_COUNT = sizeof EDGES };

/* Definition: the n bytes encode a scalar value in the shortest form. */
static bool encodes(const uint8_t *p, size_t n, uint32_t *c)
{
	static const uint32_t min[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	if (n == 1)
		return (*c = p[0]) < 0x80;
	if (p[0] < lead[n] || p[0] >= lead[n] + (0x80 >> n))
		return false;
	*c = p[0] - lead[n];
	for (size_t i = 1; i < n; i++) {
		if (p[i] < 0x80 || p[i] > 0xBF)
			return false;
		*c = *c << 6 | (p[i] & 63);
	}
	return *c >= min[n] && *c < 0x110000 && (*c < 0xD800 || *c > 0xDFFF);
}

/* Definition: the n bytes are the beginning of a well-formed sequence. */
static bool begins(const uint8_t *p, size_t n, size_t whole)
{
	uint8_t q[5]; /* one more than is ever used: gcc does not see that n < whole */
	uint32_t c;

	if (n == whole)
		return encodes(p, n, &c);
	memcpy(q, p, n);
	for (unsigned b = 0x80; b < 0xC0; b += n == 1 ? 1 : 63) {
		q[n] = (uint8_t)b;
		if (begins(q, n + 1, whole))
			return true;
	}
	return false;
}

static size_t decode_by_definition(const uint8_t *p, size_t n, uint32_t *c)
{
	size_t longest = 1;

	for (size_t k = 1; k <= 4 && k <= n; k++)
		if (encodes(p, k, c))
			return k;
	for (size_t whole = 2; whole <= 4; whole++)
		for (size_t k = 2; k < whole && k <= n; k++)
			if (k > longest && begins(p, k, whole))
				longest = k;
	*c = SH_UTF8_ILL;
	return longest;
}

static void test_against_definition(void)
{
	size_t wrong = 0, wrong_inline = 0, cases = 0;

	for (uint32_t x = 0; x < EDGE_COUNT * EDGE_COUNT * EDGE_COUNT * EDGE_COUNT; x++) {
		const uint8_t bytes[4] = { EDGES[x % EDGE_COUNT], EDGES[x / 25 % EDGE_COUNT],
			EDGES[x / 625 % EDGE_COUNT], EDGES[x / 15625] };

		for (size_t n = 1; n <= 4; n++, cases++) {
			uint8_t *p = (uint8_t *)exact_copy(bytes, n);
			const uint8_t *a = p, *b = p;
			uint32_t want, c;
			size_t len = decode_by_definition(p, n, &want);

			c = sh_utf8_next_checked(&a, p + n);
			wrong += c != want || (size_t)(a - p) != len;
			c = sh_utf8_next(&b, p + n);
			wrong_inline += c != want || (size_t)(b - p) != len;
			free(p);
		}
	}
	ok(wrong == 0, "sh_utf8_next_checked decodes %zu byte strings by the definition", cases);
	ok(wrong_inline == 0, "sh_utf8_next decodes these strings alike");
}

static void test_round_trip(void)
{
	size_t wrong = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		uint8_t bytes[5] = { 0 };
		const uint8_t *p = bytes;
		size_t n = sh_utf8_put(bytes, c);
		bool surrogate = c >= 0xD800 && c <= 0xDFFF;
		uint32_t got = sh_utf8_next(&p, bytes + n);

		wrong += surrogate ? got != SH_UTF8_ILL : got != c || p != bytes + n;
	}
	ok(wrong == 0, "every scalar value is encoded and decoded; surrogates are refused");
}

static void test_substitution(void)
{
	static const struct {
		const char *text;
		uint64_t ill;
	} rows[] = {
		{ "", 0 },
		{ "plain ascii, more than eight bytes", 0 },
		{ "\xE4\xBD\xA0\xE5\xA5\xBD", 0 },
		/* the standard's tables 3-8 to 3-11 */
		{ "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 8 },
		{ "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 8 },
		{ "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 7 },
		{ "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 4 },
		{ "12345678\x80"
		  "2345678\xE4\xBD",
		    2 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = strlen(rows[i].text);
		char *p = exact_copy(rows[i].text, n);

		ok(sh_utf8_count_ill(p, n) == rows[i].ill, "row %zu has %llu ill-formed sequences",
		    i, (unsigned long long)rows[i].ill);
		free(p);
	}
}

int main(void)
{
	test_against_definition();
	test_round_trip();
	test_substitution();
	return done_testing();
}
