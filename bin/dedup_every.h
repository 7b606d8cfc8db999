/* SPDX-License-Identifier: MIT */
/* shdedup --every: batches of lines that arrive on an input which stays open. */
#ifndef DEDUP_EVERY_H
#define DEDUP_EVERY_H

#include "base/buf.h"
#include "cli.h"

struct dedup_feed {
	uint64_t seconds; /* least time between the beginnings of two batches; 0: no feed */
	size_t memory;    /* most bytes of a batch, about */
	struct sh_buf text;
	size_t whole;  /* bytes of `text` that are whole lines */
	int from, to;  /* descriptors: the input, and the batch that standard input reads */
	int64_t began; /* of the last batch: milliseconds of the clock */
	bool ended;    /* the input has ended, or a signal has ended the feed */
	uint64_t batches, documents, dropped; /* so far; the caller counts them */
};

/* Opens the input: the only operand, or standard input. From here on SIGTERM and SIGINT end the
 * feed, between two batches. Dies of errors. */
void dedup_feed_open(struct cli *c, struct dedup_feed *f);

/* Waits for whole lines, and for the time of the next batch. Then standard input has these lines,
 * from the beginning. The last batch includes a last line without LF, unless a signal has ended the
 * feed. Returns false when the feed has ended, and no line is left. */
bool dedup_feed_next(struct cli *c, struct dedup_feed *f);

void dedup_feed_close(struct dedup_feed *f);

#endif
