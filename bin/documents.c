#include "documents.h"

static int bad_line(void *arg, struct sh_slice line, struct sh_error *err)
{
	cli_reject(arg, line, err);
	return 0;
}

void documents_read(struct cli *c, const struct sh_document_form *form, char *const *names,
    size_t n, struct sh_tables *tables, bool progress, struct sh_corpus *corpus)
{
	uint64_t lines = 0;
	struct sh_error err;

	if (sh_corpus_init(corpus, form, &err) < 0)
		cli_die(c, &err);
	corpus->tables = tables;
	corpus->trailer = c->trailer_in;
	corpus->jobs = c->jobs;
	if (sh_corpus_open(corpus, names, n, c->tmpdir, &err) < 0 ||
	    sh_corpus_scan(corpus, &lines, bad_line, c, &err) < 0 ||
	    sh_corpus_index(corpus, &err) < 0)
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
