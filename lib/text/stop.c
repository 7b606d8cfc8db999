#include "text/token.h"

#include <stdlib.h>

#include "base/hmap.h"
#include "text/fold.h"
#include "text/method.h"
#include "text/utf8.h"

struct sh_stoplist {
	struct sh_hmap words;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* cppjieba compares whole lines: one of its own has a blank at the end, and stops nothing. */
static bool takes_whole_lines(const struct sh_token_opts *opts)
{
	return opts->no_fold && opts->method && opts->method->needs_cppjieba;
}

static struct sh_slice trim(struct sh_slice s, bool whole)
{
	if (whole)
		return s.n && s.p[s.n - 1] == '\r' ? sh_slice(s.p, s.n - 1) : s;
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	while (s.n && is_blank(*s.p))
		s = sh_slice(s.p + 1, s.n - 1);
	return s;
}

/* fold is NULL when words are taken as they stand. */
static int add_word(struct sh_stoplist *s, struct sh_fold *fold, struct sh_slice word,
    struct sh_buf *buf, struct sh_error *err)
{
	uint64_t ill = 0;
	uint32_t index;

	if (fold) {
		buf->n = 0;
		if (sh_fold_text(fold, word, buf, &ill, err) < 0)
			return -1;
		word = sh_buf_slice(buf);
	}
	return word.n ? sh_hmap_put(&s->words, word, &index, NULL, err) : 0;
}

static int add_lines(struct sh_stoplist *s, struct sh_fold *fold, struct sh_slice lines, bool whole,
    struct sh_error *err)
{
	struct sh_buf buf = { 0 };
	int result = 0;

	lines = sh_utf8_skip_bom(lines);
	while (lines.n && result == 0) {
		const char *lf = memchr(lines.p, '\n', lines.n);
		size_t n = lf ? (size_t)(lf - lines.p) : lines.n;
		size_t used = n + (lf != NULL);

		result = add_word(s, fold, trim(sh_slice(lines.p, n), whole), &buf, err);
		lines = sh_slice(lines.p + used, lines.n - used);
	}
	sh_buf_free(&buf);
	return result;
}

struct sh_stoplist *sh_stoplist_new(
    struct sh_slice lines, const struct sh_token_opts *opts, struct sh_error *err)
{
	struct sh_stoplist *s = calloc(1, sizeof *s);
	struct sh_fold *fold = NULL;
	int result;

	if (!s) {
		sh_error_nomem(err);
		return NULL;
	}
	result = sh_hmap_init(&s->words, err);
	if (result == 0 && !opts->no_fold) {
		fold = sh_fold_new(err);
		result = fold ? 0 : -1;
	}
	if (result == 0)
		result = add_lines(s, fold, lines, takes_whole_lines(opts), err);
	sh_fold_delete(fold);
	if (result < 0) {
		sh_stoplist_delete(s);
		return NULL;
	}
	return s;
}

void sh_stoplist_delete(struct sh_stoplist *s)
{
	if (!s)
		return;
	sh_hmap_free(&s->words);
	free(s);
}

bool sh_stoplist_has(const struct sh_stoplist *s, struct sh_slice token)
{
	uint32_t index;

	return sh_hmap_find(&s->words, token, &index);
}
