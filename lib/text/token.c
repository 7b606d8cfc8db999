/* SPDX-License-Identifier: MIT */
#include "text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>

/* Code points for which memory is reserved at first. Pages that are never written use no memory. */
enum { FIRST_ROOM = 1 << 16 };

static const struct keep_name {
	const char *name;
	unsigned bit;
} keep_names[] = {
	{ "alpha", SH_KEEP_ALPHA },
	{ "digit", SH_KEEP_DIGIT },
	{ "han", SH_KEEP_HAN },
	{ "kana", SH_KEEP_KANA },
	{ "hangul", SH_KEEP_HANGUL },
	{ "thai", SH_KEEP_THAI },
	{ "lao", SH_KEEP_LAO },
	{ "khmer", SH_KEEP_KHMER },
	{ "myanmar", SH_KEEP_MYANMAR },
	{ "tibetan", SH_KEEP_TIBETAN },
	{ NULL, 0 },
};

static int unknown_kind(struct sh_slice name, struct sh_error *err)
{
	char names[160] = "";
	size_t n = 0;

	for (const struct keep_name *row = keep_names; row->name; row++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
		    row == keep_names ? ""
		    : row[1].name     ? ", "
				      : " or ",
		    row->name);
	return sh_error_set(err, SH_ERR_PARAM, "no kind of word '%.*s': expected %s",
	    sh_shown(name, 80), name.p, names);
}

int sh_keep_parse(struct sh_slice list, unsigned *keep, struct sh_error *err)
{
	const struct keep_name *row;
	unsigned bits = 0;

	for (size_t at = 0, n; at <= list.n; at += n + 1) {
		const char *comma = list.n > at ? memchr(list.p + at, ',', list.n - at) : NULL;

		n = (comma ? (size_t)(comma - list.p) : list.n) - at;
		for (row = keep_names; row->name; row++)
			if (sh_slice_eq(sh_slice_str(row->name), sh_slice(list.p + at, n)))
				break;
		if (!row->name)
			return unknown_kind(sh_slice(list.p + at, n), err);
		bits |= row->bit;
	}
	*keep = bits;
	return 0;
}

size_t sh_keep_print(unsigned keep, char text[SH_KEEP_TEXT])
{
	size_t n = 0;

	*text = '\0';
	for (const struct keep_name *row = keep_names; row->name; row++)
		if (keep & row->bit)
			n += (size_t)snprintf(
			    text + n, SH_KEEP_TEXT - n, "%s%s", n ? "," : "", row->name);
	return n;
}

static void fill_ascii(struct sh_tokenizer *t)
{
	for (unsigned c = 0; c < 256; c++) {
		uint8_t byte = (uint8_t)c;

		if (c >= 0x80 || c == SH_TERMINAL_ESCAPE || (c == '\\' && !t->opts.raw))
			t->ascii[c] = SH_ASCII_LEAVE;
		else if (c >= 'A' && c <= 'Z')
			t->ascii[c] = t->opts.no_fold ? byte : byte | 32;
		else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			t->ascii[c] = byte;
		else
			t->ascii[c] = SH_ASCII_SEPARATOR;
	}
}

enum sh_unit sh_token_unit(const struct sh_token_opts *opts)
{
	return opts->method && opts->method->chars ? SH_UNIT_CHAR : opts->unit;
}

struct sh_tokenizer *sh_tokenizer_new(const struct sh_token_opts *opts, struct sh_error *err)
{
	struct sh_tokenizer *t = calloc(1, sizeof *t);

	if (!t) {
		sh_error_nomem(err);
		return NULL;
	}
	t->method = opts->method ? opts->method : &sh_words_method;
	t->opts = *opts;
	t->opts.unit = sh_token_unit(opts);
	t->filtered =
	    opts->stop || opts->keep || opts->min_chars > 1 || opts->mask_digits || opts->stem;
	t->plain = !t->filtered && t->opts.unit == SH_UNIT_WORD;
	sh_tokenizer_force(t, sh_ascii_kernel_at(0));
	t->fold = sh_fold_new(err);
	t->stemmer = t->fold && opts->stem ? sh_stemmer_new(opts->stem, err) : NULL;
	if (!t->fold || (opts->stem && !t->stemmer)) {
		sh_tokenizer_delete(t);
		return NULL;
	}
	fill_ascii(t);
	return t;
}

/* The kernel writes tokens without filters, so it is used only when there are no filters. */
void sh_tokenizer_force(struct sh_tokenizer *t, const struct sh_ascii_kernel *kernel)
{
	bool fits = t->method->run == sh_cut_words;

	/* The kernel does not report the positions of characters. */
	if (t->opts.places && t->opts.unit == SH_UNIT_CHAR)
		fits = false;
	t->ascii_kernel = fits && !t->filtered ? kernel : NULL;
	t->han = t->ascii_kernel && t->opts.unit == SH_UNIT_WORD;
}

void sh_tokenizer_delete(struct sh_tokenizer *t)
{
	if (!t)
		return;
	if (t->state)
		t->method->close(t->state);
	sh_fold_delete(t->fold);
	sh_stemmer_delete(t->stemmer);
	sh_buf_free(&t->scratch);
	sh_buf_free(&t->whole);
	free(t->text);
	free(t->start);
	free(t->end);
	free(t->index);
	free(t->places.from);
	free(t->places.to);
	free(t->places.joined);
	free(t->places.unescaped);
	free(t->places.point);
	sh_buf_free(&t->joined);
	free(t);
}

/* Prepares t->index, which is `start` of all texts whose tokens are their bytes.
 * t->index + 1 is `end`. */
static int index_bytes(struct sh_tokenizer *t, struct sh_error *err)
{
	size_t n = t->used - (t->used && t->text[t->used - 1] == '_');

	if (SH_RESERVE(t->index, t->index_cap, n + 1, err) < 0)
		return -1;
	for (; t->indexes < t->index_cap; t->indexes++)
		t->index[t->indexes] = (uint32_t)t->indexes;
	t->n = t->used = t->word = n;
	memset(t->text + n, 0, SH_PAD);
	return 0;
}

/* Removes a gap at the end. */
static void finish(struct sh_tokenizer *t)
{
	sh_out_end(t);
	if (t->opts.unit == SH_UNIT_CHAR && t->n && sh_out_ends_with_gap(t)) {
		t->n--;
		t->word = --t->used;
	}
	memset(t->text + t->used, 0, SH_PAD);
}

/* Copies the kernel's words with one space after each. Copies at least 16 bytes each time: the next
 * copy overwrites the surplus. */
static int join(struct sh_tokenizer *t, struct sh_error *err)
{
	struct sh_buf *b = &t->joined;
	char *p;

	b->n = 0;
	if (sh_buf_reserve(b, t->used + t->n + SH_PAD, err) < 0)
		return -1;
	p = b->p;
	for (size_t i = 0; i < t->n; i++) {
		const char *from = t->text + t->start[i];
		size_t n = t->end[i] - t->start[i];

		memcpy(p, from, 16);
		if (n > 16)
			memcpy(p, from, n);
		t->start[i] = (uint32_t)(p - b->p);
		t->end[i] = (uint32_t)(t->start[i] + n);
		p[n] = ' ';
		p += n + 1;
	}
	memset(p, 0, SH_PAD);
	return 0;
}

int sh_token_check(enum sh_unit unit, struct sh_slice text, size_t memory, struct sh_error *err)
{
	const size_t least = (size_t)256 << 20;
	const unsigned each = unit == SH_UNIT_CHAR ? 80 : 20;
	size_t allowed = memory > least ? memory : least, n = text.n;

	if (!memory || n <= allowed / each)
		return 0;
	if (unit == SH_UNIT_CHAR) {
		n = 0;
		for (size_t i = 0; i < text.n; i++)
			n += ((uint8_t)text.p[i] & 0xC0) != 0x80;
		if (n <= allowed / each)
			return 0;
	}
	return sh_error_set(err, SH_ERR_RANGE,
	    "the text of %zu bytes needs about %llu MB of memory, more than -S: raise -S, or cut "
	    "the text",
	    text.n, (unsigned long long)(((uint64_t)n * each >> 20) + 1));
}

int sh_tokenize(
    struct sh_tokenizer *t, struct sh_slice text, struct sh_tokens *out, struct sh_error *err)
{
	const uint32_t *from, *to;
	const uint8_t *p;

	if (text.n > SH_TOKEN_TEXT_MAX)
		return sh_error_set(
		    err, SH_ERR_PARAM, "text of %zu bytes; at most 2 GiB - 1", text.n);
	if (sh_token_check(t->opts.unit, text, t->opts.memory, err) < 0)
		return -1;
	t->used = t->word = t->n = t->chars = 0;
	t->ill = 0;
	t->bytes = t->no_memory = false;
	if (t->opts.places && sh_places_begin(t, text) < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "this method of tokenizing does not give the places of tokens in the text");
	if (t->opts.join_hyphens && sh_join_hyphens(t, &text, err) < 0)
		return -1;
	p = (const uint8_t *)text.p;
	if (sh_out_reserve(t, t->text_cap ? 0 : FIRST_ROOM, err) < 0)
		return -1;
	if (text.n && t->method->run(t, p, p + text.n, err) < 0)
		return -1;
	if (t->bytes) {
		if (index_bytes(t, err) < 0)
			return -1;
		*out = (struct sh_tokens){ t->text, t->index, t->index + 1, t->n, 0, NULL, NULL };
		return 0;
	}
	finish(t);
	if (t->no_memory)
		return sh_error_nomem(err);
	from = t->opts.places ? t->places.from : NULL;
	to = t->opts.places ? t->places.to : NULL;
	if (t->ascii_kernel && t->plain && !t->opts.apart) {
		if (join(t, err) < 0)
			return -1;
		*out = (struct sh_tokens){ t->joined.p, t->start, t->end, t->n, t->ill, from, to };
		return 0;
	}
	*out = (struct sh_tokens){ t->text, t->start, t->end, t->n, t->ill, from, to };
	return 0;
}
