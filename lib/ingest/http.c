/* SPDX-License-Identifier: MIT */
#include "ingest/http.h"

#include <strings.h>

#include "base/num.h"
#include "io/codec.h"

#ifdef SH_HAVE_BROTLI
#include <brotli/decode.h>
#endif

/* ---- chunks ---- */

/* Reads the size of a chunk at *p, and moves *p behind the line. Returns 1; 0 when the input ends
 * within the line; -1 when the line is malformed. */
static int chunk_size(const char **p, const char *end, uint64_t *size)
{
	const char *q = *p;
	unsigned digits = 0;

	*size = 0;
	for (; q < end && sh_hex_value(*q) >= 0; q++, digits++)
		*size = *size << 4 | (unsigned)sh_hex_value(*q);
	if (digits > 15)
		return -1;
	while (q < end && (*q == ' ' || *q == '\t'))
		q++;
	if (q < end && digits && *q == ';') {
		q = memchr(q, '\n', (size_t)(end - q));
		if (!q)
			return 0;
	}
	if (q < end && *q == '\r')
		q++;
	if (q == end)
		return 0;
	if (digits == 0 || *q != '\n')
		return -1;
	*p = q + 1;
	return 1;
}

int sh_dechunk(struct sh_slice in, bool cut, struct sh_buf *out, struct sh_error *err)
{
	const char *p = in.p, *end = in.p + in.n;
	bool first = true;

	for (;; first = false) {
		uint64_t size = 0;
		int got = chunk_size(&p, end, &size);

		if (got <= 0 && first)
			return 0;
		if (got < 0)
			return sh_error_set(err, SH_ERR_RECORD,
			    "HTTP: byte %zu of the body: expected the size of a chunk",
			    (size_t)(p - in.p) + 1);
		if (got == 0 || size > (uint64_t)(end - p)) {
			if (!cut)
				return sh_error_set(
				    err, SH_ERR_RECORD, "HTTP: the body ends within its chunks");
			return got && sh_buf_add(out, p, (size_t)(end - p), err) < 0 ? -1 : 1;
		}
		if (size == 0)
			return 1;
		if (sh_buf_add(out, p, (size_t)size, err) < 0)
			return -1;
		p += size;
		if (p < end && *p == '\r')
			p++;
		if (p < end && *p == '\n')
			p++;
	}
}

/* ---- content codings ---- */

enum { STEP = 64 * 1024 };

#ifdef SH_HAVE_BROTLI
static bool init_brotli(void *coder)
{
	BrotliDecoderState **z = coder;

	*z = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	return *z != NULL;
}

static enum sh_codec_state step_brotli(
    void *coder, struct sh_slice *in, char **to, size_t room, bool end)
{
	const uint8_t *p = (const uint8_t *)in->p;
	uint8_t *out = (uint8_t *)*to;
	BrotliDecoderResult got = BrotliDecoderDecompressStream(
	    *(BrotliDecoderState **)coder, &in->n, &p, &room, &out, NULL);

	(void)end;
	in->p = (const char *)p;
	*to = (char *)out;
	if (got == BROTLI_DECODER_RESULT_SUCCESS)
		return SH_CODEC_END;
	return got == BROTLI_DECODER_RESULT_ERROR ? SH_CODEC_BAD : SH_CODEC_MORE;
}

static void end_brotli(void *coder)
{
	BrotliDecoderDestroyInstance(*(BrotliDecoderState **)coder);
}
#define BROTLI sizeof(BrotliDecoderState *), init_brotli, step_brotli, end_brotli
#else
#define BROTLI 0, NULL, NULL, NULL
#endif

static const struct sh_codec brotli = {
	.name = "br",
	.library = "libbrotlidec",
	.package = "libbrotli-dev",
	.command = "brotli -dc",
	.decode = { BROTLI },
};

/* Does the same as sh_content_decode() for one codec. name: of the coding. Ignores padding: bytes
 * behind a frame that begin no further frame. */
static int decode(const struct sh_codec *codec, const char *name, struct sh_slice in, bool cut,
    size_t max, struct sh_buf *out, struct sh_error *err)
{
	enum sh_codec_state state = SH_CODEC_MORE;
	size_t before = out->n;
	void *decoder;
	int got;

	if (!codec->decode.step)
		return sh_error_set(err, SH_ERR_RECORD,
		    "HTTP: Content-Encoding %s: built without %s, which would read it", name,
		    codec->library);
	decoder = sh_coder_new(&codec->decode);
	if (!decoder)
		return sh_error_nomem(err);
	for (;;) {
		const char *from = in.p;
		char *to;

		got = -1;
		if (out->n - before > max) {
			sh_error_set(err, SH_ERR_RECORD,
			    "the body is larger than %zu bytes when decompressed (--max-size SIZE "
			    "allows more)",
			    max);
			break;
		}
		if (sh_buf_reserve(out, STEP, err) < 0)
			break;
		got = 1;
		if (state == SH_CODEC_END && (!codec->is || codec != sh_codec_of(in)))
			break;
		to = out->p + out->n;
		state = codec->decode.step(decoder, &in, &to, STEP, false);
		if (state == SH_CODEC_MORE && in.p == from && to == out->p + out->n) {
			if (!cut)
				got = sh_error_set(err, SH_ERR_RECORD,
				    "HTTP: the body ends within its Content-Encoding, %s", name);
			break;
		}
		out->n = (size_t)(to - out->p);
		if (state == SH_CODEC_NOMEM) {
			got = sh_error_nomem(err);
			break;
		}
		if (state != SH_CODEC_END && state != SH_CODEC_MORE) {
			/* Many servers name a wrong coding: then no byte was decoded, and the body
			 * is used as it is. */
			got = out->n == before ? 0
					       : sh_error_set(err, SH_ERR_RECORD,
						     "HTTP: the body is damaged, or not in its "
						     "Content-Encoding, %s",
						     name);
			break;
		}
	}
	sh_coder_delete(&codec->decode, decoder);
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
	for (size_t i = 0; i < sizeof codings / sizeof *codings; i++) {
		const char *name = codings[i][0], *codec = codings[i][1];
		int got;

		if (!sh_slice_like(coding, name))
			continue;
		if (in.n == 0)
			return 0;
		got = decode(codec ? sh_codec_named(codec) : &brotli, name, in, cut, max, out, err);
		if (got == 0 && codec && strcmp(codec, "deflate") == 0)
			got = decode(sh_codec_named("raw deflate"), name, in, cut, max, out, err);
		return got;
	}
	return 0;
}

/* ---- responses ---- */

int sh_http_parse(struct sh_slice in, struct sh_http *h, struct sh_error *err)
{
	const char *lf = in.n ? memchr(in.p, '\n', in.n) : NULL;
	const char *p = in.p, *end = lf ? lf : in.p + in.n;
	struct sh_slice type;

	*h = (struct sh_http){ 0 };
	p = in.n > 5 && strncasecmp(p, "HTTP/", 5) == 0 ? memchr(p, ' ', (size_t)(end - p)) : NULL;
	while (p && p < end && *p == ' ')
		p++;
	for (; p && p < end && *p >= '0' && *p <= '9' && h->status < 1000; p++)
		h->status = h->status * 10 + (unsigned)(*p - '0');
	if (h->status < 100 || h->status > 999)
		return sh_error_set(
		    err, SH_ERR_RECORD, "HTTP: expected a status line such as HTTP/1.1 200 OK");
	h->head = sh_slice(lf ? lf + 1 : end, 0);
	h->head.n = sh_header_size(sh_slice(h->head.p, in.n - (size_t)(h->head.p - in.p)));
	h->body = (size_t)(h->head.p - in.p) + h->head.n;
	if (sh_header_find(h->head, "Content-Type", &type))
		sh_media_parse(type, &h->media);
	return 0;
}

/* Removes the last name from a list "a, b" and returns it. */
static struct sh_slice last_name(struct sh_slice *list)
{
	const char *comma = memrchr(list->p, ',', list->n);
	struct sh_slice name = *list;

	if (comma)
		name = sh_slice(comma + 1, list->n - (size_t)(comma - list->p) - 1);
	list->n = comma ? (size_t)(comma - list->p) : 0;
	return sh_trim(name);
}

int sh_http_body(const struct sh_http *h, struct sh_slice in, bool cut, size_t max,
    struct sh_buf room[2], struct sh_slice *body, struct sh_error *err)
{
	static const char *const fields[] = { "Transfer-Encoding", "Content-Encoding" };
	struct sh_buf all = { 0 };
	bool chunked = false; /* chunks are undone once, even when the field is repeated */
	unsigned next = 0, coded = 0;
	int bad = 0;

	*body = sh_slice(in.p + h->body, in.n - h->body);
	for (unsigned f = 0; f < 2 && bad == 0; f++) {
		struct sh_slice list;

		all.n = 0;
		bad = sh_header_join(h->head, fields[f], &all, err);
		/* The last coding of the list was applied last, so it is undone first. */
		for (list = sh_buf_slice(&all); bad == 0 && list.n;) {
			struct sh_slice coding = last_name(&list);
			bool chunks = sh_slice_like(coding, "chunked");
			struct sh_buf *to = &room[next % 2];

			if (coding.n == 0 || (chunks && chunked))
				continue;
			chunked = chunked || chunks;
			to->n = 0;
			if (chunks)
				bad = sh_dechunk(*body, cut, to, err);
			else if (coded++ < 4)
				bad = sh_content_decode(coding, *body, cut, max, to, err);
			else
				bad = sh_error_set(
				    err, SH_ERR_RECORD, "HTTP: more than 4 content codings");
			if (bad > 0) {
				*body = sh_buf_slice(to);
				next++;
				bad = 0;
			}
		}
	}
	sh_buf_free(&all);
	return bad;
}
