/* Weighs a feature of a document: from its count there, and from a table of document frequencies or
 * IDF values. */
#ifndef SH_STREAM_WEIGHER_H
#define SH_STREAM_WEIGHER_H

#include "base/slice.h"
#include "fp/profile.h"
#include "weight/df.h"
#include "weight/idf.h"
#include "weight/weight.h"

/* SH_WEIGHER_COUNTS: weights of smaller counts are printed in advance when a weight depends on the count
 * alone. SH_WEIGHER_SHOWN: room for one printed weight, in bytes. */
enum { SH_WEIGHER_COUNTS = 256, SH_WEIGHER_SHOWN = 16 };

/* TAB, weight, LF. */
struct sh_weight_text {
	uint8_t n; /* bytes; 0: not in the table */
	char text[SH_WEIGHER_SHOWN];
};

struct sh_weigher {
	const struct sh_scheme *scheme;
	const struct sh_df_table *df;   /* or NULL */
	const struct sh_idf_table *idf; /* used instead of df, or NULL */
	bool drop_absent;               /* drop features that df lacks; otherwise their df is 1 */
	struct sh_df_limit min, max;
	uint64_t top; /* keep only this number of heaviest features; 0: keep all */
	const struct sh_profile *profile; /* decides where published systems differ */

	/* Set by sh_weigher_prepare(). */
	bool real; /* weights are doubles: scheme and table are as the profile says */
	/* by_count[count]. Element 0 is never set. Either all elements from 1 up are set, or no element
	 * is. */
	struct sh_weight_text by_count[SH_WEIGHER_COUNTS];
};

/* Call it when the members above are set. Tables, scheme and profile are borrowed. */
void sh_weigher_prepare(struct sh_weigher *w);

/* Replaces the count *weight (in millionths) of a feature by its weight, for a document of `tokens`
 * tokens (in millionths). The id is for messages. Returns 1, 0 to drop the feature, or -1. Do not
 * call it when w->real. */
int sh_weigh(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t tokens, int64_t *weight, struct sh_error *err);

/* The same when w->real: replaces the count by the sort key of a double (weight/doubles.h). */
int sh_weigh_real(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t *weight, struct sh_error *err);

#endif
