/* SPDX-License-Identifier: MIT */
/* shstat: pairs or groups to histograms for people. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hmap.h"
#include "cli.h"
#include "group/group.h"
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
};

/* What all records of an input have. */
enum kind { DISTANCE, SIMILARITY, COVERAGE, GROUP };

struct counts {
	unsigned width;             /* value of --width */
	enum kind kind;             /* set by the first record */
	uint64_t records;           /* pairs, or documents of groups */
	uint64_t keepers;           /* records of groups whose document is its own keeper */
	uint64_t at[DISTANCES];     /* pairs at this distance */
	uint64_t known[DISTANCES];  /* pairs at this distance that have a similarity */
	uint64_t shares[DISTANCES]; /* sum of these similarities, in ten thousandths */
	/* pairs without a distance, by their similarity or their greater coverage, when known */
	uint64_t tenth[TENTHS];

	/* Ids are added together, because the memory of many is then read at once. */
	struct sh_hmap ids;
	struct sh_slice id[SH_HMAP_MANY]; /* two ids a record, that are not added yet; in `text` */
	char text[SH_HMAP_MANY * SH_ID_MAX];
	size_t n_ids, n;            /* n: bytes in use of text */
	struct sh_union components; /* nodes: indexes of ids */
	/* Filled by count_groups(), for the groups of at least two documents. */
	uint64_t groups, documents;
	uint64_t of_size[SIZES];
	uint32_t largest;
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

/* Adds the last ids, and joins the two of each record. */
static int flush_ids(struct counts *s, struct sh_error *err)
{
	uint32_t at[SH_HMAP_MANY];

	if (sh_hmap_put_many(&s->ids, s->id, s->n_ids, at, err) < 0)
		return -1;
	for (size_t i = 0; i < s->n_ids; i += 2) {
		uint32_t a = at[i], b = at[i + 1];

		if (sh_union_grow(&s->components, (a > b ? a : b) + 1, err) < 0)
			return -1;
		sh_union_link(&s->components, a, b);
	}
	s->n_ids = s->n = 0;
	return 0;
}

static void add_id(struct counts *s, struct sh_slice id)
{
	char *to = s->text + s->n;

	memcpy(to, id.p, id.n);
	s->n += id.n;
	s->id[s->n_ids++] = sh_slice(to, id.n);
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
	add_id(s, f[0]);
	add_id(s, f[1]);
	return s->n_ids == SH_HMAP_MANY ? flush_ids(s, err) : 0;
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

	if (sh_hmap_init(&s->ids, &err) < 0)
		cli_die(c, &err);
	cli_read_lines(c, NULL, add_record, s);
	if (flush_ids(s, &err) < 0)
		cli_die(c, &err);
	if (s->kind == GROUP && !s->keepers)
		cli_warn(
		    c, "no keeper has a line of its own (expected groups as shgroup writes them)");
	count_groups(c, s);
	sh_union_free(&s->components);
	sh_hmap_free(&s->ids);
}

/* ---- charts ---- */

enum { NAME = 32 };

static void name_distance(char name[NAME], unsigned i)
{
	snprintf(name, NAME, "%u", i);
}

static void name_tenth(char name[NAME], unsigned i)
{
	snprintf(name, NAME, i == TENTHS - 1 ? "1.0" : "0.%u-0.%u9", i, i);
}

static void name_size(char name[NAME], unsigned i)
{
	unsigned bit = i - SINGLE_SIZES + 2;

	if (i < SINGLE_SIZES)
		snprintf(name, NAME, "%u", i + 1);
	else
		snprintf(name, NAME, "%" PRIu64 "-%" PRIu64, (UINT64_C(1) << bit) + 1,
		    UINT64_C(2) << bit);
}

/* Prints the rows from .. to-1. Distances may have similarities. */
static void print_bars(struct cli *c, const struct counts *s, const char *label, const char *unit,
    const uint64_t *count, unsigned from, unsigned to, void (*print_name)(char *name, unsigned i))
{
	uint64_t most = 0;
	bool known = false;

	for (unsigned i = from; i < to; i++) {
		most = count[i] > most ? count[i] : most;
		known = known || (count == s->at && s->known[i]);
	}
	cli_print(c, "%11s %10s%s\n", label, unit, known ? "  mean similarity" : "");
	for (unsigned i = from; i < to; i++) {
		uint64_t bar = (uint64_t)((double)count[i] / (double)most * s->width + 0.5);
		char name[NAME];

		print_name(name, i);
		cli_print(c, "%11s %10llu", name, (unsigned long long)count[i]);
		if (known && s->known[i])
			cli_print(c, "  %4.2f", (double)s->shares[i] / (double)s->known[i] / 1e4);
		else if (known)
			cli_print(c, "      ");
		if (count[i] && !bar)
			bar = 1; /* a count above 0 is visible */
		cli_print(c, "%s", bar ? "  " : "");
		for (; bar; bar--)
			cli_write(c, "#", 1);
		cli_write(c, "\n", 1);
	}
}

static void print_pairs(struct cli *c, const struct counts *s)
{
	const uint64_t *count = s->kind == DISTANCE ? s->at : s->tenth;
	unsigned first = 0, last = s->kind == DISTANCE ? DISTANCES : TENTHS;

	while (first < last && !count[first])
		first++;
	while (last > first && !count[last - 1])
		last--;
	/* Without a known similarity there are no rows. */
	if (first == last)
		return;
	if (s->kind == DISTANCE)
		print_bars(c, s, "distance", "pairs", s->at, first, last, name_distance);
	else
		print_bars(c, s, s->kind == COVERAGE ? "coverage" : "similarity", "pairs", s->tenth,
		    0, TENTHS, name_tenth);
	cli_write(c, "\n", 1);
}

static void print_groups(struct cli *c, const struct counts *s)
{
	unsigned rows = s->groups ? size_row(s->largest) + 1 : 1;

	print_bars(c, s, "documents", "groups", s->of_size, 1, rows, name_size);
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
	struct cli c;

	cli_start(&c, &program, argc, argv);
	counts.width = (unsigned)opt_number(&c, WIDTH, 1, 1000, DEFAULT_WIDTH);
	c.trailer_out = false;
	cli_open(&c);
	read_records(&c, &counts);
	if (counts.kind != GROUP)
		print_pairs(&c, &counts);
	print_groups(&c, &counts);
	return cli_finish(&c);
}
