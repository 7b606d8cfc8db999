/* SPDX-License-Identifier: MIT */
/* The documents of files, which programs read at random: by number and by id. */
#ifndef DOCUMENTS_H
#define DOCUMENTS_H

#include "cli.h"
#include "formopts.h"
#include "stream/corpus.h"

/* Reads the documents of n files into *corpus by c->jobs threads, and makes the index of ids.
 * Initialises *corpus, whatever it holds. The caller frees it by sh_corpus_free(). names, and what
 * *form points to, must outlive the corpus.
 *
 * of: the options of the form when `names` are the files of -d, for --documents-fields; it must
 * outlive the corpus. NULL: the files are operands, whose bytes and lines are added to the progress
 * at the end. token: for sh_token_check(); NULL: texts of any size. tables: for the arrays of the
 * corpus, which they must outlive; NULL: memory.
 *
 * Rejects bad records. Adds blank lines to c->n_blank. Documents whose id an earlier document has
 * are not in the corpus, and a warning gives their number. Dies of errors, also when there are more
 * --documents-fields than files. */
void documents_read(struct cli *c, const struct sh_document_form *form, const struct formopts *of,
    const struct sh_token_opts *token, char *const *names, size_t n, struct sh_tables *tables,
    struct sh_corpus *corpus);

/* Returns the number of the document with this id, and sets *doc to the document. *doc is valid
 * until `room` is used again or the corpus is freed. Returns SH_CORPUS_NONE when there is none;
 * *doc may then have changed. Dies of errors. */
uint32_t documents_find(struct cli *c, const struct sh_corpus *corpus, struct sh_slice id,
    struct sh_document_room *room, struct sh_document *doc);

#endif
