/* Confines a process to the files that it needs: it can read its inputs and write its outputs, and open no
 * other file. Where the kernel supports it, TCP is refused, too, and signals and abstract sockets to other
 * processes. The means is Landlock, in Linux since 5.13. Without Landlock nothing is enforced, and there
 * is no message.
 *
 *     struct sh_confine c;
 *     sh_confine_begin(&c);
 *     sh_confine_read(&c, "docs.tsv");
 *     sh_confine_write(&c, "out.tsv");
 *     sh_confine_enforce(&c);
 *
 * The rules hold for the calling thread and for threads that it starts later. Descriptors that are open stay
 * usable, and pipes can be opened under /dev/fd. When a rule for an output cannot be made, nothing is
 * enforced: otherwise the output could not be written. */
#ifndef SH_IO_CONFINE_H
#define SH_IO_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct sh_confine {
	int fd;           /* of the rules; -1: nothing will be enforced */
	uint64_t handled; /* the rights that this kernel can refuse */
};

void sh_confine_begin(struct sh_confine *c);

/* Allows to read a file, or all files below a folder. A path that does not exist now is refused, also when it
 * is created later. */
void sh_confine_read(struct sh_confine *c, const char *path);

/* Allows to read every file. */
void sh_confine_read_all(struct sh_confine *c);

/* Allows to write an output; path: as for sh_sink_open(). */
void sh_confine_write(struct sh_confine *c, const char *path);

/* Allows to create, read, write and remove files in and below a folder. */
void sh_confine_folder(struct sh_confine *c, const char *path);

/* Enforces the rules. Returns whether they are in force. */
bool sh_confine_enforce(struct sh_confine *c);

#endif
