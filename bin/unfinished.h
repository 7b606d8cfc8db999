/* Outputs that are not complete yet: no temporary file outlives a program that a signal ends. */
#ifndef UNFINISHED_H
#define UNFINISHED_H

#include "archive/loose.h"
#include "io/sink.h"

/* As the functions of sh_sink of these names. At most four at a time have a temporary file. From
 * the first of these on every signal that ends a program and can be caught first removes what is
 * unfinished. Those that are ignored, or that somebody else looks after, stay so. */
int unfinished_open(struct sh_sink *s, const char *path, struct sh_error *err);
int unfinished_close(struct sh_sink *s, struct sh_error *err);
void unfinished_abort(struct sh_sink *s);

/* The list for a change of an archive; its files are removed as well. There is one for the program. */
struct sh_loose *unfinished_archive(void);

/* From now on a program that looks at a mapped file behind the end to which somebody has cut it says so
 * by its name, which must stay, and ends with that status. What is unfinished is removed. */
void unfinished_tell_cut(const char *program, int status);

#endif
