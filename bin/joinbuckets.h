/* shjoin: the join of sorted bands, bucket by bucket. */
#ifndef JOINBUCKETS_H
#define JOINBUCKETS_H

#include "cli.h"
#include "fp/tag.h"
#include "join/stream.h"

/* The program ends with a message when one of these functions fails. Bad records go to the rejects,
 * if there are any, or are errors. */

/* Joins the bands of the source, by c->jobs threads. Ignores the members `out`, `begins` and `arg`
 * of opts. Of `out`, uses done() and `arg`: done() writes the pairs of a job. tags: receives the
 * tags of the records, which must agree. Returns the number of repeated records. */
uint64_t join_bands(struct cli *c, struct sh_source *source, const struct sh_stream_opts *opts,
    struct sh_tags *tags, const struct sh_pool *out);

/* Joins the bands of two files, in the same way. lines: of the new and of the archived records. */
uint64_t join_band_files(struct cli *c, struct sh_lines *lines, const struct sh_stream_opts *opts,
    struct sh_tags *tags, const struct sh_pool *out);

#endif
