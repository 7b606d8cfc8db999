/* SPDX-License-Identifier: MIT */
/* The default method of splitting text into words. token.h defines a word.
 *
 * Text is processed in steps of at most STEP bytes, so that room for the output is reserved once a
 * step. One loop splits ASCII, another one other characters. When t->ascii_kernel is set, a kernel
 * splits sequences of at least KERNEL_MIN bytes of ASCII, 64 bytes at a time. */
#include "base/bytes.h"
#include "text/tokenizer.h"

enum { STEP = 4096, KERNEL_STEP = 1 << 16, KERNEL_MIN = 16 };

/* Does the same as scan_ascii(), for opts.places. */
static const uint8_t *scan_ascii_placed(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim)
{
	for (; p < lim && t->ascii[*p] != SH_ASCII_LEAVE; p++) {
		if (t->ascii[*p] == SH_ASCII_SEPARATOR) {
			sh_out_gap(t);
			continue;
		}
		sh_places_at(t, p, p + 1);
		sh_out_put(t, t->ascii[*p]);
	}
	return p;
}

/* Splits ASCII up to lim, or to the first byte that is not ASCII or may begin an escape. */
static const uint8_t *scan_ascii(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim)
{
	const uint8_t *table = t->ascii;
	const bool plain = t->plain;
	uint8_t *text = (uint8_t *)t->text, *o = text + t->used, *word = text + t->word;
	uint8_t c = 0;

	for (;;) {
		for (; p < lim; p++) {
			c = table[*p];
			if (c == SH_ASCII_SEPARATOR || c == SH_ASCII_LEAVE)
				break;
			*o++ = c;
		}
		if (p == lim || c == SH_ASCII_LEAVE)
			break;
		if (!plain) {
			t->used = (size_t)(o - text);
			sh_out_gap(t);
			o = text + t->used;
			word = text + t->word;
		} else if (o != word) {
			sh_out_token(t, (size_t)(word - text), (size_t)(o - text));
			*o++ = ' ';
			word = o;
		}
		while (p < lim && table[*p] == SH_ASCII_SEPARATOR)
			p++;
	}
	t->used = (size_t)(o - text);
	t->word = (size_t)(word - text);
	return p;
}

/* Returns whether the kernel knows the character at p: Han, their punctuation, perhaps kana. */
static bool is_known(const struct sh_tokenizer *t, const uint8_t *p)
{
	return (p[0] > 0xE3 && p[0] <= 0xE9) ||
	       (p[0] == 0xE3 && (t->ascii_kernel->kana || p[1] == 0x80));
}

/* Returns whether the kernel should be called at p: KERNEL_MIN bytes of ASCII, or three Chinese or
 * Japanese characters, begin there. */
static bool suits_kernel(const struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim)
{
	const uint64_t high = UINT64_C(0x8080808080808080);

	if (!t->ascii_kernel || p >= lim || lim - p < KERNEL_MIN)
		return false;
	if (!((sh_le64(p) | sh_le64(p + 8)) & high))
		return true;
	return t->han && is_known(t, p) && is_known(t, p + 3) && is_known(t, p + 6);
}

/* Skips a backslash and, when the backslash begins an escape, the letter after
 * it. Ends the open word. */
static const uint8_t *skip_escape(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	sh_out_gap(t);
	p++;
	return p < end && (*p == 't' || *p == 'n' || *p == 'r' || *p == '\\') ? p + 1 : p;
}

/* Skips an escape sequence of a terminal (ECMA-48), such as the colours in a log: "ESC [ 3 1 m", or
 * a title, "ESC ] ... BEL". Skips only the ESC when no sequence follows. Ends the open word. */
static const uint8_t *skip_terminal(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *q = ++p;
	uint8_t last = 0x30; /* the first of the bytes that end the sequence; 0: BEL or ESC \ */

	sh_out_gap(t);
	if (q < end && *q == '[') {
		last = 0x40;
		for (q++; q < end && *q >= 0x20 && *q < 0x40;)
			q++;
	} else if (q < end && (*q == ']' || *q == 'P' || *q == '_' || *q == '^')) {
		last = 0;
		while (q < end && *q != 7 && *q != '\n' && *q != SH_TERMINAL_ESCAPE)
			q++;
	} else {
		while (q < end && *q >= 0x20 && *q < 0x30)
			q++;
	}
	if (q < end && last && *q >= last && *q < 0x7F)
		return q + 1;
	if (last || q == end || (*q != 7 && (end - q < 2 || q[0] == '\n' || q[1] != '\\')))
		return p;
	t->ill += sh_utf8_count_ill((const char *)p, (size_t)(q - p));
	return q + (*q == 7 ? 1 : 2);
}

static const uint8_t *put_segment(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	const uint8_t *from = p;
	size_t n;

	if (sh_fold_segment(t->fold, &p, end, &n, &t->ill, err) < 0)
		return NULL;
	if (sh_out_reserve(t, n + STEP + 8, err) < 0)
		return NULL;
	sh_out_at(t, from, p);
	for (size_t i = 0; i < n; i++)
		sh_out_classed(t, t->fold->seg[i], sh_fold_class(t->fold, t->fold->seg[i]));
	return p;
}

/* Splits characters that are not ASCII, up to lim, the next ASCII byte or text for the kernel. When
 * the next code point attaches to a code point, both are folded as a segment. */
static const uint8_t *scan_folding(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim,
    const uint8_t *end, struct sh_error *err)
{
	while (p && p < lim && *p >= 0x80) {
		const uint8_t *next = p, *after;
		uint32_t now = sh_fold_cell(t->fold, sh_utf8_next(&next, end)), then;

		for (;; now = then, p = next, next = after) {
			after = next;
			then = next < end && *next >= 0x80
				   ? sh_fold_cell(t->fold, sh_utf8_next(&after, end))
				   : 0;
			if (sh_cell_how(now) != SH_FOLD_DIRECT || sh_cell_attaches(then))
				break;
			t->ill += now / SH_CELL_ILL & 1;
			sh_out_at(t, p, next);
			sh_out_classed(t, now & SH_CELL_CODE, sh_cell_class(now));
			if (!then || next >= lim || suits_kernel(t, next, lim))
				return next;
		}
		p = put_segment(t, p, end, err);
	}
	return p;
}

/* The same as scan_folding(), without folding. */
static const uint8_t *scan_unfolded(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim, const uint8_t *end)
{
	while (p < lim && *p >= 0x80) {
		const uint8_t *from = p;
		uint32_t c = sh_utf8_next(&p, end);

		t->ill += c == SH_UTF8_ILL;
		sh_out_at(t, from, p);
		sh_out_classed(t, c, sh_fold_class(t->fold, c));
		if (suits_kernel(t, p, lim))
			break;
	}
	return p;
}

/* Returns whether the three bytes before p are kana that the kernel has split. */
static bool is_behind_kana(const struct sh_tokenizer *t, const uint8_t *p, const uint8_t *floor)
{
	return t->han && p - floor >= 3 && p[-3] == 0xE3 && p[-2] >= 0x81 && p[-2] <= 0x83 &&
	       (p[-1] & 0xC0) == 0x80;
}

/* When the character at p, which is not ASCII, attaches to the ASCII character or kana before it,
 * removes that character from the output and returns its beginning. Otherwise returns p. Does not
 * go back beyond `floor`, the end of an escape: nothing attaches to the character of an escape. */
static const uint8_t *step_back(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *floor, const uint8_t *end)
{
	const uint8_t *next = p;
	bool kana = is_behind_kana(t, p, floor);

	if (p == floor || (p[-1] >= 0x80 && !kana))
		return p;
	if (!sh_cell_attaches(sh_fold_cell(t->fold, sh_utf8_next(&next, end))))
		return p;
	if (kana) {
		t->word = t->used = t->start[--t->n];
		return p - 3;
	}
	if (t->ascii[p[-1]] != SH_ASCII_SEPARATOR) {
		t->used--;
		sh_places_undo(t);
	}
	return p - 1;
}

/* Splits the text from p to lim, or to a place where the kernel can be called. A character that
 * begins before lim may end after it. *floor: see step_back(). */
static const uint8_t *scan_any(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim,
    const uint8_t *end, const uint8_t **floor, struct sh_error *err)
{
	while (p && p < lim) {
		p = t->opts.places ? scan_ascii_placed(t, p, lim) : scan_ascii(t, p, lim);
		if (p == lim)
			break;
		if (*p == '\\') {
			p = *floor = skip_escape(t, p, end);
		} else if (*p == SH_TERMINAL_ESCAPE) {
			p = *floor = skip_terminal(t, p, end);
		} else if (t->opts.no_fold) {
			p = scan_unfolded(t, p, lim, end);
		} else {
			const uint8_t *from = step_back(t, p, *floor, end);

			p = from == p ? scan_folding(t, p, lim, end, err)
				      : put_segment(t, from, end, err);
		}
		if (p && suits_kernel(t, p, lim))
			break;
	}
	return p;
}

/* Makes tokens of the characters that the kernel wrote, up to the last '_'. The
 * last word stays open. */
static void make_tokens(struct sh_tokenizer *t)
{
	size_t used = t->used, at = used;

	while (at > t->word && t->text[at - 1] != '_')
		at--;
	t->used = at;
	sh_out_end(t);
	t->chars = 0; /* each '_' of the kernel is a gap */
	t->used = used;
}

/* Calls the kernel for the text p .. lim - 1. Returns where it stopped. */
static const uint8_t *run_kernel(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *lim,
    const uint8_t **floor, bool *pending)
{
	struct sh_ascii_run run = {
		.p = p,
		.lim = lim,
		.table = t->ascii,
		.fold = !t->opts.no_fold,
		.escapes = !t->opts.raw,
		.pending = *pending,
		.text = (uint8_t *)t->text,
		.used = t->used,
		.start = t->start,
		.end = t->end,
		.n = t->n,
	};
	size_t n = t->n, used = t->used;

	if (t->opts.unit == SH_UNIT_CHAR) {
		run.open = t->used && t->text[t->used - 1] != '_';
		t->ascii_kernel->chars(&run);
	} else {
		run.open = t->used != t->word;
		if (run.open)
			t->start[t->n] = (uint32_t)t->word;
		t->ascii_kernel->words(&run);
		t->n = run.n;
		t->word = run.open ? t->start[t->n] : run.used;
	}
	t->used = run.used;
	if (t->opts.places)
		sh_places_kernel(t, p, n, used);
	*pending = run.pending && run.p == lim;
	if (run.escaped)
		*floor = run.p;
	return run.p;
}

static int cut_by_kernel(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	const bool chars = t->opts.unit == SH_UNIT_CHAR;
	const uint8_t *floor = p, *lim;
	bool pending = false;

	t->bytes = chars;
	while (p < end) {
		lim = end - p > KERNEL_STEP ? p + KERNEL_STEP : end;
		if (sh_out_reserve(t, (size_t)(lim - p) + SH_ASCII_SLACK, err) < 0)
			return -1;
		p = run_kernel(t, p, lim, &floor, &pending);
		if (p == lim)
			continue;
		if (chars)
			make_tokens(t);
		t->bytes = false;
		lim = end - p > STEP ? p + STEP : end;
		p = scan_any(t, p, lim, end, &floor, err);
		if (!p)
			return -1;
	}
	if (chars && !t->bytes)
		make_tokens(t);
	return 0;
}

int sh_cut_words(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	const uint8_t *floor = p;

	/* The kernel does not know the sequences of terminals. */
	if (t->ascii_kernel && !memchr(p, SH_TERMINAL_ESCAPE, (size_t)(end - p)))
		return cut_by_kernel(t, p, end, err);
	while (p && p < end) {
		const uint8_t *lim = end - p > STEP ? p + STEP : end;

		if (sh_out_reserve(t, STEP + 8, err) < 0)
			return -1;
		p = scan_any(t, p, lim, end, &floor, err);
	}
	return p ? 0 : -1;
}

const struct sh_token_method sh_words_method = { .name = "words", .run = sh_cut_words };
