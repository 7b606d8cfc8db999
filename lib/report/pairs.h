/* SPDX-License-Identifier: MIT */
/* The pairs of a report, as a page counts, orders and shows them.
 *
 *     sh_report_init(&p, err);
 *     sh_report_add(&p, line, err);
 *     ... for spans: sh_report_cover() for each pair ...
 *     sh_report_order(&p, err);
 *
 * Memory: 48 bytes a pair, 28 bytes a span, and the ids. */
#ifndef SH_REPORT_PAIRS_H
#define SH_REPORT_PAIRS_H

#include "base/buf.h"
#include "base/hmap.h"
#include "group/group.h"
#include "record/fields.h"

enum { SH_REPORT_BARS = 20, SH_REPORT_GROUPS = 10, SH_REPORT_UNKNOWN = -1 };

struct sh_report_pair {
	uint32_t a, b; /* indexes of ids */
	/* in bits, or SH_REPORT_UNKNOWN; of a pair with spans: the number of spans */
	int32_t distance;
	/* in ten thousandths, or SH_REPORT_UNKNOWN; of a pair with spans: the greater coverage */
	int32_t similarity;
	int32_t coverage[2]; /* share of each document that spans match, in ten thousandths */
	uint32_t matched;    /* tokens that its spans match, together */
	uint32_t number;     /* from 0, in the order in which the pairs were added */
	const char *measure; /* of the similarity; NULL: unknown; static */
};

/* Bytes from .. to-1 of both texts. */
struct sh_report_span {
	uint32_t pair; /* sh_report_pair.number */
	uint32_t from[2], to[2];
	uint32_t matched, identity; /* tokens; ten thousandths */
};

struct sh_report_group {
	uint32_t id; /* index of the document with most pairs in the group */
	uint32_t size;
	uint32_t pairs;
	int32_t least; /* least similarity of a pair, as in sh_report_pair, or SH_REPORT_UNKNOWN */
};

struct sh_report {
	bool spans; /* the records are spans */
	struct sh_hmap ids;
	struct sh_hmap keys; /* for spans: the two indexes of each pair */
	struct sh_report_pair *pair;
	struct sh_report_span *span;
	size_t n, cap, n_spans, spans_cap;

	/* Filled by sh_report_order(). */
	/* Spans: no id is both a first and a second one, as of documents and queries. Then there
	 * are no groups, and `documents` counts the first ids. */
	bool apart;
	uint64_t seconds;                               /* number of second ids, when `apart` */
	uint64_t documents, groups, unknown;            /* unknown: pairs without a similarity */
	uint64_t bar[SH_REPORT_BARS];                   /* pairs by similarity, a twentieth each */
	struct sh_report_group group[SH_REPORT_GROUPS]; /* the largest groups */
	unsigned n_groups;
};

int sh_report_init(struct sh_report *p, struct sh_error *err);
void sh_report_free(struct sh_report *p);

/* Adds a record: of a pair, or of a span, which has eight fields. The first good record decides. */
int sh_report_add(struct sh_report *p, struct sh_slice line, struct sh_error *err);

/* Orders spans by pair and place. Call it before the two functions below. */
void sh_report_order_spans(struct sh_report *p);

/* Returns the spans of a pair, and their number in *n. */
const struct sh_report_span *sh_report_spans(
    const struct sh_report *p, const struct sh_report_pair *pair, size_t *n);

/* Sets coverage and similarity of a pair from the lengths of its texts, in bytes. The bytes of a
 * span count by its identity. Bytes in several spans count once, by the span that matches most. A
 * length of 0 is unknown, and leaves the coverage of the document unknown. */
int sh_report_cover(
    struct sh_report *p, struct sh_report_pair *pair, const size_t length[2], struct sh_error *err);

/* Counts the pairs and orders them by ascending similarity; pairs with spans by descending
 * coverage. Pairs without a similarity come last, by descending distance. */
int sh_report_order(struct sh_report *p, struct sh_error *err);

#endif
