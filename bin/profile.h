/* -p/--profile. */
#ifndef PROFILE_H
#define PROFILE_H

#include "cli.h"
#include "fp/profile.h"

/* The profile that the option's argument names, or a usage message with all names. */
const struct sh_profile *cli_profile(struct cli *c);

#endif
