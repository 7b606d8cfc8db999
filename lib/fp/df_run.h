/* Sorted runs of document frequencies in a temporary file, and their merging. */
#ifndef SH_FP_DF_RUN_H
#define SH_FP_DF_RUN_H

#include "base/buf.h"
#include "fp/df.h"

/* A feature's count in one run, with the first and the last document it counts. A
 * document may be cut by the end of a run: when the next run that has the feature
 * begins with the document that this one ended with, the two have counted it twice. */
struct sh_df_entry {
	struct sh_slice feature;
	uint64_t df, first, last;
};

struct sh_df_runs {
	const char *dir;
	int fd;          /* -1 before the first run */
	uint64_t end;    /* bytes in the file */
	uint64_t *start; /* of each run, then where the last one ends */
	size_t n, cap;
	struct sh_buf out;
};

void sh_df_runs_init(struct sh_df_runs *r, const char *dir);
void sh_df_runs_free(struct sh_df_runs *r);

/* A run: begin, its entries in bytewise order, end. */
int sh_df_runs_begin(struct sh_df_runs *r, struct sh_error *err);
int sh_df_runs_add(struct sh_df_runs *r, const struct sh_df_entry *e, struct sh_error *err);
int sh_df_runs_end(struct sh_df_runs *r, struct sh_error *err);

int sh_df_runs_merge(struct sh_df_runs *r, sh_df_emit *emit, void *arg, struct sh_error *err);

#endif
