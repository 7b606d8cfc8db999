#include "io/newlines.h"

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_newlines_avx512.variant,
	&sh_newlines_avx2.variant,
#endif
	&sh_newlines_plain.variant,
};

const struct sh_newlines_kernel *sh_newlines_kernel_at(unsigned i)
{
	return (const struct sh_newlines_kernel *)sh_variant_at(
	    rows, sizeof rows / sizeof *rows, i);
}

static uint64_t count(const char *p, size_t n)
{
	enum { ROW = 64 };
	uint64_t lines = 0;

	/* 64 counters of one byte each, which the compiler keeps in vector registers. A counter can count to
	 * 255. */
	while (n >= ROW) {
		size_t rows_left = n / ROW < 255 ? n / ROW : 255;
		unsigned char counts[ROW] = { 0 };

		n -= rows_left * ROW;
		for (; rows_left; rows_left--, p += ROW)
			for (unsigned i = 0; i < ROW; i++)
				counts[i] = (unsigned char)(counts[i] + (p[i] == '\n'));
		for (unsigned i = 0; i < ROW; i++)
			lines += counts[i];
	}
	for (; n; n--)
		lines += *p++ == '\n';
	return lines;
}

const struct sh_newlines_kernel sh_newlines_plain = { { "plain", SH_NEEDS_NOTHING }, count };
