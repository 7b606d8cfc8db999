/* SPDX-License-Identifier: MIT */
/* Counts ids that occur again after other ids, in records grouped by id.
 *
 * A repeated id begins another document. Usually this is a mistake: the lines were sorted by
 * another field, or two documents have one id. A program warns with the count. The struct remembers
 * 2^14 ids, as hashes of 64 bits. An id that occurs again much later may be missed. An id is
 * counted wrongly with probability 2^-50, unless ids are constructed to have equal hashes. */
#ifndef SH_RECORD_PAST_IDS_H
#define SH_RECORD_PAST_IDS_H

#include "base/error.h"
#include "base/slice.h"

/* Bytes of an id that are stored for the message. */
enum { SH_PAST_IDS_SHOWN = 80 };

struct sh_past_ids {
	uint64_t *slots; /* by the top 14 bits of hashes: the last hash; 0: none */
	uint64_t again;  /* documents whose id occurred before */
	/* The first repeated id, perhaps cut, and where it occurred again. */
	char id[SH_PAST_IDS_SHOWN];
	size_t id_n;
	const char *file;
	uint64_t line;
};

/* Call sh_past_ids_free() also after a failure. */
int sh_past_ids_init(struct sh_past_ids *p, struct sh_error *err);
void sh_past_ids_free(struct sh_past_ids *p);

/* Returns the hash of an id. Any thread may compute it. */
uint64_t sh_past_ids_hash(struct sh_slice id);

/* Counts a document that begins at this line. hash: of its id. Two successive calls must have
 * different ids. Borrows the file name. */
void sh_past_ids_begin(
    struct sh_past_ids *p, uint64_t hash, struct sh_slice id, const char *file, uint64_t line);

#endif
