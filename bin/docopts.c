/* SPDX-License-Identifier: MIT */
#include "docopts.h"

#include "archive/settings.h"
#include "fp/defaults.h"
#include "text/stopwords.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "names.h"
#include "published/cppjieba.h"
#include "segment/jieba.h"
#include "text/method.h"
#include "unicode/utf8.h"

enum {
	STOP = FORMOPTS_END,
	MIN_CHARS,
	KEEP_WORDS,
	NO_FOLD,
	MASK_DIGITS,
	FOLD_MARKS,
	JOIN_HYPHENS,
	RAW,
	STRICT,
	SEGMENT,
	SPLIT,
	DICT,
	STEM,
};

/* Returns whether the method needs a dictionary: then it is a value of --segment, otherwise of
 * --split. */
static bool is_segmenter(const struct sh_token_method *m)
{
	return m->needs_jieba || m->needs_cppjieba;
}

static const char *method_names(unsigned i, bool segmenters)
{
	const struct sh_token_method *m;

	for (unsigned row = 0; (m = sh_token_method_at(row)); row++)
		if (!m->profile_only && is_segmenter(m) == segmenters && i-- == 0)
			return m->name;
	return NULL;
}

static const char *split_names(unsigned i)
{
	return method_names(i, false);
}

static const char *segment_names(unsigned i)
{
	return i == 0 ? "char" : method_names(i - 1, true);
}

static const char *unit_names(unsigned i)
{
	return i == 0 ? "word" : i == 1 ? "char" : NULL;
}

const struct cli_option docopts_table[] = {
	CLI_HEADING("Tokens and n-grams"),
	{ 'n', "ngram", "N[-M]",
	    "features are n-grams of N (to M) tokens [" SH_DEFAULT_TEXT(
		SH_DEFAULT_NGRAM) "; of sets: " SH_DEFAULT_TEXT(SH_DEFAULT_SET_NGRAM) "]" },
	{ 'u', "unit", "word|char", "tokens are words or characters [word]", unit_names },
	{ 'p', "profile", "NAME", "all choices of a system: %s; other options override [default]",
	    profile_names },
	{ SEGMENT, "segment", "NAME", "cut scripts without spaces by %s [char]", segment_names },
	{ DICT, "dict", "FILE", "words for --segment jieba; cppjieba: its directory", NULL,
	    CLI_READS },
	{ SPLIT, "split", "RULE", "token rule of a published system: %s", split_names },
	{ STEM, "stem", "LANG", "replace words by their stems: english, porter, german, ..." },
	{ STOP, "stop", "FILE", "drop the words of FILE, one per line", NULL, CLI_READS },
	{ MIN_CHARS, "min-chars", "N", "drop words of fewer than N characters" },
	{ KEEP_WORDS, "keep-words", "KIND,...",
	    "keep only words with han, kana, hangul, alpha, digit, ..." },
	{ NO_FOLD, "no-fold", NULL, "neither normalise (NFKC) nor fold case" },
	{ MASK_DIGITS, "mask-digits", NULL, "make each run of digits a single 0" },
	{ FOLD_MARKS, "fold-marks", NULL,
	    "leave out Arabic and Syriac vowel signs, tatweel, Hebrew points" },
	{ JOIN_HYPHENS, "join-hyphens", NULL, "join words that a hyphen cuts at a line end" },
	CLI_HEADING("Records of documents"),
	FORMOPTS_ROWS,
	{ RAW, "raw", NULL, "read backslashes as plain characters" },
	{ STRICT, "strict", NULL, "treat a record with ill-formed UTF-8 as bad" },
	{ 0 },
};

/* Sets the options of tokens that were given. Other options keep the values of the profile. */
static void set_tokens(struct docopts *d, struct cli *c)
{
	struct sh_token_opts *t = &d->token;
	const char *segment = opt_value(c, SEGMENT), *unit = opt_value(c, 'u');
	const char *kinds = opt_text(c, KEEP_WORDS);
	struct sh_error err;

	if (cli_given(c, SEGMENT) && cli_given(c, SPLIT))
		cli_usage(
		    c, "--segment and --split contradict each other: both say how text is cut");
	if (unit)
		t->unit = strcmp(unit, "char") == 0 ? SH_UNIT_CHAR : SH_UNIT_WORD;
	if (segment)
		t->method = strcmp(segment, "char") == 0 ? sh_token_method_at(0)
							 : sh_token_method_find(segment);
	if (cli_given(c, SPLIT))
		t->method = sh_token_method_find(opt_value(c, SPLIT));
	if (cli_given(c, STEM))
		t->stem = opt_text(c, STEM);
	t->min_chars = (unsigned)opt_number(c, MIN_CHARS, 0, 1000000, t->min_chars);
	if (kinds) {
		t->punctuation = strcmp(kinds, "any") == 0;
		t->keep = 0;
		if (!t->punctuation && sh_keep_parse(sh_slice_str(kinds), &t->keep, &err) < 0)
			cli_usage(c, "--keep-words: %s (or any, alone)", err.text);
	}
	t->no_fold = t->no_fold || cli_given(c, NO_FOLD);
	t->mask_digits = t->mask_digits || cli_given(c, MASK_DIGITS);
	t->fold_marks = t->fold_marks || cli_given(c, FOLD_MARKS);
	t->join_hyphens = t->join_hyphens || cli_given(c, JOIN_HYPHENS);
	/* In plain text and CSV a backslash is not an escape; in JSON the escapes are removed
	 * already. */
	t->raw = t->raw || cli_given(c, RAW) || !formopts_escaped(&d->docs.form);
}

/* A program may have an -n of its own. A profile of a published system defines its own features. */
static void set_ngrams(struct docopts *d, struct cli *c)
{
	bool given = cli_given(c, 'n') && cli_find_option(c, 'n') == &docopts_table[1];
	struct sh_error err;

	if (given && sh_ngrams_parse(opt_text(c, 'n'), &d->ngrams, &err) < 0)
		cli_usage(c, "-n: %s", err.text);
	if (!given && d->sets && d->profile == sh_profile_at(0))
		d->ngrams = (struct sh_ngrams){ SH_DEFAULT_SET_NGRAM, SH_DEFAULT_SET_NGRAM };
}

/* Loads the files of --stop, or the list of the profile. Warns of words that cannot drop anything:
 * words in another encoding, and words of several tokens, such as most words of a Chinese list when
 * characters are tokens. Only tokens that are split at blanks may contain ill-formed UTF-8. */
static void load_stop(struct docopts *d, struct cli *c)
{
	struct sh_buf words = { 0 };
	struct sh_error err;

	for (size_t i = 0; i < d->stops.n; i++) {
		const char *path = d->stops.name[i];
		struct sh_buf all = { 0 };
		struct sh_slice lines, first;
		uint64_t several;

		cli_read_file(c, path, &all);
		lines = sh_buf_slice(&all);
		d->stop_sum = sh_content_sum(d->stop_sum, lines);
		if (sh_docs_head(&lines, &err) < 0 ||
		    sh_stopwords_unusable(lines, &d->token, &several, &first, &err) < 0) {
			err.file = path;
			cli_die(c, &err);
		}
		if (!d->token.method->escapes && !sh_utf8_valid(lines.p, lines.n))
			cli_warn(c, "%s: not UTF-8: its words drop nothing (convert it with iconv)",
			    path);
		else if (several)
			cli_warn(c,
			    "%s: lines that are several tokens drop nothing: %llu, the first "
			    "'%.*s'%s",
			    path, (unsigned long long)several, sh_shown(first, 40), first.p,
			    *first.p & 0x80 ? " (--segment jieba makes words of Chinese)" : "");
		if (sh_buf_add(&words, lines.p, lines.n, &err) < 0 ||
		    sh_buf_add(&words, "\n", 1, &err) < 0)
			cli_die(c, &err);
		sh_buf_free(&all);
	}
	d->token.stop_any_case = d->stops.n == 0;
	d->stop = sh_stopwords_read(
	    d->stops.n ? sh_buf_slice(&words) : sh_slice_str(d->profile->stop), &d->token, &err);
	if (!d->stop)
		cli_die(c, &err);
	d->token.stop = d->stop;
	sh_buf_free(&words);
}

/* Refuses options that drop or change words when the tokens are characters. */
static void refuse_words(const struct docopts *d, struct cli *c)
{
	const struct sh_token_opts *t = &d->token;
	const char *split = cli_given(c, SPLIT) ? t->method->name : NULL;
	const struct {
		bool on;
		int code;
	} rows[] = { { t->keep, KEEP_WORDS }, { t->min_chars > 1, MIN_CHARS }, { d->stops.n, STOP },
		{ t->mask_digits, MASK_DIGITS }, { t->fold_marks, FOLD_MARKS },
		{ t->join_hyphens, JOIN_HYPHENS }, { t->stem, STEM } };

	for (size_t i = 0; t->method->chars && i < sizeof rows / sizeof *rows; i++) {
		if (!rows[i].on)
			continue;
		if (!cli_given(c, rows[i].code))
			cli_usage(c, "-p %s needs words, but --split %s gives characters",
			    d->profile->name, t->method->name);
		cli_usage(c, "%s: needs words, but %s %s gives characters",
		    cli_option_name(c, rows[i].code), split ? "--split" : "-p",
		    split ? split : d->profile->name);
	}
}

/* ---- dictionaries ---- */

/* Returns the name of the dictionary: jieba's file, or cppjieba's folder, which is that of the last
 * --dict. Returns NULL when neither an option, nor the environment, nor a known place has it. path:
 * room for the name. */
static const char *dictionary(const struct docopts *d, char path[PATH_MAX + 64])
{
	static const char *const places[] = { "jieba.dict", "../share/simhash-utils/jieba.dict" };
	bool cppjieba = d->token.method->needs_cppjieba;
	const char *name = getenv(cppjieba ? "SIMHASH_CPPJIEBA" : "SIMHASH_JIEBA");
	char self[PATH_MAX], *slash;
	ssize_t n;

	if (cppjieba && d->dicts.n)
		return d->dicts.name[d->dicts.n - 1];
	if (name && *name)
		return name;
	n = cppjieba ? 0 : readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0 || !(slash = memrchr(self, '/', (size_t)n)))
		return NULL;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(path, PATH_MAX + 64, "%s%s", self, places[i]);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

void docopts_add_words(
    struct cli *c, const struct cli_files *files, struct sh_jieba *j, uint64_t *sum)
{
	struct sh_buf text = { 0 };
	struct sh_error err;

	for (size_t i = 0; i < files->n; i++) {
		text.n = 0;
		cli_read_file(c, files->name[i], &text);
		*sum = sh_content_sum(*sum, sh_buf_slice(&text));
		if (sh_jieba_add_user(j, sh_buf_slice(&text), &err) < 0) {
			err.file = files->name[i];
			cli_die(c, &err);
		}
	}
	sh_buf_free(&text);
}

void docopts_open_dictionary(struct docopts *d, struct cli *c, bool needed)
{
	const struct sh_token_method *m = d->token.method;
	char path[PATH_MAX + 64];
	const char *name;
	struct sh_error err;

	if (d->jieba || d->cppjieba)
		return;
	if (!is_segmenter(m)) {
		if (d->dicts.n)
			cli_usage(c, "--dict is for --segment jieba and cppjieba, neither of which "
				     "is given");
		return;
	}
	name = dictionary(d, path);
	if (!needed && (!name || access(name, R_OK) < 0))
		return;
	if (!name && m->needs_jieba)
		cli_usage(c, "the dictionary jieba.dict is missing: run `make deps` and `make`, or "
			     "set SIMHASH_JIEBA=FILE");
	if (!name)
		cli_usage(c,
		    "no dictionary of cppjieba: give --dict DIR or set SIMHASH_CPPJIEBA=DIR, a "
		    "folder with jieba.dict.utf8 and hmm_model.utf8");
	if (m->needs_jieba)
		d->token.jieba = d->jieba = sh_jieba_open(name, &err);
	else
		d->token.cppjieba = d->cppjieba = sh_cppjieba_open(name, &err);
	if (!d->jieba && !d->cppjieba)
		cli_die(c, &err);
	if (d->jieba)
		docopts_add_words(c, &d->dicts, d->jieba, &d->dict_sum);
}

void docopts_complete(struct docopts *d, struct cli *c)
{
	const char *profile = opt_value(c, 'p');

	d->profile = profile ? sh_profile_find(profile) : sh_profile_at(0);
	sh_profile_tokens(d->profile, &d->token, &d->ngrams);
	formopts_complete(&d->of, &d->docs.form, c);
	set_ngrams(d, c);
	set_tokens(d, c);
	d->stops = opt_all(c, STOP);
	d->dicts = opt_all(c, DICT);
	d->docs.strict = cli_given(c, STRICT);
	refuse_words(d, c);
	d->docs.rejects = c->rejects_path != NULL;
	if (d->stops.n || d->profile->stop)
		load_stop(d, c);
	/* The profile needs tables: shfp reads its features. */
	if (!d->perhaps_no_text || !d->profile->top)
		docopts_open_dictionary(d, c, !d->perhaps_no_text);
}

void docopts_need_places(const struct docopts *d, struct cli *c)
{
	if (d->token.method->no_places)
		cli_usage(c, "--split %s does not report the places of words in the text",
		    d->token.method->name);
	formopts_need_one_text(&d->docs.form, c);
}

void docopts_free(struct docopts *d)
{
	sh_stoplist_delete(d->stop);
	sh_jieba_delete(d->jieba);
	sh_cppjieba_delete(d->cppjieba);
}
