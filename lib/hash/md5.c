#include "hash/md5.h"

#include <stdbool.h>

#include "base/bytes.h"
#include "hash/md5_kernel.h"
#include "hash/mix.h"

enum { BLOCK = 64, LENGTH_AT = 56 };

static void compress(uint32_t s[4], const unsigned char *p)
{
	uint32_t m[16], a = s[0], b = s[1], c = s[2], d = s[3];

	for (unsigned i = 0; i < 16; i++)
		m[i] = sh_le32(p + 4 * i);
	SH_MD5_ROUNDS;
	s[0] += a;
	s[1] += b;
	s[2] += c;
	s[3] += d;
}

/* Hashes the `held` bytes of block[] followed by the text, in whole blocks. Keeps the bytes after
 * the last whole block in block[]. Returns their number. */
static size_t add_blocks(
    uint32_t s[4], unsigned char block[BLOCK], size_t held, struct sh_slice text)
{
	size_t n;

	while (text.n) {
		if (!held && text.n >= BLOCK) {
			compress(s, (const unsigned char *)text.p);
			n = BLOCK;
		} else {
			n = text.n < BLOCK - held ? text.n : BLOCK - held;
			memcpy(block + held, text.p, n);
			held += n;
			if (held == BLOCK) {
				compress(s, block);
				held = 0;
			}
		}
		text.p += n;
		text.n -= n;
	}
	return held;
}

void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES])
{
	uint32_t s[4] = { SH_MD5_A, SH_MD5_B, SH_MD5_C, SH_MD5_D };
	unsigned char block[BLOCK];
	size_t held;
	unsigned i;

	held = add_blocks(s, block, 0, head);
	held = add_blocks(s, block, held, text);
	block[held++] = 0x80;
	if (held > LENGTH_AT) {
		memset(block + held, 0, BLOCK - held);
		compress(s, block);
		held = 0;
	}
	memset(block + held, 0, LENGTH_AT - held);
	sh_put_le64(block + LENGTH_AT, ((uint64_t)head.n + text.n) * 8);
	compress(s, block);
	for (i = 0; i < 4; i++)
		sh_put_le32(digest + 4 * i, s[i]);
}

/* ---- several short texts at once --------------------------------------------------------- */

/* Messages of one block each, one in each lane. */
struct lanes {
	uint32_t word[16][SH_MD5_LANES], state[4][SH_MD5_LANES];
	size_t at[SH_MD5_LANES]; /* index of the text of each lane */
	unsigned n;              /* lanes in use */
	bool many;               /* a word other than the first four and the length is not 0 */
};

/* Returns bytes from .. from + 7 of a block whose byte n is 0x80, and whose other bytes are 0. */
static inline uint64_t end_of_text(size_t n, size_t from)
{
	return n - from < 8 ? UINT64_C(0x80) << 8 * (n - from) : 0;
}

/* Puts a text of at most 15 bytes into lane l->n. */
static inline void put_short(struct lanes *l, struct sh_slice text)
{
	uint64_t a, b;

	sh_mix_words(text.p, text.n, &a, &b);
	a |= end_of_text(text.n, 0);
	b |= end_of_text(text.n, 8);
	l->word[0][l->n] = (uint32_t)a;
	l->word[1][l->n] = (uint32_t)(a >> 32);
	l->word[2][l->n] = (uint32_t)b;
	l->word[3][l->n] = (uint32_t)(b >> 32);
}

static void put(struct lanes *l, struct sh_slice head, struct sh_slice text)
{
	unsigned char block[LENGTH_AT] = { 0 };

	if (head.n)
		memcpy(block, head.p, head.n);
	if (text.n)
		memcpy(block + head.n, text.p, text.n);
	block[head.n + text.n] = 0x80;
	for (unsigned i = 0; i < LENGTH_AT / 4; i++)
		l->word[i][l->n] = sh_le32(block + 4 * i);
	l->many = true;
}

static void flush(struct lanes *l, const struct sh_md5_kernel *kernel, uint32_t (*state)[4])
{
	kernel->block(l->word, l->state);
	for (unsigned k = 0; k < l->n; k++)
		for (unsigned i = 0; i < 4; i++)
			state[l->at[k]][i] = l->state[i][k];
	if (l->many)
		memset(l->word, 0, sizeof l->word);
	l->many = false;
	l->n = 0;
}

void sh_md5_many(const struct sh_md5_kernel *kernel, struct sh_slice head,
    const struct sh_slice *text, size_t n, uint32_t (*state)[4])
{
	struct lanes l;
	unsigned char digest[SH_MD5_BYTES];

	memset(&l, 0, sizeof l);
	for (size_t i = 0; i < n; i++) {
		size_t all = head.n + text[i].n;

		if (all >= LENGTH_AT) {
			sh_md5(head, text[i], digest);
			for (unsigned k = 0; k < 4; k++)
				state[i][k] = sh_le32(digest + 4 * k);
			continue;
		}
		if (all < 16 && head.n == 0)
			put_short(&l, text[i]);
		else
			put(&l, head, text[i]);
		l.word[LENGTH_AT / 4][l.n] = (uint32_t)all * 8;
		l.at[l.n++] = i;
		if (l.n == SH_MD5_LANES)
			flush(&l, kernel, state);
	}
	if (l.n)
		flush(&l, kernel, state);
}

/* ---- rows of variants -------------------------------------------------------------------- */

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_md5_avx512.variant,
	&sh_md5_avx2.variant,
#endif
	&sh_md5_plain.variant,
};

const struct sh_md5_kernel *sh_md5_kernel_at(unsigned i)
{
	return (const struct sh_md5_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}
