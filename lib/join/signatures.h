/* The join of MinHash signatures over bands, as datasketch's MinHashLSH does it.
 *
 * Band i of a layout of R rows is the values i*R .. i*R+R-1 of a signature. Two signatures with
 * equal values in at least one band are candidates. A candidate is a pair when the number of values
 * that differ is at most `most`. A pair counts in the first band that it shares, so each pair is
 * found once.
 *
 * All signatures are in memory: 4 bytes a value. Time grows with the square of the number of
 * signatures that share a band. */
#ifndef SH_JOIN_SIGNATURES_H
#define SH_JOIN_SIGNATURES_H

#include "base/buf.h"
#include "join/emit.h"

enum {
	SH_SIGNATURE_VALUES_MAX = 1024,
	SH_SIGNATURE_VALUE_DIGITS = 8,
};

/* A zeroed struct is an empty set. */
struct sh_signatures {
	unsigned values; /* of each signature; 0: no signature was added */
	size_t n;
	uint32_t *value;
	size_t *id_end;
	bool *copy; /* by signature: sh_signature_join.collapse leaves it out; NULL: none */
	struct sh_buf ids;
	size_t value_cap, id_cap;
};

/* Adds a record, a line without its LF: signature TAB id. SH_ERR_RECORD: the line has another form,
 * or the signature another width than earlier ones. SH_ERR_RANGE: more than UINT32_MAX records. */
int sh_signatures_add(struct sh_signatures *s, struct sh_slice line, struct sh_error *err);
void sh_signatures_free(struct sh_signatures *s);

struct sh_signature_join {
	unsigned rows, bands; /* rows: values of a band */
	unsigned most;        /* values in which a pair differs, at most */
	/* Of identical signatures only the one of smallest id is paired with other signatures. The
	 * other ones are paired with it alone. With two sets: copies in b are in no pair, copies in
	 * a in all. */
	bool collapse;
	sh_pair_fn *pair;   /* distance: the number of values that differ */
	struct sh_job *out; /* receives the pairs */
};

/* Finds the pairs of a with b. b NULL: the pairs within a, with id1 < id2 by bytes. SH_ERR_PARAM:
 * the widths differ, or bands * rows exceeds the width. */
int sh_signatures_join(const struct sh_signature_join *j, struct sh_signatures *a,
    struct sh_signatures *b, struct sh_error *err);

#endif
