#include "fp/analysis.h"

int sh_analyser_init(struct sh_analyser *a, const struct sh_fingerprint_opts *opts,
    struct sh_features *features, struct sh_error *err)
{
	struct sh_token_opts token = opts->token;

	*a = (struct sh_analyser){ .features = features };
	if (features && (a->fingerprinter = sh_fingerprinter_new(opts, err))) {
		token.apart = sh_features_take_apart(features) &&
			      sh_fingerprint_takes_apart(a->fingerprinter);
		a->tokenizer = sh_tokenizer_new(&token, err);
	}
	if (a->tokenizer)
		return 0;
	sh_analyser_free(a);
	return -1;
}

void sh_analyser_free(struct sh_analyser *a)
{
	sh_fingerprinter_delete(a->fingerprinter);
	sh_features_delete(a->features);
	sh_tokenizer_delete(a->tokenizer);
	*a = (struct sh_analyser){ 0 };
}

int sh_analyse(
    struct sh_analyser *a, struct sh_slice text, struct sh_analysis *out, struct sh_error *err)
{
	struct sh_tokens tokens;

	if (sh_tokenize(a->tokenizer, text, &tokens, err) < 0 ||
	    sh_fingerprint_tokens(a->fingerprinter, &tokens, &out->fp, err) < 0)
		return -1;
	return sh_features_of_tokens(a->features, &tokens, &out->set, err);
}
