/* SPDX-License-Identifier: MIT */
/* The open outputs of the program, at most four: a signal that ends the program leaves no temporary
 * file. */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include "io/sink.h"

/* Do what the sh_sink functions of the same names do. From the first output with a temporary file
 * on, a signal that would end the program removes temporary files first. Signals that are ignored,
 * or have another handler, are left as they are. The sink must not move between the two calls. */
int unfinished_open(struct sh_sink *s, const char *path, struct sh_error *err);
int unfinished_close(struct sh_sink *s, struct sh_error *err);

/* Drops all open outputs: none of their files appears. */
void unfinished_abort(void);

/* Sets what happens when a mapped input is cut short while the program reads it. The program then
 * removes unfinished files, prints a message and ends with this status. */
void unfinished_tell_cut(const char *program, int status);

#endif
