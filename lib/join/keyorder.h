/* Checks that equal keys of a stream are adjacent, without keeping all keys.
 *
 * Ascending or descending keys need no memory. For other orders the hashes of the keys are kept,
 * up to a limit. A stream whose order breaks beyond the limit cannot be checked, and is refused. */
#ifndef SH_JOIN_KEYORDER_H
#define SH_JOIN_KEYORDER_H

#include "base/buf.h"

#include <stdint.h>

struct sh_keyorder {
	struct sh_buf last; /* key of the previous record */
	bool begun, ascends, descends;
	bool remembers; /* `seen` has every key so far */
	uint64_t key[2];
	bool hashed;    /* `seen` is a hash table; false while keys ascend or descend: a list */
	uint64_t *seen; /* hashes; 0 is a free slot */
	size_t n, slots, max;
};

/* max: the most keys that are remembered. */
int sh_keyorder_init(struct sh_keyorder *o, size_t max, struct sh_error *err);
void sh_keyorder_free(struct sh_keyorder *o);

/* Checks the key of the next record. Returns 1 when the key is new, 0 when it equals the key of the
 * previous record, or -1. SH_ERR_PARAM: equal keys are not adjacent, or this cannot be checked. */
int sh_keyorder_next(struct sh_keyorder *o, struct sh_slice key, struct sh_error *err);

#endif
