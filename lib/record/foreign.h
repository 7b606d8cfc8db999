/* SPDX-License-Identifier: MIT */
/* Recognises files that hold no lines of text, such as Parquet, PDF and SQLite, by their first
 * bytes. Sources: the specifications of the forms, and magic(5). */
#ifndef SH_RECORD_FOREIGN_H
#define SH_RECORD_FOREIGN_H

#include "base/error.h"
#include "base/slice.h"

struct sh_foreign {
	const char *what;      /* "Parquet" */
	const char *remedy;    /* what makes text or records of it, "convert it with pdftotext" */
	struct sh_slice magic; /* the bytes by which it is recognised */
	size_t at;             /* their offset */
	/* They are letters that may begin a text: control characters must follow. */
	bool letters;
	bool text; /* the file is text, but no lines of documents: WARC */
};

/* Returns the form of a file that begins with `head`; NULL when it may be text. 512 bytes
 * suffice. */
const struct sh_foreign *sh_foreign_form(struct sh_slice head);

/* Returns -1 with SH_ERR_RECORD when the file is no lines of text, else 0. */
int sh_foreign_refuse(struct sh_slice head, struct sh_error *err);

#endif
