/* How many LFs there are: of every block that is read, for the numbers of its lines.
 *
 * All rows count the same, and t/unit/test_variants.c holds them to it. */
#ifndef SH_IO_NEWLINES_H
#define SH_IO_NEWLINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

struct sh_newlines_kernel {
	struct sh_variant variant;
	/* Among n bytes, behind which none is read. */
	uint64_t (*count)(const char *p, size_t n);
};

extern const struct sh_newlines_kernel sh_newlines_plain;
#if defined(__x86_64__)
extern const struct sh_newlines_kernel sh_newlines_avx2, sh_newlines_avx512;
#endif

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_newlines_kernel *sh_newlines_kernel_at(unsigned i);

#endif
