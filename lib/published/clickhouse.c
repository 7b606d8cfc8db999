/* SPDX-License-Identifier: MIT */
/* ClickHouse's n-grams and words: see simhash-profiles(7). */
#include "published/rules.h"

enum {
	STEP = 16 * 1024,     /* bytes for which memory is reserved at once */
	SHORTEST_WORD = 4,    /* bytes; shorter words are dropped */
	CASE_BIT = 'a' ^ 'A', /* set in every byte, not only in letters, when case is ignored */
};

static uint64_t count_ill_formed(const uint8_t *p, const uint8_t *end)
{
	uint64_t n = 0;

	while (p < end)
		n += sh_utf8_next(&p, end) == SH_UTF8_ILL;
	return n;
}

/* Returns the length of a character by its first byte; 1 for a byte that cannot
 * begin a character. */
static size_t length_by_first_byte(uint8_t c)
{
	return c < 0xC0 || c >= 0xF8 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

static void put_bytes(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	const uint8_t case_bit = t->method->mode == SH_IGNORE_CASE ? CASE_BIT : 0;

	while (p < end)
		t->text[t->used++] = (char)(*p++ | case_bit);
}

/* Makes a token of each character that begins before lim. Returns the end of the last one. */
static const uint8_t *cut_some(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim,
    const uint8_t *end, bool code_points)
{
	while (p < lim) {
		size_t n = code_points ? length_by_first_byte(*p) : 1, from = t->used;
		const uint8_t *next = n < (size_t)(end - p) ? p + n : end;

		put_bytes(t, p, next);
		sh_out_token(t, from, t->used);
		p = next;
	}
	return p;
}

static int cut_characters(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end,
    bool code_points, struct sh_error *err)
{
	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	t->ill += count_ill_formed(p, end);
	while (p < end) {
		const uint8_t *lim = end - p > STEP ? p + STEP : end;

		if (sh_out_reserve(t, (size_t)(lim - p) + 1, err) < 0)
			return -1;
		p = cut_some(t, p, lim, end, code_points);
		t->word = t->used;
	}
	/* End the text with a space: sh_out_ends_with_gap() reads a final '_' as a gap. */
	t->text[t->used++] = ' ';
	t->word = t->used;
	return 0;
}

int sh_cut_bytes(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	return cut_characters(t, p, end, false, err);
}

int sh_cut_code_points(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	return cut_characters(t, p, end, true, err);
}

static bool separates(uint8_t c)
{
	return c < 0x80 && !(c >= '0' && c <= '9') &&
	       !((c | CASE_BIT) >= 'a' && (c | CASE_BIT) <= 'z');
}

/* Words are runs of ASCII letters, ASCII digits and all bytes beyond ASCII. */
int sh_cut_long_words(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	t->ill += count_ill_formed(p, end);
	while (p < end) {
		const uint8_t *word = p;

		while (p < end && !separates(*p))
			p++;
		if (p - word >= SHORTEST_WORD) {
			if (sh_out_reserve(t, (size_t)(p - word), err) < 0)
				return -1;
			sh_out_at(t, word, p);
			put_bytes(t, word, p);
			sh_out_gap(t);
		}
		p += p < end;
	}
	return 0;
}

/* ---- hashes ---- */

/* after[i]: the state i after four zero bits. */
static const uint32_t after[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc,
	0x5125dad3, 0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };

uint32_t sh_crc32c(uint32_t state, struct sh_slice text)
{
	for (size_t i = 0; i < text.n; i++) {
		state ^= (unsigned char)text.p[i];
		state = state >> 4 ^ after[state & 15];
		state = state >> 4 ^ after[state & 15];
	}
	return state;
}

void sh_hash_crc32c(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	(void)seed;
	(void)words;
	*out = sh_crc32c(SH_CRC32C_START, text);
}

void sh_hash_crc32c_joined(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	const char *p = text.p, *end = text.p + text.n, *space;
	uint32_t state = SH_CRC32C_START;

	(void)seed;
	(void)words;
	while (p < end) {
		space = memchr(p, ' ', (size_t)(end - p));
		state = sh_crc32c(state, sh_slice(p, (size_t)((space ? space : end) - p)));
		p = space ? space + 1 : end;
	}
	*out = state;
}
