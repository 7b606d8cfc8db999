/* Fingerprints with their ids, identical fingerprints as one node with many ids.
 *
 * Only distinct fingerprints are compared; a node's ids are put in when pairs are
 * written. Records are gathered as they come and made into nodes by close, in order of
 * first occurrence. Memory: a record's fingerprint, its id with 8 bytes for its place,
 * and from close on 8 bytes (20 while it works). */
#ifndef SH_PAIR_NODES_H
#define SH_PAIR_NODES_H

#include "base/buf.h"
#include "fp/fingerprint.h"

struct sh_nodes {
	unsigned words;
	uint64_t *fp; /* of record i at i * words; after close of node i */
	size_t records;
	uint64_t *id; /* by record: where its id begins in ids, then the end of the last */
	struct sh_buf ids;

	/* After close. */
	size_t n;          /* nodes */
	uint32_t *head;    /* by node: its record with the smallest id */
	uint32_t *next;    /* by record: the node's next in order of ids, or SH_NODES_END */
	uint64_t repeated; /* records with the id and fingerprint of another, left out */

	size_t fp_cap, id_cap, head_cap, next_cap;
	uint64_t hash_key;
};

#define SH_NODES_END UINT32_MAX

/* Fingerprints of `words` words. */
int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_error *err);
void sh_nodes_free(struct sh_nodes *s);

/* Forget all records; memory is kept. */
void sh_nodes_clear(struct sh_nodes *s);

/* SH_ERR_RANGE: 2^32-1 records at the most. */
int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* After the last record: make nodes, order each node's ids, leave repeated ones out. */
int sh_nodes_close(struct sh_nodes *s, struct sh_error *err);

static inline struct sh_slice sh_nodes_id(const struct sh_nodes *s, uint32_t record)
{
	return sh_slice(s->ids.p + s->id[record], s->id[record + 1] - s->id[record]);
}

/* Memory that the records take, in bytes. */
size_t sh_nodes_bytes(const struct sh_nodes *s);

#endif
