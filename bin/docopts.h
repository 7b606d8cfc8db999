/* The options of every program that reads documents. */
#ifndef DOCOPTS_H
#define DOCOPTS_H

#include "cli.h"
#include "fp/profile.h"
#include "stream/docs.h"
#include "text/ngram.h"

/* For struct cli_program.options, after the program's own table. */
extern const struct cli_option docopts_table[];
/* The same without the first heading and -n, which such a program has itself and does not pass on to
 * docopts_take(). */
#define docopts_token_table (docopts_table + 2)

struct docopts {
	struct sh_docs_opts docs;
	struct sh_columns columns; /* docs.form.columns under --csv */
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	const struct sh_profile *profile; /* the default one, unless -p was given */
	const char *fields;
	struct cli_files stops, dicts;
	uint64_t stop_sum, dict_sum;  /* cli_sum() of these, once they are loaded */
	struct sh_stoplist *stop;     /* owned */
	struct sh_jieba *jieba;       /* owned */
	struct sh_cppjieba *cppjieba; /* owned */
	bool used;                    /* any of these options was given, but for -p */
	bool segment, split;          /* these were */
	/* Set before docopts_settle(). */
	bool no_text;         /* nothing is cut, no dictionary is opened */
	bool perhaps_no_text; /* nor one that is not there, before docopts_open_dictionary() */
};

void docopts_init(struct docopts *d);

/* Take the option, if it is one of these. */
bool docopts_take(struct docopts *d, struct cli *c, int opt);

/* After the last option: load files, settle what follows from what. */
void docopts_settle(struct docopts *d, struct cli *c);

/* Die of a way of cutting that cannot say where in the text a token stood. */
void docopts_need_places(const struct docopts *d, struct cli *c);

/* Dies where it is wanted and not there. */
void docopts_open_dictionary(struct docopts *d, struct cli *c);
/* Begins to read CSV: finds the columns of the form in the header of the source. Dies of errors. */
void docopts_read_header(
    struct cli *c, const struct sh_document_form *form, struct sh_source *source);
void docopts_free(struct docopts *d);

#endif
