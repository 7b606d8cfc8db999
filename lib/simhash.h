/* SPDX-License-Identifier: MIT */
/* libsimhash: computes fingerprints of texts, and finds near-duplicates among fingerprints.
 *
 * The library does with buffers what the programs of simhash-utils(7) do with records: the same
 * text and options give the same fingerprint. No function prints, exits or keeps global state.
 *
 * A function that fails returns a negative value or NULL. It fills its struct simhash_error, if it
 * has one that is not NULL. A function that succeeds does not change it. One thread at a time may
 * use an object, but any number of threads may use bands. The functions *_free(NULL) do nothing.
 *
 * A fingerprint of `bits` bits is (bits + 63) / 64 words. Word 0 holds the first 64 bits, the most
 * significant bit first: the first 16 hex digits in records. A fingerprint of 32 bits is the high
 * half of word 0. Unused bits of the last word must be 0. */
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
	char text[512]; /* what is wrong, NUL-terminated, without a newline */
};

/* The options of shfp(1), with the same names. Call simhash_profile() or simhash_defaults() first,
 * then change members. Later versions use `reserved` for new options. */
struct simhash_options {
	unsigned bits;        /* 32, 64, 128 or 256; a profile may have other widths */
	unsigned ngram_min;   /* n-grams have ngram_min to ngram_max tokens, */
	unsigned ngram_max;   /* 1 <= ngram_min <= ngram_max <= 255 */
	int chars;            /* tokens are characters, not words */
	int no_fold;          /* no normalisation, no case folding */
	int mask_digits;      /* replace each sequence of digits by one 0 */
	int fold_marks;       /* leave out Arabic and Syriac vowel signs, tatweel, Hebrew points */
	int join_hyphens;     /* join words that a hyphen cuts at a line end */
	const char *weight;   /* "set", "tf", "freq" or "log" */
	const char *hash;     /* "mix", "xxh3", "md5", ..., as for shfp -H */
	const char *profile;  /* gives the rules that have no member here; NULL: "default" */
	uint64_t seed;        /* of the hash */
	uint64_t reserved[6]; /* 0 */
};

/* Sets the default options of shfp. */
void simhash_defaults(struct simhash_options *options);

/* Sets the options of shfp -p NAME (simhash-profiles(7)); the strings in *options are
 * static. Returns -1 when no profile has the name, or when the profile needs a dictionary
 * or document frequencies. */
int simhash_profile(struct simhash_options *options, const char *name, struct simhash_error *error);

/* Makes an object that computes fingerprints. Copies the options, with their strings.
 * Returns NULL on failure. */
struct simhash;
struct simhash *simhash_new(const struct simhash_options *options, struct simhash_error *error);
void simhash_free(struct simhash *s);

/* Computes the fingerprint of `size` < 2^31 bytes of UTF-8. Backslashes are not escapes. Ill-formed
 * sequences separate words. Returns 1 when fp was written. Returns 0, and leaves fp, when the text
 * has no features and the profile defines no fingerprint for such texts. Returns -1 on failure. */
int simhash_text(
    struct simhash *s, const char *text, size_t size, uint64_t *fp, struct simhash_error *error);

/* Computes the fingerprints of n texts, which lie one after the other: text i is the next sizes[i]
 * bytes, as for simhash_text(). Writes fingerprint i to the words from
 * fp[i * ((bits + 63) / 64)] on, and the result of simhash_text(), 1 or 0, to has[i]. Returns 0 or
 * -1. */
int simhash_texts(struct simhash *s, const char *texts, const size_t *sizes, size_t n, uint64_t *fp,
    unsigned char *has, struct simhash_error *error);

/* Returns the number of bits in which two fingerprints of `bits` bits differ, at most 1024 bits. */
unsigned simhash_distance(const uint64_t *a, const uint64_t *b, unsigned bits);

/* Writes bits / 4 lower-case hex digits, as in records, and a NUL. bits: a
 * multiple of 4, at most 1024. */
void simhash_hex(const uint64_t *fp, unsigned bits, char *out);

/* Parses a string of exactly bits / 4 lower-case hex digits. bits: a multiple of 4, at most 1024.
 * Returns 0, or -1 for any other string or width; fp may then be partly written. */
int simhash_from_hex(const char *hex, unsigned bits, uint64_t *fp);

/* Two fingerprints, by their indexes, and their distance in bits. */
struct simhash_pair {
	uint32_t i, j, distance;
};

/* Receives the next n >= 1 pairs, which are valid during the call. A negative result ends the join,
 * which then fails. */
typedef int simhash_pairs_fn(void *arg, const struct simhash_pair *pairs, size_t n);

/* Finds all pairs i < j of n < 2^32 fingerprints at distances of at most `distance` bits, each pair
 * once, in unspecified order. The fingerprints lie one after the other. bits: a multiple of 4, at
 * most 1024. Returns 0 or -1. */
int simhash_join(const uint64_t *fp, size_t n, unsigned bits, unsigned distance,
    simhash_pairs_fn *each, void *arg, struct simhash_error *error);

/* Finds all pairs of fingerprint i of the n at fp and fingerprint j of the m at other. Bounds and
 * result as for simhash_join(). */
int simhash_join_two(const uint64_t *fp, size_t n, const uint64_t *other, size_t m, unsigned bits,
    unsigned distance, simhash_pairs_fn *each, void *arg, struct simhash_error *error);

/* Sorts pairs by i, then by j. */
void simhash_sort_pairs(struct simhash_pair *pairs, size_t n);

/* Options for similarities, as shverify(1) has them. Call simhash_verify_defaults() first, then
 * change members. Later versions use `reserved` for new options. */
struct simhash_verify_options {
	const char *measure;   /* "any", "jaccard", "edit", "containment", "cosine", ... */
	double threshold;      /* least similarity of a similar pair, 0 to 1 */
	double edit_threshold; /* of "any": least edit similarity; threshold is for jaccard */
	unsigned ngram_min;    /* n-grams have ngram_min to ngram_max tokens, */
	unsigned ngram_max;    /* 1 <= ngram_min <= ngram_max <= 255 */
	int chars;             /* this and the other members: as in struct simhash_options */
	int no_fold;
	int mask_digits;
	int fold_marks;
	int join_hyphens;
	const char *weight;   /* for "cosine": "set", "tf" or "log" */
	uint64_t reserved[6]; /* 0 */
};

/* Sets the defaults of shverify. */
void simhash_verify_defaults(struct simhash_verify_options *options);

struct simhash_similarity {
	double similarity;   /* rounded to four decimals; any lower value when `similar` is 0 */
	const char *measure; /* that decided; static */
	int similar;         /* 1 when the threshold is reached, otherwise 0 */
};

/* Computes the similarity of texts pairs[k].i and pairs[k].j, into out[k]. n < 2^32 - 1 texts lie
 * one after the other: text i is the next sizes[i] < 2^31 bytes of UTF-8. Backslashes are not
 * escapes. Does not read pairs[k].distance. options NULL: the defaults. Returns 0 or -1. */
int simhash_verify(const struct simhash_verify_options *options, const char *texts,
    const size_t *sizes, size_t n, const struct simhash_pair *pairs, size_t n_pairs,
    struct simhash_similarity *out, struct simhash_error *error);

/* Makes bands as shband(1): any two fingerprints at a distance of at most `distance` bits share at
 * least one key. bits: a multiple of 4, at most 1024. The bits of a fingerprint are divided into
 * `blocks` blocks; 0: the number of blocks with the least cost for a million fingerprints. Returns
 * NULL on failure. */
struct simhash_bands;
struct simhash_bands *simhash_bands_new(
    unsigned bits, unsigned distance, unsigned blocks, struct simhash_error *error);

void simhash_bands_free(struct simhash_bands *b);

/* Returns the number of tables: a fingerprint has one key in each. */
size_t simhash_bands_tables(const struct simhash_bands *b);
size_t simhash_bands_key_size(const struct simhash_bands *b); /* bytes, without a NUL */

/* Writes the key of fp in table t, from 0: simhash_bands_key_size() bytes and a NUL. A key contains
 * its table, so that keys of all tables can be sorted together. */
void simhash_bands_key(const struct simhash_bands *b, size_t t, const uint64_t *fp, char *out);

/* Options for passages, as shspan(1) has them with -d. Call simhash_passages_defaults() first, then
 * change members. Later versions use `reserved` for new options. */
struct simhash_passage_options {
	/* Consecutive tokens that a passage and its query must share; 0: 5 words, or 9 characters
	 * of a script without spaces, or 25 other characters; at most 255. */
	unsigned ngram;
	unsigned min_tokens; /* least number of matched tokens of a passage, at least 1 */
	unsigned merge; /* joins passages that are at most this number of tokens apart; 0: none */
	double min_identity;  /* least identity of a passage, 0 to 1 */
	int chars;            /* tokens are characters, not words */
	int no_fold;          /* no normalisation, no case folding */
	uint64_t reserved[6]; /* 0 */
};

/* Sets the defaults of shspan: 0, 12, 60, 0.5, 0, 0. */
void simhash_passages_defaults(struct simhash_passage_options *options);

/* A passage that a text shares with a query: bytes start .. end - 1 of the text, and bytes
 * query_start .. query_end - 1 of the query. */
struct simhash_passage {
	size_t query; /* index of the query */
	size_t start, end;
	size_t query_start, query_end;
	size_t matched;  /* tokens that both sides have, in order */
	double identity; /* matched / tokens of the longer side */
};

/* Makes an object that looks for n < 2^32 - 1 queries: queries[i] is sizes[i] < 2^31 bytes of
 * UTF-8. Backslashes are not escapes. Copies queries and options. options NULL: the defaults.
 * Returns NULL on failure. */
struct simhash_passages;
struct simhash_passages *simhash_passages_new(const char *const *queries, const size_t *sizes,
    size_t n, const struct simhash_passage_options *options, struct simhash_error *error);
void simhash_passages_free(struct simhash_passages *p);

/* Called for each passage, which is valid during the call. A negative result ends the
 * search, which then fails. */
typedef int simhash_passage_fn(void *arg, const struct simhash_passage *passage);

/* Finds the passages that a text of `size` < 2^31 bytes shares with the queries, ordered by query,
 * then by start. Returns 0 or -1. */
int simhash_passages_find(struct simhash_passages *p, const char *text, size_t size,
    simhash_passage_fn *each, void *arg, struct simhash_error *error);

/* An archive of documents. A zeroed struct has the defaults. The lists of files end with NULL; NULL
 * is an empty list. */
struct simhash_archive_options {
	unsigned wait;           /* the most seconds to wait for another process [0] */
	unsigned jobs;           /* threads of simhash_archive_add() [1] */
	unsigned memory_mb;      /* MiB for sorting; temporary files beyond [1024] */
	const char *const *stop; /* the files of stop words with which it was made */
	const char *const *dict; /* the files of words for jieba with which it was made */
	const char *dictionary;  /* jieba.dict, or cppjieba's folder, where it was made with one */
	uint64_t reserved[4];    /* must be 0 */
};

/* Opens the archive of documents in a folder, which sharchive(1) makes and to which shdedup -a adds
 * documents. It has its own settings, but for the content of files. options: may be NULL. Returns
 * NULL on failure. A process that was forked must open the archive again. */
struct simhash_archive;
struct simhash_archive *simhash_archive_open(
    const char *path, const struct simhash_archive_options *options, struct simhash_error *error);
void simhash_archive_close(struct simhash_archive *a);

/* A document of the archive that is similar to a text. */
struct simhash_match {
	const char *id;
	size_t size;         /* bytes of the id, which has no NUL at its end */
	double similarity;   /* 0 to 1, rounded to four decimals */
	const char *measure; /* "jaccard" or "edit" */
};

/* Receives the n matches of a query, the most similar first; equal ones in the order in which they
 * were added. They are valid during the call, in which no other function of the archive may be
 * called. A negative result makes the query fail. */
typedef int simhash_matches_fn(void *arg, const struct simhash_match *matches, size_t n);

/* Finds the documents that stayed in the archive and that shdedup -a would find similar to a text
 * of `size` < 2^31 bytes of UTF-8, without escapes. Calls `each` once, unless there are none. Other
 * processes may query at the same time. Returns 0 or -1. */
int simhash_archive_query(struct simhash_archive *a, const char *text, size_t size,
    simhash_matches_fn *each, void *arg, struct simhash_error *error);

/* A document that does not stay. */
struct simhash_drop {
	size_t document;    /* its index */
	const char *keeper; /* the id of the document that stays for it, without a NUL at its end */
	size_t size;        /* bytes of that id */
	double similarity;  /* 0 to 1, rounded to four decimals */
	const char *measure; /* "jaccard" or "edit" */
};

/* Receives a dropped document. It is valid during the call, in which no other function of the
 * archive may be called. A negative result ends simhash_archive_add(), which then adds nothing. */
typedef int simhash_drops_fn(void *arg, const struct simhash_drop *drop);

/* Compares n documents with the archive and with each other, passes dropped documents to
 * `each`, by index, and adds all documents to the archive, as shdedup -a does. ids, texts: of
 * id_sizes and sizes bytes. now: the time of the documents, in seconds since 1970. Returns 0; or
 * -1, and the archive is as it was. */
int simhash_archive_add(struct simhash_archive *a, const char *const *ids, const size_t *id_sizes,
    const char *const *texts, const size_t *sizes, size_t n, uint64_t now, simhash_drops_fn *each,
    void *arg, struct simhash_error *error);

/* Removes the documents with these ids, and all documents that were dropped as their duplicates, as
 * `sharchive remove` does. Adds their number to *removed. Returns 0 or -1. */
int simhash_archive_remove(struct simhash_archive *a, const char *const *ids, const size_t *sizes,
    size_t n, uint64_t *removed, struct simhash_error *error);

/* Merges the archive's files, as `sharchive compact` does. Returns 0 or -1. */
int simhash_archive_compact(struct simhash_archive *a, struct simhash_error *error);

/* Returns the version, as "1.2.3". A program that was linked with this library works with all later
 * versions of the same soname. */
const char *simhash_version(void);

#ifdef __cplusplus
}
#endif

#endif
