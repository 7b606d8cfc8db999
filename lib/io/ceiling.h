/* Limits the memory that an external library may allocate in one call. The library takes sizes from its
 * input, which may be hostile. The limit is that of the process's address space (RLIMIT_AS): an allocation
 * beyond it fails. Without /proc there is no limit. */
#ifndef SH_IO_CEILING_H
#define SH_IO_CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct sh_ceiling {
	int fd;               /* /proc/self/statm, or -1 */
	bool set;             /* between sh_ceiling_set() and sh_ceiling_lift() */
	struct rlimit before; /* the limit before sh_ceiling_set() */
};

void sh_ceiling_open(struct sh_ceiling *c);
void sh_ceiling_close(struct sh_ceiling *c);

/* Sets the limit: from here on the process may allocate up to `more` further bytes. */
void sh_ceiling_set(struct sh_ceiling *c, size_t more);
void sh_ceiling_lift(struct sh_ceiling *c);

#endif
