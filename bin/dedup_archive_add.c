/* SPDX-License-Identifier: MIT */
/* Adds the documents of a run to the archive. */
#include <stdlib.h>

#include "base/bytes.h"
#include "dedup_archive_state.h"
#include "io/parallel.h"
#include "store/change.h"

enum { TASKS = 64, GRAIN = 64 }; /* documents that are encoded before they are written */

struct adding {
	struct dedup_state *state;
	struct sh_store_change change;
	uint32_t first;   /* number of the first new document */
	uint32_t *same;   /* by new document: the one that is recorded, of its id and text */
	uint32_t *number; /* by document: its number; SH_CORPUS_NONE: it is not recorded */
	uint32_t *list;   /* the recorded documents */
	size_t n;
	struct sh_buf line[TASKS * GRAIN]; /* of the documents from list[from] on */
	size_t from;
};

static bool stays(const struct dedup_state *s, uint32_t i)
{
	return sh_engine_keeper(s->engine, i) == i;
}

static int same_id(struct dedup_state *s, uint32_t x, uint32_t y, bool *same, struct sh_error *err)
{
	struct archive_reader *w = s->archive.reader;
	struct sh_document_room room = { 0 };
	struct sh_document p, q;
	int status = sh_corpus_document(&s->corpus, x, &w->room, &p, err);

	if (status == 0)
		status = sh_corpus_document(&s->corpus, y, &room, &q, err);
	if (status == 0)
		*same = sh_slice_eq(p.id, q.id);
	sh_document_room_free(&room);
	return status;
}

/* Chooses the documents to record among n new ones of one digest and key of the id. Of the
 * documents of one id the first that stays is recorded; when none stays, the first. */
static int choose(struct adding *a, const uint32_t *document, size_t n, struct sh_error *err)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			uint32_t d = document[i];
			bool same = false;

			if (a->same[d] != SH_CORPUS_NONE || (pass == 0 && !stays(a->state, d)))
				continue;
			for (size_t k = 0; k < n && !same; k++) {
				if (a->same[document[k]] != document[k])
					continue;
				if (same_id(a->state, d, document[k], &same, err) < 0)
					return -1;
				if (same)
					a->same[d] = document[k];
			}
			if (!same)
				a->same[d] = d;
		}
	}
	return 0;
}

/* Fills a->same, a->list and a->number. */
static int choose_all(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	const struct dedup_known_document *d = s->archive.document;
	uint32_t *order = dedup_archive_order(s, err);
	int status = order ? 0 : -1;
	size_t new = 0;

	for (size_t i = 0; status == 0 && i < s->corpus.n; i++) {
		a->same[i] = a->number[i] = SH_CORPUS_NONE;
		if (d[order[i]].known == DEDUP_NEW)
			order[new ++] = order[i];
	}
	for (size_t i = 0, end; status == 0 && i < new; i = end) {
		for (end = i + 1; end < new &&d[order[end]].id_key ==
				  d[order[i]].id_key &&d[order[end]].digest == d[order[i]].digest;)
			end++;
		if (end - i == 1)
			a->same[order[i]] = order[i];
		else
			status = choose(a, order + i, end - i, err);
	}
	sh_tables_put(&s->tables, order);
	for (uint32_t i = 0; status == 0 && i < s->corpus.n; i++) {
		if (a->same[i] != i)
			continue;
		a->number[i] = a->first + (uint32_t)a->n;
		a->list[a->n++] = i;
		s->archive.n_kept += stays(s, i);
	}
	return status;
}

/* Sets a->line[place] to the line of a document. */
static int encode(struct adding *a, struct archive_reader *w, size_t place, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	struct sh_buf *to = &a->line[place];
	uint32_t i = a->list[a->from + place];
	bool raw = s->settings->docs.token.raw;
	struct sh_feature_set set;
	struct sh_document doc;

	to->n = 0;
	if (sh_corpus_document(&s->corpus, i, &w->room, &doc, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0)
		return -1;
	if (!stays(s, i))
		return 0;
	if (s->archive.store.manifest.form == SH_STORE_DOCUMENTS)
		return dedup_archive_escaped(w, raw, &doc.text, err) < 0
			   ? -1
			   : sh_buf_add(to, doc.text.p, doc.text.n, err);
	if (dedup_archive_analyse(s, &w->new, raw, doc.text, &set, err) < 0 ||
	    sh_buf_reserve(to, 4 * set.n_ordered, err) < 0)
		return -1;
	for (size_t k = 0; k < set.n_ordered; k++)
		sh_put_le32(to->p + to->n + 4 * k, (uint32_t)(set.ordered[k] >> 32));
	to->n += 4 * set.n_ordered;
	return 0;
}

struct encoder {
	struct adding *adding;
	struct archive_reader *reader;
};

static int encode_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct encoder *e = arg;

	for (size_t i = from; i < to; i++)
		if (encode(e->adding, e->reader, i, err) < 0)
			return -1;
	return 0;
}

static int add_document(struct adding *a, size_t place, uint64_t now, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	uint32_t i = a->list[a->from + place], keeper = sh_engine_keeper(s->engine, i);
	struct sh_slice line = sh_buf_slice(&a->line[place]);
	struct sh_record r = { .time = now,
		.digest = s->archive.document[i].digest,
		.line = line,
		.id = sh_slice(
		    line.p, (size_t)((const char *)memchr(line.p, '\t', line.n) - line.p)) };

	if (keeper == i) {
		r.similarity = sh_engine_has_tokens(s->engine, i) ? 10000 : 0;
		r.keeper = a->number[i];
	} else {
		struct sh_verdict v = sh_engine_verdict(s->engine, i);

		r.similarity = (uint16_t)v.similarity;
		r.measure = (uint8_t)v.measure;
		r.keeper = keeper < s->corpus.n ? a->number[a->same[keeper]]
						: s->archive.stored[keeper - s->corpus.n];
	}
	return sh_store_change_document(&a->change, &r, err);
}

static int add_documents(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	struct encoder encoder[CLI_MAX_JOBS];
	uint64_t now = s->archive.now;
	int status = 0;

	for (unsigned i = 0; i < s->cli->jobs; i++)
		encoder[i] = (struct encoder){ a, &s->archive.reader[i] };
	for (a->from = 0; status == 0 && a->from < a->n; a->from += TASKS * GRAIN) {
		size_t n = a->n - a->from < TASKS * GRAIN ? a->n - a->from : TASKS * GRAIN;

		status =
		    sh_parallel(encoder, sizeof *encoder, s->cli->jobs, n, GRAIN, encode_some, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = add_document(a, i, now, err);
	}
	return status;
}

/* Adds the postings of the documents that stay. In a bucket the short documents come first. */
static int add_postings(
    void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct adding *a = arg;
	struct dedup_state *s = a->state;
	bool shorts = sh_column_of_short(posting[0].column);

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && posting[end].hash == posting[i].hash;)
			end++;
		for (int is_short = 1; is_short >= 0; is_short--) {
			for (size_t k = i; k < end; k++) {
				const struct sh_key_posting *p = &posting[k];

				if ((shorts ? p->is_short : 1) != is_short ||
				    p->document >= s->corpus.n ||
				    a->number[p->document] == SH_CORPUS_NONE ||
				    !stays(s, p->document))
					continue;
				if (sh_store_change_posting(&a->change,
					&(struct sh_store_posting){
					    sh_stored_key(p->column, p->hash, is_short),
					    a->number[p->document], 0 },
					err) < 0)
					return -1;
			}
		}
	}
	return 0;
}

static int add_all(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;

	if (choose_all(a, err) < 0 || add_documents(a, err) < 0)
		return -1;
	if (a->n == 0)
		return 0;
	if (sh_engine_postings(s->engine, add_postings, a, err) < 0)
		return -1;
	return sh_store_change_add_segment(&a->change, err);
}

static void summarise(const struct dedup_state *s)
{
	const struct dedup_archive *a = &s->archive;
	uint64_t n = sh_store_manifest_documents(&a->store.manifest);

	if (s->settings->quiet || s->settings->feed.seconds)
		return;
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu added, %llu of which "
	    "stay; %llu document%s in %zu segment%s",
	    (unsigned long long)a->n_known, (unsigned long long)a->n_matched,
	    (unsigned long long)a->n_added, (unsigned long long)a->n_kept, (unsigned long long)n,
	    CLI_PLURAL(n), a->store.manifest.n_segments, CLI_PLURAL(a->store.manifest.n_segments));
}

void dedup_archive_add(struct dedup_state *s)
{
	struct adding *a;
	struct sh_error err;
	int status;

	if (!s->archive.document)
		return;
	/* The archive may record only documents whose output was written. */
	if (sh_sink_flush(&s->cli->out, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		s->archive.n_matched += s->archive.document[i].known == DEDUP_NEW &&
					sh_engine_keeper(s->engine, i) >= s->corpus.n;
	if (s->settings->dry_run) {
		summarise(s);
		return;
	}
	a = cli_zeroed(s->cli, 1, sizeof *a);
	a->state = s;
	status = sh_store_change_begin(&a->change, &s->archive.store, &err);
	a->first = a->change.next.next_number;
	a->same = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->same, &err);
	a->number = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->number, &err);
	a->list = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->list, &err);
	if (!a->same || !a->number || !a->list)
		status = -1;
	if (status == 0)
		status = add_all(a, &err);
	if (status == 0)
		status = sh_store_change_commit(&a->change, &err);
	sh_store_change_end(&a->change);
	if (status < 0)
		cli_die(s->cli, &err);
	s->archive.n_added = a->n;
	for (size_t i = 0; i < TASKS * GRAIN; i++)
		sh_buf_free(&a->line[i]);
	sh_tables_put(&s->tables, a->same);
	sh_tables_put(&s->tables, a->number);
	sh_tables_put(&s->tables, a->list);
	free(a);
	summarise(s);
}
