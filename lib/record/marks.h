/* Finds the TABs and LFs of records, and on request blanks and backslashes, 64 bytes at a time.
 * Lines can then be split independently of each other.
 *
 * All rows give the same offsets (t/unit/test_variants.c). */
#ifndef SH_RECORD_MARKS_H
#define SH_RECORD_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Number of bytes behind the text that may be read, and of elements of at[] behind the last mark that may
 * be written. */
enum { SH_MARKS_SLACK = 64 };

struct sh_marks_kernel {
	struct sh_variant variant;
	/* Writes the offsets of all marks among n < 2^32 bytes, in ascending order, to at[]. Returns their
	 * number. When *words is true, blanks and backslashes are marks, too, and *words is set to whether
	 * the text has any of them. */
	size_t (*find)(const char *p, size_t n, bool *words, uint32_t *at);
};

extern const struct sh_marks_kernel sh_marks_plain;
#if defined(__x86_64__)
extern const struct sh_marks_kernel sh_marks_sse2, sh_marks_avx2;
#endif

/* Returns row i of the rows that this machine can run, the fastest first; NULL after the last. */
const struct sh_marks_kernel *sh_marks_kernel_at(unsigned i);

#endif
