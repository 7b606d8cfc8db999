/* SPDX-License-Identifier: MIT */
/* Reads text into rows of codes. */
#include "segment/jieba_state.h"
#include "unicode/utf8.h"

enum { ROW = 256 }; /* characters of a row, when a stretch ends within them */

/* Reads at most n characters of three bytes each. Returns their number. This loop reads most of a
 * Chinese text, with its punctuation, so that branches are predicted well. It prefetches the nodes
 * that sh_jieba_route() will read. */
static size_t read_three(
    const struct sh_jieba *j, const char *p, size_t n, uint16_t *code, uint32_t *off)
{
	const uint32_t marks =
	    0xE0u << 12 | 0x80u << 6 | 0x80u; /* the fixed bits of the three bytes */
	const unsigned char *c = (const unsigned char *)p;
	uint32_t base = 0, at = off[0];
	size_t i;

	for (i = 0; i < n; i++, c += 3) {
		uint32_t cp = ((uint32_t)c[0] << 12) + ((uint32_t)c[1] << 6) + c[2] - marks;

		if (((c[1] ^ 0x80) | (c[2] ^ 0x80)) > 0x3F || cp - 0x800 >= 0x10000 - 0x800)
			break;
		code[i] = j->code[cp];
		if (code[i] == 0) /* a surrogate */
			break;
		__builtin_prefetch(&j->node[base + code[i]]);
		base = j->node[code[i]].base;
		off[i + 1] = at += 3;
	}
	return i;
}

/* Reads at most n ASCII characters other than \r. Returns their number. */
static size_t read_ascii(
    const struct sh_jieba *j, const char *p, size_t n, uint16_t *code, uint32_t *off)
{
	uint32_t at = off[0];
	size_t i;

	for (i = 0; i < n && (unsigned char)p[i] < 0x80 && p[i] != '\r'; i++) {
		code[i] = j->code[(unsigned char)p[i]];
		off[i + 1] = ++at;
	}
	return i;
}

/* Reads one gap. \r\n counts as one character. Returns the number of bytes. */
static size_t read_gap(
    const struct sh_jieba *j, const char *p, const char *end, uint16_t *code, uint32_t *off)
{
	const uint8_t *q = (const uint8_t *)p;
	uint32_t cp = sh_utf8_next(&q, (const uint8_t *)end);
	size_t bytes = (size_t)((const char *)q - p);

	if (cp == '\r' && end - p > 1 && p[1] == '\n')
		bytes = 2;
	*code = cp < 0x10000 ? j->code[cp] : SH_CODE_GAP;
	off[1] = off[0] + (uint32_t)bytes;
	return bytes;
}

/* Reads at most `room` characters. */
static void read_chars(struct sh_segmenter *s, size_t room)
{
	const char *p = s->at, *end = s->end;
	uint16_t *code = s->code + s->have;
	uint32_t *off = s->off + s->have;
	size_t n = 0;

	while (n < room && p < end) {
		size_t left = (size_t)(end - p) / 3, three, ascii;

		three = read_three(s->j, p, left < room - n ? left : room - n, code + n, off + n);
		n += three;
		p += 3 * three;
		left = (size_t)(end - p);
		ascii = read_ascii(s->j, p, left < room - n ? left : room - n, code + n, off + n);
		n += ascii;
		p += ascii;
		if (three + ascii == 0) {
			p += read_gap(s->j, p, end, code + n, off + n);
			n++;
		}
	}
	s->have += n;
	s->at = p;
	code[n] = SH_CODE_GAP;
}

static int make_room(struct sh_segmenter *s, size_t chars, struct sh_error *err)
{
	if ((size_t)(s->at - s->row_text) > UINT32_MAX - 4 * chars)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2 GiB of text without a break");
	chars += s->have + 1;
	if (SH_RESERVE(s->code, s->code_cap, chars, err) < 0 ||
	    SH_RESERVE(s->off, s->off_cap, chars, err) < 0)
		return -1;
	if (s->have == 0)
		s->off[0] = 0;
	return 0;
}

/* Moves the incomplete stretch at the row's end to the row's start. */
static void keep_rest(struct sh_segmenter *s)
{
	size_t rest = s->have - s->n;
	uint32_t start = s->have ? s->off[s->n] : 0;

	s->row_text += start;
	for (size_t i = 0; i < rest; i++) {
		s->code[i] = s->code[s->n + i];
		s->off[i] = s->off[s->n + i] - start;
	}
	if (s->have)
		s->off[rest] = s->off[s->have] - start;
	s->have = rest;
	s->n = 0;
}

int sh_jieba_read_row(struct sh_segmenter *s, struct sh_error *err)
{
	size_t room = ROW;

	keep_rest(s);
	do {
		size_t before = s->have, end;

		if (make_room(s, room, err) < 0)
			return -1;
		read_chars(s, room);
		end = s->have;
		while (s->at < s->end && end > before && !sh_code_is_gap(s->code[end - 1]))
			end--;
		if (end > before)
			s->n = end;
		room = s->have;
	} while (s->n == 0);
	s->x = s->run_end = s->model_end = s->covered = 0;
	return 0;
}
