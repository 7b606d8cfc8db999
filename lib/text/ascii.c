/* SPDX-License-Identifier: MIT */
#include "text/ascii.h"

#include "record/escape.h"

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_ascii_avx512.variant,
	&sh_ascii_avx2.variant,
#endif
	&sh_ascii_plain.variant,
};

const struct sh_ascii_kernel *sh_ascii_kernel_at(unsigned i)
{
	return (const struct sh_ascii_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}

/* ---- byte by byte: the other variants are compared with this one ------------------ */

/* Returns the folded form of the byte at run->p, 0 for a separator, or -1 when it is not ASCII.
 * Updates run->escaped and run->pending. */
static int next(struct sh_ascii_run *run)
{
	uint8_t c = *run->p;
	bool behind = run->pending;

	if (c >= 0x80)
		return -1;
	run->pending = false;
	run->escaped = false;
	if (run->escapes && behind && sh_unescaped((char)c)) {
		run->escaped = true;
		return 0;
	}
	if (run->escapes && c == '\\') {
		run->pending = run->escaped = true;
		return 0;
	}
	return run->table[c];
}

static void words(struct sh_ascii_run *run)
{
	int c;

	for (run->escaped = false; run->p < run->lim && (c = next(run)) >= 0; run->p++) {
		if (c && !run->open)
			run->start[run->n] = (uint32_t)run->used;
		if (!c && run->open)
			run->end[run->n++] = (uint32_t)run->used;
		run->open = c != 0;
		run->text[run->used++] = (uint8_t)c;
	}
}

static void chars(struct sh_ascii_run *run)
{
	int c;

	for (run->escaped = false; run->p < run->lim && (c = next(run)) >= 0; run->p++) {
		if (c || run->open)
			run->text[run->used++] = c ? (uint8_t)c : '_';
		run->open = c != 0;
	}
}

const struct sh_ascii_kernel sh_ascii_plain = {
	.variant = { "plain", SH_NEEDS_NOTHING }, .words = words, .chars = chars
};
