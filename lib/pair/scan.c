#include "pair/scan.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

#define NEAR UINT32_MAX

static void end_unless(struct sh_scan *s, bool going_on)
{
	if (!going_on)
		s->ended = true;
}

static bool flush_spots(struct sh_scan *s)
{
	size_t n = s->spots;

	s->spots = 0;
	return !s->ended && (n == 0 || s->flush(s->ctx, s->spot, n));
}

/* The position in y of the word at near[i]. */
static uint32_t came_from(const struct sh_scan *s, uint32_t i)
{
	size_t low = 0, high = s->pieces;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (s->piece_at[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	return s->piece_from[low] + (i - s->piece_at[low]);
}

/* One spot for each bit of hit. y is a position, or NEAR for near[i]. */
static __attribute__((noinline)) void add_spots(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	if (y == NEAR)
		y = came_from(s, i);
	if (s->spots + SH_SCAN_TILE > SH_SCAN_SPOTS)
		end_unless(s, flush_spots(s));
	for (; hit != 0; hit &= hit - 1)
		s->spot[s->spots++] = (struct sh_spot){ x + (uint32_t)__builtin_ctz(hit), y };
}

/* ---- plain C --------------------------------------------------------------- */

#define NAME(f) f##_portable
#define TARGET
#define TILE struct tile_portable
#define FAR  unsigned

struct tile_portable {
	uint64_t w[SH_SCAN_TILE];
};

static unsigned far_portable(unsigned k)
{
	return k;
}

static inline void load_portable(struct tile_portable *t, const uint64_t *p, unsigned n)
{
	memcpy(t->w, p, n * 64);
}

static inline unsigned popcount_portable(uint64_t x)
{
	x -= (x >> 1) & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
	return (unsigned)(x * 0x0101010101010101ULL >> 56);
}

static inline uint32_t match_portable(
    const struct tile_portable *t, uint64_t y, unsigned k, unsigned n)
{
	uint32_t hit = 0;

	for (unsigned i = 0; i < 8 * n; i++)
		hit |= (uint32_t)(popcount_portable(t->w[i] ^ y) <= k) << i;
	return hit;
}

#include "pair/scan_body.h"

static unsigned distance_portable(const uint64_t *a, const uint64_t *b, unsigned words)
{
	unsigned d = 0;

	for (unsigned i = 0; i < words; i++)
		d += popcount_portable(a[i] ^ b[i]);
	return d;
}

static bool runs_portable(void)
{
	return true;
}

#ifdef HAVE_X86

/* ---- AVX2: a table of nibble counts ------------------------------------------ */

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2,bmi,popcnt")))
#define TILE    struct tile_avx2
#define FAR     __m256i

struct tile_avx2 {
	__m256i v[8];
};

static TARGET inline __m256i far_avx2(unsigned k)
{
	return _mm256_set1_epi64x((long long)k + 1);
}

static TARGET inline __attribute__((always_inline)) void load_avx2(
    struct tile_avx2 *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < 2 * n; i++)
		t->v[i] = _mm256_loadu_si256((const __m256i *)(const void *)(p + (size_t)4 * i));
}

static TARGET inline __attribute__((always_inline)) __m256i count_avx2(__m256i x)
{
	const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0,
	    1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i a = _mm256_shuffle_epi8(counts, _mm256_and_si256(x, low));
	__m256i b = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));

	return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
}

static TARGET inline __attribute__((always_inline)) uint32_t match_avx2(
    const struct tile_avx2 *t, uint64_t y, __m256i far, const unsigned n)
{
	__m256i all = _mm256_set1_epi64x((long long)y), any = _mm256_setzero_si256(), in[8];
	uint32_t hit = 0;

	for (unsigned i = 0; i < 2 * n; i++) {
		in[i] = _mm256_cmpgt_epi64(far, count_avx2(_mm256_xor_si256(t->v[i], all)));
		any = _mm256_or_si256(any, in[i]);
	}
	if (_mm256_testz_si256(any, any))
		return 0;
	for (unsigned i = 0; i < 2 * n; i++)
		hit |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(in[i])) << (4 * i);
	return hit;
}

#include "pair/scan_body.h"

__attribute__((target("popcnt"))) static unsigned distance_popcnt(
    const uint64_t *a, const uint64_t *b, unsigned words)
{
	unsigned d = 0;

	for (unsigned i = 0; i < words; i++)
		d += (unsigned)__builtin_popcountll(a[i] ^ b[i]);
	return d;
}

static bool runs_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("popcnt");
}

/* ---- AVX-512 with a popcount of 64-bit lanes ---------------------------------- */

#define NAME(f) f##_avx512
#define TARGET  __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,bmi,popcnt")))
#define TILE    struct tile_avx512
#define FAR     __m512i

struct tile_avx512 {
	__m512i v[4];
};

static TARGET inline __m512i far_avx512(unsigned k)
{
	return _mm512_set1_epi64((long long)k);
}

static TARGET inline __attribute__((always_inline)) void load_avx512(
    struct tile_avx512 *t, const uint64_t *p, const unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		t->v[i] = _mm512_loadu_si512(p + (size_t)8 * i);
}

static TARGET inline __attribute__((always_inline)) uint32_t match_avx512(
    const struct tile_avx512 *t, uint64_t y, __m512i far, const unsigned n)
{
	__m512i all = _mm512_set1_epi64((long long)y), d[4], least;
	uint32_t hit = 0;

	for (unsigned i = 0; i < n; i++)
		d[i] = _mm512_popcnt_epi64(_mm512_xor_si512(t->v[i], all));
	least = d[0];
	for (unsigned i = 1; i < n; i++)
		least = _mm512_min_epu64(least, d[i]);
	if (__builtin_expect(_mm512_cmple_epu64_mask(least, far) == 0, 1))
		return 0;
	for (unsigned i = 0; i < n; i++)
		hit |= (uint32_t)_mm512_cmple_epu64_mask(d[i], far) << (8 * i);
	return hit;
}

#include "pair/scan_body.h"

static bool runs_avx512(void)
{
	return runs_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vpopcntdq");
}

#endif

const struct sh_kernel sh_kernels[] = {
#ifdef HAVE_X86
	{ "avx512", runs_avx512, scan_avx512, distance_popcnt },
	{ "avx2", runs_avx2, scan_avx2, distance_popcnt },
#endif
	{ "portable", runs_portable, scan_portable, distance_portable },
};

const unsigned sh_kernels_n = sizeof sh_kernels / sizeof *sh_kernels;

const struct sh_kernel *sh_kernel_find(const char *name)
{
	for (unsigned i = 0; i < sh_kernels_n; i++) {
		const struct sh_kernel *kernel = &sh_kernels[i];

		if ((name == NULL || strcmp(name, kernel->name) == 0) && kernel->runs_here())
			return kernel;
	}
	return NULL;
}
