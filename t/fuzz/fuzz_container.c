/* SPDX-License-Identifier: MIT */
/* Any bytes as a container of each form: every member is a document, a bad record, skipped or an
 * error, and the reading ends. */
#include "ingest.h"

#include "ingest/container.h"

static int fuzz_trouble(void *arg, struct sh_error *err)
{
	(void)arg;
	check(err->code != SH_OK && *err->text && err->file);
	return 0;
}

static void as(enum sh_container_form form, struct sh_slice bytes)
{
	struct sh_ingest in;
	struct sh_reader r;
	struct sh_error err;

	fuzz_ingest_init(&in);
	in.trouble = fuzz_trouble;
	check(sh_reader_memory(&r, bytes, &err) == 0);
	if (sh_ingest_container(&in, form, &r, sh_slice("f", 1), &err) < 0)
		check(err.code != SH_OK && *err.text);
	sh_reader_close(&r);
	sh_ingest_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0);
	struct sh_slice in = sh_slice(copy, size);
	enum sh_container_form form = sh_container_of(in);

	check(form <= SH_CONTAINER_7Z);
	as(SH_CONTAINER_TAR, in);
	as(SH_CONTAINER_ZIP, in);
	as(SH_CONTAINER_7Z, in);
	free(copy);
	return 0;
}
