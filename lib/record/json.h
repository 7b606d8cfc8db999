/* SPDX-License-Identifier: MIT */
/* Finds fields in a line of JSON (RFC 8259). Builds no tree and does not change the line.
 *
 * The whole line is checked: SH_ERR_RECORD names the first byte that cannot belong to a JSON
 * object. Three faults are accepted: ill-formed UTF-8 in strings, escapes of half a surrogate
 * pair, and the words NaN, Infinity and -Infinity, which Python writes. Numbers stay text, so they
 * are not rounded. The last of several fields with one name is used. Values may be nested
 * SH_JSON_DEPTH deep, the outer object included. */
#ifndef SH_RECORD_JSON_H
#define SH_RECORD_JSON_H

#include "base/buf.h"

#define SH_JSON_DEPTH 2048

/* OTHER: an object, an array, true, false or null. MANY: a path with an asterisk names items of an
 * array, see sh_json_each(). */
enum sh_json_kind { SH_JSON_ABSENT, SH_JSON_STRING, SH_JSON_NUMBER, SH_JSON_OTHER, SH_JSON_MANY };

struct sh_json_value {
	enum sh_json_kind kind;
	bool escaped;         /* a string with escapes, see sh_json_unescape() */
	struct sh_slice text; /* the bytes between the quotes of a string, or of another value */
};

/* The most bytes of a part of a path. */
enum { SH_JSON_PART_MAX = 254 };

/* Sets value[i] to the field named name[i] of the outer object, for n names. Compares names without
 * their escapes. Returns 0, or -1 with SH_ERR_RECORD. */
int sh_json_fields(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* As sh_json_fields(), for at most SH_JSON_PATHS names, which may be paths. `content.body` is the
 * field `body` of the object `content`, unless the outer object has a field named `content.body`. A
 * name that begins with a slash is a pointer of RFC 6901, such as `/content/0/body`. A number is
 * the index of an item of an array, from 0. An asterisk stands for all items of an array: the value
 * is SH_JSON_MANY then. */
enum { SH_JSON_PATHS = 17 };
int sh_json_find(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* Calls `each` for the values that a path names, in the order of the line. An asterisk in the path
 * stands for all items of an array, as in `messages.*.content`. Items without the rest of the path
 * are left out. Returns 0, or -1 as soon as `each` does. */
typedef int sh_json_each_fn(void *arg, const struct sh_json_value *v, struct sh_error *err);
int sh_json_each(struct sh_slice line, struct sh_slice name, sh_json_each_fn *each, void *arg,
    struct sh_error *err);

/* SH_ERR_PARAM: a pointer has a bad escape, or a part has more than SH_JSON_PART_MAX bytes. */
int sh_json_check_path(struct sh_slice name, struct sh_error *err);

/* Prints the names of an object's fields, as in `"id", "content"`, and "..." when more names do not
 * fit. Writes at most `room` bytes, with a final NUL. The object is the last one that exists on the
 * path. Returns false when it has no names. */
bool sh_json_print_names(struct sh_slice line, struct sh_slice path, char *to, size_t room);

/* Sets *item to the first item of an array, and removes it from *items: the text of an array that
 * sh_json_find() found, or what earlier calls left of it. Returns false at the end. */
bool sh_json_next(struct sh_slice *items, struct sh_json_value *item);

/* Appends the text of a value, a string, without its escapes. An escape of half a surrogate pair
 * becomes U+FFFD, and adds 1 to *halves. */
int sh_json_unescape(
    struct sh_slice string, struct sh_buf *out, uint64_t *halves, struct sh_error *err);

/* Appends the text as a string in quotes. Bytes that are not UTF-8 stay as they are. */
int sh_json_add_string(struct sh_slice text, struct sh_buf *out, struct sh_error *err);

#endif
