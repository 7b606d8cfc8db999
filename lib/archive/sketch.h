/* A sketch: the features of a document in few bytes, to compare it when its text is not stored.
 *
 * A sketch holds the first 32 bits of each hash, sorted, as differences in a Golomb-Rice code
 * (Golomb 1966, Rice 1979). The low b bits of a difference are plain, the others unary, with b = 31
 * - floor(log2 n). The bits are written as digits of base64: `count TAB digits`. A feature takes
 * about 33.5 - log2 n bits, times 4/3.
 *
 * The sketch of a sequence is `count TAB digits TAB count TAB digits`: the sketch of its distinct
 * tokens, the number of all tokens, and their indexes among the distinct tokens. Each index has the
 * number of bits of the largest index. A text of 300 words takes some 1200 bytes.
 *
 * Two different features are equal in sketches with probability 2^-32. So the similarity of two
 * documents of 300 features is wrong, by one feature, in one of 48,000 pairs. */
#ifndef SH_ARCHIVE_SKETCH_H
#define SH_ARCHIVE_SKETCH_H

#include "base/buf.h"
#include "fp/features.h"

#include <stdint.h>

/* Appends the sketch of n hashes, which must ascend. */
int sh_sketch_print(const uint64_t *hash, size_t n, struct sh_buf *out, struct sh_error *err);

/* The first 32 bits of each hash, as numbers below 2^32. Owns its memory; a zeroed struct is
 * empty. */
struct sh_sketch {
	uint64_t *hash;
	size_t n, cap;
};

/* Replaces the content of *s by the sketch in the text, ascending. SH_ERR_RECORD: the text is no
 * sketch. */
int sh_sketch_parse(struct sh_slice text, struct sh_sketch *s, struct sh_error *err);
/* Appends the sketch of a sequence. Parsing sets *distinct to its distinct tokens, and *all to all
 * its tokens in order. Numbers in *all are shifted to the upper 32 bits, as
 * sh_features_new_sequences() cuts hashes. */
int sh_sequence_print(const struct sh_feature_set *s, struct sh_buf *out, struct sh_error *err);
int sh_sequence_parse(
    struct sh_slice text, struct sh_sketch *distinct, struct sh_sketch *all, struct sh_error *err);

/* Replaces the content of *s by the first 32 bits of n hashes, in their order. */
int sh_sketch_cut(const uint64_t *hash, size_t n, struct sh_sketch *s, struct sh_error *err);
void sh_sketch_free(struct sh_sketch *s);

#endif
