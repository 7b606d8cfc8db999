/* Bob Jenkins' lookup3 (2006, public domain), function hashlittle2, as one number of
 * 64 bits: its primary result in the upper half. The seed's halves are its two seeds, the
 * upper one the primary. */
#ifndef SH_HASH_JENKINS_H
#define SH_HASH_JENKINS_H

#include <stdint.h>

#include "base/slice.h"

uint64_t sh_jenkins(struct sh_slice text, uint64_t seed);

#endif
