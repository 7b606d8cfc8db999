/* SPDX-License-Identifier: MIT */
/* Detects repeated ids by their hashes, in bounded memory. */
#ifndef SH_INGEST_IDS_H
#define SH_INGEST_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

#define SH_IDS_MAX (UINT32_C(1) << 22) /* ids remembered: 64 MiB, 96 MiB while the table grows */

struct sh_ids {
	uint64_t hash_key[2];
	uint64_t *slot; /* 2^bits hashes, 0 where free */
	unsigned bits;
	uint32_t n;
	bool full; /* an id was not remembered, since n is SH_IDS_MAX */
};

int sh_ids_init(struct sh_ids *ids, struct sh_error *err);
void sh_ids_free(struct sh_ids *ids);

/* Remembers the id, unless SH_IDS_MAX ids are remembered. Sets *again to whether it was remembered
 * before. */
int sh_ids_add(struct sh_ids *ids, struct sh_slice id, bool *again, struct sh_error *err);

#endif
