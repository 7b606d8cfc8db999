/* A sketch: the features of a document in few bytes, to compare it when its text is not stored.
 *
 * A sketch holds the first 32 bits of each hash, sorted, as differences in a Golomb-Rice code
 * (Golomb 1966, Rice 1979). The low b bits of a difference are plain, its high bits unary, with
 * b = 31 - floor(log2 n). The bits are written as digits of base64: `count TAB digits`. A feature
 * takes about 33.5 - log2 n bits, times 4/3.
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
#include "fp/hashsort.h"

#include <stdint.h>

/* Appends the sketch of n hashes, which must ascend. */
int sh_sketch_print(const uint64_t *hash, size_t n, struct sh_buf *out, struct sh_error *err);

/* The first 32 bits of each hash, and zeros in the other bits. Owns its memory; a zeroed struct is
 * empty. */
struct sh_sketch {
	uint64_t *hash;
	size_t n, cap;
};

/* Empties *s, and makes room for n hashes. */
int sh_sketch_reserve(struct sh_sketch *s, size_t n, struct sh_error *err);

/* Replaces the content of *s by the sketch in the text, ascending. SH_ERR_RECORD: the text is no
 * sketch. */
int sh_sketch_parse(struct sh_slice text, struct sh_sketch *s, struct sh_error *err);
/* Appends the sketch of a sequence of n tokens. Parsing sets *distinct to its distinct tokens, and
 * *all to all its tokens in order. scratch: its content is lost. */
int sh_sequence_print(const uint64_t *token, size_t n, struct sh_hashes *scratch,
    struct sh_buf *out, struct sh_error *err);
int sh_sequence_parse(
    struct sh_slice text, struct sh_sketch *distinct, struct sh_sketch *all, struct sh_error *err);

void sh_sketch_free(struct sh_sketch *s);

#endif
