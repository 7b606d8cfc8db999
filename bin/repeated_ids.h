/* The warning about ids that occur again after other ids. */
#ifndef REPEATED_IDS_H
#define REPEATED_IDS_H

#include "cli.h"
#include "record/past_ids.h"

/* Warns once, at the end of the input, with the first repeated id, their number, and a remedy. Does
 * nothing when no id was repeated. */
void warn_repeated_ids(struct cli *c, const struct sh_past_ids *past);

#endif
