/* What comes of it: the documents that stay, and the report of those that do not. */
#include <string.h>

#include "base/num.h"
#include "dedup.h"

static void write_report_part(struct dedup_state *s, const void *p, size_t n)
{
	struct sh_error err;

	if (sh_sink_write(s->to, p, n, &err) < 0)
		cli_die(s->cli, &err);
}

static int write_document(
    struct dedup_state *s, struct sh_sink *out, uint32_t i, struct sh_error *err)
{
	struct sh_slice line = sh_corpus_line(&s->corpus, i);

	return sh_sink_write(out, line.p, line.n, err) < 0 || sh_sink_write(out, "\n", 1, err) < 0
		   ? -1
		   : 0;
}

void dedup_write_documents(
    struct dedup_state *s, struct sh_sink *out, const uint32_t *keeper, uint32_t from, uint32_t to)
{
	struct sh_error err;

	for (uint32_t i = from; i < to; i++)
		if (dedup_stays(s, keeper, i) && write_document(s, out, i, &err) < 0)
			cli_die(s->cli, &err);
}

/* With an archive, where some are compared and some are not, what was not has a - there. */
static void write_numbers(struct dedup_state *s, unsigned distance, unsigned similarity)
{
	char text[SH_NUM_CHARS + SH_SIMILARITY_CHARS + 3];
	size_t n = 1;

	text[0] = '\t';
	n += sh_print_u64(text + n, distance);
	if (similarity != SH_UNVERIFIED) {
		text[n++] = '\t';
		sh_similarity_print(text + n, similarity);
		n += SH_SIMILARITY_CHARS;
	} else if (s->settings->archive.dir) {
		text[n++] = '\t';
		text[n++] = '-';
	}
	text[n++] = '\n';
	write_report_part(s, text, n);
}

/* Whether it went for one of the same id, by which the report tells the two apart no more. */
static bool report_one(
    struct dedup_state *s, uint32_t dropped, uint32_t keeper, struct sh_document_room room[2])
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
		write_numbers(s, f->distance, f->similarity);
		return false;
	}
	if (sh_corpus_document(&s->corpus, keeper, &room[1], &kept, &err) < 0 ||
	    sh_dedup_compare(s->dedup, dropped, keeper, &distance, &sim, &err) < 0)
		cli_die(s->cli, &err);
	write_report_part(s, kept.id.p, kept.id.n);
	write_numbers(
	    s, distance, s->settings->dedup.verify ? sh_similarity_round(&sim) : SH_UNVERIFIED);
	return sh_slice_eq(doc.id, kept.id);
}

void dedup_write_report(struct dedup_state *s, const uint32_t *keeper)
{
	struct sh_document_room room[2];
	uint32_t alike = 0;

	memset(room, 0, sizeof room);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (!dedup_stays(s, keeper, i))
			alike += report_one(s, i, keeper[i], room);
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
