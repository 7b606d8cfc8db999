/* How many ids came again: by their hashes, in bounded memory. */
#ifndef SH_INGEST_IDS_H
#define SH_INGEST_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

#define SH_IDS_MAX (UINT32_C(1) << 22) /* compared with; 64 MB at most */

struct sh_ids {
	uint64_t hash_key[2];
	uint64_t *slot; /* hashes, 0 where free */
	unsigned bits;
	uint32_t n;
	bool full; /* ids came that are not remembered */
};

int sh_ids_init(struct sh_ids *ids, struct sh_error *err);
void sh_ids_free(struct sh_ids *ids);

/* Remember the id while there is room: *again when it was seen. */
int sh_ids_add(struct sh_ids *ids, struct sh_slice id, bool *again, struct sh_error *err);

#endif
