/* SPDX-License-Identifier: MIT */
#include "io/hold.h"

#include <pthread.h>

void sh_hold_begin(struct sh_hold *h)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &h->before);
}

void sh_hold_end(const struct sh_hold *h)
{
	pthread_sigmask(SIG_SETMASK, &h->before, NULL);
}
