/* SPDX-License-Identifier: MIT */
#include "documents.h"

static int rejected(void *arg, struct sh_slice lines, uint64_t n, struct sh_error *err)
{
	struct cli *c = arg;

	c->n_rejected += n;
	return sh_sink_write(&c->rejects, lines.p, lines.n, err);
}

void documents_read(struct cli *c, const struct sh_document_form *form, const struct formopts *of,
    const struct sh_token_opts *token, char *const *names, size_t n, struct sh_tables *tables,
    struct sh_corpus *corpus)
{
	size_t forms = of ? of->n_of_documents : 0, i = 0;
	uint64_t lines = 0;
	struct sh_error err;

	if (forms > n)
		cli_usage(
		    c, "%zu --documents-fields for %zu file%s of -d", forms, n, CLI_PLURAL(n));
	if (sh_corpus_init(corpus, form, &err) < 0)
		cli_die(c, &err);
	corpus->tables = tables;
	if (token) {
		corpus->memory = token->memory;
		corpus->unit = sh_token_unit(token);
	}
	corpus->trailer = c->trailer_in;
	corpus->jobs = c->jobs;
	/* All files of one form at once. Files of another form may have other headers. */
	do {
		if (i < forms) {
			corpus->form = of->of_documents[i];
			corpus->fields = &of->of_documents[i];
			sh_header_free(&corpus->header);
		}
		if (sh_corpus_open(corpus, names + i, i + 1 < forms ? 1 : n - i, c->tmpdir, &err) <
			0 ||
		    sh_corpus_scan(corpus, &lines, c->rejects_path ? rejected : NULL, c, &err) < 0)
			cli_die(c, &err);
	} while (++i < forms);
	if (sh_corpus_index(corpus, &err) < 0)
		cli_die(c, &err);
	c->n_blank += corpus->blank;
	if (!of)
		progress_read(&c->progress, sh_corpus_size(corpus), lines);
	if (corpus->repeated)
		cli_warn(c, "%llu document%s with the id of an earlier document: ignored",
		    (unsigned long long)corpus->repeated, CLI_PLURAL(corpus->repeated));
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
