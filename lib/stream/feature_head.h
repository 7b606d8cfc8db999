/* Tells feature records (id, feature, weight) from documents whose text is followed by a number: both have three
 * fields. It looks at records whose ids follow one another.
 *
 * Features for certain: two neighbouring records have the same id, and both are plain, or one is empty, or the second
 * one begins with the end of the first one, as n-grams do. Plain: one token that the default tokenizer does not change.
 *
 * A record may be a text when no neighbour has its id, its feature is not plain, and it contains a blank, has more
 * than 4 tokens, or is one word that folding changes ("Red"). Others are features ("u.s.a", words of jieba).
 *
 * Otherwise it counts: the input holds texts when at least as many records may be texts as there are records with a
 * neighbour of the same id. When there are fewer, it holds texts if most features of the latter have more than 4
 * tokens. */
#ifndef SH_STREAM_FEATURE_HEAD_H
#define SH_STREAM_FEATURE_HEAD_H

#include "io/source.h"

/* Bytes of the first operand that decide. */
enum { SH_FEATURE_HEAD = 65536 };

/* Peeks at the first records of the source. Lines that are no feature records are ignored. Returns 0, or
 * -1 when memory is short or a read fails. *line is the number of the first record that looks like a
 * text; 0: all are features, or have one fingerprint either way. *once: the id of each record stands
 * once. */
int sh_feature_head(struct sh_source *s, uint64_t *line, bool *once, struct sh_error *err);

#endif
