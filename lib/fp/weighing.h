/* Documents' features counted, weighed and written, one document after the other: feature
 * records in, one a distinct feature out. A document without any, or with none left, is written
 * with the empty feature.
 *
 *     sh_weighing_init(&d, &weigher, &sink, err);
 *     for each record:
 *             sh_weighing_change(&d, id, file, line, err);
 *             sh_weighing_add(&d, feature, weight, err);
 *     sh_weighing_finish(&d, err);
 *
 * Where many of a document's lines lie in memory, sh_weighing_take() takes them at once. */
#ifndef SH_FP_WEIGHING_H
#define SH_FP_WEIGHING_H

#include "base/buf.h"
#include "fp/occurrences.h"
#include "fp/weigher.h"
#include "io/sink.h"
#include "io/source.h"
#include "record/feature_block.h"
#include "record/past_ids.h"
#include "weight/terms.h"
#include "weight/top.h"

struct sh_weighing {
	struct sh_past_ids past; /* of the documents so far */

	/* The rest is the modules' own. */
	const struct sh_weigher *weigher;
	struct sh_sink *out;
	struct sh_buf id; /* of the document at hand */
	bool begun;       /* there is one that is not written yet */
	struct sh_feature_run run;
	struct sh_terms features;  /* their counts in millionths */
	int64_t tokens;            /* sum of the counts, millionths */
	struct sh_heavy *distinct; /* those that are kept, with their weights */
	size_t cap;
	/* Of documents that stand whole in a block. */
	struct sh_feature_block block;
	struct sh_occurrences occurrences;
};

/* Weigher and sink are borrowed. d is to be freed also after a failure. */
int sh_weighing_init(struct sh_weighing *d, const struct sh_weigher *weigher, struct sh_sink *out,
    struct sh_error *err);
void sh_weighing_free(struct sh_weighing *d);

/* A record of this id comes next, at this line: when it is another than before, that document is
 * finished. */
int sh_weighing_change(struct sh_weighing *d, struct sh_slice id, const char *file, uint64_t line,
    struct sh_error *err);

/* The document holds the feature so many times more. */
int sh_weighing_add(
    struct sh_weighing *d, struct sh_slice feature, int64_t weight, struct sh_error *err);

/* The document at hand, if there is one, is complete: written. */
int sh_weighing_finish(struct sh_weighing *d, struct sh_error *err);

/* Lines of the document at hand from p on, and of those behind it, in the block from there that
 * ends at `end` with SH_PAD readable bytes behind it: where the next line begins, and *lines, how
 * many they are; p and 0 when the line there is none that can be taken so. NULL with
 * *err, and *lines those before the one to blame. The document of the next line may be begun. */
const char *sh_weighing_take(struct sh_weighing *d, const struct sh_origin *from, const char *p,
    const char *end, uint64_t *lines, struct sh_error *err);

#endif
