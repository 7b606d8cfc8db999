/* SPDX-License-Identifier: MIT */
/* Reads the messages of an mbox file, and makes documents of them. */
#include <stdio.h>

#include "ingest/header.h"
#include "ingest/ingest.h"
#include "ingest/mail.h"
#include "unicode/utf8.h"

enum { FROM_MAX = 1000 }; /* bytes of a From_ line that are looked at */

void sh_mbox_free(struct sh_mbox *m)
{
	sh_buf_free(&m->message);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool sh_mbox_from(struct sh_slice line)
{
	if (line.n < 5 || memcmp(line.p, "From ", 5) != 0)
		return false;
	/* A sentence that begins with "From " hardly ever has a time of day. */
	for (size_t i = 5; i + 3 < line.n && i < FROM_MAX; i++)
		if (is_digit(line.p[i]) && line.p[i + 1] == ':' && is_digit(line.p[i + 2]) &&
		    is_digit(line.p[i + 3]))
			return true;
	return false;
}

/* Returns whether the line has an address as its second word, and a year. */
static bool has_address_and_year(struct sh_slice line)
{
	const char *blank = memchr(line.p + 5, ' ', line.n - 5);

	if (!blank || !memchr(line.p + 5, '@', (size_t)(blank - line.p) - 5))
		return false;
	for (const char *p = blank; line.p + line.n - p > 4; p++)
		if (!is_digit(p[-1]) &&
		    ((p[0] == '1' && p[1] == '9') || (p[0] == '2' && p[1] == '0')) &&
		    is_digit(p[2]) && is_digit(p[3]) && !is_digit(p[4]))
			return true;
	return false;
}

/* Returns whether the From_ line is whole, as in "From joe@example.org Sat Nov 21 10:00:00 2026":
 * weekday, month, day and time; or address, time and year, in any form. */
static bool is_whole_from(struct sh_slice line)
{
	static const char days[] = "SunMonTueWedThuFriSat",
			  months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	if (!sh_mbox_from(line))
		return false;
	if (has_address_and_year(line))
		return true;
	for (size_t i = 5; i + 16 < line.n && i < FROM_MAX; i++) {
		const char *p = line.p + i;
		const char *day = memmem(days, sizeof days - 1, p, 3);
		const char *month = memmem(months, sizeof months - 1, p + 4, 3);

		if (p[-1] == ' ' && p[3] == ' ' && p[7] == ' ' && day && (day - days) % 3 == 0 &&
		    month && (month - months) % 3 == 0 && (is_digit(p[8]) || p[8] == ' ') &&
		    is_digit(p[9]))
			return true;
	}
	return false;
}

static bool is_empty(struct sh_slice line)
{
	return (line.n == 1 && line.p[0] == '\n') ||
	       (line.n == 2 && memcmp(line.p, "\r\n", 2) == 0);
}

/* Removes the first ">" of a line that begins with ">From ", ">>From " and so on. */
static struct sh_slice unquote(struct sh_slice line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '>')
		n++;
	if (n && line.n - n >= 5 && memcmp(line.p + n, "From ", 5) == 0)
		return sh_slice(line.p + 1, line.n - 1);
	return line;
}

/* Sets *begins to whether the next message begins at the line, which stands `from` bytes behind the
 * next byte. It does behind an empty line, and elsewhere when the line is whole and a header
 * follows: some programs forget the empty line. */
static int begins_message(struct sh_reader *r, size_t from, struct sh_slice line, bool empty,
    bool *begins, struct sh_error *err)
{
	struct sh_slice next;

	*begins = empty && sh_mbox_from(line);
	if (*begins || !is_whole_from(line) || line.p[line.n - 1] != '\n')
		return 0;
	if (sh_reader_line(r, from + line.n, FROM_MAX, &next, err) < 0)
		return -1;
	*begins = next.n > 1 && next.p[0] != ' ' && next.p[0] != '\t' && sh_header_is_field(next);
	return 0;
}

/* Skips the rest of a message that was too large. cut: the rest begins within a line. empty: it
 * begins behind an empty line. Stops at the
 * From_ line of the next message. */
static int skip_message(struct sh_reader *r, bool cut, bool empty, struct sh_error *err)
{
	enum { PIECE = 64 * 1024 };
	struct sh_slice line;
	bool whole = !cut, begins = false;
	int got;

	while ((got = sh_reader_line(r, 0, PIECE, &line, err)) > 0) {
		size_t n = line.n;

		if (whole && begins_message(r, 0, line, empty, &begins, err) < 0)
			return -1;
		if (begins)
			return 0;
		line = sh_slice(sh_reader_ready(r).p, n); /* the bytes may have moved */
		/* The first piece may be only the end of a line. */
		empty = whole && is_empty(line);
		whole = line.p[line.n - 1] == '\n';
		sh_reader_consume(r, line.n);
	}
	return got;
}

/* Gathers the lines of a message, up to the next From_ line or the limit. m->size counts their
 * bytes in the file. */
static int gather(struct sh_reader *r, struct sh_mbox *m, size_t max, struct sh_error *err)
{
	struct sh_slice line;
	bool empty = false, begins = false;
	int got;

	/* Enough of each line to recognise a From_ line, or to exceed the limit. */
	while ((got = sh_reader_line(r, m->size, max - m->size + FROM_MAX + 4, &line, err)) > 0) {
		size_t n = line.n;

		if (m->size && begins_message(r, m->size, line, empty, &begins, err) < 0)
			return -1;
		if (begins)
			return 0;
		line = sh_slice(sh_reader_ready(r).p + m->size, n); /* the bytes may have moved */
		if (m->size + line.n > max) {
			m->too_large = true;
			m->cut = m->size == 0;
			m->size = m->cut ? max : m->size;
			return 0;
		}
		empty = is_empty(line);
		m->size += line.n;
		/* Only the first line of a file may be a From_ line without a time of day. */
		if (m->size == line.n && line.n >= 5 && memcmp(line.p, "From ", 5) == 0) {
			m->quoted = true;
			continue;
		}
		line = m->quoted ? unquote(line) : line;
		if (sh_buf_add(&m->message, line.p, line.n, err) < 0)
			return -1;
	}
	return got;
}

int sh_mbox_next(struct sh_reader *r, struct sh_mbox *m, size_t max, struct sh_error *err)
{
	sh_reader_consume(r, m->size);
	m->size = 0;
	if (m->too_large && skip_message(r, m->cut, false, err) < 0)
		return -1;
	m->too_large = false;
	m->message.n = 0;
	if (sh_buf_reserve(&m->message, 1, err) < 0 || gather(r, m, max, err) < 0)
		return -1;
	m->number += m->size > 0;
	return m->size > 0;
}

/* After a read that failed and sh_reader_resume(): skips to the next From_ line. Returns 0 or
 * -1. */
static int resume(struct sh_reader *r, struct sh_mbox *m, struct sh_error *err)
{
	m->size = 0;
	m->too_large = false;
	return skip_message(r, false, true, err);
}

/* ---- documents ---- */

static int one_message(
    struct sh_ingest *in, const struct sh_mbox *m, struct sh_slice name, struct sh_error *err)
{
	struct sh_slice id, message = sh_buf_slice(&m->message);

	if (m->too_large)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the message is larger than %zu bytes (--max-size SIZE allows more)",
		    in->max_size);
	in->text.n = in->body.notes.n = 0;
	if (sh_mail_text(&in->body, message, &in->tally[SH_LEFT_OUT], &in->text, err) < 0 ||
	    sh_mail_id(message, &in->id, &id, err) < 0)
		return -1;
	if (id.n == 0 && sh_ingest_number_id(in, name, m->number, &id, err) < 0)
		return -1;
	return sh_ingest_document(in, id, sh_buf_slice(&in->text), err);
}

/* Puts the number of the message into the error text. */
static void add_place(const struct sh_mbox *m, struct sh_error *err)
{
	char text[sizeof err->text];

	memcpy(text, err->text, sizeof text);
	snprintf(err->text, sizeof err->text, "message %llu: %.400s", (unsigned long long)m->number,
	    text);
}

/* Skips a byte order mark, which would make the first line no field, and blank lines before the
 * first message. */
static int skip_to_message(struct sh_reader *r, struct sh_error *err)
{
	struct sh_slice head, rest;

	if (sh_reader_look(r, SH_FORMAT_HEAD, err) < 0)
		return -1;
	head = sh_reader_ready(r);
	rest = sh_utf8_skip_bom(head);
	if (sh_mbox_from(sh_past_blank_lines(rest)) ||
	    sh_mail_looks(sh_past_blank_lines(rest), true))
		rest = sh_past_blank_lines(rest);
	sh_reader_consume(r, head.n - rest.n);
	return 0;
}

int sh_ingest_mbox(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice id, struct sh_error *err)
{
	struct sh_mbox m = { 0 };
	int got;

	if (skip_to_message(r, err) < 0)
		return -1;
	for (;;) {
		struct sh_slice raw;

		got = sh_mbox_next(r, &m, in->max_size, err);
		if (got < 0 && m.quoted && sh_ingest_resume(in, r, err) > 0 &&
		    resume(r, &m, err) == 0)
			continue;
		if (got <= 0)
			break;
		raw = sh_slice(sh_reader_ready(r).p, m.size);
		if (one_message(in, &m, id, err) == 0)
			continue;
		if (err->code == SH_ERR_RECORD)
			add_place(&m, err);
		raw.n -= raw.n && raw.p[raw.n - 1] == '\n';
		if (sh_ingest_bad(in, r, raw, err) < 0) {
			got = -1;
			break;
		}
	}
	sh_mbox_free(&m);
	return got;
}
