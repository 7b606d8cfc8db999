/* SPDX-License-Identifier: MIT */
#include "io/codec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rows.h"
#include "io/codec_libraries.h"

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

#if defined SH_HAVE_ISAL || defined SH_HAVE_ZLIB || defined SH_HAVE_BZIP2
/* The libraries count bytes by unsigned int. */
enum { STEP = 1 << 20 };

static unsigned at_most_a_step(size_t n)
{
	return n < STEP ? (unsigned)n : STEP;
}
#endif

static bool begins(struct sh_slice head, const char *with, size_t n)
{
	return head.n >= n && memcmp(head.p, with, n) == 0;
}

/* ---- gzip (RFC 1952), zlib (RFC 1950), deflate (RFC 1951) ---- */

static bool is_gzip(struct sh_slice head)
{
	return begins(head, "\x1F\x8B\x08", 3);
}

#if defined SH_HAVE_ISAL
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

static void *start_gzip(void)
{
	return start_inflate(ISAL_GZIP_NO_HDR_VER);
}

static void *start_zlib(void)
{
	return start_inflate(ISAL_ZLIB);
}

static void *start_raw(void)
{
	return start_inflate(ISAL_DEFLATE);
}

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

static enum sh_codec_state step_inflate(void *decoder, struct sh_slice *in, char **to, size_t room)
{
	struct inflater *z = decoder;
	struct inflate_state *s = &z->state;
	int got = 0;

	s->next_in = (uint8_t *)(uintptr_t)in->p;
	s->avail_in = at_most_a_step(in->n);
	s->next_out = (uint8_t *)*to;
	s->avail_out = at_most_a_step(room);
	if (z->in_header)
		got = read_header(z);
	if (got == 0 && !z->in_header)
		got = isal_inflate(s);
	in->n -= (size_t)((const char *)s->next_in - in->p);
	in->p = (const char *)s->next_in;
	*to = (char *)s->next_out;
	if (got < 0 || got == ISAL_NEED_DICT)
		return SH_CODEC_BAD;
	if (z->in_header || s->block_state != ISAL_BLOCK_FINISH)
		return SH_CODEC_MORE;
	isal_inflate_reset(s); /* keeps crc_flag */
	begin_frame(z);
	return SH_CODEC_END;
}

static void stop_inflate(void *decoder)
{
	free(decoder);
}
#elif defined SH_HAVE_ZLIB
static void *start_inflate(int window)
{
	z_stream *z = calloc(1, sizeof *z);

	if (z && inflateInit2(z, window) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static void *start_gzip(void)
{
	return start_inflate(MAX_WBITS + 16);
}

static void *start_zlib(void)
{
	return start_inflate(MAX_WBITS);
}

static void *start_raw(void)
{
	return start_inflate(-MAX_WBITS);
}

static enum sh_codec_state step_inflate(void *decoder, struct sh_slice *in, char **to, size_t room)
{
	z_stream *z = decoder;
	int got;

	z->next_in = (Bytef *)(uintptr_t)in->p;
	z->avail_in = at_most_a_step(in->n);
	z->next_out = (Bytef *)*to;
	z->avail_out = at_most_a_step(room);
	got = inflate(z, Z_NO_FLUSH);
	in->n -= (size_t)((const char *)z->next_in - in->p);
	in->p = (const char *)z->next_in;
	*to = (char *)z->next_out;
	if (got == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? SH_CODEC_END : SH_CODEC_BAD;
	if (got == Z_MEM_ERROR)
		return SH_CODEC_NOMEM;
	return got == Z_OK || got == Z_BUF_ERROR ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_inflate(void *decoder)
{
	inflateEnd(decoder);
	free(decoder);
}
#endif
#if defined SH_HAVE_ISAL || defined SH_HAVE_ZLIB
#define INFLATE(start) start, step_inflate, stop_inflate
#else
#define INFLATE(start) NULL, NULL, NULL
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
static void *start_bzip2(void)
{
	bz_stream *z = calloc(1, sizeof *z);

	if (z && BZ2_bzDecompressInit(z, 0, 0) != BZ_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static enum sh_codec_state step_bzip2(void *decoder, struct sh_slice *in, char **to, size_t room)
{
	bz_stream *z = decoder;
	int got;

	z->next_in = (char *)(uintptr_t)in->p;
	z->avail_in = at_most_a_step(in->n);
	z->next_out = *to;
	z->avail_out = at_most_a_step(room);
	got = BZ2_bzDecompress(z);
	in->n -= (size_t)(z->next_in - in->p);
	in->p = z->next_in;
	*to = z->next_out;
	if (got == BZ_STREAM_END) {
		BZ2_bzDecompressEnd(z);
		memset(z, 0, sizeof *z);
		return BZ2_bzDecompressInit(z, 0, 0) == BZ_OK ? SH_CODEC_END : SH_CODEC_NOMEM;
	}
	if (got == BZ_MEM_ERROR)
		return SH_CODEC_NOMEM;
	return got == BZ_OK ? SH_CODEC_MORE : SH_CODEC_BAD;
}

static void stop_bzip2(void *decoder)
{
	BZ2_bzDecompressEnd(decoder);
	free(decoder);
}
#define BZIP2 start_bzip2, step_bzip2, stop_bzip2
#else
#define BZIP2 NULL, NULL, NULL
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
static bool init_xz(lzma_stream *z)
{
	return lzma_stream_decoder(z, sh_codec_window() + ((size_t)1 << 20), 0) == LZMA_OK;
}

static void *start_xz(void)
{
	lzma_stream *z = malloc(sizeof *z);

	if (!z)
		return NULL;
	*z = (lzma_stream)LZMA_STREAM_INIT;
	if (init_xz(z))
		return z;
	free(z);
	return NULL;
}

static enum sh_codec_state step_xz(void *decoder, struct sh_slice *in, char **to, size_t room)
{
	lzma_stream *z = decoder;
	lzma_ret got;

	z->next_in = (const uint8_t *)in->p;
	z->avail_in = in->n;
	z->next_out = (uint8_t *)*to;
	z->avail_out = room;
	got = lzma_code(z, LZMA_RUN);
	in->n = z->avail_in;
	in->p = (const char *)z->next_in;
	*to = (char *)z->next_out;
	switch (got) {
	case LZMA_STREAM_END:
		return init_xz(z) ? SH_CODEC_END : SH_CODEC_NOMEM;
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return SH_CODEC_MORE;
	case LZMA_MEM_ERROR:
		return SH_CODEC_NOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return SH_CODEC_WIDE;
	default:
		return SH_CODEC_BAD;
	}
}

static void stop_xz(void *decoder)
{
	lzma_end(decoder);
	free(decoder);
}
#define LZMA start_xz, step_xz, stop_xz
#else
#define LZMA NULL, NULL, NULL
#endif

/* ---- zstd, lz4 ---- */

/* Returns whether `head` begins with a skippable frame, which may precede other frames in both
 * forms. pzstd(1) writes skippable frames. */
static bool is_skippable(struct sh_slice head)
{
	return head.n >= 4 && (head.p[0] & 0xF0) == 0x50 &&
	       memcmp(head.p + 1, "\x2A\x4D\x18", 3) == 0;
}

static bool is_zstd(struct sh_slice head)
{
	return begins(head, "\x28\xB5\x2F\xFD", 4) || is_skippable(head);
}

static bool is_lz4(struct sh_slice head)
{
	return begins(head, "\x04\x22\x4D\x18", 4);
}

#ifdef SH_HAVE_ZSTD
/* Returns the logarithm of the largest window, within the bounds that zstd has. */
static int window_log(void)
{
	const int most = sizeof(size_t) == 4 ? 30 : 31, least = 10;
	int log = least;

	while (log < most && sh_codec_window() >> (log + 1))
		log++;
	return log;
}

/* ZSTD_error_frameParameter_windowTooLarge and ZSTD_error_memory_allocation of zstd_errors.h. */
enum { TOO_WIDE = 16, NO_MEMORY = 64 };

static void *start_zstd(void)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();

	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, window_log());
	return z;
}

static enum sh_codec_state step_zstd(void *decoder, struct sh_slice *in, char **to, size_t room)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer into = { *to, room, 0 };
	size_t got = ZSTD_decompressStream(decoder, &into, &from);

	in->p += from.pos;
	in->n -= from.pos;
	*to += into.pos;
	if (got == 0)
		return SH_CODEC_END;
	if (!ZSTD_isError(got))
		return SH_CODEC_MORE;
	/* An error is the negative code. */
	return got == (size_t)-TOO_WIDE    ? SH_CODEC_WIDE
	       : got == (size_t)-NO_MEMORY ? SH_CODEC_NOMEM
					   : SH_CODEC_BAD;
}

static void stop_zstd(void *decoder)
{
	ZSTD_freeDCtx(decoder);
}
#define ZSTD start_zstd, step_zstd, stop_zstd
#else
#define ZSTD NULL, NULL, NULL
#endif

#ifdef SH_HAVE_LZ4
static void *start_lz4(void)
{
	LZ4F_dctx *z;

	return LZ4F_isError(LZ4F_createDecompressionContext(&z, LZ4F_VERSION)) ? NULL : z;
}

static enum sh_codec_state step_lz4(void *decoder, struct sh_slice *in, char **to, size_t room)
{
	size_t used = in->n, made = room;
	size_t got = LZ4F_decompress(decoder, *to, &made, in->p, &used, NULL);

	if (LZ4F_isError(got))
		return strcmp(LZ4F_getErrorName(got), "ERROR_allocation_failed") == 0
			   ? SH_CODEC_NOMEM
			   : SH_CODEC_BAD;
	in->p += used;
	in->n -= used;
	*to += made;
	return got == 0 ? SH_CODEC_END : SH_CODEC_MORE;
}

static void stop_lz4(void *decoder)
{
	LZ4F_freeDecompressionContext(decoder);
}
#define LZ4 start_lz4, step_lz4, stop_lz4
#else
#define LZ4 NULL, NULL, NULL
#endif

/* ---- the table ---- */

static bool is_compress(struct sh_slice head)
{
	return begins(head, "\x1F\x9D", 2);
}

static const struct sh_codec codecs[] = {
	{ "gzip", "zlib", "zlib1g-dev", "gzip -dc", is_gzip, INFLATE(start_gzip) },
	{ "bzip2", "libbz2", "libbz2-dev", "bzip2 -dc", is_bzip2, BZIP2 },
	{ "xz", "liblzma", "liblzma-dev", "xz -dc", is_xz, LZMA },
	{ "zstd", "libzstd", "libzstd-dev", "zstd -dc --long=31", is_zstd, ZSTD },
	{ "lz4", "liblz4", "liblz4-dev", "lz4 -dc", is_lz4, LZ4 },
	{ "compress", "a library for it", NULL, "gzip -dc", is_compress, NULL, NULL, NULL },
	{ "deflate", "zlib", "zlib1g-dev", NULL, NULL, INFLATE(start_zlib) },
	{ "raw deflate", "zlib", "zlib1g-dev", NULL, NULL, INFLATE(start_raw) },
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
	static const char first[] = "\x1F\x42\xFD\x28\x04\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59"
				    "\x5A\x5B\x5C\x5D\x5E\x5F";
	/* The second byte of each form's magic number, and of that of skippable frames. */
	static const char second[] = "\x8B\x9D\x5A\x37\xB5\x22\x2A";
	const struct sh_codec *codec = sh_codec_of(head);

	/* No magic number contains a line end. */
	if (codec || head.n >= SH_CODEC_MAGIC || (head.n && memchr(head.p, '\n', head.n)))
		return false;
	if (head.n == 0)
		return true;
	return memchr(first, head.p[0], sizeof first - 1) &&
	       (head.n < 2 || memchr(second, head.p[1], sizeof second - 1));
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
