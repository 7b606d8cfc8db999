/* SPDX-License-Identifier: MIT */
/* Decodes content codings of HTTP. */
#include <stdlib.h>

#include "ingest/header.h"
#include "ingest/transfer.h"
#include "io/codec.h"

#ifdef SH_HAVE_BROTLI
#include <brotli/decode.h>
#endif

enum { STEP = 64 * 1024 };

#ifdef SH_HAVE_BROTLI
static void *start_brotli(void)
{
	return BrotliDecoderCreateInstance(NULL, NULL, NULL);
}

static enum sh_codec_state step_brotli(
    void *decoder, struct sh_slice *in, char **to, size_t room, bool end)
{
	const uint8_t *p = (const uint8_t *)in->p;
	uint8_t *out = (uint8_t *)*to;
	BrotliDecoderResult got =
	    BrotliDecoderDecompressStream(decoder, &in->n, &p, &room, &out, NULL);

	(void)end;
	in->p = (const char *)p;
	*to = (char *)out;
	if (got == BROTLI_DECODER_RESULT_SUCCESS)
		return SH_CODEC_END;
	return got == BROTLI_DECODER_RESULT_ERROR ? SH_CODEC_BAD : SH_CODEC_MORE;
}

static void stop_brotli(void *decoder)
{
	BrotliDecoderDestroyInstance(decoder);
}
#define BROTLI start_brotli, step_brotli, stop_brotli
#else
#define BROTLI NULL, NULL, NULL
#endif

static const struct sh_codec brotli = {
	.name = "br",
	.library = "libbrotlidec",
	.package = "libbrotli-dev",
	.command = "brotli -dc",
	.decode = { BROTLI },
};

/* A body in a content coding. */
struct coded {
	struct sh_slice in;
	bool cut;
	size_t max, before; /* before: out->n before the body is appended */
	struct sh_buf *out;
	struct sh_error *err;
	const char *name; /* name of the coding */
};

static int too_large(const struct coded *c)
{
	if (c->out->n - c->before <= c->max)
		return 0;
	return sh_error_set(c->err, SH_ERR_RECORD,
	    "the body is larger than %zu bytes when decompressed (--max-size SIZE allows more)",
	    c->max);
}

/* Returns the error for damaged bytes, or 0 when no byte was decoded: many servers name a wrong
 * coding, and then the body is used as it is. */
static int damaged(const struct coded *c)
{
	if (c->out->n == c->before)
		return 0;
	return sh_error_set(c->err, SH_ERR_RECORD,
	    "HTTP: the body is damaged, or not in its Content-Encoding, %s", c->name);
}

/* Decodes frames until the input ends. Ignores padding: bytes behind a frame that begin no further
 * frame. */
static int decode(struct coded *c, const struct sh_codec *codec, void *decoder)
{
	struct sh_slice in = c->in;
	bool ended = false;

	for (;;) {
		const char *from = in.p;
		enum sh_codec_state state;
		char *to;

		if (too_large(c) < 0 || sh_buf_reserve(c->out, STEP, c->err) < 0)
			return -1;
		if (ended && (!codec->is || codec != sh_codec_of(in)))
			return 1;
		to = c->out->p + c->out->n;
		state = codec->decode.step(decoder, &in, &to, STEP, false);
		if (state == SH_CODEC_NOMEM)
			return sh_error_nomem(c->err);
		ended = state == SH_CODEC_END;
		if (state == SH_CODEC_MORE && in.p == from && to == c->out->p + c->out->n)
			break;
		c->out->n = (size_t)(to - c->out->p);
		if (!ended && state != SH_CODEC_MORE)
			return damaged(c);
	}
	return c->cut ? 1
		      : sh_error_set(c->err, SH_ERR_RECORD,
			    "HTTP: the body ends within its Content-Encoding, %s", c->name);
}

static int decode_by(struct coded *c, const struct sh_codec *codec)
{
	void *decoder;
	int got;

	if (!codec->decode.start)
		return sh_error_set(c->err, SH_ERR_RECORD,
		    "HTTP: Content-Encoding %s: built without %s, which would read it", c->name,
		    codec->library);
	decoder = codec->decode.start();
	if (!decoder)
		return sh_error_nomem(c->err);
	got = decode(c, codec, decoder);
	codec->decode.stop(decoder);
	return got;
}

/* By the standard "deflate" has the frame of zlib. Some servers send it without the frame. */
static const char *const codings[][2] = {
	{ "gzip", "gzip" },
	{ "x-gzip", "gzip" },
	{ "deflate", "deflate" },
	{ "br", NULL },
	{ "zstd", "zstd" },
};

int sh_content_decode(struct sh_slice coding, struct sh_slice in, bool cut, size_t max,
    struct sh_buf *out, struct sh_error *err)
{
	struct coded c = { in, cut, max, out->n, out, err, NULL };

	for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
		const char *codec = codings[i][1];
		int got = 0;

		if (!sh_slice_like(coding, codings[i][0]))
			continue;
		c.name = codings[i][0];
		if (in.n)
			got = decode_by(&c, codec ? sh_codec_named(codec) : &brotli);
		if (got == 0 && in.n && codec && strcmp(codec, "deflate") == 0)
			got = decode_by(&c, sh_codec_named("raw deflate"));
		if (got > 0 && too_large(&c) < 0)
			return -1;
		if (got == 0)
			out->n = c.before;
		return got;
	}
	return 0;
}
