/* What a file is, by its first bytes and its name. */
#ifndef SH_INGEST_FORMAT_H
#define SH_INGEST_FORMAT_H

#include "ingest/body.h"
#include "record/document.h"

enum sh_format {
	SH_FORMAT_AUTO,
	SH_FORMAT_TEXT,
	SH_FORMAT_HTML,
	SH_FORMAT_JSONL,
	SH_FORMAT_WARC,
	SH_FORMAT_MBOX,
	SH_FORMAT_NONE, /* no text */
};

/* By its name on the command line; SH_FORMAT_NONE when there is none of that name. */
enum sh_format sh_format_named(const char *name);

/* By a file's first bytes, which sh_body_sniff() took for this kind, and where they leave a choice by its
 * name: one object of JSON alone is text, unless it has the fields of a document. */
enum sh_format sh_format_detect(struct sh_slice head, enum sh_body_kind kind, const char *name,
    const struct sh_document_form *json);

/* What a file that was detected as text looks like, and what makes documents of it; NULL: text. */
const char *sh_format_doubt(
    struct sh_slice head, const char *name, const struct sh_document_form *json);

/* What a file that is no text is, and what makes text of it where something does. */
const char *sh_format_other(struct sh_slice head);

enum { SH_FORMAT_HEAD = 64 * 1024 + 3 }; /* bytes that suffice, a byte order mark among them */

#endif
