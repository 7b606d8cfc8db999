/* Bob Jenkins' lookup3 (2006, public domain): hashlittle2 as one number of 64 bits. The upper half
 * is the primary result, *pc. The upper half of the seed is the primary seed. */
#ifndef SH_HASH_JENKINS_H
#define SH_HASH_JENKINS_H

#include <stdint.h>

#include "base/slice.h"

uint64_t sh_jenkins(struct sh_slice text, uint64_t seed);

#endif
