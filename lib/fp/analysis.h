/* Analyses a text once: one list of tokens gives its fingerprint and its feature set. */
#ifndef SH_FP_ANALYSIS_H
#define SH_FP_ANALYSIS_H

#include "fp/features.h"
#include "fp/fingerprinter.h"

/* One thread at a time may use an object. It owns both members, which have the state of the last text. */
struct sh_analyser {
	struct sh_fingerprinter *fingerprinter;
	struct sh_features *features;
	struct sh_tokenizer *tokenizer;
};

struct sh_analysis {
	struct sh_fingerprint fp;
	struct sh_feature_set set; /* valid until the next text */
};

/* Takes ownership of features, also on failure; both must be for the same tokens. features NULL: *err has a failure
 * already. */
int sh_analyser_init(struct sh_analyser *a, const struct sh_fingerprint_opts *opts,
    struct sh_features *features, struct sh_error *err);
void sh_analyser_free(struct sh_analyser *a);

int sh_analyse(
    struct sh_analyser *a, struct sh_slice text, struct sh_analysis *out, struct sh_error *err);

#endif
