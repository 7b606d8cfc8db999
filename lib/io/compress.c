/* SPDX-License-Identifier: MIT */
#include "io/compress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "io/codec_libraries.h"

/* The most bytes of input for one step. The libraries count bytes by unsigned int, and LZ4 needs
 * room for all input of a step at once. */
enum { STEP = 64 * 1024 };

#if defined SH_HAVE_ZLIB || defined SH_HAVE_BZIP2 || defined SH_HAVE_LZMA || defined SH_HAVE_LZ4
static size_t at_most_a_step(size_t n)
{
	return n < STEP ? n : STEP;
}

static void use(struct sh_slice *in, size_t n)
{
	in->p += n;
	in->n -= n;
}
#endif

/* ---- gzip ---- */

#ifdef SH_HAVE_ZLIB
static void *start_gzip(void)
{
	z_stream *z = calloc(1, sizeof *z);

	if (z && deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
		     Z_DEFAULT_STRATEGY) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static enum sh_codec_state step_gzip(void *encoder, struct sh_slice *in, char **to, bool end)
{
	z_stream *z = encoder;
	size_t n = at_most_a_step(in->n);
	int got;

	z->next_in = (Bytef *)(uintptr_t)in->p;
	z->avail_in = (unsigned)n;
	z->next_out = (Bytef *)*to;
	z->avail_out = SH_COMPRESS_ROOM;
	got = deflate(z, end && n == in->n ? Z_FINISH : Z_NO_FLUSH);
	use(in, n - z->avail_in);
	*to = (char *)z->next_out;
	if (got == Z_STREAM_END)
		return SH_CODEC_END;
	return got == Z_OK || got == Z_BUF_ERROR ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_gzip(void *encoder)
{
	deflateEnd(encoder);
	free(encoder);
}
#define GZIP start_gzip, step_gzip, stop_gzip
#else
#define GZIP NULL, NULL, NULL
#endif

/* ---- bzip2 ---- */

#ifdef SH_HAVE_BZIP2
enum { BZIP2_LEVEL = 9 };

static void *start_bzip2(void)
{
	bz_stream *z = calloc(1, sizeof *z);

	if (z && BZ2_bzCompressInit(z, BZIP2_LEVEL, 0, 0) != BZ_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static enum sh_codec_state step_bzip2(void *encoder, struct sh_slice *in, char **to, bool end)
{
	bz_stream *z = encoder;
	size_t n = at_most_a_step(in->n);
	bool last = end && n == in->n;
	int got;

	if (n == 0 && !last)
		return SH_CODEC_MORE;
	z->next_in = (char *)(uintptr_t)in->p;
	z->avail_in = (unsigned)n;
	z->next_out = *to;
	z->avail_out = SH_COMPRESS_ROOM;
	got = BZ2_bzCompress(z, last ? BZ_FINISH : BZ_RUN);
	use(in, n - z->avail_in);
	*to = z->next_out;
	if (got == BZ_STREAM_END)
		return SH_CODEC_END;
	return got == BZ_RUN_OK || got == BZ_FINISH_OK ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_bzip2(void *encoder)
{
	BZ2_bzCompressEnd(encoder);
	free(encoder);
}
#define BZIP2 start_bzip2, step_bzip2, stop_bzip2
#else
#define BZIP2 NULL, NULL, NULL
#endif

/* ---- xz ---- */

#ifdef SH_HAVE_LZMA
static void *start_xz(void)
{
	lzma_stream *z = calloc(1, sizeof *z);

	if (z && lzma_easy_encoder(z, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static enum sh_codec_state step_xz(void *encoder, struct sh_slice *in, char **to, bool end)
{
	lzma_stream *z = encoder;
	size_t n = at_most_a_step(in->n);
	lzma_ret got;

	z->next_in = (const uint8_t *)in->p;
	z->avail_in = n;
	z->next_out = (uint8_t *)*to;
	z->avail_out = SH_COMPRESS_ROOM;
	got = lzma_code(z, end && n == in->n ? LZMA_FINISH : LZMA_RUN);
	use(in, n - z->avail_in);
	*to = (char *)z->next_out;
	if (got == LZMA_STREAM_END)
		return SH_CODEC_END;
	if (got == LZMA_MEM_ERROR)
		return SH_CODEC_NOMEM;
	return got == LZMA_OK || got == LZMA_BUF_ERROR ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_xz(void *encoder)
{
	lzma_end(encoder);
	free(encoder);
}
#define XZ start_xz, step_xz, stop_xz
#else
#define XZ NULL, NULL, NULL
#endif

/* ---- zstd ---- */

#ifdef SH_HAVE_ZSTD
static void *start_zstd(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	/* Writes a checksum, as zstd(1) does, so that readers find damage. */
	if (z)
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	return z;
}

static enum sh_codec_state step_zstd(void *encoder, struct sh_slice *in, char **to, bool end)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer into = { *to, SH_COMPRESS_ROOM, 0 };
	size_t left =
	    ZSTD_compressStream2(encoder, &into, &from, end ? ZSTD_e_end : ZSTD_e_continue);

	if (ZSTD_isError(left))
		return SH_CODEC_BAD;
	in->p += from.pos;
	in->n -= from.pos;
	*to += into.pos;
	return end && left == 0 ? SH_CODEC_END : SH_CODEC_MORE;
}

static void stop_zstd(void *encoder)
{
	ZSTD_freeCCtx(encoder);
}
#define ZSTD start_zstd, step_zstd, stop_zstd
#else
#define ZSTD NULL, NULL, NULL
#endif

/* ---- lz4 ---- */

#ifdef SH_HAVE_LZ4
struct lz4 {
	LZ4F_cctx *z;
	bool begun;
};

static const LZ4F_preferences_t lz4_frame = { .frameInfo = { .contentChecksumFlag =
								 LZ4F_contentChecksumEnabled } };

static void *start_lz4(void)
{
	struct lz4 *e = calloc(1, sizeof *e);

	if (e && LZ4F_isError(LZ4F_createCompressionContext(&e->z, LZ4F_VERSION))) {
		free(e);
		return NULL;
	}
	return e;
}

static enum sh_codec_state step_lz4(void *encoder, struct sh_slice *in, char **to, bool end)
{
	struct lz4 *e = encoder;
	char *limit = *to + SH_COMPRESS_ROOM;
	size_t n = at_most_a_step(in->n), got = 0;

	if (!e->begun) {
		got = LZ4F_compressBegin(e->z, *to, (size_t)(limit - *to), &lz4_frame);
		if (LZ4F_isError(got))
			return SH_CODEC_BAD;
		e->begun = true;
		*to += got;
	}
	got = LZ4F_compressUpdate(e->z, *to, (size_t)(limit - *to), in->p, n, NULL);
	if (LZ4F_isError(got))
		return SH_CODEC_BAD;
	use(in, n);
	*to += got;
	if (!end || in->n)
		return SH_CODEC_MORE;
	got = LZ4F_compressEnd(e->z, *to, (size_t)(limit - *to), NULL);
	if (LZ4F_isError(got))
		return SH_CODEC_BAD;
	*to += got;
	return SH_CODEC_END;
}

static void stop_lz4(void *encoder)
{
	struct lz4 *e = encoder;

	LZ4F_freeCompressionContext(e->z);
	free(e);
}
#define LZ4 start_lz4, step_lz4, stop_lz4
#else
#define LZ4 NULL, NULL, NULL
#endif

/* ---- the table ---- */

static const struct sh_compressor compressors[] = {
	{ "gzip", "zlib", ".gz", GZIP },
	{ "bzip2", "libbz2", ".bz2", BZIP2 },
	{ "xz", "liblzma", ".xz", XZ },
	{ "zstd", "libzstd", ".zst", ZSTD },
	{ "lz4", "liblz4", ".lz4", LZ4 },
};

const struct sh_compressor *sh_compressor_at(unsigned i)
{
	return sh_row_at(SH_ROWS(compressors), i);
}

const struct sh_compressor *sh_compressor_named(const char *name)
{
	return sh_row_find(SH_ROWS(compressors), name);
}

int sh_compressor_lacking(const struct sh_compressor *form, struct sh_error *err)
{
	return sh_error_set(
	    err, SH_ERR_PARAM, "cannot write %s: built without %s", form->name, form->library);
}

/* ---- streams ---- */

int sh_compress_start(struct sh_compress *z, const struct sh_compressor *form, struct sh_error *err)
{
	*z = (struct sh_compress){ 0 };
	if (!form->start)
		return sh_compressor_lacking(form, err);
	z->encoder = form->start();
	if (!z->encoder)
		return sh_error_nomem(err);
	z->form = form;
	return 0;
}

int sh_compress_add(struct sh_compress *z, const void *p, size_t n, bool end, struct sh_error *err)
{
	struct sh_slice in = sh_slice(n ? p : "", n);
	enum sh_codec_state state = SH_CODEC_MORE;
	char *to;

	while (in.n || (end && state != SH_CODEC_END)) {
		if (sh_buf_reserve(&z->out, SH_COMPRESS_ROOM, err) < 0)
			return -1;
		to = z->out.p + z->out.n;
		state = z->form->step(z->encoder, &in, &to, end);
		z->out.n = (size_t)(to - z->out.p);
		if (state == SH_CODEC_NOMEM)
			return sh_error_nomem(err);
		if (state != SH_CODEC_MORE && state != SH_CODEC_END)
			return sh_error_set(err, SH_ERR_IO, "%s failed to compress", z->form->name);
	}
	return 0;
}

void sh_compress_free(struct sh_compress *z)
{
	if (z->encoder)
		z->form->stop(z->encoder);
	sh_buf_free(&z->out);
	*z = (struct sh_compress){ 0 };
}
