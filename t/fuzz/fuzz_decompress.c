/* SPDX-License-Identifier: MIT */
/* Any bytes as a compressed stream, decompressed with reads of two sizes: both outputs are equal,
 * and both find damage. The number of bytes before an error depends on the size of the reads. */
#include "fuzz.h"

#include "io/decompress.h"

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

/* Stores up to MOST decompressed bytes. Returns whether an error ended the stream. */
static bool decompress(struct sh_slice in, size_t most, struct sh_buf *out, struct sh_error *err)
{
	struct stream s = { in, most };
	struct sh_decompress d;
	struct sh_buf b = { 0 };
	ssize_t got = 1;

	check(sh_buf_reserve(&b, 1 << 16, err) == 0);
	b.n = (size_t)give(&s, b.p, 1 << 16, err);
	if (sh_decompress_start(&d, give, &s, &b, 0, err) < 0)
		got = -1;
	check(sh_buf_add(out, b.p, b.n, err) == 0);
	while (got > 0 && out->n < MOST) {
		check(sh_buf_reserve(out, 1 << 12, err) == 0);
		got = d.layers ? sh_decompress_more(&d, out->p + out->n, 1 << 12, err)
			       : give(&s, out->p + out->n, 1 << 12, err);
		out->n += got > 0 ? (size_t)got : 0;
	}
	check(got >= 0 || (err->code != SH_OK && *err->text));
	sh_decompress_free(&d);
	sh_buf_free(&b);
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
