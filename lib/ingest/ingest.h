/* SPDX-License-Identifier: MIT */
/* Files of many forms to documents: the engine of shdoc(1).
 *
 * A text or a page is one document. A file of JSON, an mbox and a WARC file hold many documents.
 * Documents are handed on in the order of the file. Memory is that of the largest record. */
#ifndef SH_INGEST_INGEST_H
#define SH_INGEST_INGEST_H

#include "ingest/container.h"
#include "ingest/format.h"
#include "io/reader.h"

/* What a struct sh_ingest counts. */
enum {
	SH_ASSUMED,  /* texts by charset, see body.h */
	SH_LEFT_OUT, /* inputs that are not text, by kind */
	SH_AS_TEXT,  /* texts that look like a file of many documents, by form */
	SH_TALLIES,
};

struct sh_ingest {
	/* Set by the caller. */
	enum sh_format format;        /* AUTO: detected for each file */
	struct sh_document_form json; /* the fields of JSON documents */
	size_t max_size;              /* most bytes of a record, as it stands and decoded */
	bool utf8_ids;                /* ill-formed UTF-8 in ids is replaced, and counted */
	/* Receives a document, whose text is not escaped. notes: its form and charset. */
	int (*document)(
	    void *arg, const struct sh_document *doc, struct sh_slice notes, struct sh_error *err);
	/* Receives a bad record as it stands in the file, and the error. When a file is one
	 * document, the record is the name of the file. Returns 0 to go on with the next record. */
	int (*bad)(void *arg, struct sh_slice record, struct sh_error *err);
	/* Receives the kind of an input that was left out because it is not text; may be NULL.
	 * file: a whole file or member, not a record. */
	void (*skipped)(void *arg, const char *what, bool file);
	/* Receives the error of a container's member that cannot be read; err->file is FILE#MEMBER.
	 * Also receives the error of a frame or record that is passed over. Returns 0 to go on.
	 * NULL: the error ends the file. */
	int (*trouble)(void *arg, struct sh_error *err);
	/* Receives the number of bytes read since its last call; may be NULL. */
	void (*progress)(void *arg, uint64_t n);
	void *arg;

	/* Filled. */
	const struct sh_reader *reader; /* of the current file; valid during callbacks */
	struct sh_body body;
	struct sh_tally tally[SH_TALLIES];

	bool resumed; /* the next line may be the end of a line that was lost */
	bool marked;  /* the current JSON file begins with the byte order mark of UTF-8 */

	struct sh_container *container; /* whose members are being read, or NULL */
	struct sh_buf member;           /* FILE#MEMBER and a final NUL */

	/* Scratch memory. */
	struct sh_document_room room;
	struct sh_buf text, id, decoded[2];
};

/* Initialises a struct that is zeroed, or has only the caller's members set. */
int sh_ingest_init(struct sh_ingest *in, struct sh_error *err);
void sh_ingest_free(struct sh_ingest *in);

/* Reads all documents of an open input. name: decides the form when the bytes allow several. id: of
 * a document without one. member: the input is a member of a container, and a container is left
 * out. */
int sh_ingest_input(struct sh_ingest *in, struct sh_reader *r, const char *name, struct sh_slice id,
    bool member, struct sh_error *err);

/* Reads all documents from a reader, which stays open. The format is not SH_FORMAT_AUTO. */
int sh_ingest_read(struct sh_ingest *in, enum sh_format format, struct sh_reader *r,
    struct sh_slice id, struct sh_error *err);

/* Returns a static text: "; FORM (LIBRARY)" for each form that this build cannot read; "" when it
 * reads all forms. */
const char *sh_ingest_lacks(void);

/* ---- all documents of a file of one form ---- */

/* Reads lines, or one array of objects. file: begins the ids under json.line_ids. */
int sh_ingest_jsonl(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err);
int sh_ingest_warc(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err);
/* id: begins the ids of messages without a Message-ID. */
int sh_ingest_mbox(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice id, struct sh_error *err);

/* ---- steps that the readers share ---- */

/* Sets *id to "FILE#N", for a document without an id: a view of in->id. */
int sh_ingest_number_id(struct sh_ingest *in, struct sh_slice file, uint64_t number,
    struct sh_slice *id, struct sh_error *err);

/* Checks the id and passes the document to in->document(). SH_ERR_RECORD: no record can have this
 * id. */
int sh_ingest_document(
    struct sh_ingest *in, struct sh_slice id, struct sh_slice text, struct sh_error *err);

/* Passes a bad record to in->bad() when *err is SH_ERR_RECORD, with err->file set. Returns 0 to go
 * on, or -1. */
int sh_ingest_bad(
    struct sh_ingest *in, const struct sh_reader *r, struct sh_slice record, struct sh_error *err);

/* After SH_ERR_IO, as compressed data are damaged: looks for the next frame, and reports what is
 * lost. Returns 1 to go on; or -1, and *err is as it was. */
int sh_ingest_resume(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err);

/* Adds the lost bytes up to the next frame or record to the error's text, and passes it to
 * in->trouble(). Returns 1 to go on, or -1. */
int sh_ingest_lost(struct sh_ingest *in, const struct sh_reader *r, uint64_t lost,
    const char *until, struct sh_error *err);

/* Reports and counts an input that is not text. what: its kind. file: see skipped(). */
int sh_ingest_leave_out(struct sh_ingest *in, const char *what, bool file, struct sh_error *err);

#endif
