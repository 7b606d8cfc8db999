/* SPDX-License-Identifier: MIT */
#include "io/ceiling.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void sh_ceiling_open(struct sh_ceiling *c)
{
	*c = (struct sh_ceiling){ .fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC) };
}

void sh_ceiling_close(struct sh_ceiling *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* Returns the bytes of the address space that are in use; 0 when unknown. */
static rlim_t in_use(const struct sh_ceiling *c)
{
	char text[64];
	ssize_t n = c->fd >= 0 ? pread(c->fd, text, sizeof text - 1, 0) : -1;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	return (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

void sh_ceiling_set(struct sh_ceiling *c, size_t more)
{
	rlim_t used = in_use(c);
	struct rlimit limit;

	if (used == 0 || getrlimit(RLIMIT_AS, &c->before) < 0)
		return;
	limit = c->before;
	if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= used + more)
		return;
	limit.rlim_cur = used + more;
	c->set = setrlimit(RLIMIT_AS, &limit) == 0;
}

void sh_ceiling_lift(struct sh_ceiling *c)
{
	if (c->set)
		(void)setrlimit(RLIMIT_AS, &c->before);
	c->set = false;
}
