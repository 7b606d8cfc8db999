/* SPDX-License-Identifier: MIT */
/* An archive gives back what was put in, through merges and removals; and finds damage. */
#include <sys/stat.h>

#include "archive_util.h"
#include "base/bytes.h"
#include "rng.h"
#include "scratch.h"
#include "store/change.h"
#include "tap.h"

static char folder[SCRATCH_MAX];
static struct sh_error err;

/* ---- a model ---- */

enum { DOCUMENTS = 400, KEYS = 50 };

static struct model {
	struct sh_record record;
	char line[64];
	bool gone;
	unsigned n_keys;
	uint64_t key[4];
} model[DOCUMENTS];
static uint32_t n_documents;

static int by_posting(const void *a, const void *b)
{
	const struct sh_store_posting *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->document != y->document)
		return x->document < y->document ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Returns a document of the model that stays, or the document `otherwise`. */
static uint32_t any_keeper(uint32_t otherwise)
{
	uint32_t i = (uint32_t)rng_below(n_documents + 1);

	return i < n_documents && !model[i].gone && model[i].record.keeper == i ? i : otherwise;
}

static void make_document(uint32_t number)
{
	struct model *d = &model[number];
	int id = (int)rng_below(300), n = sprintf(d->line, "d%d", id);

	d->record = (struct sh_record){ .number = number,
		.keeper = rng_below(3) ? number : any_keeper(number),
		.time = rng_below(100),
		.digest = rng_below(4),
		.similarity = (uint16_t)rng_below(10001),
		.measure = (uint8_t)rng_below(3) };
	d->record.id = sh_slice(d->line, (size_t)n);
	n += sprintf(d->line + n, "\t%.*s", (int)rng_below(40),
	    "one two three four five six seven eight nine ten");
	d->record.line = sh_slice(d->line, (size_t)n);
	d->gone = false;
	d->n_keys = d->record.keeper == number ? (unsigned)rng_below(5) : 0;
	for (unsigned k = 0; k < d->n_keys; k++)
		d->key[k] = UINT64_C(0x123456789) * (1 + rng_below(KEYS));
}

/* most: as for sh_store_change_add_segment() */
static void add_batch(struct sh_store *s, uint32_t n, uint64_t most)
{
	struct sh_store_posting p[4 * DOCUMENTS];
	struct sh_store_change c;
	uint32_t first = s->manifest.next_number;
	size_t n_p = 0;

	works(sh_store_change_begin(&c, s, &err) == 0, &err);
	for (uint32_t i = first; i < first + n; i++) {
		make_document(i);
		n_documents = i + 1;
		works(sh_store_change_document(&c, &model[i].record, &err) == 0, &err);
		for (unsigned k = 0; k < model[i].n_keys; k++)
			p[n_p++] = (struct sh_store_posting){ model[i].key[k], i, k };
	}
	qsort(p, n_p, sizeof *p, by_posting);
	for (size_t i = 0; i < n_p; i++)
		works(sh_store_change_posting(&c, &p[i], &err) == 0, &err);
	works(sh_store_change_add_segment(&c, most, &err) == 0 &&
		  sh_store_change_commit(&c, &err) == 0,
	    &err);
	sh_store_change_end(&c);
}

/* ---- the archive against the model ---- */

static bool same_record(const struct sh_record *a, const struct sh_record *b)
{
	return a->number == b->number && a->keeper == b->keeper && a->time == b->time &&
	       a->digest == b->digest && a->similarity == b->similarity &&
	       a->measure == b->measure && sh_slice_eq(a->line, b->line) &&
	       sh_slice_eq(a->id, b->id);
}

/* The last record of an id and a digest, by the list of ids. */
struct finding {
	struct sh_store *store;
	const struct sh_record *want;
	struct sh_record *record;
	bool found;
};

static int look_at_id(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *e)
{
	struct finding *f = arg;
	struct sh_record r;

	(void)asked;
	works(sh_store_record(f->store, p->document, &r, e) == 1, e);
	if (r.digest == f->want->digest && sh_slice_eq(r.id, f->want->id)) {
		*f->record = r;
		f->found = true;
	}
	return 0;
}

static bool same_records(struct sh_store *s)
{
	for (uint32_t i = 0; i < n_documents; i++) {
		struct sh_record r;
		const struct sh_record *want = &model[i].record;
		struct finding f = { s, want, &r, false };
		int got = sh_store_record(s, i, &r, &err);
		uint64_t key;

		works(got >= 0, &err);
		if (got != !model[i].gone || (got && !same_record(&r, want)))
			return false;
		key = sh_store_id_key(&s->manifest, want->id);
		works(sh_store_look(s, SH_LIST_IDS, &key, 1, 0, look_at_id, &f, &err) == 0, &err);
		for (uint32_t k = i + 1; k < n_documents; k++)
			if (!model[k].gone && model[k].record.digest == want->digest &&
			    sh_slice_eq(model[k].record.id, want->id))
				want = &model[k].record;
		if (!model[want->number].gone && (!f.found || !same_record(&r, want)))
			return false;
	}
	return true;
}

struct seen {
	struct sh_store_posting p[4 * DOCUMENTS];
	size_t n;
};

static int see(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *e)
{
	struct seen *s = arg;

	(void)asked;
	(void)e;
	s->p[s->n++] = *p;
	return 0;
}

/* Asks for random keys, among them keys that no document has. */
static bool same_postings(struct sh_store *s)
{
	struct seen got = { .n = 0 }, want = { .n = 0 };
	uint64_t key[KEYS];
	size_t n = 0;

	for (uint64_t k = 1; k <= KEYS; k++)
		if (rng_below(2))
			key[n++] = UINT64_C(0x123456789) * k + (rng_below(4) == 0);
	works(sh_store_look(s, SH_LIST_POSTINGS, key, n, 0, see, &got, &err) == 0, &err);
	for (uint32_t i = 0; i < n_documents; i++)
		for (unsigned j = 0; j < model[i].n_keys && !model[i].gone; j++)
			for (size_t k = 0; k < n; k++)
				if (key[k] == model[i].key[j])
					want.p[want.n++] =
					    (struct sh_store_posting){ key[k], i, j };
	qsort(got.p, got.n, sizeof *got.p, by_posting);
	qsort(want.p, want.n, sizeof *want.p, by_posting);
	return got.n == want.n && memcmp(got.p, want.p, got.n * sizeof *got.p) == 0;
}

/* With a bound, the first and the last postings of each key come, and no posting twice. */
static bool same_bounded(struct sh_store *s)
{
	for (uint64_t k = 1; k <= KEYS; k++) {
		uint64_t key = UINT64_C(0x123456789) * k;
		size_t most = 1 + rng_below(3);
		struct seen all = { .n = 0 }, some = { .n = 0 };

		works(sh_store_look(s, SH_LIST_POSTINGS, &key, 1, 0, see, &all, &err) == 0, &err);
		works(
		    sh_store_look(s, SH_LIST_POSTINGS, &key, 1, most, see, &some, &err) == 0, &err);
		for (size_t i = 0; i < all.n; i++) {
			size_t times = 0;

			for (size_t j = 0; j < some.n; j++)
				times += memcmp(&some.p[j], &all.p[i], sizeof *all.p) == 0;
			if (times > 1 || (times == 0 && (i < most || i + most >= all.n)))
				return false;
		}
	}
	return true;
}

static void met(void *arg, uint32_t id)
{
	(void)arg;
	(void)id;
}

static void remove_some(struct sh_store *s)
{
	struct sh_hmap ids;
	struct sh_store_removal r = { .before = rng_below(30), .met = met };
	uint32_t index;
	uint64_t gone = 0;

	works(sh_hmap_init(&ids, &err) == 0, &err);
	for (uint32_t i = 0; i < n_documents; i++)
		if (rng_below(20) == 0)
			works(sh_hmap_put(&ids, model[i].record.id, &index, NULL, &err) == 0, &err);
	r.ids = &ids;
	works(sh_store_remove(s, &r, &err) == 0, &err);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < n_documents; i++) {
			struct model *d = &model[i];
			bool unwanted =
			    d->record.time < r.before || sh_hmap_find(&ids, d->record.id, &index);

			if (pass)
				unwanted = model[d->record.keeper].gone;
			gone += !d->gone && unwanted;
			d->gone = d->gone || unwanted;
		}
	}
	ok(r.documents == gone, "remove counts %llu documents", (unsigned long long)gone);
	sh_hmap_free(&ids);
}

static void open_store(struct sh_store *s, bool alone)
{
	works(sh_store_open(s, folder, &err) == 0 && sh_store_lock(s, alone, 0, &err) == 0, &err);
}

static void test_model(void)
{
	struct sh_store_setting setting = { { "--some", 6 }, { "a value", 7 } };
	struct sh_store_manifest made = { .kind = SH_STORE_OF_DOCUMENTS,
		.form = SH_STORE_DOCUMENTS };
	struct sh_store s;
	bool records = true, postings = true, bounded = true, checks = true;

	made.setting[made.n_settings++] = setting;
	works(sh_store_create(folder, &made, 0, &err) == 0, &err);
	ok(sh_store_create(folder, &made, 0, &err) < 0, "a folder with an archive: %s", err.text);
	while (n_documents < DOCUMENTS - 30) {
		open_store(&s, true);
		add_batch(&s, 1 + (uint32_t)rng_below(30), rng_below(2) * (1 + rng_below(99)));
		if (rng_below(6) == 0) {
			sh_store_unlock(&s);
			works(sh_store_lock(&s, true, 0, &err) == 0, &err);
			remove_some(&s);
		}
		if (rng_below(6) == 0) {
			sh_store_unlock(&s);
			works(sh_store_lock(&s, true, 0, &err) == 0, &err);
			works(sh_store_compact(&s, &err) == 0, &err);
			checks = checks && s.manifest.n_segments <= 1;
		}
		sh_store_close(&s);
		open_store(&s, false);
		works(sh_store_check(&s, 2, &err) == 0, &err);
		records = records && same_records(&s);
		postings = postings && same_postings(&s);
		bounded = bounded && same_bounded(&s);
		sh_store_close(&s);
	}
	ok(records, "records are those of the model");
	ok(postings, "lookups find the postings of the model");
	ok(bounded, "bounded lookups find the first and the last postings");
	ok(checks, "compact leaves one segment");
}

static void test_limit(void)
{
	struct sh_store s;

	open_store(&s, true);
	works(sh_store_compact(&s, &err) == 0, &err);
	for (unsigned i = 0; i < 4; i++)
		add_batch(&s, 1, 3);
	ok(s.manifest.n_segments == 5, "four segments of one document exceed a limit of three");
	add_batch(&s, 1, 5);
	ok(s.manifest.n_segments == 2, "and five of them do not exceed a limit of five");
	sh_store_close(&s);
	open_store(&s, false);
	ok(sh_store_check(&s, 1, &err) == 0 && same_records(&s) && same_postings(&s),
	    "the merged segment has their records and postings");
	sh_store_close(&s);
}

/* ---- damage ---- */

static long size_of(const char *path)
{
	struct stat st;

	must(stat(path, &st) == 0);
	return (long)st.st_size;
}

static void flip(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");
	int c;

	must(f && fseek(f, at, SEEK_SET) == 0);
	c = fgetc(f);
	must(c != EOF && fseek(f, at, SEEK_SET) == 0 && fputc(c ^ 1 << rng_below(8), f) != EOF);
	must(fclose(f) == 0);
}

static int read_record(void *arg, const struct sh_record *r, struct sh_error *e)
{
	(void)arg;
	(void)e;
	return same_record(r, &model[r->number].record) ? 0 : 1;
}

/* A changed byte is found by a check. Without a check, no reader passes on what is damaged. */
static void test_damage(void)
{
	struct sh_store s;
	int found = 0, wrong = 0, tries = 200;

	for (int i = 0; i < tries; i++) {
		char path[SCRATCH_MAX + SH_STORE_PART_NAME + 1], name[SH_STORE_PART_NAME];
		char copy[2 * SCRATCH_MAX + 100];
		size_t k;

		open_store(&s, false);
		k = rng_below(s.n_segments);
		sh_store_part_name(name, &s.manifest, s.segment[k].entry.number,
		    rng_below(2) ? SH_STORE_PART_INDEX : SH_STORE_PART_DOCUMENTS);
		sh_store_close(&s);
		snprintf(path, sizeof path, "%s/%s", folder, name);
		snprintf(copy, sizeof copy, "cp '%s' '%s.saved'", path, folder);
		must(system(copy) == 0);
		flip(path, (long)rng_below((uint64_t)size_of(path)));
		works(sh_store_open(&s, folder, &err) == 0, &err);
		if (sh_store_lock(&s, false, 0, &err) < 0) {
			found++;
		} else {
			wrong += sh_store_each(&s, read_record, NULL, &err) > 0;
			found += sh_store_check(&s, 1, &err) < 0;
		}
		sh_store_close(&s);
		snprintf(copy, sizeof copy, "mv '%s.saved' '%s'", folder, path);
		must(system(copy) == 0);
	}
	ok(found == tries && wrong == 0, "%d of %d damages found, %d wrong records", found, tries,
	    wrong);
}

/* Files of a killed change go; other files stay. */
static void test_left_over(void)
{
	char path[SCRATCH_MAX + 64], name[SH_STORE_PART_NAME], mine[SCRATCH_MAX + 64];
	struct sh_store s;

	open_store(&s, false);
	sh_store_part_name(name, &s.manifest, s.manifest.next_segment, SH_STORE_PART_INDEX);
	sh_store_close(&s);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(mine, sizeof mine, "%s/00000009.0123456789ab.index", folder);
	fclose(fopen(path, "w"));
	fclose(fopen(mine, "w"));
	open_store(&s, false);
	sh_store_close(&s);
	ok(access(path, F_OK) == 0, "a reader leaves the files of a killed change");
	open_store(&s, true);
	sh_store_close(&s);
	ok(access(path, F_OK) != 0 && access(mine, F_OK) == 0,
	    "a change removes them, and not those of another archive");
}

int main(void)
{
	rng_init(UINT64_C(20261128));
	scratch(folder, "store");
	test_model();
	test_limit();
	test_damage();
	test_left_over();
	forget(folder);
	return done_testing();
}
