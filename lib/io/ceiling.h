/* A limit on the memory that a library of others may allocate in one call. Such a library takes sizes from its
 * input. The limit is one of the process's address space (RLIMIT_AS): an allocation beyond it fails. Without
 * /proc nothing happens. */
#ifndef SH_IO_CEILING_H
#define SH_IO_CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct sh_ceiling {
	int fd;               /* /proc/self/statm, or -1 */
	bool set;             /* between sh_ceiling_set() and sh_ceiling_lift() */
	struct rlimit before; /* the limit outside of these */
};

void sh_ceiling_open(struct sh_ceiling *c);
void sh_ceiling_close(struct sh_ceiling *c);

/* From here on the process may allocate up to `more` bytes. */
void sh_ceiling_set(struct sh_ceiling *c, size_t more);
void sh_ceiling_lift(struct sh_ceiling *c);

#endif
