/* SPDX-License-Identifier: MIT */
/* Steps that the readers of all forms share. */
#include <stdio.h>

#include "base/num.h"
#include "ingest/ingest.h"
#include "unicode/utf8.h"

int sh_ingest_init(struct sh_ingest *in, struct sh_error *err)
{
	in->body.assumed = &in->tally[SH_ASSUMED];
	in->json.json = true;
	if (sh_buf_reserve(&in->text, 1, err) < 0 || sh_buf_reserve(&in->id, 1, err) < 0)
		return -1;
	for (unsigned i = 0; i < SH_TALLIES; i++)
		if (sh_tally_init(&in->tally[i], err) < 0)
			return -1;
	return 0;
}

void sh_ingest_free(struct sh_ingest *in)
{
	sh_body_free(&in->body);
	for (unsigned i = 0; i < SH_TALLIES; i++)
		sh_tally_free(&in->tally[i]);
	sh_document_room_free(&in->room);
	sh_buf_free(&in->member);
	sh_buf_free(&in->text);
	sh_buf_free(&in->id);
	sh_buf_free(&in->decoded[0]);
	sh_buf_free(&in->decoded[1]);
}

int sh_ingest_document(
    struct sh_ingest *in, struct sh_slice id, struct sh_slice text, struct sh_error *err)
{
	struct sh_document doc = { id, text, 0 };

	if (memchr(id.p, '\t', id.n) || memchr(id.p, '\n', id.n))
		return sh_error_set(err, SH_ERR_RECORD,
		    "tab or line feed in the id: a record cannot contain it (rename the file, or "
		    "--rejects FILE collects such records)");
	if (in->utf8_ids && !sh_utf8_valid(id.p, id.n)) {
		in->decoded[1].n = 0;
		if (sh_charset_repair(id, &in->decoded[1], &in->body.ill, err) < 0)
			return -1;
		doc.id = sh_buf_slice(&in->decoded[1]);
	}
	if (sh_id_check(doc.id, err) < 0)
		return -1;
	return in->document(in->arg, &doc, sh_buf_slice(&in->body.notes), err);
}

int sh_ingest_number_id(struct sh_ingest *in, struct sh_slice file, uint64_t number,
    struct sh_slice *id, struct sh_error *err)
{
	char text[SH_NUM_CHARS + 1] = "#";
	size_t n = 1 + sh_print_u64(text + 1, number);

	in->id.n = 0;
	if (sh_buf_add(&in->id, file.p, file.n, err) < 0 || sh_buf_add(&in->id, text, n, err) < 0)
		return -1;
	*id = sh_buf_slice(&in->id);
	return 0;
}

int sh_ingest_bad(
    struct sh_ingest *in, const struct sh_reader *r, struct sh_slice record, struct sh_error *err)
{
	if (err->code != SH_ERR_RECORD)
		return -1;
	if (!err->file)
		err->file = r->name;
	return in->bad(in->arg, record, err);
}

int sh_ingest_leave_out(struct sh_ingest *in, const char *what, bool file, struct sh_error *err)
{
	if (in->skipped)
		in->skipped(in->arg, what, file);
	return sh_tally_add(&in->tally[SH_LEFT_OUT], sh_slice_str(what), err);
}

int sh_ingest_lost(struct sh_ingest *in, const struct sh_reader *r, uint64_t lost,
    const char *until, struct sh_error *err)
{
	char *tail = strrchr(err->text, ';');

	if (!tail)
		tail = err->text + strlen(err->text);
	snprintf(tail, sizeof err->text - (size_t)(tail - err->text),
	    "; %llu bytes up to the next %s are lost", (unsigned long long)lost, until);
	if (!err->file)
		err->file = r->name;
	in->resumed = true;
	return in->trouble(in->arg, err) < 0 ? -1 : 1;
}

int sh_ingest_resume(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err)
{
	struct sh_error again;
	uint64_t lost;

	if (err->code != SH_ERR_IO || !in->trouble || r->failed.code == SH_OK ||
	    sh_reader_resume(r, &lost, &again) <= 0)
		return -1;
	return sh_ingest_lost(in, r, lost, "frame", err);
}
