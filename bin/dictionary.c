/* SPDX-License-Identifier: MIT */
#include "dictionary.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const places[] = { "jieba.dict", "../share/simhash-utils/jieba.dict" };

/* Finds jieba.dict near the program. Returns false when no known place has it. */
static bool find(char path[PATH_MAX + 64])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n <= 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(path, PATH_MAX + 64, "%s%s", self, places[i]);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* Returns the value of an environment variable; NULL when it is unset or empty. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

bool dictionary_jieba_is_there(void)
{
	char path[PATH_MAX + 64];
	const char *name = environment("SIMHASH_JIEBA");

	return name ? access(name, R_OK) == 0 : find(path);
}

bool dictionary_cppjieba_is_there(const char *directory)
{
	if (!directory)
		directory = environment("SIMHASH_CPPJIEBA");
	return directory && access(directory, R_OK) == 0;
}

static void add_words(struct cli *c, struct sh_jieba *j, const char *name, uint64_t *sum)
{
	struct sh_buf text = { 0 };
	struct sh_error err;

	cli_read_file(c, name, &text);
	*sum = cli_sum(*sum, &text);
	if (sh_jieba_add_user(j, sh_buf_slice(&text), &err) < 0) {
		err.file = name;
		cli_die(c, &err);
	}
	sh_buf_free(&text);
}

struct sh_jieba *dictionary_open(struct cli *c, const struct cli_files *words, uint64_t *sum)
{
	char path[PATH_MAX + 64];
	const char *name = environment("SIMHASH_JIEBA");
	struct sh_jieba *j;
	struct sh_error err;

	if (!name && !find(path))
		cli_usage(c, "the dictionary jieba.dict is missing: run `make deps` and `make`, or "
			     "set SIMHASH_JIEBA=FILE");
	j = sh_jieba_open(name ? name : path, &err);
	if (!j)
		cli_die(c, &err);
	for (size_t i = 0; i < words->n; i++)
		add_words(c, j, words->name[i], sum);
	return j;
}

struct sh_cppjieba *dictionary_open_cppjieba(struct cli *c, const char *directory)
{
	struct sh_cppjieba *d;
	struct sh_error err;

	if (!directory)
		directory = environment("SIMHASH_CPPJIEBA");
	if (!directory)
		cli_usage(c,
		    "no dictionary of cppjieba: give --dict DIR or set SIMHASH_CPPJIEBA=DIR, a "
		    "folder with jieba.dict.utf8 and hmm_model.utf8");
	d = sh_cppjieba_open(directory, &err);
	if (!d)
		cli_die(c, &err);
	return d;
}
