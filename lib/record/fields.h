/* The record forms: fields between TABs, one record per line (simhash-records(5)).
 *
 * Parsers get a line without its LF and fill views of it. A line of another form is SH_ERR_RECORD: the text
 * names what was found, what was expected and what to do. The caller adds file and line. */
#ifndef SH_RECORD_FIELDS_H
#define SH_RECORD_FIELDS_H

#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

#define SH_ID_MAX     4096 /* bytes of an id */
#define SH_FP_HEX_MAX 256  /* hex digits of the widest fingerprint, 1024 bits */

/* Splits a line at its TABs. Fills at most max fields and returns the number of all fields. Each field
 * ends at its TAB, also the last one filled. */
size_t sh_fields_split(struct sh_slice line, struct sh_slice *fields, size_t max);

/* Checks an id: 1 to SH_ID_MAX bytes, any but TAB, LF and CR. */
int sh_id_check(struct sh_slice id, struct sh_error *err);

/* Returns -1 and SH_ERR_RECORD for a line that ends in CR. */
int sh_dos_check(struct sh_slice line, struct sh_error *err);

/* feature record: id, feature, weight in millionths. A document without features has one record: an
 * empty feature of weight 0. */
struct sh_feature {
	struct sh_slice id, text;
	int64_t weight;
};

int sh_record_feature(struct sh_slice line, struct sh_feature *f, struct sh_error *err);

/* Returns the number of words of a feature: one more than it has blanks. */
uint64_t sh_feature_words(struct sh_slice text);

/* Returns whether a line has three fields, and the last one is a number in any notation.
 * sh_record_feature() may refuse it. */
bool sh_is_like_feature(struct sh_slice line);

/* Returns whether a line is a fingerprint record with a tag, of 32 bits or more, with a digit from a to
 * f. */
bool sh_is_like_tagged_fp(struct sh_slice line);

/* document frequency record: feature, df. The empty feature's df is the number of documents, and a third
 * field may follow: the words of the widest feature. The line may end in CR. */
struct sh_df_record {
	struct sh_slice text;
	uint64_t df;
	uint64_t words; /* of the widest feature; 0: not known */
};

int sh_record_df(struct sh_slice line, struct sh_df_record *r, struct sh_error *err);

/* Returns the first field of a line of a list of ids, without a CR; other fields are ignored. */
struct sh_slice sh_record_listed(struct sh_slice line);

/* fingerprint record: fp in lower-case hex, id, and optionally a tag. */
enum { SH_NO_TAG = -1, SH_TAG_DIGITS = 4 };

struct sh_fp_record {
	struct sh_slice hex, id;
	unsigned bits; /* 4 for each digit */
	int tag;       /* 0 to 65535, or SH_NO_TAG; see fp/tag.h */
	/* The first digit most significant, see record/fingerprint.h. */
	uint64_t fp[SH_FP_HEX_MAX / 16];
};

int sh_record_fp(struct sh_slice line, struct sh_fp_record *r, struct sh_error *err);

/* Returns why a valid fingerprint record may be something else; NULL when there is no doubt. records: the record and
 * those that follow it, as far as they are known. */
const char *sh_record_fp_doubt(struct sh_slice records);

/* Returns -1 and SH_ERR_RECORD unless the fingerprint has *bits bits. Sets *bits when it is 0. */
int sh_same_width(unsigned *bits, const struct sh_fp_record *r, struct sh_error *err);

/* band record: key, fp, id. The tag is in the key: see sh_band_tag(). */
struct sh_band_record {
	struct sh_slice key;
	struct sh_fp_record of;
};

int sh_record_band(struct sh_slice line, struct sh_band_record *r, struct sh_error *err);

/* pair record: id1, id2, distance, and perhaps a similarity: 0 to 1, in millionths, rounded; -1 when the
 * record has none, or "-".
 * report record of shdedup --counts: a pair record with a similarity or "-", and the size of the group.
 * coverage record: id1, id2, matched, coverage1, coverage2; each coverage has a decimal point. The distance is
 * set to 0, and the similarity to the greater coverage.
 * share record: id1, id2, common, n1, n2. The distance is set to n1 + n2 - 2 * common: the number of features
 * that only one of the documents has. */
struct sh_pair_record {
	struct sh_slice id1, id2;
	uint64_t distance;
	int64_t similarity;
	bool coverage; /* it is a coverage record */
};

int sh_record_pair(struct sh_slice line, struct sh_pair_record *r, struct sh_error *err);

#endif
