/* libsimhash: near-duplicate fingerprints and exact joins of them, for programs.
 *
 * What the programs of simhash-utils(7) do with records, this does with buffers: the
 * same text and choices give the same fingerprint. Nothing here prints, exits, or keeps
 * global state; functions that can fail return a negative value and say why in a
 * struct simhash_error. An object serves one thread at a time.
 *
 * A fingerprint of `bits` bits is (bits + 63) / 64 words: word 0 holds the first 64 bits,
 * the most significant first, as its first 16 hex digits do in records. 32 bits are the
 * high half of word 0. */
#ifndef SIMHASH_H
#define SIMHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMHASH_MAX_WORDS 16

struct simhash_error {
	int code; /* 0: none */
	char text[512];
};

/* The choices of shfp(1), by the same names. */
struct simhash_options {
	unsigned bits;      /* 32, 64, 128 or 256 */
	unsigned ngram_min; /* n-grams of ngram_min to ngram_max tokens */
	unsigned ngram_max;
	int chars;          /* tokens are characters, not words */
	int no_fold;        /* neither normalise nor fold case */
	int mask_digits;    /* make each run of digits a single 0 */
	const char *weight; /* set, tf, freq or log */
	const char *hash;   /* mix, xxh3, md5, ... */
	uint64_t seed;
};

/* What shfp does without options. */
void simhash_defaults(struct simhash_options *options);

/* Fingerprints of texts. NULL on failure. */
struct simhash;
struct simhash *simhash_new(const struct simhash_options *options, struct simhash_error *error);
void simhash_free(struct simhash *s);

/* The fingerprint of `size` bytes of UTF-8 (plain text: backslashes are no escapes). 1: fp was
 * written; 0: the text has no features, so no fingerprint says anything about it; -1. */
int simhash_text(
    struct simhash *s, const char *text, size_t size, uint64_t *fp, struct simhash_error *error);

/* Number of bits on which two fingerprints of `bits` bits differ. */
unsigned simhash_distance(const uint64_t *a, const uint64_t *b, unsigned bits);

/* Lower-case hex, bits / 4 digits and a final NUL: as in records. */
void simhash_hex(const uint64_t *fp, unsigned bits, char *out);

/* 0, or -1 when the text is not bits / 4 lower-case hex digits. */
int simhash_from_hex(const char *hex, unsigned bits, uint64_t *fp);

/* Receives pairs of positions; a negative value ends the join. */
typedef int simhash_pair(void *arg, size_t i, size_t j, unsigned distance);

/* All pairs i < j of n fingerprints (packed one after the other) within `distance`, each
 * once, exactly. bits is a multiple of 4 up to 1024; n < 2^32. */
int simhash_join(const uint64_t *fp, size_t n, unsigned bits, unsigned distance, simhash_pair *pair,
    void *arg, struct simhash_error *error);

/* All pairs of one of the n fingerprints at fp and one of the m at other. */
int simhash_join_two(const uint64_t *fp, size_t n, const uint64_t *other, size_t m, unsigned bits,
    unsigned distance, simhash_pair *pair, void *arg, struct simhash_error *error);

/* Bands, as shband(1) makes them: keys of which any two fingerprints within `distance`
 * share one. blocks 0: the cheapest number for `count` fingerprints. NULL on failure. */
struct simhash_bands;
struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, double count, struct simhash_error *error);
void simhash_bands_free(struct simhash_bands *b);

size_t simhash_bands_tables(const struct simhash_bands *b);
size_t simhash_bands_key_size(const struct simhash_bands *b); /* bytes, without a NUL */

/* The key of fp in table t: simhash_bands_key_size() bytes, and a final NUL. */
void simhash_bands_key(const struct simhash_bands *b, size_t t, const uint64_t *fp, char *out);

const char *simhash_version(void);

#ifdef __cplusplus
}
#endif

#endif
