/* SPDX-License-Identifier: MIT */
/* Analyses texts: the tokens of a text give its fingerprint and its feature set, as far as the
 * caller asks for them. All programs that compute fingerprints or feature sets of texts do it here.
 *
 * Fingerprints have a published hash without a secret: they are the same on all machines. Sets that
 * are compared within a run have a secret key of the run. */
#ifndef SH_FP_ANALYSIS_H
#define SH_FP_ANALYSIS_H

#include "fp/features.h"
#include "fp/fingerprinter.h"

/* Owns its members. One thread at a time may use an analyser. After sh_analyse(),
 * sh_fingerprint_hashes() concerns the last text. */
struct sh_analyser {
	struct sh_tokenizer *tokenizer;
	struct sh_fingerprinter *fingerprinter; /* NULL: the caller asks for sets only */
	struct sh_features *features;           /* NULL: the caller asks for fingerprints only */
};

struct sh_analysis {
	struct sh_fingerprint fp;  /* not set without a fingerprinter */
	struct sh_feature_set set; /* not set without features; valid until the next text */
	uint64_t bad_utf8;         /* ill-formed sequences in the text */
};

/* Makes an analyser of fingerprints (features NULL), of sets (fingerprint NULL), or of both, which
 * must then have the same token options. After a failure *a is empty. */
int sh_analyser_init(struct sh_analyser *a, const struct sh_fingerprint_opts *fingerprint,
    const struct sh_feature_opts *features, struct sh_error *err);
void sh_analyser_free(struct sh_analyser *a);

/* Analyses a text. SH_ERR_PARAM: the text has 2 GiB or more. SH_ERR_RANGE: the text has more than
 * INT32_MAX n-grams, or the total weight exceeds INT64_MAX millionths. */
int sh_analyse(
    struct sh_analyser *a, struct sh_slice text, struct sh_analysis *out, struct sh_error *err);

#endif
