/* Splits ASCII into words on 64-bit ARM: every processor has NEON. */
#include "base/neon.h"
#include "text/ascii_mask.h"

#if defined(__aarch64__)

static inline void block_neon(const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out,
    struct sh_ascii_masks *m, bool chars)
{
	const uint8x16_t fold = vdupq_n_u8(run->fold ? 32 : 0);
	uint8x16_t word[4], other[4], slash[4], more[4];

	for (unsigned i = 0; i < 4; i++) {
		uint8x16_t v = vld1q_u8(p + 16 * i), low = vorrq_u8(v, vdupq_n_u8(32)), letter;

		letter = vcltq_u8(vsubq_u8(low, vdupq_n_u8('a')), vdupq_n_u8(26));
		word[i] = vcltq_u8(vsubq_u8(v, vdupq_n_u8('0')), vdupq_n_u8(10));
		word[i] = vorrq_u8(word[i], letter);
		other[i] = vcgeq_u8(v, vdupq_n_u8(0x80));
		slash[i] = vceqq_u8(v, vdupq_n_u8('\\'));
		more[i] = vorrq_u8(vceqq_u8(v, vdupq_n_u8('t')), vceqq_u8(v, vdupq_n_u8('n')));
		more[i] = vorrq_u8(more[i], vceqq_u8(v, vdupq_n_u8('r')));
		more[i] = vorrq_u8(more[i], slash[i]);
		low = vorrq_u8(v, vandq_u8(letter, fold));
		vst1q_u8(out + 16 * i, chars ? vbslq_u8(word[i], low, vdupq_n_u8('_')) : low);
	}
	m->word = sh_neon_bits64(word);
	m->other = sh_neon_bits64(other);
	m->backslash = run->escapes ? sh_neon_bits64(slash) : 0;
	m->escapable = sh_neon_bits64(more);
	m->first = m->three = m->han = 0;
}

#define NAME(f) f##_neon
#define TARGET
#define CTZ(x)      __builtin_ctzll((x) | UINT64_C(1) << 63)
#define POPCOUNT(x) __builtin_popcountll(x)
#include "text/ascii_body.h"

const struct sh_ascii_kernel sh_ascii_neon = { { "neon", SH_NEEDS_NOTHING }, words_neon, chars_neon,
	false };

#endif
