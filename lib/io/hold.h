/* A stretch of work that no signal shall come between: those that come wait until it is over. */
#ifndef SH_IO_HOLD_H
#define SH_IO_HOLD_H

#include <signal.h>

struct sh_hold {
	sigset_t before;
};

/* Of this thread; holds may stand in one another. */
void sh_hold_begin(struct sh_hold *h);
void sh_hold_end(const struct sh_hold *h);

#endif
