/* Finds top-level fields in a line of JSON (RFC 8259). It builds no tree and does not change the line.
 *
 * The whole line is checked: SH_ERR_RECORD names the byte where it is no JSON object. Two faults pass:
 * ill-formed UTF-8 in strings, which the tokenizer counts, and escapes of half a surrogate pair, which
 * become U+FFFD and are counted. Numbers are not converted, so they are not rounded. The last of several
 * fields of one name counts. Values may be nested SH_JSON_DEPTH deep. */
#ifndef SH_RECORD_JSON_H
#define SH_RECORD_JSON_H

#include "base/buf.h"

#define SH_JSON_DEPTH 2048

enum sh_json_kind { SH_JSON_ABSENT, SH_JSON_STRING, SH_JSON_NUMBER, SH_JSON_OTHER };

struct sh_json_value {
	enum sh_json_kind kind;
	bool escaped;         /* a string with backslashes: sh_json_unescape() reads it */
	struct sh_slice text; /* of a string: the bytes between its quotes; else as written */
};

/* Fills value[i] with the field named name[i], for n names. */
int sh_json_fields(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* Appends the string without its escapes, as UTF-8. Adds the number of halves of surrogate pairs to
 * *halves. The string must come from sh_json_fields(). */
int sh_json_unescape(
    struct sh_slice string, struct sh_buf *out, uint64_t *halves, struct sh_error *err);

#endif
