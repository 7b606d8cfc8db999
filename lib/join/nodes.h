/* Fingerprints with their ids. A node is a distinct fingerprint with the ids of all its records.
 *
 * Only distinct fingerprints are compared; the ids are filled in when pairs are written. Records
 * are gathered as they come. sh_nodes_close() makes nodes of them: one-word fingerprints in the
 * order of their first bits, wider ones in the order of their first records. Memory for a
 * record: its fingerprint and its id (0 or 4 bytes, or 4 bytes and the text); after close 4
 * bytes more, and 12 bytes in `room`. Wider fingerprints take 12 bytes more during close. */
#ifndef SH_JOIN_NODES_H
#define SH_JOIN_NODES_H

#include "base/bytes.h"
#include "join/fpchunk.h"
#include "join/order.h"
#include "record/fingerprint.h"

struct sh_nodes {
	unsigned words;
	uint64_t *fp; /* fingerprint of record i at i * words; after close, of node i */
	size_t records;
	struct sh_node_ids ids; /* by record */

	/* After close. */
	size_t n;      /* number of nodes */
	uint32_t *who; /* by node: its record, or SH_NODES_GROUP plus the number of its group */
	size_t groups; /* number of nodes with several ids; each has a group */
	uint32_t *group_at; /* by group: its first place in `member`; one more for the end */
	uint32_t *member;   /* records, in ascending order of their ids */
	uint64_t repeated;  /* records left out: another record has the same id and fingerprint */

	struct sh_side *room; /* scratch memory, borrowed */
	unsigned threads;     /* of sh_nodes_close() and sh_nodes_sort(); 1 after sh_nodes_init() */
	size_t fp_cap, who_cap;
	uint64_t hash_key;
};

#define SH_NODES_GROUP UINT32_C(0x80000000)
#define SH_NODES_MAX   (SH_NODES_GROUP - 128) /* records */

/* Initialises a set of fingerprints of `words` words. The scratch memory `room` may be shared, and
 * must outlive s. */
int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_side *room, struct sh_error *err);
void sh_nodes_free(struct sh_nodes *s);

/* Forgets all records. Keeps the memory. */
void sh_nodes_clear(struct sh_nodes *s);

/* Adds a record. SH_ERR_RANGE: more than SH_NODES_MAX records. */
int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* Adds the records from .. from+n-1 of a chunk. SH_ERR_RANGE: more than SH_NODES_MAX records. */
int sh_nodes_append(
    struct sh_nodes *s, const struct sh_fp_chunk *c, size_t from, size_t n, struct sh_error *err);

/* Makes the nodes, orders the ids of each node, and leaves repeated records out. Call it after
 * the last record. */
int sh_nodes_close(struct sh_nodes *s, struct sh_error *err);

/* Keeps only the smallest id of each node in `who`: joins no longer see the other ids. */
void sh_nodes_collapse(struct sh_nodes *s);

/* Orders the nodes by their fingerprints; the first bit is the most significant. */
int sh_nodes_sort(struct sh_nodes *s, struct sh_error *err);

/* Returns the first eight bytes of an id from sh_node_ids_get(), as a number that orders as the
 * bytes do. Zeros fill a shorter id. */
static inline uint64_t sh_nodes_prefix(struct sh_slice id)
{
	uint64_t x = sh_be64(id.p);

	return id.n < 8 ? x & UINT64_MAX << (64 - 8 * id.n) : x;
}

/* Returns the records of a node, and their number in *n. The result may be `who` itself, which
 * must not move meanwhile. */
static inline const uint32_t *sh_nodes_records(
    const struct sh_nodes *s, const uint32_t *who, uint32_t *n)
{
	uint32_t group = *who - SH_NODES_GROUP;

	if (*who < SH_NODES_GROUP) {
		*n = 1;
		return who;
	}
	*n = s->group_at[group + 1] - s->group_at[group];
	return s->member + s->group_at[group];
}

/* Returns the memory that the records take, in bytes, without `room`. Counts at least 4 bytes an
 * id. */
size_t sh_nodes_bytes(const struct sh_nodes *s);

#endif
