/* SPDX-License-Identifier: MIT */
/* Any bytes as a container of each form: the members end, or an error says why. Read as shdoc does,
 * every member is a document, a bad record, skipped or an error. */
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
	struct sh_container c;
	struct sh_reader r;
	struct sh_error err = { 0 };
	char some[4096];
	ssize_t n;
	int got;

	check(sh_reader_memory(&r, bytes, &err) == 0);
	got = sh_container_open(&c, form, &r, FUZZ_MAX_SIZE, &err);
	while (got >= 0 && (got = sh_container_next(&c, &err)) > 0)
		while ((n = sh_container_read(&c, some, sizeof some, &err)) > 0)
			check((size_t)n <= sizeof some);
	check(got == 0 || (err.code != SH_OK && *err.text));
	sh_container_close(&c);
	sh_reader_close(&r);
}

/* Reads the documents of the members, as shdoc does. */
static void as_documents(struct sh_slice bytes)
{
	struct sh_ingest in;
	struct sh_reader r;
	struct sh_error err;

	fuzz_ingest_init(&in);
	in.trouble = fuzz_trouble;
	check(sh_reader_memory(&r, bytes, &err) == 0);
	if (sh_ingest_input(&in, &r, "f", sh_slice("f", 1), false, &err) < 0)
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
	as_documents(in);
	free(copy);
	return 0;
}
