/* Finds fields in a line of JSON (RFC 8259). It builds no tree and does not change the line.
 *
 * The whole line is checked: SH_ERR_RECORD names the byte at which it is not a JSON object. Two faults are
 * accepted: ill-formed UTF-8 in strings, which the tokenizer counts, and escapes of half a surrogate pair,
 * which become U+FFFD and are counted. Numbers are not converted, so they are not rounded. Of several
 * fields with one name, the last one is used. Values may be nested SH_JSON_DEPTH deep. */
#ifndef SH_RECORD_JSON_H
#define SH_RECORD_JSON_H

#include "base/buf.h"

#define SH_JSON_DEPTH 2048

enum sh_json_kind { SH_JSON_ABSENT, SH_JSON_STRING, SH_JSON_NUMBER, SH_JSON_OTHER };

struct sh_json_value {
	enum sh_json_kind kind;
	bool escaped; /* a string with backslashes: sh_json_unescape() reads it */
	/* of a string: the bytes between its quotes; otherwise the bytes of the value */
	struct sh_slice text;
};

/* Longest part of a path, in bytes. */
enum { SH_JSON_PART_MAX = 255 };

/* Fills value[i] with the field of the object named name[i], for n names. Ignores fields of inner
 * objects. */
int sh_json_fields(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* Does the same for at most SH_JSON_PATHS names that may be paths. `content.body` is the field body of the
 * object content, unless there is a field of this whole name. A name that begins with a slash is a pointer
 * of RFC 6901, `/content/0/body`. Parts that are numbers name the items of arrays, from 0. */
enum { SH_JSON_PATHS = 4 };
int sh_json_find(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* Refuses a pointer with a bad escape, and a name with a part that is too long. */
int sh_json_check_path(struct sh_slice name, struct sh_error *err);

/* Prints the names of the fields of the object in the line, as in `"id", "content"`, until the space is
 * full. For a path that does not exist, prints the names of the last object on the path. Returns false when
 * there are no names. */
bool sh_json_print_names(struct sh_slice line, struct sh_slice path, char *to, size_t room);

/* Removes the next item from the front of *items, which at first is the text of an array from
 * sh_json_find(). Returns false at the end. */
bool sh_json_next(struct sh_slice *items, struct sh_json_value *item);

/* Appends the string without its escapes, as UTF-8. Adds the number of halves of surrogate pairs to
 * *halves. The string must come from sh_json_fields(). */
int sh_json_unescape(
    struct sh_slice string, struct sh_buf *out, uint64_t *halves, struct sh_error *err);

/* Appends the text as a string in quotes. Bytes that are not UTF-8 stay as they are. */
int sh_json_add_string(struct sh_slice text, struct sh_buf *out, struct sh_error *err);

#endif
