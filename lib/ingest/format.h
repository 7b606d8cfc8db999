/* Detects the form of a file by its first bytes and its name. */
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
	SH_FORMAT_NONE, /* the file is no text */
};

/* The format of this name on the command line. SH_FORMAT_NONE: there is no such format. */
enum sh_format sh_format_named(const char *name);

/* The format of a file by its first bytes, and by its name where the bytes leave a choice. kind: the result of
 * sh_body_sniff(). A single JSON object is text, unless it has the fields of a document. */
enum sh_format sh_format_detect(struct sh_slice head, enum sh_body_kind kind, const char *name,
    const struct sh_document_form *json);

/* For a file that was detected as text: the form that it resembles, with a command that makes documents of it.
 * NULL: it is plain text. */
const char *sh_format_doubt(
    struct sh_slice head, const char *name, const struct sh_document_form *json);

/* Names the form of a file that is no text, with a command that makes text of it if there is one. */
const char *sh_format_other(struct sh_slice head);

enum {
	SH_FORMAT_HEAD = 64 * 1024 + 3
}; /* bytes that suffice to detect a format, with a byte order mark */

#endif
