/* What a process may still do to files, once it knows which ones it needs: read its inputs, write
 * its outputs, nothing else. By Landlock, in Linux since 5.13; where there is none, nothing happens,
 * and nobody is told. TCP, and signals and abstract sockets to outside, go too where the kernel can.
 *
 *     struct sh_confine c;
 *     sh_confine_begin(&c);
 *     sh_confine_read(&c, "docs.tsv");
 *     sh_confine_write(&c, "out.tsv");
 *     sh_confine_enforce(&c);
 *
 * For the calling thread and those it starts from then on. What is open already stays usable; pipes
 * can be opened under /dev/fd. When a rule for an output cannot be made, nothing is enforced:
 * better no walls than a result that cannot be put in its place. */
#ifndef SH_IO_CONFINE_H
#define SH_IO_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct sh_confine {
	int fd;           /* of the rules, -1: none are made */
	uint64_t handled; /* rights that this kernel can take away */
};

void sh_confine_begin(struct sh_confine *c);

/* A file, or all below a folder, will be read. One that is not there will not be found; should
 * it come later, it is still refused. */
void sh_confine_read(struct sh_confine *c, const char *path);

/* Every file may be read. */
void sh_confine_reach(struct sh_confine *c);

/* An output as sh_sink_open() takes it will be written. */
void sh_confine_write(struct sh_confine *c, const char *path);

/* Files in and below a folder will be created, read, written and removed. */
void sh_confine_folder(struct sh_confine *c, const char *path);

/* True when it is so now. */
bool sh_confine_enforce(struct sh_confine *c);

#endif
