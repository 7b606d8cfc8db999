/* Tells feature records from documents whose text is followed by a number: both have three fields.
 *
 * A plain feature is one token that the default tokenizer leaves as it is: it has one fingerprint as a
 * feature and as a text. A record that is alone with its id may be a text when its feature is not plain and
 * one of these holds: it contains a blank, it has more than 4 tokens, or it is one word that folding changes
 * ("Red"). Other records that are alone with their ids are features ("u.s.a", words of jieba).
 *
 * The beginning of an input holds features for certain when successive records of one document have the
 * empty feature, have plain features, or overlap as n-grams do. Otherwise the input holds texts when there
 * are records alone with their ids that may be texts, at least as many as records of ids that stand several
 * times. When there are fewer, it holds texts if most features of the latter ids are long. */
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
