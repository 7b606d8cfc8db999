/* SPDX-License-Identifier: MIT */
/* Functions of the fuzz targets of lib/ingest, which receive documents and check them. */
#ifndef FUZZ_INGEST_H
#define FUZZ_INGEST_H

#include "fuzz.h"

#include "ingest/ingest.h"
#include "unicode/utf8.h"

enum { FUZZ_MAX_SIZE = 1 << 16 };

static struct fuzz_taken {
	uint64_t documents, bad;
} fuzz_taken;

/* Checks that records can hold the document. */
static int fuzz_document(
    void *arg, const struct sh_document *doc, struct sh_slice notes, struct sh_error *err)
{
	(void)arg;
	(void)notes;
	(void)err;
	check(doc->id.n > 0 && doc->id.n <= SH_ID_MAX);
	check(!memchr(doc->id.p, '\t', doc->id.n) && !memchr(doc->id.p, '\n', doc->id.n));
	check(sh_utf8_valid(doc->text.p, doc->text.n));
	fuzz_taken.documents++;
	return 0;
}

static int fuzz_bad(void *arg, struct sh_slice record, struct sh_error *err)
{
	(void)arg;
	check(err->code == SH_ERR_RECORD && *err->text);
	check(record.n <= FUZZ_MAX_SIZE + (1 << 21));
	fuzz_taken.bad++;
	return 0;
}

static void fuzz_ingest_init(struct sh_ingest *in)
{
	struct sh_error err;

	*in = (struct sh_ingest){
		.max_size = FUZZ_MAX_SIZE, .document = fuzz_document, .bad = fuzz_bad
	};
	check(sh_ingest_init(in, &err) == 0);
	fuzz_taken = (struct fuzz_taken){ 0, 0 };
}

/* Reads all bytes as a file of this format. Returns 0, or -1 when the file ended early. */
static int fuzz_read(
    struct sh_ingest *in, enum sh_format format, struct sh_slice bytes, struct sh_error *err)
{
	struct sh_reader r;
	int status;

	check(sh_reader_memory(&r, bytes, err) == 0);
	status = sh_ingest_read(in, format, &r, sh_slice("f", 1), err);
	check(status == 0 || (err->code != SH_OK && *err->text));
	sh_reader_close(&r);
	return status;
}

#endif
