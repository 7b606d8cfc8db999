/* SPDX-License-Identifier: MIT */
/* Any bytes as a compressed stream, decompressed with reads of two sizes: both outputs are equal,
 * and both find damage. The number of bytes before an error depends on the size of the reads. */
#include "fuzz.h"

#include "io/reader.h"

enum { MOST = 1 << 22 }; /* decompressed bytes that are compared, at most */

struct stream {
	struct sh_slice rest;
	size_t most; /* bytes of a read, at most */
};

static ssize_t give(void *arg, void *p, size_t n, struct sh_error *err)
{
	struct stream *s = arg;

	(void)err;
	n = n < s->most ? n : s->most;
	n = n < s->rest.n ? n : s->rest.n;
	if (n)
		memcpy(p, s->rest.p, n);
	s->rest = sh_slice(s->rest.p + n, s->rest.n - n);
	return (ssize_t)n;
}

/* Stores MOST decompressed bytes or more. Returns whether an error ended the stream. */
static bool decompress(struct sh_slice in, size_t most, struct sh_buf *out, struct sh_error *err)
{
	struct stream s = { in, most };
	struct sh_reader r;
	int got = sh_reader_open_stream(&r, give, &s, "fuzz", err);

	if (got == 0) {
		struct sh_error full;
		struct sh_slice ready;

		got = sh_reader_need(&r, MOST, err);
		ready = sh_reader_ready(&r);
		check(sh_buf_add(out, ready.p, ready.n, &full) == 0);
		sh_reader_close(&r);
	}
	check(got >= 0 || (err->code != SH_OK && *err->text));
	return got < 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0);
	struct sh_buf out[2] = { 0 };
	struct sh_error err[2];
	struct sh_slice in = sh_slice(copy, size);
	const struct sh_codec *codec = sh_codec_of(in);
	bool failed[2];
	size_t n;

	failed[0] = decompress(in, 1 << 16, &out[0], &err[0]);
	failed[1] = decompress(in, 3, &out[1], &err[1]);
	n = out[0].n < out[1].n ? out[0].n : out[1].n;
	check(n == 0 || memcmp(out[0].p, out[1].p, n) == 0);
	if (out[0].n < MOST && out[1].n < MOST) {
		/* libzstd 1.5.4 accepts an empty RLE block in one read, and calls it damaged in
		 * several reads. */
		check(failed[0] == failed[1] || (codec && strcmp(codec->name, "zstd") == 0));
		check(failed[0] || failed[1] || out[0].n == out[1].n);
	}
	sh_buf_free(&out[0]);
	sh_buf_free(&out[1]);
	free(copy);
	return 0;
}
