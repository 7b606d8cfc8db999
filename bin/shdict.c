/* SPDX-License-Identifier: MIT */
/* shdict: compiles jieba's data files into the file that --segment jieba maps. */
#include <stdio.h>
#include <stdlib.h>

#include "docopts.h"
#include "io/walk.h"
#include "segment/jieba.h"
#include "segment/jieba_compile.h"

enum { DICT = CLI_OWN, WORDS, CHECK };

static const struct cli_option options[] = {
	{ WORDS, "words", "FILE", "main dictionary instead of DIRECTORY's dict.txt", NULL,
	    CLI_READS },
	{ DICT, "dict", "FILE", "add the words of a user dictionary; may be repeated", NULL,
	    CLI_READS },
	{ CHECK, "check", NULL, "verify the compiled FILE and describe it" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdict",
	.synopsis = "DIRECTORY | --check FILE",
	.purpose = "Compile the dictionary and model in jieba's package DIRECTORY into one file.",
	.no_documents = true,
	.options = { options },
};

/* Reads a file of the package, or `words` in its place when it is not NULL. */
static struct sh_slice read_data(struct cli *c, const char *name, const char *words)
{
	struct sh_buf text = { 0 };
	struct sh_error err;
	char *path;

	if (asprintf(&path, "%s/%s", c->operands[0], name) < 0) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	cli_read_file(c, words ? words : path, &text);
	free(path);
	return sh_buf_slice(&text);
}

static void compile(struct cli *c, const char *words, struct sh_buf *image)
{
	struct sh_jieba_source src;
	struct sh_error err;

	if (!words && !sh_is_folder(c->operands[0]))
		cli_usage(c,
		    "'%s' is not a folder: expected the folder of jieba's package, which has "
		    "dict.txt",
		    c->operands[0]);
	src.dict = read_data(c, "dict.txt", words);
	src.start = read_data(c, "finalseg/prob_start.py", NULL);
	src.trans = read_data(c, "finalseg/prob_trans.py", NULL);
	src.emit = read_data(c, "finalseg/prob_emit.py", NULL);
	if (sh_jieba_compile(&src, image, &err) < 0) {
		if (err.line)
			err.file = words ? words : "dict.txt";
		cli_die(c, &err);
	}
	free((void *)(uintptr_t)src.dict.p);
	free((void *)(uintptr_t)src.start.p);
	free((void *)(uintptr_t)src.trans.p);
	free((void *)(uintptr_t)src.emit.p);
}

/* Adds the words of user dictionaries to the image, in the order of the options. */
static void add_words(struct cli *c, const struct cli_files *files, struct sh_buf *image)
{
	struct sh_buf whole = { 0 };
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open_image(sh_buf_slice(image), &err);
	uint64_t unused = 0;

	if (!j)
		cli_die(c, &err);
	docopts_add_words(c, files, j, &unused);
	if (sh_jieba_save(j, &whole, &err) < 0)
		cli_die(c, &err);
	sh_jieba_delete(j);
	sh_buf_free(image);
	*image = whole;
}

static void check(struct cli *c, struct sh_jieba *j)
{
	struct sh_error err;
	uint32_t words = 0;

	if (sh_jieba_check(j, &err) < 0) {
		err.file = c->operands[0];
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
	struct cli_files dicts;
	const char *words;
	struct sh_error err;

	cli_start(&c, &program, argc, argv);
	words = opt_text(&c, WORDS);
	dicts = opt_all(&c, DICT);
	if (c.n_operands != 1)
		cli_usage(&c, "expected one operand: %s",
		    cli_given(&c, CHECK) ? "a compiled file"
					 : "jieba's directory, which has dict.txt");
	if (cli_given(&c, CHECK) && (words || dicts.n))
		cli_usage(&c, "--check cannot be used with --words or --dict");
	/* Before cli_open(): input from a pipe is copied to a temporary file. */
	if (cli_given(&c, CHECK) && !(compiled = sh_jieba_open(c.operands[0], &err)))
		cli_die(&c, &err);
	c.trailer_out = false;
	cli_open(&c);
	if (compiled) {
		check(&c, compiled);
	} else {
		compile(&c, words, &image);
		if (dicts.n)
			add_words(&c, &dicts, &image);
		cli_write(&c, image.p, image.n);
	}
	sh_buf_free(&image);
	return cli_finish(&c);
}
