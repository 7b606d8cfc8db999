/* SPDX-License-Identifier: MIT */
#include "published/published.h"

#include <string.h>

#include "base/rows.h"
#include "published/cppjieba.h"
#include "published/rules.h"
#include "segment/jieba.h"

/* ---- rules of tokens (text/method.h) ---- */

#define JIEBA(NAME, MODE)                                                                          \
	.name = NAME, .run = sh_cut_jieba, .mode = MODE, .escapes = true, .needs_jieba = true,     \
	.close = sh_close_jieba
#define CPPJIEBA(NAME, MODE)                                                                       \
	.name = NAME, .run = sh_cut_jieba, .mode = MODE, .escapes = true, .needs_cppjieba = true,  \
	.close = sh_close_cppjieba
#define LONG_WORDS(NAME, MODE)                                                                     \
	.name = NAME, .run = sh_cut_long_words, .mode = MODE, .profile_only = true,                \
	.no_places = true

/* Every character of the text is a token. */
#define CHARACTERS(NAME, MODE)                                                                     \
	.name = NAME, .run = sh_cut_characters, .mode = MODE, .chars = true, .escapes = true,      \
	.no_places = true

/* All but the default. */
static const struct sh_token_method methods[] = {
	{ .name = "fields", .run = sh_cut_fields, .escapes = true },
	{ .name = "blanks", .run = sh_cut_blanks, .escapes = true },
	{ .name = "alpha", .run = sh_cut_alpha },
	{ .name = "python", .run = sh_cut_python, .chars = true },
	{ .name = "go-words", .run = sh_cut_go_words },
	{ .name = "go-letters", .run = sh_cut_go_letters, .no_places = true },
	{ CHARACTERS("bytes", 0) },
	{ CHARACTERS("bytes-ci", SH_IGNORE_CASE), .profile_only = true },
	{ CHARACTERS("code-points", SH_CODE_POINTS) },
	{ CHARACTERS("code-points-ci", SH_CODE_POINTS | SH_IGNORE_CASE), .profile_only = true },
	{ LONG_WORDS("long-words", 0) },
	{ LONG_WORDS("long-words-ci", SH_IGNORE_CASE) },
	{ JIEBA("jieba", SH_JIEBA_CUT) },
	{ JIEBA("jieba-nohmm", SH_JIEBA_CUT_NOHMM) },
	{ JIEBA("jieba-all", SH_JIEBA_CUT_ALL) },
	{ JIEBA("jieba-search", SH_JIEBA_SEARCH) },
	{ JIEBA("jieba-search-nohmm", SH_JIEBA_SEARCH_NOHMM) },
	{ JIEBA("angelo", SH_JIEBA_CUT | SH_TOK_HEAD_HAN), .profile_only = true },
	{ CPPJIEBA("cppjieba", SH_CPPJIEBA_MIX) },
	{ CPPJIEBA("cppjieba-nohmm", SH_CPPJIEBA_MIX_NOHMM) },
	{ CPPJIEBA("cppjieba-all", SH_CPPJIEBA_FULL) },
	{ CPPJIEBA("cppjieba-search", SH_CPPJIEBA_QUERY) },
	{ CPPJIEBA("cppjieba-hmm", SH_CPPJIEBA_HMM) },
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

/* The hash of a published system, which has no seed. */
#define SEEDLESS(NAME, FUNCTION, BITS)                                                             \
	.name = NAME, .feature = FUNCTION, .max_bits = BITS, .seedless = true

static const struct sh_hash hashes[] = {
	{ .name = "mix", .feature = sh_hash_mix, .max_bits = SH_FP_MAX_BITS, .composed = true },
	{ .name = "xxh3", .feature = sh_hash_xxh3, .max_bits = SH_FP_MAX_BITS },
	{ .name = "md5", .feature = sh_hash_md5, .max_bits = SH_FP_MAX_BITS },
	{ SEEDLESS("md5-last", sh_hash_md5_last, 128), .number = true },
	{ SEEDLESS("md5-nibbles", sh_hash_md5_nibbles, 32), .weak = true },
	{ .name = "jenkins", .feature = sh_hash_jenkins, .max_bits = 64 },
	{ SEEDLESS("fnv1", sh_hash_fnv1, 64) },
	{ SEEDLESS("gemantic", sh_hash_gemantic, 256), .number = true, .weak = true },
	{ .name = "seomoz", .feature = sh_hash_seomoz, .max_bits = 64 },
	{ SEEDLESS("sha1", sh_hash_sha1, 64), .number = true },
	{ SEEDLESS("crc32c", sh_hash_crc32c, 64), .number = true, .weak = true },
	{ SEEDLESS("crc32c-joined", sh_hash_crc32c_joined, 64), .number = true, .weak = true },
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

/* A name, how text is cut, the scheme of weights, the hash; then the members of struct sh_ngrams. */
#define PROFILE(NAME, METHOD, WEIGHT, HASH, ...)                                                   \
	.name = NAME, .method = METHOD, .weight = WEIGHT, .hash = HASH, .ngrams = { __VA_ARGS__ }

/* The widths of a system; the only one. */
#define BITS(USUAL, MIN, MAX, STEP)                                                                \
	.bits = USUAL, .bits_min = MIN, .bits_max = MAX, .bits_step = STEP
#define ONLY(WIDTH) BITS(WIDTH, WIDTH, WIDTH, 1)

/* The functions of ClickHouse. */
#define CLICKHOUSE_NGRAM(NAME, METHOD, PAST_FIRST)                                                 \
	{                                                                                          \
		PROFILE(NAME, METHOD, "tf", "crc32c", 3, 3, false, PAST_FIRST), ONLY(64),          \
		    .no_fold = true, .empty = SH_EMPTY_ONES                                        \
	}
#define CLICKHOUSE_WORD(NAME, METHOD)                                                              \
	{                                                                                          \
		PROFILE(NAME, METHOD, "tf", "crc32c-joined", 3, 3), ONLY(64),                      \
		    .no_fold = true, .empty = SH_EMPTY_ZERO                                        \
	}

static const struct sh_profile profiles[] = {
	{ PROFILE("default", "words", "log", "mix", 1, 1), .bits = 64 },
	{ PROFILE("angelo", "angelo", "tf", "md5-nibbles", 1, 1), ONLY(32), .no_fold = true },
	{ PROFILE("tfidf128", "jieba", "tfidf", "md5", 1, 1), ONLY(64), .stem = "porter",
	    .top = 128, .top_rule = SH_TOP_TEXT },
	{ PROFILE("gomd5", "fields", "tf", "md5", 1, 1), ONLY(64), .no_fold = true,
	    .empty = SH_EMPTY_ZERO },
	{ PROFILE("gemantic", "blanks", "tf", "gemantic", 1, 1), BITS(64, 1, 256, 1),
	    .no_fold = true, .tie = 1, .empty = SH_EMPTY_ONES, .bin = "nib" },
	{ PROFILE("yanyiwu", "cppjieba", "tfidf", "jenkins", 1, 1), ONLY(64), .no_fold = true,
	    .punctuation = true, .min_chars = 2, .top = 200, .top_rule = SH_TOP_HEAP, .real = true,
	    .empty = SH_EMPTY_ZERO },
	{ PROFILE("seomoz", "alpha", "tf", "seomoz", 3, 3, true), ONLY(64), .no_fold = true,
	    .empty = SH_EMPTY_ZERO },
	{ PROFILE("pysimhash", "python", "tf", "md5-last", 4, 4), BITS(64, 8, 128, 8),
	    .rounded = true, .empty = SH_EMPTY_TEXT },
	{ PROFILE("mfonda", "go-words", "tf", "fnv1", 1, 1), ONLY(64), .no_fold = true, .tie = 1,
	    .empty = SH_EMPTY_ONES },
	{ PROFILE("jieba-tags", "jieba", "tfidf", "mix", 1, 1), .bits = 64, .no_fold = true,
	    .punctuation = true, .min_chars = 2, .stop = jieba_stop, .top = 20 },
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
