/* SPDX-License-Identifier: MIT */
/* Tells feature records (id, feature, weight) from documents whose text is followed by a number:
 * both have three fields. The first SH_FEATURE_HEAD bytes decide:
 *
 * 1. The input has features when two adjacent records have the same id, and one of these holds:
 *    - both features are plain: one token that the default tokenizer does not change;
 *    - a feature is empty;
 *    - the second feature begins with the end of the first feature, as n-grams do.
 * 2. Otherwise, count the records whose id no adjacent record has and that may be texts. Such a
 *    feature has a space, has more than 4 tokens, or is one word that folding changes ("Red"; but
 *    not "u.s.a"). Also count the records whose id an adjacent record has.
 * 3. The input has texts when the first number is above 0 and at least the second number.
 * 4. When the first number is less, the input has texts if most records of the second number have
 *    more than 4 tokens. */
#ifndef SH_STREAM_FEATURE_HEAD_H
#define SH_STREAM_FEATURE_HEAD_H

#include "io/source.h"

enum { SH_FEATURE_HEAD = 65536 };

/* Peeks at the first records of the source. Ignores lines that are no feature records. Sets *line
 * to the line, in the file, of the first record that looks like a text. Sets *line to 0 when the
 * input has features, or when each record has the same fingerprint as a text. Sets *once to whether
 * no two adjacent records have the same id. Returns 0, or -1 when memory is short or a read
 * fails. */
int sh_feature_head(struct sh_source *s, uint64_t *line, bool *once, struct sh_error *err);

#endif
