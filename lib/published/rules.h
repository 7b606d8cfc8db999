/* SPDX-License-Identifier: MIT */
/* The functions of published systems that the tables (published.h) list. */
#ifndef SH_PUBLISHED_RULES_H
#define SH_PUBLISHED_RULES_H

#include "base/slice.h"
#include "text/tokenizer.h"

/* ---- tokens, for struct sh_token_method ---- */

typedef int sh_cut_fn(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);

/* Bits of the mode of sh_cut_characters() and sh_cut_long_words(). Characters are bytes, or code
 * points. */
enum { SH_IGNORE_CASE = 1, SH_CODE_POINTS = 2 };

/* Bits of the mode of sh_cut_jieba(): an enum sh_jieba_mode, and a flag for words that begin with
 * Han. */
enum { SH_TOK_JIEBA_MODE = 15, SH_TOK_HEAD_HAN = 16 };

sh_cut_fn sh_cut_fields, sh_cut_blanks, sh_cut_alpha, sh_cut_python, sh_cut_go_words,
    sh_cut_go_letters, sh_cut_characters, sh_cut_long_words, sh_cut_jieba;

/* For sh_token_method.close. */
void sh_close_jieba(void *state);
void sh_close_cppjieba(void *state);

/* Makes p .. end - 1 a text without escapes: a copy in t->scratch when escapes must be decoded. */
int sh_plain_text(
    struct sh_tokenizer *t, const uint8_t **p, const uint8_t **end, struct sh_error *err);

/* Appends the maximal sequences of code points for which separates() is false. */
int sh_cut_runs(struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end,
    bool (*separates)(uint32_t c), struct sh_error *err);

/* ---- hashes, for struct sh_hash ---- */

typedef void sh_hash_fn(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);

sh_hash_fn sh_hash_md5_last, sh_hash_md5_nibbles, sh_hash_jenkins, sh_hash_fnv1, sh_hash_gemantic,
    sh_hash_seomoz, sh_hash_crc32c, sh_hash_crc32c_joined, sh_hash_sha1;

/* Bob Jenkins' lookup3 (2006, public domain): hashlittle2 as one number of 64 bits. The upper half
 * is the primary result, *pc. The upper half of the seed is the primary seed. */
uint64_t sh_jenkins(struct sh_slice text, uint64_t seed);

#endif
