/* The warning about ids that come again after other ids. */
#ifndef REPEATED_IDS_H
#define REPEATED_IDS_H

#include "cli.h"
#include "record/past_ids.h"

/* Warns once, at the end of the input: names the first such id, their number, and what to do. Does nothing when
 * there is none. */
void warn_repeated_ids(struct cli *c, const struct sh_past_ids *past);

#endif
