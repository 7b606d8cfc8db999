/* How an output takes the place of a file that is there: whether it may, and with which owner and mode. */
#ifndef SH_IO_REPLACE_H
#define SH_IO_REPLACE_H

#include <stdbool.h>

#include "base/error.h"

/* Whether rename(2) can replace `target`, as far as one can know before. Changes nothing. True where
 * nothing is there. False: errno says why. */
bool sh_is_replaceable(const char *target);

/* Creates a file beside `target`, to be renamed to it. `name` ends with SH_REPLACE_UNIQUE bytes, which are
 * overwritten until no file has that name. The file gets owner, group, access list and mode of the file
 * at `target`, as far as this user may give them. Returns the descriptor, or -1; no file is left then.
 *
 * A file that another user owns in a sticky folder gives no owner, for it may stand there to get hold of
 * the output. */
enum { SH_REPLACE_UNIQUE = 6 };
int sh_replace_create(char *name, const char *target, struct sh_error *err);

#endif
