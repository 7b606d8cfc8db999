/* SPDX-License-Identifier: MIT */
/* Header fields of mail (RFC 5322), HTTP (RFC 9112) and WARC. A field is a line "Name: value". A
 * line that begins with a blank continues the field before it. An empty line ends the header. Line
 * ends are CR LF or LF. */
#ifndef SH_INGEST_HEADER_H
#define SH_INGEST_HEADER_H

#include "base/buf.h"

/* Returns the number of bytes before the body, with the empty line. Returns in.n when there is no
 * empty line. */
size_t sh_header_size(struct sh_slice in);

/* Does the same for mail, where the empty line may be missing: the first line that is not a field
 * then begins the body. */
size_t sh_mail_header_size(struct sh_slice in);

/* Returns whether the line, which is not empty, is a field, or continues one. A field is a name of
 * printable characters and a colon. Old mail has blanks before the colon. */
bool sh_header_is_field(struct sh_slice line);

/* Sets *value to the value of the first field of this name, without blanks at both ends. The case
 * of the name does not matter. A folded value contains line ends. Returns false and leaves *value
 * as it is when there is no such field. */
bool sh_header_find(struct sh_slice head, const char *name, struct sh_slice *value);

/* Appends the values of all fields of this name, as sh_header_find() gives them, separated by ", ":
 * several HTTP fields of one name are one list (RFC 9110). */
int sh_header_join(
    struct sh_slice head, const char *name, struct sh_buf *out, struct sh_error *err);

/* Appends the value without its line ends. */
int sh_header_unfold(struct sh_slice value, struct sh_buf *out, struct sh_error *err);

/* The parts of "type/subtype; charset=...; boundary=...". All but the boundary are in lower case. A
 * part is "" when it is missing or too long for its array. */
struct sh_media {
	char type[80], charset[64], boundary[256];
	char format[16], delsp[8]; /* of text/plain (RFC 3676) */
};

/* Parses the value of a Content-Type field. *media needs no initialisation. */
void sh_media_parse(struct sh_slice value, struct sh_media *media);

/* Stores the first word of a value in lower case, such as "attachment" of a Content-Disposition. A
 * blank, ";", "," or "(" ends the word. Stores "" when the word and its NUL exceed `room` bytes. */
void sh_header_word(struct sh_slice value, char *word, size_t room);

/* Returns s without blanks and line ends at both ends. */
struct sh_slice sh_trim(struct sh_slice s);

/* Returns s without the blank lines at its beginning. */
struct sh_slice sh_past_blank_lines(struct sh_slice s);

/* Returns whether s equals the word when the case of ASCII letters is ignored. */
bool sh_slice_like(struct sh_slice s, const char *word);

/* Returns whether the word is in a list of words that single blanks separate. */
bool sh_is_listed(struct sh_slice word, const char *list);

#endif
