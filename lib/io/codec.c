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

void *sh_coder_new(const struct sh_coder *c)
{
	void *state = calloc(1, c->size);

	if (state && c->init(state))
		return state;
	free(state);
	return NULL;
}

void sh_coder_delete(const struct sh_coder *c, void *state)
{
	if (state && c->end)
		c->end(state);
	free(state);
}

/* The parameters of a step; a coder of a form in a build without the library. */
#define STEP_ARGS void *coder, struct sh_slice *in, char **to, size_t room, bool end
#define NOTHING   0, NULL, NULL, NULL

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

static bool init_inflate(struct inflater *z, uint32_t wrapper)
{
	isal_inflate_init(&z->state);
	z->state.crc_flag = wrapper;
	z->gzip = wrapper == ISAL_GZIP_NO_HDR_VER;
	begin_frame(z);
	return true;
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

#define INFLATE(init) sizeof(struct inflater), init, step_inflate, NULL
#elif defined SH_HAVE_ZLIB
static bool init_inflate(z_stream *z, int window)
{
	return inflateInit2(z, window) == Z_OK;
}

#define GZIP_WRAPPER  (MAX_WBITS + 16)
#define ZLIB_WRAPPER  MAX_WBITS
#define NO_WRAPPER    (-MAX_WBITS)

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

static void end_inflate(void *z)
{
	inflateEnd(z);
}
#define INFLATE(init) sizeof(z_stream), init, step_inflate, end_inflate
#else
#define INFLATE(init) NOTHING
#endif

#if defined SH_HAVE_ISAL || defined SH_HAVE_ZLIB
static bool init_gzip(void *z)
{
	return init_inflate(z, GZIP_WRAPPER);
}

static bool init_zlib(void *z)
{
	return init_inflate(z, ZLIB_WRAPPER);
}

static bool init_raw(void *z)
{
	return init_inflate(z, NO_WRAPPER);
}
#endif

#ifdef SH_HAVE_ZLIB
static bool init_deflate(void *z)
{
	return deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
		   Z_DEFAULT_STRATEGY) == Z_OK;
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

static void end_deflate(void *z)
{
	deflateEnd(z);
}
#define DEFLATE sizeof(z_stream), init_deflate, step_deflate, end_deflate
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
static bool init_bunzip2(void *z)
{
	return BZ2_bzDecompressInit(z, 0, 0) == BZ_OK;
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
		return init_bunzip2(z) ? SH_CODEC_END : SH_CODEC_NOMEM;
	}
	if (got == BZ_MEM_ERROR)
		return SH_CODEC_NOMEM;
	return got == BZ_OK ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void end_bunzip2(void *z)
{
	BZ2_bzDecompressEnd(z);
}

static bool init_bzip2(void *z)
{
	const int level = 9;

	return BZ2_bzCompressInit(z, level, 0, 0) == BZ_OK;
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

static void end_bzip2(void *z)
{
	BZ2_bzCompressEnd(z);
}
#define BUNZIP2 sizeof(bz_stream), init_bunzip2, step_bunzip2, end_bunzip2
#define BZIP2   sizeof(bz_stream), init_bzip2, step_bzip2, end_bzip2
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
static bool init_unxz(void *z)
{
	return lzma_stream_decoder(z, sh_codec_window() + ((size_t)1 << 20), 0) == LZMA_OK;
}

static bool init_xz(void *z)
{
	return lzma_easy_encoder(z, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK;
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

static void end_lzma(void *z)
{
	lzma_end(z);
}
#define UNXZ sizeof(lzma_stream), init_unxz, step_unxz, end_lzma
#define XZ   sizeof(lzma_stream), init_xz, step_xz, end_lzma
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
static bool init_unzstd(void *coder)
{
	const int most = sizeof(size_t) == 4 ? 30 : 31;
	ZSTD_DCtx **z = coder;
	int log = 10;

	while (log < most && sh_codec_window() >> (log + 1))
		log++;
	*z = ZSTD_createDCtx();
	if (*z)
		ZSTD_DCtx_setParameter(*z, ZSTD_d_windowLogMax, log);
	return *z != NULL;
}

static enum sh_codec_state step_unzstd(STEP_ARGS)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer into = { *to, room, 0 };
	size_t got = ZSTD_decompressStream(*(ZSTD_DCtx **)coder, &into, &from);

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

static void end_unzstd(void *coder)
{
	ZSTD_freeDCtx(*(ZSTD_DCtx **)coder);
}

static bool init_zstd(void *coder)
{
	ZSTD_CCtx **z = coder;

	*z = ZSTD_createCCtx();
	/* Writes a checksum, as zstd(1) does, so that readers find damage. */
	if (*z)
		ZSTD_CCtx_setParameter(*z, ZSTD_c_checksumFlag, 1);
	return *z != NULL;
}

static enum sh_codec_state step_zstd(STEP_ARGS)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer into = { *to, room, 0 };
	size_t left = ZSTD_compressStream2(
	    *(ZSTD_CCtx **)coder, &into, &from, end ? ZSTD_e_end : ZSTD_e_continue);

	if (ZSTD_isError(left))
		return SH_CODEC_BAD;
	*in = sh_slice(in->p + from.pos, in->n - from.pos);
	*to += into.pos;
	return end && left == 0 ? SH_CODEC_END : SH_CODEC_MORE;
}

static void end_zstd(void *coder)
{
	ZSTD_freeCCtx(*(ZSTD_CCtx **)coder);
}
#define UNZSTD sizeof(ZSTD_DCtx *), init_unzstd, step_unzstd, end_unzstd
#define ZSTD   sizeof(ZSTD_CCtx *), init_zstd, step_zstd, end_zstd
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
static bool init_unlz4(void *coder)
{
	return !LZ4F_isError(LZ4F_createDecompressionContext(coder, LZ4F_VERSION));
}

static enum sh_codec_state step_unlz4(STEP_ARGS)
{
	size_t used = in->n, made = room;
	size_t got = LZ4F_decompress(*(LZ4F_dctx **)coder, *to, &made, in->p, &used, NULL);

	(void)end;
	if (LZ4F_isError(got))
		return strcmp(LZ4F_getErrorName(got), "ERROR_allocation_failed") == 0
			   ? SH_CODEC_NOMEM
			   : SH_CODEC_BAD;
	*in = sh_slice(in->p + used, in->n - used);
	*to += made;
	return got == 0 ? SH_CODEC_END : SH_CODEC_MORE;
}

static void end_unlz4(void *coder)
{
	LZ4F_freeDecompressionContext(*(LZ4F_dctx **)coder);
}

struct lz4 {
	LZ4F_cctx *z;
	bool begun;
};

static bool init_lz4(void *coder)
{
	struct lz4 *e = coder;

	return !LZ4F_isError(LZ4F_createCompressionContext(&e->z, LZ4F_VERSION));
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

static void end_lz4(void *coder)
{
	LZ4F_freeCompressionContext(((struct lz4 *)coder)->z);
}
#define UNLZ4 sizeof(LZ4F_dctx *), init_unlz4, step_unlz4, end_unlz4
#define LZ4   sizeof(struct lz4), init_lz4, step_lz4, end_lz4
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
	{ "gzip", ".gz", "zlib", "zlib1g-dev", "gzip -dc", is_gzip, { INFLATE(init_gzip) },
	    { DEFLATE } },
	{ "bzip2", ".bz2", "libbz2", "libbz2-dev", "bzip2 -dc", is_bzip2, { BUNZIP2 }, { BZIP2 } },
	{ "xz", ".xz", "liblzma", "liblzma-dev", "xz -dc", is_xz, { UNXZ }, { XZ } },
	{ "zstd", ".zst", "libzstd", "libzstd-dev", "zstd -dc --long=31", is_zstd, { UNZSTD },
	    { ZSTD } },
	{ "lz4", ".lz4", "liblz4", "liblz4-dev", "lz4 -dc", is_lz4, { UNLZ4 }, { LZ4 } },
	{ "compress", NULL, "a library for it", NULL, "gzip -dc", is_compress, { NOTHING },
	    { NOTHING } },
	{ "deflate", NULL, "zlib", "zlib1g-dev", NULL, NULL, { INFLATE(init_zlib) }, { NOTHING } },
	{ "raw deflate", NULL, "zlib", "zlib1g-dev", NULL, NULL, { INFLATE(init_raw) },
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
