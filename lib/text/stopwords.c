/* SPDX-License-Identifier: MIT */
#include "text/stopwords.h"

#include <stdlib.h>

#include "text/ngram.h"
#include "text/tokenizer.h"

void sh_stoplist_delete(struct sh_stoplist *s)
{
	if (!s)
		return;
	sh_hmap_free(&s->words);
	free(s);
}

static bool needs_dictionary(const struct sh_token_opts *opts)
{
	return opts->method && (opts->method->needs_jieba || opts->method->needs_cppjieba);
}

/* cppjieba compares whole lines. One line of its own list ends with a space, and so has no
 * effect. */
static struct sh_slice trim(struct sh_slice s, const struct sh_token_opts *opts)
{
	if (opts->no_fold && opts->method && opts->method->needs_cppjieba)
		return sh_without_cr(s);
	return sh_slice_strip(s, " \t\r");
}

/* Makes the whole text one token. */
static int cut_nothing(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	struct sh_slice text = sh_slice((const char *)p, (size_t)(end - p));
	uint64_t ill = 0;

	t->scratch.n = 0;
	if (!t->opts.no_fold) {
		if (sh_fold_text(t->fold, text, &t->scratch, &ill, err) < 0)
			return -1;
		text = sh_buf_slice(&t->scratch);
	}
	if (sh_out_reserve(t, text.n, err) < 0)
		return -1;
	sh_out_bytes(t, text);
	sh_out_end(t);
	return 0;
}

/* For methods with a dictionary, where a line is a word. */
static const struct sh_token_method whole_line = { .name = "line", .run = cut_nothing };

/* Splits each line without filters. Puts the lines of one token into *s unless s is NULL. Sets
 * *several to the number of lines of several tokens, and *first to the first of these lines. */
static int read_lines(struct sh_slice lines, const struct sh_token_opts *opts,
    struct sh_stoplist *s, uint64_t *several, struct sh_slice *first, struct sh_error *err)
{
	struct sh_token_opts plain = { .method =
					   needs_dictionary(opts) ? &whole_line : opts->method,
		.no_fold = opts->no_fold,
		.fold_marks = opts->fold_marks,
		.raw = true };
	struct sh_tokenizer *t = sh_tokenizer_new(&plain, err);
	int status = t ? 0 : -1;

	*several = 0;
	for (lines = sh_utf8_skip_bom(lines); lines.n && status == 0;) {
		struct sh_slice line = trim(sh_slice_cut(&lines, '\n'), opts);
		struct sh_tokens tokens;
		uint32_t index;

		status = sh_tokenize(t, line, &tokens, err);
		if (status == 0 && tokens.n > 1 && (*several)++ == 0)
			*first = line;
		if (status == 0 && tokens.n == 1 && s)
			status =
			    sh_hmap_put(&s->words, sh_ngram_text(&tokens, 0, 1), &index, NULL, err);
	}
	sh_tokenizer_delete(t);
	return status;
}

int sh_stopwords_unusable(struct sh_slice lines, const struct sh_token_opts *opts, uint64_t *n,
    struct sh_slice *first, struct sh_error *err)
{
	*n = 0;
	return needs_dictionary(opts) ? 0 : read_lines(lines, opts, NULL, n, first, err);
}

struct sh_stoplist *sh_stopwords_read(
    struct sh_slice lines, const struct sh_token_opts *opts, struct sh_error *err)
{
	struct sh_stoplist *s = calloc(1, sizeof *s);
	struct sh_slice first;
	uint64_t several;

	if (!s)
		sh_error_nomem(err);
	else if (sh_hmap_init(&s->words, err) == 0 &&
		 read_lines(lines, opts, s, &several, &first, err) == 0)
		return s;
	sh_stoplist_delete(s);
	return NULL;
}
