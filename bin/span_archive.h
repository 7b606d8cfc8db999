/* SPDX-License-Identifier: MIT */
/* shspan --archive. */
#ifndef SPAN_ARCHIVE_H
#define SPAN_ARCHIVE_H

#include "span.h"

struct span_archive;

/* Makes the archive s->archive when there is none, adds today's documents, and writes the passages
 * that they share with each other and with earlier documents. Dies of errors. */
struct span_archive *span_archive(struct cli *c, struct span_settings *s);

/* Commits the documents, after all output was written. Frees a. */
void span_archive_commit(struct span_archive *a);

#endif
