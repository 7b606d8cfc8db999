/* Converts text of any charset to UTF-8 by iconv(3), and reports the charset that was assumed.
 *
 * The first of these rules that applies decides the charset: a byte order mark; the charset that the
 * caller forces; the declared charset, unless the bytes contradict it; UTF-8, if most characters
 * beyond ASCII are well-formed; the guess of libuchardet or of unicode/encoding.h; the declared
 * charset after all; windows-1252, in which any bytes are text. A sequence that cannot be decoded
 * becomes U+FFFD and is counted. */
#ifndef SH_INGEST_CHARSET_H
#define SH_INGEST_CHARSET_H

#include <iconv.h>

#include "base/buf.h"

enum sh_charset_why {
	SH_CHARSET_MARK,
	SH_CHARSET_FORCED,
	SH_CHARSET_DECLARED,
	SH_CHARSET_UTF8, /* no charset was declared, and the text is well-formed UTF-8 or ASCII */
	SH_CHARSET_DETECTED,
	SH_CHARSET_CONTRADICTED, /* detected, and another charset was declared */
	SH_CHARSET_ASSUMED,      /* windows-1252, since no other rule applied */
};

enum { SH_CHARSET_NAME = 64 };

/* The charset that a text was decoded from. */
struct sh_charset_verdict {
	char name[SH_CHARSET_NAME];
	enum sh_charset_why why;
	uint64_t ill; /* sequences that were replaced */
};

/* Holds the last converter for the next text. A zeroed struct is ready. It serves one thread. */
struct sh_charset {
	const char *forced; /* by --from-charset, or NULL */
	iconv_t open;
	char open_name[SH_CHARSET_NAME]; /* "" when none is open */
	struct sh_buf room;
};

void sh_charset_free(struct sh_charset *c);

/* Appends the text as well-formed UTF-8, without its byte order mark. declared: up to two names, NULL or "" for
 * none; the first one has precedence. SH_ERR_RECORD: iconv lacks the charset. */
int sh_charset_decode(struct sh_charset *c, struct sh_slice in, const char *const declared[2],
    struct sh_buf *out, struct sh_charset_verdict *verdict, struct sh_error *err);

/* Appends UTF-8 with U+FFFD for each ill-formed sequence, and adds the number of such sequences to *ill. */
int sh_charset_repair(struct sh_slice in, struct sh_buf *out, uint64_t *ill, struct sh_error *err);

/* Returns whether iconv has the charset, by this name or by the name that the Encoding Standard of the web maps it
 * to. */
bool sh_charset_known(struct sh_charset *c, const char *name);

/* Returns whether the charset has code units of two or four bytes, which its name tells. */
bool sh_charset_is_wide(const char *label);

/* The reason in words, to be put in brackets behind the name: "declared", "detected", ... */
const char *sh_charset_reason(enum sh_charset_why why);

#endif
