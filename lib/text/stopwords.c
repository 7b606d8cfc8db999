/* SPDX-License-Identifier: MIT */
#include "text/stopwords.h"

#include "text/method.h"
#include "text/stop.h"
#include "unicode/fold.h"
#include "unicode/utf8.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* cppjieba compares whole lines. One line of its own list ends with a space, and
 * so has no effect. */
static bool uses_whole_lines(const struct sh_token_opts *opts)
{
	return opts->no_fold && opts->method && opts->method->needs_cppjieba;
}

static struct sh_slice trim(struct sh_slice s, bool whole)
{
	if (whole)
		return sh_without_cr(s);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	while (s.n && is_blank(*s.p))
		s = sh_slice(s.p + 1, s.n - 1);
	return s;
}

/* Turns a line into the token that is to be dropped. */
struct reading {
	struct sh_fold *fold;     /* NULL: lines are not folded */
	struct sh_tokenizer *cut; /* not NULL: replaces fold, for methods with other rules */
	struct sh_buf buf, unpointed;
	bool whole, fold_marks;
};

static void reading_free(struct reading *r)
{
	sh_fold_delete(r->fold);
	sh_tokenizer_delete(r->cut);
	sh_buf_free(&r->buf);
	sh_buf_free(&r->unpointed);
}

static int reading_init(struct reading *r, const struct sh_token_opts *opts, struct sh_error *err)
{
	const struct sh_token_method *m = opts->method;
	struct sh_token_opts plain = { .method = m, .raw = true };

	*r = (struct reading){ .whole = uses_whole_lines(opts), .fold_marks = opts->fold_marks };
	if (m && m != &sh_words_method && !m->needs_jieba && !m->needs_cppjieba) {
		r->cut = sh_tokenizer_new(&plain, err);
		return r->cut ? 0 : -1;
	}
	if (opts->no_fold)
		return 0;
	r->fold = sh_fold_new(err);
	return r->fold ? 0 : -1;
}

/* Removes the code points that opts.fold_marks leaves out. */
static int leave_out_marks(struct reading *r, struct sh_slice *word, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)word->p, *end = p + word->n;

	r->unpointed.n = 0;
	while (p < end) {
		const uint8_t *from = p;

		if (!sh_is_pointing(sh_utf8_next(&p, end)) &&
		    sh_buf_add(&r->unpointed, from, (size_t)(p - from), err) < 0)
			return -1;
	}
	*word = sh_buf_slice(&r->unpointed);
	return 0;
}

/* Replaces the line *word by its token; by an empty slice when the line has no token or several. */
static int as_token(struct reading *r, struct sh_slice *word, struct sh_error *err)
{
	struct sh_tokens tokens;
	uint64_t ill = 0;

	if (r->cut) {
		if (sh_tokenize(r->cut, *word, &tokens, err) < 0)
			return -1;
		*word = sh_slice(tokens.text, 0);
		if (tokens.n == 1)
			*word = sh_slice(
			    tokens.text + tokens.start[0], tokens.end[0] - tokens.start[0]);
	} else if (r->fold) {
		r->buf.n = 0;
		if (sh_fold_text(r->fold, *word, &r->buf, &ill, err) < 0)
			return -1;
		*word = sh_buf_slice(&r->buf);
	}
	return r->fold_marks && word->n ? leave_out_marks(r, word, err) : 0;
}

/* Removes the first line from *lines and returns it trimmed. */
static struct sh_slice next_word(struct sh_slice *lines, bool whole)
{
	const char *lf = memchr(lines->p, '\n', lines->n);
	size_t n = lf ? (size_t)(lf - lines->p) : lines->n;
	size_t used = n + (lf != NULL);
	struct sh_slice word = trim(sh_slice(lines->p, n), whole);

	*lines = sh_slice(lines->p + used, lines->n - used);
	return word;
}

static int add_lines(
    struct sh_stoplist *s, struct reading *r, struct sh_slice lines, struct sh_error *err)
{
	lines = sh_utf8_skip_bom(lines);
	while (lines.n) {
		struct sh_slice word = next_word(&lines, r->whole);

		if (as_token(r, &word, err) < 0 || (word.n && sh_stoplist_put(s, word, err) < 0))
			return -1;
	}
	return 0;
}

int sh_stopwords_unusable(struct sh_slice lines, const struct sh_token_opts *opts, uint64_t *n,
    struct sh_slice *first, struct sh_error *err)
{
	const struct sh_token_method *m = opts->method;
	struct sh_token_opts plain = { .method = m, .no_fold = opts->no_fold, .raw = true };
	struct sh_tokenizer *cut;
	struct sh_tokens tokens;
	int status = 0;

	*n = 0;
	if (m && (m->needs_jieba || m->needs_cppjieba))
		return 0;
	cut = sh_tokenizer_new(&plain, err);
	if (!cut)
		return -1;
	lines = sh_utf8_skip_bom(lines);
	while (lines.n && status == 0) {
		struct sh_slice word = next_word(&lines, false);

		status = sh_tokenize(cut, word, &tokens, err);
		if (status == 0 && tokens.n > 1 && (*n)++ == 0)
			*first = word;
	}
	sh_tokenizer_delete(cut);
	return status;
}

struct sh_stoplist *sh_stopwords_read(
    struct sh_slice lines, const struct sh_token_opts *opts, struct sh_error *err)
{
	struct sh_stoplist *s = sh_stoplist_empty(err);
	struct reading r = { 0 };

	if (s && (reading_init(&r, opts, err) < 0 || add_lines(s, &r, lines, err) < 0)) {
		sh_stoplist_delete(s);
		s = NULL;
	}
	reading_free(&r);
	return s;
}
