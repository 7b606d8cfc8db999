/* SPDX-License-Identifier: MIT */
/* Replaces an existing file by an output: checks whether it can, copies owner and mode. */
#ifndef SH_IO_REPLACE_H
#define SH_IO_REPLACE_H

#include <stdbool.h>

#include "base/error.h"

/* Returns false when rename(2) would certainly fail to replace the file `target`; errno has the
 * reason. Returns true also when there is no file. Changes nothing. */
bool sh_is_replaceable(const char *target);

/* Creates a file `name` in the folder of `target`, to be renamed to `target`. Overwrites the last
 * SH_REPLACE_UNIQUE bytes of `name` until no file has the name. Copies owner, group, access list
 * and mode of `target`, as far as this user may set them. Returns the descriptor; or -1, and no
 * file is left.
 *
 * Does not copy the owner when another user owns `target` in a sticky folder: the user may have put
 * the file there to receive the output. */
enum { SH_REPLACE_UNIQUE = 6 };
int sh_replace_create(char *name, const char *target, struct sh_error *err);

#endif
