#include "fp/profile.h"

#include <string.h>

#include "base/rows.h"
#include "fp/defaults.h"
#include "fp/minhash.h"
#include "text/method.h"

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

static const struct sh_profile rows[] = {
	{
	    .name = "default",
	    .method = "words",
	    .ngrams = { SH_DEFAULT_NGRAM, SH_DEFAULT_NGRAM, false },
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
	return sh_row_at(SH_ROWS(rows), i);
}

const struct sh_profile *sh_profile_find(const char *name)
{
	return sh_row_find(SH_ROWS(rows), name);
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

bool sh_empty_fingerprint(enum sh_empty rule, const struct sh_fingerprint_opts *opts, uint64_t *out)
{
	unsigned bits = opts->bits, words = SH_FP_WORDS(bits);
	uint64_t hash;

	switch (rule) {
	case SH_EMPTY_ZERO:
		memset(out, 0, words * sizeof *out);
		return true;
	case SH_EMPTY_ONES:
		memset(out, 0xFF, words * sizeof *out);
		break;
	case SH_EMPTY_TEXT:
		if (opts->minhash) {
			sh_hash_feature(opts->hash, sh_slice("", 0), opts->seed, 64, &hash);
			sh_minhash(&hash, 1, bits, out);
		} else {
			sh_hash_feature(opts->hash, sh_slice("", 0), opts->seed, bits, out);
		}
		break;
	default:
		return false;
	}
	if (bits % 64)
		out[words - 1] &= ~(UINT64_MAX >> bits % 64);
	return true;
}
