/* SPDX-License-Identifier: MIT */
/* Any bytes as a WARC file: every record is a document, a bad record or skipped, or the file ends
 * early with an error. A shorter file never gives more records. */
#include "ingest.h"

static uint64_t read_all(struct sh_slice bytes, int *status)
{
	struct sh_ingest in;
	struct sh_error err;

	fuzz_ingest_init(&in);
	*status = fuzz_read(&in, SH_FORMAT_WARC, bytes, &err);
	sh_ingest_free(&in);
	return fuzz_taken.documents + fuzz_taken.bad;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0);
	int whole, cut;
	uint64_t n = read_all(sh_slice(copy, size), &whole), fewer;

	fewer = read_all(sh_slice(copy, size / 2), &cut);
	check(whole < 0 || fewer <= n);
	free(copy);
	return 0;
}
