/* The records of one bucket, in memory, or when they do not fit there in a temporary
 * file, to be read back in parts that do.
 *
 * Records that went to the file come back sorted by fingerprint and id, repeated ones
 * once. A fingerprint with more ids than a part holds is then a node of several parts. */
#ifndef SH_JOIN_PARTS_H
#define SH_JOIN_PARTS_H

#include "io/runs.h"
#include "join/emit.h"

struct sh_parts {
	unsigned words;
	struct sh_nodes nodes; /* of the part in memory */
	size_t memory;         /* bytes a part may take */
	struct sh_runs runs;   /* what did not fit, sorted runs */
	struct sh_runs sorted; /* the same as one run a part, after close */
	size_t n;              /* parts, after close */
	size_t loaded;         /* which of them is in `nodes` */
	struct sh_nodes later; /* a second part, while it is joined with that */
	uint64_t repeated;     /* records left out: another has the same id and fingerprint */

	/* Of a fingerprint's ids in the file only the smallest comes back; the others are
	 * handed to `copy`, when there is one, as pairs with it. */
	bool first_only;
	sh_pair_fn *copy;
	void *arg;
};

/* Fingerprints of `words` words; room is lent to the nodes and to joins of them. */
int sh_parts_init(struct sh_parts *p, unsigned words, size_t memory, struct sh_side *room,
    const char *tmpdir, struct sh_error *err);
void sh_parts_free(struct sh_parts *p);
void sh_parts_clear(struct sh_parts *p);

int sh_parts_add(struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* Records from the beginning of a text, as sh_nodes_take() takes them. */
ssize_t sh_parts_take(struct sh_parts *p, struct sh_slice text, const struct sh_fp_form *form,
    size_t *lines, struct sh_error *err);

/* After the last record. */
int sh_parts_close(struct sh_parts *p, struct sh_error *err);

/* What to do with a part, and with two different ones; 0 or -1. */
struct sh_parts_join {
	int (*self)(void *arg, struct sh_nodes *part, struct sh_error *err);
	int (*cross)(void *arg, struct sh_nodes *a, struct sh_nodes *b, struct sh_error *err);
	void *arg;
};

/* After close: every part with itself and with every later one. */
int sh_parts_join_self(struct sh_parts *p, const struct sh_parts_join *join, struct sh_error *err);

/* After close: every part of a with every part of b. */
int sh_parts_join_cross(
    struct sh_parts *a, struct sh_parts *b, const struct sh_parts_join *join, struct sh_error *err);

#endif
