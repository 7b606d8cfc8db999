/* SPDX-License-Identifier: MIT */
#include "unicode/fold.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "io/tables.h"

/* Why segments are independent: NFKC_Casefold decomposes each code point, orders marks between
 * starters (combining class 0), and composes a starter with the code points behind it. Ordering and
 * composing stop at a starter that never composes with the code point before it
 * (sh_composes_back()). So text may be split before each code point whose decomposition begins with
 * a starter of this kind: DIRECT and START.
 *
 * Marks that decompose to themselves and never compose (MARK) need only ordering after a DIRECT
 * code point. They are in order when their combining classes do not descend. */

enum { PAGE = 256, TABLE = 0x110000 + PAGE, EXPANSION_MAX = 64 };

static const utf8proc_option_t OPTIONS =
    (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
			UTF8PROC_IGNORE);

struct sh_fold *sh_fold_new(struct sh_error *err)
{
	struct sh_fold *f = calloc(1, sizeof *f);

	if (f) {
		f->cells = sh_pages_get(TABLE * sizeof *f->cells);
		f->classes = sh_pages_get(TABLE * sizeof *f->classes);
	}
	if (!f || !f->cells || !f->classes) {
		sh_fold_delete(f);
		sh_error_nomem(err);
		return NULL;
	}
	return f;
}

void sh_fold_delete(struct sh_fold *f)
{
	if (!f)
		return;
	sh_pages_put(f->cells, TABLE * sizeof *f->cells);
	sh_pages_put(f->classes, TABLE * sizeof *f->classes);
	free(f->seg);
	free(f->tmp);
	free(f);
}

static unsigned ccc_of(uint32_t c)
{
	return (unsigned)utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
}

bool sh_is_mark(uint32_t c)
{
	utf8proc_category_t gc = utf8proc_category((utf8proc_int32_t)c);

	return gc >= UTF8PROC_CATEGORY_MN && gc <= UTF8PROC_CATEGORY_ME;
}

bool sh_is_pointing(uint32_t c)
{
	/* Hebrew, Arabic and Syriac, Arabic Extended-B and -A, Hebrew presentation forms, Arabic
	 * Extended-C. Vowels of Thaana stay: its words are never written without them. */
	static const uint32_t blocks[][2] = { { 0x590, 0x74F }, { 0x870, 0x8FF },
		{ 0xFB1D, 0xFB4F }, { 0x10EC0, 0x10EFF } };
	const uint32_t tatweel = 0x640;

	if (c < blocks[0][0])
		return false;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (c >= blocks[i][0] && c <= blocks[i][1])
			return c == tatweel ||
			       utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_MN;
	return false;
}

static bool is_word_category(utf8proc_category_t gc, bool cut)
{
	/* Enclosing marks, such as the key of a keycap emoji, are symbols. */
	if (gc >= UTF8PROC_CATEGORY_LU && gc <= UTF8PROC_CATEGORY_ND)
		return gc != UTF8PROC_CATEGORY_ME;
	/* The ideographic zero U+3007 and the Hangzhou numerals. */
	return cut && gc == UTF8PROC_CATEGORY_NL;
}

static unsigned classify(uint32_t c)
{
	utf8proc_category_t gc = utf8proc_category((utf8proc_int32_t)c);
	enum sh_script script = sh_script_of(c);
	bool cut = sh_script_is_cut(script);
	unsigned class;

	if (!is_word_category(gc, cut))
		return SH_CLASS_SEPARATOR;
	class = cut ? SH_CLASS_CUT : SH_CLASS_WORD;
	if (gc == UTF8PROC_CATEGORY_ND)
		class |= SH_CLASS_DIGIT;
	return class | (unsigned)script << SH_CLASS_SCRIPT_SHIFT;
}

static uint32_t cell(enum sh_fold_how how, unsigned class, uint32_t code)
{
	return SH_CELL_READY | (uint32_t)how << SH_CELL_HOW_SHIFT |
	       (uint32_t) class << SH_CELL_CLASS_SHIFT | code;
}

static uint32_t make_cell(uint32_t c, unsigned class)
{
	utf8proc_int32_t d[EXPANSION_MAX];
	int bound = 0;
	utf8proc_ssize_t n =
	    utf8proc_decompose_char((utf8proc_int32_t)c, d, EXPANSION_MAX, OPTIONS, &bound);
	uint32_t first;

	if (n <= 0 || n > EXPANSION_MAX) /* c folds to nothing; longer expansions do not exist */
		return cell(SH_FOLD_SLOW, class, c);
	first = (uint32_t)d[0];
	if (sh_composes_back(first))
		return cell(SH_FOLD_SLOW, class, c);
	if (ccc_of(first))
		return n == 1 && first == c ? cell(SH_FOLD_MARK, class, ccc_of(c))
					    : cell(SH_FOLD_SLOW, class, c);
	if (n > 1)
		n = utf8proc_normalize_utf32(d, n, OPTIONS);
	if (n != 1)
		return cell(SH_FOLD_START, class, c);
	first = (uint32_t)d[0];
	return cell(SH_FOLD_DIRECT, first == c ? class : classify(first), first);
}

void sh_fold_fill(struct sh_fold *f, uint32_t c)
{
	uint32_t i, base = c & ~(uint32_t)(PAGE - 1);

	if (base >= SH_UTF8_ILL) {
		f->classes[SH_UTF8_ILL] = SH_CLASS_READY | SH_CLASS_SEPARATOR;
		f->cells[SH_UTF8_ILL] =
		    SH_CELL_ILL | cell(SH_FOLD_DIRECT, SH_CLASS_SEPARATOR, SH_UTF8_REPLACEMENT);
		return;
	}
	for (i = base; i < base + PAGE; i++) {
		unsigned class = classify(i);

		f->classes[i] = (uint8_t)(SH_CLASS_READY | class);
		f->cells[i] = make_cell(i, class);
	}
}

/* Puts each sequence of marks into canonical order: sorts it by combining class, with a stable
 * counting sort. utf8proc's sort needs quadratic time, which a hostile text of a few KiB could
 * exploit. */
static int order_marks(struct sh_fold *f, size_t n, struct sh_error *err)
{
	uint32_t *c = f->seg;

	for (size_t i = 0, from; i < n; i++) {
		size_t at[257];
		bool ordered = true;

		for (from = i; i < n && ccc_of(c[i]); i++)
			ordered = ordered && (i == from || ccc_of(c[i - 1]) <= ccc_of(c[i]));
		if (ordered)
			continue;
		if (SH_RESERVE(f->tmp, f->tmp_cap, i - from, err) < 0)
			return -1;
		memset(at, 0, sizeof at);
		for (size_t k = from; k < i; k++)
			at[ccc_of(c[k]) + 1]++;
		for (size_t k = 1; k < 257; k++)
			at[k] += at[k - 1];
		for (size_t k = from; k < i; k++)
			f->tmp[at[ccc_of(c[k])]++] = c[k];
		memcpy(c + from, f->tmp, (i - from) * sizeof *c);
	}
	return 0;
}

/* Folds the segment p .. end - 1 by the complete algorithm. */
static int fold_slowly(
    struct sh_fold *f, const uint8_t *p, const uint8_t *end, size_t *count, struct sh_error *err)
{
	utf8proc_ssize_t got;
	size_t n = 0;
	int bound = 0;

	while (p < end) {
		uint32_t c = sh_utf8_next(&p, end);

		if (c == SH_UTF8_ILL)
			c = SH_UTF8_REPLACEMENT;
		if (SH_RESERVE(f->seg, f->seg_cap, n + EXPANSION_MAX, err) < 0)
			return -1;
		got = utf8proc_decompose_char((utf8proc_int32_t)c, (utf8proc_int32_t *)f->seg + n,
		    EXPANSION_MAX, OPTIONS, &bound);
		if (got < 0 || got > EXPANSION_MAX)
			return sh_error_set(err, SH_ERR_PARAM, "utf8proc: cannot fold U+%04X", c);
		n += (size_t)got;
	}
	if (order_marks(f, n, err) < 0)
		return -1;
	got = utf8proc_normalize_utf32((utf8proc_int32_t *)f->seg, (utf8proc_ssize_t)n, OPTIONS);
	if (got < 0)
		return sh_error_set(err, SH_ERR_PARAM, "utf8proc: %s", utf8proc_errmsg(got));
	*count = (size_t)got;
	return 0;
}

/* As fold_slowly(), for a segment of one code point, with a cache. Without the cache, text of
 * ligatures would be many times slower. */
static int fold_alone(struct sh_fold *f, uint32_t c, const uint8_t *p, const uint8_t *end,
    size_t *count, struct sh_error *err)
{
	struct sh_fold_known *known = &f->known[c % SH_FOLD_KNOWN];

	if (known->n && known->c == c) {
		/* Copying the whole array is faster than a loop. */
		memcpy(f->seg, known->to, sizeof known->to);
		*count = known->n;
		return 0;
	}
	if (fold_slowly(f, p, end, count, err) < 0)
		return -1;
	if (*count > SH_FOLD_LONGEST)
		return 0;
	known->c = c;
	known->n = (uint32_t)*count;
	memcpy(known->to, f->seg, *count * sizeof *f->seg);
	return 0;
}

int sh_fold_segment(struct sh_fold *f, const uint8_t **pp, const uint8_t *end, size_t *count,
    uint64_t *ill, struct sh_error *err)
{
	const uint8_t *p = *pp, *next;
	uint32_t c = sh_utf8_next(&p, end), first = c, now = sh_fold_cell(f, c);
	bool plain = sh_cell_how(now) == SH_FOLD_DIRECT;
	const uint8_t *alone = p;
	uint32_t ccc = 0;
	size_t n = 0;

	*ill += c == SH_UTF8_ILL;
	if (SH_RESERVE(f->seg, f->seg_cap, EXPANSION_MAX, err) < 0)
		return -1;
	f->seg[n++] = now & SH_CELL_CODE;
	for (next = p; next < end; p = next) {
		c = sh_utf8_next(&next, end);
		now = sh_fold_cell(f, c);
		if (!sh_cell_attaches(now))
			break;
		plain = plain && sh_cell_how(now) == SH_FOLD_MARK && (now & SH_CELL_CODE) >= ccc;
		if (!plain)
			continue;
		ccc = now & SH_CELL_CODE;
		if (SH_RESERVE(f->seg, f->seg_cap, n + 1, err) < 0)
			return -1;
		f->seg[n++] = c;
	}
	next = *pp;
	*pp = p;
	*count = n;
	if (plain)
		return 0;
	return p == alone ? fold_alone(f, first, next, p, count, err)
			  : fold_slowly(f, next, p, count, err);
}

/* Folds an ASCII byte. */
static uint8_t fold_ascii(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

int sh_fold_text(struct sh_fold *f, struct sh_slice text, struct sh_buf *out, uint64_t *ill,
    struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = text.n ? p + text.n : p;
	size_t n;

	while (p < end) {
		const uint8_t *run = p;

		if (sh_buf_reserve(out, 4096, err) < 0)
			return -1;
		while (end - p > 1 && p[0] < 0x80 && p[1] < 0x80 && p - run < 4096)
			out->p[out->n++] = (char)fold_ascii(*p++);
		if (p != run)
			continue;
		if (sh_fold_segment(f, &p, end, &n, ill, err) < 0)
			return -1;
		for (size_t i = 0; i < n; i++) {
			if (sh_buf_reserve(out, 4, err) < 0)
				return -1;
			out->n += sh_utf8_put((uint8_t *)out->p + out->n, f->seg[i]);
		}
	}
	return 0;
}

const char *sh_fold_unicode(void)
{
	return utf8proc_unicode_version();
}
