/* SPDX-License-Identifier: MIT */
#include "fp/format.h"

#include <string.h>

#include "base/num.h"
#include "base/rows.h"

/* Stores the number fp[0 .. n-1], most significant word first, without the last `shift` bits. */
static void shift_right(uint64_t *w, const uint64_t *fp, unsigned n, unsigned shift)
{
	for (unsigned i = 0; i < n; i++)
		w[i] = shift ? fp[i] >> shift | (i ? fp[i - 1] << (64 - shift) : 0) : fp[i];
}

static size_t print_hex(char *out, const uint64_t *fp, unsigned bits)
{
	uint64_t w[SH_FP_MAX_WORDS];

	/* The digits need no more words. */
	shift_right(w, fp, SH_FP_WORDS(bits), (4 - bits % 4) % 4);
	return sh_print_hex(out, w, (bits + 3) / 4);
}

static size_t print_bare(char *out, const uint64_t *fp, unsigned bits)
{
	size_t n = print_hex(out, fp, bits), zeros = 0;

	while (zeros + 1 < n && out[zeros] == '0')
		zeros++;
	memmove(out, out + zeros, n - zeros);
	return n - zeros;
}

static size_t print_bin(char *out, const uint64_t *fp, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++)
		out[i] = (char)('0' + (fp[i / 64] >> (63 - i % 64) & 1));
	return bits;
}

static size_t print_nib(char *out, const uint64_t *fp, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++)
		out[bits - 1 - i] = (char)('0' + (fp[i / 64] >> (63 - i % 64) & 1));
	return bits;
}

/* Divides the number w[0 .. n-1], most significant word first, by 10. Returns the remainder. */
static unsigned divide_by_10(uint64_t *w, unsigned n)
{
	unsigned remainder = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t high = (uint64_t)remainder << 32 | w[i] >> 32;
		uint64_t low = high % 10 << 32 | (w[i] & UINT32_MAX);

		w[i] = high / 10 << 32 | low / 10;
		remainder = (unsigned)(low % 10);
	}
	return remainder;
}

static bool is_zero(const uint64_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (w[i])
			return false;
	return true;
}

static size_t print_dec(char *out, const uint64_t *fp, unsigned bits)
{
	uint64_t w[SH_FP_MAX_WORDS];
	unsigned n = SH_FP_WORDS(bits);
	char digits[SH_FORMAT_MAX];
	size_t len = 0;

	shift_right(w, fp, n, (64 - bits % 64) % 64);
	do {
		digits[len++] = (char)('0' + divide_by_10(w, n));
	} while (!is_zero(w, n));
	for (size_t i = 0; i < len; i++)
		out[i] = digits[len - 1 - i];
	return len;
}

/* A fingerprint is a number. Bit 0 is its most significant bit. */
static const struct sh_fp_format rows[] = {
	/* (bits + 3) / 4 hexadecimal digits. A width that is no multiple of 4 gets zero bits in
	 * front, so the digits are the digits of other systems, except for leading zeros. */
	{ .name = "hex", .print = print_hex },
	/* bits binary digits, bit 0 first */
	{ .name = "bin", .print = print_bin },
	/* bits binary digits, bit 0 last */
	{ .name = "nib", .print = print_nib },
	/* decimal digits, without leading zeros */
	{ .name = "dec", .print = print_dec },
	/* hexadecimal digits without leading zeros, as by printf's %x */
	{ .name = "bare", .print = print_bare },
};

const struct sh_fp_format *sh_fp_format_at(unsigned i)
{
	return sh_row_at(SH_ROWS(rows), i);
}

const struct sh_fp_format *sh_fp_format_find(const char *name)
{
	return sh_row_find(SH_ROWS(rows), name);
}
