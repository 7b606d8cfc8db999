/* What a feature of a document weighs, of its count there and what tables know of it elsewhere. */
#ifndef SH_FP_WEIGHER_H
#define SH_FP_WEIGHER_H

#include "base/slice.h"
#include "fp/profile.h"
#include "weight/df.h"
#include "weight/idf.h"
#include "weight/weight.h"

/* How many counts, from 0 on, may have their weights written beforehand, and the bytes of each. */
enum { SH_WEIGHER_COUNTS = 256, SH_WEIGHER_SHOWN = 16 };

/* TAB, the weight, LF. */
struct sh_weight_text {
	uint8_t n; /* 0: not known */
	char text[SH_WEIGHER_SHOWN];
};

struct sh_weigher {
	const struct sh_scheme *scheme;
	const struct sh_df_table *df;   /* or NULL */
	const struct sh_idf_table *idf; /* or NULL, instead */
	bool drop_absent; /* features that df lacks; else they are as if in one document */
	struct sh_df_limit min, max;
	uint64_t top;                     /* how many of the heaviest stay; 0: all */
	const struct sh_profile *profile; /* whose rules count where systems differ */

	/* Set by sh_weigher_settle(). */
	bool real; /* weights are doubles: the profile's own scheme, by its kind of table */
	/* By the count, where a weight depends on nothing else. Element
	 * 0 is never known; when element 1 is, all others are. */
	struct sh_weight_text by_count[SH_WEIGHER_COUNTS];
};

/* After the rest is set. Tables, scheme and profile are borrowed. */
void sh_weigher_settle(struct sh_weigher *w);

/* The document of this id holds the feature *weight times (millionths), of `tokens` in all. Put its
 * weight in the place of the count: 1, 0 when the feature is to be dropped, or -1. Not where weights
 * are real, see below. */
int sh_weigh(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t tokens, int64_t *weight, struct sh_error *err);

/* The same where w->real: it puts the key of a double (weight/doubles.h) in the place of the count. */
int sh_weigh_real(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t *weight, struct sh_error *err);

#endif
