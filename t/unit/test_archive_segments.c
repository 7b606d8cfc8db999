/* The files of an archive: records are read as written, and lookups find what a search of all
 * records finds. */
#include <string.h>
#include <xxhash.h>

#include "archive/keys.h"
#include "archive/manifest.h"
#include "archive/records.h"
#include "archive/segment.h"
#include "archive/segment_write.h"
#include "archive_util.h"
#include "rng.h"
#include "scratch.h"
#include "tap.h"

static char folder[SCRATCH_MAX];

/* ---- the manifest ---- */

/* Returns the error of a manifest that ends after n options. */
static const char *fault_of_options(int n)
{
	static struct sh_error err;
	char text[2000];
	size_t used = (size_t)sprintf(text, "simhash-archive 1\n");
	struct sh_manifest m;

	for (int i = 1; i <= n; i++)
		used += (size_t)sprintf(text + used, "option o%d %d\n", i, i);
	used += (size_t)sprintf(
	    text + used, "checksum %016llx\n", (unsigned long long)XXH3_64bits(text, used));
	return sh_manifest_parse(&m, sh_slice(text, used), &err) < 0 ? err.text : "none";
}

static void test_options_bound(void)
{
	const char *fault = fault_of_options(SH_SETTINGS_MAX);

	ok(!strstr(fault, "too many") && !strstr(fault, "checksum"), "32 options: %s", fault);
	fault = fault_of_options(SH_SETTINGS_MAX + 1);
	ok(strstr(fault, "too many options") != NULL, "33 options: %s", fault);
}

/* Returns the error of one of two segments, after which the next segment would be 6, and the next
 * document 10. */
static const char *fault_of_segments(struct sh_segment_entry a, struct sh_segment_entry b)
{
	static struct sh_error err;
	struct sh_manifest m = { .store = SH_ARCHIVE_NONE,
		.bands = SH_BANDS_MAX,
		.rows = SH_ROWS_MAX,
		.next_number = 10,
		.next_segment = 6 };
	struct sh_buf text = { 0 };
	bool good;

	works(sh_manifest_add(&m, &a, &err) == 0 && sh_manifest_add(&m, &b, &err) == 0 &&
		  sh_manifest_print(&m, &text, &err) == 0,
	    &err);
	sh_manifest_free(&m);
	good = sh_manifest_parse(&m, sh_buf_slice(&text), &err) == 0;
	sh_manifest_free(&m);
	sh_buf_free(&text);
	return good ? "none" : err.text;
}

static struct sh_segment_entry segment(uint32_t number, uint32_t first, uint32_t last)
{
	return (struct sh_segment_entry){ .number = number, .first = first, .last = last };
}

/* Documents of a segment follow those of the segment before; all numbers are used up. */
static void test_segment_bounds(void)
{
	static const struct {
		struct {
			uint32_t number, first, last;
		} a, b;
		bool good;
	} rows[] = {
		{ { 0, 0, 3 }, { 1, 4, 9 }, true },
		{ { 5, 3, 3 }, { 2, 7, 7 }, true },
		{ { 0, 0, 3 }, { 6, 4, 9 }, false },
		{ { 6, 0, 3 }, { 1, 4, 9 }, false },
		{ { 0, 0, 3 }, { 1, 4, 10 }, false },
		{ { 0, 0, 3 }, { 1, 3, 9 }, false },
		{ { 0, 0, 3 }, { 1, 6, 5 }, false },
		{ { 0, 4, 9 }, { 1, 0, 3 }, false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *fault =
		    fault_of_segments(segment(rows[i].a.number, rows[i].a.first, rows[i].a.last),
			segment(rows[i].b.number, rows[i].b.first, rows[i].b.last));

		ok(rows[i].good ? strcmp(fault, "none") == 0 : strstr(fault, "bad segment") != NULL,
		    "segments %zu: %s", i, fault);
	}
}

/* ---- records ---- */

/* Printed times parse to the same times. */
static void test_times(void)
{
	const uint64_t times[] = { 0, 1, SH_TIME_MAX - 1, SH_TIME_MAX, SH_TIME_MAX + 1,
		UINT64_MAX };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		struct sh_doc_record r = { .time = times[i], .id = sh_slice("a", 1) }, again;
		struct sh_buf line = { 0 };
		struct sh_error err;
		bool printed;

		r.distance = r.similarity = r.fp = sh_slice("-", 1);
		printed = sh_doc_print(&r, &line, &err) == 0;
		ok(printed == (r.time <= SH_TIME_MAX), "time %llu: %s", (unsigned long long)r.time,
		    printed ? "printed" : err.text);
		if (printed)
			ok(sh_doc_parse(sh_slice(line.p, line.n - 1), &again, &err) == 0 &&
				again.time == r.time,
			    "the printed time parses to the same time");
		sh_buf_free(&line);
	}
}

/* ---- segments ---- */

enum { FIRST = 7, ASKED = 200 }; /* number of the first document; keys to look up */

/* The records of one key. */
struct hits {
	uint64_t n, sum;
};

static int count_hit(void *arg, size_t asked, uint32_t number, struct sh_error *err)
{
	struct hits *h = (struct hits *)arg + asked;

	(void)err;
	h->n++;
	h->sum += number;
	return 0;
}

static int by_line(const void *a, const void *b)
{
	return memcmp(a, b, SH_KEY_LINE);
}

static void write_docs(struct sh_segment_writer *w, size_t docs, uint32_t step)
{
	struct sh_buf line = { 0 };
	struct sh_error err;

	for (uint32_t i = 0; i < docs; i++) {
		char id[151];
		struct sh_doc_record r = { .number = FIRST + i * step,
			.keeper = FIRST + i * step,
			.time = i,
			.distance = sh_slice("0", 1),
			.similarity = sh_slice("-", 1),
			.fp = sh_slice("0123456789abcdef", 16) };

		memset(id, 'a' + (int)(i % 26), sizeof id);
		r.id = sh_slice(id, 1 + rng_below(150));
		line.n = 0;
		works(sh_doc_print(&r, &line, &err) == 0, &err);
		works(sh_segment_write(w, SH_PART_DOC, sh_buf_slice(&line), &err) == 0, &err);
		sh_segment_covers(w, r.number, r.number);
	}
	sh_buf_free(&line);
}

static uint64_t some_key(int turn)
{
	static const unsigned band[] = { 0, 1, 2, 11, SH_KEY_BAND_FEATURE, SH_KEY_BAND_ID };
	uint64_t in_band = rng() >> 24;

	/* Numbers are dense or sparse, at the ends of the range or anywhere. */
	if (turn % 3 == 1)
		in_band = rng_below(300);
	else if (turn % 3 == 2)
		in_band = (UINT64_C(1) << SH_KEY_HASH_BITS) - 1 - rng_below(300);
	return (uint64_t)band[rng_below(6)] << SH_KEY_HASH_BITS | in_band;
}

static void write_keys(struct sh_segment_writer *w, size_t keys, int turn)
{
	char(*line)[SH_KEY_LINE] = malloc((keys + 1) * SH_KEY_LINE);
	struct sh_error err;

	for (size_t i = 0; i < keys; i++)
		sh_key_print(line[i], some_key(turn), (uint32_t)rng_below(5));
	qsort(line, keys, SH_KEY_LINE, by_line);
	for (size_t i = 0; i < keys; i++)
		works(sh_segment_write(w, SH_PART_KEY, sh_slice(line[i], SH_KEY_LINE), &err) == 0,
		    &err);
	free(line);
}

/* Some keys of records and some random keys, ascending and distinct, as a batch looks them up. */
static size_t draw_keys(struct sh_segment *s, int turn, uint64_t ask[ASKED])
{
	size_t keys = sh_segment_keys(s), n = 0;
	struct sh_error err;

	for (size_t i = 0; i < ASKED; i++) {
		uint32_t number;

		ask[i] = some_key(turn);
		if (i % 2 && keys)
			works(
			    sh_segment_key(s, rng_below(keys), &ask[i], &number, &err) == 0, &err);
	}
	qsort(ask, ASKED, sizeof *ask, by_value);
	for (size_t i = 0; i < ASKED; i++)
		if (i == 0 || ask[i] != ask[i - 1])
			ask[n++] = ask[i];
	return n;
}

/* Returns the number of keys for which a lookup, alone or of all keys, differs from a search of
 * all records. */
static size_t wrong_keys(struct sh_segment *s, int turn)
{
	struct hits want[ASKED] = { 0 }, alone[ASKED] = { 0 }, together[ASKED] = { 0 };
	uint64_t ask[ASKED], key;
	size_t n = draw_keys(s, turn, ask), wrong = 0;
	uint32_t number;
	struct sh_error err;

	for (size_t k = 0; k < sh_segment_keys(s); k++) {
		works(sh_segment_key(s, k, &key, &number, &err) == 0, &err);
		for (size_t i = 0; i < n; i++)
			if (key == ask[i])
				count_hit(want, i, number, &err);
	}
	for (size_t i = 0; i < n; i++)
		works(sh_segment_look(s, &ask[i], 1, count_hit, &alone[i], &err) == 0, &err);
	works(sh_segment_look(s, ask, n, count_hit, together, &err) == 0, &err);
	for (size_t i = 0; i < n; i++)
		wrong += want[i].n != alone[i].n || want[i].sum != alone[i].sum ||
			 want[i].n != together[i].n || want[i].sum != together[i].sum;
	return wrong;
}

static size_t wrong_docs(struct sh_segment *s, size_t docs, uint32_t step)
{
	size_t wrong = 0;
	struct sh_error err;

	for (uint32_t number = 0; number < FIRST + 3 + docs * step; number++) {
		uint32_t at = number - FIRST;
		bool there = number >= FIRST && at % step == 0 && at / step < docs;
		struct sh_slice found;
		struct sh_doc_record r;
		int got = sh_segment_find(s, SH_PART_DOC, number, &found, &err);

		wrong += got != there;
		if (got == 1 && (sh_doc_parse(found, &r, &err) < 0 || r.number != number))
			wrong++;
	}
	return wrong;
}

static void test_segment(int turn)
{
	size_t keys = turn < 4 ? (size_t)turn : rng_below(1200), docs = 1 + rng_below(300), wrong;
	uint32_t step = 1 + (uint32_t)rng_below(3);
	struct sh_folder f;
	struct sh_segment_writer *w = malloc(sizeof *w);
	struct sh_segment s;
	struct sh_error err;

	works(sh_folder_open(&f, folder, true, &err) == 0, &err);
	works(sh_segment_create(w, &f, 3, SH_ARCHIVE_NONE, &err) == 0, &err);
	write_docs(w, docs, step);
	write_keys(w, keys, turn);
	works(sh_segment_finish(w, &err) == 0, &err);
	works(sh_segment_open(&s, &f, &w->entry, SH_ARCHIVE_NONE, &err) == 0, &err);
	wrong = wrong_keys(&s, turn) + wrong_docs(&s, docs, step);
	sh_segment_close(&s);
	sh_segment_abandon(w);
	sh_folder_close(&f);
	free(w);
	forget(folder);
	if (wrong)
		ok(0, "%zu keys, %zu documents: %zu lookups differ from a search of all records",
		    keys, docs, wrong);
}

int main(void)
{
	rng_init(UINT64_C(0xa7c41e));
	scratch(folder, "archive");
	test_options_bound();
	test_segment_bounds();
	test_times();
	for (int turn = 0; turn < 60; turn++)
		test_segment(turn);
	ok(1, "lookups of keys and numbers find what a search of all records finds");
	return done_testing();
}
