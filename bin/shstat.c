/* SPDX-License-Identifier: MIT */
/* shstat: pairs or groups to histograms for people. */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "cli.h"
#include "group/counts.h"
#include "group/idset.h"
#include "run.h"

enum { SVG = CLI_OWN, WIDTH };

enum { DEFAULT_WIDTH = 50 };

/* In pixels. A character of a label is at most SVG_CHARACTER wide at 12 px: labels have only
 * digits, points and hyphens. */
enum { SVG_BAR = 22, SVG_GAP = 6, SVG_HEIGHT = 220, SVG_MARGIN = 50, SVG_CHARACTER = 7 };

static const struct cli_option options[] = {
	{ SVG, "svg", NULL, "draw a picture (SVG)" },
	{ WIDTH, "width", "N", "length of the longest bar, in characters [50]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shstat",
	.threads = "records",
	.synopsis = "[FILE...]",
	.purpose =
	    "Pairs (id1<TAB>id2<TAB>distance, or of shspan --pairs), a report of shdedup, or\n"
	    "groups (id<TAB>keeper), to histograms.",
	.options = { options },
	.text = true,
};

/* One bar of a histogram. */
struct row {
	char name[32], note[32];
	uint64_t count;
};

struct chart {
	const char *title, *label, *unit, *note;
	struct row row[SH_COUNTS_DISTANCES];
	unsigned n;
	uint64_t most;
};

/* ---- reading ---- */

struct reader {
	struct sh_idset *ids;
	bool groups, crlf, rejects;
	struct sh_counts counts;
	struct sh_idset_batch batch; /* two ids for each record of the chunk */
};

static int parse_group(struct sh_slice line, struct sh_slice f[2], struct sh_error *err)
{
	size_t n = sh_fields_split(line, f, 2);

	if (n != 2)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu field%s, expected id<TAB>keeper as in the first record", n, CLI_PLURAL(n));
	return sh_id_check(f[0], err) < 0 ? -1 : sh_id_check(f[1], err);
}

/* Counts a record, and sets f[] to its ids. */
static int count_record(struct sh_counts *c, bool groups, struct sh_slice line,
    struct sh_slice f[2], struct sh_error *err)
{
	struct sh_pair_record r;

	if (groups) {
		if (parse_group(line, f, err) < 0)
			return -1;
		sh_counts_group(c, f[0], f[1]);
		return 0;
	}
	if (sh_record_pair(line, &r, err) < 0 || sh_counts_pair(c, &r, err) < 0)
		return -1;
	f[0] = r.id1;
	f[1] = r.id2;
	return 0;
}

static int each_record(void *reader, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct reader *r = reader;
	struct sh_slice f[2];

	(void)job;
	if (count_record(&r->counts, r->groups, cli_strip(r->crlf, line), f, err) < 0 ||
	    sh_idset_add(&r->batch, f[0], err) < 0)
		return -1;
	return sh_idset_add(&r->batch, f[1], err);
}

/* Stores the edges of the records in job->facts. */
static int read_chunk(void *reader, struct sh_job *job)
{
	struct reader *r = reader;
	const uint32_t *handle;

	if (sh_job_lines(job, r->rejects, each_record, r) < 0)
		return -1;
	handle = sh_idset_put(r->ids, &r->batch, &job->err);
	for (size_t i = 0; handle && i < job->records; i++) {
		struct sh_edge e = { handle[2 * i], handle[2 * i + 1], 0, 0 };

		if (sh_buf_add(&job->facts, &e, sizeof e, &job->err) < 0)
			return -1;
	}
	return handle ? 0 : -1;
}

static int collect_chunk(void *components, struct sh_job *job, struct sh_error *err)
{
	return sh_union_link_all(components, (const struct sh_edge *)(const void *)job->facts.p,
	    job->facts.n / sizeof(struct sh_edge), err);
}

/* A record of two fields belongs to groups. */
static bool is_group(struct sh_slice line)
{
	struct sh_slice f[1];

	return sh_fields_split(line, f, 1) == 2;
}

static enum sh_counts_by counts_by(struct sh_slice line)
{
	struct sh_pair_record r;
	struct sh_error err;

	return sh_record_pair(line, &r, &err) == 0 ? sh_counts_by(&r) : SH_COUNTS_BY_DISTANCE;
}

static int is_record(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	struct sh_counts ignored = { .by = counts_by(line) };
	struct sh_slice f[2];

	(void)source;
	return count_record(&ignored, is_group(line), line, f, err);
}

static void run_readers(
    struct cli *c, struct sh_source *source, struct reader *readers, struct sh_union *components)
{
	struct run run = {
		.cli = c, .work = read_chunk, .collect = collect_chunk, .arg = components
	};

	for (unsigned i = 0; i < c->jobs; i++)
		run.workers[i] = &readers[i];
	run_pool(&run, source);
}

/* Reads all records. The first good one decides the kind of all. */
static void read_source(
    struct cli *c, struct sh_counts *counts, struct sh_idset *ids, struct sh_union *components)
{
	struct reader *readers = cli_zeroed(c, c->jobs, sizeof *readers);
	struct sh_slice first = sh_slice("", 0);
	struct sh_source source;

	cli_source_init(c, &source);
	cli_first(c, &source, is_record, &first);
	counts->by = counts_by(first);
	for (unsigned i = 0; i < c->jobs; i++)
		readers[i] = (struct reader){ .ids = ids,
			.groups = is_group(first),
			.crlf = c->crlf,
			.rejects = c->rejects_path != NULL,
			.counts = { .by = counts->by } };
	run_readers(c, &source, readers, components);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_counts_add(counts, &readers[i].counts);
		sh_idset_batch_free(&readers[i].batch);
	}
	sh_source_free(&source);
	free(readers);
}

static void read_records(struct cli *c, struct sh_counts *counts)
{
	struct sh_union components = { 0 };
	struct sh_idset ids;
	struct sh_error err;

	if (sh_idset_init(&ids, &err) < 0)
		cli_die(c, &err);
	read_source(c, counts, &ids, &components);
	if (counts->members && !counts->keepers)
		cli_warn(
		    c, "no keeper has a line of its own (expected groups as shgroup writes them)");
	if (sh_counts_groups(counts, &components, &err) < 0)
		cli_die(c, &err);
	sh_union_free(&components);
	sh_idset_free(&ids);
}

/* ---- charts ---- */

static struct row *add_row(struct chart *chart, uint64_t count)
{
	struct row *r = &chart->row[chart->n++];

	*r = (struct row){ .count = count };
	if (count > chart->most)
		chart->most = count;
	return r;
}

static void chart_distances(const struct sh_counts *s, struct chart *chart)
{
	unsigned first = 0, last = SH_COUNTS_DISTANCES - 1;

	*chart = (struct chart){
		.title = "Pairs at each distance", .label = "distance", .unit = "pairs"
	};
	if (!s->pairs)
		return;
	while (!s->at[first])
		first++;
	while (!s->at[last])
		last--;
	for (unsigned d = first; d <= last; d++) {
		struct row *r = add_row(chart, s->at[d]);

		snprintf(r->name, sizeof r->name, "%u", d);
		if (!s->known[d])
			continue;
		chart->note = "mean similarity";
		snprintf(r->note, sizeof r->note, "%.2f",
		    (double)s->similarity[d] / (double)s->known[d] / 1e4);
	}
}

/* Without a known similarity the chart has no rows. */
static void chart_tenths(const struct sh_counts *s, struct chart *chart)
{
	bool coverage = s->by == SH_COUNTS_BY_COVERAGE, any = false;

	*chart = (struct chart){ .title = coverage ? "Pairs by their greater coverage"
						   : "Pairs by their similarity",
		.label = coverage ? "coverage" : "similarity",
		.unit = "pairs" };
	for (unsigned i = 0; i < SH_COUNTS_TENTHS; i++)
		any = any || s->tenth[i];
	for (unsigned i = 0; any && i < SH_COUNTS_TENTHS; i++) {
		struct row *r = add_row(chart, s->tenth[i]);

		if (i == SH_COUNTS_TENTHS - 1)
			snprintf(r->name, sizeof r->name, "1.0");
		else
			snprintf(r->name, sizeof r->name, "0.%u-0.%u9", i, i);
	}
}

static void chart_sizes(const struct sh_counts *s, struct chart *chart)
{
	*chart = (struct chart){
		.title = "Groups of each size", .label = "documents", .unit = "groups"
	};
	for (unsigned i = 1; s->groups && i <= sh_counts_row(s->largest); i++) {
		struct row *r = add_row(chart, s->of_size[i]);
		uint32_t from, to;

		sh_counts_sizes(i, &from, &to);
		if (from == to)
			snprintf(r->name, sizeof r->name, "%u", from);
		else
			snprintf(r->name, sizeof r->name, "%u-%u", from, to);
	}
}

/* ---- as text ---- */

static void print_bars(struct cli *c, const struct chart *chart, unsigned width)
{
	cli_print(c, "%11s %10s%s%s\n", chart->label, chart->unit, chart->note ? "  " : "",
	    chart->note ? chart->note : "");
	for (unsigned i = 0; i < chart->n; i++) {
		const struct row *r = &chart->row[i];
		uint64_t bar = (uint64_t)((double)r->count / (double)chart->most * width + 0.5);

		cli_print(c, "%11s %10llu", r->name, (unsigned long long)r->count);
		if (chart->note)
			cli_print(c, "  %4s", r->note);
		if (r->count && !bar)
			bar = 1; /* a count above 0 is visible */
		cli_print(c, "%s", bar ? "  " : "");
		for (; bar; bar--)
			cli_write(c, "#", 1);
		cli_write(c, "\n", 1);
	}
}

static void print_text(
    struct cli *c, const struct sh_counts *s, const struct chart charts[2], unsigned width)
{
	if (charts[0].n) {
		print_bars(c, &charts[0], width);
		cli_write(c, "\n", 1);
	}
	print_bars(c, &charts[1], width);
	cli_print(c, "\n");
	if (s->pairs)
		cli_print(c, "%llu pair%s; ", (unsigned long long)s->pairs, CLI_PLURAL(s->pairs));
	cli_print(c, "%llu document%s in %llu group%s, the largest of %u\n",
	    (unsigned long long)s->documents, CLI_PLURAL(s->documents),
	    (unsigned long long)s->groups, CLI_PLURAL(s->groups), s->largest);
}

/* ---- as a picture ---- */

/* Returns the pixels from a bar to the next one: the widest label fits between them. */
static unsigned chart_step(const struct chart *chart)
{
	char digits[SH_NUM_CHARS];
	size_t widest = sh_print_u64(digits, chart->most);

	for (unsigned i = 0; i < chart->n; i++) {
		const struct row *r = &chart->row[i];
		size_t name = strlen(r->name), note = strlen(r->note);

		widest = name > widest ? name : widest;
		widest = note > widest ? note : widest;
	}
	widest *= SVG_CHARACTER;
	return SVG_GAP + (widest > SVG_BAR ? (unsigned)widest : SVG_BAR);
}

static unsigned chart_width(const struct chart *chart)
{
	unsigned w = chart->n * chart_step(chart) + 2 * SVG_MARGIN;

	return w < 400 ? 400 : w;
}

static void draw_bar(struct cli *c, const struct chart *chart, unsigned i, unsigned top)
{
	const struct row *r = &chart->row[i];
	unsigned step = chart_step(chart), floor = top + SVG_HEIGHT;
	unsigned x = SVG_MARGIN + i * step + (step - SVG_BAR) / 2;
	double h = (double)r->count / (double)chart->most * (SVG_HEIGHT - 20);

	cli_print(c,
	    "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"><title>%s: "
	    "%llu</title></rect>\n",
	    x, floor - h, SVG_BAR, h, r->name, (unsigned long long)r->count);
	cli_print(c, "<text x=\"%u\" y=\"%u\">%s</text>\n", x + SVG_BAR / 2, floor + 15, r->name);
	if (r->count)
		cli_print(c, "<text x=\"%u\" y=\"%.1f\">%llu</text>\n", x + SVG_BAR / 2,
		    floor - h - 4, (unsigned long long)r->count);
	if (*r->note)
		cli_print(c, "<text x=\"%u\" y=\"%u\" class=\"note\">%s</text>\n", x + SVG_BAR / 2,
		    floor + 30, r->note);
}

static void draw(struct cli *c, const struct chart *chart, unsigned top)
{
	unsigned floor = top + SVG_HEIGHT, right = chart_width(chart) - SVG_MARGIN;

	cli_print(c, "<text x=\"%d\" y=\"%u\" class=\"title\">%s</text>\n", SVG_MARGIN, top - 8,
	    chart->title);
	for (unsigned i = 0; i < chart->n; i++)
		draw_bar(c, chart, i, top);
	cli_print(c, "<line x1=\"%d\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n", SVG_MARGIN, floor, right,
	    floor);
	cli_print(c, "<text x=\"%u\" y=\"%u\">%s%s%s</text>\n", (SVG_MARGIN + right) / 2,
	    floor + 48, chart->label, chart->note ? "; below: " : "",
	    chart->note ? chart->note : "");
}

static void draw_svg(struct cli *c, const struct chart charts[2])
{
	unsigned w = chart_width(&charts[0]), w2 = chart_width(&charts[1]), top = SVG_MARGIN;
	unsigned n = charts[0].n ? 2 : 1, height = n * (SVG_HEIGHT + 2 * SVG_MARGIN);

	w = w > w2 ? w : w2;
	cli_print(c,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
	    "viewBox=\"0 0 %u %u\">\n"
	    "<style>rect{fill:#3a6ea5}.ground{fill:#fff}line{stroke:#444}text{font:12px "
	    "sans-serif;text-anchor:middle;fill:#222}.title{font-size:15px;text-anchor:start}"
	    ".note{fill:#666}</style>\n<rect class=\"ground\" width=\"%u\" height=\"%u\"/>\n",
	    w, height, w, height, w, height);
	for (unsigned i = 2 - n; i < 2; i++, top += SVG_HEIGHT + 2 * SVG_MARGIN)
		draw(c, &charts[i], top);
	cli_print(c, "</svg>\n");
}

int main(int argc, char **argv)
{
	static struct sh_counts counts;
	static struct chart charts[2];
	struct cli c;
	unsigned width = 0;
	bool svg = false;
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1) {
		if (opt == SVG)
			svg = true;
		else if (opt == WIDTH)
			width = (unsigned)cli_number(&c, "--width", 1, 1000);
	}
	if (svg && width)
		cli_usage(&c, "--width cannot be used with --svg");
	cli_open(&c);
	read_records(&c, &counts);
	(counts.by == SH_COUNTS_BY_DISTANCE ? chart_distances : chart_tenths)(&counts, &charts[0]);
	chart_sizes(&counts, &charts[1]);
	if (svg)
		draw_svg(&c, charts);
	else
		print_text(&c, &counts, charts, width ? width : DEFAULT_WIDTH);
	return cli_finish(&c);
}
