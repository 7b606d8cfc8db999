/* SPDX-License-Identifier: MIT */
/* jieba's keywords, extract_tags(): t/vectors/jieba_extract_tags.tsv, by shtok | shweight.
 *
 * Needs jieba's idf.txt, which lies with its dictionary: JIEBA_DATA, or where Debian has it. */
#include "vectors.h"

static const char *data_dir(void)
{
	const char *dir = getenv("JIEBA_DATA");

	return dir ? dir : "/usr/lib/python3/dist-packages/jieba";
}

static bool ready(void)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/analyse/idf.txt", data_dir());
	return access(path, R_OK) == 0 &&
	       system("\"$SHBIN/shtok\" --segment jieba </dev/null 2>/dev/null") == 0;
}

static const struct vec_table *text_tables(void)
{
	static struct vec_table t[4];

	t[0] = vec_load("jieba_cut.tsv");
	t[1] = vec_load("jieba_cut_long.tsv");
	t[2] = vec_load("angelo_published.tsv");
	t[3] = vec_load("angelo_simhash.tsv");
	return t;
}

/* Returns the text of this id, or NULL: some texts are not among the vectors. */
static const char *text_of(const struct vec_table *tables, const char *id)
{
	static const unsigned column[] = { 3, 3, 1, 1 };

	for (unsigned i = 0; i < 4; i++)
		for (size_t j = 0; j < tables[i].n; j++)
			if (strcmp(tables[i].row[j].f[0], id) == 0 &&
			    strcmp(tables[i].row[j].f[column[i]], "TEXT") != 0)
				return tables[i].row[j].f[column[i]];
	return NULL;
}

/* The keyword of each row of `top`, as got[row]. Ids of the documents are rows, too: of the first
 * row of each text. */
static void run(
    const struct vec_table *t, const struct vec_table *texts, const char *top, char **got)
{
	char name[32], shell[8192], *line = NULL;
	size_t cap = 0, rank = 0, from = 0;
	FILE *f = vec_input(name);

	for (size_t i = 0; i < t->n; i++) {
		const char *text = text_of(texts, t->row[i].f[0]);

		if (strcmp(t->row[i].f[1], top) != 0 || !text ||
		    (i > 0 && strcmp(t->row[i - 1].f[0], t->row[i].f[0]) == 0 &&
			strcmp(t->row[i - 1].f[1], top) == 0))
			continue;
		fprintf(f, "%zu\t", i);
		vec_put_text(f, text);
		putc('\n', f);
	}
	fclose(f);
	snprintf(shell, sizeof shell,
	    "PATH=\"$SHBIN:$PATH\"; export PATH; shtok -p jieba-tags %s | shweight -p jieba-tags "
	    "--idf %s/analyse/idf.txt -t %s",
	    name, data_dir(), top);
	fflush(stdout);
	f = vec_need(popen(shell, "r"));
	while (getline(&line, &cap, f) > 0) {
		size_t at = strtoul(line, NULL, 10);
		char *word = strchr(line, '\t') + 1;

		word[strcspn(word, "\t")] = '\0';
		rank = at == from ? rank : 0;
		from = at;
		for (size_t i = at; i < t->n && strcmp(t->row[i].f[0], t->row[at].f[0]) == 0; i++)
			if (strcmp(t->row[i].f[1], top) == 0 &&
			    strtoul(t->row[i].f[2], NULL, 10) == rank)
				got[i] = vec_need(strdup(word));
		rank++;
	}
	if (pclose(f) != 0)
		printf("# failed: %s\n", shell);
	free(line);
	unlink(name);
}

int main(void)
{
	static const char *const tops[] = { "5", "20", "128" };
	struct vec_table t;
	const struct vec_table *texts;
	char **got;
	size_t left_out = 0;

	if (!ready()) {
		ok(true, "keywords # SKIP no dictionary and idf.txt of jieba");
		return done_testing();
	}
	t = vec_load("jieba_extract_tags.tsv");
	texts = text_tables();
	got = vec_need(calloc(t.n + 1, sizeof *got));
	for (unsigned i = 0; i < 3; i++)
		run(&t, texts, tops[i], got);
	for (size_t i = 0; i < t.n; i++) {
		if (!text_of(texts, t.row[i].f[0])) {
			left_out++;
			continue;
		}
		ok(got[i] && strcmp(got[i], t.row[i].f[3]) == 0, "%s, top %s, rank %s: %s",
		    t.row[i].f[0], t.row[i].f[1], t.row[i].f[2], t.row[i].f[3]);
		if (!got[i] || strcmp(got[i], t.row[i].f[3]) != 0)
			printf("# got %s\n", got[i] ? got[i] : "nothing");
	}
	ok(left_out < t.n, "%zu rows of texts that are not among the vectors were skipped",
	    left_out);
	return done_testing();
}
