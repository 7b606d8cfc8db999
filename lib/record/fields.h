/* The record forms: TAB-separated fields, one record a line (simhash-records(5)).
 *
 * Parsers take a line without its LF and fill views into it. What breaks the form is
 * SH_ERR_RECORD with a text that says what was found, what was expected and the way
 * out; the caller adds file and line. */
#ifndef SH_RECORD_FIELDS_H
#define SH_RECORD_FIELDS_H

#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

#define SH_ID_MAX     4096 /* bytes of an id */
#define SH_FP_HEX_MAX 256  /* hex digits of the widest fingerprint, 1024 bits */

/* Cut a line at its TABs: fills at most max fields, returns how many there are. The
 * last of the max fields ends at its own TAB, not at the line's end. */
size_t sh_fields_split(struct sh_slice line, struct sh_slice *fields, size_t max);

/* An id: 1..4096 bytes, any but TAB, LF and CR. */
int sh_id_check(struct sh_slice id, struct sh_error *err);

/* SH_ERR_RECORD for a line that ends in CR, with the way out; 0 otherwise. */
int sh_dos_check(struct sh_slice line, struct sh_error *err);

/* feature record: id, feature, weight in millionths. An empty feature of weight 0
 * says that the document has no features. */
struct sh_feature {
	struct sh_slice id, text;
	int64_t weight;
};

int sh_record_feature(struct sh_slice line, struct sh_feature *f, struct sh_error *err);

/* Returns the number of words of a feature: one more than it has blanks. */
uint64_t sh_feature_words(struct sh_slice text);

/* Whether a line is meant for a feature record, in order or not: three fields, the last a number of any
 * kind. */
bool sh_is_like_feature(struct sh_slice line);

/* Whether a line is a fingerprint record with a tag, of a usual width and not all decimal digits. */
bool sh_is_like_tagged_fp(struct sh_slice line);

/* document frequency record: feature, df. The empty feature's df is the number of documents, and a third
 * field may follow: the words of the widest feature. The line may end in CR. */
struct sh_df_record {
	struct sh_slice text;
	uint64_t df;
	uint64_t words; /* of the widest feature; 0: not known */
};

int sh_record_df(struct sh_slice line, struct sh_df_record *r, struct sh_error *err);

/* The id of a line of a list of ids, whose further fields count for nothing; empty when there is none.
 * A DOS line end is no part of it. */
struct sh_slice sh_record_listed(struct sh_slice line);

/* fingerprint record: fp in lower-case hex, id, and perhaps a tag. */
enum { SH_NO_TAG = -1, SH_TAG_DIGITS = 4 };

struct sh_fp_record {
	struct sh_slice hex, id;
	unsigned bits; /* 4 a digit */
	int tag;       /* 0 to 65535, or SH_NO_TAG; see fp/tag.h */
	/* The first digit most significant, see record/fingerprint.h. */
	uint64_t fp[SH_FP_HEX_MAX / 16];
};

int sh_record_fp(struct sh_slice line, struct sh_fp_record *r, struct sh_error *err);

/* Why a record, though it can be one, may mean something else; NULL: it does not look so. */
const char *sh_record_fp_doubt(struct sh_slice line);

/* SH_ERR_RECORD unless the fingerprint is as wide as those before it; *bits 0: the first. */
int sh_same_width(unsigned *bits, const struct sh_fp_record *r, struct sh_error *err);

/* band record: key, fp, id. The tag is in the key: see sh_band_tag(). */
struct sh_band_record {
	struct sh_slice key;
	struct sh_fp_record of;
};

int sh_record_band(struct sh_slice line, struct sh_band_record *r, struct sh_error *err);

/* pair record: id1, id2, distance, and in a verified pair the similarity, 0 to 1,
 * rounded to millionths (-1 when the record has none, or - for it). */
struct sh_pair_record {
	struct sh_slice id1, id2;
	uint64_t distance;
	int64_t similarity;
};

int sh_record_pair(struct sh_slice line, struct sh_pair_record *r, struct sh_error *err);

#endif
