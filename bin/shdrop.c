/* SPDX-License-Identifier: MIT */
/* shdrop: removes the documents that groups or a report drop. */
#include <stdlib.h>

#include "base/hmap.h"
#include "formopts.h"
#include "match/measure.h"
#include "record/keeper_mark.h"
#include "run.h"
#include "stream/docs.h"

enum { KEEPERS = CLI_OWN, MARK };

enum { MEASURE_MAX = 16 };

static const struct cli_option options[] = {
	CLI_HEADING("Groups"),
	{ 'd', "groups", "GROUPS", "drop the documents that have another keeper in GROUPS", NULL,
	    CLI_READS },
	{ KEEPERS, "keepers", NULL, "write only the keeper of each group" },
	{ MARK, "mark", "FIELD",
	    "drop nothing; add keeper, similarity and measure to each document" },
	CLI_HEADING("Records of documents"),
	FORMOPTS_ROWS,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdrop",
	.threads = "documents",
	.synopsis = "-d GROUPS [FILE...]",
	.purpose = "Remove the documents (id<TAB>text) that GROUPS drops.",
	.options = { options },
};

/* The groups' information about one id. */
struct entry {
	uint32_t keeper; /* the id that stays for this one; NOT_DROPPED: none */
	bool keeps;      /* it stays for another id */
	bool known;      /* similarity and measure are known */
	char similarity[SH_SIMILARITY_CHARS];
	char measure[MEASURE_MAX]; /* ends with NUL */
};

#define NOT_DROPPED UINT32_MAX

struct settings {
	struct sh_docs_opts docs;
	struct formopts of;
	struct cli_files files;
	struct sh_slice mark; /* name of the field; empty: documents are dropped */
	bool keepers;

	struct sh_hmap ids;
	struct entry *entry; /* by index in ids */
	size_t cap;
	uint32_t dropped; /* entries that have a keeper */
	bool met;         /* a document has the id of an entry with a keeper */
	bool kept;        /* a document has the id of a keeper */
	bool report;      /* a record has a third field; its keeper may be in an archive */
};

/* ---- groups ---- */

/* Sets *i to the index of an id, with a fresh entry where the id is new. */
static int find_entry(struct settings *s, struct sh_slice id, uint32_t *i, struct sh_error *err)
{
	bool fresh;

	if (sh_hmap_put(&s->ids, id, i, &fresh, err) < 0 ||
	    (fresh && SH_RESERVE(s->entry, s->cap, (size_t)*i + 1, err) < 0))
		return -1;
	if (fresh)
		s->entry[*i] = (struct entry){ .keeper = NOT_DROPPED };
	return 0;
}

/* Adds a record. A record of groups has two fields. A record of a report or of pairs has more, and
 * names two documents. */
static int add_record(void *settings, struct sh_slice line, struct sh_error *err)
{
	struct settings *s = settings;
	struct sh_pair_record r = { .similarity = -1 };
	struct sh_slice field[2];
	size_t n = sh_fields_split(line, field, 2);
	uint32_t id, keeper;
	struct entry *e;

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (n < 2)
		return sh_error_set(
		    err, SH_ERR_RECORD, "1 field, expected id<TAB>keeper or a line of a report");
	r.id1 = field[0];
	r.id2 = field[1];
	if (n > 2 ? sh_record_pair(line, &r, err) < 0
		  : sh_id_check(r.id1, err) < 0 || sh_id_check(r.id2, err) < 0)
		return -1;
	if (n > 2 && sh_slice_eq(r.id1, r.id2))
		return sh_error_set(err, SH_ERR_RECORD,
		    "'%.*s' was dropped for a document of the same id: the id cannot tell which of "
		    "the two to remove",
		    sh_shown(r.id1, 80), r.id1.p);
	if (find_entry(s, r.id1, &id, err) < 0 || find_entry(s, r.id2, &keeper, err) < 0)
		return -1;
	e = &s->entry[id];
	if (id == keeper || e->keeper != NOT_DROPPED)
		return 0;
	e->keeper = keeper;
	if (r.similarity >= 0 && r.measure.n && r.measure.n < MEASURE_MAX) {
		e->known = true;
		sh_similarity_print(e->similarity, (unsigned)((r.similarity + 50) / 100));
		memcpy(e->measure, r.measure.p, r.measure.n);
	}
	s->entry[keeper].keeps = true;
	s->report = s->report || n > 2;
	s->dropped++;
	return 0;
}

/* Refuses pairs that are not groups: they would drop too much. If a is similar to b only, and b to
 * c, both a and b would be dropped. */
static void refuse_pairs(struct cli *c, const struct settings *s)
{
	struct sh_slice id[3];
	struct sh_error err;

	for (uint32_t i = 0; i < s->ids.n; i++) {
		uint32_t keeper = s->entry[i].keeper;

		if (keeper == NOT_DROPPED || s->entry[keeper].keeper == NOT_DROPPED)
			continue;
		id[0] = sh_hmap_key(&s->ids, i);
		id[1] = sh_hmap_key(&s->ids, keeper);
		id[2] = sh_hmap_key(&s->ids, s->entry[keeper].keeper);
		sh_error_set(&err, SH_ERR_RECORD,
		    "'%.*s' goes for '%.*s', which goes for '%.*s': expected groups (shgroup makes "
		    "them of pairs; reports of several runs are applied one after the other)",
		    sh_shown(id[0], 80), id[0].p, sh_shown(id[1], 80), id[1].p, sh_shown(id[2], 80),
		    id[2].p);
		cli_die(c, &err);
	}
}

static void read_groups(struct cli *c, struct settings *s)
{
	struct sh_error err;

	if (sh_hmap_init(&s->ids, &err) < 0)
		cli_die(c, &err);
	cli_read_lines(c, &s->files, add_record, s);
	refuse_pairs(c, s);
}

/* ---- documents ---- */

struct worker {
	struct settings *settings;
	struct sh_document_room room;
};

static int add_marked(const struct settings *s, struct sh_slice line, const struct sh_document *doc,
    const struct entry *e, struct sh_job *job, struct sh_error *err)
{
	struct sh_keeper_mark mark = { 0 };

	if (e && e->keeper != NOT_DROPPED) {
		mark.keeper = sh_hmap_key(&s->ids, e->keeper);
		if (e->known) {
			mark.similarity = sh_slice(e->similarity, sizeof e->similarity);
			mark.measure = sh_slice_str(e->measure);
		}
	}
	return sh_keeper_mark_add(&s->docs.form, s->mark, line, doc, &mark, &job->out, err);
}

static int each_line(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct settings *s = w->settings;
	const struct entry *e = NULL;
	struct sh_document doc;
	uint32_t i;
	bool dropped;

	line = cli_strip(s->docs.form.crlf, line);
	if (sh_document_parse(
		&s->docs.form, line, job->from.number + job->at, &w->room, &doc, err) < 0)
		return -1;
	if (sh_hmap_find(&s->ids, doc.id, &i))
		e = &s->entry[i];
	dropped = e && e->keeper != NOT_DROPPED;
	if (dropped)
		__atomic_store_n(&s->met, true, __ATOMIC_RELAXED);
	else if (e && e->keeps)
		__atomic_store_n(&s->kept, true, __ATOMIC_RELAXED);
	if (s->mark.n == 0 && (s->keepers ? !e || !e->keeps : dropped))
		return 0;
	if ((s->mark.n ? add_marked(s, line, &doc, e, job, err)
		       : sh_buf_add(&job->out, line.p, line.n, err)) < 0)
		return -1;
	return sh_buf_add(&job->out, "\n", 1, err);
}

static int work(void *worker, struct sh_job *job)
{
	const struct worker *w = worker;

	return sh_docs_lines(job, w->settings->docs.rejects, each_line, worker);
}

/* ---- options ---- */

static void complete(struct cli *c, struct settings *s)
{
	struct sh_document_form *form = &s->docs.form;
	const char *mark = opt_text(c, MARK);

	s->files = opt_all(c, 'd');
	s->keepers = cli_given(c, KEEPERS);
	s->mark = sh_slice_str(mark ? mark : "");
	if (mark && !*mark)
		cli_usage(c, "--mark: the name of the field is empty");
	if (s->files.n == 0)
		cli_usage(c, "groups or a report are needed: -d GROUPS");
	if (s->keepers && s->mark.n)
		cli_usage(c, "--keepers and --mark contradict each other");
	formopts_complete(&s->of, form, c);
	if (s->mark.n && form->line_ids && !form->json)
		cli_usage(c, "--mark adds fields, and with -l the whole line is text");
	s->docs.rejects = c->rejects_path != NULL;
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	struct run run = { .cli = &c, .work = work };

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	cli_open(&c);
	read_groups(&c, &s);
	for (unsigned i = 0; i < c.jobs; i++) {
		workers[i].settings = &s;
		run.workers[i] = &workers[i];
	}
	formopts_run(&run, &s.docs.form, &s.mark);
	if (run.records && s.dropped && !s.met)
		cli_warn(&c,
		    "no document has an id that -d drops: the groups may be of other documents");
	if (s.met && !s.kept && !s.report)
		cli_warn(&c, "documents were dropped, and no document has the id of a keeper "
			     "(expected groups as shgroup writes them)");
	for (unsigned i = 0; i < c.jobs; i++)
		sh_document_room_free(&workers[i].room);
	free(s.entry);
	sh_hmap_free(&s.ids);
	return cli_finish(&c);
}
