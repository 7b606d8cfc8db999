/* SPDX-License-Identifier: MIT */
/* Keys of documents: two documents that share a key are candidates, and are compared.
 *
 * A key has a column and a hash of 40 bits. Keys of different columns never meet. A feature is an
 * n-gram, hashed as a row of its tokens' hashes (hash/keyed.h). A plain set holds the different
 * features of a document. Edit similarity also knows a numbered set: the second, third, ...
 * occurrence of an n-gram is a feature of its own there.
 *
 * A document is short when it has fewer than SH_KEYS_SHORT features: in its plain set for Jaccard
 * similarity, in its numbered set for edit similarity.
 *
 * 1. Columns 0 to keys - 1, for documents that are not short: key i is made of `rows` minwise
 *    values of the plain set (fp/minhash.h). Sets of Jaccard similarity J share a key with
 *    probability 1 - (1 - J^rows)^keys. When edit similarity makes matches and at least a quarter
 *    of the n-grams are repeats, or the plain set is short, the numbered set gives a second row of
 *    keys, in the columns where they differ from the first row.
 * 2. Column SH_COLUMN_FEATURE, for pairs by Jaccard similarity of which at least one document is
 *    short: a prefix filter (Chaudhuri, Ganti, Kaushik 2006), exact. Two sets that share at least c
 *    features share one of the first n - c + 1 features of each, in any common order.
 * 3. Column SH_COLUMN_GRAM, for such pairs by edit similarity, exact. One edit changes at most q of
 *    the q-grams of a text, so texts at distance d share one of the first q d + 1 numbered q-grams
 *    of each. q is the largest number, at most n, that the length of the longer text allows.
 *
 * Where two documents must share at least two features, and the prefix is brief, 2 and 3 lengthen
 * the prefix by one and take its pairs of features as keys. Keys of single features would make a
 * number of candidates that is quadratic in the documents.
 *
 * 4. Column SH_COLUMN_SET, for documents that are short by Jaccard similarity: a hash of the plain
 *    set. Single features of short documents are common, and then the bound (posting.h) parts
 *    documents of one set. Few documents share this key.
 *
 * 5. Column SH_COLUMN_TEXT, for documents of the same tokens in the same order: a hash of all
 * tokens. Such documents meet the first one of them, however many documents share their other keys.
 *
 * In the columns of 2 and 3, two documents that are not short are no candidates.
 *
 * Keys depend on the rule, the secret and the tokens only: they are the same on all machines. */
#ifndef SH_MATCH_KEYS_H
#define SH_MATCH_KEYS_H

#include "match/measure.h"
#include "text/ngram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SH_KEYS_SHORT = 20,    /* a document of fewer features is short */
	SH_KEYS_MAX = 64,      /* most columns of minwise keys */
	SH_KEYS_ROWS_MAX = 16, /* most minwise values of a key */
	SH_COLUMN_FEATURE = SH_KEYS_MAX,
	SH_COLUMN_GRAM,
	SH_COLUMN_SET,
	SH_COLUMN_TEXT,
	SH_COLUMNS,        /* columns are below */
	SH_KEYS_BITS = 40, /* of the hash of a key */
};

/* Decides the keys. Documents of one run, and of one archive, have one rule. */
struct sh_key_rules {
	struct sh_ngrams ngrams; /* lead and past_first are ignored */
	enum sh_unit unit;
	/* Thresholds in millionths, 1 to SH_WEIGHT_ONE; 0: the measure makes no match. At least one
	 * is not 0. */
	uint64_t jaccard, edit;
	unsigned keys, rows; /* see sh_key_rules_complete() */
	uint64_t secret[2];  /* see sh_key_secret() */
};

/* Sets the thresholds of the keys that find the pairs of a measure, which must suit duplicates.
 * edit: the second threshold of the measure any; other measures do not use it. */
void sh_key_rules_thresholds(
    struct sh_key_rules *r, const struct sh_measure *m, uint64_t threshold, uint64_t edit);

/* Sets keys and rows by the table, for the thresholds, the unit and the n-grams, unless the caller
 * has set them: 1 to SH_KEYS_MAX, 1 to SH_KEYS_ROWS_MAX. Every program takes its keys from here. */
void sh_key_rules_complete(struct sh_key_rules *r);

/* Sets the secret for the number of an option --seed. Seed 0 is the default. A secret of random
 * bytes guards against texts that are written to share keys. */
void sh_key_secret(uint64_t seed, uint64_t secret[2]);

/* Returns the tag of the rules for key records (keyrecord.h), 1 to 65535. tokens: the tag of all
 * settings that decide the tokens and the secret. */
unsigned sh_key_rules_tag(const struct sh_key_rules *r, unsigned tokens);

struct sh_doc_key {
	uint64_t hash;     /* below 2^SH_KEYS_BITS */
	uint32_t document; /* its number, for the caller; 0 in keys of the maker */
	uint8_t column;    /* below SH_COLUMNS */
	/* False in a column of short documents when the document is not short by the column's
	 * measure: it meets only documents that have it set. */
	bool meets_all;
};

/* Returns whether only pairs with a short document are candidates in this column. */
static inline bool sh_column_of_short(unsigned column)
{
	return column == SH_COLUMN_FEATURE || column == SH_COLUMN_GRAM;
}

/* Returns the key of a posting in an archive: documents that meet all come first, as in posting.h.
 */
static inline uint64_t sh_stored_key(unsigned column, uint64_t hash, bool meets_all)
{
	return ((uint64_t)column << SH_KEYS_BITS | hash) << 1 | !meets_all;
}

/* The keys of a document. No key occurs twice. A document that cannot be in a pair has no keys. */
struct sh_doc_keys {
	const struct sh_doc_key *key; /* by column, ascending; owned by the maker */
	size_t n;
	size_t tokens;
	/* Number of different features, for the length filter of Jaccard similarity; 0: unknown,
	 * not short and not counted. */
	size_t features;
	bool short_jaccard, short_edit; /* false when the measure makes no match */
};

/* Makes keys. One thread at a time may use a maker. */
struct sh_key_maker;

/* Copies the rules, which must be complete. Returns NULL when memory runs out. */
struct sh_key_maker *sh_key_maker_new(const struct sh_key_rules *r, struct sh_error *err);
/* NULL: does nothing. */
void sh_key_maker_delete(struct sh_key_maker *m);

/* Hashes the tokens under the secret, for sh_keys_make(). The maker owns the t->n hashes. They are
 * valid until the next call. Returns NULL when memory runs out; without tokens the result may not
 * be read. */
const uint64_t *sh_key_tokens(
    struct sh_key_maker *m, const struct sh_tokens *t, struct sh_error *err);

/* Sets *keys to the keys of a document of n tokens, by the hashes that sh_key_tokens() gives. Valid
 * until the next call. Memory grows with the longest document only. SH_ERR_RANGE: the document has
 * more than INT32_MAX n-grams. */
int sh_keys_make(struct sh_key_maker *m, const uint64_t *token, size_t n, struct sh_doc_keys *keys,
    struct sh_error *err);

#endif
