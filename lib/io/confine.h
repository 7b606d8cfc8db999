/* SPDX-License-Identifier: MIT */
/* Confines a process to the files that it needs. The process can read its inputs, write its
 * outputs, and open no other file. Newer kernels also refuse TCP, signals to other processes, and
 * abstract sockets of other processes. Uses Landlock, in Linux since 5.13. Without Landlock nothing
 * is enforced, and there is no message.
 *
 *     struct sh_confine c;
 *     sh_confine_begin(&c);
 *     sh_confine_read(&c, "docs.tsv");
 *     sh_confine_write(&c, "out.tsv");
 *     sh_confine_enforce(&c);
 *
 * The rules hold for the calling thread and for threads that it starts later. Open descriptors stay
 * usable. Pipes can be opened under /dev/fd. Nothing is enforced when a rule for an output or a
 * folder cannot be made: otherwise the output could not be written. */
#ifndef SH_IO_CONFINE_H
#define SH_IO_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct sh_confine {
	int fd;           /* of the rules; -1: nothing will be enforced */
	uint64_t handled; /* the rights that this kernel can refuse */
};

/* Begins without any rule. */
void sh_confine_begin(struct sh_confine *c);

/* Allows to read a file, or all files below a folder. Does nothing for "-". The file must exist: a
 * file that is created after this call stays refused. */
void sh_confine_read(struct sh_confine *c, const char *path);

/* Allows to read every file. */
void sh_confine_read_all(struct sh_confine *c);

/* Allows to write an output. path: as for sh_sink_open(). */
void sh_confine_write(struct sh_confine *c, const char *path);

/* Allows to create, read, write and remove files in and below a folder, which must exist. */
void sh_confine_folder(struct sh_confine *c, const char *path);

/* Enforces the rules and ends the use of c. Returns whether the rules are in force. */
bool sh_confine_enforce(struct sh_confine *c);

#endif
