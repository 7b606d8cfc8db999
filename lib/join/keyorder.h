/* Whether equal keys of a stream stand together, told without keeping all keys.
 *
 * Keys in ascending or in descending order need no memory. Otherwise the keys met are
 * remembered by a hash, as long as there is room; a stream whose order breaks after
 * that cannot be vouched for, and is refused. */
#ifndef SH_JOIN_KEYORDER_H
#define SH_JOIN_KEYORDER_H

#include "base/buf.h"

#include <stdint.h>

struct sh_keyorder {
	struct sh_buf last;
	bool begun, ascends, descends;
	bool remembers; /* every key so far is in `seen` */
	uint64_t key[2];
	bool hashed;    /* as long as keys ascend, or descend, they are only listed */
	uint64_t *seen; /* hashes, 0 is free */
	size_t n, slots, max;
};

/* max: how many keys may be remembered. */
int sh_keyorder_init(struct sh_keyorder *o, size_t max, struct sh_error *err);
void sh_keyorder_free(struct sh_keyorder *o);

/* The key of the next record: 1 when a bucket begins with it, 0 when it is as before, or
 * -1: SH_ERR_PARAM, the keys are not grouped. */
int sh_keyorder_next(struct sh_keyorder *o, struct sh_slice key, struct sh_error *err);

#endif
