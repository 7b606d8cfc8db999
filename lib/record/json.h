/* One line of JSON (RFC 8259): the top-level fields that are asked for, found without
 * building anything and without altering the line.
 *
 * The whole line is checked: what is no JSON object is SH_ERR_RECORD, with the byte where
 * it goes wrong. Only two things pass that a strict reader refuses: ill-formed UTF-8 in
 * strings, which is the text's matter, and escapes of half a surrogate pair, which become
 * U+FFFD and are counted. Numbers are not converted, hence never rounded. Of fields that have one name
 * the last counts. Values may be nested SH_JSON_DEPTH deep. */
#ifndef SH_RECORD_JSON_H
#define SH_RECORD_JSON_H

#include "base/buf.h"

#define SH_JSON_DEPTH 2048

enum sh_json_kind { SH_JSON_ABSENT, SH_JSON_STRING, SH_JSON_NUMBER, SH_JSON_OTHER };

struct sh_json_value {
	enum sh_json_kind kind;
	bool escaped;         /* a string with backslashes: sh_json_unescape() reads it */
	struct sh_slice text; /* of a string what stands between its quotes, else as written */
};

/* Fill value[i] with the field named name[i], for n names. */
int sh_json_fields(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* Append what the string stands for, as UTF-8; *halves grows by the halves of surrogate pairs in it.
 * It must be one that sh_json_fields() found. */
int sh_json_unescape(
    struct sh_slice string, struct sh_buf *out, uint64_t *halves, struct sh_error *err);

#endif
