/* SPDX-License-Identifier: MIT */
/* yanyiwu/simhash and cppjieba: t/vectors/yanyiwu_*.tsv, jenkins_lookup3_64.tsv, cppjieba_cut.tsv.
 *
 * The texts need cppjieba's dictionaries, in the directory SIMHASH_CPPJIEBA with stop_words.utf8
 * and idf.utf8 beside them; t/cppjieba fetches them. */
#include "fp/accumulator.h"
#include "published/cppjieba.h"
#include "published/published.h"
#include "published/rules.h"
#include "vectors.h"

static void test_jenkins(void)
{
	struct vec_table t = vec_load("jenkins_lookup3_64.tsv");

	for (size_t i = 0; i < t.n; i++) {
		size_t n;
		char *bytes = vec_unhex(t.row[i].f[0], &n);

		ok(sh_jenkins(sh_slice(bytes, n), strtoull(t.row[i].f[2], NULL, 16)) ==
			strtoull(t.row[i].f[3], NULL, 10),
		    "jenkins of %zu bytes, seed %s", n, t.row[i].f[2]);
	}
}

static const struct sh_fingerprint_opts *options(void)
{
	static struct sh_fingerprint_opts opts;

	opts = (struct sh_fingerprint_opts){
		.bits = 64, .scheme = sh_scheme_find("tfidf"), .real = true
	};
	opts.hash = sh_hash_find("jenkins");
	return &opts;
}

static void test_predefined(void)
{
	struct vec_table t = vec_load("yanyiwu_predefined_keywords.tsv");
	struct sh_accumulator a;
	struct sh_fingerprint fp;
	struct sh_error err;
	char text[32];
	int64_t weight;

	if (sh_accumulator_init(&a, options(), &err) < 0)
		return;
	for (size_t i = 0; i < t.n; i++) {
		int last = -1;

		sscanf(t.row[i].f[0], "keywords fake_0..fake_%d", &last);
		sh_accumulator_clear(&a);
		for (int j = 0; j <= last; j++) {
			snprintf(text, sizeof text, "fake_%d", j);
			/* 1/3 is no decimal: in the scale of records, which loses no bit of it. */
			weight = last == 2 ? (int64_t)(1.0 / 3 * 0x1p50)
					   : (1000000 + last / 2) / (last + 1);
			if (sh_accumulator_add(&a, sh_slice_str(text), weight, &err) < 0)
				printf("# %s\n", err.text);
		}
		sh_accumulator_finish(&a, &fp);
		ok(fp.w[0] == strtoull(t.row[i].f[1], NULL, 10), "%s: %s", t.row[i].f[0],
		    t.row[i].f[1]);
	}
	sh_accumulator_free(&a);
}

/* ---- with the dictionaries ---- */

static unsigned wanted_top;

static bool has_top(const struct vec_row *row)
{
	return strtoul(row->f[1], NULL, 10) == wanted_top;
}

static void set_command(char *command, size_t size, const char *dir, unsigned top, const char *last)
{
	snprintf(command, size,
	    "shtok -p yanyiwu --stop %s/stop_words.utf8 | shweight -p yanyiwu --idf %s/idf.utf8 "
	    "-t %u | %s",
	    dir, dir, top, last);
}

static void test_texts(const char *dir)
{
	struct vec_table t = vec_load("yanyiwu_simhash.tsv");
	char command[2048];
	size_t covered = 0, all = 0;

	for (wanted_top = 1; wanted_top <= 1000; wanted_top++) {
		for (size_t i = covered = 0; i < t.n; i++)
			covered += has_top(&t.row[i]);
		if (covered == 0)
			continue;
		all += covered;
		set_command(
		    command, sizeof command, dir, wanted_top, "shfp -p yanyiwu 2>/dev/null");
		vec_check("yanyiwu_simhash", &t, 0, 3, command, has_top);
	}
	ok(all == t.n, "every row of yanyiwu_simhash.tsv is tested");
}

static void test_published(const char *dir)
{
	struct vec_table t = vec_load("yanyiwu_published.tsv");
	const char *demo = "", *text, *want;
	char command[2048], name[32], *got[1];

	for (size_t i = 0; i < t.n; i++) {
		text = t.row[i].f[1];
		want = t.row[i].f[2];
		if (strncmp(t.row[i].f[0], "README demo keywords", 20) == 0)
			demo = text;
		if (strncmp(t.row[i].f[0], "README demo simhash", 19) == 0)
			text = demo;
		else if (strncmp(t.row[i].f[0], "simhash top3", 12) != 0)
			continue;
		FILE *f = vec_input(name);

		fprintf(f, "0\t%s\n", text);
		fclose(f);
		set_command(
		    command, sizeof command, dir, text == demo ? 5 : 3, "shfp -p yanyiwu -x dec");
		got[0] = NULL;
		vec_run(command, name, got, 1);
		unlink(name);
		ok(got[0] && strcmp(got[0], want) == 0, "%s: %s", t.row[i].f[0], want);
	}
}

static void test_cut(const char *dir)
{
	static const char *const modes[] = { "mix_hmm", "mix_nohmm", "query", "full", "hmm" };
	struct sh_error err;
	struct sh_cppjieba *d = sh_cppjieba_open(dir, &err);
	struct sh_cppsegmenter *s = d ? sh_cppsegmenter_new(d, &err) : NULL;
	char *line = NULL;
	size_t cap = 0, row = 1;
	ssize_t len;
	FILE *f = vec_need(fopen(vec_path("cppjieba_cut.tsv"), "r"));

	ok(s != NULL, "cppjieba's dictionary opens");
	/* More fields than a vec_row has. */
	while (s && (len = getline(&line, &cap, f)) > 0) {
		char *rest = line, *text, *word;
		const struct sh_slice *words;
		size_t n, m, i = 0;
		unsigned mode;
		bool good;

		row++;
		line[strcspn(line, "\n")] = '\0';
		word = strsep(&rest, "	");
		for (mode = 0; mode < 5 && strcmp(word, modes[mode]) != 0;)
			mode++;
		if (mode == 5)
			continue;
		text = vec_bytes(strsep(&rest, "\t"), &n);
		strsep(&rest, "\t");
		good = sh_cppsegment(s, (enum sh_cppjieba_mode)mode, sh_slice(text, n), &words, &m,
			   &err) == 0;
		while (good && rest && (word = strsep(&rest, "\t"))) {
			char *bytes = vec_bytes(word, &n);

			good = i < m && sh_slice_eq(words[i++], sh_slice(bytes, n));
		}
		ok(good && i == m, "cppjieba_cut row %zu: %s", row - 1, modes[mode]);
	}
	fclose(f);
	free(line);
	sh_cppsegmenter_delete(s);
	sh_cppjieba_delete(d);
}

int main(void)
{
	const char *dir = getenv("SIMHASH_CPPJIEBA");

	test_jenkins();
	test_predefined();
	if (dir && *dir) {
		test_cut(dir);
		test_published(dir);
		test_texts(dir);
	} else {
		ok(true, "texts # SKIP no dictionaries of cppjieba: t/cppjieba found none");
	}
	return done_testing();
}
