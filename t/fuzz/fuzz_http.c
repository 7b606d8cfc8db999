/* SPDX-License-Identifier: MIT */
/* Any bytes as a response of a web server, and as base64, quoted-printable, chunks and each content
 * coding. The output never exceeds the limit, and `cut` never makes it shorter. */
#include "fuzz.h"

#include "ingest/http.h"

enum { MAX = 1 << 18 };

static const char *const codings[] = { "gzip", "deflate", "br", "zstd" };

static void coding(const char *name, struct sh_slice in)
{
	struct sh_buf strict = { 0 }, cut = { 0 };
	struct sh_error err;
	int got = sh_content_decode(sh_slice_str(name), in, false, MAX, &strict, &err), got_cut;

	got_cut = sh_content_decode(sh_slice_str(name), in, true, MAX, &cut, &err);
	check(got <= 0 || strict.n <= MAX);
	check(got != 0 || strict.n == 0);
	check(
	    got <= 0 || (got_cut == got && sh_slice_eq(sh_buf_slice(&strict), sh_buf_slice(&cut))));
	sh_buf_free(&strict);
	sh_buf_free(&cut);
}

static void response(struct sh_slice in, bool cut)
{
	struct sh_buf room[2] = { { 0 }, { 0 } };
	struct sh_slice body;
	struct sh_http http;
	struct sh_error err;

	if (sh_http_parse(in, &http, &err) == 0) {
		check(http.body <= in.n && http.status >= 100 && http.status <= 999);
		if (sh_http_body(&http, in, cut, MAX, room, &body, &err) < 0)
			check(err.code == SH_ERR_RECORD);
		else
			check(body.n <= (in.n < MAX ? MAX : in.n));
	}
	sh_buf_free(&room[0]);
	sh_buf_free(&room[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0);
	struct sh_slice in = sh_slice(copy, size);
	struct sh_buf out = { 0 };
	struct sh_error err;

	check(sh_base64_decode(in, &out, &err) == 0 && out.n <= size / 4 * 3 + 3);
	out.n = 0;
	check(sh_quoted_printable_decode(in, &out, &err) == 0 && out.n <= size);
	out.n = 0;
	if (sh_dechunk(in, true, &out, &err) > 0)
		check(out.n < size);
	for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
		coding(codings[i], in);
	response(in, false);
	response(in, true);
	sh_buf_free(&out);
	free(copy);
	return 0;
}
