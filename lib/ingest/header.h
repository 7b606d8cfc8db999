/* Header fields of mail (RFC 5322), HTTP (RFC 9112) and WARC: lines "Name: value", of which those
 * that begin with a blank go on the line before, up to an empty line. Line ends are CR LF or LF. */
#ifndef SH_INGEST_HEADER_H
#define SH_INGEST_HEADER_H

#include "base/buf.h"

/* Bytes up to the body, the empty line included; all when there is none. */
size_t sh_header_size(struct sh_slice in);

/* The same for mail, where the empty line may be missing: what is no field begins the body. */
size_t sh_mail_header_size(struct sh_slice in);

/* The value of the first field of that name, in any case, without blanks at its ends: it may
 * hold line ends where it was folded. Absent: false. */
bool sh_header_find(struct sh_slice head, const char *name, struct sh_slice *value);

/* Append the values of all fields of that name as one list, with commas between: what several lines
 * of HTTP mean (RFC 9110). */
int sh_header_join(
    struct sh_slice head, const char *name, struct sh_buf *out, struct sh_error *err);

/* Append a value with its folds undone. */
int sh_header_unfold(struct sh_slice value, struct sh_buf *out, struct sh_error *err);

/* "type/subtype; charset=...; boundary=...", in lower case but for the boundary; "" where it
 * says nothing, or something longer than there is room for. */
struct sh_media {
	char type[80], charset[64], boundary[256];
	char format[16], delsp[8]; /* of text/plain (RFC 3676) */
};

void sh_media_parse(struct sh_slice value, struct sh_media *media);

/* The first word of a value, in lower case: "attachment" of a Content-Disposition. */
void sh_header_word(struct sh_slice value, char *word, size_t room);

/* Without blanks and line ends at both ends. */
struct sh_slice sh_trim(struct sh_slice s);

/* Equal but for the case of ASCII letters. */
bool sh_slice_like(struct sh_slice s, const char *word);

#endif
