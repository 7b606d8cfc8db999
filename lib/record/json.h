/* Finds fields in a line of JSON (RFC 8259). It builds no tree and does not change the line.
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

/* Longest part of a path, in bytes. */
enum { SH_JSON_PART_MAX = 255 };

/* Fills value[i] with the field of the object named name[i], for n names. Fields of inner objects are not looked at. */
int sh_json_fields(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* The same for names that may be paths: `content.body` is the field body of the object content, unless there is a
 * field of this whole name. A name that begins with a slash is a pointer of RFC 6901, `/content/0/body`. Parts that
 * are numbers name the items of arrays, from 0. At most SH_JSON_PATHS names. */
enum { SH_JSON_PATHS = 4 };
int sh_json_find(struct sh_slice line, const struct sh_slice *name, struct sh_json_value *value,
    size_t n, struct sh_error *err);

/* Refuses a pointer with a bad escape, and a name with a part that is too long. */
int sh_json_check_path(struct sh_slice name, struct sh_error *err);

/* Prints the names of the fields of the object in the line, as in `"id", "content"`, as far as they fit. For a path
 * that is not there: those of the last object on the way. Returns false when there are none. */
bool sh_json_print_names(struct sh_slice line, struct sh_slice path, char *to, size_t room);

/* Takes the next item from the front of *items, which at first is the text of an array that sh_json_find() has
 * returned. False at the end. */
bool sh_json_next(struct sh_slice *items, struct sh_json_value *item);

/* Appends the string without its escapes, as UTF-8. Adds the number of halves of surrogate pairs to
 * *halves. The string must come from sh_json_fields(). */
int sh_json_unescape(
    struct sh_slice string, struct sh_buf *out, uint64_t *halves, struct sh_error *err);

#endif
