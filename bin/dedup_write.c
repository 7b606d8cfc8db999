/* Writes the documents that stay, or all documents marked, and the report of the dropped ones. */
#include <string.h>

#include "base/num.h"
#include "dedup.h"
#include "io/header.h"
#include "record/keeper_mark.h"

enum {
	FORGET = 1 << 26
}; /* bytes of the input that are mapped at a time, while documents are written */

static void write_report_part(struct dedup_state *s, const void *p, size_t n)
{
	struct sh_error err;

	if (sh_sink_write(s->to, p, n, &err) < 0)
		cli_die(s->cli, &err);
}

/* Scratch memory for the documents of a pair. */
struct rooms {
	struct sh_document_room room[2];
	struct sh_buf line;
};

static void free_rooms(struct rooms *r)
{
	sh_document_room_free(&r->room[0]);
	sh_document_room_free(&r->room[1]);
	sh_buf_free(&r->line);
}

int dedup_keeper_id(struct dedup_state *s, uint32_t i, uint32_t keeper,
    struct sh_document_room *room, struct sh_slice *id, struct sh_error *err)
{
	struct sh_document kept;

	if (dedup_archive_drops(s, i)) {
		*id = dedup_archive_outcome(s, i)->id;
		return 0;
	}
	if (sh_corpus_document(&s->corpus, keeper, room, &kept, err) < 0)
		return -1;
	*id = kept.id;
	return 0;
}

/* Fills in the mark of a document that does not stay. `text` has room for the similarity. */
static int find_mark(struct dedup_state *s, uint32_t i, uint32_t keeper, struct rooms *r,
    struct sh_keeper_mark *mark, char text[SH_SIMILARITY_CHARS], struct sh_error *err)
{
	const struct sh_outcome *f = dedup_archive_drops(s, i) ? dedup_archive_outcome(s, i) : NULL;
	unsigned distance, rounded = f ? f->similarity : SH_UNVERIFIED;
	struct sh_similarity sim;

	if (dedup_keeper_id(s, i, keeper, &r->room[1], &mark->keeper, err) < 0 ||
	    (!f && sh_dedup_compare(s->dedup, i, keeper, &distance, &sim, err) < 0))
		return -1;
	if (!f && s->settings->dedup.verify)
		rounded = sh_similarity_round(&sim);
	if (rounded != SH_UNVERIFIED) {
		sh_similarity_print(text, rounded);
		mark->similarity = sh_slice(text, SH_SIMILARITY_CHARS);
	}
	return 0;
}

/* Sets r->line to the marked line of a document. The CR of a DOS line end stays at its end. */
static int mark_line(struct dedup_state *s, uint32_t i, const uint32_t *keeper, struct rooms *r,
    struct sh_error *err)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_slice whole = sh_corpus_line(&s->corpus, i), line = cli_strip(form->crlf, whole);
	struct sh_keeper_mark mark = { 0 };
	char text[SH_SIMILARITY_CHARS];
	struct sh_document doc;

	r->line.n = 0;
	/* The id must lie in the line. */
	if (sh_document_parse(form, whole, s->corpus.number ? s->corpus.number[i] : 0, &r->room[0],
		&doc, err) < 0 ||
	    (!dedup_stays(s, keeper, i) && find_mark(s, i, keeper[i], r, &mark, text, err) < 0) ||
	    sh_keeper_mark_add(form, s->settings->mark, line, &doc, &mark, &r->line, err) < 0)
		return -1;
	return whole.n > line.n ? sh_buf_add(&r->line, "\r", 1, err) : 0;
}

static int write_line(struct sh_sink *out, struct sh_slice line, struct sh_error *err)
{
	return sh_sink_write(out, line.p, line.n, err) < 0 || sh_sink_write(out, "\n", 1, err) < 0
		   ? -1
		   : 0;
}

void dedup_write_documents(
    struct dedup_state *s, struct sh_sink *out, const uint32_t *keeper, uint32_t from, uint32_t to)
{
	uint64_t forgot = from < to ? s->corpus.at[from] : 0;
	struct rooms r;
	struct sh_error err;

	memset(&r, 0, sizeof r);
	for (uint32_t i = from; i < to; i++) {
		struct sh_slice line = sh_corpus_line(&s->corpus, i);

		if (s->corpus.at[i] - forgot > FORGET) {
			sh_corpus_forget(&s->corpus);
			forgot = s->corpus.at[i];
		}
		if (s->settings->mark.n) {
			if (mark_line(s, i, keeper, &r, &err) < 0)
				cli_die(s->cli, &err);
			line = sh_buf_slice(&r.line);
		} else if (!dedup_stays(s, keeper, i)) {
			continue;
		}
		if (write_line(out, line, &err) < 0)
			cli_die(s->cli, &err);
	}
	free_rooms(&r);
}

struct sh_slice dedup_header(const struct dedup_state *s, size_t i)
{
	const struct sh_mapped *m = &s->corpus.file[i].map;

	return cli_strip(
	    s->cli->crlf, sh_record_front(sh_slice(m->p, m->n), s->settings->docs.docs.form.csv));
}

void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_slice header, mark = s->settings->mark;
	struct sh_buf marked = { 0 };
	struct sh_error err;

	if (!form->columns || s->corpus.file[i].map.n == 0)
		return;
	header = dedup_header(s, i);
	if (mark.n) {
		if (sh_keeper_mark_header(form, mark, header, &marked, &err) < 0)
			cli_die(s->cli, &err);
		header = sh_buf_slice(&marked);
	}
	if (write_line(out, header, &err) < 0)
		cli_die(s->cli, &err);
	sh_buf_free(&marked);
}

void dedup_write_all(struct dedup_state *s, const uint32_t *keeper)
{
	size_t i = 0;

	while (i + 1 < s->corpus.n_files && s->corpus.file[i].map.n == 0)
		i++;
	dedup_write_header(s, &s->cli->out, i);
	dedup_write_documents(s, &s->cli->out, keeper, 0, (uint32_t)s->corpus.n);
}

/* Writes similarity and group size. The similarity of a pair that was not compared is left out. It is "-"
 * with an archive, where only some pairs are compared, and before a group size. group: 0 without
 * --counts. */
static void write_numbers(
    struct dedup_state *s, unsigned distance, unsigned similarity, uint32_t group)
{
	char text[2 * SH_NUM_CHARS + SH_SIMILARITY_CHARS + 4];
	size_t n = 1;

	text[0] = '\t';
	n += sh_print_u64(text + n, distance);
	if (similarity != SH_UNVERIFIED) {
		text[n++] = '\t';
		sh_similarity_print(text + n, similarity);
		n += SH_SIMILARITY_CHARS;
	} else if (s->settings->archive.dir || group) {
		text[n++] = '\t';
		text[n++] = '-';
	}
	if (group) {
		text[n++] = '\t';
		n += sh_print_u64(text + n, group);
	}
	text[n++] = '\n';
	write_report_part(s, text, n);
}

/* Writes a line of the report. Returns whether the keeper has the same id, so that the report cannot
 * distinguish the two. */
static bool report_one(struct dedup_state *s, uint32_t dropped, uint32_t keeper, uint32_t group,
    struct sh_document_room room[2])
{
	struct sh_document doc, kept;
	struct sh_similarity sim;
	struct sh_error err;
	unsigned distance;

	if (sh_corpus_document(&s->corpus, dropped, room, &doc, &err) < 0)
		cli_die(s->cli, &err);
	write_report_part(s, doc.id.p, doc.id.n);
	write_report_part(s, "\t", 1);
	if (dedup_archive_drops(s, dropped)) {
		const struct sh_outcome *f = dedup_archive_outcome(s, dropped);

		write_report_part(s, f->id.p, f->id.n);
		write_numbers(s, f->distance, f->similarity, 0);
		return false;
	}
	if (sh_corpus_document(&s->corpus, keeper, &room[1], &kept, &err) < 0 ||
	    sh_dedup_compare(s->dedup, dropped, keeper, &distance, &sim, &err) < 0)
		cli_die(s->cli, &err);
	write_report_part(s, kept.id.p, kept.id.n);
	write_numbers(s, distance,
	    s->settings->dedup.verify ? sh_similarity_round(&sim) : SH_UNVERIFIED, group);
	return sh_slice_eq(doc.id, kept.id);
}

void dedup_write_report(
    struct dedup_state *s, const uint32_t *keeper, const struct dedup_groups *groups)
{
	bool counts = s->settings->counts;
	struct sh_document_room room[2];
	uint32_t alike = 0;

	memset(room, 0, sizeof room);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (!dedup_stays(s, keeper, i))
			alike +=
			    report_one(s, i, keeper[i], counts ? groups->size[keeper[i]] : 0, room);
	sh_document_room_free(&room[0]);
	sh_document_room_free(&room[1]);
	if (alike)
		cli_warn(s->cli,
		    "%u document%s dropped for one of the same id: an id in the report may be of "
		    "both",
		    alike, CLI_PLURAL(alike));
	if (s->to == &s->report)
		cli_close_further(s->cli, &s->report);
}

void dedup_open_report(struct dedup_state *s)
{
	const char *path = s->settings->report_path;

	s->to = &s->cli->out;
	if (!path || s->settings->report_is_output)
		return;
	cli_open_further(s->cli, &s->report, path);
	s->to = &s->report;
}
