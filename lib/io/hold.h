/* SPDX-License-Identifier: MIT */
/* Blocks all signals of a thread for a short time. Signals that arrive are delivered afterwards. */
#ifndef SH_IO_HOLD_H
#define SH_IO_HOLD_H

#include <signal.h>

struct sh_hold {
	sigset_t before;
};

/* Block all signals, and restore the former signal mask. Pairs of calls may be nested. */
void sh_hold_begin(struct sh_hold *h);
void sh_hold_end(const struct sh_hold *h);

#endif
