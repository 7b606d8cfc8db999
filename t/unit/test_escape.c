/* SPDX-License-Identifier: MIT */
/* All short texts of the relevant bytes: an escaped text fits in a field and unescapes to the same
 * text, and unescaping follows the definition. */
#include "record/escape.h"

#include "tap.h"
#include "text_util.h"

enum { LENGTH = 5, BYTES = 8 };

static const char bytes[] = "\\tnrx\t\n\r";

/* The definition, one byte after the other; no more bytes than there were. */
static size_t by_definition(const char *s, size_t n, char *out)
{
	static const char from[] = "tnr\\", into[] = "\t\n\r\\";
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		const char *known =
		    s[i] == '\\' && i + 1 < n ? memchr(from, s[i + 1], sizeof from - 1) : NULL;

		out[length++] = known ? into[known - from] : s[i];
		i += known != NULL;
	}
	return length;
}

static bool comes_back(struct sh_slice s, struct sh_buf *field, struct sh_buf *back)
{
	struct sh_error err;

	field->n = back->n = 0;
	if (sh_escape(s, field, &err) < 0 || sh_unescape(sh_buf_slice(field), back, &err) < 0)
		return false;
	for (size_t i = 0; i < field->n; i++)
		if (memchr("\t\n\r", field->p[i], 3))
			return false;
	return sh_slice_eq(sh_buf_slice(back), s);
}

int main(void)
{
	unsigned texts = 0, lost = 0, wrong = 0;
	struct sh_buf field = { 0 }, plain = { 0 };

	for (size_t n = 0; n <= LENGTH; n++) {
		for (unsigned i = 0; i < 1U << 3 * n; i++) {
			char s[LENGTH + 1], want[LENGTH + 1], *exact;
			struct sh_error err;
			size_t length;

			for (size_t k = 0; k < n; k++)
				s[k] = bytes[i >> 3 * k & (BYTES - 1)];
			exact = exact_copy(s, n);
			length = by_definition(s, n, want);
			plain.n = 0;
			wrong += sh_unescape(sh_slice(exact, n), &plain, &err) < 0 ||
				 !sh_slice_eq(sh_buf_slice(&plain), sh_slice(want, length));
			field.n = 0;
			wrong += sh_escape(sh_buf_slice(&plain), &field, &err) < 0 ||
				 sh_is_escaped(sh_slice(exact, n)) !=
				     sh_slice_eq(sh_buf_slice(&field), sh_slice(exact, n));
			lost += !comes_back(sh_slice(exact, n), &field, &plain);
			texts++;
			free(exact);
		}
	}
	ok(wrong == 0,
	    "%u texts are unescaped by the definition, and sh_is_escaped() finds escapes", texts);
	ok(lost == 0, "escaped texts fit in a field and give the text back");
	sh_buf_free(&field);
	sh_buf_free(&plain);
	return done_testing();
}
