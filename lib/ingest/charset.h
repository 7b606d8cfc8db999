/* Text of any encoding to UTF-8, through iconv(3), and a word on what was assumed.
 *
 * In this order, the first that there is decides: a byte order mark; what the caller forces;
 * what was declared, unless the bytes contradict it; UTF-8, when the text is that; what
 * libuchardet (where the build has it) or unicode/encoding.h takes it for; and at last
 * windows-1252, which any bytes can be. What cannot be decoded becomes U+FFFD, counted. */
#ifndef SH_INGEST_CHARSET_H
#define SH_INGEST_CHARSET_H

#include <iconv.h>

#include "base/buf.h"

enum sh_charset_why {
	SH_CHARSET_MARK,
	SH_CHARSET_FORCED,
	SH_CHARSET_DECLARED,
	SH_CHARSET_UTF8, /* nothing was declared, and it is well-formed UTF-8, ASCII among it */
	SH_CHARSET_DETECTED,
	SH_CHARSET_CONTRADICTED, /* detected, against what was declared */
	SH_CHARSET_ASSUMED,      /* for want of anything better */
};

enum { SH_CHARSET_NAME = 64 };

/* What a text was taken for. */
struct sh_charset_verdict {
	char name[SH_CHARSET_NAME];
	enum sh_charset_why why;
	uint64_t ill; /* sequences that were replaced */
};

/* Converters, kept for the next text. Zeroed it is ready; one serves one thread. */
struct sh_charset {
	const char *forced; /* by --from-charset, or NULL */
	iconv_t open;
	char open_name[SH_CHARSET_NAME]; /* "" when none is open */
	struct sh_buf room;
};

void sh_charset_free(struct sh_charset *c);

/* Append the text as well-formed UTF-8, without its byte order mark. declared: at most two names,
 * the first counts more, NULL or "" when there is none. SH_ERR_RECORD when it needs a charset
 * that iconv does not have. */
int sh_charset_decode(struct sh_charset *c, struct sh_slice in, const char *const declared[2],
    struct sh_buf *out, struct sh_charset_verdict *verdict, struct sh_error *err);

/* Append UTF-8 with its ill-formed sequences replaced; *ill grows by their number. */
int sh_charset_repair(struct sh_slice in, struct sh_buf *out, uint64_t *ill, struct sh_error *err);

/* Whether iconv has it, under this name or the one that the web gives it. */
bool sh_charset_known(struct sh_charset *c, const char *name);

/* Whether its characters are units of two or four bytes, among them those of line ends: by its name. */
bool sh_charset_is_wide(const char *label);

/* "declared", "detected", ...: to stand in brackets behind a name. */
const char *sh_charset_reason(enum sh_charset_why why);

#endif
