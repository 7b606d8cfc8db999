/* Content codings, each through its library. */
#include "ingest/transfer.h"

#include "ingest/header.h"

#ifdef SH_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef SH_HAVE_BROTLI
#include <brotli/decode.h>
#endif
#ifdef SH_HAVE_ZSTD
#include <zstd.h>
#endif

enum { STEP = 64 * 1024 };

struct coding {
	struct sh_slice in;
	bool cut;
	size_t max, before; /* out->n when it began */
	struct sh_buf *out;
	struct sh_error *err;
	const char *name;
};

/* -1 when more came out than may. */
static int limit(const struct coding *c)
{
	if (c->out->n - c->before <= c->max)
		return 0;
	return sh_error_set(c->err, SH_ERR_RECORD,
	    "the body is larger than %zu bytes when decompressed (--max-size)", c->max);
}

#if defined SH_HAVE_ZLIB || defined SH_HAVE_BROTLI || defined SH_HAVE_ZSTD
/* Room for a step more of output. */
static int room(const struct coding *c)
{
	return limit(c) < 0 ? -1 : sh_buf_reserve(c->out, STEP, c->err);
}

static int damaged(struct coding *c)
{
	return sh_error_set(c->err, SH_ERR_RECORD,
	    "HTTP: the body is damaged, or not in its Content-Encoding, %s", c->name);
}

/* The input ended before the coded body did. */
static int ends_early(struct coding *c)
{
	return c->cut ? 1
		      : sh_error_set(c->err, SH_ERR_RECORD,
			    "HTTP: the body ends within its Content-Encoding, %s", c->name);
}
#endif

#if !(defined SH_HAVE_ZLIB && defined SH_HAVE_BROTLI && defined SH_HAVE_ZSTD)
static int lacking(struct coding *c, const char *library)
{
	return sh_error_set(c->err, SH_ERR_RECORD,
	    "HTTP: Content-Encoding %s: this build is without %s, which reads it", c->name,
	    library);
}
#endif

/* ---- gzip and deflate ---- */

#ifdef SH_HAVE_ZLIB
/* One stream from *at: 1 and *at behind it, 0 when it is none, -1. */
static int inflate_one(struct coding *c, size_t *at, int window)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)(c->in.p + *at),
		.avail_in = (uInt)(c->in.n - *at) };
	size_t before = c->out->n;
	int got, status = -1;

	if (inflateInit2(&z, window) != Z_OK)
		return sh_error_nomem(c->err);
	do {
		if (room(c) < 0)
			goto out;
		z.next_out = (Bytef *)(c->out->p + c->out->n);
		z.avail_out = STEP;
		got = inflate(&z, Z_NO_FLUSH);
		c->out->n += STEP - z.avail_out;
	} while (got == Z_OK && (z.avail_in || z.avail_out == 0));
	*at = c->in.n - z.avail_in;
	if (got == Z_STREAM_END)
		status = 1;
	else if (got == Z_OK || got == Z_BUF_ERROR)
		status = ends_early(c);
	else
		status = c->out->n == before ? 0 : damaged(c);
out:
	inflateEnd(&z);
	return status;
}

/* Several members in a row are one body; what follows them is padding. */
static int gunzip(struct coding *c)
{
	size_t at = 0;
	bool any = false;

	while (c->in.n - at >= 2 && memcmp(c->in.p + at, "\x1F\x8B", 2) == 0) {
		int got = inflate_one(c, &at, 15 + 16);

		if (got <= 0)
			return got == 0 && any ? damaged(c) : got;
		any = true;
	}
	return any;
}

/* With zlib's frame, as the standard wants, or without, as some send it. */
static int deflated(struct coding *c)
{
	size_t at = 0;
	int got = inflate_one(c, &at, 15);

	if (got)
		return got;
	at = 0;
	return inflate_one(c, &at, -15);
}
#else
static int gunzip(struct coding *c)
{
	return lacking(c, "zlib");
}
#define deflated gunzip
#endif

/* ---- brotli ---- */

static int unbrotli(struct coding *c)
{
#ifdef SH_HAVE_BROTLI
	BrotliDecoderState *s = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	const uint8_t *in = (const uint8_t *)c->in.p;
	size_t n = c->in.n, before = c->out->n;
	BrotliDecoderResult got;
	int status = -1;

	if (!s)
		return sh_error_nomem(c->err);
	do {
		size_t left = STEP;
		uint8_t *to;

		if (room(c) < 0)
			goto out;
		to = (uint8_t *)c->out->p + c->out->n;
		got = BrotliDecoderDecompressStream(s, &n, &in, &left, &to, NULL);
		c->out->n += STEP - left;
	} while (got == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
	if (got == BROTLI_DECODER_RESULT_SUCCESS)
		status = 1;
	else if (got == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
		status = ends_early(c);
	else
		status = c->out->n == before ? 0 : damaged(c);
out:
	BrotliDecoderDestroyInstance(s);
	return status;
#else
	return lacking(c, "libbrotlidec");
#endif
}

/* ---- zstd ---- */

static int unzstd(struct coding *c)
{
#ifdef SH_HAVE_ZSTD
	ZSTD_DStream *s = ZSTD_createDStream();
	ZSTD_inBuffer in = { c->in.p, c->in.n, 0 };
	size_t before = c->out->n, left = 1;
	int status = -1;
	bool full = true;

	if (!s)
		return sh_error_nomem(c->err);
	while (in.pos < in.size || full) {
		ZSTD_outBuffer to;

		if (room(c) < 0)
			goto out;
		to = (ZSTD_outBuffer){ c->out->p + c->out->n, STEP, 0 };
		left = ZSTD_decompressStream(s, &to, &in);
		if (ZSTD_isError(left)) {
			status = c->out->n == before ? 0 : damaged(c);
			goto out;
		}
		c->out->n += to.pos;
		/* At a frame's end there is no more, even of what fills the room. */
		full = to.pos == STEP && left;
	}
	status = left ? ends_early(c) : 1;
out:
	ZSTD_freeDStream(s);
	return status;
#else
	return lacking(c, "libzstd");
#endif
}

static const struct {
	const char *name;
	int (*decode)(struct coding *c);
} codings[] = {
	{ "gzip", gunzip },
	{ "x-gzip", gunzip },
	{ "deflate", deflated },
	{ "br", unbrotli },
	{ "zstd", unzstd },
};

int sh_content_decode(struct sh_slice coding, struct sh_slice in, bool cut, size_t max,
    struct sh_buf *out, struct sh_error *err)
{
	struct coding c = { in, cut, max, out->n, out, err, NULL };

	for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
		int got;

		if (!sh_slice_like(coding, codings[i].name))
			continue;
		c.name = codings[i].name;
		got = in.n ? codings[i].decode(&c) : 0;
		if (got > 0 && limit(&c) < 0)
			return -1;
		if (got == 0)
			out->n = c.before;
		return got;
	}
	return 0;
}
