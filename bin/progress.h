/* How far a long run is, on standard error when that is a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "cli.h"

#include <time.h>

struct progress {
	struct cli *cli;
	bool shown; /* standard error is a terminal */
	struct timespec begun;
	double last;
};

void progress_start(struct progress *p, struct cli *c);
/* "n what", at most five times a second. */
void progress_show(struct progress *p, uint64_t n, const char *what);
/* Clear the line. */
void progress_end(const struct progress *p);
/* Since the start. */
double progress_seconds(const struct progress *p);

#endif
