/* Archives: what was written is what is read, keys find what they must, a changed byte is told.
 * What finds documents is compared with looking at all of them. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "archive/batch.h"
#include "archive/keys.h"
#include "archive/maintain.h"
#include "archive/segment_write.h"
#include "archive/sketch.h"
#include "rng.h"
#include "scratch.h"
#include "tap.h"
#include "text/method.h"

static char folder[SCRATCH_MAX];

static void must(int good, const struct sh_error *err)
{
	if (!good) {
		printf("Bail out! %s\n", err ? err->text : "");
		exit(1);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void forget(const char *path)
{
	char command[300];

	snprintf(command, sizeof command, "rm -rf '%s'", path);
	must(system(command) == 0, NULL);
}

/* ---- sketches ---- */

static void test_sketches(void)
{
	struct sh_sketch cut = { 0 }, got = { 0 };
	struct sh_buf text = { 0 };
	struct sh_error err;
	int wrong = 0, accepted = 0;
	double bytes = 0;

	for (int turn = 0; turn < 400; turn++) {
		size_t n = turn < 40 ? (size_t)turn : 1 + rng_below(turn % 10 ? 700 : 20000);
		uint64_t *hash = malloc(n * sizeof *hash + 1);

		for (size_t i = 0; i < n; i++)
			hash[i] = turn % 7 == 3 ? UINT64_MAX - rng_below(64) : rng();
		qsort(hash, n, sizeof *hash, by_value);
		text.n = 0;
		must(sh_sketch_print(hash, n, &text, &err) == 0, &err);
		must(sh_sketch_cut(hash, n, &cut, &err) == 0, &err);
		if (sh_sketch_parse(sh_buf_slice(&text), &got, &err) < 0 || got.n != n ||
		    (n && memcmp(got.hash, cut.hash, n * sizeof *cut.hash) != 0))
			wrong++;
		/* Cut short it is no sketch. */
		for (int k = 0; n && k < 20; k++)
			accepted +=
			    sh_sketch_parse(sh_slice(text.p, rng_below(text.n)), &got, &err) == 0;
		if (n == 500)
			bytes = (double)text.n;
		free(hash);
	}
	ok(wrong == 0, "what a sketch holds is read again: %d wrong", wrong);
	ok(accepted == 0, "a sketch that was cut is refused: %d were not", accepted);
	{
		uint64_t hash[500];

		for (size_t i = 0; i < 500; i++)
			hash[i] = rng();
		qsort(hash, 500, sizeof *hash, by_value);
		text.n = 0;
		must(sh_sketch_print(hash, 500, &text, &err) == 0, &err);
		bytes = (double)text.n / 500;
	}
	ok(bytes < 4.2, "500 features take %.2f bytes each", bytes);
	sh_sketch_free(&cut);
	sh_sketch_free(&got);
	sh_buf_free(&text);
}

/* ---- keys ---- */

static int share_key(const struct sh_key_rule *r, const uint64_t *x, size_t nx, const uint64_t *y,
    size_t ny, struct sh_key_list *a, struct sh_key_list *b)
{
	struct sh_error err;

	a->n = b->n = 0;
	must(sh_keys_of(r, x, nx, a, &err) == 0, &err);
	must(sh_keys_of(r, y, ny, b, &err) == 0, &err);
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (a->key[i] == b->key[k])
				return 1;
	return 0;
}

/* Two sets of n and m features, `common` of them in both. */
static void draw_sets(uint64_t *x, size_t n, uint64_t *y, size_t m, size_t common)
{
	for (size_t i = 0; i < n; i++)
		x[i] = rng();
	for (size_t i = 0; i < m; i++)
		y[i] = i < common ? x[i] : rng();
	qsort(x, n, sizeof *x, by_value);
	qsort(y, m, sizeof *y, by_value);
}

/* The share of pairs of similarity J that meet is what the page says. */
static void test_recall(void)
{
	static const double similarity[] = { 0.5, 0.6, 0.7, 0.8, 0.85, 0.9 };
	struct sh_key_rule r = { .few = 20, .threshold = 800000, .key = { 1, 2 } };
	struct sh_key_list a = { 0 }, b = { 0 };
	enum { PAIRS = 2000, UNION = 240 };

	sh_key_layout(&r);
	ok(r.bands == 12 && r.rows == 4, "the layout for 0.8: %u bands of %u", r.bands, r.rows);
	for (size_t s = 0; s < 6; s++) {
		size_t common = (size_t)(similarity[s] * UNION + 0.5), found = 0;
		double j = (double)common / UNION, want = 1 - pow(1 - pow(j, 4), 12);
		double error = 5 * sqrt(want * (1 - want) / PAIRS) + 0.5 / PAIRS;

		for (int i = 0; i < PAIRS; i++) {
			uint64_t x[UNION], y[UNION];
			size_t n = common + (UNION - common) / 2, m = UNION + common - n;

			draw_sets(x, n, y, m, common);
			found += (size_t)share_key(&r, x, n, y, m, &a, &b);
		}
		ok(fabs((double)found / PAIRS - want) <= error,
		    "J = %.3f: %.4f of the pairs share a key, expected %.4f", j,
		    (double)found / PAIRS, want);
	}
	free(a.key);
	free(b.key);
}

/* 99.8 % at the threshold, whatever it is. */
static void test_layouts(void)
{
	int bad = 0;

	for (uint64_t t = 60000; t <= 1000000; t += 5000) {
		struct sh_key_rule r = { .threshold = t };
		double missed;

		sh_key_layout(&r);
		missed = pow(1 - pow((double)t / 1e6, r.rows), r.bands);
		if (missed > 0.02 || (t >= 100000 && missed > 0.00201))
			bad++;
	}
	ok(bad == 0, "every threshold has its layout: %d do not", bad);
}

/* Pairs of few features that reach the threshold all share a key. */
static void test_few(void)
{
	struct sh_key_list a = { 0 }, b = { 0 };
	int missed = 0, reached = 0;

	for (int i = 0; i < 30000; i++) {
		struct sh_key_rule r = { .few = (unsigned)(1 + rng_below(30)),
			.threshold = 1000 * (uint64_t)(100 + rng_below(901)),
			.key = { 1, 2 } };
		size_t n = 1 + rng_below(30), common = 1 + rng_below(n), m = common + rng_below(8);
		uint64_t x[64], y[64];

		sh_key_layout(&r);
		if ((n >= r.few && m >= r.few) || common * 1000000 < r.threshold * (n + m - common))
			continue;
		draw_sets(x, n, y, m, common);
		reached++;
		missed += !share_key(&r, x, n, y, m, &a, &b);
	}
	ok(missed == 0 && reached > 5000,
	    "small documents that are like one share a key: %d of %d do not", missed, reached);
	free(a.key);
	free(b.key);
}

/* Documents of `few` features or more have a key a band; those that are smaller, or can be as
 * similar as the threshold to one that is, those of their first features. */
static void test_which_keys(void)
{
	struct sh_key_list keys = { 0 };
	struct sh_error err;
	int wrong = 0;

	for (unsigned few = 0; few <= 30; few++) {
		struct sh_key_rule r = { .few = few, .threshold = 800000, .key = { 1, 2 } };

		sh_key_layout(&r);
		for (size_t n = 0; n <= 60; n++) {
			uint64_t x[60], y[1];
			size_t by_band = 0, by_feature = 0;
			bool like_small = few && 800000 * n <= 1000000 * (uint64_t)(few - 1);

			draw_sets(x, n, y, 0, 0);
			keys.n = 0;
			must(sh_keys_of(&r, x, n, &keys, &err) == 0, &err);
			for (size_t i = 0; i < keys.n; i++) {
				by_band += sh_key_band(keys.key[i]) < r.bands;
				by_feature += sh_key_band(keys.key[i]) == SH_BAND_FEATURE;
			}
			wrong += by_band != (n && n >= few ? r.bands : 0) ||
				 by_feature != (like_small ? n - (4 * n + 4) / 5 + (n > 0) : 0) ||
				 by_band + by_feature != keys.n;
		}
	}
	ok(wrong == 0, "keys by band from --few features on, by feature to 5/4 of them: %d wrong",
	    wrong);
	free(keys.key);
}

/* ---- the manifest ---- */

/* What is wrong with a manifest that ends behind so many options. */
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

/* ---- segments ---- */

enum { FIRST = 7, ASKED = 200 }; /* the first document's number; keys that are looked up */

/* Of one key. */
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
		must(sh_doc_print(&r, &line, &err) == 0, &err);
		must(sh_segment_write(w, SH_PART_DOC, sh_buf_slice(&line), &err) == 0, &err);
		sh_segment_covers(w, r.number, r.number);
	}
	sh_buf_free(&line);
}

static uint64_t some_key(int turn)
{
	static const unsigned band[] = { 0, 1, 2, 11, SH_BAND_FEATURE, SH_BAND_ID };
	uint64_t in_band = rng() >> 24;

	/* Crowded or sparse, at the ends or anywhere. */
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
		must(sh_segment_write(w, SH_PART_KEY, sh_slice(line[i], SH_KEY_LINE), &err) == 0,
		    &err);
	free(line);
}

/* Some that are there, some that need not be; ascending, each once, as batches ask. */
static size_t draw_keys(struct sh_segment *s, int turn, uint64_t ask[ASKED])
{
	size_t keys = sh_segment_keys(s), n = 0;
	struct sh_error err;

	for (size_t i = 0; i < ASKED; i++) {
		uint32_t number;

		ask[i] = some_key(turn);
		if (i % 2 && keys)
			must(sh_segment_key(s, rng_below(keys), &ask[i], &number, &err) == 0, &err);
	}
	qsort(ask, ASKED, sizeof *ask, by_value);
	for (size_t i = 0; i < ASKED; i++)
		if (i == 0 || ask[i] != ask[i - 1])
			ask[n++] = ask[i];
	return n;
}

/* How many keys are found otherwise than by looking at each record, alone or together. */
static size_t wrong_keys(struct sh_segment *s, int turn)
{
	struct hits want[ASKED] = { 0 }, alone[ASKED] = { 0 }, together[ASKED] = { 0 };
	uint64_t ask[ASKED], key;
	size_t n = draw_keys(s, turn, ask), wrong = 0;
	uint32_t number;
	struct sh_error err;

	for (size_t k = 0; k < sh_segment_keys(s); k++) {
		must(sh_segment_key(s, k, &key, &number, &err) == 0, &err);
		for (size_t i = 0; i < n; i++)
			if (key == ask[i])
				count_hit(want, i, number, &err);
	}
	for (size_t i = 0; i < n; i++)
		must(sh_segment_look(s, &ask[i], 1, count_hit, &alone[i], &err) == 0, &err);
	must(sh_segment_look(s, ask, n, count_hit, together, &err) == 0, &err);
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

	must(sh_folder_open(&f, folder, true, &err) == 0, &err);
	must(sh_segment_create(w, &f, 3, SH_STORE_NONE, &err) == 0, &err);
	write_docs(w, docs, step);
	write_keys(w, keys, turn);
	must(sh_segment_finish(w, &err) == 0, &err);
	must(sh_segment_open(&s, &f, &w->entry, SH_STORE_NONE, &err) == 0, &err);
	wrong = wrong_keys(&s, turn) + wrong_docs(&s, docs, step);
	sh_segment_close(&s);
	sh_segment_abandon(w);
	sh_folder_close(&f);
	free(w);
	forget(folder);
	if (wrong)
		ok(0, "%zu keys, %zu documents: %zu differ from a look at all", keys, docs, wrong);
}

/* ---- whole archives ---- */

static const uint64_t *fingerprint(void *arg, uint32_t document)
{
	static const uint64_t none[1];

	(void)arg;
	(void)document;
	return none;
}

static bool nobody(void *arg, uint32_t document)
{
	(void)arg;
	(void)document;
	return false;
}

static struct sh_batch_opts options(const struct sh_corpus *corpus, const struct sh_manifest *m)
{
	struct sh_batch_opts o = { .corpus = corpus,
		.ngrams = { .min = 1, .max = 1 },
		.rule = { .bands = m->bands,
		    .rows = m->rows,
		    .few = 20,
		    .threshold = 800000,
		    .key = { m->key[0], m->key[1] } },
		.bits = 64,
		.k = 64,
		.threshold = 800000,
		.verify = true,
		.jobs = 1,
		.fingerprint = fingerprint,
		.is_protected = nobody };

	o.token.method = sh_token_method_at(0);
	return o;
}

static void make_archive(const char *path, enum sh_store store)
{
	struct sh_manifest m = { .store = store, .key = { 5, 6 } };
	struct sh_key_rule r = { .threshold = 800000 };
	struct sh_error err;

	sh_key_layout(&r);
	m.bands = r.bands;
	m.rows = r.rows;
	must(sh_archive_create(path, &m, 0, &err) == 0, &err);
}

/* Look up a text's documents, and add those that are new: how many match. -1: trouble. */
static int run_batch(const char *path, const char *docs, bool add, struct sh_error *err)
{
	struct sh_corpus corpus;
	struct sh_document_form form = { 0 };
	struct sh_archive a = { 0 };
	struct sh_batch *b = NULL;
	struct sh_batch_opts o;
	uint64_t lines = 0;
	int status = sh_corpus_init(&corpus, &form, err), matched = 0;

	must(status == 0 && sh_corpus_open(&corpus, docs, NULL, err) == 0, err);
	must(sh_corpus_scan(&corpus, &lines, NULL, NULL, err) == 0, err);
	status = sh_archive_open(&a, path, err);
	if (status == 0 && sh_archive_lock(&a, add, 0, err) == 0) {
		o = options(&corpus, &a.manifest);
		b = sh_batch_new(&o, err);
		must(b != NULL && sh_batch_prepare(b, err) == 0, err);
		status = sh_batch_look(b, &a, err);
		for (uint32_t i = 0; status == 0 && i < corpus.n; i++) {
			matched += sh_batch_fate(b, i)->kind != SH_FATE_NEW;
			if (sh_batch_fate(b, i)->kind == SH_FATE_NEW)
				sh_batch_tell(b, i, i, 0, 10000);
		}
		if (status == 0 && add)
			status = sh_batch_commit(b, &a, err);
	} else {
		status = -1;
	}
	sh_batch_delete(b);
	sh_archive_close(&a);
	sh_corpus_free(&corpus);
	return status < 0 ? -1 : matched;
}

static void write_texts(const char *path, int n, int from, int words, bool changed)
{
	FILE *f = fopen(path, "w");

	must(f != NULL, NULL);
	for (int i = 0; i < n; i++) {
		fprintf(f, "%c%d\t", changed ? 'c' : 'd', i);
		for (int k = 0; k < words; k++)
			fprintf(
			    f, "w%d ", changed && k == i % words ? 999999 : 1000 * (from + i) + k);
		fputc('\n', f);
	}
	must(fclose(f) == 0, NULL);
}

static int check(const char *path, struct sh_error *err)
{
	struct sh_archive a;
	int status = sh_archive_open(&a, path, err);

	if (status < 0)
		return -1;
	status = sh_archive_lock(&a, false, 0, err);
	if (status == 0)
		status = sh_archive_check(&a, 1, err);
	sh_archive_close(&a);
	return status;
}

/* Each byte of each file, changed in one bit or to its opposite: told by a check, and a run either
 * tells it, too, or finds what it found before. */
static void tamper(const char *path, const char *name, const char *docs, int expected)
{
	char file[400];
	struct stat st;
	struct sh_error err;
	int fd, unseen = 0, believed = 0, told = 0;

	snprintf(file, sizeof file, "%s/%s", path, name);
	fd = open(file, O_RDWR);
	must(fd >= 0 && fstat(fd, &st) == 0, NULL);
	for (off_t at = 0; at < st.st_size; at++) {
		char was, is;
		int got;

		must(pread(fd, &was, 1, at) == 1, NULL);
		is = (char)(rng_below(2) ? ~was : was ^ 1 << rng_below(8));
		must(pwrite(fd, &is, 1, at) == 1, NULL);
		unseen += check(path, &err) == 0;
		got = run_batch(path, docs, false, &err);
		told += got < 0;
		believed += got >= 0 && got != expected;
		must(pwrite(fd, &was, 1, at) == 1, NULL);
	}
	close(fd);
	ok(unseen == 0 && believed == 0 && st.st_size > 0,
	    "%s: %lld bytes changed, %d not seen by a check, %d believed by a run (%d told)", name,
	    (long long)st.st_size, unseen, believed, told);
}

static void test_tampering(enum sh_store store)
{
	char path[300], docs[300], other[300];
	struct sh_error err;
	int expected;

	must(mkdir(folder, 0777) == 0, NULL);
	snprintf(path, sizeof path, "%s/archive", folder);
	snprintf(docs, sizeof docs, "%s/docs", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	make_archive(path, store);
	write_texts(docs, 5, 0, 22, false);
	write_texts(other, 9, 2, 22, true);
	must(run_batch(path, docs, true, &err) == 0, &err);
	expected = run_batch(path, other, false, &err);
	ok(expected == 3, "three of the changed texts are like one that is there (%d)", expected);
	ok(check(path, &err) == 0, "all good before");
	tamper(path, "manifest", other, expected);
	tamper(path, "00000000.doc", other, expected);
	tamper(path, "00000000.key", other, expected);
	if (store != SH_STORE_NONE)
		tamper(path, store == SH_STORE_SKETCH ? "00000000.set" : "00000000.txt", other,
		    expected);
	tamper(path, "00000000.sum", other, expected);
	ok(check(path, &err) == 0 && run_batch(path, other, false, &err) == expected,
	    "all good afterwards");
	forget(folder);
}

/* Batches one by one: what matches is what has J >= T with one that stayed, by looking at all;
 * texts are small, so that none is missed. */
static void test_oracle(void)
{
	enum { DOCS = 600, BATCH = 40, WORDS = 19 };
	static int word[DOCS][WORDS];
	static int n_words[DOCS];
	char path[300], docs[300];
	int wrong = 0, matches = 0;
	bool stayed[DOCS] = { false };
	struct sh_error err;

	must(mkdir(folder, 0777) == 0, NULL);
	snprintf(path, sizeof path, "%s/archive", folder);
	snprintf(docs, sizeof docs, "%s/docs", folder);
	make_archive(path, SH_STORE_SKETCH);
	for (int from = 0; from < DOCS; from += BATCH) {
		FILE *f = fopen(docs, "w");
		int want = 0, got;

		must(f != NULL, NULL);
		for (int i = from; i < from + BATCH; i++) {
			int like = i ? (int)rng_below((uint64_t)i) : -1;
			bool dropped = false;

			n_words[i] = 1 + (int)rng_below(WORDS);
			for (int k = 0; k < n_words[i]; k++)
				word[i][k] = (int)rng_below(100000);
			if (like >= 0 && rng_below(3)) {
				n_words[i] = n_words[like];
				memcpy(word[i], word[like], sizeof word[i]);
				word[i][rng_below((uint64_t)n_words[i])] = (int)rng_below(100000);
			}
			fprintf(f, "d%d\t", i);
			for (int k = 0; k < n_words[i]; k++)
				fprintf(f, "w%d ", word[i][k]);
			fputc('\n', f);
			for (int o = 0; o < from && !dropped; o++) {
				int common = 0;

				for (int k = 0; stayed[o] && k < n_words[i]; k++)
					for (int l = 0; l < n_words[o]; l++)
						common += word[i][k] == word[o][l];
				dropped = 10 * common >= 8 * (n_words[i] + n_words[o] - common);
			}
			want += dropped;
			stayed[i] = !dropped;
		}
		must(fclose(f) == 0, NULL);
		got = run_batch(path, docs, true, &err);
		must(got >= 0, &err);
		matches += want;
		wrong += got != want;
	}
	ok(wrong == 0 && matches > 50, "%d matches, as by looking at all; %d batches differ",
	    matches, wrong);
	ok(check(path, &err) == 0, "a good archive");
	forget(folder);
}

int main(void)
{
	rng_init(UINT64_C(0xa7c41e));
	scratch(folder, "archive");
	test_sketches();
	test_layouts();
	test_recall();
	test_few();
	test_which_keys();
	test_options_bound();
	for (int turn = 0; turn < 60; turn++)
		test_segment(turn);
	ok(1, "keys and numbers are found as by looking at all");
	test_oracle();
	test_tampering(SH_STORE_SKETCH);
	test_tampering(SH_STORE_DOCUMENTS);
	return done_testing();
}
