/* SPDX-License-Identifier: MIT */
#include "text/ngram.h"

#include "base/num.h"

int sh_ngrams_parse(const char *spec, struct sh_ngrams *range, struct sh_error *err)
{
	const char *dash = strchr(spec, '-');
	uint64_t min, max;

	if (sh_parse_u64(sh_slice(spec, dash ? (size_t)(dash - spec) : strlen(spec)), &min) < 0 ||
	    sh_parse_u64(sh_slice_str(dash ? dash + 1 : spec), &max) < 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "n-grams '%s': expected N or N-M, as in 3 or 1-2", spec);
	if (min < 1 || max < min || max > SH_NGRAM_MAX)
		return sh_error_set(err, SH_ERR_PARAM, "n-grams '%s': expected 1 <= N <= M <= %d",
		    spec, SH_NGRAM_MAX);
	range->min = (unsigned)min;
	range->max = (unsigned)max;
	return 0;
}

struct sh_ngrams sh_ngrams_in(struct sh_ngrams range, struct sh_tokens *tokens)
{
	if (range.past_first && tokens->n >= range.min) {
		tokens->start++;
		tokens->end++;
		if (--tokens->n < range.min)
			return (struct sh_ngrams){ .min = 1, .max = 0 };
	}
	return sh_ngrams_of(range, tokens->n);
}

int sh_ngrams_count(struct sh_ngrams range, size_t tokens, size_t *count, struct sh_error *err)
{
	uint64_t all = sh_ngrams_lead(range);

	for (unsigned n = range.min; n && n <= range.max; n++)
		all += tokens - n + 1;
	if (all > INT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "a document of more than %d n-grams", INT32_MAX);
	*count = (size_t)all;
	return 0;
}
