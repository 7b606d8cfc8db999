#include "docopts.h"
#include "text/stop.h"
#include "text/stopwords.h"

#include <stdio.h>
#include <string.h>

#include "dictionary.h"
#include "names.h"
#include "text/method.h"
#include "unicode/utf8.h"

enum {
	STOP = CLI_FEATURES,
	MIN_CHARS,
	KEEP,
	NO_FOLD,
	MASK_DIGITS,
	RAW,
	STRICT,
	SEGMENT,
	SPLIT,
	DICT,
	STEM,
	JSON,
};

/* Rows of the tokenizer's table that need a dictionary are for --segment, the others are for --split. */
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
	{ 'n', "ngram", "N[-M]", "features are n-grams of N (to M) tokens [1]" },
	{ 'p', "profile", "NAME", "all choices of a system: %s; other options override [default]",
	    profile_names },
	{ 'u', "unit", "word|char", "tokens are words or characters [word]", unit_names },
	{ SEGMENT, "segment", "NAME", "cut scripts without spaces by %s [char]", segment_names },
	{ DICT, "dict", "FILE", "words for --segment jieba; cppjieba: its directory" },
	{ SPLIT, "split", "RULE", "token rule of a published system: %s", split_names },
	{ STEM, "stem", "LANG", "replace words by their stems: english, porter, german, ..." },
	{ STOP, "stop", "FILE", "drop the words that stand in FILE, one a line" },
	{ MIN_CHARS, "min-chars", "N", "drop words of fewer than N characters" },
	{ KEEP, "keep", "KIND,...", "keep only words with han, kana, hangul, alpha, digit, ..." },
	{ NO_FOLD, "no-fold", NULL, "neither normalise (NFKC) nor fold case" },
	{ MASK_DIGITS, "mask-digits", NULL, "make each run of digits a single 0" },
	CLI_HEADING("Records of documents"),
	{ JSON, "json", NULL, "each line is a JSON object with the fields that -f names" },
	{ 'f', "fields", "ID,TEXT", "the fields that hold id and text [1,2 of two; id,text]" },
	{ 'l', "line-ids", NULL,
	    "its number is the id of each line, which is plain text or --json" },
	{ RAW, "raw", NULL, "backslashes are no escapes" },
	{ STRICT, "strict", NULL, "ill-formed UTF-8 makes a bad record" },
	{ 0 },
};

void docopts_init(struct docopts *d)
{
	*d = (struct docopts){ .profile = sh_profile_at(0) };
	sh_profile_tokens(d->profile, &d->token, &d->ngrams);
}

/* "jieba", "jieba-all", "jieba:cut_all", ... to the row that does it: jieba's own names of its
 * ways will do, too. */
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

static void take_keep(struct docopts *d, struct cli *c, struct sh_error *err)
{
	d->token.punctuation = strcmp(c->arg, "any") == 0;
	d->token.keep = 0;
	if (!d->token.punctuation && sh_keep_parse(sh_slice_str(c->arg), &d->token.keep, err) < 0)
		sh_error_set(err, err->code, "%s (or any, alone)", err->text);
}

/* The message about an option's value. */
_Noreturn static void refuse(struct cli *c, int opt, const struct sh_error *err)
{
	char text[sizeof err->text + 2];

	snprintf(text, sizeof text, ": %s", err->text);
	cli_refuse(c, opt, text);
}

bool docopts_take(struct docopts *d, struct cli *c, int opt)
{
	struct sh_error err = { 0 };

	switch (opt) {
	case 'p':
		d->profile = sh_profile_find(cli_value(c, opt));
		sh_profile_tokens(d->profile, &d->token, &d->ngrams);
		return true;
	case SEGMENT:
		d->token.method = find_segmenter(c->arg);
		if (!d->token.method)
			cli_value(c, opt); /* dies: it is none of the names */
		d->segment = true;
		break;
	case SPLIT:
		d->token.method = sh_token_method_find(cli_value(c, opt));
		d->split = true;
		break;
	case DICT:
		cli_reads_more(c, &d->dicts);
		break;
	case STEM:
		d->token.stem = c->arg;
		break;
	case 'n':
		sh_ngrams_parse(c->arg, &d->ngrams, &err);
		break;
	case 'u':
		d->token.unit =
		    strcmp(cli_value(c, opt), "char") == 0 ? SH_UNIT_CHAR : SH_UNIT_WORD;
		break;
	case STOP:
		cli_reads_more(c, &d->stops);
		break;
	case MIN_CHARS:
		d->token.min_chars = (unsigned)cli_number(c, "--min-chars", 0, 1000000);
		break;
	case KEEP:
		take_keep(d, c, &err);
		break;
	case NO_FOLD:
		d->token.no_fold = true;
		break;
	case MASK_DIGITS:
		d->token.mask_digits = true;
		break;
	case JSON:
		d->docs.form.json = true;
		break;
	case 'f':
		d->fields = c->arg;
		break;
	case 'l':
		d->docs.form.line_ids = true;
		break;
	case RAW:
		d->token.raw = true;
		break;
	case STRICT:
		d->docs.strict = true;
		break;
	default:
		return false;
	}
	if (err.code)
		refuse(c, opt, &err);
	d->used = true;
	return true;
}

/* Words of another encoding would drop nothing, in silence, and so would those that are more than one
 * token: most of a Chinese list, while characters are. Only tokens that are cut at blanks have bytes
 * that are no UTF-8. */
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
		cli_warn(c,
		    "%s: not UTF-8: words with such bytes drop nothing (iconv makes UTF-8 of it)",
		    path);
	else if (several)
		cli_warn(c,
		    "%s: lines that are several tokens drop nothing: %llu, the first '%.*s'%s",
		    path, (unsigned long long)several, sh_shown(first, 40), first.p,
		    *first.p & 0x80 ? " (--segment jieba makes words of Chinese)" : "");
}

/* The lines of a file after those of the files before. */
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

static void settle_form(struct docopts *d, struct cli *c)
{
	struct sh_document_form *form = &d->docs.form;
	struct sh_error err;

	if (form->line_ids && d->fields && !form->json)
		cli_usage(c, "-l and -f contradict each other: with -l the whole line is text");
	if (d->fields && sh_document_form_parse(d->fields, form, &err) < 0)
		cli_usage(c, "-f: %s", err.text);
	/* Backslashes of plain text are no escapes, and those of JSON are gone already. */
	if (form->line_ids || form->json || form->columns)
		d->token.raw = true;
}

/* An option that drops or changes words, where one was given. */
static int word_option(const struct docopts *d)
{
	const struct sh_token_opts *t = &d->token;

	return t->keep            ? KEEP
	       : t->min_chars > 1 ? MIN_CHARS
	       : d->stops.n       ? STOP
	       : t->mask_digits   ? MASK_DIGITS
	       : t->stem          ? STEM
				  : 0;
}

/* Whether that comes of -p. */
static bool of_profile(const struct docopts *d, int opt)
{
	const struct sh_token_opts *t = &d->token;
	const struct sh_profile *p = d->profile;

	return (opt == STEM && t->stem == p->stem) ||
	       (opt == MIN_CHARS && t->min_chars == p->min_chars);
}

/* Options of which one would be as if it were not there. */
static void settle_tokens(struct docopts *d, struct cli *c)
{
	int opt = word_option(d);
	struct sh_error err;

	if (d->segment && d->split)
		cli_usage(
		    c, "--segment and --split contradict each other: both say how text is cut");
	if (!d->token.method->chars || !opt)
		return;
	if (of_profile(d, opt))
		cli_usage(c, "-p %s looks at words, and --split %s gives characters",
		    d->profile->name, d->token.method->name);
	sh_error_set(&err, SH_ERR_PARAM, "looks at words, and %s %s gives characters",
	    d->split ? "--split" : "-p", d->split ? d->token.method->name : d->profile->name);
	refuse(c, opt, &err);
}

/* cppjieba's; the last of several. */
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

void docopts_settle(struct docopts *d, struct cli *c)
{
	settle_form(d, c);
	settle_tokens(d, c);
	d->docs.form.crlf = c->crlf;
	d->docs.rejects = c->rejects_path != NULL;
	if (d->stops.n || d->profile->stop)
		load_stop(d, c);
	if (!d->no_text && !(d->perhaps_no_text && !dictionary_is_there(d)))
		docopts_open_dictionary(d, c);
}

void docopts_need_places(const struct docopts *d, struct cli *c)
{
	if (d->token.method->no_places)
		cli_usage(c, "--split %s does not say where its words stand in the text",
		    d->token.method->name);
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

void docopts_read_header(
    struct cli *c, const struct sh_document_form *form, struct sh_source *source)
{
	struct sh_slice first, header;
	struct sh_error err;

	source->csv = true;
	if (sh_source_peek(source, &first, &err) < 0)
		cli_die(c, &err);
	header = sh_buf_slice(&source->header);
	if (header.n == 0)
		return;
	if (sh_docs_head(&header, &err) < 0 ||
	    sh_document_header(
		form, sh_slice(header.p, header.n - (header.p[header.n - 1] == '\n')), &err) < 0) {
		err.file = source->header_file;
		err.line = 1;
		cli_die(c, &err);
	}
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
