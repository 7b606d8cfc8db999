/* SPDX-License-Identifier: MIT */
/* The documents of files, which programs read at random: by number and by id. */
#ifndef DOCUMENTS_H
#define DOCUMENTS_H

#include "cli.h"
#include "formopts.h"
#include "stream/corpus.h"

/* Reads the documents of n files into *corpus by c->jobs threads, and makes the index of ids.
 * tables: for the arrays of the corpus; NULL: memory. progress: the progress counts the files.
 * of: the options of the form when `names` are the files of -d, for --documents-fields; otherwise
 * NULL. It must outlive the corpus. token: for sh_token_check(); NULL: texts of any size. Rejects
 * bad records. Dies of errors. */
void documents_read(struct cli *c, const struct sh_document_form *form, const struct formopts *of,
    const struct sh_token_opts *token, char *const *names, size_t n, struct sh_tables *tables,
    bool progress, struct sh_corpus *corpus);

/* Warns of documents whose id an earlier document has. what: what the program does with these
 * documents. */
void documents_warn(struct cli *c, const struct sh_corpus *corpus, const char *what);

/* Returns the document with this id, and sets *doc to it, which is valid until `room` is used
 * again. Returns SH_CORPUS_NONE when there is none. Dies of errors. */
uint32_t documents_find(struct cli *c, const struct sh_corpus *corpus, struct sh_slice id,
    struct sh_document_room *room, struct sh_document *doc);

#endif
