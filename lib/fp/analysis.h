/* Computes fingerprint and feature set of a text from one list of tokens. */
#ifndef SH_FP_ANALYSIS_H
#define SH_FP_ANALYSIS_H

#include "fp/features.h"
#include "fp/fingerprinter.h"

/* Owns its three members. One thread at a time may use an analyser. After sh_analyse(),
 * sh_fingerprint_sample() and other functions of the fingerprinter concern the last text. */
struct sh_analyser {
	struct sh_fingerprinter *fingerprinter;
	struct sh_features *features;
	struct sh_tokenizer *tokenizer;
};

struct sh_analysis {
	struct sh_fingerprint fp;
	struct sh_feature_set set; /* valid until the next text */
};

/* The analyser owns `features`, also after a failure. `features` must have been
 * made with opts->token. When `features` is NULL, because its constructor failed,
 * returns -1 and leaves *err. */
int sh_analyser_init(struct sh_analyser *a, const struct sh_fingerprint_opts *opts,
    struct sh_features *features, struct sh_error *err);
void sh_analyser_free(struct sh_analyser *a);

/* Analyses a text. Fails as sh_fingerprint() and sh_features_of() do. */
int sh_analyse(
    struct sh_analyser *a, struct sh_slice text, struct sh_analysis *out, struct sh_error *err);

#endif
