#include "join/near.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

enum {
	COPIED = SH_NEAR_COPIED,
	TILE = 16, /* rests compared at once */
};

/* Passes the matches to s->flush(). Returns false when the scan has ended. */
static bool flush_matches(struct sh_near *s)
{
	size_t n = s->matches;

	s->matches = 0;
	if (n > 0 && !s->ended && !s->flush(s->ctx, s->match, n))
		s->ended = true;
	return !s->ended;
}

static void add_match(struct sh_near *s, uint32_t x, uint32_t y)
{
	if (s->matches == SH_NEAR_MATCHES)
		(void)flush_matches(s);
	s->match[s->matches++] = (struct sh_scan_match){ x, y };
}

/* Returns the position of g->rest[i]. */
static uint32_t position_of(const struct sh_near_gathered *g, uint32_t i)
{
	uint32_t p = g->neighbours - 1;

	while (g->at[p] > i)
		p--;
	return g->from[p] + (i - g->at[p]);
}

/* Returns the number of neighbours with which bucket v is compared: one for each two bits of the
 * key. An odd number of bits adds one when the most significant bit is 1. */
static inline uint32_t count_neighbours(const struct sh_near *s, uint32_t v)
{
	return s->bits / 2 + (s->bits % 2 & v >> (s->bits - 1));
}

/* Returns neighbour i of bucket v: flips bit 2i or bit 2i + 1 of its key. */
static inline uint32_t neighbour(uint32_t v, uint32_t i)
{
	uint32_t equal = ~(v >> 2 * i ^ v >> (2 * i + 1)) & 1;

	return v ^ UINT32_C(1) << (2 * i + equal);
}

/* ---- plain C ------------------------------------------------------------------- */

#define NAME(f) f##_plain
#define TARGET

typedef uint16_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static inline void NAME(copy)(uint16_t *to, const uint16_t *from)
{
	memcpy(to, from, COPIED * sizeof *to);
}

/* Bit i of the result is 1 when lane i of the 16 lanes of a and b is all ones. Each lane must be 0
 * or all ones. */
static inline uint32_t bits_of_lanes(lanes a, lanes b)
{
#ifdef __SSE2__
	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)a, (__m128i)b));
#else
	const lanes low = { 1, 2, 4, 8, 16, 32, 64, 128 };
	halves t = (halves)((a & low) | (b & low << 8));
	uint64_t bits = t[0] | t[1];

	bits |= bits >> 32;
	return (uint32_t)(bits | bits >> 16) & 0xFFFF;
#endif
}

static inline bool NAME(has)(const uint16_t *rest, uint32_t n, uint16_t x)
{
	const lanes all = { x, x, x, x, x, x, x, x };
	lanes a = { 0 }, b = a, y, z;

	for (uint32_t i = 0; i < n; i += TILE) {
		memcpy(&y, rest + i, sizeof y);
		memcpy(&z, rest + i + 8, sizeof z);
		a |= (lanes)(y == all);
		b |= (lanes)(z == all);
	}
	return bits_of_lanes(a, b) != 0;
}

static inline uint32_t NAME(find)(const uint16_t *rest, uint16_t x)
{
	lanes a, b;

	memcpy(&a, rest, sizeof a);
	memcpy(&b, rest + 8, sizeof b);
	return bits_of_lanes((lanes)(a == x), (lanes)(b == x));
}

static inline uint32_t NAME(within_one)(const uint16_t *rest, uint16_t x)
{
	lanes a, b;

	memcpy(&a, rest, sizeof a);
	memcpy(&b, rest + 8, sizeof b);
	a ^= x;
	b ^= x;
	return bits_of_lanes((lanes)((a & (a - 1)) == 0), (lanes)((b & (b - 1)) == 0));
}

#include "join/near_body.h"

void sh_near_plain(struct sh_near *s)
{
	scan_plain(s);
}

#ifdef HAVE_X86

/* ---- AVX2 ---------------------------------------------------------------------- */

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2,bmi,bmi2")))

static TARGET inline __attribute__((always_inline)) __m256i load(const uint16_t *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static TARGET inline __attribute__((always_inline)) void NAME(copy)(
    uint16_t *to, const uint16_t *from)
{
	__m256i a = load(from), b = load(from + TILE);

	_mm256_storeu_si256((__m256i *)(void *)to, a);
	_mm256_storeu_si256((__m256i *)(void *)(to + TILE), b);
}

static TARGET inline __attribute__((always_inline)) bool NAME(has)(
    const uint16_t *rest, uint32_t n, uint16_t x)
{
	const __m256i all = _mm256_set1_epi16((short)x);
	__m256i found = _mm256_setzero_si256(), also = found;

	for (uint32_t i = 0; i < n; i += 4 * TILE) {
		__m256i a = _mm256_cmpeq_epi16(load(rest + i), all);
		__m256i b = _mm256_cmpeq_epi16(load(rest + i + TILE), all);

		a = _mm256_or_si256(a, _mm256_cmpeq_epi16(load(rest + i + 2 * TILE), all));
		b = _mm256_or_si256(b, _mm256_cmpeq_epi16(load(rest + i + 3 * TILE), all));
		found = _mm256_or_si256(found, a);
		also = _mm256_or_si256(also, b);
	}
	found = _mm256_or_si256(found, also);
	return !_mm256_testz_si256(found, found);
}

/* Bit i of the result is 1 when lane i is all ones. Each of the 16 lanes must be 0 or all ones. */
static TARGET inline __attribute__((always_inline)) uint32_t bits_of(__m256i x)
{
	return _pext_u32((uint32_t)_mm256_movemask_epi8(x), UINT32_C(0x55555555));
}

static TARGET inline __attribute__((always_inline)) uint32_t NAME(find)(
    const uint16_t *rest, uint16_t x)
{
	return bits_of(_mm256_cmpeq_epi16(load(rest), _mm256_set1_epi16((short)x)));
}

static TARGET inline __attribute__((always_inline)) uint32_t NAME(within_one)(
    const uint16_t *rest, uint16_t x)
{
	__m256i diff = _mm256_xor_si256(load(rest), _mm256_set1_epi16((short)x));
	__m256i less = _mm256_add_epi16(diff, _mm256_set1_epi16(-1));

	return bits_of(_mm256_cmpeq_epi16(_mm256_and_si256(diff, less), _mm256_setzero_si256()));
}

#include "join/near_body.h"

void sh_near_avx2(struct sh_near *s)
{
	scan_avx2(s);
}

#endif
