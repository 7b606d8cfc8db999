/* CRC-32C (Castagnoli; reflected polynomial 0x82F63B78) as ClickHouse computes it: the state starts
 * with all bits 1 and is not inverted at the end. */
#ifndef SH_HASH_CRC32C_H
#define SH_HASH_CRC32C_H

#include <stdint.h>

#include "base/slice.h"

#define SH_CRC32C_START UINT32_MAX

/* Returns the state after the bytes of the text. */
uint32_t sh_crc32c(uint32_t state, struct sh_slice text);

#endif
