/* SPDX-License-Identifier: MIT */
/* Runs a program over documents that are feature records (stream/feature_docs.h). */
#ifndef FEATURE_RUN_H
#define FEATURE_RUN_H

#include "run.h"
#include "stream/feature_docs.h"
#include "weight/df.h"

/* Reads all documents of the source with the threads of -j, and writes the results. arg: for
 * calls->init(). Warns once, at the end, of ids that occur again after other ids. Returns the
 * number of documents without features. Dies of errors. */
uint64_t run_feature_docs(
    struct cli *c, struct sh_source *source, const struct sh_feature_calls *calls, void *arg);

/* Calls run_feature_docs() for the operands of a program that reads only features. Calls
 * need_features() before, unless the option with the code `sure` was given. */
void run_features(struct cli *c, int sure, const struct sh_feature_calls *calls, void *arg);

/* Reads the options --min-df and --max-df, which have these codes. Dies when no feature is
 * within both bounds. */
void read_df_limits(
    struct cli *c, int min_code, int max_code, struct sh_df_limit *min, struct sh_df_limit *max);

/* Ends the program with `text` about this line of the first file, from 1. When the file is not
 * UTF-8, the message says so instead. */
_Noreturn void refuse_peeked(
    struct cli *c, const struct sh_source *source, uint64_t line, const char *text);

/* Ends the program when the records look like texts, each with a number behind the text
 * (stream/feature_head.h). advice: what to do, for the message. */
void need_features(struct cli *c, struct sh_source *source, const char *advice);

/* The option that turns need_features() off. */
#define FEATURES_OPTION(code)                                                                      \
	{                                                                                          \
		code, "features", NULL, "read features, whatever the first records look like"      \
	}

#endif
