#include "docopts.h"

enum {
	STOP = CLI_FEATURES,
	MIN_CHARS,
	KEEP,
	NO_FOLD,
	MASK_DIGITS,
	RAW,
	STRICT,
};

const struct cli_option docopts_table[] = {
	{ 'n', "ngram", "N[-M]", "features are n-grams of N (to M) tokens [1]" },
	{ 'u', "unit", "word|char", "tokens are words or characters [word]" },
	{ STOP, "stop", "FILE", "drop the words that stand in FILE, one a line" },
	{ MIN_CHARS, "min-chars", "N", "drop words of fewer than N characters" },
	{ KEEP, "keep", "KIND,...", "keep only words with han, kana, hangul, alpha, digit, ..." },
	{ NO_FOLD, "no-fold", NULL, "neither normalise (NFKC) nor fold case" },
	{ MASK_DIGITS, "mask-digits", NULL, "make each run of digits a single 0" },
	{ 'f', "fields", "ID,TEXT", "the fields that hold id and text [1,2 of two]" },
	{ 'l', "line-ids", NULL, "plain text: each line a document, its number the id" },
	{ RAW, "raw", NULL, "backslashes are no escapes" },
	{ STRICT, "strict", NULL, "ill-formed UTF-8 makes a bad record" },
	{ 0 },
};

void docopts_init(struct docopts *d)
{
	*d = (struct docopts){ .ngrams = { 1, 1 } };
}

static void take_unit(struct docopts *d, struct cli *c)
{
	if (strcmp(c->arg, "word") == 0)
		d->token.unit = SH_UNIT_WORD;
	else if (strcmp(c->arg, "char") == 0)
		d->token.unit = SH_UNIT_CHAR;
	else
		cli_usage(c, "-u '%s': expected word or char", c->arg);
}

bool docopts_take(struct docopts *d, struct cli *c, int opt)
{
	struct sh_error err = { 0 };

	switch (opt) {
	case 'n':
		sh_ngrams_parse(c->arg, &d->ngrams, &err);
		break;
	case 'u':
		take_unit(d, c);
		break;
	case STOP:
		d->stop_path = c->arg;
		break;
	case MIN_CHARS:
		d->token.min_chars = (unsigned)cli_number(c, "--min-chars", 0, 1000000);
		break;
	case KEEP:
		sh_keep_parse(sh_slice_str(c->arg), &d->token.keep, &err);
		break;
	case NO_FOLD:
		d->token.no_fold = true;
		break;
	case MASK_DIGITS:
		d->token.mask_digits = true;
		break;
	case 'f':
		sh_document_form_parse(c->arg, &d->docs.form, &err);
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
		cli_usage(c, "%s", err.text);
	d->used = true;
	return true;
}

static void load_stop(struct docopts *d, struct cli *c)
{
	char *const names[] = { (char *)(uintptr_t)d->stop_path };
	struct sh_source source;
	struct sh_buf all = { 0 }, block = { 0 };
	struct sh_origin from;
	struct sh_error err;
	int got;

	sh_source_init(&source, names, 1);
	while ((got = sh_source_read(&source, &block, &from, &err)) > 0)
		if (sh_buf_add(&all, block.p, block.n, &err) < 0)
			cli_die(c, &err);
	if (got < 0)
		cli_die(c, &err);
	d->stop = sh_stoplist_new(sh_buf_slice(&all), &d->token, &err);
	if (!d->stop)
		cli_die(c, &err);
	d->token.stop = d->stop;
	sh_source_free(&source);
	sh_buf_free(&block);
	sh_buf_free(&all);
}

void docopts_settle(struct docopts *d, struct cli *c)
{
	if (d->docs.form.line_ids && d->docs.form.id_field)
		cli_usage(c, "-l and -f contradict each other: with -l the whole line is text");
	/* A line of plain text holds backslashes, not escapes. */
	if (d->docs.form.line_ids)
		d->token.raw = true;
	d->docs.form.crlf = c->crlf;
	d->docs.rejects = c->rejects_path != NULL;
	if (d->stop_path)
		load_stop(d, c);
}

void docopts_free(struct docopts *d)
{
	sh_stoplist_delete(d->stop);
}
