/* shjoin --rows: the join of MinHash signatures. */
#ifndef JOINSIGNATURES_H
#define JOINSIGNATURES_H

#include "cli.h"
#include "join/signatures.h"

/* Reads the signatures of one or two sides and passes their pairs to join->pair. join->bands 0: the
 * most bands for the signatures. */
void join_signatures(
    struct cli *c, struct sh_lines *lines, unsigned sides, struct sh_signature_join *join);

#endif
