/* SPDX-License-Identifier: MIT */
/* The two functions of ascii.h for vector instructions. A variant includes this
 * file after it has defined:
 *
 *     NAME(f), TARGET     a name of its own for f; function attributes
 *     CTZ(x)              index of the lowest set bit; any value when x is 0
 *     POPCOUNT(x)         number of set bits
 *     void NAME(block)(const uint8_t *p, const struct sh_ascii_run *run, uint8_t *out,
 *         struct sh_ascii_masks *m, bool chars)
 *                         classifies the 64 bytes at p and writes them folded to out. chars: writes
 *                         '_' for each byte outside of words. SH_ASCII_SEEN bytes are readable at
 *                         p, or 64 bytes with `chars` */
#include <string.h>

/* Writes the index of each set bit, plus base. Returns the end of the indexes. Writes eight at a
 * time, at most seven too many: a loop over single bits would be mispredicted once a block. */
static TARGET inline uint32_t *NAME(put)(uint32_t *to, uint64_t bits, uint32_t base)
{
	unsigned n = (unsigned)POPCOUNT(bits), i, j;

	for (i = 0; i < n; i += 8)
		for (j = i; j < i + 8; j++) {
			to[j] = base + (uint32_t)CTZ(bits);
			bits &= bits - 1;
		}
	return to + n;
}

/* Appends the folded bytes to run->text, and the ranges of the tokens. */
static TARGET void NAME(words)(struct sh_ascii_run *run)
{
	struct sh_ascii_state s = sh_ascii_begin(run);
	const uint8_t *p = run->p;
	uint8_t last[SH_ASCII_SEEN];
	uint32_t *start = run->start + run->n + run->open, *end = run->end + run->n;
	size_t used = run->used, k;

	for (;; p += 64, used += 64) {
		size_t left = (size_t)(run->lim - p);
		struct sh_ascii_masks m;
		uint64_t valid, follows;

		if (left < SH_ASCII_SEEN) { /* bytes from lim on must not be read */
			memset(last, 0, sizeof last);
			memcpy(last, p, left);
		}
		NAME(block)(left < SH_ASCII_SEEN ? last : p, run, run->text + used, &m, false);
		valid = sh_ascii_valid(sh_ascii_unknown(&s, &m), left);
		follows = sh_ascii_step(&s, &m, valid);
		start = NAME(put)(start, sh_ascii_starts(&s, &m, valid, follows), (uint32_t)used);
		end = NAME(put)(end, sh_ascii_ends(&s, &m, valid, follows), (uint32_t)used);
		if (valid != UINT64_MAX) {
			k = (size_t)POPCOUNT(valid);
			sh_ascii_end(run, &s, follows, k);
			break;
		}
	}
	run->p = p + k;
	run->used = used + k;
	run->n = (size_t)(end - run->end);
}

/* Copies the bytes whose bits in `keep` are 1. Returns the end of the copy. Each sequence of these
 * bytes is one copy of 64 bytes; the next copy overwrites the surplus. */
static TARGET inline uint8_t *NAME(pack)(uint8_t *to, const uint8_t *from, uint64_t keep)
{
	while (keep) {
		unsigned at = (unsigned)CTZ(keep), n;
		uint64_t rest = ~(keep >> at);

		n = rest ? (unsigned)CTZ(rest) : 64;
		memcpy(to, from + at, 64);
		to += n;
		keep = at + n < 64 ? keep >> (at + n) << (at + n) : 0;
	}
	return to;
}

/* Appends the folded bytes of words to run->text, with one '_' behind each word. */
static TARGET void NAME(chars)(struct sh_ascii_run *run)
{
	struct sh_ascii_state s = sh_ascii_begin(run);
	const uint8_t *p = run->p;
	uint8_t last[64] = { 0 }, block[128] = { 0 }, *to = run->text + run->used;
	size_t k;

	for (;; p += 64) {
		size_t left = (size_t)(run->lim - p);
		struct sh_ascii_masks m;
		uint64_t valid, follows;

		if (left < 64)
			memcpy(last, p, left);
		NAME(block)(left < 64 ? last : p, run, block, &m, true);
		valid = sh_ascii_valid(m.other, left);
		follows = sh_ascii_step(&s, &m, valid);
		to = NAME(pack)(to, block, (s.word | follows) & valid);
		if (valid != UINT64_MAX) {
			k = (size_t)POPCOUNT(valid);
			sh_ascii_end(run, &s, follows, k);
			break;
		}
	}
	run->p = p + k;
	run->used = (size_t)(to - run->text);
}

#undef NAME
#undef TARGET
#undef CTZ
#undef POPCOUNT
