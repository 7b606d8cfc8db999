/* SPDX-License-Identifier: MIT */
/* Any bytes as files for lookups: tables of document frequencies and of idf, and documents of a
 * corpus. Any content is accepted or refused. A sum of tables equals the sums of their lookups. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "stream/corpus.h"
#include "weight/df.h"
#include "weight/weight.h"

static struct sh_error err;

struct sums {
	const struct sh_df_table *table; /* the table that was summed with itself, or NULL */
	uint64_t lines;
	struct sh_buf last;
};

static int check_sum(void *arg, struct sh_slice feature, uint64_t df, struct sh_error *e)
{
	struct sums *s = arg;

	check(s->lines == 0 || sh_slice_cmp(sh_buf_slice(&s->last), feature) < 0);
	s->last.n = 0;
	check(sh_buf_add(&s->last, feature.p, feature.n, e) == 0);
	if (s->table && feature.n == 0)
		check(df == 2 * s->table->documents);
	else if (s->table)
		check(df == 2 * sh_df_lookup(s->table, feature));
	s->lines++;
	return 0;
}

static void frequencies(const char *path, bool trailer)
{
	char *twice[2] = { (char *)(uintptr_t)path, (char *)(uintptr_t)path };
	struct sh_df_table t;
	struct sums s = { 0 };
	uint64_t words;

	if (sh_df_table_load(&t, path, trailer, &err) == 0)
		s.table = &t;
	/* In an unsorted table, the empty feature may occur twice. */
	if (sh_df_merge(twice, 2, trailer, check_sum, NULL, &s, &words, &err) == 0 && s.table)
		check(s.lines == t.features.n + 1u || t.features.n == 0);
	sh_df_table_free(&t);
	sh_buf_free(&s.last);
}

static void inverse(const char *path)
{
	struct sh_idf_table t;

	if (sh_idf_table_load(&t, path, &err) == 0)
		for (uint32_t i = 0; i < t.features.n; i++) {
			struct sh_slice key = sh_hmap_key(&t.features, i);

			check(sh_idf_lookup(&t, key, -1) >= 0);
			check(sh_idf_real(&t, key, -1) >= 0);
		}
	sh_idf_table_free(&t);
}

static int pass_over(void *arg, struct sh_slice lines, uint64_t n, struct sh_error *e)
{
	(void)arg, (void)e;
	check(n && lines.n >= n && lines.p[lines.n - 1] == '\n');
	return 0;
}

/* Checks that a lookup of each id finds the first document with this id. */
static void corpus(const char *path, const struct sh_document_form *form)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc, other;
	struct sh_corpus c;
	uint64_t lines = 0;

	check(sh_corpus_init(&c, form, &err) == 0);
	if (sh_corpus_open(&c, &(char *){ (char *)(uintptr_t)path }, 1, NULL, &err) == 0 &&
	    sh_corpus_scan(&c, &lines, pass_over, NULL, &err) == 0 &&
	    sh_corpus_index(&c, &err) == 0)
		for (uint32_t i = 0; i < c.n; i++) {
			struct sh_document_room mine = { 0 };
			uint32_t found = SH_CORPUS_NONE;

			check(sh_corpus_document(&c, i, &mine, &doc, &err) == 0);
			do {
				found = sh_corpus_find(&c, doc.id, found);
				check(found != SH_CORPUS_NONE);
				check(sh_corpus_document(&c, found, &room, &other, &err) == 0);
			} while (!sh_slice_eq(other.id, doc.id));
			check(found == i);
			sh_document_room_free(&mine);
		}
	sh_corpus_free(&c);
	sh_document_room_free(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct sh_document_form form = { 0 };
	char path[64];

	if (fd < 0)
		fd = memfd_create("table", 0);
	check(fd >= 0 && ftruncate(fd, 0) == 0);
	check(pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	frequencies(path, false);
	frequencies(path, true);
	inverse(path);
	corpus(path, &form);
	form.json = true;
	corpus(path, &form);
	form.line_ids = true;
	corpus(path, &form);
	return 0;
}
