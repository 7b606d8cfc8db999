/* Options whose values are the names of a table's rows. The rows are the only list of these names: help,
 * messages and completions print them. */
#ifndef VALUES_H
#define VALUES_H

#include <stddef.h>

struct cli;

/* Returns the i-th name that the option takes, from 0, or NULL behind the last one. */
typedef const char *cli_names(unsigned i);

/* Returns the argument of the option at hand when it is one of the names of the option's row. Dies with a
 * usage message that lists the names otherwise. code: that of the option. */
const char *cli_value(struct cli *c, int code);

/* Prints "NAME, NAME or NAME", at most `room` bytes with the final NUL. Returns the length. */
size_t values_print(char *to, size_t room, cli_names *names);

#endif
