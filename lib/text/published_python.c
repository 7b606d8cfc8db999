/* Python's str.lower() and \w. */
#include "text/published.h"

#include <utf8proc.h>

enum { STEP = 16 * 1024 };
enum { CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, CAPITAL_I_DOT = 0x130 };

struct range {
	uint32_t first, last;
};

#include "text/python.inc"

static bool within(const struct range *r, size_t n, uint32_t c)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c > r[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && c >= r[lo].first;
}

#define WITHIN(list, c) within(list, sizeof(list) / sizeof *(list), c)

static bool is_word(uint32_t c)
{
	if (c < 0x80)
		return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
	if (c >= 0x4E00 && c <= 0x9FCC)
		return true;
	return WITHIN(WORD, c);
}

/* No character of U+3100..U+9FFF, Chinese for the most part, is either. */
static bool is_cased(uint32_t c)
{
	if (c < 0x80)
		return (c | 32) >= 'a' && (c | 32) <= 'z';
	return !(c >= 0x3100 && c < 0xA000) && WITHIN(CASED, c);
}

static bool is_ignorable(uint32_t c)
{
	if (c < 0x80)
		return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`';
	return !(c >= 0x3100 && c < 0xA000) && WITHIN(IGNORABLE, c);
}

/* Whether a character with case comes next; what is case-ignorable does not count. */
static bool cased_ahead(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		uint32_t c = sh_utf8_next(&p, end);

		if (!is_ignorable(c))
			return is_cased(c);
	}
	return false;
}

static void put_char(struct sh_tokenizer *t, uint32_t c)
{
	size_t from = t->used;

	if (!is_word(c))
		return;
	sh_out_put(t, c);
	sh_out_token(t, from, t->used);
	t->word = t->used;
}

/* The characters that begin before lim; *cased: the last one before them that is not ignorable is.
 * Unicode 3.13: a sigma that ends a word, with a cased character before it and none behind it, is
 * final. */
static const uint8_t *cut_some(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim, const uint8_t *end, bool *cased)
{
	while (p < lim) {
		const uint8_t *from = p;
		uint32_t c = sh_utf8_next(&p, end);

		sh_out_at(t, from, p);
		t->ill += c == SH_UTF8_ILL;
		if (c < 0x80) {
			put_char(t, c >= 'A' && c <= 'Z' ? c | 32 : c);
		} else if (c == CAPITAL_SIGMA) {
			put_char(t, *cased && !cased_ahead(p, end) ? FINAL_SIGMA : SMALL_SIGMA);
		} else if (c == CAPITAL_I_DOT) {
			put_char(t, 'i');
			put_char(t, 0x307);
		} else if (c != SH_UTF8_ILL) {
			put_char(t, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c));
		}
		if (!is_ignorable(c))
			*cased = is_cased(c);
	}
	return p;
}

int sh_cut_python(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	bool cased = false;

	if (sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	/* Room for what comes next: that for all would be many times the text. */
	while (p < end) {
		const uint8_t *lim = end - p > STEP ? p + STEP : end;

		if (sh_out_reserve(t, 2 * (size_t)(lim - p) + 1, err) < 0)
			return -1;
		p = cut_some(t, p, lim, end, &cased);
	}
	/* So that a last '_' is not taken for a gap. */
	t->text[t->used++] = ' ';
	t->word = t->used;
	return 0;
}
