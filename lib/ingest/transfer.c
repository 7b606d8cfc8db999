/* SPDX-License-Identifier: MIT */
#include "ingest/transfer.h"

#include "base/hex.h"
#include "ingest/header.h"

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

/* Returns the data without the footer that a mailing list added behind them. The footer begins with
 * the first line that is not base64, behind one that is, or with the empty line before it. A line
 * as long as the others may have characters that were damaged. */
static struct sh_slice without_footer(struct sh_slice in)
{
	const char *p = in.p, *end = in.n ? p + in.n : p, *blank = NULL;
	size_t width = 0;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
		struct sh_slice line = sh_slice(p, (size_t)(stop - p));

		line = sh_trim(line);
		if (line.n == 0)
			blank = width ? p : NULL;
		else if (width && line.n != width && !is_base64(line))
			return sh_slice(in.p, (size_t)((blank ? blank : p) - in.p));
		else if (width == 0 && is_base64(line))
			width = line.n;
		if (line.n == width)
			blank = NULL;
		p = lf ? lf + 1 : end;
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

/* Returns the line at p without its end. Sets *next behind the end. */
static struct sh_slice next_line(const char *p, const char *end, const char **next)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));

	*next = lf ? lf + 1 : end;
	return sh_without_cr(sh_slice(p, (size_t)((lf ? lf : end) - p)));
}

static size_t quotes(struct sh_slice line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '>')
		n++;
	return n;
}

int sh_unflow(struct sh_slice in, struct sh_buf *out, struct sh_error *err)
{
	const char *p = in.p, *end = in.n ? p + in.n : p, *next;
	size_t open = 0, depth;
	bool flowing = false;

	for (; p < end; p = next, open = depth) {
		struct sh_slice line = next_line(p, end, &next);
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
		flowing = line.n && line.p[line.n - 1] == ' ' && !signature && next < end;
		line.n -= flowing;
		if (sh_buf_add(out, line.p, line.n, err) < 0 ||
		    (!flowing && sh_buf_add(out, "\n", 1, err) < 0))
			return -1;
	}
	return 0;
}
