/* SPDX-License-Identifier: MIT */
/* The output of a tokenizer: filters words, splits words into characters for
 * SH_UNIT_CHAR, stores tokens. */
#include "base/bytes.h"
#include "text/stopwords.h"
#include "text/tokenizer.h"

/* A code point has at most 4 bytes, and a gap 1 byte. Each code point and each gap may be a token,
 * also the code points of the open word. */
int sh_out_reserve(struct sh_tokenizer *t, size_t n, struct sh_error *err)
{
	/* 64 bits: on 32-bit machines the sums may not fit in a size_t. */
	uint64_t text = t->used + 5 * (uint64_t)n + SH_PAD;
	uint64_t all = t->n + (t->used - t->word) + 2 * (uint64_t)n + SH_ASCII_SLACK;
	size_t tokens = (size_t)all;

	if (text > UINT32_MAX || all > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "folded text is longer than 4 GiB");
	if (SH_RESERVE(t->text, t->text_cap, (size_t)text, err) < 0 ||
	    SH_RESERVE(t->start, t->start_cap, tokens, err) < 0 ||
	    SH_RESERVE(t->end, t->end_cap, tokens, err) < 0)
		return -1;
	return t->opts.places ? sh_places_reserve(t, err) : 0;
}

bool sh_out_ends_with_gap(const struct sh_tokenizer *t)
{
	return t->text[t->used - 1] == '_' && t->chars != t->used;
}

void sh_out_gap(struct sh_tokenizer *t)
{
	sh_out_end(t);
	if (t->opts.unit != SH_UNIT_CHAR || t->n == 0 || sh_out_ends_with_gap(t))
		return;
	t->text[t->used] = '_';
	sh_out_token_at(
	    t, t->used, t->used + 1, (struct sh_place){ t->places.word.to, t->places.word.to });
	t->word = ++t->used;
}

void sh_out_bytes(struct sh_tokenizer *t, struct sh_slice word)
{
	const uint8_t *p = (const uint8_t *)word.p, *end = p + word.n;

	if (word.n && t->opts.places)
		sh_places_put(t);
	if (!t->opts.fold_marks) {
		memcpy(t->text + t->used, word.p, word.n);
		t->used += word.n;
		return;
	}
	while (p < end) {
		const uint8_t *from = p;

		if (sh_is_pointing(sh_utf8_next(&p, end)))
			continue;
		memcpy(t->text + t->used, from, (size_t)(p - from));
		t->used += (size_t)(p - from);
	}
}

/* Works in place: the word does not grow. */
static void mask_digits(struct sh_tokenizer *t)
{
	const uint8_t *p = (uint8_t *)t->text + t->word, *end = (uint8_t *)t->text + t->used;
	uint8_t *to = (uint8_t *)t->text + t->word;
	bool in_digits = false, digit;

	for (; p < end; in_digits = digit) {
		const uint8_t *from = p;

		digit = sh_fold_class(t->fold, sh_utf8_next(&p, end)) & SH_CLASS_DIGIT;
		if (!digit) {
			memmove(to, from, (size_t)(p - from));
			to += p - from;
		} else if (!in_digits) {
			*to++ = '0';
		}
	}
	t->used = (size_t)(to - (uint8_t *)t->text);
}

/* Replaces the open word of n code points by its stem, in place. There is room for 4 * n bytes. A
 * word with a longer stem stays as it is; no algorithm is known to give a longer stem. */
static void stem(struct sh_tokenizer *t, size_t n)
{
	struct sh_slice word = sh_slice(t->text + t->word, t->used - t->word);

	if (!sh_stem(t->stemmer, &word)) {
		t->no_memory = true;
	} else if (word.n && word.n <= 4 * n) {
		memmove(t->text + t->word, word.p, word.n);
		t->used = t->word + word.n;
	}
}

/* Returns whether a dictionary gives the words: a single character is then an ordinary word. */
static bool by_dictionary(const struct sh_token_method *m)
{
	return m->needs_jieba || m->needs_cppjieba;
}

/* Returns the kind, SH_KEEP_*, of a code point; 0: no kind. A mark is no letter, so a word of marks
 * is not alpha. In scripts that are split into characters, a mark is a word of its own. */
static unsigned keep_of(uint32_t c, unsigned class)
{
	enum sh_script script = sh_class_script(class);

	if (class & SH_CLASS_DIGIT)
		return SH_KEEP_DIGIT;
	if (script == SH_SCRIPT_OTHER && c >= 0x80 && sh_is_mark(c))
		return 0;
	return script == SH_SCRIPT_INHERITED ? 0 : 1U << script;
}

/* Returns whether the open word passes the filters. If so, masks its digits and stems it. */
static bool pass_filters(struct sh_tokenizer *t)
{
	const uint8_t *p = (uint8_t *)t->text + t->word, *end = (uint8_t *)t->text + t->used;
	unsigned keep = 0, class = 0;
	size_t n = 0;
	bool cut;

	for (; p < end; n++) {
		uint32_t c = sh_utf8_next(&p, end);

		class = sh_fold_class(t->fold, c);
		if (t->opts.keep)
			keep |= keep_of(c, class);
	}
	cut = n == 1 && (class & SH_CLASS_KIND) == SH_CLASS_CUT && !by_dictionary(t->method);
	if (t->opts.keep && !(keep & t->opts.keep))
		return false;
	if (n < t->opts.min_chars && !cut)
		return false;
	if (t->opts.stop &&
	    sh_stoplist_has(t->opts.stop, sh_slice(t->text + t->word, t->used - t->word)))
		return false;
	if (t->opts.mask_digits)
		mask_digits(t);
	if (t->stemmer)
		stem(t, n);
	return true;
}

void sh_out_word(struct sh_tokenizer *t)
{
	const uint8_t *p, *end;

	if (t->filtered && !pass_filters(t)) {
		t->used = t->word;
		sh_out_gap(t);
		return;
	}
	if (t->opts.unit == SH_UNIT_WORD) {
		sh_out_token(t, t->word, t->used);
		t->text[t->used++] = ' ';
		t->word = t->used;
		return;
	}
	p = (uint8_t *)t->text + t->word;
	end = (uint8_t *)t->text + t->used;
	for (size_t n = 0; p < end; n++) {
		size_t from = (size_t)(p - (uint8_t *)t->text);

		if (!t->opts.places && end - p >= 8 &&
		    !(sh_le64(p) & UINT64_C(0x8080808080808080))) {
			for (unsigned i = 0; i < 8; i++)
				sh_out_token(t, from + i, from + i + 1);
			p += 8;
			continue;
		}
		sh_utf8_next(&p, end);
		sh_out_token_at(t, from, (size_t)(p - (uint8_t *)t->text), sh_places_point(t, n));
	}
	t->word = t->chars = t->used;
}
