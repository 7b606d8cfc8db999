/* SPDX-License-Identifier: MIT */
#include "ingest/mail.h"

#include <stdio.h>

#include "base/num.h"
#include "ingest/header.h"
#include "record/fields.h"

enum { DEPTH_MAX = 64 };

bool sh_mail_looks(struct sh_slice head, bool more)
{
	static const char *const fields[] = { "Return-Path", "Received", "Delivered-To", "From",
		"To", "Date", "Subject", "Message-ID", "MIME-Version" };
	struct sh_slice v;
	size_t found = 0, n = sh_mail_header_size(head);

	if (n == 0 || (n == head.n && !more))
		return false;
	head.n = n;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		found += sh_header_find(head, fields[i], &v);
	return found >= 3;
}

/* ---- encodings ---- */

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_base64(struct sh_slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (base64_value(line.p[i]) < 0 && line.p[i] != '=')
			return false;
	return line.n > 0;
}

/* Returns the data without the footer that a mailing list added at the end. The footer begins with
 * the first line that is not base64, behind one that is, or with the empty line before it. A line
 * as long as the other lines may have characters that were damaged. */
static struct sh_slice without_footer(struct sh_slice in)
{
	struct sh_slice rest = in;
	const char *blank = NULL;
	size_t width = 0;

	while (rest.n) {
		const char *p = rest.p;
		struct sh_slice line = sh_trim(sh_slice_cut(&rest, '\n'));

		if (line.n == 0)
			blank = width ? p : NULL;
		else if (width && line.n != width && !is_base64(line))
			return sh_slice(in.p, (size_t)((blank ? blank : p) - in.p));
		else if (width == 0 && is_base64(line))
			width = line.n;
		if (line.n == width)
			blank = NULL;
	}
	return in;
}

int sh_base64_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err)
{
	unsigned bits = 0, held = 0;

	in = without_footer(in);
	if (sh_buf_reserve(out, in.n / 4 * 3 + 3, err) < 0)
		return -1;
	for (size_t i = 0; i < in.n; i++) {
		int v = base64_value(in.p[i]);

		/* Padding can only follow two or three characters of a group of four. Elsewhere a
		 * "=" is skipped as any unknown character is. */
		if (in.p[i] == '=' && (held == 2 || held == 4))
			break;
		if (v < 0)
			continue;
		bits = bits << 6 | (unsigned)v;
		held += 6;
		if (held >= 8) {
			held -= 8;
			out->p[out->n++] = (char)(bits >> held & 0xFF);
		}
	}
	return 0;
}

/* Returns the number of bytes from p behind the next line end, or to `end`, when only blanks come
 * before it. Returns 0 when other characters come before it. */
static size_t to_line_end(const char *p, const char *end)
{
	const char *q = p;

	while (q < end && (*q == ' ' || *q == '\t'))
		q++;
	if (q < end && *q == '\r')
		q++;
	if (q < end && *q == '\n')
		return (size_t)(q - p) + 1;
	return q == end ? (size_t)(q - p) : 0;
}

int sh_quoted_printable_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err)
{
	const char *p = in.p, *end = in.p + in.n;

	if (sh_buf_reserve(out, in.n + 1, err) < 0)
		return -1;
	while (p < end) {
		size_t skip;

		if (*p == '=') {
			p++;
			skip = to_line_end(p, end);
			if (skip || p == end) { /* a soft line break */
				p += skip;
			} else if (end - p >= 2 && sh_hex_value(p[0]) >= 0 &&
				   sh_hex_value(p[1]) >= 0) {
				out->p[out->n++] =
				    (char)(sh_hex_value(p[0]) << 4 | sh_hex_value(p[1]));
				p += 2;
			} else {
				out->p[out->n++] = '=';
			}
			continue;
		}
		if (*p == ' ' || *p == '\t') {
			const char *from = p;

			/* Blanks at the end of a line were added in transit. */
			while (p < end && (*p == ' ' || *p == '\t'))
				p++;
			if (p < end && to_line_end(p, end) == 0) {
				memcpy(out->p + out->n, from, (size_t)(p - from));
				out->n += (size_t)(p - from);
			}
			continue;
		}
		out->p[out->n++] = *p++;
	}
	return 0;
}

static size_t quotes(struct sh_slice line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '>')
		n++;
	return n;
}

/* Appends the lines of format=flowed; delsp=yes (RFC 3676), and joins the lines that the sender
 * broke. A line that ends in a space continues on the next line. The space is dropped, since the
 * break may be within a word. */
static int unflow(struct sh_slice in, struct sh_buf *out, struct sh_error *err)
{
	size_t open = 0, depth;
	bool flowing = false;

	for (; in.n; open = depth) {
		struct sh_slice line = sh_without_cr(sh_slice_cut(&in, '\n'));
		bool signature;
		size_t lead;

		depth = quotes(line);
		lead = depth + (depth < line.n && line.p[depth] == ' ');
		signature = line.n - lead == 3 && memcmp(line.p + lead, "-- ", 3) == 0;
		if (flowing && (depth != open || signature)) {
			if (sh_buf_add(out, "\n", 1, err) < 0)
				return -1;
			flowing = false;
		}
		/* A continued line repeats the quote marks and the space behind them. */
		if (flowing)
			line = sh_slice(line.p + lead, line.n - lead);
		flowing = line.n && line.p[line.n - 1] == ' ' && !signature && in.n;
		line.n -= flowing;
		if (sh_buf_add(out, line.p, line.n, err) < 0 ||
		    (!flowing && sh_buf_add(out, "\n", 1, err) < 0))
			return -1;
	}
	return 0;
}

/* ---- parts ---- */

struct mail {
	struct sh_body *body;
	struct sh_tally *left_out;
	struct sh_buf *out;
	struct sh_error *err;
};

struct part {
	struct sh_slice head, body;
	struct sh_media media;
	bool attached;
};

static bool is_flowed(const struct part *p)
{
	return strcmp(p->media.type, "text/plain") == 0 && strcmp(p->media.format, "flowed") == 0 &&
	       strcmp(p->media.delsp, "yes") == 0;
}

static void parse_part(struct sh_slice in, const char *default_type, struct part *p)
{
	size_t n = sh_mail_header_size(in);
	struct sh_slice v;
	char word[20];

	*p = (struct part){ .head = sh_slice(in.p, n), .body = sh_slice(in.p + n, in.n - n) };
	if (sh_header_find(p->head, "Content-Type", &v))
		sh_media_parse(v, &p->media);
	if (!strchr(p->media.type, '/'))
		snprintf(p->media.type, sizeof p->media.type, "%s", default_type);
	if (sh_header_find(p->head, "Content-Disposition", &v)) {
		sh_header_word(v, word, sizeof word);
		p->attached = strcmp(word, "attachment") == 0;
	}
}

static int leave_out(struct mail *m, const struct part *p)
{
	char what[120];
	int n = snprintf(
	    what, sizeof what, "%s %s", p->attached ? "attachment" : "mail part", p->media.type);

	return m->left_out ? sh_tally_add(m->left_out, sh_slice(what, (size_t)n), m->err) : 0;
}

/* Sets *bytes to the part's body without its transfer encoding. A decoded body is in `room`. */
static int decode(
    const struct part *p, struct sh_buf *room, struct sh_slice *bytes, struct sh_error *err)
{
	struct sh_slice v;
	char word[32] = "";

	*bytes = p->body;
	if (sh_header_find(p->head, "Content-Transfer-Encoding", &v))
		sh_header_word(v, word, sizeof word);
	if (strcmp(word, "base64") == 0) {
		if (sh_base64_decode(p->body, room, err) < 0)
			return -1;
	} else if (strcmp(word, "quoted-printable") == 0) {
		if (sh_quoted_printable_decode(p->body, room, err) < 0)
			return -1;
	} else {
		return 0;
	}
	*bytes = sh_buf_slice(room);
	return 0;
}

static int leaf(struct mail *m, const struct part *p, enum sh_body_kind kind)
{
	struct sh_buf room = { 0 }, lines = { 0 };
	struct sh_slice bytes;
	size_t before = m->out->n;
	int bad = decode(p, &room, &bytes, m->err);

	if (bad == 0 && is_flowed(p)) {
		bad = unflow(bytes, &lines, m->err);
		bytes = sh_buf_slice(&lines);
	}
	/* A line end separates the texts of two parts. */
	if (bad == 0 && before)
		bad = sh_buf_add(m->out, "\n", 1, m->err);
	if (bad == 0)
		bad = sh_body_text(m->body, kind, bytes, p->media.charset, m->out, m->err);
	if (bad == 0 && m->out->n == before + 1 && before)
		m->out->n = before;
	sh_buf_free(&room);
	sh_buf_free(&lines);
	return bad;
}

/* ---- multipart ---- */

/* A line "--boundary" or "--boundary--". */
struct mark {
	size_t begin; /* offset of the line end before the line, which belongs to the mark */
	size_t end;   /* offset behind the line */
	bool last;
};

/* Returns whether a boundary line begins at offset `at`. */
static bool is_mark(struct sh_slice in, size_t at, struct sh_slice boundary, struct mark *mark)
{
	size_t p = at + 2 + boundary.n;

	if (in.n < p || memcmp(in.p + at, "--", 2) != 0 ||
	    memcmp(in.p + at + 2, boundary.p, boundary.n) != 0)
		return false;
	mark->last = in.n - p >= 2 && memcmp(in.p + p, "--", 2) == 0;
	p += mark->last ? 2 : 0;
	while (p < in.n && (in.p[p] == ' ' || in.p[p] == '\t' || in.p[p] == '\r'))
		p++;
	if (p < in.n && in.p[p] != '\n')
		return false;
	mark->end = p < in.n ? p + 1 : p;
	mark->begin = at;
	if (mark->begin && in.p[mark->begin - 1] == '\n')
		mark->begin--;
	if (mark->begin && in.p[mark->begin - 1] == '\r')
		mark->begin--;
	return true;
}

static bool next_mark(struct sh_slice in, size_t from, struct sh_slice boundary, struct mark *mark)
{
	while (from < in.n) {
		const char *lf;

		if (is_mark(in, from, boundary, mark))
			return true;
		lf = memchr(in.p + from, '\n', in.n - from);
		if (!lf)
			return false;
		from = (size_t)(lf - in.p) + 1;
	}
	return false;
}

/* Sets *part to the part that begins at *at, and moves *at behind it. Returns false after the last
 * part. */
static bool next_part(
    struct sh_slice in, struct sh_slice boundary, size_t *at, struct sh_slice *part)
{
	struct mark mark;

	if (*at > in.n)
		return false;
	if (!next_mark(in, *at, boundary, &mark)) {
		/* Without a closing boundary the last part ends with the input. */
		*part = sh_slice(in.p + *at, in.n - *at);
		*at = in.n + 1;
		return true;
	}
	*part = sh_slice(in.p + *at, mark.begin > *at ? mark.begin - *at : 0);
	*at = mark.last ? in.n + 1 : mark.end;
	return true;
}

/* ---- the tree ---- */

enum wanted { ALL, PLAIN, NOT_PLAIN };

static int any_part(
    struct mail *m, struct sh_slice in, const char *type, unsigned depth, enum wanted wanted);

/* Appends the text of all parts. first: stops after the first part that has text. */
static int all_parts(
    struct mail *m, const struct part *p, unsigned depth, enum wanted wanted, bool first)
{
	struct sh_slice boundary = sh_slice_str(p->media.boundary), in = p->body, part;
	const char *type =
	    strcmp(p->media.type, "multipart/digest") == 0 ? "message/rfc822" : "text/plain";
	size_t before = m->out->n, at;
	struct mark mark;

	if (!next_mark(in, 0, boundary, &mark))
		return leaf(m, p, SH_BODY_TEXT);
	at = mark.last ? in.n + 1 : mark.end;
	while (next_part(in, boundary, &at, &part)) {
		if (any_part(m, part, type, depth + 1, wanted) < 0)
			return -1;
		if (first && m->out->n > before)
			return 0;
	}
	return 0;
}

static int alternatives(struct mail *m, const struct part *p, unsigned depth)
{
	size_t before = m->out->n;

	if (all_parts(m, p, depth, PLAIN, true) < 0)
		return -1;
	if (m->out->n > before)
		return 0;
	return all_parts(m, p, depth, NOT_PLAIN, true);
}

/* Returns whether the part is a whole message: mail, news, or mail with a header in UTF-8 (RFC
 * 6532). */
static bool is_message(const char *type)
{
	return strcmp(type, "message/rfc822") == 0 || strcmp(type, "message/global") == 0 ||
	       strcmp(type, "message/news") == 0;
}

static int any_part(
    struct mail *m, struct sh_slice in, const char *type, unsigned depth, enum wanted wanted)
{
	struct part p;
	enum sh_body_kind kind;
	bool plain;

	if (depth > DEPTH_MAX)
		return sh_error_set(
		    m->err, SH_ERR_RECORD, "MIME: parts nested deeper than %d", DEPTH_MAX);
	parse_part(in, type, &p);
	plain = strcmp(p.media.type, "text/plain") == 0;
	if ((wanted == PLAIN && !plain) || (wanted == NOT_PLAIN && plain))
		return 0;
	if (p.attached)
		return leave_out(m, &p);
	if (is_message(p.media.type)) {
		struct sh_buf room = { 0 };
		struct sh_slice bytes;
		int bad = decode(&p, &room, &bytes, m->err);

		if (bad == 0)
			bad = any_part(m, bytes, "text/plain", depth + 1, ALL);
		sh_buf_free(&room);
		return bad;
	}
	if (strncmp(p.media.type, "multipart/", 10) == 0 && *p.media.boundary)
		return strcmp(p.media.type, "multipart/alternative") == 0
			   ? alternatives(m, &p, depth)
			   : all_parts(m, &p, depth, ALL, false);
	kind = sh_body_kind_of(p.media.type);
	if (strncmp(p.media.type, "multipart/", 10) == 0)
		kind = SH_BODY_TEXT;
	if (kind != SH_BODY_TEXT && kind != SH_BODY_HTML)
		return leave_out(m, &p);
	return leaf(m, &p, kind);
}

int sh_mail_text(struct sh_body *b, struct sh_slice message, struct sh_tally *left_out,
    struct sh_buf *out, struct sh_error *err)
{
	struct mail m = { b, left_out, out, err };

	return any_part(&m, message, "text/plain", 0, ALL);
}

int sh_mail_id(
    struct sh_slice message, struct sh_buf *room, struct sh_slice *id, struct sh_error *err)
{
	struct sh_slice v;
	struct sh_error ignored;

	*id = sh_slice("", 0);
	room->n = 0;
	if (!sh_header_find(sh_slice(message.p, sh_mail_header_size(message)), "Message-ID", &v))
		return 0;
	if (sh_header_unfold(v, room, err) < 0)
		return -1;
	v = sh_trim(sh_buf_slice(room));
	if (v.n >= 2 && v.p[0] == '<' && v.p[v.n - 1] == '>')
		v = sh_slice(v.p + 1, v.n - 2);
	if (!memchr(v.p, '\t', v.n) && sh_id_check(v, &ignored) == 0)
		*id = v;
	return 0;
}
