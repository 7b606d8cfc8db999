#include "text/method.h"

#include <string.h>

#include "text/published.h"
#include "text/tok_jieba.h"
#include "text/tokenizer.h"

static const struct sh_token_method rows[] = { { .name = "words", .run = sh_cut_words },
	{ .name = "fields", .run = sh_cut_fields, .escapes = true },
	{ .name = "blanks", .run = sh_cut_blanks, .escapes = true },
	{ .name = "alpha", .run = sh_cut_alpha },
	{ .name = "python", .run = sh_cut_python, .chars = true },
	{ .name = "go-words", .run = sh_cut_go_words },
	{ .name = "go-letters", .run = sh_cut_go_letters, .no_places = true },
	{ .name = "bytes",
	    .run = sh_cut_bytes,
	    .chars = true,
	    .escapes = true,
	    .profile_only = true,
	    .no_places = true },
	{ .name = "code-points",
	    .run = sh_cut_code_points,
	    .chars = true,
	    .escapes = true,
	    .profile_only = true,
	    .no_places = true },
	{ .name = "long-words", .run = sh_cut_long_words, .profile_only = true, .no_places = true },
	SH_JIEBA_METHODS SH_CPPJIEBA_METHODS };

const struct sh_token_method *sh_token_method_at(unsigned i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct sh_token_method *sh_token_method_find(const char *name)
{
	const struct sh_token_method *row;

	for (unsigned i = 0; (row = sh_token_method_at(i)); i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}
