/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "segment/jieba.h"
#include "segment/jieba_trie.h"
#include "unicode/utf8.h"

/* Returns the codes of a word, which the caller frees. Fails for ill-formed UTF-8. */
static uint32_t *codes_of(
    const struct sh_jieba *j, struct sh_slice word, size_t *n, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)word.p, *end = p + word.n;
	uint32_t *codes = malloc((word.n + 1) * sizeof *codes);

	if (!codes) {
		sh_error_nomem(err);
		return NULL;
	}
	for (*n = 0; p < end;) {
		uint32_t cp = sh_utf8_next(&p, end);
		size_t i = *n;

		if (cp == SH_UTF8_ILL) {
			sh_error_set(err, SH_ERR_RECORD,
			    "ill-formed UTF-8 (convert other encodings with iconv)");
			free(codes);
			return NULL;
		}
		*n += sh_jieba_units(cp, codes + i);
		for (; i < *n; i++)
			codes[i] = sh_jieba_word_code(j->code, codes[i]);
	}
	return codes;
}

int sh_jieba_add_word(struct sh_jieba *j, struct sh_slice word, uint64_t freq, struct sh_error *err)
{
	size_t n = 0;
	uint32_t *codes;
	int status;

	if (word.n == 0)
		return sh_error_set(err, SH_ERR_RECORD, "no word");
	if (freq > SH_FREQ_MAX - j->h.total)
		return sh_error_set(err, SH_ERR_RANGE, "frequency too large");
	codes = codes_of(j, word, &n, err);
	if (!codes)
		return -1;
	if (n > SH_JIEBA_WORD_MAX)
		status = sh_error_set(err, SH_ERR_RECORD, "word too long");
	else
		status = sh_jieba_put(j, codes, n, freq, freq == 0, err);
	free(codes);
	if (status < 0)
		return -1;
	if (n > j->h.max_len)
		j->h.max_len = (uint32_t)n;
	j->h.total += freq;
	j->h.log_total = log((double)j->h.total);
	return 0;
}

/* Computes the least frequency with which the word is found as one word: jieba's suggest_freq().
 * The word must be at least as probable as the words that it is split into now. Operations have
 * jieba's order, because they are rounded. */
static int suggest(const struct sh_jieba *j, struct sh_segmenter *s, struct sh_slice word,
    uint64_t *freq, struct sh_error *err)
{
	double total = (double)j->h.total, p = 1.0;
	const struct sh_slice *parts;
	size_t n;
	int64_t now;

	if (sh_segment(s, SH_JIEBA_CUT_NOHMM, word, &parts, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int64_t f = sh_jieba_freq(j, parts[i]);

		p *= (f < 0 ? 1.0 : (double)f) / total;
	}
	now = sh_jieba_freq(j, word);
	*freq = (uint64_t)(p * total) + 1;
	if (now > 0 && (uint64_t)now > *freq)
		*freq = (uint64_t)now;
	return 0;
}

/* Removes the last field and the space before it when all bytes of the field are lo .. hi. Returns
 * the field. Returns an empty slice when it removes nothing, or when nothing would be left. */
static struct sh_slice cut_last(struct sh_slice *s, char lo, char hi)
{
	size_t i = s->n;
	struct sh_slice field = sh_slice(s->p, 0);

	while (i > 0 && s->p[i - 1] >= lo && s->p[i - 1] <= hi)
		i--;
	if (i < s->n && i > 1 && s->p[i - 1] == ' ') {
		field = sh_slice(s->p + i, s->n - i);
		s->n = i - 1;
	}
	return field;
}

/* Adds the word of a line, jieba's ^(.+?)( [0-9]+)?( [a-z]+)?$ */
static int add_line(
    struct sh_jieba *j, struct sh_segmenter *s, struct sh_slice word, struct sh_error *err)
{
	struct sh_slice digits;
	uint64_t freq;

	word = sh_jieba_strip(word);
	while (word.n >= 3 && memcmp(word.p, "\xEF\xBB\xBF", 3) == 0)
		word = sh_slice(word.p + 3, word.n - 3);
	cut_last(&word, 'a', 'z');
	digits = cut_last(&word, '0', '9');
	if (word.n == 0)
		return 0;
	/* A word with a TAB cannot occur in the text of a record. */
	if (memchr(word.p, '\t', word.n))
		return sh_error_set(err, SH_ERR_RECORD,
		    "a TAB in the word: expected WORD or WORD FREQUENCY, separated by a space "
		    "(is this a file of documents?)");
	if (digits.n && sh_parse_u64(digits, &freq) != SH_NUM_OK)
		return sh_error_set(err, SH_ERR_RANGE, "frequency too large");
	if (!digits.n && suggest(j, s, word, &freq, err) < 0)
		return -1;
	return sh_jieba_add_word(j, word, freq, err);
}

int sh_jieba_add_user(struct sh_jieba *j, struct sh_slice text, struct sh_error *err)
{
	struct sh_segmenter *s;
	int status;

	if (text.n >= sizeof j->h.magic && memcmp(text.p, SH_JIEBA_MAGIC, sizeof j->h.magic) == 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a compiled dictionary, expected a list of words (SIMHASH_JIEBA=FILE names a "
		    "compiled one)");
	s = sh_segmenter_new(j, err);
	status = s ? 0 : -1;
	for (uint64_t line = 1; text.n && status == 0; line++) {
		status = add_line(j, s, sh_slice_cut(&text, '\n'), err);
		if (status < 0)
			err->line = line;
	}
	sh_segmenter_delete(s);
	return status;
}
