/* SPDX-License-Identifier: MIT */
/* Documents out of mbox files and messages. */
#include "ingest/forms.h"
#include "ingest/header.h"
#include "ingest/mail.h"

#include <stdio.h>

#include "unicode/utf8.h"

static int one_message(
    struct sh_ingest *in, const struct sh_mbox *m, struct sh_slice name, struct sh_error *err)
{
	struct sh_slice id, message = sh_buf_slice(&m->message);

	if (m->too_large)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the message is larger than %zu bytes (--max-size SIZE allows more)",
		    in->max_size);
	in->text.n = in->body.notes.n = 0;
	if (sh_mail_text(&in->body, message, &in->left_out, &in->text, err) < 0 ||
	    sh_mail_id(message, &in->id, &id, err) < 0)
		return -1;
	if (id.n == 0 && sh_ingest_number_id(in, name, m->number, &id, err) < 0)
		return -1;
	return sh_ingest_document(in, id, sh_buf_slice(&in->text), err);
}

/* Puts the number of the message into the error text. */
static void add_place(const struct sh_mbox *m, struct sh_error *err)
{
	char text[sizeof err->text];

	memcpy(text, err->text, sizeof text);
	snprintf(err->text, sizeof err->text, "message %llu: %.400s", (unsigned long long)m->number,
	    text);
}

/* Skips a byte order mark, which would make the first line no field, and blank lines before the
 * first message. */
static int skip_to_message(struct sh_reader *r, struct sh_error *err)
{
	struct sh_slice head, rest;

	if (sh_reader_look(r, SH_FORMAT_HEAD, err) < 0)
		return -1;
	head = sh_reader_ready(r);
	rest = sh_utf8_skip_bom(head);
	if (sh_mbox_from(sh_past_blank_lines(rest)) ||
	    sh_mail_looks(sh_past_blank_lines(rest), true))
		rest = sh_past_blank_lines(rest);
	sh_reader_consume(r, head.n - rest.n);
	return 0;
}

int sh_ingest_mbox(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice id, struct sh_error *err)
{
	struct sh_mbox m = { 0 };
	int got;

	if (skip_to_message(r, err) < 0)
		return -1;
	for (;;) {
		struct sh_slice raw;

		got = sh_mbox_next(r, &m, in->max_size, err);
		if (got < 0 && m.quoted && sh_ingest_resume(in, r, NULL, err) > 0 &&
		    sh_mbox_resume(r, &m, err) == 0)
			continue;
		if (got <= 0)
			break;
		raw = sh_slice(sh_reader_ready(r).p, m.size);
		if (one_message(in, &m, id, err) == 0)
			continue;
		if (err->code == SH_ERR_RECORD)
			add_place(&m, err);
		raw.n -= raw.n && raw.p[raw.n - 1] == '\n';
		if (sh_ingest_bad(in, r, raw, err) < 0) {
			got = -1;
			break;
		}
	}
	sh_mbox_free(&m);
	return got;
}
