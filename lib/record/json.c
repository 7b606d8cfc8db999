/* SPDX-License-Identifier: MIT */
#include "record/json.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/num.h"

struct reader {
	const char *begin, *p, *end;
	struct sh_error *err;
	uint8_t is_object[SH_JSON_DEPTH / 8]; /* one bit per open container */
	unsigned depth;
};

static int wrong(const struct reader *r, const char *what)
{
	if (r->p == r->end)
		return sh_error_set(r->err, SH_ERR_RECORD,
		    "JSON: the line ends, expected %s (jq -c . makes each object one line)", what);
	return sh_error_set(r->err, SH_ERR_RECORD, "JSON: byte %zu: expected %s",
	    (size_t)(r->p - r->begin) + 1, what);
}

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r' || *r->p == '\n'))
		r->p++;
}

static bool accept(struct reader *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* ---- strings ---- */

/* Returns whether one of eight bytes is a quote, a backslash or a control character. */
static inline bool is_special(uint64_t x)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t quote = x ^ ones * '"', slash = x ^ ones * '\\';

	return (((x - ones * 0x20) & ~x) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) &
	       tops;
}

static void skip_ordinary(struct reader *r)
{
	while (r->end - r->p >= 8 && !is_special(sh_le64(r->p)))
		r->p += 8;
	while (r->p < r->end && *r->p != '"' && *r->p != '\\' && (unsigned char)*r->p >= 0x20)
		r->p++;
}

/* Skips the rest of an escape, behind its backslash. */
static int skip_escape(struct reader *r)
{
	if (r->p == r->end || !memchr("\"\\/bfnrtu", *r->p, 9))
		return wrong(r, "one of \" \\ / b f n r t u after a backslash");
	if (*r->p++ != 'u')
		return 0;
	for (int i = 0; i < 4; i++, r->p++)
		if (r->p == r->end || sh_hex_value(*r->p) < 0)
			return wrong(r, "four hexadecimal digits after \\u");
	return 0;
}

static int read_string(struct reader *r, struct sh_json_value *v)
{
	*v = (struct sh_json_value){ .kind = SH_JSON_STRING };
	if (!accept(r, '"'))
		return wrong(r, "a string");
	v->text.p = r->p;
	for (;;) {
		skip_ordinary(r);
		v->text.n = (size_t)(r->p - v->text.p);
		if (accept(r, '"'))
			return 0;
		if (!accept(r, '\\'))
			return wrong(
			    r, r->p == r->end
				   ? "the string's closing quote"
				   : "an escape: strings cannot contain control characters");
		v->escaped = true;
		if (skip_escape(r) < 0)
			return -1;
	}
}

/* ---- other values ---- */

static size_t skip_digits(struct reader *r)
{
	const char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return (size_t)(r->p - from);
}

static int read_number(struct reader *r)
{
	accept(r, '-');
	if (!accept(r, '0') && skip_digits(r) == 0)
		return wrong(r, "a digit");
	if (accept(r, '.') && skip_digits(r) == 0)
		return wrong(r, "a digit after the point");
	if (accept(r, 'e') || accept(r, 'E')) {
		if (!accept(r, '+'))
			accept(r, '-');
		if (skip_digits(r) == 0)
			return wrong(r, "a digit of the exponent");
	}
	return 0;
}

static int read_word(struct reader *r)
{
	/* NaN and Infinity are no JSON, but Python writes them. */
	static const char *const words[] = { "true", "false", "null", "NaN", "Infinity",
		"-Infinity" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i], n) == 0) {
			r->p += n;
			return 0;
		}
	}
	return wrong(r, "a value");
}

static int read_scalar(struct reader *r, struct sh_json_value *v)
{
	if (r->p < r->end && *r->p == '"')
		return read_string(r, v);
	*v = (struct sh_json_value){ SH_JSON_OTHER, false, { r->p, 0 } };
	if (r->p < r->end && ((*r->p == '-' && !(r->end - r->p > 1 && r->p[1] == 'I')) ||
				 (*r->p >= '0' && *r->p <= '9')))
		v->kind = SH_JSON_NUMBER;
	if ((v->kind == SH_JSON_NUMBER ? read_number(r) : read_word(r)) < 0)
		return -1;
	v->text.n = (size_t)(r->p - v->text.p);
	return 0;
}

static int open_container(struct reader *r, bool object)
{
	if (r->depth == SH_JSON_DEPTH)
		return sh_error_set(
		    r->err, SH_ERR_RECORD, "JSON: nested deeper than %d", SH_JSON_DEPTH);
	if (object)
		r->is_object[r->depth / 8] |= (uint8_t)(1 << r->depth % 8);
	else
		r->is_object[r->depth / 8] &= (uint8_t) ~(1 << r->depth % 8);
	r->depth++;
	return 0;
}

static bool in_object(const struct reader *r)
{
	return r->is_object[(r->depth - 1) / 8] >> (r->depth - 1) % 8 & 1;
}

static int read_key(struct reader *r, struct sh_json_value *key)
{
	skip_blanks(r);
	if (read_string(r, key) < 0)
		return -1;
	skip_blanks(r);
	return accept(r, ':') ? 0 : wrong(r, "a colon");
}

/* Closes the containers that end behind a value. Returns 1 when another value follows, 0 at depth
 * `base`, or -1. */
static int after_value(struct reader *r, unsigned base)
{
	struct sh_json_value key;

	while (r->depth > base) {
		bool object = in_object(r);

		skip_blanks(r);
		if (accept(r, ','))
			return object && read_key(r, &key) < 0 ? -1 : 1;
		if (!accept(r, object ? '}' : ']'))
			return wrong(r, object ? "a comma or }" : "a comma or ]");
		r->depth--;
	}
	return 0;
}

/* Reads a value with all values inside. Does not recurse, because the input chooses the depth. */
static int read_value(struct reader *r, struct sh_json_value *v)
{
	unsigned base = r->depth;
	struct sh_json_value inner, *to = v;
	int more = 1;

	while (more > 0) {
		skip_blanks(r);
		if (r->p < r->end && (*r->p == '{' || *r->p == '[')) {
			bool object = *r->p == '{';

			*to = (struct sh_json_value){ SH_JSON_OTHER, false, { r->p, 1 } };
			to = &inner;
			r->p++;
			if (open_container(r, object) < 0)
				return -1;
			skip_blanks(r);
			if (!accept(r, object ? '}' : ']')) {
				if (object && read_key(r, &inner) < 0)
					return -1;
				continue;
			}
			r->depth--;
		} else if (read_scalar(r, to) < 0) {
			return -1;
		}
		more = after_value(r, base);
	}
	return more;
}

/* ---- the fields ---- */

static int read_fields(struct reader *r, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_buf *room)
{
	struct sh_json_value key, v;
	uint64_t halves = 0;

	do {
		if (read_key(r, &key) < 0 || read_value(r, &v) < 0)
			return -1;
		if (v.kind == SH_JSON_OTHER)
			v.text.n = (size_t)(r->p - v.text.p);
		room->n = 0;
		if (key.escaped) {
			if (sh_json_unescape(key.text, room, &halves, r->err) < 0)
				return -1;
			key.text = sh_buf_slice(room);
		}
		for (size_t i = 0; i < n; i++)
			if (sh_slice_eq(key.text, name[i]))
				value[i] = v;
		skip_blanks(r);
	} while (accept(r, ','));
	return accept(r, '}') ? 0 : wrong(r, "a comma or }");
}

int sh_json_fields(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err)
{
	struct reader r = { .begin = line.p, .p = line.p, .end = line.p + line.n, .err = err };
	struct sh_buf room = { 0 };
	int status = 0;

	for (size_t i = 0; i < n; i++)
		value[i] = (struct sh_json_value){ 0 };
	skip_blanks(&r);
	if (r.p < r.end && *r.p == '[')
		return wrong(&r, "{, not an array (jq -c '.[]' makes lines of its objects)");
	if (!accept(&r, '{'))
		return wrong(&r, "{ (each line is an object)");
	r.depth = 1; /* the object itself counts */
	skip_blanks(&r);
	if (!accept(&r, '}'))
		status = read_fields(&r, name, value, n, &room);
	sh_buf_free(&room);
	skip_blanks(&r);
	if (status == 0 && r.p < r.end)
		return wrong(&r, "the end of the line after the object");
	return status;
}

/* ---- paths ---- */

/* A path, split into its first part and the other parts. */
struct path {
	struct sh_slice part; /* unescaped */
	struct sh_slice rest;
	bool pointer, more;
	char room[SH_JSON_PART_MAX + 1]; /* one byte more shows that a part is too long */
};

/* Unescapes a part of a pointer: ~1 is a slash, ~0 a tilde. */
static struct sh_slice unescape_part(struct sh_slice part, char *room)
{
	size_t n = 0;

	for (size_t i = 0; i < part.n && n <= SH_JSON_PART_MAX; i++)
		if (part.p[i] == '~' && i + 1 < part.n)
			room[n++] = part.p[++i] == '1' ? '/' : '~';
		else
			room[n++] = part.p[i];
	return sh_slice(room, n);
}

/* Moves the next part of the path to p->part. */
static void next_part(struct path *p)
{
	const char *end = p->rest.n ? memchr(p->rest.p, p->pointer ? '/' : '.', p->rest.n) : NULL;

	p->part = sh_slice(p->rest.p, end ? (size_t)(end - p->rest.p) : p->rest.n);
	p->more = end != NULL;
	p->rest = end ? sh_slice(end + 1, p->rest.n - p->part.n - 1) : sh_slice("", 0);
	if (p->pointer && p->part.n && memchr(p->part.p, '~', p->part.n))
		p->part = unescape_part(p->part, p->room);
}

static void start_path(struct path *p, struct sh_slice name)
{
	p->pointer = name.n && *name.p == '/';
	p->rest = p->pointer ? sh_slice(name.p + 1, name.n - 1) : name;
	next_part(p);
}

int sh_json_check_path(struct sh_slice name, struct sh_error *err)
{
	struct path p = { 0 };

	for (size_t i = 0; name.n && *name.p == '/' && i < name.n; i++)
		if (name.p[i] == '~' &&
		    (i + 1 == name.n || (name.p[i + 1] != '0' && name.p[i + 1] != '1')))
			return sh_error_set(err, SH_ERR_PARAM,
			    "'%.*s': expected ~0 for a tilde and ~1 for a slash in a pointer",
			    sh_shown(name, 80), name.p);
	for (start_path(&p, name);; next_part(&p)) {
		if (p.part.n > SH_JSON_PART_MAX)
			return sh_error_set(err, SH_ERR_PARAM,
			    "'%.*s': a name in a path has at most %d bytes", sh_shown(name, 80),
			    name.p, SH_JSON_PART_MAX);
		if (!p.more)
			return 0;
	}
}

bool sh_json_next(struct sh_slice *items, struct sh_json_value *item)
{
	struct sh_error ignored;
	struct reader r = { .begin = items->p, .p = items->p, .err = &ignored };

	r.end = items->p + items->n;
	skip_blanks(&r);
	if (!accept(&r, '[') && !accept(&r, ','))
		return false;
	skip_blanks(&r);
	if (accept(&r, ']') || read_value(&r, item) < 0)
		return false;
	if (item->kind == SH_JSON_OTHER)
		item->text.n = (size_t)(r.p - item->text.p);
	*items = sh_slice(r.p, (size_t)(r.end - r.p));
	return true;
}

static struct sh_json_value find_item(struct sh_slice items, struct sh_slice part)
{
	struct sh_json_value item = { 0 };
	uint64_t i;

	if (sh_parse_u64(part, &i) < 0)
		return item;
	while (sh_json_next(&items, &item))
		if (i-- == 0)
			return item;
	return (struct sh_json_value){ 0 };
}

/* Follows the rest of a path from the value of its first part, up to an asterisk that stands for
 * all items of the array *v: returns 1 there, otherwise 0, or -1. Sets *object to the last object
 * or array on the path. */
static int follow(
    struct path *p, struct sh_json_value *v, struct sh_slice *object, struct sh_error *err)
{
	while (p->more) {
		struct sh_json_value in = *v;
		bool array = in.kind == SH_JSON_OTHER && *in.text.p == '[';

		next_part(p);
		if (array && p->part.n == 1 && *p->part.p == '*')
			return 1;
		*v = (struct sh_json_value){ 0 };
		if (in.kind == SH_JSON_OTHER)
			*object = in.text;
		if (array)
			*v = find_item(in.text, p->part);
		else if (in.kind == SH_JSON_OTHER && *in.text.p == '{' &&
			 sh_json_fields(in.text, &p->part, v, 1, err) < 0)
			return -1;
	}
	return 0;
}

/* Calls `each` for the values at the end of a path that begins at v. */
static int each_below(
    struct path p, struct sh_json_value v, sh_json_each_fn *each, void *arg, struct sh_error *err)
{
	struct sh_slice object;
	struct sh_json_value item;
	int many = follow(&p, &v, &object, err);

	if (many <= 0)
		return many < 0 || v.kind == SH_JSON_ABSENT ? many : each(arg, &v, err);
	while (sh_json_next(&v.text, &item))
		if (each_below(p, item, each, arg, err) < 0)
			return -1;
	return 0;
}

int sh_json_each(struct sh_slice line, struct sh_slice name, sh_json_each_fn *each, void *arg,
    struct sh_error *err)
{
	struct sh_json_value v;
	struct path p;

	start_path(&p, name);
	if (sh_json_fields(line, &p.part, &v, 1, err) < 0)
		return -1;
	return each_below(p, v, each, arg, err);
}

int sh_json_find(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err)
{
	struct sh_slice names[2 * SH_JSON_PATHS] = { { 0 } }, object;
	struct sh_json_value v[2 * SH_JSON_PATHS];
	struct path path[SH_JSON_PATHS];

	for (size_t i = 0; i < n; i++) {
		start_path(&path[i], name[i]);
		names[i] = name[i];
		names[n + i] = path[i].part;
	}
	if (sh_json_fields(line, names, v, 2 * n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int many = 0;

		value[i] = v[i].kind ? v[i] : v[n + i];
		if (!v[i].kind)
			many = follow(&path[i], &value[i], &object, err);
		if (many < 0)
			return -1;
		if (many)
			value[i].kind = SH_JSON_MANY;
	}
	return 0;
}

static size_t print_keys(struct sh_slice object, char *to, size_t room)
{
	struct sh_error ignored;
	struct reader r = { .begin = object.p, .p = object.p, .err = &ignored };
	struct sh_json_value key, v;
	size_t n = 0;

	r.end = object.p + object.n;
	skip_blanks(&r);
	accept(&r, '{');
	r.depth = 1;
	do {
		if (read_key(&r, &key) < 0 || read_value(&r, &v) < 0)
			break;
		if (n + key.text.n + sizeof ", \"\", ..." > room) {
			n += (size_t)snprintf(to + n, room - n, "%s...", n ? ", " : "");
			break;
		}
		n += (size_t)snprintf(
		    to + n, room - n, "%s\"%.*s\"", n ? ", " : "", (int)key.text.n, key.text.p);
		skip_blanks(&r);
	} while (accept(&r, ','));
	to[n] = '\0';
	return n;
}

bool sh_json_print_names(struct sh_slice line, struct sh_slice path, char *to, size_t room)
{
	struct sh_slice object = line;
	struct sh_json_value v;
	struct sh_error ignored;
	struct path p;

	start_path(&p, path);
	if (p.more && sh_json_fields(line, &p.part, &v, 1, &ignored) == 0)
		(void)follow(&p, &v, &object, &ignored);
	if (object.n && *object.p == '[')
		return snprintf(to, room, "items of an array, all of which * names") > 0;
	return print_keys(object, to, room) > 0;
}

/* ---- unescaping ---- */

static uint32_t hex4(const char *p)
{
	uint32_t x = 0;

	for (int i = 0; i < 4; i++)
		x = x << 4 | (uint32_t)sh_hex_value(p[i]);
	return x;
}

/* Returns the code point of a \u escape or of a surrogate pair. Its digits begin at *p. Moves *p
 * behind the digits. Half of a surrogate pair gives U+FFFD and is counted. */
static uint32_t code_point(const char **p, const char *end, uint64_t *halves)
{
	uint32_t c = hex4(*p), low;

	*p += 4;
	if (c - 0xD800 >= 0x800)
		return c;
	if (c < 0xDC00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
		low = hex4(*p + 2);
		if (low - 0xDC00 < 0x400) {
			*p += 6;
			return 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
		}
	}
	++*halves;
	return 0xFFFD;
}

static char *put_utf8(char *to, uint32_t c)
{
	unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const uint32_t lead[] = { 0, 0xC0, 0xE0, 0xF0 };

	*to++ = (char)(lead[more] | c >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (c >> 6 * more & 63));
	return to;
}

int sh_json_unescape(
    struct sh_slice string, struct sh_buf *out, uint64_t *halves, struct sh_error *err)
{
	static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
	const char *p = string.p, *end = p + string.n;
	char *to;

	if (string.n == 0)
		return 0;
	/* An escape is never shorter than its character. */
	if (sh_buf_reserve(out, string.n, err) < 0)
		return -1;
	to = out->p + out->n;
	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p)), *known;
		size_t n = (size_t)((slash ? slash : end) - p);

		memcpy(to, p, n);
		to += n;
		p += n;
		if (!slash)
			break;
		p += 2;
		known = memchr(from, p[-1], 5);
		if (p[-1] == 'u')
			to = put_utf8(to, code_point(&p, end, halves));
		else
			*to++ = known ? into[known - from] : p[-1];
	}
	out->n = (size_t)(to - out->p);
	return 0;
}

int sh_json_add_string(struct sh_slice s, struct sh_buf *out, struct sh_error *err)
{
	static const char known[] = "\b\f\n\r\t", letter[] = "bfnrt";
	char *to;

	if (s.n > (SIZE_MAX - 3) / 6)
		return sh_error_nomem(err);
	if (sh_buf_reserve(out, 6 * s.n + 3, err) < 0)
		return -1;
	to = out->p + out->n;
	*to++ = '"';
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		const char *short_form = c && c < 0x20 ? strchr(known, c) : NULL;

		if (short_form || c == '"' || c == '\\') {
			*to++ = '\\';
			*to++ = short_form ? letter[short_form - known] : (char)c;
		} else if (c < 0x20) {
			to += snprintf(to, sizeof "\\u0000", "\\u%04x", c);
		} else {
			*to++ = (char)c;
		}
	}
	*to++ = '"';
	out->n = (size_t)(to - out->p);
	return 0;
}
