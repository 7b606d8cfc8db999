/* SPDX-License-Identifier: MIT */
/* Runs a program over documents that are feature records (stream/feature_docs.h). */
#ifndef FEATURE_RUN_H
#define FEATURE_RUN_H

#include "run.h"
#include "stream/feature_docs.h"

/* Reads all documents of the source with the threads of -j, and writes the results. The caller sets
 * run->cli, and run->collect if it needs one. own: run->cli->jobs states.
 * Warns once, at the end, of ids that occur again after other ids. Dies on errors. */
void run_feature_docs(struct run *run, struct sh_source *source,
    const struct sh_feature_calls *calls, void *const *own);

#endif
