/* SPDX-License-Identifier: MIT */
#include "documents.h"

static int rejected(void *arg, struct sh_slice lines, uint64_t n, struct sh_error *err)
{
	struct cli *c = arg;

	c->n_rejected += n;
	return sh_sink_write(&c->rejects, lines.p, lines.n, err);
}

/* Reads n files. */
static void read_files(
    struct cli *c, char *const *names, size_t n, uint64_t *lines, struct sh_corpus *corpus)
{
	struct sh_error err;

	if (sh_corpus_open(corpus, names, n, c->tmpdir, &err) < 0 ||
	    sh_corpus_scan(corpus, lines, c->rejects_path ? rejected : NULL, c, &err) < 0)
		cli_die(c, &err);
}

/* Reads n files with the fields of --documents-fields. All files stay in the corpus, also files
 * with other headers. */
static void read_by_fields(struct cli *c, const struct formopts *of, char *const *names, size_t n,
    uint64_t *lines, struct sh_corpus *corpus)
{
	if (of->n_of_documents > n)
		cli_usage(c, "%zu --documents-fields for %zu file%s of -d", of->n_of_documents, n,
		    CLI_PLURAL(n));
	for (size_t i = 0; i < of->n_of_documents; i++) {
		size_t more = i + 1 < of->n_of_documents ? 1 : n - i;

		corpus->form = of->of_documents[i].form;
		corpus->fields = &of->of_documents[i].form;
		sh_header_free(&corpus->header);
		read_files(c, names + i, more, lines, corpus);
	}
}

void documents_read(struct cli *c, const struct sh_document_form *form, const struct formopts *of,
    const struct sh_token_opts *token, char *const *names, size_t n, struct sh_tables *tables,
    bool progress, struct sh_corpus *corpus)
{
	uint64_t lines = 0;
	struct sh_error err;

	if (sh_corpus_init(corpus, form, &err) < 0)
		cli_die(c, &err);
	corpus->tables = tables;
	if (token) {
		corpus->memory = token->memory;
		corpus->unit = sh_token_unit(token);
	}
	corpus->trailer = c->trailer_in;
	corpus->jobs = c->jobs;
	if (of && of->n_of_documents)
		read_by_fields(c, of, names, n, &lines, corpus);
	else
		read_files(c, names, n, &lines, corpus);
	if (sh_corpus_index(corpus, &err) < 0)
		cli_die(c, &err);
	c->n_blank += corpus->blank;
	if (progress)
		progress_read(&c->progress, sh_corpus_size(corpus), lines);
}

void documents_warn(struct cli *c, const struct sh_corpus *corpus, const char *what)
{
	if (corpus->repeated)
		cli_warn(c, "%llu document%s with the id of an earlier document: %s",
		    (unsigned long long)corpus->repeated, CLI_PLURAL(corpus->repeated), what);
}

uint32_t documents_find(struct cli *c, const struct sh_corpus *corpus, struct sh_slice id,
    struct sh_document_room *room, struct sh_document *doc)
{
	uint32_t d = SH_CORPUS_NONE;
	struct sh_error err;

	while ((d = sh_corpus_find(corpus, id, d)) != SH_CORPUS_NONE) {
		if (sh_corpus_document(corpus, d, room, doc, &err) < 0)
			cli_die(c, &err);
		if (sh_slice_eq(doc->id, id))
			break;
	}
	return d;
}
