/* SPDX-License-Identifier: MIT */
#include "io/codec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef SH_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif
#ifdef SH_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef SH_HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef SH_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef SH_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef SH_HAVE_LZ4
#include <lz4frame.h>
#endif

#include "base/num.h"
#include "base/rows.h"

static bool parse_window(uint64_t *n)
{
	const char *size = getenv(SH_CODEC_WINDOW_NAME);

	*n = SH_CODEC_WINDOW;
	return !size || !*size || (sh_parse_size(sh_slice_str(size), n) == 0 && *n > 0);
}

bool sh_codec_window_valid(void)
{
	uint64_t n;

	return parse_window(&n);
}

size_t sh_codec_window(void)
{
	uint64_t n;

	if (!parse_window(&n))
		n = SH_CODEC_WINDOW;
	return n < SIZE_MAX / 8 ? (size_t)n : SIZE_MAX / 8;
}

static bool begins(struct sh_slice head, const char *with, size_t n)
{
	return head.n >= n && memcmp(head.p, with, n) == 0;
}

/* The parameters of a step; the functions of a form in a build without the library. */
#define STEP_ARGS void *coder, struct sh_slice *in, char **to, size_t room, bool end
#define NOTHING   NULL, NULL, NULL

/* ---- libraries with a stream of next_in, avail_in, next_out, avail_out ---- */

/* The most bytes of a step. The libraries count bytes by unsigned int. */
enum { DECODE_STEP = 1 << 20, ENCODE_STEP = 64 * 1024 };

#define AT_MOST(n, most) ((n) < (most) ? (unsigned)(n) : (unsigned)(most))

/* Gives the stream z the first `most` bytes of *in, at most, and room for its output. */
#define GIVE(z, most)                                                                              \
	((z)->next_in = (void *)(uintptr_t)in->p, (z)->avail_in = AT_MOST(in->n, most),            \
	    (z)->next_out = (void *)*to, (z)->avail_out = AT_MOST(room, DECODE_STEP))

/* Moves *in and *to behind the bytes that the stream z has read and written. */
#define TAKE(z)                                                                                    \
	(in->n -= (size_t)((const char *)(z)->next_in - in->p),                                    \
	    in->p = (const char *)(z)->next_in, *to = (char *)(z)->next_out)

/* Whether GIVE() to an encoder gives it the last input. */
#define IS_LAST (end && in->n <= ENCODE_STEP)

#if defined SH_HAVE_ZLIB || defined SH_HAVE_BZIP2 || defined SH_HAVE_LZMA
/* Returns the stream z, or frees it and returns NULL when its library did not begin. */
static void *begun(void *z, bool ok)
{
	if (ok)
		return z;
	free(z);
	return NULL;
}
#endif

/* ---- gzip (RFC 1952), zlib (RFC 1950), deflate (RFC 1951) ---- */

static bool is_gzip(struct sh_slice head)
{
	return begins(head, "\x1F\x8B\x08", 3);
}

#ifdef SH_HAVE_ISAL
/* ISA-L decodes deflate about three times as fast as zlib. Its decoder forgets the flags of a gzip
 * header that comes in parts. So the header is read here, into a structure that stays. */
struct inflater {
	struct inflate_state state;
	bool gzip, in_header;
	struct isal_gzip_header header;
	size_t magic; /* bytes of the member's magic number that are read */
};

enum { GZIP_MAGIC = 3 };

static void begin_frame(struct inflater *z)
{
	z->in_header = z->gzip;
	z->magic = 0;
	isal_gzip_header_init(&z->header);
}

static void *start_inflate(uint32_t wrapper)
{
	struct inflater *z = calloc(1, sizeof *z);

	if (z) {
		isal_inflate_init(&z->state);
		z->state.crc_flag = wrapper;
		z->gzip = wrapper == ISAL_GZIP_NO_HDR_VER;
		begin_frame(z);
	}
	return z;
}

#define GZIP_WRAPPER ISAL_GZIP_NO_HDR_VER
#define ZLIB_WRAPPER ISAL_ZLIB
#define NO_WRAPPER   ISAL_DEFLATE

/* Reads bytes of a gzip header. ISA-L waits for ten bytes before it looks at them, and fewer may be
 * left, so the magic number is compared here. Returns 0 or a negative code of ISA-L. */
static int read_header(struct inflater *z)
{
	struct inflate_state *s = &z->state;
	size_t left = GZIP_MAGIC - z->magic, n = s->avail_in < left ? s->avail_in : left;
	int got;

	if (n && memcmp(s->next_in, &"\x1F\x8B\x08"[z->magic], n) != 0)
		return ISAL_INVALID_WRAPPER;
	z->magic += n;
	got = isal_read_gzip_header(s, &z->header);
	z->in_header = got != ISAL_DECOMP_OK;
	return got < 0 ? got : 0;
}

static enum sh_codec_state step_inflate(STEP_ARGS)
{
	struct inflater *z = coder;
	struct inflate_state *s = &z->state;
	int got = 0;

	(void)end;
	GIVE(s, DECODE_STEP);
	if (z->in_header)
		got = read_header(z);
	if (got == 0 && !z->in_header)
		got = isal_inflate(s);
	TAKE(s);
	if (got < 0 || got == ISAL_NEED_DICT)
		return SH_CODEC_BAD;
	if (z->in_header || s->block_state != ISAL_BLOCK_FINISH)
		return SH_CODEC_MORE;
	isal_inflate_reset(s); /* keeps crc_flag */
	begin_frame(z);
	return SH_CODEC_END;
}

#define stop_inflate free
#elif defined SH_HAVE_ZLIB
static void *start_inflate(int window)
{
	z_stream *z = calloc(1, sizeof *z);

	return z ? begun(z, inflateInit2(z, window) == Z_OK) : NULL;
}

#define GZIP_WRAPPER (MAX_WBITS + 16)
#define ZLIB_WRAPPER MAX_WBITS
#define NO_WRAPPER   (-MAX_WBITS)

static enum sh_codec_state step_inflate(STEP_ARGS)
{
	z_stream *z = coder;
	int got;

	(void)end;
	GIVE(z, DECODE_STEP);
	got = inflate(z, Z_NO_FLUSH);
	TAKE(z);
	if (got == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? SH_CODEC_END : SH_CODEC_BAD;
	if (got == Z_MEM_ERROR)
		return SH_CODEC_NOMEM;
	return got == Z_OK || got == Z_BUF_ERROR ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_inflate(void *z)
{
	inflateEnd(z);
	free(z);
}
#endif

#if defined SH_HAVE_ISAL || defined SH_HAVE_ZLIB
static void *start_gzip(void)
{
	return start_inflate(GZIP_WRAPPER);
}

static void *start_zlib(void)
{
	return start_inflate(ZLIB_WRAPPER);
}

static void *start_raw(void)
{
	return start_inflate(NO_WRAPPER);
}
#define INFLATE(start) start, step_inflate, stop_inflate
#else
#define INFLATE(start) NOTHING
#endif

#ifdef SH_HAVE_ZLIB
static void *start_deflate(void)
{
	z_stream *z = calloc(1, sizeof *z);

	return z ? begun(z, deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
				Z_DEFAULT_STRATEGY) == Z_OK)
		 : NULL;
}

static enum sh_codec_state step_deflate(STEP_ARGS)
{
	z_stream *z = coder;
	int got;

	GIVE(z, ENCODE_STEP);
	got = deflate(z, IS_LAST ? Z_FINISH : Z_NO_FLUSH);
	TAKE(z);
	if (got == Z_STREAM_END)
		return SH_CODEC_END;
	return got == Z_OK || got == Z_BUF_ERROR ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_deflate(void *z)
{
	deflateEnd(z);
	free(z);
}
#define DEFLATE start_deflate, step_deflate, stop_deflate
#else
#define DEFLATE NOTHING
#endif

/* ---- bzip2 ---- */

/* Returns whether a bzip2 file begins with `head`. The fourth byte is the level, 1 to 9. Six
 * constant bytes follow, which begin a block or, in an empty stream, the end. */
static bool is_bzip2(struct sh_slice head)
{
	return head.n >= SH_CODEC_MAGIC && begins(head, "BZh", 3) && head.p[3] >= '1' &&
	       head.p[3] <= '9' &&
	       (memcmp(head.p + 4, "1AY&SY", 6) == 0 || memcmp(head.p + 4, "\x17rE8P\x90", 6) == 0);
}

#ifdef SH_HAVE_BZIP2
static void *start_bunzip2(void)
{
	bz_stream *z = calloc(1, sizeof *z);

	return z ? begun(z, BZ2_bzDecompressInit(z, 0, 0) == BZ_OK) : NULL;
}

static enum sh_codec_state step_bunzip2(STEP_ARGS)
{
	bz_stream *z = coder;
	int got;

	(void)end;
	GIVE(z, DECODE_STEP);
	got = BZ2_bzDecompress(z);
	TAKE(z);
	if (got == BZ_STREAM_END) {
		BZ2_bzDecompressEnd(z);
		memset(z, 0, sizeof *z);
		return BZ2_bzDecompressInit(z, 0, 0) == BZ_OK ? SH_CODEC_END : SH_CODEC_NOMEM;
	}
	if (got == BZ_MEM_ERROR)
		return SH_CODEC_NOMEM;
	return got == BZ_OK ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_bunzip2(void *z)
{
	BZ2_bzDecompressEnd(z);
	free(z);
}

static void *start_bzip2(void)
{
	const int level = 9;
	bz_stream *z = calloc(1, sizeof *z);

	return z ? begun(z, BZ2_bzCompressInit(z, level, 0, 0) == BZ_OK) : NULL;
}

static enum sh_codec_state step_bzip2(STEP_ARGS)
{
	bz_stream *z = coder;
	int got;

	if (in->n == 0 && !end)
		return SH_CODEC_MORE;
	GIVE(z, ENCODE_STEP);
	got = BZ2_bzCompress(z, IS_LAST ? BZ_FINISH : BZ_RUN);
	TAKE(z);
	if (got == BZ_STREAM_END)
		return SH_CODEC_END;
	return got == BZ_RUN_OK || got == BZ_FINISH_OK ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_bzip2(void *z)
{
	BZ2_bzCompressEnd(z);
	free(z);
}
#define BUNZIP2 start_bunzip2, step_bunzip2, stop_bunzip2
#define BZIP2   start_bzip2, step_bzip2, stop_bzip2
#else
#define BUNZIP2 NOTHING
#define BZIP2   NOTHING
#endif

/* ---- xz ---- */

static bool is_xz(struct sh_slice head)
{
	return begins(head,
	    "\xFD"
	    "7zXZ\0",
	    6);
}

#ifdef SH_HAVE_LZMA
/* Limits the memory to the window, and 1 MiB for the decoder. */
static bool init_unxz(lzma_stream *z)
{
	return lzma_stream_decoder(z, sh_codec_window() + ((size_t)1 << 20), 0) == LZMA_OK;
}

static void *start_unxz(void)
{
	lzma_stream *z = calloc(1, sizeof *z);

	return z ? begun(z, init_unxz(z)) : NULL;
}

static void *start_xz(void)
{
	lzma_stream *z = calloc(1, sizeof *z);

	return z ? begun(z, lzma_easy_encoder(z, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK)
		 : NULL;
}

static enum sh_codec_state state_of(lzma_ret got)
{
	return got == LZMA_STREAM_END                    ? SH_CODEC_END
	       : got == LZMA_OK || got == LZMA_BUF_ERROR ? SH_CODEC_MORE
	       : got == LZMA_MEM_ERROR                   ? SH_CODEC_NOMEM
	       : got == LZMA_MEMLIMIT_ERROR              ? SH_CODEC_WIDE
							 : SH_CODEC_BAD;
}

static enum sh_codec_state step_unxz(STEP_ARGS)
{
	lzma_stream *z = coder;
	lzma_ret got;

	(void)end;
	GIVE(z, DECODE_STEP);
	got = lzma_code(z, LZMA_RUN);
	TAKE(z);
	return got == LZMA_STREAM_END && !init_unxz(z) ? SH_CODEC_NOMEM : state_of(got);
}

static enum sh_codec_state step_xz(STEP_ARGS)
{
	lzma_stream *z = coder;
	lzma_ret got;

	GIVE(z, ENCODE_STEP);
	got = lzma_code(z, IS_LAST ? LZMA_FINISH : LZMA_RUN);
	TAKE(z);
	return state_of(got);
}

static void stop_lzma(void *z)
{
	lzma_end(z);
	free(z);
}
#define UNXZ start_unxz, step_unxz, stop_lzma
#define XZ   start_xz, step_xz, stop_lzma
#else
#define UNXZ NOTHING
#define XZ   NOTHING
#endif

/* ---- zstd ---- */

/* Returns whether `head` begins with a zstd frame, or with a skippable frame, which may precede
 * other frames also in lz4. pzstd(1) writes skippable frames. */
static bool is_zstd(struct sh_slice head)
{
	return begins(head, "\x28\xB5\x2F\xFD", 4) ||
	       (head.n >= 4 && (head.p[0] & 0xF0) == 0x50 &&
		   memcmp(head.p + 1, "\x2A\x4D\x18", 3) == 0);
}

#ifdef SH_HAVE_ZSTD
/* ZSTD_error_frameParameter_windowTooLarge and ZSTD_error_memory_allocation of zstd_errors.h. */
enum { TOO_WIDE = 16, NO_MEMORY = 64 };

/* The largest window is a power of two, within the bounds that zstd has. */
static void *start_unzstd(void)
{
	const int most = sizeof(size_t) == 4 ? 30 : 31;
	ZSTD_DCtx *z = ZSTD_createDCtx();
	int log = 10;

	while (log < most && sh_codec_window() >> (log + 1))
		log++;
	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, log);
	return z;
}

static enum sh_codec_state step_unzstd(STEP_ARGS)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer into = { *to, room, 0 };
	size_t got = ZSTD_decompressStream(coder, &into, &from);

	(void)end;
	*in = sh_slice(in->p + from.pos, in->n - from.pos);
	*to += into.pos;
	if (!ZSTD_isError(got))
		return got == 0 ? SH_CODEC_END : SH_CODEC_MORE;
	/* An error is the negative code. */
	return got == (size_t)-TOO_WIDE    ? SH_CODEC_WIDE
	       : got == (size_t)-NO_MEMORY ? SH_CODEC_NOMEM
					   : SH_CODEC_BAD;
}

static void stop_unzstd(void *z)
{
	ZSTD_freeDCtx(z);
}

static void *start_zstd(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	/* Writes a checksum, as zstd(1) does, so that readers find damage. */
	if (z)
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	return z;
}

static enum sh_codec_state step_zstd(STEP_ARGS)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer into = { *to, room, 0 };
	size_t left = ZSTD_compressStream2(coder, &into, &from, end ? ZSTD_e_end : ZSTD_e_continue);

	if (ZSTD_isError(left))
		return SH_CODEC_BAD;
	*in = sh_slice(in->p + from.pos, in->n - from.pos);
	*to += into.pos;
	return end && left == 0 ? SH_CODEC_END : SH_CODEC_MORE;
}

static void stop_zstd(void *z)
{
	ZSTD_freeCCtx(z);
}
#define UNZSTD start_unzstd, step_unzstd, stop_unzstd
#define ZSTD   start_zstd, step_zstd, stop_zstd
#else
#define UNZSTD NOTHING
#define ZSTD   NOTHING
#endif

/* ---- lz4 ---- */

static bool is_lz4(struct sh_slice head)
{
	return begins(head, "\x04\x22\x4D\x18", 4);
}

#ifdef SH_HAVE_LZ4
static void *start_unlz4(void)
{
	LZ4F_dctx *z;

	return LZ4F_isError(LZ4F_createDecompressionContext(&z, LZ4F_VERSION)) ? NULL : z;
}

static enum sh_codec_state step_unlz4(STEP_ARGS)
{
	size_t used = in->n, made = room;
	size_t got = LZ4F_decompress(coder, *to, &made, in->p, &used, NULL);

	(void)end;
	if (LZ4F_isError(got))
		return strcmp(LZ4F_getErrorName(got), "ERROR_allocation_failed") == 0
			   ? SH_CODEC_NOMEM
			   : SH_CODEC_BAD;
	*in = sh_slice(in->p + used, in->n - used);
	*to += made;
	return got == 0 ? SH_CODEC_END : SH_CODEC_MORE;
}

static void stop_unlz4(void *z)
{
	LZ4F_freeDecompressionContext(z);
}

struct lz4 {
	LZ4F_cctx *z;
	bool begun;
};

static void *start_lz4(void)
{
	struct lz4 *e = calloc(1, sizeof *e);

	if (e && LZ4F_isError(LZ4F_createCompressionContext(&e->z, LZ4F_VERSION))) {
		free(e);
		return NULL;
	}
	return e;
}

/* LZ4 needs room for all input of a step at once. */
static enum sh_codec_state step_lz4(STEP_ARGS)
{
	static const LZ4F_preferences_t frame = {
		.frameInfo = { .contentChecksumFlag = LZ4F_contentChecksumEnabled }
	};
	struct lz4 *e = coder;
	char *limit = *to + room;
	size_t n = AT_MOST(in->n, ENCODE_STEP), got = 0;

	if (!e->begun)
		got = LZ4F_compressBegin(e->z, *to, room, &frame);
	if (LZ4F_isError(got))
		return SH_CODEC_BAD;
	e->begun = true;
	*to += got;
	got = LZ4F_compressUpdate(e->z, *to, (size_t)(limit - *to), in->p, n, NULL);
	if (LZ4F_isError(got))
		return SH_CODEC_BAD;
	*in = sh_slice(in->p + n, in->n - n);
	*to += got;
	if (!end || in->n)
		return SH_CODEC_MORE;
	got = LZ4F_compressEnd(e->z, *to, (size_t)(limit - *to), NULL);
	if (LZ4F_isError(got))
		return SH_CODEC_BAD;
	*to += got;
	return SH_CODEC_END;
}

static void stop_lz4(void *coder)
{
	struct lz4 *e = coder;

	LZ4F_freeCompressionContext(e->z);
	free(e);
}
#define UNLZ4 start_unlz4, step_unlz4, stop_unlz4
#define LZ4   start_lz4, step_lz4, stop_lz4
#else
#define UNLZ4 NOTHING
#define LZ4   NOTHING
#endif

/* ---- the table ---- */

static bool is_compress(struct sh_slice head)
{
	return begins(head, "\x1F\x9D", 2);
}

static const struct sh_codec codecs[] = {
	{ "gzip", ".gz", "zlib", "zlib1g-dev", "gzip -dc", is_gzip, { INFLATE(start_gzip) },
	    { DEFLATE } },
	{ "bzip2", ".bz2", "libbz2", "libbz2-dev", "bzip2 -dc", is_bzip2, { BUNZIP2 }, { BZIP2 } },
	{ "xz", ".xz", "liblzma", "liblzma-dev", "xz -dc", is_xz, { UNXZ }, { XZ } },
	{ "zstd", ".zst", "libzstd", "libzstd-dev", "zstd -dc --long=31", is_zstd, { UNZSTD },
	    { ZSTD } },
	{ "lz4", ".lz4", "liblz4", "liblz4-dev", "lz4 -dc", is_lz4, { UNLZ4 }, { LZ4 } },
	{ "compress", NULL, "a library for it", NULL, "gzip -dc", is_compress, { NOTHING },
	    { NOTHING } },
	{ "deflate", NULL, "zlib", "zlib1g-dev", NULL, NULL, { INFLATE(start_zlib) }, { NOTHING } },
	{ "raw deflate", NULL, "zlib", "zlib1g-dev", NULL, NULL, { INFLATE(start_raw) },
	    { NOTHING } },
};

enum { N_CODECS = sizeof codecs / sizeof *codecs };

const struct sh_codec *sh_codec_of(struct sh_slice head)
{
	for (size_t i = 0; i < N_CODECS; i++)
		if (codecs[i].is && codecs[i].is(head))
			return &codecs[i];
	return NULL;
}

bool sh_codec_likely(const struct sh_codec *codec, struct sh_slice head)
{
	/* Flags and kind of compression of a gzip member: few values are defined. */
	return codec->is != is_gzip ||
	       (head.n >= SH_CODEC_MAGIC && (head.p[3] & 0xE0) == 0 &&
		   (head.p[8] == 0 || head.p[8] == 2 || head.p[8] == 4) &&
		   ((unsigned char)head.p[9] <= 13 || (unsigned char)head.p[9] == 255));
}

const struct sh_codec *sh_codec_at(unsigned i)
{
	return i < N_CODECS && codecs[i].is ? &codecs[i] : NULL;
}

const struct sh_codec *sh_codec_named(const char *name)
{
	return sh_row_find(SH_ROWS(codecs), name);
}

bool sh_codec_undecided(struct sh_slice head)
{
	/* No magic number contains a line end. */
	return head.n < SH_CODEC_MAGIC && !sh_codec_of(head) &&
	       (head.n == 0 || !memchr(head.p, '\n', head.n));
}

int sh_codec_lacking(const struct sh_codec *codec, struct sh_error *err)
{
	if (!codec->package)
		return sh_error_set(err, SH_ERR_RECORD,
		    "compressed (%s), and built without %s (%s decompresses it)", codec->name,
		    codec->library, codec->command);
	return sh_error_set(err, SH_ERR_RECORD,
	    "compressed (%s), and built without %s (%s decompresses it; or install %s and build "
	    "again)",
	    codec->name, codec->library, codec->command, codec->package);
}

int sh_codec_unwritable(const struct sh_codec *codec, struct sh_error *err)
{
	return sh_error_set(
	    err, SH_ERR_PARAM, "cannot write %s: built without %s", codec->name, codec->library);
}
