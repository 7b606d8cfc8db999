/* SPDX-License-Identifier: MIT */
/* shstat: pairs or groups to histograms for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "group/group.h"
#include "group/idset.h"
#include "record/fields.h"
#include "weight/weight.h"

enum { WIDTH = CLI_OWN };

enum { DEFAULT_WIDTH = 50 };

/* Distances are 0 to 1024. Similarities and coverages are by tenths; 1.0 has its own row. Groups
 * have a row for each of the sizes 1, 2, 3, 4, then rows for the sizes 5 to 8, 9 to 16, and so on.
 */
enum { DISTANCES = 1025, TENTHS = 11, SINGLE_SIZES = 4, SIZES = SINGLE_SIZES + 30 };

static const struct cli_option options[] = {
	{ WIDTH, "width", "N", "length of the longest bar, in characters [50]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shstat",
	.synopsis = "[FILE...]",
	.purpose =
	    "Pairs (id1<TAB>id2<TAB>distance, or of shspan --pairs), a report of shdedup, or\n"
	    "groups (id<TAB>keeper), to histograms.",
	.options = { options },
	.text = true,
};

/* What all records of an input have. */
enum kind { DISTANCE, SIMILARITY, COVERAGE, GROUP };

struct counts {
	enum kind kind;             /* set by the first record */
	uint64_t records;           /* pairs, or documents of groups */
	uint64_t keepers;           /* records of groups whose document is its own keeper */
	uint64_t at[DISTANCES];     /* pairs at this distance */
	uint64_t known[DISTANCES];  /* pairs at this distance that have a similarity */
	uint64_t shares[DISTANCES]; /* sum of these similarities, in ten thousandths */
	/* pairs without a distance, by their similarity or their greater coverage, when known */
	uint64_t tenth[TENTHS];

	/* Ids are added together, because the memory of many is then read at once. */
	struct sh_idset ids;
	struct sh_idset_batch batch; /* two ids a record */
	char text[1 << 17];          /* the bytes of the ids of the batch */
	size_t n;                    /* bytes in use of text */
	struct sh_union components;  /* nodes: handles of ids */
	/* Filled by count_groups(), for the groups of at least two documents. */
	uint64_t groups, documents;
	uint64_t of_size[SIZES];
	uint32_t largest;
};

/* One bar of a histogram. */
struct row {
	char name[32], note[32];
	uint64_t count;
};

struct chart {
	const char *label, *unit, *note;
	struct row row[DISTANCES];
	unsigned n;
	uint64_t most;
};

/* ---- reading ---- */

static int count_pair(struct counts *s, const struct sh_pair_record *r, struct sh_error *err)
{
	static const char *const what[] = { "a distance", "no distance", "coverages" };
	enum kind kind = r->coverage ? COVERAGE : r->distance >= 0 ? DISTANCE : SIMILARITY;

	if (!s->records)
		s->kind = kind;
	if (kind != s->kind)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a pair with %s, after pairs with %s: count them apart", what[kind],
		    what[s->kind]);
	if (r->distance >= DISTANCES)
		return sh_error_set(err, SH_ERR_RECORD, "a distance above %d", DISTANCES - 1);
	if (kind == DISTANCE) {
		s->at[r->distance]++;
		if (r->similarity >= 0) {
			s->known[r->distance]++;
			s->shares[r->distance] += ((uint64_t)r->similarity + 50) / 100;
		}
	} else if (r->similarity >= 0) {
		s->tenth[r->similarity / (SH_WEIGHT_ONE / 10)]++;
	}
	return 0;
}

static int count_member(
    struct counts *s, size_t fields, const struct sh_slice f[2], struct sh_error *err)
{
	if (fields != 2)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu field%s, expected id<TAB>keeper as in the first record", fields,
		    CLI_PLURAL(fields));
	if (sh_id_check(f[0], err) < 0 || sh_id_check(f[1], err) < 0)
		return -1;
	s->kind = GROUP;
	s->keepers += sh_slice_eq(f[0], f[1]);
	return 0;
}

/* Adds the ids of the batch, and joins the two of each record. */
static int flush_ids(struct counts *s, struct sh_error *err)
{
	size_t n = s->batch.ids.n / sizeof(struct sh_slice);
	const uint32_t *handle = sh_idset_put(&s->ids, &s->batch, err);

	for (size_t i = 0; handle && i < n; i += 2) {
		uint32_t a = handle[i], b = handle[i + 1];

		if (sh_union_grow(&s->components, (a > b ? a : b) + 1, err) < 0)
			return -1;
		sh_union_link(&s->components, a, b);
	}
	s->n = 0;
	return handle ? 0 : -1;
}

static int add_id(struct counts *s, struct sh_slice id, struct sh_error *err)
{
	char *to = s->text + s->n;

	memcpy(to, id.p, id.n);
	s->n += id.n;
	return sh_idset_add(&s->batch, sh_slice(to, id.n), err);
}

/* Counts a record. The first good record decides the kind of all: two fields belong to groups. */
static int add_record(void *counts, struct sh_slice line, struct sh_error *err)
{
	struct counts *s = counts;
	struct sh_pair_record r;
	struct sh_slice f[2];
	size_t fields = sh_fields_split(line, f, 2);

	if (s->records ? s->kind == GROUP : fields == 2) {
		if (count_member(s, fields, f, err) < 0)
			return -1;
	} else {
		if (sh_record_pair(line, &r, err) < 0 || count_pair(s, &r, err) < 0)
			return -1;
		f[0] = r.id1;
		f[1] = r.id2;
	}
	s->records++;
	if (s->n + f[0].n + f[1].n > sizeof s->text && flush_ids(s, err) < 0)
		return -1;
	return add_id(s, f[0], err) < 0 ? -1 : add_id(s, f[1], err);
}

/* Returns the row of of_size[] for a size of 1 or more. */
static unsigned size_row(uint32_t size)
{
	if (size <= SINGLE_SIZES)
		return size - 1;
	/* Of sizes 5 to 8, the highest bit of size - 1 is bit 2. */
	return SINGLE_SIZES + (31 - (unsigned)__builtin_clz(size - 1)) - 2;
}

static void count_groups(struct cli *c, struct counts *s)
{
	uint32_t n = s->components.n, *size = cli_zeroed(c, (size_t)n + 1, sizeof *size);

	for (uint32_t i = 0; i < n; i++)
		size[sh_union_find(&s->components, i)]++;
	for (uint32_t i = 0; i < n; i++) {
		if (size[i] < 2)
			continue;
		s->groups++;
		s->documents += size[i];
		s->of_size[size_row(size[i])]++;
		if (size[i] > s->largest)
			s->largest = size[i];
	}
	free(size);
}

static void read_records(struct cli *c, struct counts *s)
{
	struct sh_error err;

	if (sh_idset_init(&s->ids, &err) < 0)
		cli_die(c, &err);
	cli_read_lines(c, NULL, add_record, s);
	if (flush_ids(s, &err) < 0)
		cli_die(c, &err);
	if (s->kind == GROUP && !s->keepers)
		cli_warn(
		    c, "no keeper has a line of its own (expected groups as shgroup writes them)");
	count_groups(c, s);
	sh_union_free(&s->components);
	sh_idset_free(&s->ids);
	sh_idset_batch_free(&s->batch);
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

static void chart_distances(const struct counts *s, struct chart *chart)
{
	unsigned first = 0, last = DISTANCES - 1;

	*chart = (struct chart){ .label = "distance", .unit = "pairs" };
	if (!s->records)
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
		    (double)s->shares[d] / (double)s->known[d] / 1e4);
	}
}

/* Without a known similarity the chart has no rows. */
static void chart_tenths(const struct counts *s, struct chart *chart)
{
	bool any = false;

	*chart = (struct chart){ .label = s->kind == COVERAGE ? "coverage" : "similarity",
		.unit = "pairs" };
	for (unsigned i = 0; i < TENTHS; i++)
		any = any || s->tenth[i];
	for (unsigned i = 0; any && i < TENTHS; i++) {
		struct row *r = add_row(chart, s->tenth[i]);

		snprintf(r->name, sizeof r->name, i == TENTHS - 1 ? "1.0" : "0.%u-0.%u9", i, i);
	}
}

static void chart_sizes(const struct counts *s, struct chart *chart)
{
	*chart = (struct chart){ .label = "documents", .unit = "groups" };
	for (unsigned i = 1; s->groups && i <= size_row(s->largest); i++) {
		struct row *r = add_row(chart, s->of_size[i]);
		unsigned bit = i - SINGLE_SIZES + 2;

		if (i < SINGLE_SIZES)
			snprintf(r->name, sizeof r->name, "%u", i + 1);
		else
			snprintf(r->name, sizeof r->name, "%" PRIu64 "-%" PRIu64,
			    (UINT64_C(1) << bit) + 1, UINT64_C(2) << bit);
	}
}

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
    struct cli *c, const struct counts *s, const struct chart charts[2], unsigned width)
{
	if (charts[0].n) {
		print_bars(c, &charts[0], width);
		cli_write(c, "\n", 1);
	}
	print_bars(c, &charts[1], width);
	cli_print(c, "\n");
	if (s->records && s->kind != GROUP)
		cli_print(
		    c, "%llu pair%s; ", (unsigned long long)s->records, CLI_PLURAL(s->records));
	cli_print(c, "%llu document%s in %llu group%s, the largest of %u\n",
	    (unsigned long long)s->documents, CLI_PLURAL(s->documents),
	    (unsigned long long)s->groups, CLI_PLURAL(s->groups), s->largest);
}

int main(int argc, char **argv)
{
	static struct counts counts;
	static struct chart charts[2];
	struct cli c;
	unsigned width;

	cli_start(&c, &program, argc, argv);
	width = (unsigned)opt_number(&c, WIDTH, 1, 1000, DEFAULT_WIDTH);
	cli_open(&c);
	read_records(&c, &counts);
	if (counts.kind != GROUP)
		(counts.kind == DISTANCE ? chart_distances : chart_tenths)(&counts, &charts[0]);
	chart_sizes(&counts, &charts[1]);
	print_text(&c, &counts, charts, width);
	return cli_finish(&c);
}
