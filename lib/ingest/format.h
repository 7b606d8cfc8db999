/* SPDX-License-Identifier: MIT */
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
	SH_FORMAT_NONE, /* the file is not text */
};

/* Returns the name of a format, an enum sh_format, on the command line. Returns NULL for
 * SH_FORMAT_NONE, the last one. */
const char *sh_format_name(unsigned format);

/* Returns the format of a file by its first SH_FORMAT_HEAD bytes, never SH_FORMAT_AUTO. The name
 * decides when the bytes allow several formats. kind: the result of sh_body_sniff(). json: names
 * the fields of a document. SH_FORMAT_JSONL is also an array of objects. A single JSON object is
 * text, unless it has these fields. */
enum sh_format sh_format_detect(struct sh_slice head, enum sh_body_kind kind, const char *name,
    const struct sh_document_form *json);

/* Returns the form that a file detected as text resembles, for a message, with a command that
 * converts the file to documents. The string is constant. Returns NULL when the file is plain text.
 * The parameters are the same as in sh_format_detect(). */
const char *sh_format_doubt(
    struct sh_slice head, const char *name, const struct sh_document_form *json);

/* Returns the name of the form of a file that is not text, and in brackets what makes text of it.
 * The name may be in the n bytes of `room`. */
const char *sh_format_other(struct sh_slice head, char *room, size_t n);

/* Bytes that suffice to detect a format, with a byte order mark. */
enum { SH_FORMAT_HEAD = 64 * 1024 + 3 };

/* ---- the end of a JSON object or array, by its brackets and strings alone ----
 *
 * Other errors in the object or array do not matter. */

/* The state of a scan, zeroed at first. */
struct sh_json_scan {
	size_t at, depth;    /* bytes scanned; open brackets */
	bool string, escape; /* within a string; behind a backslash */
};

/* Continues the scan of the object or array that begins s. s may have grown since the last call.
 * Returns the length of the object or array in bytes; 0 when s does not have its end. */
size_t sh_json_scan(struct sh_json_scan *scan, struct sh_slice s);

/* Does the same in one call. */
size_t sh_json_extent(struct sh_slice s);

/* Returns the line without the character 0x1E that begins each text of a JSON sequence (RFC
 * 7464). */
struct sh_slice sh_json_past_separator(struct sh_slice line);

#endif
