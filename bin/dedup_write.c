/* SPDX-License-Identifier: MIT */
/* Writes the documents that stay, or all documents marked; the report of the dropped ones; and the
 * summary. */
#include <stdlib.h>

#include "base/num.h"
#include "dedup.h"
#include "io/header.h"
#include "record/fields.h"
#include "record/keeper_mark.h"

static void write_line(struct dedup_state *s, struct sh_sink *out, struct sh_slice line)
{
	struct sh_error err;

	if (sh_sink_write(out, line.p, line.n, &err) < 0 || sh_sink_write(out, "\n", 1, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- documents ---- */

/* Sets s->line to the marked line of a document. The CR of a DOS line end stays at its end. */
static int mark_line(struct dedup_state *s, uint32_t i, struct sh_error *err)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_keeper_mark mark = { 0 };
	char text[SH_SIMILARITY_CHARS];
	struct sh_document doc;
	struct sh_slice whole = sh_corpus_line(&s->corpus, i), line = cli_strip(form->crlf, whole);
	int status;

	if (!sh_batch_stays(&s->archive, i)) {
		struct sh_verdict v = sh_engine_verdict(s->engine, i);

		if (sh_batch_keeper_id(&s->archive, i, &s->keeper_room, &mark.keeper, err) < 0)
			return -1;
		sh_similarity_print(text, v.similarity);
		mark.similarity = sh_slice(text, SH_SIMILARITY_CHARS);
		mark.measure = sh_slice_str(sh_verdict_measure(v.measure));
	}
	/* doc.id must point into the line, so the line is parsed here. */
	s->line.n = 0;
	status = sh_document_parse(
	    form, whole, s->corpus.number ? s->corpus.number[i] : 0, &s->room, &doc, err);
	if (status == 0)
		status =
		    sh_keeper_mark_add(form, s->settings->mark, line, &doc, &mark, &s->line, err);
	if (status < 0)
		return err->code == SH_ERR_RECORD ? sh_corpus_blame(&s->corpus, i, err) : -1;
	return whole.n > line.n ? sh_buf_add(&s->line, "\r", 1, err) : 0;
}

void dedup_write_documents(struct dedup_state *s, struct sh_sink *out, uint32_t from, uint32_t to)
{
	struct sh_error err;

	for (uint32_t i = from; i < to; i++) {
		sh_corpus_passed(&s->corpus, s->corpus.at[i]);
		if (s->settings->mark.n) {
			if (mark_line(s, i, &err) < 0)
				cli_die(s->cli, &err);
			write_line(s, out, sh_buf_slice(&s->line));
		} else if (sh_batch_stays(&s->archive, i)) {
			write_line(s, out, sh_corpus_line(&s->corpus, i));
		}
	}
}

void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	const struct sh_corpus_file *file = &s->corpus.file[i];
	struct sh_slice header = sh_slice(file->p, file->n), mark = s->settings->mark;
	struct sh_buf marked = { 0 };
	size_t before;
	struct sh_error err;

	if (!form->columns || file->n == 0)
		return;
	header.n = sh_header_front(header, form->csv, &before);
	header.n -= header.n && header.p[header.n - 1] == '\n';
	header = cli_strip(s->cli->crlf, header);
	if (mark.n) {
		if (sh_keeper_mark_header(form, mark, header, &marked, &err) < 0) {
			err.file = file->name;
			cli_die(s->cli, &err);
		}
		header = sh_buf_slice(&marked);
	}
	write_line(s, out, header);
	sh_buf_free(&marked);
}

/* ---- the report ---- */

/* Sets s->line to the report on a dropped document, with its LF. */
static int report_line(struct dedup_state *s, uint32_t i, struct sh_error *err)
{
	struct sh_verdict v = sh_engine_verdict(s->engine, i);
	char similarity[SH_SIMILARITY_CHARS], count[SH_NUM_CHARS];
	struct sh_document doc;
	struct sh_slice id;
	uint32_t n;

	if (sh_corpus_document(&s->corpus, i, &s->room, &doc, err) < 0 ||
	    sh_batch_keeper_id(&s->archive, i, &s->keeper_room, &id, err) < 0)
		return -1;
	s->alike += !sh_batch_drops(&s->archive, i) && sh_slice_eq(doc.id, id);
	sh_similarity_print(similarity, v.similarity);
	n = s->all ? s->all[sh_batch_keeper(&s->archive, i)]
		   : s->size[sh_engine_keeper(s->engine, i)];
	s->line.n = 0;
	return sh_fields_add(&s->line,
	    (struct sh_slice[]){ doc.id, id, sh_slice(similarity, SH_SIMILARITY_CHARS),
		sh_slice_str(sh_verdict_measure(v.measure)),
		sh_slice(count, sh_print_u64(count, n)) },
	    s->settings->counts ? 5 : 4, err);
}

void dedup_write_report(struct dedup_state *s)
{
	struct sh_error err;

	s->alike = 0;
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		sh_corpus_passed(&s->corpus, s->corpus.at[i]);
		if (sh_batch_stays(&s->archive, i))
			continue;
		if (report_line(s, i, &err) < 0 ||
		    sh_sink_write(s->to, s->line.p, s->line.n, &err) < 0)
			cli_die(s->cli, &err);
	}
	if (s->alike)
		cli_warn(s->cli,
		    "%u document%s dropped for a keeper of the same id: the report cannot "
		    "distinguish them",
		    s->alike, CLI_PLURAL(s->alike));
	if (sh_sink_flush(s->to, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- sizes of groups, and the summary ---- */

/* Counts all documents of the archive by keeper, also the documents of this run. */
static int count_all(struct dedup_state *s, struct sh_error *err)
{
	const struct sh_batch *a = &s->archive;
	size_t numbers = s->store.manifest.next_number + (size_t)a->n_added;

	s->all = sh_tables_get(&s->tables, numbers + 1, sizeof *s->all, err);
	if (!s->all || sh_store_count(&s->store, s->all, err) < 0)
		return -1;
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (a->document[i].recorded)
			s->all[sh_batch_keeper(&s->archive, i)]++;
	return 0;
}

void dedup_count_groups(struct dedup_state *s)
{
	size_t n = s->corpus.n, all = n + s->archive.n_stored;
	struct sh_error err;

	s->size = sh_tables_get(&s->tables, all + 1, sizeof *s->size, &err);
	if (!s->size || (s->archive.document && s->settings->counts && count_all(s, &err) < 0))
		cli_die(s->cli, &err);
	s->documents += n;
	s->groups = s->largest = 0;
	for (uint32_t i = 0; i < n; i++) {
		s->size[sh_engine_keeper(s->engine, i)]++;
		s->dropped += !sh_batch_stays(&s->archive, i);
	}
	for (size_t i = 0; i < all; i++) {
		/* An archived document and its duplicates of this run are a group. */
		uint32_t size = s->size[i] + (i >= n && s->size[i]);

		s->groups += size > 1;
		s->largest = size > s->largest ? size : s->largest;
	}
}

void dedup_summarise(const struct dedup_state *s)
{
	const struct sh_engine_stats *t = sh_engine_stats(s->engine);

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "%llu document%s, %llu stay, %llu dropped%s; %llu with the tokens of another, "
	    "%llu pair%s compared, %llu similar; %llu group%s, largest %u; %llu without tokens; "
	    "%.1f s",
	    (unsigned long long)t->documents, CLI_PLURAL(t->documents),
	    (unsigned long long)(t->documents - s->dropped), (unsigned long long)s->dropped,
	    s->settings->dry_run  ? " (dry run)"
	    : s->settings->mark.n ? " (marked)"
				  : "",
	    (unsigned long long)t->copies, (unsigned long long)t->compared, CLI_PLURAL(t->compared),
	    (unsigned long long)t->similar, (unsigned long long)s->groups, CLI_PLURAL(s->groups),
	    s->groups ? s->largest : 0, (unsigned long long)t->without_tokens,
	    progress_seconds(&s->cli->progress));
}
