/* SPDX-License-Identifier: MIT */
/* Compares the JSON scanner with jansson, when the build has it, on generated lines and their
 * mutations; and with the specification. */
#include "record/json.h"

#include <stdlib.h>

#include "rng.h"
#include "tap.h"
#include "unicode/utf8.h"

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

static const struct sh_slice names[2] = { { "id", 2 }, { "text", 4 } };

/* ---- examples ---- */

static const char *scan(const char *line, struct sh_json_value v[2])
{
	static struct sh_error err;

	return sh_json_fields(sh_slice_str(line), names, v, 2, &err) < 0 ? err.text : NULL;
}

static void takes(const char *line, const char *id, const char *text)
{
	struct sh_json_value v[2];
	const char *why = scan(line, v);
	const char *want[2] = { id, text };
	struct sh_error err;
	bool good = !why;

	for (int i = 0; good && i < 2; i++) {
		struct sh_buf b = { 0 };
		uint64_t halves = 0;

		if (!want[i]) {
			good = v[i].kind == SH_JSON_ABSENT || v[i].kind == SH_JSON_OTHER;
			continue;
		}
		good = v[i].kind == SH_JSON_STRING || v[i].kind == SH_JSON_NUMBER;
		good = good && sh_json_unescape(v[i].text, &b, &halves, &err) == 0 &&
		       sh_slice_eq(sh_buf_slice(&b), sh_slice_str(want[i]));
		sh_buf_free(&b);
	}
	ok(good, "%s%s%s", line, why ? ": " : "", why ? why : "");
}

static void refuses(const char *line, const char *why)
{
	struct sh_json_value v[2];
	const char *got = scan(line, v);

	ok(got && strstr(got, why), "%s: %s", line, got ? got : "taken");
}

static void examples(void)
{
	takes("{\"id\":\"a\",\"text\":\"b c\"}", "a", "b c");
	takes(" { \"text\" : \"b\" , \"id\" : 12 } \r", "12", "b");
	takes(
	    "{\"id\":12345678901234567890.10e-5,\"text\":\"\"}", "12345678901234567890.10e-5", "");
	takes("{\"x\":{\"id\":\"inner\",\"y\":[{},[],[1,{\"text\":2}]]},\"id\":\"a\"}", "a", NULL);
	takes("{\"id\":\"a\",\"id\":\"b\",\"text\":\"x\",\"text\":null}", "b", NULL);
	takes("{\"i\\u0064\":\"a\",\"\\u0074ext\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "a",
	    "\"\\/\b\f\n\r\t");
	takes("{\"id\":\"\\u00e9\\u4E2d\\uD83d\\uDE00\",\"text\":\"\\uD83Dx\\uDE00\\uD83D\"}",
	    "é中😀", "\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD");
	takes("{\"id\":\"\\uD83D\\uD83D\\uDE00\"}", "\xEF\xBF\xBD😀", NULL);
	takes("{}", NULL, NULL);
	refuses("", "the line ends, expected {");
	refuses("[1]", "byte 1: expected {");
	refuses("{\"id\":\"a\"", "the line ends, expected a comma or }");
	refuses("{\"id\":\"a\",}", "byte 11: expected a string");
	refuses("{\"id\":\"a}", "closing quote");
	refuses("{\"id\":\"a\tb\"}", "byte 9: expected an escape");
	refuses("{\"id\":\"\\x\"}", "byte 9: expected one of");
	refuses("{\"id\":\"\\u12G4\"}", "byte 12: expected four");
	refuses("{\"id\":01}", "byte 8: expected a comma");
	refuses("{\"id\":-}", "byte 8: expected a digit");
	refuses("{\"id\":1.}", "byte 9: expected a digit after the point");
	refuses("{\"id\":1e+}", "byte 10: expected a digit of the exponent");
	refuses("{\"id\":nul}", "byte 7: expected a value");
	refuses("{\"id\":[1 2]}", "byte 10: expected a comma or ]");
	refuses("{\"id\":[1}", "byte 9: expected a comma or ]");
	refuses("{\"id\" 1}", "byte 7: expected a colon");
	refuses("{} {}", "byte 4: expected the end");
}

static void depth(void)
{
	static char line[3 * SH_JSON_DEPTH];
	struct sh_json_value v[2];
	char *p = line + sprintf(line, "{\"id\":");

	memset(p, '[', SH_JSON_DEPTH - 1);
	memset(p + SH_JSON_DEPTH - 1, ']', SH_JSON_DEPTH - 1);
	strcpy(p + 2 * (SH_JSON_DEPTH - 1), "}");
	ok(!scan(line, v), "the largest depth of nesting is accepted");
	memset(p, '[', SH_JSON_DEPTH);
	ok(scan(line, v) && strstr(scan(line, v), "nested deeper than 2048"),
	    "a larger depth of nesting is refused");
}

/* Tests each byte at each place of a string, because the scanner reads eight bytes at a time. */
static void bytes(void)
{
	char text[] = "{\"id\":\"abcdefghijklmnopqrstuvw\"}";
	unsigned wrong = 0;

	for (char *p = text + 7; *p != '"'; p++) {
		char before = *p;

		for (int c = 0; c < 256; c++) {
			/* Only these letters follow a backslash in an escape. */
			bool escape = c == '\\' && strchr("bfnrt\"", p[1]);
			bool want = escape ? p[1] != '"' : c >= 0x20 && c != '"' && c != '\\';
			struct sh_json_value v[2];
			struct sh_error err;

			*p = (char)c;
			if (c == '\\' && p[1] == 'u')
				continue;
			wrong += want != (sh_json_fields(sh_slice(text, sizeof text - 1), names, v,
					      2, &err) == 0);
		}
		*p = before;
	}
	ok(wrong == 0, "control characters are refused at every place, other bytes are not");
}

/* Returns the code points of two \u escapes, and the number of halves. */
static unsigned two_points(uint32_t a, uint32_t b, uint32_t want[2], unsigned *n)
{
	bool high = a >= 0xD800 && a <= 0xDBFF, low = b >= 0xDC00 && b <= 0xDFFF;
	bool half_a = a >= 0xD800 && a <= 0xDFFF, half_b = b >= 0xD800 && b <= 0xDFFF;

	want[0] = half_a ? 0xFFFD : a;
	want[1] = half_b ? 0xFFFD : b;
	*n = 2;
	if (!high || !low)
		return (unsigned)half_a + half_b;
	want[0] = 0x10000 + (a - 0xD800) * 0x400 + (b - 0xDC00);
	*n = 1;
	return 0;
}

static void surrogates(void)
{
	static const uint32_t some[] = { 0x1, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xD801,
		0xDBFF, 0xDC00, 0xDC01, 0xDFFF, 0xE000, 0xFFFF };
	enum { SOME = sizeof some / sizeof *some };
	struct sh_buf got = { 0 };
	unsigned wrong = 0;

	for (unsigned i = 0; i < SOME * SOME; i++) {
		uint32_t a = some[i / SOME], b = some[i % SOME], want[2];
		unsigned n, halves = two_points(a, b, want, &n);
		uint64_t counted = 0;
		struct sh_error err;
		char text[13], bytes[9];
		size_t length = 0;

		sprintf(text, "\\u%04x\\u%04X", (unsigned)a, (unsigned)b);
		for (unsigned k = 0; k < n; k++)
			length += sh_utf8_put((uint8_t *)bytes + length, want[k]);
		got.n = 0;
		wrong += sh_json_unescape(sh_slice_str(text), &got, &counted, &err) < 0 ||
			 counted != halves ||
			 !sh_slice_eq(sh_buf_slice(&got), sh_slice(bytes, length));
	}
	sh_buf_free(&got);
	ok(wrong == 0, "pairs of \\u escapes around every bound are decoded");
}

/* ---- against jansson ---- */

static struct sh_buf line;

static void put(const char *s)
{
	struct sh_error err;

	sh_buf_add(&line, s, strlen(s), &err);
}

static void put_blanks(void)
{
	while (rng_below(4) == 0)
		put((const char *[]){ " ", "\t", "\n", "\r" }[rng_below(4)]);
}

static void put_string(void)
{
	static const char *const parts[] = { "a", "word ", "\\n", "\\\"", "\\\\", "\\/", "\\u0041",
		"\\u00e9", "\\u4e2d", "\\ud83d\\ude00", "é", "中文", "😀", "{", "]", ",", ":", "\\b",
		"\\f", "\\r", "\\t", "\\u0000", "\\uFFFF", "\\ud83d", "long run of letters",
		"\x7f" };

	put("\"");
	while (rng_below(6))
		put(parts[rng_below(sizeof parts / sizeof *parts)]);
	put("\"");
}

static void put_number(void)
{
	static const char *const some[] = { "0", "-0", "1", "42", "-17", "0.5", "1e5", "1E-7",
		"-2.25e+3", "123456789012345678901234567890", "1.0000000000000000000001" };

	put(some[rng_below(sizeof some / sizeof *some)]);
}

static void put_object(unsigned deep);

static void put_value(unsigned deep)
{
	put_blanks();
	switch (rng_below(deep < 5 ? 8 : 6)) {
	case 0:
	case 1:
	case 2:
		put_string();
		break;
	case 3:
	case 4:
		put_number();
		break;
	case 5:
		put((const char *[]){ "true", "false", "null" }[rng_below(3)]);
		break;
	case 6:
		put_object(deep + 1);
		break;
	default:
		put("[");
		for (uint64_t n = rng_below(4), i = 0; i < n; i++) {
			if (i)
				put(",");
			put_value(deep + 1);
		}
		put_blanks();
		put("]");
	}
	put_blanks();
}

static void put_object(unsigned deep)
{
	static const char *const keys[] = { "\"id\"", "\"text\"", "\"\\u0069d\"", "\"te\\u0078t\"",
		"\"\"", "\"title\"", "\"i\"" };

	put("{");
	put_blanks();
	for (uint64_t n = rng_below(6), i = 0; i < n; i++) {
		if (i) {
			put(",");
			put_blanks();
		}
		put(keys[rng_below(sizeof keys / sizeof *keys)]);
		put_blanks();
		put(":");
		put_value(deep);
	}
	put("}");
}

static void mutate(void)
{
	static const char bytes[] = "{}[]\",:\\u0123456789eE+-.truefalsn \t\n\x01zD";
	char c = bytes[rng_below(sizeof bytes - 1)];
	size_t at = rng_below(line.n + 1);
	struct sh_error err;

	switch (rng_below(4)) {
	case 0:
		if (at < line.n)
			line.p[at] = c;
		break;
	case 1:
		sh_buf_add(&line, &c, 1, &err);
		memmove(line.p + at + 1, line.p + at, line.n - 1 - at);
		line.p[at] = c;
		break;
	case 2:
		if (at < line.n) {
			memmove(line.p + at, line.p + at + 1, line.n - at - 1);
			line.n--;
		}
		break;
	default:
		line.n = at;
	}
}

#ifdef HAVE_JANSSON
/* Returns whether jansson refuses the line by choice, beyond the grammar. */
static bool is_stricter(const json_error_t *e)
{
	switch (json_error_code(e)) {
	case json_error_invalid_utf8:
	case json_error_numeric_overflow:
	case json_error_null_byte_in_key:
		return true;
	default:
		return strstr(e->text, "invalid Unicode") != NULL;
	}
}

static bool same_value(const struct sh_json_value *v, const json_t *want)
{
	struct sh_buf b = { 0 };
	uint64_t halves = 0;
	struct sh_error err;
	bool same;

	if (!want)
		return v->kind == SH_JSON_ABSENT;
	if (json_is_number(want))
		return v->kind == SH_JSON_NUMBER &&
		       strtod(v->text.p, NULL) == json_number_value(want);
	if (!json_is_string(want))
		return v->kind == SH_JSON_OTHER;
	same = v->kind == SH_JSON_STRING && sh_json_unescape(v->text, &b, &halves, &err) == 0 &&
	       halves == 0 &&
	       sh_slice_eq(
		   sh_buf_slice(&b), sh_slice(json_string_value(want), json_string_length(want))) &&
	       (v->escaped || sh_slice_eq(v->text, sh_buf_slice(&b)));
	sh_buf_free(&b);
	return same;
}

static void against_jansson(const char *what, unsigned cases, bool mutated)
{
	unsigned wrong = 0, taken = 0, refused = 0;
	const size_t flags = JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;

	for (unsigned i = 0; i < cases; i++) {
		struct sh_json_value v[2];
		struct sh_error err;
		json_error_t why;
		json_t *root;
		bool good;
		char *copy;

		line.n = 0;
		put_object(0);
		for (uint64_t n = mutated ? 1 + rng_below(3) : 0; n; n--)
			mutate();
		/* The block has the exact size, so that a sanitizer finds reads beyond it. */
		copy = malloc(line.n + 1);
		memcpy(copy, line.p, line.n);
		copy[line.n] = '\0';
		good = sh_json_fields(sh_slice(copy, line.n), names, v, 2, &err) == 0;
		root = json_loadb(copy, line.n, flags, &why);
		if (root && !json_is_object(root)) {
			wrong += good;
			refused++;
		} else if (root) {
			taken++;
			if (!good || !same_value(&v[0], json_object_get(root, "id")) ||
			    !same_value(&v[1], json_object_get(root, "text"))) {
				wrong++;
				printf("# differs: %s\n", copy);
			}
		} else if (!is_stricter(&why)) {
			refused++;
			if (good) {
				wrong++;
				printf("# taken, though %s: %s\n", why.text, copy);
			}
		}
		json_decref(root);
		free(copy);
	}
	ok(wrong == 0 && taken > cases / 100, "%s: %u accepted, %u refused like jansson", what,
	    taken, refused);
}
#endif

/* Scans random bytes, so that sanitizers find reads beyond the end. */
static void noise(unsigned cases)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < cases; i++) {
		size_t n = rng_below(40);
		char *copy = malloc(n + 1);
		struct sh_json_value v[2];
		struct sh_error err;

		for (size_t j = 0; j < n; j++)
			copy[j] = (char)rng();
		taken += sh_json_fields(sh_slice(copy, n), names, v, 2, &err) == 0;
		free(copy);
	}
	ok(taken == 0, "random bytes are refused as JSON");
}

/* A part of a path, `before` and x's, has at most 254 bytes after its pointer escapes are read. */
static void part_length(const char *before, size_t x, bool good)
{
	char name[300];
	size_t n = strlen(before);
	struct sh_error err;

	memcpy(name, before, n);
	memset(name + n, 'x', x);
	ok((sh_json_check_path(sh_slice(name, n + x), &err) == 0) == good,
	    "a path element of '%s' and %zu bytes", before, x);
}

static void part_lengths(void)
{
	part_length("a.", 254, true);
	part_length("a.", 255, false);
	part_length("/a/~0", 253, true);
	part_length("/a/~0", 254, false);
}

int main(void)
{
	rng_init(20261121);
	examples();
	part_lengths();
	depth();
	bytes();
	surrogates();
#ifdef HAVE_JANSSON
	against_jansson("generated lines", 20000, false);
	against_jansson("mutated lines", 60000, true);
#else
	ok(1, "against jansson # SKIP libjansson-dev is not there");
	put_object(0);
	mutate();
#endif
	noise(20000);
	sh_buf_free(&line);
	return done_testing();
}
