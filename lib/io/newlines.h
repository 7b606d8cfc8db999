/* Counts LFs, for the line numbers of chunks.
 *
 * All rows give the same counts; t/unit/test_variants.c compares them. */
#ifndef SH_IO_NEWLINES_H
#define SH_IO_NEWLINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

struct sh_newlines_kernel {
	struct sh_variant variant;
	/* Returns the number of LFs among n bytes. Reads no byte behind them. */
	uint64_t (*count)(const char *p, size_t n);
};

extern const struct sh_newlines_kernel sh_newlines_plain;
#if defined(__x86_64__)
extern const struct sh_newlines_kernel sh_newlines_avx2, sh_newlines_avx512;
#endif

/* Returns row i of the rows that this machine can run, the fastest first; NULL after the last. */
const struct sh_newlines_kernel *sh_newlines_kernel_at(unsigned i);

#endif
