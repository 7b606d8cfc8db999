/* SPDX-License-Identifier: MIT */
/* Converts text of any charset to UTF-8 by iconv(3), and reports the charset that was assumed.
 *
 * The first of these rules that applies decides the charset:
 *
 *     1. a byte order mark
 *     2. the charset that the caller forces
 *     3. UTF-8, whatever is declared, when several characters beyond ASCII are well-formed and
 *        none is ill-formed
 *     4. a declared charset that iconv has and the bytes do not contradict. Of several ones the
 *        bytes choose: the guess of rule 6, or the text with fewer unlikely characters
 *     5. UTF-8, when most characters beyond ASCII are well-formed
 *     6. the guess of unicode/encoding.h or of libuchardet
 *     7. the declared charset that the bytes contradict
 *     8. windows-1252, in which nearly all bytes are text
 *
 * A sequence that cannot be decoded becomes U+FFFD and is counted. */
#ifndef SH_INGEST_CHARSET_H
#define SH_INGEST_CHARSET_H

#include <iconv.h>

#include "base/buf.h"

enum { SH_CHARSET_NAME = 64 }; /* bytes of a name with its NUL */

enum sh_charset_why {
	SH_CHARSET_MARK,         /* rule 1 */
	SH_CHARSET_FORCED,       /* rule 2 */
	SH_CHARSET_OVERRULED,    /* rule 3, against a declared charset */
	SH_CHARSET_DECLARED,     /* rules 4 and 7 */
	SH_CHARSET_UTF8,         /* rule 5 */
	SH_CHARSET_DETECTED,     /* rule 6, without a declared charset */
	SH_CHARSET_CONTRADICTED, /* rule 6, against a declared charset */
	SH_CHARSET_ASSUMED,      /* rule 8 */
};

/* Most declarations of one text: of a header, of an XML declaration, of <meta>. */
enum { SH_CHARSET_DECLARATIONS = 3 };

/* The charset that a text was decoded from. */
struct sh_charset_verdict {
	char name[SH_CHARSET_NAME]; /* in upper case, as for iconv */
	enum sh_charset_why why;
	uint64_t ill;                  /* sequences of this text that were replaced */
	char unknown[SH_CHARSET_NAME]; /* a declared name that iconv does not have; "": none */
};

enum { SH_CHARSET_OPEN = 8 };

struct sh_converter {
	iconv_t iconv;
	char name[SH_CHARSET_NAME]; /* of the charset; "" when it is not open */
};

/* Holds the last converters for the next texts, because iconv loads a library for each. A zeroed
 * struct is ready. It serves one thread. */
struct sh_charset {
	const char *forced;                              /* by --from-charset, or NULL; borrowed */
	struct sh_converter all[SH_CHARSET_OPEN], *open; /* open: the current one */
	unsigned next;                                   /* index of the next one to open */
	struct sh_buf room;                              /* scratch */
};

void sh_charset_free(struct sh_charset *c);

/* Appends the text as well-formed UTF-8, without its byte order mark. declared: names, NULL or ""
 * for none; the first one has precedence. SH_ERR_RECORD: iconv lacks the charset that rule 1, 2, 6
 * or 8 gives. */
int sh_charset_decode(struct sh_charset *c, struct sh_slice in,
    const char *const declared[SH_CHARSET_DECLARATIONS], struct sh_buf *out,
    struct sh_charset_verdict *verdict, struct sh_error *err);

/* Appends UTF-8 with U+FFFD for each ill-formed sequence, and adds the number of such sequences to
 * *ill. */
int sh_charset_repair(struct sh_slice in, struct sh_buf *out, uint64_t *ill, struct sh_error *err);

/* Appends the text decoded from the charset of this name, which sh_charset_canonical() gave, and
 * sets *ill. Returns 1; 0 when iconv lacks the charset; -1. */
int sh_charset_decode_as(struct sh_charset *c, const char *name, struct sh_slice in,
    struct sh_buf *out, uint64_t *ill, struct sh_error *err);

/* Returns whether iconv has the charset of this name. The Encoding Standard of the web defines what
 * a name means. */
bool sh_charset_known(struct sh_charset *c, const char *name);

/* Returns whether the charset of this name has code units of two or four bytes. */
bool sh_charset_is_wide(const char *label);

/* Returns the charset of text in bytes of ASCII by its shifts to other sets, such as "ISO-2022-KR";
 * NULL when there are none. */
const char *sh_charset_shifted(struct sh_slice in);

/* The reason in words, to be put in brackets behind the name: "declared", "detected", ... */
const char *sh_charset_reason(enum sh_charset_why why);

/* ---- names ---- */

/* Sets `name` to the name that iconv gets for a label, in upper case. Case and punctuation of the
 * label do not matter when the label is of the Encoding Standard of the web, of IANA, or of a code
 * page. Sets `name` to "" when the label cannot be a name, or says that the charset is
 * unknown. iconv may lack the charset. */
void sh_charset_canonical(const char *label, char name[SH_CHARSET_NAME]);

/* Returns whether the label, which may be NULL, names no charset: "", "unknown-8bit", "default". */
bool sh_charset_no_name(const char *label);

#endif
