/* Finds marks, 64 bytes at a time: TABs and LFs of records, and on request blanks and backslashes.
 * Lines can then be split independently of each other. */
#ifndef SH_RECORD_MARKS_H
#define SH_RECORD_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Bytes that find() may read behind the text, and elements it may write behind the last mark. */
enum { SH_MARKS_SLACK = 64 };

struct sh_marks_kernel {
	struct sh_variant variant;
	/* Writes the offsets of all marks among n < 2^32 bytes to mark[], ascending. Returns the
	 * number of marks. When *blanks is true, blanks and backslashes are marks, too, and the
	 * call sets *blanks to false when the text has none. */
	size_t (*find)(const char *p, size_t n, bool *blanks, uint32_t *mark);
};

extern const struct sh_marks_kernel sh_marks_plain;
#if defined(__x86_64__)
extern const struct sh_marks_kernel sh_marks_sse2, sh_marks_avx2;
#endif

/* Returns row i of sh_variant_at() (base/variant.h): the fastest is 0. NULL: no more rows. */
const struct sh_marks_kernel *sh_marks_kernel_at(unsigned i);

#endif
