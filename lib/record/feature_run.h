/* The feature records of one document, which stand together: a line that begins as the
 * ones before it and is written the usual way is taken apart in a few instructions.
 *
 *     struct sh_feature_run run;
 *     sh_feature_run_begin(&run, id);
 *     while ((next = sh_feature_run_next(&run, p, end, &line)))
 *             ... p = next ...
 *     ... the general way, sh_record_feature(), for whatever stands at p
 *
 * Whatever it takes, sh_record_feature() would take with the same result. SH_PAD bytes
 * behind `end` must be readable. */
#ifndef SH_RECORD_FEATURE_RUN_H
#define SH_RECORD_FEATURE_RUN_H

#include "base/bytes.h"
#include "base/num.h"
#include "record/fields.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

struct sh_feature_run {
	size_t n;                      /* of the prefix, id TAB; 0: there is none */
	char prefix[SH_ID_MAX + 17];   /* 16 more bytes may be read, and copied */
	uint64_t a, b, keep_a, keep_b; /* the first 16 bytes of the prefix, and masks for them */
};

/* What is known of a feature's text. */
enum sh_feature_look {
	SH_LOOKS_ANY,
	SH_LOOKS_PLAIN, /* no backslash in it */
	SH_LOOKS_WORD,  /* at most 16 bytes, neither blank nor backslash among them */
};

struct sh_feature_line {
	struct sh_slice text;
	int64_t weight;
	enum sh_feature_look look;
};

/* The id is one that a record had. */
void sh_feature_run_begin(struct sh_feature_run *run, struct sh_slice id);

/* Of 16 bytes: where c stands, one bit a byte. */
static inline unsigned sh_where16(const char *p, char c)
{
#if defined(__SSE2__)
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
#else
	unsigned bits = 0;

	for (unsigned i = 0; i < 16; i++)
		bits |= (unsigned)(p[i] == c) << i;
	return bits;
#endif
}

/* The weight at p, followed by LF: what is behind that, or NULL when it is not one of the
 * usual spellings: 1, d.dddddd, and otherwise up to nine digits. */
const char *sh_feature_run_weight(const char *p, int64_t *weight);

/* The TAB behind a text of more than 16 bytes; NULL when the line ends before. */
const char *sh_feature_run_long(const char *p, const char *end, enum sh_feature_look *look);

static inline const char *sh_feature_run_next(
    const struct sh_feature_run *run, const char *p, const char *end, struct sh_feature_line *line)
{
	const char *text = p + run->n, *tab, *next;
	unsigned tabs, before;

	if (run->n == 0 || (size_t)(end - p) <= run->n)
		return NULL;
	if (((sh_le64(p) ^ run->a) & run->keep_a) | ((sh_le64(p + 8) ^ run->b) & run->keep_b))
		return NULL;
	if (run->n > 16 && memcmp(p + 16, run->prefix + 16, run->n - 16) != 0)
		return NULL;
	tabs = sh_where16(text, '\t');
	if (tabs) {
		before = (tabs & -tabs) - 1;
		if (sh_where16(text, '\n') & before)
			return NULL;
		tab = text + __builtin_ctz(tabs);
		line->look = sh_where16(text, '\\') & before  ? SH_LOOKS_ANY
			     : sh_where16(text, ' ') & before ? SH_LOOKS_PLAIN
							      : SH_LOOKS_WORD;
	} else {
		tab = sh_feature_run_long(text, end, &line->look);
		if (!tab)
			return NULL;
	}
	line->text = sh_slice(text, (size_t)(tab - text));
	if (tab[1] == '1' && tab[2] == '\n') {
		line->weight = SH_WEIGHT_ONE;
		next = tab + 3;
	} else {
		next = sh_feature_run_weight(tab + 1, &line->weight);
	}
	/* No text has no weight: for the general way to say. */
	return next && next <= end && line->text.n ? next : NULL;
}

#endif
