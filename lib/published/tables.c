/* SPDX-License-Identifier: MIT */
#include "published/published.h"

#include <string.h>

#include "base/rows.h"
#include "published/cppjieba.h"
#include "published/rules.h"
#include "segment/jieba.h"

/* ---- rules of tokens (text/method.h) ---- */

#define JIEBA_ROW(row_name, row_mode, only)                                                        \
	{                                                                                          \
		.name = row_name, .run = sh_cut_jieba, .escapes = true, .needs_jieba = true,       \
		.mode = row_mode, .profile_only = only, .close = sh_close_jieba                    \
	}

#define CPPJIEBA_ROW(row_name, row_mode)                                                           \
	{                                                                                          \
		.name = row_name, .run = sh_cut_cppjieba, .escapes = true, .needs_cppjieba = true, \
		.mode = row_mode, .close = sh_close_cppjieba                                       \
	}

/* Every character of the text is a token. */
#define CHARACTERS .chars = true, .escapes = true, .no_places = true

/* All but the default. */
static const struct sh_token_method methods[] = {
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
	JIEBA_ROW("jieba", SH_JIEBA_CUT, false),
	JIEBA_ROW("jieba-nohmm", SH_JIEBA_CUT_NOHMM, false),
	JIEBA_ROW("jieba-all", SH_JIEBA_CUT_ALL, false),
	JIEBA_ROW("jieba-search", SH_JIEBA_SEARCH, false),
	JIEBA_ROW("jieba-search-nohmm", SH_JIEBA_SEARCH_NOHMM, false),
	JIEBA_ROW("angelo", SH_JIEBA_CUT | SH_TOK_HEAD_HAN, true),
	CPPJIEBA_ROW("cppjieba", SH_CPPJIEBA_MIX),
	CPPJIEBA_ROW("cppjieba-nohmm", SH_CPPJIEBA_MIX_NOHMM),
	CPPJIEBA_ROW("cppjieba-all", SH_CPPJIEBA_FULL),
	CPPJIEBA_ROW("cppjieba-search", SH_CPPJIEBA_QUERY),
	CPPJIEBA_ROW("cppjieba-hmm", SH_CPPJIEBA_HMM)
};

const struct sh_token_method *sh_token_method_at(unsigned i)
{
	return i ? sh_row_at(SH_ROWS(methods), i - 1) : &sh_words_method;
}

const struct sh_token_method *sh_token_method_find(const char *name)
{
	return strcmp(name, sh_words_method.name) ? sh_row_find(SH_ROWS(methods), name)
						  : &sh_words_method;
}

/* ---- hashes (hash/hash.h) ---- */

static const struct sh_hash hashes[] = {
	{ .name = "mix", .feature = sh_hash_mix, .max_bits = SH_FP_MAX_BITS, .composed = true },
	{ .name = "xxh3", .feature = sh_hash_xxh3, .max_bits = SH_FP_MAX_BITS },
	{ .name = "md5", .feature = sh_hash_md5, .max_bits = SH_FP_MAX_BITS },
	{ .name = "md5-last",
	    .feature = sh_hash_md5_last,
	    .max_bits = 128,
	    .seedless = true,
	    .number = true },
	{ .name = "md5-nibbles",
	    .feature = sh_hash_md5_nibbles,
	    .max_bits = 32,
	    .seedless = true,
	    .weak = true },
	{ .name = "jenkins", .feature = sh_hash_jenkins, .max_bits = 64 },
	{ .name = "fnv1", .feature = sh_hash_fnv1, .max_bits = 64, .seedless = true },
	{ .name = "gemantic",
	    .feature = sh_hash_gemantic,
	    .max_bits = 256,
	    .seedless = true,
	    .number = true,
	    .weak = true },
	{ .name = "seomoz", .feature = sh_hash_seomoz, .max_bits = 64 },
	{ .name = "sha1",
	    .feature = sh_hash_sha1,
	    .max_bits = 64,
	    .seedless = true,
	    .number = true },
	{ .name = "crc32c",
	    .feature = sh_hash_crc32c,
	    .max_bits = 64,
	    .seedless = true,
	    .number = true,
	    .weak = true },
	{ .name = "crc32c-joined",
	    .feature = sh_hash_crc32c_joined,
	    .max_bits = 64,
	    .seedless = true,
	    .number = true,
	    .weak = true },
};

const struct sh_hash *sh_hash_at(unsigned i)
{
	return sh_row_at(SH_ROWS(hashes), i);
}

const struct sh_hash *sh_hash_find(const char *name)
{
	return sh_row_find(SH_ROWS(hashes), name);
}

/* ---- profiles ---- */

/* STOP_WORDS of jieba.analyse, one per line. */
static const char jieba_stop[] =
    "the\nof\nis\nand\nto\nin\nthat\nwe\nfor\nan\nare\nby\nbe\nas\non\nwith\ncan\nif\n"
    "from\nwhich\nyou\nit\nthis\nthen\nat\nhave\nall\nnot\none\nhas\nor\n";

/* The only width of a system that has no other. */
#define ONLY(BITS) .bits = BITS, .bits_min = BITS, .bits_max = BITS, .bits_step = 1

/* The functions of ClickHouse: a name, how text is cut, the hash of a feature. */
#define CLICKHOUSE(NAME, METHOD, HASH, PAST_FIRST, EMPTY)                                          \
	{                                                                                          \
		.name = NAME, .method = METHOD, .no_fold = true,                                   \
		.ngrams = { 3, 3, false, PAST_FIRST }, .weight = "tf", .hash = HASH, ONLY(64),     \
		.empty = EMPTY, .bin = "bin",                                                      \
	}
#define CLICKHOUSE_NGRAM(NAME, METHOD, PAST_FIRST)                                                 \
	CLICKHOUSE(NAME, METHOD, "crc32c", PAST_FIRST, SH_EMPTY_ONES)
#define CLICKHOUSE_WORD(NAME, METHOD)                                                              \
	CLICKHOUSE(NAME, METHOD, "crc32c-joined", false, SH_EMPTY_ZERO)

static const struct sh_profile profiles[] = {
	{
	    .name = "default",
	    .method = "words",
	    .ngrams = { 1, 1, false },
	    .weight = "log",
	    .hash = "mix",
	    .bits = 64,
	    .empty = SH_EMPTY_SKIP,
	    .bin = "bin",
	},
	{
	    .name = "angelo",
	    .method = "angelo",
	    .no_fold = true,
	    .ngrams = { 1, 1, false },
	    .weight = "tf",
	    .hash = "md5-nibbles",
	    ONLY(32),
	    .empty = SH_EMPTY_SKIP,
	    .bin = "bin",
	},
	{
	    .name = "tfidf128",
	    .method = "jieba",
	    .stem = "porter",
	    .ngrams = { 1, 1, false },
	    .weight = "tfidf",
	    .top = 128,
	    .top_rule = SH_TOP_TEXT,
	    .hash = "md5",
	    ONLY(64),
	    .empty = SH_EMPTY_SKIP,
	    .bin = "bin",
	},
	{
	    .name = "gomd5",
	    .method = "fields",
	    .no_fold = true,
	    .ngrams = { 1, 1, false },
	    .weight = "tf",
	    .hash = "md5",
	    ONLY(64),
	    .empty = SH_EMPTY_ZERO,
	    .bin = "bin",
	},
	{
	    .name = "gemantic",
	    .method = "blanks",
	    .no_fold = true,
	    .ngrams = { 1, 1, false },
	    .weight = "tf",
	    .hash = "gemantic",
	    .bits = 64,
	    .bits_min = 1,
	    .bits_max = 256,
	    .bits_step = 1,
	    .tie = 1,
	    .empty = SH_EMPTY_ONES,
	    .bin = "nib",
	},
	{
	    .name = "yanyiwu",
	    .method = "cppjieba",
	    .no_fold = true,
	    .punctuation = true,
	    .min_chars = 2,
	    .ngrams = { 1, 1, false },
	    .weight = "tfidf",
	    .top = 200,
	    .top_rule = SH_TOP_HEAP,
	    .real = true,
	    .hash = "jenkins",
	    ONLY(64),
	    .empty = SH_EMPTY_ZERO,
	    .bin = "bin",
	},
	{
	    .name = "seomoz",
	    .method = "alpha",
	    .no_fold = true,
	    .ngrams = { 3, 3, true },
	    .weight = "tf",
	    .hash = "seomoz",
	    ONLY(64),
	    .empty = SH_EMPTY_ZERO,
	    .bin = "bin",
	},
	{
	    .name = "pysimhash",
	    .method = "python",
	    .ngrams = { 4, 4, false },
	    .weight = "tf",
	    .rounded = true,
	    .hash = "md5-last",
	    .bits = 64,
	    .bits_min = 8,
	    .bits_max = 128,
	    .bits_step = 8,
	    .empty = SH_EMPTY_TEXT,
	    .bin = "bin",
	},
	{
	    .name = "mfonda",
	    .method = "go-words",
	    .no_fold = true,
	    .ngrams = { 1, 1, false },
	    .weight = "tf",
	    .hash = "fnv1",
	    ONLY(64),
	    .tie = 1,
	    .empty = SH_EMPTY_ONES,
	    .bin = "bin",
	},
	{
	    .name = "jieba-tags",
	    .method = "jieba",
	    .no_fold = true,
	    .punctuation = true,
	    .min_chars = 2,
	    .stop = jieba_stop,
	    .ngrams = { 1, 1, false },
	    .weight = "tfidf",
	    .top = 20,
	    .hash = "mix",
	    .bits = 64,
	    .empty = SH_EMPTY_SKIP,
	    .bin = "bin",
	},
	CLICKHOUSE_NGRAM("clickhouse-ngram", "bytes", false),
	CLICKHOUSE_NGRAM("clickhouse-ngram-ci", "bytes-ci", false),
	CLICKHOUSE_NGRAM("clickhouse-ngram-utf8", "code-points", true),
	CLICKHOUSE_NGRAM("clickhouse-ngram-utf8-ci", "code-points-ci", true),
	CLICKHOUSE_WORD("clickhouse-word", "long-words"),
	CLICKHOUSE_WORD("clickhouse-word-ci", "long-words-ci"),
	CLICKHOUSE_WORD("clickhouse-word-utf8", "long-words"),
	CLICKHOUSE_WORD("clickhouse-word-utf8-ci", "long-words-ci"),
};

const struct sh_profile *sh_profile_at(unsigned i)
{
	return sh_row_at(SH_ROWS(profiles), i);
}

const struct sh_profile *sh_profile_find(const char *name)
{
	return sh_row_find(SH_ROWS(profiles), name);
}

bool sh_profile_has_bits(const struct sh_profile *p, unsigned bits)
{
	if (p->bits_step == 0)
		return bits == 32 || bits == 64 || bits == 128 || bits == 256;
	return bits >= p->bits_min && bits <= p->bits_max && bits % p->bits_step == 0;
}

void sh_profile_tokens(
    const struct sh_profile *p, struct sh_token_opts *token, struct sh_ngrams *ngrams)
{
	token->method = sh_token_method_find(p->method);
	token->no_fold = p->no_fold;
	token->punctuation = p->punctuation;
	token->min_chars = p->min_chars;
	token->stem = p->stem;
	*ngrams = p->ngrams;
}
