/* The warning about documents whose features do not stand together. */
#ifndef PARTED_H
#define PARTED_H

#include "cli.h"
#include "record/past_ids.h"

/* At the end, once: where the first one is, how many there are, what to do. Nothing without any. */
void parted_warn(struct cli *c, const struct sh_past_ids *past);

#endif
