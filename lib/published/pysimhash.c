/* SPDX-License-Identifier: MIT */
/* pysimhash: the package simhash of Python.
 *
 * Splits text as the regular expression \w of Python does, after str.lower(). General categories
 * come from utf8proc, so characters that are new in Unicode follow the version of that library. */
#include <string.h>
#include <utf8proc.h>

#include "base/bytes.h"
#include "hash/digest.h"
#include "published/rules.h"
#include "published/sums.h"
#include "weight/weight.h"

enum { STEP = 16 * 1024 };
enum { CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, CAPITAL_I_DOT = 0x130 };

#define CATEGORY(name) (1u << UTF8PROC_CATEGORY_##name)

enum {
	CASED = CATEGORY(LU) | CATEGORY(LL) | CATEGORY(LT),
	WORD = CASED | CATEGORY(LM) | CATEGORY(LO) | CATEGORY(ND) | CATEGORY(NL) | CATEGORY(NO),
	IGNORABLE = CATEGORY(MN) | CATEGORY(ME) | CATEGORY(CF) | CATEGORY(LM) | CATEGORY(SK),
};

static bool has_category(uint32_t c, unsigned categories)
{
	return 1u << utf8proc_category((utf8proc_int32_t)c) & categories;
}

static bool is_word(uint32_t c)
{
	if (c < 0x80)
		return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
	return has_category(c, WORD);
}

static bool within(uint32_t c, uint32_t first, uint32_t last)
{
	return c >= first && c <= last;
}

/* Returns whether c has Unicode's property Cased: three categories, Other_Uppercase and
 * Other_Lowercase, without letters that are also ignorable. */
static bool is_cased(uint32_t c)
{
	if (c < 0x80)
		return (c | 32) >= 'a' && (c | 32) <= 'z';
	return has_category(c, CASED) || c == 0xAA || c == 0xBA || within(c, 0x2160, 0x217F) ||
	       within(c, 0x24B6, 0x24E9) || within(c, 0x1F130, 0x1F149) ||
	       within(c, 0x1F150, 0x1F169) || within(c, 0x1F170, 0x1F189);
}

/* Returns whether c has Unicode's property Case_Ignorable: five categories, and
 * some punctuation. */
static bool is_ignorable(uint32_t c)
{
	static const uint16_t punctuation[] = { 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024,
		0x2027, 0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A };

	if (c < 0x80)
		return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`';
	for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
		if (c == punctuation[i])
			return true;
	return has_category(c, IGNORABLE);
}

/* Returns whether the next character that is not ignorable is cased. */
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

/* Splits the characters that begin before lim. *cased says whether the last character that is not
 * ignorable is cased. A capital sigma with a cased character before it and none after it becomes a
 * final sigma (Unicode 3.13). Returns the end of the last character. */
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
	/* Reserves memory step by step: memory for the whole text at once would
	 * be many times its size. */
	while (p < end) {
		const uint8_t *lim = end - p > STEP ? p + STEP : end;

		if (sh_out_reserve(t, 2 * (size_t)(lim - p) + 1, err) < 0)
			return -1;
		p = cut_some(t, p, lim, end, &cased);
	}
	/* End the text with a space: sh_out_ends_with_gap() reads a final '_' as a gap. */
	t->text[t->used++] = ' ';
	t->word = t->used;
	return 0;
}

void sh_hash_md5_last(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	unsigned char d[SH_MD5_BYTES];

	(void)seed;
	sh_md5(sh_slice(NULL, 0), text, d);
	if (words > 1)
		*out++ = sh_be64(d);
	*out = sh_be64(d + 8);
}

/* ---- sums of weights with fractions ---- */

/* large_weight_cutoff and batch_size of Python's class Simhash. */
enum { LARGE_WEIGHT = 50, BATCH_SIZE = 200 };

static void add_batch(struct sh_rounded *r, unsigned bits)
{
	for (unsigned b = 0; b < bits; b++)
		r->sum[b] += r->batch[b];
	memset(r->batch, 0, sizeof r->batch);
	r->in_batch = 0;
}

void sh_rounded_add(struct sh_rounded *r, const uint64_t *hash, unsigned bits, int64_t millionths)
{
	/* The double nearest to the decimal: both operands of the division are exact. */
	double weight = (double)millionths / 1e6;
	bool whole = millionths % SH_WEIGHT_ONE == 0;
	bool batched = whole && millionths <= LARGE_WEIGHT * SH_WEIGHT_ONE;
	double *to = batched ? r->batch : r->sum;

	r->fraction = r->fraction || !whole;
	r->total += weight;
	for (unsigned b = 0; b < bits; b++)
		to[b] += hash[b / 64] >> (63 - b % 64) & 1 ? weight : 0;
	r->in_batch += batched;
	if (r->in_batch == BATCH_SIZE)
		add_batch(r, bits);
}

void sh_rounded_finish(struct sh_rounded *r, unsigned bits, uint64_t *out)
{
	if (r->in_batch)
		add_batch(r, bits);
	memset(out, 0, (bits + 63) / 64 * sizeof *out);
	for (unsigned b = 0; b < bits; b++)
		if (r->sum[b] > r->total / 2)
			out[b / 64] |= UINT64_C(1) << (63 - b % 64);
}
