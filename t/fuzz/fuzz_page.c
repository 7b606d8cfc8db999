/* SPDX-License-Identifier: MIT */
/* Any bytes as a page, as a text file and as JSON: the declared charset, the charset used, and the
 * text. The parser never fails. */
#include "ingest.h"
#include "ingest/format.h"

#include "ingest/page.h"

static void as(enum sh_format format, struct sh_slice bytes)
{
	struct sh_ingest in;
	struct sh_error err;

	fuzz_ingest_init(&in);
	check(fuzz_read(&in, format, bytes, &err) == 0);
	check(fuzz_taken.documents + fuzz_taken.bad == 1);
	sh_ingest_free(&in);
}

/* Reads the bytes as lines of JSON, and finds the end of a JSON value at their beginning. */
static void as_json(struct sh_slice bytes)
{
	struct sh_ingest in;
	struct sh_error err;

	fuzz_ingest_init(&in);
	fuzz_read(&in, SH_FORMAT_JSONL, bytes, &err);
	check(sh_json_extent(bytes) <= bytes.n);
	sh_ingest_free(&in);
}

static enum sh_body_kind fuzz_kind(struct sh_slice bytes)
{
	struct sh_body body = { 0 };
	enum sh_body_kind kind;
	struct sh_error err;

	check(sh_body_sniff(&body, bytes, NULL, &kind, &err) == 0);
	check(kind != SH_BODY_UNKNOWN);
	sh_body_free(&body);
	return kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0), xml[SH_CHARSET_NAME], name[SH_CHARSET_NAME];
	struct sh_slice in = sh_slice(copy, size);

	sh_page_charset(in, xml, name);
	check(strlen(xml) < sizeof xml && strlen(name) < sizeof name);
	check(sh_format_detect(in, fuzz_kind(in), "f",
		  &(struct sh_document_form){ .json = true }) != SH_FORMAT_AUTO);
	as(SH_FORMAT_HTML, in);
	as(SH_FORMAT_TEXT, in);
	as_json(in);
	free(copy);
	copy = malloc(size + 1);
	check(copy != NULL);
	*copy = '[';
	if (size)
		memcpy(copy + 1, data, size);
	as_json(sh_slice(copy, size + 1));
	free(copy);
	return 0;
}
