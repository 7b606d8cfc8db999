/* SPDX-License-Identifier: MIT */
#include "ingest/header.h"

#include <strings.h>

#include "base/num.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct sh_slice sh_trim(struct sh_slice s)
{
	return sh_slice_strip(s, " \t\r\n");
}

struct sh_slice sh_past_blank_lines(struct sh_slice s)
{
	size_t at = 0;

	for (size_t i = 0; i < s.n && is_blank(s.p[i]); i++)
		if (s.p[i] == '\n')
			at = i + 1;
	return sh_slice(s.p + at, s.n - at);
}

bool sh_slice_like(struct sh_slice s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

bool sh_is_listed(struct sh_slice word, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == word.n && memcmp(list, word.p, n) == 0)
			return true;
		list += n + (list[n] == ' ');
	}
	return false;
}

/* Returns the line at offset `at` without its end. Sets *next to the offset of the next line. */
static struct sh_slice line_at(struct sh_slice in, size_t at, size_t *next)
{
	const char *lf = memchr(in.p + at, '\n', in.n - at);
	size_t end = lf ? (size_t)(lf - in.p) : in.n;

	*next = lf ? end + 1 : end;
	if (end > at && in.p[end - 1] == '\r')
		end--;
	return sh_slice(in.p + at, end - at);
}

size_t sh_header_size(struct sh_slice in)
{
	size_t at = 0;

	while (at < in.n)
		if (line_at(in, at, &at).n == 0)
			return at;
	return in.n;
}

bool sh_header_is_field(struct sh_slice line)
{
	size_t n = 0;

	if (line.p[0] == ' ' || line.p[0] == '\t')
		return true;
	while (n < line.n && line.p[n] > ' ' && line.p[n] < 0x7F && line.p[n] != ':')
		n++;
	while (n < line.n && n > 0 && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return n < line.n && line.p[n] == ':';
}

/* Returns whether the line is "From joe ... remote from host", with or without ">" before it. Old
 * relays put such lines before a header. */
static bool is_envelope(struct sh_slice line)
{
	size_t quote = line.p[0] == '>';

	return line.n >= 5 + quote && memcmp(line.p + quote, "From ", 5) == 0;
}

size_t sh_mail_header_size(struct sh_slice in)
{
	size_t at = 0, next = 0;
	bool first = true;

	while (at < in.n) {
		struct sh_slice line = line_at(in, at, &next);

		if (line.n == 0)
			return next;
		first = first && is_envelope(line);
		if (!first && !sh_header_is_field(line))
			return at;
		at = next;
	}
	return in.n;
}

/* Returns the value with the lines from *next on that continue it. Moves *next behind them. */
static struct sh_slice folded(struct sh_slice head, struct sh_slice value, size_t *next)
{
	while (*next < head.n && (head.p[*next] == ' ' || head.p[*next] == '\t')) {
		struct sh_slice more = line_at(head, *next, next);

		value.n = (size_t)(more.p - value.p) + more.n;
	}
	return sh_trim(value);
}

/* Finds the first field of this name from *at on, and moves *at behind it. */
static bool find_from(struct sh_slice head, size_t *at, const char *name, struct sh_slice *value)
{
	while (*at < head.n) {
		struct sh_slice line = line_at(head, *at, at);
		const char *colon = line.n ? memchr(line.p, ':', line.n) : NULL;
		size_t n = colon ? (size_t)(colon - line.p) : 0;

		if (line.n == 0)
			return false;
		if (n && sh_slice_like(sh_trim(sh_slice(line.p, n)), name)) {
			*value = folded(head, sh_slice(colon + 1, line.n - n - 1), at);
			return true;
		}
	}
	return false;
}

bool sh_header_find(struct sh_slice head, const char *name, struct sh_slice *value)
{
	size_t at = 0;

	return find_from(head, &at, name, value);
}

int sh_header_join(struct sh_slice head, const char *name, struct sh_buf *out, struct sh_error *err)
{
	struct sh_slice value;
	size_t at = 0;
	bool any = false;

	while (find_from(head, &at, name, &value)) {
		if ((any && sh_buf_add(out, ", ", 2, err) < 0) ||
		    sh_buf_add(out, value.p, value.n, err) < 0)
			return -1;
		any = true;
	}
	return 0;
}

int sh_header_unfold(struct sh_slice value, struct sh_buf *out, struct sh_error *err)
{
	if (sh_buf_reserve(out, value.n, err) < 0)
		return -1;
	for (size_t i = 0; i < value.n; i++)
		if (value.p[i] != '\r' && value.p[i] != '\n')
			out->p[out->n++] = value.p[i];
	return 0;
}

/* ---- media types ---- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

void sh_header_word(struct sh_slice value, char *word, size_t room)
{
	size_t n = 0;

	while (n < value.n && !is_blank(value.p[n]) && !strchr(";,(", value.p[n]))
		n++;
	if (n >= room)
		n = 0;
	for (size_t i = 0; i < n; i++)
		word[i] = lower(value.p[i]);
	word[n] = '\0';
}

/* Copies the word at *p, or the string in one of the `quotes`, to `to`, and moves *p behind it.
 * Stores "" when the copy and its NUL exceed `room` bytes. */
static void parameter_value(
    const char **p, const char *end, const char *quotes, char *to, size_t room)
{
	size_t n = 0;
	char quote = *p < end && **p && strchr(quotes, **p) ? *(*p)++ : '\0';

	for (; *p < end; (*p)++) {
		char c = **p;

		if (quote ? c == quote : is_blank(c) || c == ';' || c == '(')
			break;
		if (quote && c == '\\' && end - *p > 1)
			c = *++*p;
		if (n < room && c != '\r' && c != '\n')
			to[n++] = c;
	}
	if (quote && *p < end)
		(*p)++;
	to[n < room ? n : 0] = '\0';
}

/* A parameter to extract. It may come in pieces "x*0", "x*1" and so on (RFC 2231). */
struct wanted {
	const char *name, *quotes;
	char *value;
	size_t room;
	uint64_t pieces; /* number of pieces found */
	bool whole;      /* the parameter was found in one piece, "x" or "x*" */
};

/* Replaces each "%41" by its byte, and removes "charset'language'" from the first piece (RFC
 * 2231). */
static void undo_escapes(char *value, bool first)
{
	char *from, *to = value, *quote = first ? strchr(value, '\'') : NULL;

	quote = quote ? strchr(quote + 1, '\'') : NULL;
	for (from = quote ? quote + 1 : value; *from; from++) {
		if (*from == '%' && sh_hex_value(from[1]) >= 0 && sh_hex_value(from[2]) >= 0) {
			*to++ = (char)(sh_hex_value(from[1]) << 4 | sh_hex_value(from[2]));
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* Returns whether `name` names the next piece, such as "x*0" or "x*1*", or the whole parameter, "x"
 * or "x*". A name that ends in an asterisk has a value with escapes. */
static bool is_next(struct wanted *w, struct sh_slice name, bool *escaped)
{
	size_t n = strlen(w->name);
	uint64_t number;

	if (w->whole || name.n < n || !sh_slice_like(sh_slice(name.p, n), w->name))
		return false;
	name = sh_slice(name.p + n, name.n - n);
	*escaped = name.n && name.p[name.n - 1] == '*';
	if (name.n == *escaped) {
		w->whole = w->pieces == 0;
		return w->whole;
	}
	return name.p[0] == '*' &&
	       sh_parse_u64(sh_slice(name.p + 1, name.n - 1 - *escaped), &number) == 0 &&
	       number == w->pieces;
}

/* Returns whether is_next(). If so, appends the value at *p to the parameter and moves *p behind
 * the value. */
static bool add_piece(struct wanted *w, struct sh_slice name, const char **p, const char *end)
{
	size_t had = strlen(w->value);
	bool escaped;

	if (!is_next(w, name, &escaped))
		return false;
	parameter_value(p, end, escaped ? "\"" : w->quotes, w->value + had, w->room - had);
	if (escaped)
		undo_escapes(w->value + had, w->pieces == 0);
	w->whole = w->whole && *w->value; /* an empty value counts as missing */
	w->pieces += !w->whole && *w->value;
	return true;
}

void sh_media_parse(struct sh_slice value, struct sh_media *media)
{
	const char *p = value.p, *end = value.p + value.n;
	/* Some programs write a charset in single quotes. In a boundary single quotes are part of
	 * the value. */
	struct wanted wanted[] = {
		{ "charset", "\"'", media->charset, sizeof media->charset, 0, false },
		{ "boundary", "\"", media->boundary, sizeof media->boundary, 0, false },
		{ "format", "\"", media->format, sizeof media->format, 0, false },
		{ "delsp", "\"", media->delsp, sizeof media->delsp, 0, false },
	};
	const size_t n = sizeof wanted / sizeof *wanted;
	char scrap[256];
	bool first;
	size_t i;

	*media = (struct sh_media){ 0 };
	/* Some servers write the whole value in quotes. */
	if (value.n && *p == '"' && memchr(p, '/', value.n))
		p++;
	sh_header_word(sh_slice(p, (size_t)(end - p)), media->type, sizeof media->type);
	media->type[strcspn(media->type, "\"")] = '\0';
	/* Others write only parameters, "charset=utf-8", or leave the semicolon out. */
	first = strchr(media->type, '=') != NULL;
	if (first) {
		*media->type = '\0';
	} else {
		const char *q = p + strlen(media->type);

		while (q < end && is_blank(*q))
			q++;
		first = q > p + strlen(media->type) && q < end && !strchr(";,(", *q);
		p = first ? q : p;
	}
	while (p < end && (first || (p = memchr(p, ';', (size_t)(end - p))))) {
		struct sh_slice name;
		const char *from;

		p += !first;
		first = false;
		for (; p < end && is_blank(*p); p++)
			continue;
		for (from = p; p < end && *p != '=' && *p != ';'; p++)
			continue;
		name = sh_trim(sh_slice(from, (size_t)(p - from)));
		if (p == end || *p == ';')
			continue;
		for (p++; p < end && is_blank(*p); p++)
			continue;
		for (i = 0; i < n; i++)
			if (add_piece(&wanted[i], name, &p, end))
				break;
		if (i == n)
			parameter_value(&p, end, "\"'", scrap, sizeof scrap);
	}
	for (i = 0; i < n; i++)
		for (char *c = wanted[i].value; *c && wanted[i].value != media->boundary; c++)
			*c = lower(*c);
}
