/* SPDX-License-Identifier: MIT */
/* Makes a document of one JSON object. */
#include "ingest/forms.h"
#include "unicode/utf8.h"

/* Decodes the line from the forced charset, if there is one. */
static int force(struct sh_ingest *in, struct sh_slice *line, struct sh_error *err)
{
	static const char *const none[SH_CHARSET_DECLARATIONS];
	struct sh_charset_verdict verdict;

	if (!in->body.charset.forced || in->marked)
		return 0;
	in->decoded[0].n = 0;
	if (sh_charset_decode(&in->body.charset, *line, none, &in->decoded[0], &verdict, err) < 0)
		return -1;
	in->body.ill += verdict.ill;
	*line = sh_buf_slice(&in->decoded[0]);
	return 0;
}

/* Replaces ill-formed UTF-8. Line ends stay as they are. */
static int repair(struct sh_ingest *in, struct sh_slice *text, struct sh_error *err)
{
	if (sh_utf8_valid(text->p, text->n))
		return 0;
	in->text.n = 0;
	if (sh_charset_repair(*text, &in->text, &in->body.ill, err) < 0)
		return -1;
	*text = sh_buf_slice(&in->text);
	return 0;
}

int sh_ingest_json(struct sh_ingest *in, struct sh_slice line, struct sh_slice file,
    uint64_t number, struct sh_error *err)
{
	struct sh_document doc;

	if (force(in, &line, err) < 0 ||
	    sh_document_parse(&in->json, line, number, &in->room, &doc, err) < 0 ||
	    repair(in, &doc.text, err) < 0)
		return -1;
	if (in->json.line_ids && sh_ingest_number_id(in, file, number, &doc.id, err) < 0)
		return -1;
	in->body.ill += doc.ill_formed;
	in->body.notes.n = 0;
	if (sh_buf_add(&in->body.notes, "json", 4, err) < 0)
		return -1;
	return sh_ingest_document(in, doc.id, doc.text, err);
}
