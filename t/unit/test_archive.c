/* Whole archives: matches are those of a look at all pairs, and a changed byte is told. */
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
	works(sh_archive_create(path, &m, 0, NULL, &err) == 0, &err);
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

	works(status == 0 && sh_corpus_open(&corpus, docs, NULL, err) == 0, err);
	works(sh_corpus_scan(&corpus, &lines, NULL, NULL, err) == 0, err);
	status = sh_archive_open(&a, path, err);
	if (status == 0 && sh_archive_lock(&a, add, 0, err) == 0) {
		o = options(&corpus, &a.manifest);
		b = sh_batch_new(&o, err);
		works(b != NULL && sh_batch_prepare(b, err) == 0, err);
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
	works(fd >= 0 && fstat(fd, &st) == 0, NULL);
	for (off_t at = 0; at < st.st_size; at++) {
		char was, is;
		int got;

		works(pread(fd, &was, 1, at) == 1, NULL);
		is = (char)(rng_below(2) ? ~was : was ^ 1 << rng_below(8));
		works(pwrite(fd, &is, 1, at) == 1, NULL);
		unseen += check(path, &err) == 0;
		got = run_batch(path, docs, false, &err);
		told += got < 0;
		believed += got >= 0 && got != expected;
		works(pwrite(fd, &was, 1, at) == 1, NULL);
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

	works(mkdir(folder, 0777) == 0, NULL);
	snprintf(path, sizeof path, "%s/archive", folder);
	snprintf(docs, sizeof docs, "%s/docs", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	make_archive(path, store);
	write_texts(docs, 5, 0, 22, false);
	write_texts(other, 9, 2, 22, true);
	works(run_batch(path, docs, true, &err) == 0, &err);
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
	ok(wrong == 0 && matches > 50, "%d matches, as by looking at all; %d batches differ",
	    matches, wrong);
	ok(check(path, &err) == 0, "a good archive");
	forget(folder);
}

int main(void)
{
	rng_init(UINT64_C(0xa7c41e));
	scratch(folder, "archive");
	test_oracle();
	test_tampering(SH_STORE_SKETCH);
	test_tampering(SH_STORE_DOCUMENTS);
	return done_testing();
}
