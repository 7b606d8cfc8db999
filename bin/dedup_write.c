/* What comes of it: the documents that stay, and the report of those that do not. */
#include <sys/stat.h>

#include "base/num.h"
#include "dedup.h"

_Noreturn static void die_reporting(struct dedup_state *s, const struct sh_error *err)
{
	if (s->to != &s->cli->out)
		sh_sink_abort(s->to);
	cli_die(s->cli, err);
}

static void write_report_part(struct dedup_state *s, const void *p, size_t n)
{
	struct sh_error err;

	if (sh_sink_write(s->to, p, n, &err) < 0)
		die_reporting(s, &err);
}

/* Those that stay, as they came. */
void dedup_write_documents(struct dedup_state *s, const uint32_t *keeper)
{
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		struct sh_slice line;

		if (!dedup_stays(s, keeper, i))
			continue;
		line = sh_corpus_line(&s->corpus, i);
		cli_write(s->cli, line.p, line.n);
		cli_write(s->cli, "\n", 1);
	}
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

static void report_one(
    struct dedup_state *s, uint32_t dropped, uint32_t keeper, struct sh_document_room *room)
{
	struct sh_document doc;
	struct sh_similarity sim;
	struct sh_error err;
	unsigned distance;

	if (sh_corpus_document(&s->corpus, dropped, room, &doc, &err) < 0)
		die_reporting(s, &err);
	write_report_part(s, doc.id.p, doc.id.n);
	write_report_part(s, "\t", 1);
	if (dedup_archive_drops(s, dropped)) {
		const struct sh_fate *f = dedup_archive_fate(s, dropped);

		write_report_part(s, f->id.p, f->id.n);
		write_numbers(s, f->distance, f->similarity);
		return;
	}
	if (sh_corpus_document(&s->corpus, keeper, room, &doc, &err) < 0 ||
	    sh_dedup_compare(s->dedup, dropped, keeper, &distance, &sim, &err) < 0)
		die_reporting(s, &err);
	write_report_part(s, doc.id.p, doc.id.n);
	write_numbers(
	    s, distance, s->settings->dedup.verify ? sh_similarity_round(&sim) : SH_UNVERIFIED);
}

void dedup_write_report(struct dedup_state *s, const uint32_t *keeper)
{
	struct sh_document_room room = { 0 };
	struct sh_error err;

	s->to = &s->cli->out;
	if (strcmp(s->settings->report_path, "-") != 0) {
		if (sh_sink_open(&s->report, s->settings->report_path, &err) < 0)
			cli_die(s->cli, &err);
		s->report.trailer = s->cli->trailer_out;
		s->to = &s->report;
	}
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (!dedup_stays(s, keeper, i))
			report_one(s, i, keeper[i], &room);
	sh_document_room_free(&room);
	if (s->to != &s->cli->out && sh_sink_close(&s->report, &err) < 0)
		cli_die(s->cli, &err);
}

void dedup_try_report(struct cli *c, const struct dedup_settings *s)
{
	struct sh_sink probe;
	struct stat st;
	struct sh_error err;

	if (!s->report_path || strcmp(s->report_path, "-") == 0)
		return;
	if (stat(s->report_path, &st) == 0 && !S_ISREG(st.st_mode))
		return;
	if (sh_sink_open(&probe, s->report_path, &err) < 0)
		cli_die(c, &err);
	sh_sink_abort(&probe);
}
