/* SPDX-License-Identifier: MIT */
/* Ranks: which document of a group stays. The best document has the lowest rank.
 *
 * One order of all documents, for shdedup and shgroup: protected documents first, then the rule of
 * --keep, then the place in the input. */
#ifndef SH_MATCH_RANK_H
#define SH_MATCH_RANK_H

#include "io/tables.h"
#include "record/document.h"

enum sh_rank_by {
	SH_RANK_FIRST,   /* the first document of the input */
	SH_RANK_LONGEST, /* most bytes of text, without escapes */
	SH_RANK_NEWEST,  /* the last document of the input */
	/* in the order of a file of ids, one per line; other documents behind them */
	SH_RANK_LISTED,
	SH_RANK_LARGEST,  /* the largest value of a field of the record */
	SH_RANK_SMALLEST, /* the smallest value */
};

/* The rule of --keep. Zeroed: SH_RANK_FIRST. */
struct sh_rank_rule {
	enum sh_rank_by by;
	const char *path;      /* SH_RANK_LISTED: the file; borrowed */
	struct sh_slice field; /* SH_RANK_LARGEST, SH_RANK_SMALLEST: the name; borrowed */
	unsigned number;       /* of the field, from 1, when its name is a number; else 0 */
};

/* Parses first, longest, newest, max:FIELD, min:FIELD, or the path of a file of ids. SH_ERR_PARAM:
 * the field has no name. */
int sh_rank_rule_parse(const char *text, struct sh_rank_rule *rule, struct sh_error *err);

/* Checks that records of this form can have the field. SH_ERR_PARAM says why not. */
int sh_rank_rule_check(
    const struct sh_rank_rule *rule, const struct sh_document_form *form, struct sh_error *err);

static inline bool sh_rank_by_value(const struct sh_rank_rule *rule)
{
	return rule->by == SH_RANK_LARGEST || rule->by == SH_RANK_SMALLEST;
}

#define SH_RANK_UNLISTED UINT32_MAX

/* Returns the rank of a document by its rule alone, for a rule without values. place: in the input.
 * length: bytes of the text. listed: place in the file of ids, or SH_RANK_UNLISTED. */
uint64_t sh_rank_by_rule(
    const struct sh_rank_rule *rule, uint64_t place, uint64_t length, uint32_t listed);

/* Everything that decides the rank of a document. */
struct sh_rank {
	bool is_protected;
	uint64_t by_rule; /* of sh_rank_by_rule() or sh_rank_values_finish() */
	uint64_t place;   /* in the input */
};

/* Returns a number below 0 when a is the better document, above 0 when b is. */
static inline int sh_rank_compare(struct sh_rank a, struct sh_rank b)
{
	if (a.is_protected != b.is_protected)
		return a.is_protected ? -1 : 1;
	if (a.by_rule != b.by_rule)
		return a.by_rule < b.by_rule ? -1 : 1;
	return a.place < b.place ? -1 : a.place > b.place;
}

/* ---- the values of a field ----------------------------------------------------------------
 *
 * A value is a number, when it is written as a decimal number, or a string. Numbers are compared
 * exactly, whatever the number of their digits. Strings are compared bytewise, without the escapes
 * and quotes of the record. Numbers rank before strings, and strings before documents without a
 * value, under max: and under min: alike. A string of JSON is a string, also when it has digits
 * only. */

enum sh_rank_kind { SH_RANK_NUMBER, SH_RANK_STRING, SH_RANK_NOTHING };

struct sh_rank_value {
	uint32_t document;
	uint32_t n;       /* bytes: of the digits, or of the string */
	int32_t exponent; /* of a number: 0.DIGITS * 10^exponent; digits begin and end without 0 */
	signed char sign; /* of a number: -1, 0, 1 */
	unsigned char kind;
	size_t at; /* of the digits or the string, in values.bytes */
};

/* Ready when the caller has set the first three members, and zeroed everything else. */
struct sh_rank_values {
	struct sh_tables *tables; /* for all arrays; borrowed; NULL: in memory */
	struct sh_rank_rule rule; /* by value */
	const struct sh_document_form *form;

	/* Results. */
	uint64_t lacking; /* documents without a value */
	uint64_t numbers; /* documents with a number */
	uint64_t strings; /* documents with a string */

	/* Private. */
	unsigned column; /* index of the field, for records in columns */
	struct sh_rank_value *value;
	size_t n, cap;
	char *bytes;
	size_t bytes_n, bytes_cap;
	struct sh_buf room;
};

/* Finds the column of the field. header: the first record of the input, without byte order mark
 * and LF; ignored when the form has none. SH_ERR_PARAM: there is no such column. */
int sh_rank_values_header(struct sh_rank_values *v, struct sh_slice header, struct sh_error *err);

/* Adds the value of a document, from its record without LF. */
int sh_rank_values_add(
    struct sh_rank_values *v, uint32_t document, struct sh_slice record, struct sh_error *err);

/* Calls set() for each document with its rank by the rule. Documents of equal values have equal
 * ranks. */
void sh_rank_values_finish(
    struct sh_rank_values *v, void (*set)(void *arg, uint32_t document, uint64_t rank), void *arg);
void sh_rank_values_free(struct sh_rank_values *v);

/* Writes a warning about documents whose value is missing or no number to text[200]. Returns false
 * when there is none. */
enum { SH_RANK_TEXT = 200 };
bool sh_rank_values_doubt(const struct sh_rank_values *v, char *text);

#endif
