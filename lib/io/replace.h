/* How an output replaces an existing file: whether it may, and which owner and mode the new file has. */
#ifndef SH_IO_REPLACE_H
#define SH_IO_REPLACE_H

#include <stdbool.h>

#include "base/error.h"

/* Returns whether rename(2) can replace `target`, as far as this is known beforehand. Changes nothing.
 * Returns true when there is no file. After false, errno has the reason. */
bool sh_is_replaceable(const char *target);

/* Creates a file beside `target`, to be renamed to it. `name` ends with SH_REPLACE_UNIQUE bytes, which are
 * overwritten until no file has that name. The file gets owner, group, access list and mode of the file at
 * `target`, as far as this user may set them. Returns the descriptor; or -1, and no file is left.
 *
 * The owner is not copied from a file that another user owns in a sticky folder: that user may have put it
 * there to receive the output. */
enum { SH_REPLACE_UNIQUE = 6 };
int sh_replace_create(char *name, const char *target, struct sh_error *err);

#endif
