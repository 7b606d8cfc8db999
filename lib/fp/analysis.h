/* Analyses a text once: one list of tokens gives its fingerprint and its feature set. */
#ifndef SH_FP_ANALYSIS_H
#define SH_FP_ANALYSIS_H

#include "fp/features.h"
#include "fp/fingerprinter.h"

/* Owns its three members. One thread at a time may use an object. After sh_analyse() the fingerprinter answers
 * questions about the last text, such as sh_fingerprint_sample(). */
struct sh_analyser {
	struct sh_fingerprinter *fingerprinter;
	struct sh_features *features;
	struct sh_tokenizer *tokenizer;
};

struct sh_analysis {
	struct sh_fingerprint fp;
	struct sh_feature_set set; /* points into the analyser: valid until the next text */
};

/* Takes ownership of features, also on failure. They must have been made for the tokens of opts->token. features may
 * be NULL, because making them failed and set *err: then it returns -1. */
int sh_analyser_init(struct sh_analyser *a, const struct sh_fingerprint_opts *opts,
    struct sh_features *features, struct sh_error *err);
void sh_analyser_free(struct sh_analyser *a);

/* Analyses a text. Returns -1 when memory runs out. */
int sh_analyse(
    struct sh_analyser *a, struct sh_slice text, struct sh_analysis *out, struct sh_error *err);

#endif
