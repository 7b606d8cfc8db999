/* libsimhash: computes fingerprints of texts, and finds near-duplicates among fingerprints.
 *
 * It does with buffers what the programs of simhash-utils(7) do with records: the same text and options
 * give the same fingerprint. No function prints, exits or keeps global state. A function that can fail
 * returns a negative value or NULL, and fills a struct simhash_error, which may be NULL. One thread at
 * a time may use an object.
 *
 * A fingerprint of `bits` bits is (bits + 63) / 64 words. Word 0 holds the first 64 bits, the most
 * significant bit first: they are the first 16 hex digits in records. A fingerprint of 32 bits is the
 * high half of word 0. Unused bits of the last word are 0. */
#ifndef SIMHASH_H
#define SIMHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMHASH_MAX_WORDS 16

struct simhash_error {
	int code;       /* not 0 after a failure */
	char text[512]; /* what is wrong, without a newline */
};

/* The options of shfp(1), with the same names. Call simhash_profile() or simhash_defaults() first, then
 * change members. Later versions use `reserved` for new options. */
struct simhash_options {
	unsigned bits;      /* 32, 64, 128 or 256; a profile may have others */
	unsigned ngram_min; /* n-grams of ngram_min to ngram_max tokens */
	unsigned ngram_max;
	int chars;           /* tokens are characters, not words */
	int no_fold;         /* no normalisation, no case folding */
	int mask_digits;     /* replace each sequence of digits by one 0 */
	int minhash;         /* MinHash; bits is a multiple of 64 up to 1024; weights are ignored */
	int unused;          /* 0 */
	const char *weight;  /* set, tf, freq or log */
	const char *hash;    /* mix, xxh3, md5, ... */
	const char *profile; /* decides the rules that have no member here */
	uint64_t seed;
	uint64_t reserved[6]; /* 0 */
};

/* Sets the options that shfp had by default in 0.1: SimHash of words. They stay, so that stored fingerprints stay
 * comparable. simhash_profile(options, "default", error) sets the options that shfp has by default now. */
void simhash_defaults(struct simhash_options *options);

/* Sets the options of shfp -p NAME (simhash-profiles(7)). Returns -1 when there is no such profile, or
 * when it needs a dictionary or document frequencies, which only the programs read. */
int simhash_profile(struct simhash_options *options, const char *name, struct simhash_error *error);

/* Makes an object that computes fingerprints. The options are copied, and their strings are not used
 * after the call. Returns NULL on failure. */
struct simhash;
struct simhash *simhash_new(const struct simhash_options *options, struct simhash_error *error);
void simhash_free(struct simhash *s);

/* Computes the fingerprint of `size` < 2^31 bytes of UTF-8. Backslashes are not escapes; ill-formed
 * sequences separate words. Returns 1 when fp was written, 0 when the text has no features (some
 * profiles define a fingerprint for this case and return 1), -1 on failure. */
int simhash_text(
    struct simhash *s, const char *text, size_t size, uint64_t *fp, struct simhash_error *error);

/* Returns the number of bits in which two fingerprints of `bits` bits differ. */
unsigned simhash_distance(const uint64_t *a, const uint64_t *b, unsigned bits);

/* Writes bits / 4 lower-case hex digits, as in records, and a NUL. bits must be a multiple of 4. */
void simhash_hex(const uint64_t *fp, unsigned bits, char *out);

/* Parses bits / 4 lower-case hex digits; bits is a multiple of 4 up to 1024. Returns 0, or -1 for any other
 * text or width. On failure fp may be partly written. */
int simhash_from_hex(const char *hex, unsigned bits, uint64_t *fp);

/* Called for each pair with the indexes of its fingerprints. A negative result ends the join, which then returns
 * -1. */
typedef int simhash_pair(void *arg, size_t i, size_t j, unsigned distance);

/* Finds all pairs i < j of n < 2^32 fingerprints at distances up to and including `distance`, each pair
 * once, in unspecified order. The fingerprints lie one after the other. bits is a multiple of 4 up to 1024.
 * Returns 0 or -1. */
int simhash_join(const uint64_t *fp, size_t n, unsigned bits, unsigned distance, simhash_pair *pair,
    void *arg, struct simhash_error *error);

/* Finds all pairs of fingerprint i of the n at fp and fingerprint j of the m at other; the bounds and the result
 * are as for simhash_join(). */
int simhash_join_two(const uint64_t *fp, size_t n, const uint64_t *other, size_t m, unsigned bits,
    unsigned distance, simhash_pair *pair, void *arg, struct simhash_error *error);

/* Makes bands as shband(1): any two fingerprints at distances up to and including `distance` share at
 * least one key. blocks: number of blocks, or 0 for the one with the least cost for `count`
 * fingerprints. count 0 stands for a million. Returns NULL on failure. Several threads may use the
 * result. */
struct simhash_bands;
struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, double count, struct simhash_error *error);

/* Makes fewer bands, drawn at random from `seed` (at most 65535), as shband --recall. The expected share
 * of the pairs at `distance` that share a key is at least `recall`, between 0 and 1. */
struct simhash_bands *simhash_bands_draw(unsigned bits, unsigned distance, double recall,
    double count, unsigned seed, struct simhash_error *error);
void simhash_bands_free(struct simhash_bands *b);

size_t simhash_bands_tables(const struct simhash_bands *b);
size_t simhash_bands_key_size(const struct simhash_bands *b); /* bytes, without a NUL */

/* Returns the expected share of the pairs at this distance that share a key. Returns a negative value
 * when it is unknown: for bands of simhash_bands_new(), beyond their distance. */
double simhash_bands_recall(const struct simhash_bands *b, unsigned distance);

/* Writes the key of fp in table t: simhash_bands_key_size() bytes and a NUL. A key contains its table, so
 * that keys of all tables can be sorted together. */
void simhash_bands_key(const struct simhash_bands *b, size_t t, const uint64_t *fp, char *out);

/* Options for passages, as shspan(1) has them with -d. Call simhash_passages_defaults() first, then change members.
 * Later versions use `reserved` for new options. */
struct simhash_passage_options {
	unsigned
	    ngram; /* tokens of a seed; 0: 5 words or 9 characters of a script without spaces */
	unsigned min_tokens; /* matched tokens of a passage */
	unsigned merge; /* passages at most this number of tokens apart are joined; 0: none are */
	double min_identity;  /* matched tokens / tokens of the longer side, 0 to 1 */
	int chars;            /* tokens are characters, not words */
	int no_fold;          /* no normalisation, no case folding */
	uint64_t reserved[6]; /* 0 */
};

void simhash_passages_defaults(struct simhash_passage_options *options);

/* A passage that a text shares with a query. Places are bytes of both. */
struct simhash_passage {
	size_t query;      /* index */
	size_t start, end; /* of the text */
	size_t query_start, query_end;
	size_t matched;  /* tokens that both have, in order */
	double identity; /* matched / tokens of the longer side */
};

/* Makes an object that looks for n < 2^32 - 1 queries: queries[i] is sizes[i] < 2^31 bytes of UTF-8. Backslashes are
 * no escapes. Queries and options are copied; options may be NULL. Returns NULL on failure. */
struct simhash_passages;
struct simhash_passages *simhash_passages_new(const char *const *queries, const size_t *sizes,
    size_t n, const struct simhash_passage_options *options, struct simhash_error *error);
void simhash_passages_free(struct simhash_passages *p);

/* Called for each passage. A negative result ends the search, which then returns -1. */
typedef int simhash_passage_fn(void *arg, const struct simhash_passage *passage);

/* Finds the passages that a text shares with the queries, ordered by query, then by start. Returns 0 or -1. */
int simhash_passages_find(struct simhash_passages *p, const char *text, size_t size,
    simhash_passage_fn *each, void *arg, struct simhash_error *error);

/* Returns the version, as "0.1.0". A program that was linked with this library works with all later
 * versions of the same soname. */
const char *simhash_version(void);

#ifdef __cplusplus
}
#endif

#endif
