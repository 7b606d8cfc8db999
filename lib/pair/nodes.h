/* Fingerprints with their ids, identical fingerprints as one node with many ids.
 *
 * Only distinct fingerprints are compared; a node's ids are put in when pairs are
 * written. Memory: 8 bytes a word of a distinct fingerprint, 20 bytes a record, and
 * the ids. */
#ifndef SH_PAIR_NODES_H
#define SH_PAIR_NODES_H

#include "base/buf.h"
#include "fp/fingerprint.h"

struct sh_nodes {
	unsigned words;
	uint64_t *fp; /* of node i at i * words */
	size_t n;     /* nodes */
	size_t records;
	uint64_t repeated; /* records with the id and fingerprint of another, left out by close */

	uint32_t *head; /* by node: its first record; after close the one with the smallest id */
	uint32_t *next; /* by record: the node's next, or SH_NODES_END; ascending ids after close */
	uint64_t *id;   /* by record: where its id begins in ids, then the end of the last */
	struct sh_buf ids;
	uint32_t *slots; /* hash table of nodes, empty when there are few */
	size_t n_slots;
	uint64_t hash_key;
	size_t fp_cap, head_cap, next_cap, id_cap;
};

#define SH_NODES_END UINT32_MAX

/* Fingerprints of `words` words. */
int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_error *err);
void sh_nodes_free(struct sh_nodes *s);

/* Forget all records; memory is kept. */
void sh_nodes_clear(struct sh_nodes *s);

/* SH_ERR_RANGE: 2^32-1 records at the most. */
int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* After the last record: order each node's ids, leave repeated ones out. */
int sh_nodes_close(struct sh_nodes *s, struct sh_error *err);

static inline struct sh_slice sh_nodes_id(const struct sh_nodes *s, uint32_t record)
{
	return sh_slice(s->ids.p + s->id[record], s->id[record + 1] - s->id[record]);
}

/* Memory in use, in bytes. */
size_t sh_nodes_bytes(const struct sh_nodes *s);

#endif
