/* shjoin: the joins of sorted bands and of sorted keys, bucket by bucket. */
#ifndef JOINBUCKETS_H
#define JOINBUCKETS_H

#include "cli.h"
#include "fp/tag.h"
#include "join/stream.h"

/* Joins the bands of the source. opts: all but `out`, `begins` and `arg`. out->done() writes the
 * pairs of a job. Dies of errors. Returns the number of repeated records. */
uint64_t join_bands(struct cli *c, struct sh_source *source, const struct sh_stream_opts *opts,
    struct sh_tags *tags, const struct sh_pool *out);

/* Joins the bands of two files, by one thread. Returns as join_bands() does. */
uint64_t join_band_files(
    struct cli *c, struct sh_lines *lines, const struct sh_stream_opts *opts, struct sh_tags *tags);

/* Joins the keys of the source. */
void join_keys(
    struct cli *c, struct sh_source *source, sh_pair_fn *pair, const struct sh_pool *out);

#endif
