/* Whole archives: a run finds the matches of a comparison of all pairs, and a check finds a changed
 * byte. Also tests the last numbers, equal keys, and a lost lock. */
#include "published/published.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/batch.h"
#include "archive/keys.h"
#include "archive/maintain.h"
#include "archive_util.h"
#include "rng.h"
#include "scratch.h"
#include "tap.h"
#include "text/method.h"

static char folder[SCRATCH_MAX];

static const uint64_t *fingerprint(void *arg, uint32_t document)
{
	static const uint64_t none[1];

	(void)arg;
	(void)document;
	return none;
}

static void describe(void *arg, struct sh_fingerprinter *f, const struct sh_fingerprint *fp,
    uint64_t digest, void *to)
{
	uint64_t described[] = { fp->features, digest };

	(void)arg;
	(void)f;
	memcpy(to, described, sizeof described);
}

/* The documents must come in order, each with its description. */
static int collect(void *arg, uint32_t document, const void *described, struct sh_error *err)
{
	static uint32_t next;
	const uint64_t *d = described;

	(void)arg;
	next = document ? next + 1 : 0;
	if (document != next || (d && (d[0] == 0 || d[1] == 0)))
		return sh_error_set(err, SH_ERR_PARAM, "document %u is wrong", document);
	return 0;
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
		.store = m->store,
		.rule = { .bands = m->bands,
		    .ngrams = { .min = 1, .max = 1 },
		    .rows = m->rows,
		    .few = 20,
		    .threshold = 800000,
		    .key = { m->key[0], m->key[1] } },
		.fp = { .bits = 64,
		    .ngrams = { .min = 1, .max = 1 },
		    .hash = sh_hash_at(0),
		    .scheme = sh_scheme_at(0) },
		.k = 64,
		.verify = true,
		.jobs = 1,
		.described = 2 * sizeof(uint64_t),
		.describe = describe,
		.collect = collect,
		.fingerprint = fingerprint,
		.is_protected = nobody };

	o.fp.token.method = sh_token_method_at(0);
	return o;
}

/* Sets the numbers of the next document and segment. */
static void make_archive_at(
    const char *path, enum sh_store store, uint32_t number, uint32_t segment)
{
	struct sh_manifest m = {
		.store = store, .key = { 5, 6 }, .next_number = number, .next_segment = segment
	};
	struct sh_key_rule r = { .threshold = 800000 };
	struct sh_error err;

	sh_key_layout(&r);
	m.bands = r.bands;
	m.rows = r.rows;
	works(sh_archive_create(path, &m, 0, NULL, &err) == 0, &err);
}

static void make_archive(const char *path, enum sh_store store)
{
	make_archive_at(path, store, 0, 0);
}

static size_t keep_bytes; /* of the next runs */

/* A run after its lookups and before it adds documents. */
struct run {
	struct sh_corpus corpus;
	struct sh_archive archive;
	struct sh_batch *batch;
};

static void end_run(struct run *r)
{
	sh_batch_delete(r->batch);
	sh_archive_close(&r->archive);
	sh_corpus_free(&r->corpus);
}

/* Adds new documents, which stay. Returns 0, or -1 on failure. */
static int start_run(
    struct run *r, const char *path, const char *docs, bool add, struct sh_error *err)
{
	struct sh_document_form form = { 0 };
	struct sh_batch_opts o;
	uint64_t lines = 0;
	int status;

	*r = (struct run){ .batch = NULL };
	works(sh_corpus_init(&r->corpus, &form, err) == 0 &&
		  sh_corpus_open(&r->corpus, &(char *){ (char *)(uintptr_t)docs }, 1, NULL, err) ==
		      0 &&
		  sh_corpus_scan(&r->corpus, &lines, NULL, NULL, err) == 0,
	    err);
	if (sh_archive_open(&r->archive, path, err) < 0 ||
	    sh_archive_lock(&r->archive, add, 0, err) < 0)
		return -1;
	o = options(&r->corpus, &r->archive.manifest);
	o.keep_bytes = keep_bytes;
	r->batch = sh_batch_new(&o, err);
	works(r->batch != NULL && sh_batch_prepare(r->batch, err) == 0, err);
	status = sh_batch_look_up(r->batch, &r->archive, err);
	for (uint32_t i = 0; status == 0 && i < r->corpus.n; i++)
		if (sh_batch_outcome(r->batch, i)->kind == SH_OUTCOME_NEW)
			sh_batch_decide(r->batch, i, i, 0, 10000);
	return status;
}

/* Looks up a text's documents and adds new ones. Returns the number of matches, or -1 on
 * failure. */
static int run_batch(const char *path, const char *docs, bool add, struct sh_error *err)
{
	struct run r;
	int status = start_run(&r, path, docs, add, err), matched = 0;

	for (uint32_t i = 0; status == 0 && i < r.corpus.n; i++)
		matched += sh_batch_outcome(r.batch, i)->kind != SH_OUTCOME_NEW;
	if (status == 0 && add)
		status = sh_batch_commit(r.batch, &r.archive, err);
	end_run(&r);
	return status < 0 ? -1 : matched;
}

static void write_texts(const char *path, int n, int from, int words, bool changed)
{
	FILE *f = fopen(path, "w");

	works(f != NULL, NULL);
	for (int i = 0; i < n; i++) {
		fprintf(f, "%c%d\t", changed ? 'c' : 'd', i);
		for (int k = 0; k < words; k++)
			fprintf(
			    f, "w%d ", changed && k == i % words ? 999999 : 1000 * (from + i) + k);
		fputc('\n', f);
	}
	works(fclose(f) == 0, NULL);
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

/* Changes each byte of each file in one bit or to its complement. A check reports it. A run reports
 * it, too, or gives the same result. */
static void tamper(const char *path, const char *name, const char *docs, int expected)
{
	char file[400];
	struct stat st;
	struct sh_error err;
	int fd, unseen = 0, believed = 0, refused = 0;

	snprintf(file, sizeof file, "%s/%s", path, name);
	fd = open(file, O_RDWR);
	works(fd >= 0 && fstat(fd, &st) == 0, NULL);
	for (off_t at = 0; at < st.st_size; at++) {
		char was, is;
		int got;

		works(pread(fd, &was, 1, at) == 1, NULL);
		is = (char)(rng_below(2) ? ~was : was ^ 1 << rng_below(8));
		works(pwrite(fd, &is, 1, at) == 1, NULL);
		unseen += check(path, &err) == 0;
		got = run_batch(path, docs, false, &err);
		refused += got < 0;
		believed += got >= 0 && got != expected;
		works(pwrite(fd, &was, 1, at) == 1, NULL);
	}
	close(fd);
	ok(unseen == 0 && believed == 0 && st.st_size > 0,
	    "%s: %lld bytes changed: a check missed %d, a run used %d and refused %d", name,
	    (long long)st.st_size, unseen, believed, refused);
}

static void test_tampering(enum sh_store store)
{
	char path[300], docs[300], other[300];
	struct sh_error err;
	int expected;

	works(mkdir(folder, 0777) == 0, NULL);
	snprintf(path, sizeof path, "%s/archive", folder);
	snprintf(docs, sizeof docs, "%s/docs", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	make_archive(path, store);
	write_texts(docs, 5, 0, 22, false);
	write_texts(other, 9, 2, 22, true);
	works(run_batch(path, docs, true, &err) == 0, &err);
	expected = run_batch(path, other, false, &err);
	ok(expected == 3, "the changed texts have three matches before the damage (%d)", expected);
	ok(check(path, &err) == 0, "a check of the archive succeeds before the damage");
	tamper(path, "manifest", other, expected);
	tamper(path, "00000000.doc", other, expected);
	tamper(path, "00000000.key", other, expected);
	if (store != SH_STORE_NONE)
		tamper(path, store == SH_STORE_SKETCH ? "00000000.set" : "00000000.txt", other,
		    expected);
	tamper(path, "00000000.sum", other, expected);
	ok(check(path, &err) == 0 && run_batch(path, other, false, &err) == expected,
	    "a check of the restored archive succeeds");
	forget(folder);
}

/* Batches one by one: a document matches when J >= T with a document that stayed, by comparing all;
 * texts are small, so that no match is missed. */
static void test_oracle(void)
{
	enum { DOCS = 600, BATCH = 40, WORDS = 19 };
	static int word[DOCS][WORDS];
	static int n_words[DOCS];
	char path[300], docs[300];
	int wrong = 0, matches = 0;
	bool stayed[DOCS] = { false };
	struct sh_error err;

	works(mkdir(folder, 0777) == 0, NULL);
	snprintf(path, sizeof path, "%s/archive", folder);
	snprintf(docs, sizeof docs, "%s/docs", folder);
	make_archive(path, SH_STORE_SKETCH);
	for (int from = 0; from < DOCS; from += BATCH) {
		FILE *f = fopen(docs, "w");
		int want = 0, got;

		works(f != NULL, NULL);
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
		works(fclose(f) == 0, NULL);
		got = run_batch(path, docs, true, &err);
		works(got >= 0, &err);
		matches += want;
		wrong += got != want;
	}
	ok(wrong == 0 && matches > 50,
	    "%d matches equal a comparison of all pairs; %d batches differ", matches, wrong);
	ok(check(path, &err) == 0, "a check of the archive succeeds");
	forget(folder);
}

/* ---- rare cases ---- */

static char archive[SCRATCH_MAX + 20], first[SCRATCH_MAX + 20], second[SCRATCH_MAX + 20];

static void begin(void)
{
	works(mkdir(folder, 0777) == 0, NULL);
	snprintf(archive, sizeof archive, "%s/archive", folder);
	snprintf(first, sizeof first, "%s/first", folder);
	snprintf(second, sizeof second, "%s/second", folder);
}

static void write_lines(const char *path, const char *lines)
{
	FILE *f = fopen(path, "w");

	works(f != NULL && fputs(lines, f) >= 0 && fclose(f) == 0, NULL);
}

/* Another process removes the lock's file and a third run locks a new one. The documents that it
 * adds stay, and the first run ends without changes. */
static void test_lost_lock(void)
{
	char lock[SCRATCH_MAX + 40], part[SCRATCH_MAX + 40];
	struct sh_error err;
	struct run r;
	int status;

	begin();
	make_archive(archive, SH_STORE_SKETCH);
	write_texts(first, 5, 0, 22, false);
	write_texts(second, 7, 100, 22, false);
	works(start_run(&r, archive, first, true, &err) == 0, &err);
	snprintf(lock, sizeof lock, "%s/lock", archive);
	works(unlink(lock) == 0, NULL);
	works(run_batch(archive, second, true, &err) == 0, &err);
	status = sh_batch_commit(r.batch, &r.archive, &err);
	ok(status < 0 && strstr(err.text, "lock' was removed"), "a lost lock is reported: %s",
	    status < 0 ? err.text : "it is not");
	sh_folder_drop(&r.archive.folder, "00000000.doc");
	snprintf(part, sizeof part, "%s/00000000.doc", archive);
	ok(access(part, F_OK) == 0, "a signal after the lock is lost removes no file");
	end_run(&r);
	ok(check(archive, &err) == 0 && run_batch(archive, second, false, &err) == 7,
	    "the documents of the other run stay");
	ok(run_batch(archive, first, true, &err) == 0 && check(archive, &err) == 0 &&
		run_batch(archive, first, false, &err) == 5,
	    "the run that lost the lock succeeds when repeated");
	forget(folder);
}

/* The last numbers are given out, each once. */
static void test_last_numbers(void)
{
	struct sh_error err = { 0 };

	begin();
	write_texts(first, 3, 0, 22, false);
	write_texts(second, 1, 100, 22, false);
	make_archive_at(archive, SH_STORE_SKETCH, UINT32_MAX - 3, 0);
	ok(run_batch(archive, first, true, &err) == 0,
	    "the last three numbers of documents are given out");
	ok(run_batch(archive, second, true, &err) < 0 && err.code == SH_ERR_RANGE,
	    "one more document is refused: %s", err.text);
	ok(run_batch(archive, first, false, &err) == 3, "all three documents are in the archive");
	forget(archive);
	make_archive_at(archive, SH_STORE_SKETCH, 0, UINT32_MAX - 1);
	ok(run_batch(archive, first, true, &err) == 0, "the last number of segments is given out");
	ok(run_batch(archive, second, true, &err) < 0 && err.code == SH_ERR_RANGE,
	    "one more segment is refused: %s", err.text);
	ok(check(archive, &err) == 0 && run_batch(archive, first, false, &err) == 3,
	    "a check of the full archive succeeds");
	forget(folder);
}

static uint64_t documents(void)
{
	struct sh_archive a;
	struct sh_error err;
	uint64_t n;

	works(sh_archive_open(&a, archive, &err) == 0, &err);
	n = a.manifest.documents;
	sh_archive_close(&a);
	return n;
}

/* Under the key of these archives two ids have one key, and two words; both were found by
 * trying. */
static void test_equal_keys(void)
{
	static const char *const ids[] = { "id354441", "id1883205" };
	const struct sh_key_rule rule = { .key = { 5, 6 } };
	struct sh_error err;
	struct run r;
	int good;

	ok(sh_key_of_id(&rule, sh_slice_str(ids[0])) == sh_key_of_id(&rule, sh_slice_str(ids[1])),
	    "ids '%s' and '%s' have the same key", ids[0], ids[1]);
	begin();
	make_archive(archive, SH_STORE_SKETCH);
	write_lines(first, "id354441\tone two three four\n");
	write_lines(second, "id1883205\tone two three four\n");
	works(run_batch(archive, first, true, &err) == 0, &err);
	works(start_run(&r, archive, second, true, &err) == 0, &err);
	ok(sh_batch_outcome(r.batch, 0)->kind == SH_OUTCOME_MATCHED,
	    "the text with the other id of this key is a match, not the same document");
	end_run(&r);
	forget(archive);
	make_archive(archive, SH_STORE_SKETCH);
	write_lines(first, "id354441\tone two three four\nid1883205\tone two three four\n");
	ok(run_batch(archive, first, true, &err) == 0 && documents() == 2,
	    "two ids with the same key are added in one batch");
	write_lines(
	    first, "w\t1821544x431213288 3938734x2048065358 v16 v17 v18 v19 v20 v21 v22 v23\n");
	works(run_batch(archive, first, true, &err) == 0, &err);
	good = check(archive, &err);
	ok(good == 0, "two features of a document have one key, which stands there once: %s",
	    good < 0 ? err.text : "good");
	forget(folder);
}

static bool is_same(const char *x, const char *y)
{
	char command[2 * (SCRATCH_MAX + 40) + 10];

	snprintf(command, sizeof command, "cmp -s %s %s", x, y);
	return system(command) == 0;
}

/* Sketches and matches are the same when memory holds all features, some of them, or none. */
static void test_kept(void)
{
	static const size_t bytes[] = { 0, 250, SIZE_MAX };
	char set[SCRATCH_MAX + 40], expected[SCRATCH_MAX + 40];
	struct sh_error err;

	begin();
	snprintf(set, sizeof set, "%s/00000000.set", archive);
	snprintf(expected, sizeof expected, "%s/expected", folder);
	write_texts(first, 9, 0, 22, false);
	write_texts(second, 9, 2, 22, true);
	for (size_t i = 0; i < 3; i++) {
		int matched;

		keep_bytes = bytes[i];
		make_archive(archive, SH_STORE_SKETCH);
		works(run_batch(archive, first, true, &err) == 0, &err);
		works(i > 0 || rename(set, expected) == 0, NULL);
		ok(i == 0 || is_same(set, expected), "features in %zu bytes give the same sketches",
		    bytes[i]);
		works(i > 0 || link(expected, set) == 0, NULL);
		matched = run_batch(archive, second, false, &err);
		ok(matched == 7, "features in %zu bytes give the same %d matches", bytes[i],
		    matched);
		forget(archive);
	}
	keep_bytes = 0;
	forget(folder);
}

int main(void)
{
	rng_init(UINT64_C(0xa7c41e));
	scratch(folder, "archive");
	test_oracle();
	test_lost_lock();
	test_last_numbers();
	test_equal_keys();
	test_kept();
	test_tampering(SH_STORE_SKETCH);
	test_tampering(SH_STORE_DOCUMENTS);
	return done_testing();
}
