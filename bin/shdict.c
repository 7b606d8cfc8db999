/* SPDX-License-Identifier: MIT */
/* shdict: compiles jieba's data files into the file that --segment jieba maps. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "io/walk.h"
#include "segment/jieba.h"
#include "segment/jieba_compile.h"

enum { DICT = CLI_OWN, WORDS, CHECK };

static const struct cli_option options[] = {
	{ WORDS, "words", "FILE", "main dictionary instead of DIRECTORY's dict.txt" },
	{ DICT, "dict", "FILE", "add the words of a user dictionary; may be repeated" },
	{ CHECK, "check", NULL, "verify the compiled FILE and describe it" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdict",
	.synopsis = "DIRECTORY | --check FILE",
	.purpose = "Compile the dictionary and model in jieba's package DIRECTORY into one file.",
	.options = { options },
	.text = true,
};

/* Returns the contents of DIRECTORY/name. */
static struct sh_slice read_data(struct cli *c, const char *directory, const char *name)
{
	struct sh_buf text = { 0 };
	struct sh_error err;
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	cli_read_file(c, path, &text);
	free(path);
	return sh_buf_slice(&text);
}

static void free_part(struct sh_slice part)
{
	free((void *)(uintptr_t)part.p);
}

static void compile(struct cli *c, const char *directory, const char *words, struct sh_buf *image)
{
	struct sh_buf main_words = { 0 };
	struct sh_jieba_source src;
	struct sh_error err;

	if (words) {
		cli_read_file(c, words, &main_words);
		src.dict = sh_buf_slice(&main_words);
	} else {
		if (!sh_is_folder(directory))
			cli_usage(c,
			    "'%s' is not a folder: expected the folder of jieba's package, which "
			    "has dict.txt",
			    directory);
		src.dict = read_data(c, directory, "dict.txt");
	}
	src.start = read_data(c, directory, "finalseg/prob_start.py");
	src.trans = read_data(c, directory, "finalseg/prob_trans.py");
	src.emit = read_data(c, directory, "finalseg/prob_emit.py");
	if (sh_jieba_compile(&src, image, &err) < 0) {
		if (err.line)
			err.file = words ? words : "dict.txt";
		cli_die(c, &err);
	}
	free_part(src.dict);
	free_part(src.start);
	free_part(src.trans);
	free_part(src.emit);
}

/* Adds the words of user dictionaries to the image, in the order of the options. */
static void add_words(struct cli *c, const struct cli_files *files, struct sh_buf *image)
{
	struct sh_buf whole = { 0 };
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open_image(sh_buf_slice(image), &err);

	if (!j)
		cli_die(c, &err);
	for (size_t i = 0; i < files->n; i++) {
		struct sh_buf text = { 0 };

		cli_read_file(c, files->name[i], &text);
		if (sh_jieba_add_user(j, sh_buf_slice(&text), &err) < 0) {
			err.file = files->name[i];
			cli_die(c, &err);
		}
		sh_buf_free(&text);
	}
	if (sh_jieba_save(j, &whole, &err) < 0)
		cli_die(c, &err);
	sh_jieba_delete(j);
	sh_buf_free(image);
	*image = whole;
}

/* Must be called before cli_open(): input from a pipe is copied to a temporary file. */
static struct sh_jieba *open_compiled(struct cli *c, const char *path)
{
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open(path, &err);

	if (!j)
		cli_die(c, &err);
	return j;
}

static void check(struct cli *c, const char *path, struct sh_jieba *j)
{
	struct sh_error err;
	uint32_t words = 0;

	if (sh_jieba_check(j, &err) < 0) {
		err.file = path;
		cli_die(c, &err);
	}
	for (uint32_t i = 0; i < j->h.n_nodes; i++)
		words += (j->freq[i] & ~SH_FREQ_SPLIT) != 0;
	cli_print(c, "%u word%s, total frequency %llu, longest word %u character%s\n", words,
	    CLI_PLURAL(words), (unsigned long long)j->h.total, j->h.max_len,
	    CLI_PLURAL(j->h.max_len));
	sh_jieba_delete(j);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct sh_buf image = { 0 };
	struct sh_jieba *compiled = NULL;
	struct cli_files dicts = { 0 };
	const char *words = NULL;
	bool checking = false;
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1) {
		if (opt == WORDS)
			words = cli_reads(&c);
		else if (opt == DICT)
			cli_reads_more(&c, &dicts);
		else
			checking = true;
	}
	if (c.n_operands != 1)
		cli_usage(&c, "expected one operand: %s",
		    checking ? "a compiled file" : "jieba's directory, which has dict.txt");
	if (checking && (words || dicts.n))
		cli_usage(&c, "--check cannot be used with --words or --dict");
	if (checking)
		compiled = open_compiled(&c, c.operands[0]);
	cli_open(&c);
	if (checking) {
		check(&c, c.operands[0], compiled);
	} else {
		compile(&c, c.operands[0], words, &image);
		if (dicts.n)
			add_words(&c, &dicts, &image);
		cli_write(&c, image.p, image.n);
	}
	sh_buf_free(&image);
	cli_files_free(&dicts);
	return cli_finish(&c);
}
