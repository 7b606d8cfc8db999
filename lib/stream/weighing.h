/* Counts, weighs and writes the features of documents, for shweight. Reads the feature records of
 * one document after the other. Writes one record for each distinct feature. A document without
 * features, or whose features are all dropped, gets one record with the empty feature.
 *
 *     sh_weighing_init(&d, &weigher, &sink, err);
 *     for each record:
 *             sh_weighing_begin(&d, id, file, line, err);
 *             sh_weighing_add(&d, feature, weight, err);
 *     sh_weighing_finish(&d, err);
 *
 * sh_weighing_add_lines() adds many lines of a chunk in one call. */
#ifndef SH_STREAM_WEIGHING_H
#define SH_STREAM_WEIGHING_H

#include "base/buf.h"
#include "io/sink.h"
#include "io/source.h"
#include "record/feature_lines.h"
#include "record/past_ids.h"
#include "stream/weigher.h"
#include "weight/df_watch.h"
#include "weight/terms.h"
#include "weight/top.h"

struct sh_weighing {
	struct sh_past_ids past;  /* ids of earlier documents */
	struct sh_df_watch watch; /* of weigher->df */

	/* Private. */
	const struct sh_weigher *weigher;
	struct sh_sink *out;
	struct sh_buf id;           /* of the current document */
	struct sh_id_prefix prefix; /* of its records */
	bool begun;                 /* the current document is not written yet */
	struct sh_terms features;   /* its distinct features with their counts in millionths */
	int64_t tokens;             /* sum of the counts, in millionths */
	struct sh_heavy *distinct;  /* the features that are not dropped, with their weights */
	size_t cap;
	struct sh_feature_lines lines;
};

/* Borrows weigher and sink. Free d also after a failure. */
int sh_weighing_init(struct sh_weighing *d, const struct sh_weigher *weigher, struct sh_sink *out,
    struct sh_error *err);
void sh_weighing_free(struct sh_weighing *d);

/* Call this for each record, before sh_weighing_add(), with the id, file and line of the record.
 * When the id differs from the current document's id, writes the current document and begins a
 * new one. file is borrowed. */
int sh_weighing_begin(struct sh_weighing *d, struct sh_slice id, const char *file, uint64_t line,
    struct sh_error *err);

/* Adds `count` occurrences of a feature, in millionths, to the current document. */
int sh_weighing_add(
    struct sh_weighing *d, struct sh_slice feature, int64_t count, struct sh_error *err);

/* Writes the current document, if there is one. */
int sh_weighing_finish(struct sh_weighing *d, struct sh_error *err);

/* Adds the lines of the chunk p .. end - 1, of the current document and of the documents after it.
 * SH_PAD bytes after the chunk must be readable. Sets *lines to the number of lines added, also on
 * failure. Returns the first line that was not added: the caller must read it with
 * sh_record_feature() and call sh_weighing_begin(). Returns NULL on an error, which concerns line
 * *lines + 1 of the chunk. */
const char *sh_weighing_add_lines(struct sh_weighing *d, const struct sh_origin *from,
    const char *p, const char *end, uint64_t *lines, struct sh_error *err);

#endif
