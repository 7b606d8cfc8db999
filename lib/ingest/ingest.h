/* Files of many forms to documents: what shdoc(1) does.
 *
 * A file is plain text or a page, one document; lines or an array of JSON, an mbox or a WARC file,
 * with many.
 * Documents are handed on in the order of the file. Memory is that of the largest record. */
#ifndef SH_INGEST_INGEST_H
#define SH_INGEST_INGEST_H

#include "ingest/body.h"
#include "ingest/tally.h"
#include "io/reader.h"
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

struct sh_ingest {
	/* Set by the caller. */
	enum sh_format format;
	struct sh_document_form json; /* its field names */
	size_t max_size;              /* of a record, and of what its codings hold */
	/* A document, its text not escaped; *notes says what it was taken for. */
	int (*document)(
	    void *arg, const struct sh_document *doc, struct sh_slice notes, struct sh_error *err);
	/* A record that err complains about, as it stands in the file; of a file that is one
	 * document, its name. 0 goes on with the next one. */
	int (*bad)(void *arg, struct sh_slice record, struct sh_error *err);
	/* What was left out of the file at hand, for it is no text; may be NULL. */
	void (*skipped)(void *arg, const char *what);
	void *arg;

	/* Filled. */
	const struct sh_reader *reader; /* of the file at hand: what of it is done with */
	struct sh_body body;
	struct sh_tally assumed;  /* texts by charset, see body.h */
	struct sh_tally left_out; /* what is no text, by what it is */
	struct sh_tally as_text;  /* what may be meant for many documents, by what it is */

	bool marked; /* the file of JSON at hand: as UTF-8, by its byte order mark */

	/* Rooms. */
	struct sh_document_room room;
	struct sh_buf text, id, decoded[2];
};

/* Into a zeroed struct. */
int sh_ingest_init(struct sh_ingest *in, struct sh_error *err);
void sh_ingest_free(struct sh_ingest *in);

/* All documents of a file; id is for those without one of their own. What ends the file early
 * is an error: SH_ERR_IO or SH_ERR_RECORD, after which the next file can be read. */
int sh_ingest_file(
    struct sh_ingest *in, const char *path, struct sh_slice id, struct sh_error *err);

/* The same from a reader, of a format that is not AUTO. */
int sh_ingest_read(struct sh_ingest *in, enum sh_format format, struct sh_reader *r,
    struct sh_slice id, struct sh_error *err);

/* What this build cannot read, for want of which libraries; "" when it reads all. */
const char *sh_ingest_lacks(void);

/* ---- for the forms' own files ---- */

/* file: what it is called in ids, where its lines are numbered (json.line_ids). */
int sh_ingest_jsonl(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err);
/* Of one array of objects; what is wrong outside of them is an error of the file. */
int sh_ingest_json_array(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err);
int sh_ingest_warc(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err);
int sh_ingest_mbox(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice id, struct sh_error *err);

/* Bytes of the JSON object or array that begins s; 0 when s ends before it. */
size_t sh_json_extent(struct sh_slice s);

/* A line without the character that begins each text of a sequence of JSON (RFC 7464). */
struct sh_slice sh_json_past_separator(struct sh_slice line);

/* The document that is one JSON object, the file's line or element of this number. */
int sh_ingest_json(struct sh_ingest *in, struct sh_slice object, struct sh_slice file,
    uint64_t number, struct sh_error *err);

/* The id "FILE#N", for what has none of its own. */
int sh_ingest_number_id(struct sh_ingest *in, struct sh_slice file, uint64_t number,
    struct sh_slice *id, struct sh_error *err);

/* Check the id, hand the document on. */
int sh_ingest_document(
    struct sh_ingest *in, struct sh_slice id, struct sh_slice text, struct sh_error *err);

/* Hand a bad record to the caller, when it is one: 0 goes on. */
int sh_ingest_bad(
    struct sh_ingest *in, const struct sh_reader *r, struct sh_slice record, struct sh_error *err);

int sh_ingest_leave_out(struct sh_ingest *in, const char *what, struct sh_error *err);

#endif
