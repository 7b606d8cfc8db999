/* SPDX-License-Identifier: MIT */
/* Words of jieba and cppjieba, for --segment and for the profiles jieba-tags, tfidf128, angelo and
 * yanyiwu. */
#include "segment/jieba.h"
#include "published/cppjieba.h"
#include "published/rules.h"
#include "text/stopwords.h"

void sh_close_jieba(void *state)
{
	sh_segmenter_delete(state);
}

void sh_close_cppjieba(void *state)
{
	sh_cppsegmenter_delete(state);
}

/* Returns whether the text has a letter, mark or digit. The text must be folded: a Kangxi radical
 * is a symbol, but folds to a letter. */
static bool has_letters(struct sh_tokenizer *t, struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;

	while (p < end)
		if ((sh_fold_class(t->fold, sh_utf8_next(&p, end)) & SH_CLASS_KIND) !=
		    SH_CLASS_SEPARATOR)
			return true;
	return false;
}

/* Returns whether the text, with ASCII capitals in lower case, is a stop word. */
static bool is_stop_word(struct sh_tokenizer *t, struct sh_slice text)
{
	char lower[64];

	if (text.n > sizeof lower)
		return false;
	for (size_t i = 0; i < text.n; i++)
		lower[i] = text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] | 32 : text.p[i];
	return sh_stoplist_has(t->opts.stop, sh_slice(lower, text.n));
}

/* Returns whether a word may be a token: not white space only, without ASCII white space, which a
 * feature's text cannot contain, no stop word, and as the method demands. */
static bool is_wanted(struct sh_tokenizer *t, struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	bool blank = true, head_han = false;

	while (p < end) {
		bool head = p == (const uint8_t *)text.p;
		uint32_t c = sh_utf8_next(&p, end);

		if (c == ' ' || (c >= 9 && c <= 13))
			return false;
		head_han = head_han || (head && c >= 0x4E00 && c <= 0x9FA5);
		blank = blank && (sh_is_white_space(c) || (c >= 0x1C && c <= 0x1F));
	}
	/* cppjieba keeps U+3000 and other white space: two of them can be a keyword for yanyiwu. */
	if ((blank && !t->opts.cppjieba) || (t->method->mode & SH_TOK_HEAD_HAN && !head_han))
		return false;
	return !(t->opts.stop_any_case && t->opts.stop && is_stop_word(t, text));
}

static int put_word(
    struct sh_tokenizer *t, struct sh_slice word, struct sh_buf *folded, struct sh_error *err)
{
	uint64_t ill = 0;
	struct sh_slice text = word;
	bool wanted = is_wanted(t, word);

	if (wanted && !t->opts.no_fold) {
		folded->n = 0;
		if (sh_fold_text(t->fold, word, folded, &ill, err) < 0)
			return -1;
		text = sh_buf_slice(folded);
	}
	if (!wanted || (!t->opts.punctuation && !has_letters(t, text))) {
		sh_out_gap(t);
		return 0;
	}
	if (sh_out_reserve(t, text.n, err) < 0)
		return -1;
	sh_out_at(t, (const uint8_t *)word.p, (const uint8_t *)word.p + word.n);
	/* Folding may produce white space, which is left out: a word stays one word. */
	if (!t->opts.no_fold) {
		const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;

		while (p < end) {
			uint32_t c = sh_utf8_next(&p, end);

			if (!sh_is_white_space(c))
				sh_out_put(t, c);
		}
	} else {
		sh_out_bytes(t, text);
	}
	sh_out_end(t);
	return 0;
}

int sh_cut_jieba(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	const bool cpp = t->method->needs_cppjieba;
	struct sh_buf folded = { 0 };
	const struct sh_slice *word;
	struct sh_slice text;
	size_t n;
	int status;

	if (cpp ? !t->opts.cppjieba : !t->opts.jieba)
		return sh_error_set(err, SH_ERR_PARAM, "no dictionary to cut words by");
	if (!t->state)
		t->state = cpp ? (void *)sh_cppsegmenter_new(t->opts.cppjieba, err)
			       : sh_segmenter_new(t->opts.jieba, err);
	if (!t->state || sh_plain_text(t, &p, &end, err) < 0)
		return -1;
	text = sh_slice((const char *)p, (size_t)(end - p));
	t->ill += sh_utf8_count_ill(text.p, text.n);
	if (!cpp)
		sh_segment_begin(
		    t->state, (enum sh_jieba_mode)(t->method->mode & SH_TOK_JIEBA_MODE), text);
	do {
		status = cpp ? sh_cppsegment(t->state, (enum sh_cppjieba_mode)t->method->mode, text,
				   &word, &n, err)
			     : sh_segment_next(t->state, &word, &n, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = put_word(t, word[i], &folded, err);
	} while (status == 0 && !cpp && n > 0);
	sh_buf_free(&folded);
	return status;
}
