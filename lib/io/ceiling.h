/* SPDX-License-Identifier: MIT */
/* Limits the memory that calls of an external library may allocate. The library takes sizes from
 * its input, which may be hostile. The limit is RLIMIT_AS: it holds for the whole process. An
 * allocation beyond the limit fails. Without /proc there is no limit. */
#ifndef SH_IO_CEILING_H
#define SH_IO_CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct sh_ceiling {
	int fd;               /* /proc/self/statm, or -1 */
	bool set;             /* the limit is in force */
	struct rlimit before; /* for sh_ceiling_lift() to restore */
};

void sh_ceiling_open(struct sh_ceiling *c);
void sh_ceiling_close(struct sh_ceiling *c);

/* Sets the limit: until sh_ceiling_lift() the process may allocate at most `more` further bytes. */
void sh_ceiling_set(struct sh_ceiling *c, size_t more);
void sh_ceiling_lift(struct sh_ceiling *c);

#endif
