/* SPDX-License-Identifier: MIT */
#include "docopts.h"

#include "fp/defaults.h"
#include "text/stop.h"
#include "text/stopwords.h"

#include <stdio.h>
#include <string.h>

#include "dictionary.h"
#include "names.h"
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
	static const char *const names[] = { "word", "char" };

	return i < sizeof names / sizeof *names ? names[i] : NULL;
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
	{ DICT, "dict", "FILE", "words for --segment jieba; cppjieba: its directory" },
	{ SPLIT, "split", "RULE", "token rule of a published system: %s", split_names },
	{ STEM, "stem", "LANG", "replace words by their stems: english, porter, german, ..." },
	{ STOP, "stop", "FILE", "drop the words of FILE, one per line" },
	{ MIN_CHARS, "min-chars", "N", "drop words of fewer than N characters" },
	{ KEEP_WORDS, "keep-words", "KIND,...",
	    "keep only words with han, kana, hangul, alpha, digit, ..." },
	{ NO_FOLD, "no-fold", NULL, "neither normalise (NFKC) nor fold case" },
	{ MASK_DIGITS, "mask-digits", NULL, "make each run of digits a single 0" },
	{ FOLD_MARKS, "fold-marks", NULL,
	    "leave out Arabic vowel signs and tatweel, and Hebrew points" },
	{ JOIN_HYPHENS, "join-hyphens", NULL, "join words that a hyphen cuts at a line end" },
	CLI_HEADING("Records of documents"),
	FORMOPTS_ROWS,
	{ RAW, "raw", NULL, "read backslashes as plain characters" },
	{ STRICT, "strict", NULL, "treat a record with ill-formed UTF-8 as bad" },
	{ 0 },
};

void docopts_init(struct docopts *d)
{
	*d = (struct docopts){ .profile = sh_profile_at(0) };
	sh_profile_tokens(d->profile, &d->token, &d->ngrams);
}

/* Returns the method for "jieba", "jieba-all", "jieba:cut_all" and similar names; jieba's own names
 * of its modes are accepted, too. */
static const struct sh_token_method *find_segmenter(const char *arg)
{
	const struct sh_token_method *row;
	char name[40];
	size_t n = 0;

	if (strcmp(arg, "char") == 0)
		return sh_token_method_at(0);
	for (; arg[n] && n + 1 < sizeof name; n++)
		name[n] = arg[n] == ':' || arg[n] == '_' ? '-' : arg[n];
	name[n] = '\0';
	if (strncmp(name, "jieba-cut", 9) == 0)
		memmove(name + 5, name + 9, n - 9 + 1);
	row = sh_token_method_find(name);
	return row && !row->profile_only && is_segmenter(row) ? row : NULL;
}

static void set_keep_words(struct docopts *d, struct cli *c, struct sh_error *err)
{
	d->token.punctuation = strcmp(c->arg, "any") == 0;
	d->token.keep = 0;
	if (!d->token.punctuation && sh_keep_parse(sh_slice_str(c->arg), &d->token.keep, err) < 0)
		sh_error_set(err, err->code, "%s (or any, alone)", err->text);
}

/* Dies with the message about an option's value. */
_Noreturn static void refuse(struct cli *c, int opt, const struct sh_error *err)
{
	cli_usage(c, "%s: %s", cli_option_name(c, opt), err->text);
}

/* Takes an option that says how text is cut into features. Returns false for other options. */
static bool set_cut(struct docopts *d, struct cli *c, int opt, struct sh_error *err)
{
	switch (opt) {
	case SEGMENT:
		d->token.method = find_segmenter(c->arg);
		if (!d->token.method)
			cli_value(c, opt); /* dies: it is none of the names */
		return true;
	case SPLIT:
		d->token.method = sh_token_method_find(cli_value(c, opt));
		return true;
	case DICT:
		cli_reads_more(c, &d->dicts);
		return true;
	case 'n':
		sh_ngrams_parse(c->arg, &d->ngrams, err);
		return true;
	case 'u':
		d->token.unit =
		    strcmp(cli_value(c, opt), "char") == 0 ? SH_UNIT_CHAR : SH_UNIT_WORD;
		return true;
	default:
		return false;
	}
}

/* Takes an option that drops or changes words. Returns false for other options. */
static bool set_words(struct docopts *d, struct cli *c, int opt, struct sh_error *err)
{
	switch (opt) {
	case STEM:
		d->token.stem = c->arg;
		return true;
	case STOP:
		cli_reads_more(c, &d->stops);
		return true;
	case MIN_CHARS:
		d->token.min_chars = (unsigned)cli_number(c, "--min-chars", 0, 1000000);
		return true;
	case KEEP_WORDS:
		set_keep_words(d, c, err);
		return true;
	case NO_FOLD:
		d->token.no_fold = true;
		return true;
	case MASK_DIGITS:
		d->token.mask_digits = true;
		return true;
	case FOLD_MARKS:
		d->token.fold_marks = true;
		return true;
	case JOIN_HYPHENS:
		d->token.join_hyphens = true;
		return true;
	default:
		return false;
	}
}

/* Takes an option of records. Returns false for other options. */
static bool set_form(struct docopts *d, struct cli *c, int opt)
{
	switch (opt) {
	case RAW:
		d->token.raw = true;
		return true;
	case STRICT:
		d->docs.strict = true;
		return true;
	default:
		return formopts_set(&d->of, &d->docs.form, c, opt);
	}
}

bool docopts_set(struct docopts *d, struct cli *c, int opt)
{
	struct sh_error err = { 0 };

	if (opt == 'p') {
		d->profile = sh_profile_find(cli_value(c, opt));
		sh_profile_tokens(d->profile, &d->token, &d->ngrams);
		return true;
	}
	if (!set_cut(d, c, opt, &err) && !set_words(d, c, opt, &err) && !set_form(d, c, opt))
		return false;
	if (err.code)
		refuse(c, opt, &err);
	d->used = true;
	return true;
}

/* Warns of stop words that cannot drop anything: words in another encoding, and words of several
 * tokens, such as most words of a Chinese list when characters are tokens. Only tokens that are
 * split at blanks may contain ill-formed UTF-8. */
static void check_stop(
    const struct docopts *d, struct cli *c, const char *path, struct sh_slice *lines)
{
	struct sh_slice first;
	struct sh_error err;
	uint64_t several;

	if (sh_docs_head(lines, &err) < 0 ||
	    sh_stopwords_unusable(*lines, &d->token, &several, &first, &err) < 0) {
		err.file = path;
		cli_die(c, &err);
	}
	if (!d->token.method->escapes && !sh_utf8_valid(lines->p, lines->n))
		cli_warn(c, "%s: not UTF-8: its words drop nothing (convert it with iconv)", path);
	else if (several)
		cli_warn(c,
		    "%s: lines that are several tokens drop nothing: %llu, the first '%.*s'%s",
		    path, (unsigned long long)several, sh_shown(first, 40), first.p,
		    *first.p & 0x80 ? " (--segment jieba makes words of Chinese)" : "");
}

/* Appends the lines of a file to the lines of the files before. */
static void add_stop(struct docopts *d, struct cli *c, const char *path, struct sh_buf *words)
{
	struct sh_buf all = { 0 };
	struct sh_slice lines;
	struct sh_error err;

	cli_read_file(c, path, &all);
	d->stop_sum = cli_sum(d->stop_sum, &all);
	lines = sh_buf_slice(&all);
	check_stop(d, c, path, &lines);
	if (sh_buf_add(words, lines.p, lines.n, &err) < 0 || sh_buf_add(words, "\n", 1, &err) < 0)
		cli_die(c, &err);
	sh_buf_free(&all);
}

static void load_stop(struct docopts *d, struct cli *c)
{
	struct sh_buf words = { 0 };
	struct sh_error err;

	for (size_t i = 0; i < d->stops.n; i++)
		add_stop(d, c, d->stops.name[i], &words);
	d->token.stop_any_case = d->stops.n == 0;
	d->stop = sh_stopwords_read(
	    d->stops.n ? sh_buf_slice(&words) : sh_slice_str(d->profile->stop), &d->token, &err);
	if (!d->stop)
		cli_die(c, &err);
	d->token.stop = d->stop;
	sh_buf_free(&words);
}

/* A profile of a published system defines its own features. */
static void complete_ngrams(struct docopts *d, const struct cli *c)
{
	if (d->sets && !cli_given(c, 'n') && d->profile == sh_profile_at(0))
		d->ngrams = (struct sh_ngrams){ SH_DEFAULT_SET_NGRAM, SH_DEFAULT_SET_NGRAM };
}

static void complete_form(struct docopts *d, struct cli *c)
{
	struct sh_document_form *form = &d->docs.form;

	formopts_complete(&d->of, form, c);
	/* In plain text and CSV a backslash is not an escape; in JSON the escapes are removed
	 * already. */
	if (form->line_ids || form->json || form->csv)
		d->token.raw = true;
}

/* Returns an option that drops or changes words, when one was given; otherwise 0. */
static int word_option(const struct docopts *d)
{
	const struct sh_token_opts *t = &d->token;

	return t->keep            ? KEEP_WORDS
	       : t->min_chars > 1 ? MIN_CHARS
	       : d->stops.n       ? STOP
	       : t->mask_digits   ? MASK_DIGITS
	       : t->fold_marks    ? FOLD_MARKS
	       : t->join_hyphens  ? JOIN_HYPHENS
	       : t->stem          ? STEM
				  : 0;
}

/* Returns whether -p set the option. */
static bool of_profile(const struct docopts *d, int opt)
{
	const struct sh_token_opts *t = &d->token;
	const struct sh_profile *p = d->profile;

	return (opt == STEM && t->stem == p->stem) ||
	       (opt == MIN_CHARS && t->min_chars == p->min_chars);
}

/* Refuses options that another option would make ineffective. */
static void complete_tokens(struct docopts *d, struct cli *c)
{
	int opt = word_option(d);
	struct sh_error err;

	if (cli_given(c, SEGMENT) && cli_given(c, SPLIT))
		cli_usage(
		    c, "--segment and --split contradict each other: both say how text is cut");
	if (!d->token.method->chars || !opt)
		return;
	if (of_profile(d, opt))
		cli_usage(c, "-p %s needs words, but --split %s gives characters", d->profile->name,
		    d->token.method->name);
	sh_error_set(&err, SH_ERR_PARAM, "needs words, but %s %s gives characters",
	    cli_given(c, SPLIT) ? "--split" : "-p",
	    cli_given(c, SPLIT) ? d->token.method->name : d->profile->name);
	refuse(c, opt, &err);
}

/* Returns the folder of cppjieba's dictionary; of several the last one. */
static const char *directory(const struct docopts *d)
{
	return d->dicts.n ? d->dicts.name[d->dicts.n - 1] : NULL;
}

static bool dictionary_is_there(const struct docopts *d)
{
	return d->token.method->needs_jieba      ? dictionary_jieba_is_there()
	       : d->token.method->needs_cppjieba ? dictionary_cppjieba_is_there(directory(d))
						 : true;
}

void docopts_complete(struct docopts *d, struct cli *c)
{
	complete_ngrams(d, c);
	complete_form(d, c);
	complete_tokens(d, c);
	d->docs.rejects = c->rejects_path != NULL;
	if (d->stops.n || d->profile->stop)
		load_stop(d, c);
	if (!d->no_text && !(d->perhaps_no_text && !dictionary_is_there(d)))
		docopts_open_dictionary(d, c);
}

void docopts_need_places(const struct docopts *d, struct cli *c)
{
	if (d->token.method->no_places)
		cli_usage(c, "--split %s does not report the places of words in the text",
		    d->token.method->name);
	formopts_need_one_text(&d->docs.form, c);
}

void docopts_open_dictionary(struct docopts *d, struct cli *c)
{
	if (d->jieba || d->cppjieba)
		return;
	if (d->token.method->needs_jieba)
		d->token.jieba = d->jieba = dictionary_open(c, &d->dicts, &d->dict_sum);
	else if (d->token.method->needs_cppjieba)
		d->token.cppjieba = d->cppjieba = dictionary_open_cppjieba(c, directory(d));
	else if (d->dicts.n)
		cli_usage(
		    c, "--dict is for --segment jieba and cppjieba, neither of which is given");
}

void docopts_free(struct docopts *d)
{
	sh_stoplist_delete(d->stop);
	cli_files_free(&d->stops);
	cli_files_free(&d->dicts);
	if (d->jieba)
		sh_jieba_delete(d->jieba);
	sh_cppjieba_delete(d->cppjieba);
}
