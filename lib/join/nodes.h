/* Fingerprints with their ids, identical fingerprints as one node with many ids.
 *
 * Only distinct fingerprints are compared; a node's ids are put in when pairs are
 * written. Records are gathered as they come and made into nodes by close: those of one
 * word in order of their first bits, wider ones in order of first occurrence. Memory: a
 * record's fingerprint and its id (ids.h: nothing, 4 bytes, or its text and 4 bytes); from close on 4
 * bytes more, and 12 in the room that is lent (wider fingerprints: 12 of their own, while it works). */
#ifndef SH_JOIN_NODES_H
#define SH_JOIN_NODES_H

#include <sys/types.h>

#include "base/bytes.h"
#include "join/ids.h"
#include "join/order.h"
#include "record/fingerprint.h"
#include "record/fpline.h"

struct sh_nodes {
	unsigned words;
	uint64_t *fp; /* of record i at i * words; after close of node i */
	size_t records;
	struct sh_node_ids ids; /* of the records */

	/* After close. */
	size_t n;           /* nodes */
	uint32_t *who;      /* by node: its record, or SH_NODES_GROUP and a group's number */
	size_t groups;      /* nodes of several ids */
	uint32_t *group_at; /* by group: where it begins in `member`; then the end of the last */
	uint32_t *member;   /* records, in ascending order of their ids */
	uint64_t repeated;  /* records with the id and fingerprint of another, left out */

	struct sh_side *room; /* borrowed */
	size_t fp_cap, who_cap;
	uint64_t hash_key;
};

#define SH_NODES_GROUP UINT32_C(0x80000000)
#define SH_NODES_MAX   (SH_NODES_GROUP - 128) /* records */

/* Fingerprints of `words` words; room may be shared, and must outlive s. */
int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_side *room, struct sh_error *err);
void sh_nodes_free(struct sh_nodes *s);

/* Forget all records; memory is kept. */
void sh_nodes_clear(struct sh_nodes *s);

/* Have room for the fingerprints of `more` records. SH_ERR_RANGE: SH_NODES_MAX at the most. */
int sh_nodes_reserve(struct sh_nodes *s, size_t more, struct sh_error *err);

/* SH_ERR_RANGE: as above. */
int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* Adds at most `max` records of this form from the beginning of the text. SH_PAD bytes behind the text
 * must be readable. Stops before the first line that sh_fp_line() does not read: sh_record_fp() decides
 * about that line. Returns the number of bytes taken, or -1; *lines is the number of records. */
ssize_t sh_nodes_take(struct sh_nodes *s, struct sh_slice text, const struct sh_fp_form *form,
    size_t max, size_t *lines, struct sh_error *err);

/* After the last record: make nodes, order each node's ids, leave repeated ones out. */
int sh_nodes_close(struct sh_nodes *s, struct sh_error *err);

/* Leave only the smallest of each node's ids in `who`: to joins the others are not there any more. */
void sh_nodes_collapse(struct sh_nodes *s);

/* Order the nodes by their fingerprints, the first bit the most significant. */
int sh_nodes_sort(struct sh_nodes *s, struct sh_error *err);

/* What ids are ordered by first: the first eight bytes of one from sh_node_ids_get(), zeros behind a shorter
 * one. */
static inline uint64_t sh_nodes_prefix(struct sh_slice id)
{
	uint64_t x = sh_be64(id.p);

	return id.n < 8 ? x & UINT64_MAX << (64 - 8 * id.n) : x;
}

/* The records of a node, *n of them; `who` must stay where it is meanwhile. */
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

/* Memory that the records take, in bytes, the room not counted; each id 4 bytes at least. */
size_t sh_nodes_bytes(const struct sh_nodes *s);

#endif
