/* Runs a program over documents that are feature records (stream/feature_docs.h). */
#ifndef FEATURE_RUN_H
#define FEATURE_RUN_H

#include "run.h"
#include "stream/feature_docs.h"

/* The largest number of states of a program. */
enum { FEATURE_STATES = CLI_MAX_JOBS + 1 };

/* Reads all documents of the source with the threads of -j, and writes the results. run: cli, and
 * take if the program has one; the other members are set. own: sh_feature_docs_states(c->jobs)
 * states. Warns once, at the end, of ids that occur again after other ids. Dies of errors. */
void run_feature_docs(struct run *run, struct sh_source *source,
    const struct sh_feature_calls *calls, void *const *own);

#endif
