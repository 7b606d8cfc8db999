/* SPDX-License-Identifier: MIT */
/* Options whose values are the names of a table's rows. The rows are the only list of these names:
 * help, messages and completions print them. */
#ifndef VALUES_H
#define VALUES_H

#include <stddef.h>

struct cli;

/* Returns the i-th name that the option accepts, from 0, or NULL after the last. */
typedef const char *cli_names(unsigned i);

/* Returns the index, from 0, of the current option's argument among the names of the option's row.
 * Dies with a usage message that lists the names when it is none of them. code: that of the
 * option. */
unsigned cli_choice(struct cli *c, int code);

/* Does the same, and returns the name. */
const char *cli_value(struct cli *c, int code);

/* Prints "NAME, NAME or NAME", at most `room` bytes with the final NUL. Returns the length without
 * it. */
size_t values_print(char *to, size_t room, cli_names *names);

#endif
