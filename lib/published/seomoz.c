/* SPDX-License-Identifier: MIT */
/* seomoz: simhash-cpp, its hash of text before version 0.2. */
#include <string.h>

#include "base/bytes.h"
#include "published/rules.h"

static bool is_no_letter(uint32_t c)
{
	return (c | 32) < 'a' || (c | 32) > 'z';
}

/* The text ends at its first NUL, as a C string does. */
int sh_cut_alpha(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	const uint8_t *nul = p < end ? memchr(p, '\0', (size_t)(end - p)) : NULL;

	return sh_cut_runs(t, p, nul ? nul : end, is_no_letter, err);
}

static uint64_t reverse(uint64_t x)
{
	x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(x);
}

void sh_hash_seomoz(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	const char *p = text.p, *end = text.p + text.n, *space;
	uint64_t h = 0;

	(void)words;
	do {
		space = p < end ? memchr(p, ' ', (size_t)(end - p)) : NULL;
		h = sh_rotl64(h, 1) ^
		    sh_jenkins(sh_slice(p, (size_t)((space ? space : end) - p)), seed);
		p = space ? space + 1 : end;
	} while (space);
	*out = reverse(h);
}
