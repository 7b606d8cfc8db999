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
 * of: the options of the form when `names` are the files of -d, for --documents-fields; otherwise
 * NULL. It must outlive the corpus. token: for sh_token_check(); NULL: texts of any size. tables:
 * for the arrays of the corpus, which they must outlive; NULL: memory. progress: adds the bytes and
 * lines of all files to the progress, at the end. Rejects bad records. Adds blank lines to
 * c->n_blank. Dies of errors, also when there are more --documents-fields than files. */
void documents_read(struct cli *c, const struct sh_document_form *form, const struct formopts *of,
    const struct sh_token_opts *token, char *const *names, size_t n, struct sh_tables *tables,
    bool progress, struct sh_corpus *corpus);

/* Prints one warning with the number of documents whose id an earlier document has; nothing when
 * there are none. The corpus lacks these documents. what: the word for the treatment of these
 * documents, such as "ignored". */
void documents_warn(struct cli *c, const struct sh_corpus *corpus, const char *what);

/* Returns the number of the document with this id, and sets *doc to the document. *doc is valid
 * until `room` is used again or the corpus is freed. Returns SH_CORPUS_NONE when there is none;
 * *doc may then have changed. Dies of errors. */
uint32_t documents_find(struct cli *c, const struct sh_corpus *corpus, struct sh_slice id,
    struct sh_document_room *room, struct sh_document *doc);

#endif
