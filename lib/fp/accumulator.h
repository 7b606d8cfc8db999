/* SPDX-License-Identifier: MIT */
/* Computes a document's fingerprint from the texts and weights of its features: the last step of
 * shtok | shweight | shfp. */
#ifndef SH_FP_ACCUMULATOR_H
#define SH_FP_ACCUMULATOR_H

#include "base/buf.h"
#include "fp/fingerprinter.h"
#include "fp/simhash.h"
#include "published/sums.h"

struct sh_accumulator {
	const struct sh_fingerprint_opts *opts; /* hash, seed, bits, tie, scheme, real, rounded */
	struct sh_simhash simhash;
	uint64_t *hash; /* of each feature, without a scheme */
	size_t n, cap;
	struct sh_doubles doubles; /* used when opts->real */
	struct sh_rounded rounded; /* used when opts->rounded */
	bool any; /* a feature that is not the empty text was given, perhaps with weight 0 */
	struct sh_buf text;
};

/* Begins a document. Borrows opts. Free a also after a failure. */
int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err);
void sh_accumulator_free(struct sh_accumulator *a);

/* Removes all features, for a new document. */
void sh_accumulator_clear(struct sh_accumulator *a);

/* Adds n features, written as in records, with escapes. weight[i]: millionths, at least 0. Without
 * a scheme, a feature of weight 0 is left out. Returns the number of features added: n, or less
 * with *err. */
size_t sh_accumulator_add(struct sh_accumulator *a, const struct sh_slice *feature,
    const int64_t *weight, size_t n, struct sh_error *err);

/* Sets the members w and empty of *out. Without a scheme w is left as it was,
 * and the members hash and n have the result. Then, and with opts->real, a document is empty when
 * no feature was added. With opts->real an empty fingerprint has 0 in every bit. */
void sh_accumulator_finish(struct sh_accumulator *a, struct sh_fingerprint *out);

#endif
