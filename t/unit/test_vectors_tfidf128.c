/* SPDX-License-Identifier: MIT */
/* The TF-IDF scheme with 128 words: t/vectors/tfidf*.tsv. Stems: stem_english.tsv.
 *
 * The scheme's weight is tf/N * ln(D/df); here it is tf * ln(D/df), in millionths, of which a
 * fingerprint and an order of words are the same. */
#include "text/stem.h"
#include "vectors.h"
#include "weight/weight.h"

static bool agrees(const char *tf, const char *n, const char *docs, const char *df, double want)
{
	struct sh_term t = {
		.tf = strtoull(tf, NULL, 10),
		.tokens = strtoull(n, NULL, 10),
		.docs = strtoull(docs, NULL, 10),
		.df = strtoull(df, NULL, 10),
	};
	struct sh_error err;
	int64_t weight;
	double off;

	/* An absent word has no weight. */
	if (t.tf == 0)
		return want == 0 && sh_scheme_find("tfidf")->weigh(&t, &weight, &err) < 0;
	if (sh_scheme_find("tfidf")->weigh(&t, &weight, &err) < 0)
		return false;
	off = (double)weight - want * (double)t.tokens * 1e6;
	return off < 0.51 && off > -0.51;
}

static void test_weights(void)
{
	struct vec_table f = vec_load("tfidf_formula_001.tsv"),
			 t = vec_load("tfidf128_weights.tsv");

	for (size_t i = 0; i < f.n; i++)
		ok(agrees(f.row[i].f[0], f.row[i].f[1], f.row[i].f[2], f.row[i].f[3],
		       strtod(f.row[i].f[5], NULL)),
		    "formula row %zu", i + 2);
	for (size_t i = 0; i < t.n; i++)
		ok(agrees(t.row[i].f[3], t.row[i].f[4], t.row[i].f[5], t.row[i].f[6],
		       strtod(t.row[i].f[8], NULL)),
		    "%s %s: weight %s", t.row[i].f[0], t.row[i].f[2], t.row[i].f[7]);
}

/* An earlier word of a ranking never weighs less; of equal weights the bytewise lower word comes
 * first. */
static void test_ranks(void)
{
	struct vec_table t = vec_load("tfidf128_weights.tsv");
	const struct sh_scheme *tfidf = sh_scheme_find("tfidf");
	int64_t before = 0;
	struct sh_error err;

	for (size_t i = 0; i < t.n; i++) {
		char **f = t.row[i].f;
		struct sh_term term = { strtoull(f[3], NULL, 10), strtoull(f[4], NULL, 10),
			strtoull(f[6], NULL, 10), strtoull(f[5], NULL, 10), 0 };
		bool same = i > 0 && strcmp(f[0], t.row[i - 1].f[0]) == 0;
		int64_t weight = 0;

		tfidf->weigh(&term, &weight, &err);
		ok(!same || weight < before ||
			(weight == before && (strcmp(f[8], t.row[i - 1].f[8]) != 0 ||
						 strcmp(f[2], t.row[i - 1].f[2]) > 0)),
		    "%s rank %s: %s", f[0], f[1], f[2]);
		before = weight;
	}
}

/* Three documents have their texts: shtok gives the words that the rows count. */
static void test_counts(void)
{
	struct vec_table t = vec_load("tfidf128_weights.tsv"),
			 texts = vec_load("jieba_cut_long.tsv");
	char name[32], command[256], *line = NULL, **got = vec_need(calloc(t.n, sizeof *got));
	size_t cap = 0;
	FILE *f = vec_input(name);

	for (size_t i = 0; i < texts.n; i++)
		if (strcmp(texts.row[i].f[1], "cut") == 0)
			fprintf(f, "%s\t%s\n", texts.row[i].f[0], texts.row[i].f[3]);
	fclose(f);
	snprintf(command, sizeof command,
	    "\"$SHBIN/shtok\" -p tfidf128 --keep-words han %s | LC_ALL=C sort | LC_ALL=C uniq -c",
	    name);
	fflush(stdout);
	f = vec_need(popen(command, "r"));
	while (getline(&line, &cap, f) > 0) {
		char *count = strtok(line, " "), *doc = strtok(NULL, "\t"),
		     *word = strtok(NULL, "\t");

		for (size_t i = 0; word && i < t.n; i++)
			if (strcmp(t.row[i].f[0], doc) == 0 && strcmp(t.row[i].f[2], word) == 0)
				got[i] = vec_need(strdup(count));
	}
	ok(pclose(f) == 0, "words of the texts");
	unlink(name);
	free(line);
	for (size_t i = 0; i < t.n; i++)
		if (t.row[i].f[0][1] == '\0')
			ok(got[i] && strcmp(got[i], t.row[i].f[3]) == 0,
			    "%s: %s stands there %s times", t.row[i].f[0], t.row[i].f[2],
			    t.row[i].f[3]);
}

/* For the texts that are there: the words of the rows, weighed by the frequencies that these give,
 * come in the order of the ranks. */
static void test_order(void)
{
	struct vec_table t = vec_load("tfidf128_weights.tsv"),
			 texts = vec_load("jieba_cut_long.tsv");
	char name[32], table[32], command[512], *line = NULL;
	size_t cap = 0, at = 0;
	FILE *f = vec_input(name), *df = vec_input(table);

	for (size_t i = 0; i < texts.n; i++)
		if (strcmp(texts.row[i].f[1], "cut") == 0)
			fprintf(f, "%s\t%s\n", texts.row[i].f[0], texts.row[i].f[3]);
	fclose(f);
	fprintf(df, "\t%s\n", t.row[0].f[5]);
	for (size_t i = 0; i < t.n; i++)
		fprintf(df, "%s\t%s\n", t.row[i].f[2], t.row[i].f[6]);
	fclose(df);
	snprintf(command, sizeof command,
	    "PATH=\"$SHBIN:$PATH\"; LC_ALL=C sort -u -o %s %s; "
	    "shtok -p tfidf128 --keep-words han %s | "
	    "shweight -p tfidf128 -d %s --absent drop",
	    table, table, name, table);
	fflush(stdout);
	f = vec_need(popen(command, "r"));
	while (getline(&line, &cap, f) > 0) {
		char *doc = strtok(line, "\t"), *word = strtok(NULL, "\t");

		/* Rows of the other documents' words may be among them. */
		while (at < t.n && strlen(t.row[at].f[0]) > 1)
			at++;
		if (at < t.n && strcmp(t.row[at].f[0], doc) == 0 &&
		    strcmp(t.row[at].f[2], word) == 0)
			at++;
	}
	while (at < t.n && strlen(t.row[at].f[0]) > 1)
		at++;
	ok(pclose(f) == 0 && at == t.n, "words in the order of their ranks, up to row %zu", at + 2);
	unlink(name);
	unlink(table);
	free(line);
}

static void test_stems(void)
{
	struct vec_table t = vec_load("stem_english.tsv");
	static const struct {
		const char *algorithm;
		unsigned column;
	} rows[] = { { "porter", 1 }, { "porter", 4 }, { "english", 5 } };
	char **got = vec_need(calloc(t.n + 1, sizeof *got)), name[32], command[64];
	struct sh_error err;

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct sh_stemmer *s = sh_stemmer_new(rows[r].algorithm, &err);

		for (size_t i = 0; s && i < t.n; i++) {
			struct sh_slice word = sh_slice_str(t.row[i].f[0]);
			const char *want = t.row[i].f[rows[r].column];

			ok(sh_stem(s, &word) && sh_slice_eq(word, sh_slice_str(want)),
			    "%s stem of %s: %s", rows[r].algorithm, t.row[i].f[0], want);
		}
		sh_stemmer_delete(s);
	}
	for (size_t r = 1; r < 3; r++) {
		FILE *f = vec_input(name);

		for (size_t i = 0; i < t.n; i++)
			fprintf(f, "%zu\t%s\n", i, t.row[i].f[0]);
		fclose(f);
		snprintf(command, sizeof command, "shtok --stem %s | awk '{ print $2 \"\\t\" $1 }'",
		    rows[r].algorithm);
		vec_run(command, name, got, t.n);
		unlink(name);
		for (size_t i = 0; i < t.n; i++)
			ok(got[i] && strcmp(got[i], t.row[i].f[rows[r].column]) == 0,
			    "shtok --stem %s: %s", rows[r].algorithm, t.row[i].f[0]);
	}
	ok(!sh_stemmer_new("klingon", &err) && strstr(err.text, "english"),
	    "an unknown language: %s", err.text);
}

int main(void)
{
	test_weights();
	test_ranks();
	if (system("\"$SHBIN/shtok\" --segment jieba </dev/null >/dev/null 2>&1") == 0)
		test_counts(), test_order();
	else
		ok(true, "counts # SKIP no dictionary of jieba");
	test_stems();
	return done_testing();
}
