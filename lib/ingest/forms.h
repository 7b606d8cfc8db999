/* Files of each form to documents, and what the forms share: the settings, rooms and tallies of a reading, and
 * the ways on which a document, a bad record or what is no text leaves it. ingest.h chooses between the forms. */
#ifndef SH_INGEST_FORMS_H
#define SH_INGEST_FORMS_H

#include "ingest/container.h"
#include "ingest/format.h"
#include "ingest/tally.h"
#include "io/reader.h"

struct sh_ingest {
	/* Set by the caller. */
	enum sh_format format;        /* AUTO: by what each file is */
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
	/* A member of a container that cannot be read, and err->file its name. 0 goes on with the next member. */
	int (*trouble)(void *arg, struct sh_error *err);
	/* That many bytes of the file at hand were read; may be NULL. */
	void (*progress)(void *arg, uint64_t n);
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

/* ---- all documents of a file of this form ---- */

/* file: what it is called in ids, where its lines are numbered (json.line_ids). */
int sh_ingest_jsonl(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err);
/* Of one array of objects; what is wrong outside of them is an error of the file. */
int sh_ingest_json_array(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err);
int sh_ingest_warc(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err);
int sh_ingest_mbox(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice id, struct sh_error *err);

/* Of all members of a container, each a file named "FILE#MEMBER". */
int sh_ingest_container(struct sh_ingest *in, enum sh_container_form form, struct sh_reader *r,
    struct sh_slice file, struct sh_error *err);

/* ---- and for what they find ---- */

/* All documents of an open input. name: shows its form where the bytes leave a choice. A container among the
 * members of a container is left out. */
int sh_ingest_input(struct sh_ingest *in, struct sh_reader *r, const char *name, struct sh_slice id,
    bool member, struct sh_error *err);

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

/* Of what is no text: what it is. */
int sh_ingest_leave_out(struct sh_ingest *in, const char *what, struct sh_error *err);

#endif
