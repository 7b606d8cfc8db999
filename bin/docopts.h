/* SPDX-License-Identifier: MIT */
/* The options that all programs for documents share. */
#ifndef DOCOPTS_H
#define DOCOPTS_H

#include "cli.h"
#include "formopts.h"
#include "published/published.h"
#include "stream/docs.h"
#include "text/ngram.h"

/* For struct cli_program.options, after the program's own table. */
extern const struct cli_option docopts_table[];
/* The same table without its first heading and -n: the program has its own -n. */
#define docopts_token_table (docopts_table + 2)
/* The same without -u, too: the program's own -u has further values. */
#define docopts_word_table (docopts_table + 3)

/* Zeroed at first. Then the program may set members, and calls docopts_complete(). */
struct docopts {
	struct sh_docs_opts docs;
	struct formopts of;
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_profile *profile; /* the default one, unless -p was given */
	struct cli_files stops, dicts;
	uint64_t stop_sum, dict_sum;  /* sh_content_sum() of the files, once they are loaded */
	struct sh_stoplist *stop;     /* owned */
	struct sh_jieba *jieba;       /* owned */
	struct sh_cppjieba *cppjieba; /* owned */
	/* Set by the program. */
	bool sets; /* the program compares sets of features: see SH_DEFAULT_SET_NGRAM */
	/* Perhaps no text is split: a missing dictionary is no error before
	 * docopts_open_dictionary(). */
	bool perhaps_no_text;
};

/* Reads the options, loads their files, and sets *d. */
void docopts_complete(struct docopts *d, struct cli *c);

/* Dies when the method cannot report the position of a token in the text. */
void docopts_need_places(const struct docopts *d, struct cli *c);

/* Opens the dictionary of --segment, unless it is open. When it is missing, dies if `needed`.
 * jieba's is $SIMHASH_JIEBA, or jieba.dict in the folder of the program, or in
 * ../share/simhash-utils relative to this folder. cppjieba's is the folder of --dict, or
 * $SIMHASH_CPPJIEBA. */
void docopts_open_dictionary(struct docopts *d, struct cli *c, bool needed);

/* Adds the words of user dictionaries to j in their order, and their sh_content_sum() to *sum. Dies
 * of errors. */
void docopts_add_words(
    struct cli *c, const struct cli_files *files, struct sh_jieba *j, uint64_t *sum);
void docopts_free(struct docopts *d);

#endif
