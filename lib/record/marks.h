/* Where the TABs and LFs of records stand, and if wanted the blanks between words, and backslashes:
 * found 64 bytes at a time, so that a line can be taken apart without waiting for where the one
 * before ends.
 *
 * All rows give the same places, and t/unit/test_variants.c holds them to it. */
#ifndef SH_RECORD_MARKS_H
#define SH_RECORD_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Bytes behind the text that may be read, and elements behind the last mark that are written. */
enum { SH_MARKS_SLACK = 64 };

struct sh_marks_kernel {
	struct sh_variant variant;
	/* The offsets of all marks among n bytes, ascending: their number. n fits 32 bits. words:
	 * blanks and backslashes are marks, too; set to whether there are any. */
	size_t (*find)(const char *p, size_t n, bool *words, uint32_t *at);
};

extern const struct sh_marks_kernel sh_marks_plain;
#if defined(__x86_64__)
extern const struct sh_marks_kernel sh_marks_sse2, sh_marks_avx2, sh_marks_avx512;
#endif

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_marks_kernel *sh_marks_kernel_at(unsigned i);

#endif
