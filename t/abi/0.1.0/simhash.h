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

/* The choices of shfp(1), by the same names. Let simhash_defaults() or simhash_profile() fill
 * it in, then change what shall differ: what later versions add is in `reserved` now. */
struct simhash_options {
	unsigned bits;      /* 32, 64, 128 or 256; a profile may have others */
	unsigned ngram_min; /* n-grams of ngram_min to ngram_max tokens */
	unsigned ngram_max;
	int chars;           /* tokens are characters, not words */
	int no_fold;         /* neither normalise nor fold case */
	int mask_digits;     /* make each run of digits a single 0 */
	int minhash;         /* minwise bits, 64, 128, ... 1024 of them; weights do not count */
	int unused;          /* 0 */
	const char *weight;  /* set, tf, freq or log */
	const char *hash;    /* mix, xxh3, md5, ... */
	const char *profile; /* whose rules hold for what is not said here */
	uint64_t seed;
	uint64_t reserved[6]; /* 0 */
};

/* What shfp does without options. */
void simhash_defaults(struct simhash_options *options);

/* What it does with -p NAME (simhash-profiles(7)). -1: there is none of that name, or it needs
 * a dictionary or document frequencies, which only the programs have. */
int simhash_profile(struct simhash_options *options, const char *name, struct simhash_error *error);

/* Fingerprints of texts. The options are copied, the strings that they name are not looked at
 * again. NULL on failure. */
struct simhash;
struct simhash *simhash_new(const struct simhash_options *options, struct simhash_error *error);
void simhash_free(struct simhash *s);

/* The fingerprint of `size` bytes of UTF-8 (plain text: backslashes are no escapes; what is
 * ill-formed separates words). 1: fp was written; 0: the text has no features, so that no
 * fingerprint would say anything about it (some profiles have one all the same); -1. */
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
 * share one. blocks 0: the cheapest number for `count` fingerprints, 0: a million. NULL on
 * failure. Once made, several threads may use them. */
struct simhash_bands;
struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, struct simhash_error *error);

void simhash_bands_free(struct simhash_bands *b);

size_t simhash_bands_tables(const struct simhash_bands *b);
size_t simhash_bands_key_size(const struct simhash_bands *b); /* bytes, without a NUL */

/* The key of fp in table t: simhash_bands_key_size() bytes, and a final NUL. Keys say of which
 * table they are, so that keys of all tables can be sorted together. */
void simhash_bands_key(const struct simhash_bands *b, size_t t, const uint64_t *fp, char *out);

/* "0.1.0". Programs that were linked with a library of one soname work with each later one. */
const char *simhash_version(void);

#ifdef __cplusplus
}
#endif

#endif
