/* SPDX-License-Identifier: MIT */
/* Any bytes as an mbox file: every byte belongs to a message, every message is a document or a bad
 * record, for any buffer size, and the reports do not depend on it. */
#include "ingest.h"

#include "ingest/mail.h"

static uint64_t messages(struct sh_slice bytes, size_t max)
{
	struct sh_mbox m = { 0 };
	struct sh_reader r;
	struct sh_error err;
	int got;

	check(sh_reader_memory(&r, bytes, &err) == 0);
	while ((got = sh_mbox_next(&r, &m, max, &err)) > 0) {
		check(m.size > 0 && m.size <= max && m.message.n <= m.size);
		check(m.too_large || m.size <= sh_reader_ready(&r).n);
	}
	check(got == 0 && r.offset == bytes.n);
	sh_mbox_free(&m);
	sh_reader_close(&r);
	return m.number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0);
	bool marked = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0;
	struct sh_slice all = sh_slice(copy, size);
	/* the bytes after the byte order mark */
	struct sh_slice bare = marked ? sh_slice(copy + 3, size - 3) : all;
	uint64_t n = messages(bare, FUZZ_MAX_SIZE);
	struct sh_ingest in;
	struct sh_error err;

	check(messages(bare, 40) == n);
	fuzz_ingest_init(&in);
	check(fuzz_read(&in, SH_FORMAT_MBOX, all, &err) == 0);
	check(fuzz_taken.documents + fuzz_taken.bad == n);
	sh_ingest_free(&in);
	free(copy);
	return 0;
}
