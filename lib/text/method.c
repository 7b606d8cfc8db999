#include "text/method.h"

#include "base/rows.h"
#include "text/published.h"
#include "text/tok_jieba.h"
#include "text/tokenizer.h"

/* Every character of the text is a token. */
#define CHARACTERS .chars = true, .escapes = true, .no_places = true

static const struct sh_token_method rows[] = { { .name = "words", .run = sh_cut_words },
	{ .name = "fields", .run = sh_cut_fields, .escapes = true },
	{ .name = "blanks", .run = sh_cut_blanks, .escapes = true },
	{ .name = "alpha", .run = sh_cut_alpha },
	{ .name = "python", .run = sh_cut_python, .chars = true },
	{ .name = "go-words", .run = sh_cut_go_words },
	{ .name = "go-letters", .run = sh_cut_go_letters, .no_places = true },
	{ .name = "bytes", .run = sh_cut_bytes, CHARACTERS },
	{ .name = "bytes-ci",
	    .run = sh_cut_bytes,
	    CHARACTERS,
	    .mode = SH_IGNORE_CASE,
	    .profile_only = true },
	{ .name = "code-points", .run = sh_cut_code_points, CHARACTERS },
	{ .name = "code-points-ci",
	    .run = sh_cut_code_points,
	    CHARACTERS,
	    .mode = SH_IGNORE_CASE,
	    .profile_only = true },
	{ .name = "long-words", .run = sh_cut_long_words, .profile_only = true, .no_places = true },
	{ .name = "long-words-ci",
	    .run = sh_cut_long_words,
	    .mode = SH_IGNORE_CASE,
	    .profile_only = true,
	    .no_places = true },
	SH_JIEBA_METHODS SH_CPPJIEBA_METHODS };

const struct sh_token_method *sh_token_method_at(unsigned i)
{
	return sh_row_at(SH_ROWS(rows), i);
}

const struct sh_token_method *sh_token_method_find(const char *name)
{
	return sh_row_find(SH_ROWS(rows), name);
}
