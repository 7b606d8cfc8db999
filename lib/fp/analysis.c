/* SPDX-License-Identifier: MIT */
#include "fp/analysis.h"

int sh_analyser_init(struct sh_analyser *a, const struct sh_fingerprint_opts *fingerprint,
    const struct sh_feature_opts *features, struct sh_error *err)
{
	struct sh_token_opts token = fingerprint ? fingerprint->token : features->token;

	*a = (struct sh_analyser){ 0 };
	token.apart = true;
	if (fingerprint) {
		a->fingerprinter = sh_fingerprinter_new(fingerprint, err);
		token.apart =
		    a->fingerprinter && sh_fingerprint_ignores_separators(a->fingerprinter);
	}
	if (features) {
		a->features = sh_features_new(features, err);
		token.apart = token.apart && sh_features_follow(features);
	}
	if (!a->fingerprinter == !fingerprint && !a->features == !features)
		a->tokenizer = sh_tokenizer_new(&token, err);
	if (a->tokenizer)
		return 0;
	sh_analyser_free(a);
	return -1;
}

void sh_analyser_free(struct sh_analyser *a)
{
	sh_tokenizer_delete(a->tokenizer);
	sh_fingerprinter_delete(a->fingerprinter);
	sh_features_delete(a->features);
	*a = (struct sh_analyser){ 0 };
}

int sh_analyse(
    struct sh_analyser *a, struct sh_slice text, struct sh_analysis *out, struct sh_error *err)
{
	struct sh_tokens tokens;

	if (sh_tokenize(a->tokenizer, text, &tokens, err) < 0)
		return -1;
	out->bad_utf8 = tokens.bad_utf8;
	if (a->fingerprinter && sh_fingerprint(a->fingerprinter, &tokens, &out->fp, err) < 0)
		return -1;
	return a->features ? sh_features_of(a->features, &tokens, &out->set, err) : 0;
}
