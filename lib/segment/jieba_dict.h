/* SPDX-License-Identifier: MIT */
/* The dictionary and hidden Markov model of jieba 0.42.1 in one mapped file.
 *
 * The file is a header and tables. All threads and processes share and read the tables in place;
 * nothing is parsed.
 *
 *     header  struct sh_jieba_header
 *     code    code of each character below U+10000                   (uint16_t)
 *     emit    natural log of P(character | state), Han code order    (4 double each)
 *     nodes   a double-array trie of all words and their prefixes    (16 bytes each)
 *     freq    frequency of the word that ends at each node           (uint64_t)
 *
 * Each table begins at a multiple of 64 bytes. The byte order is the order of the machine that
 * compiled the file. sh_jieba_open() refuses a file of the other byte order.
 *
 * The trie has sequences of codes. ASCII letters, digits and +#&._%- have the codes 1..69, Han
 * characters 70..21019. Frequent characters have lower codes, so that frequent nodes lie together.
 * Every other character of a text, a gap, has the code SH_CODE_SPACE or SH_CODE_GAP. A dictionary
 * word may contain gaps, too: each UTF-16 unit of a gap then has a code of SH_CODE_OTHER or above.
 *
 * A file of any origin is safe to open and use: sizes are checked at opening, indexes at each use.
 * Damage in the tables can only give wrong words. sh_jieba_check() detects the damage. */
#ifndef SH_SEGMENT_JIEBA_DICT_H
#define SH_SEGMENT_JIEBA_DICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "io/mapped.h"

#define SH_JIEBA_MAGIC   "\211shjieba"
#define SH_JIEBA_VERSION 1
#define SH_JIEBA_ORDER   0x01020304u /* reads differently in the other byte order */

enum {
	SH_HAN_FIRST = 0x4E00,
	SH_HAN_COUNT = 0x9FD5 - 0x4E00 + 1,
	SH_CODE_DIGIT = 1,
	SH_CODE_ALNUM = 62, /* codes 1..62 are [0-9A-Za-z] */
	SH_CODE_ASCII = 69, /* codes 63..69 are +#&._%- */
	SH_CODE_HAN = SH_CODE_ASCII + 1,
	SH_CODE_GAP = SH_CODE_HAN + SH_HAN_COUNT, /* a gap; codes of class K are below */
	SH_CODE_SPACE,                            /* a gap for which Python's isspace() is true */
	SH_NODE_ROOT,                             /* the root's node number, never a code */
	SH_CODE_OTHER,                            /* first code of a gap's UTF-16 unit in words */
	SH_CODE_END = SH_CODE_OTHER + 0x10000 - SH_HAN_COUNT, /* above all codes */
	SH_JIEBA_WORD_MAX = 65535,                            /* most codes of a word */
};

/* The states of the model, in alphabetical order. On a tie the greater number wins, as in jieba. */
enum { SH_HMM_B, SH_HMM_E, SH_HMM_M, SH_HMM_S, SH_HMM_STATES };

/* A node is a word or a prefix of words. Node i is the child of node n for code c when i is
 * node[n].base + c and node[i].check is n. The root has base 0: its child for code c is node c. The
 * nodes below SH_CODE_END are reserved for the root's children. Any other node with base 0 has no
 * children. Node 0 is never used. */
struct sh_jieba_node {
	double log_freq; /* natural log of the frequency; -INFINITY when the node is no word */
	uint32_t base;
	uint32_t check; /* the parent; SH_NODE_FREE: the node is unused */
};

#define SH_NODE_FREE UINT32_MAX

/* This bit of a frequency marks a removed word: where the model makes the word, the word is split
 * into single characters. */
#define SH_FREQ_SPLIT (UINT64_C(1) << 63)
#define SH_FREQ_MAX   (UINT64_C(1) << 62) /* largest sum of all frequencies */

struct sh_jieba_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint64_t file_size; /* bytes */
	uint64_t total;   /* sum of all frequencies; a repeated word adds each of its frequencies */
	double log_total; /* natural log of total */
	uint32_t n_nodes;
	uint32_t n_split;                           /* words with SH_FREQ_SPLIT */
	uint32_t max_len;                           /* codes of the longest word */
	uint32_t reserved;                          /* 0 */
	double start[SH_HMM_STATES];                /* natural log of the probability */
	double trans[SH_HMM_STATES][SH_HMM_STATES]; /* the same, [from][to] */
	uint64_t body_sum;                          /* XXH3 of all bytes from the first table on */
	uint64_t header_sum;                        /* XXH3 of all bytes before this field */
};

struct sh_jieba {
	struct sh_jieba_header h;
	const uint16_t *code;                /* by code point; 0 for surrogates */
	const double (*emit)[SH_HMM_STATES]; /* by code - SH_CODE_HAN */
	const struct sh_jieba_node *node;
	const uint64_t *freq;

	struct sh_slice image; /* the bytes of the file */
	struct sh_mapped file; /* zeroed when the image was not mapped from a file */

	/* The copy of the trie to which words were added (jieba_trie.h); NULL: none was added. */
	struct sh_jieba_own *own;
	void (*delete_own)(struct sh_jieba_own *own);
};

/* Maps a compiled file with sh_mapped_load(). Returns NULL with *err when the file is not a
 * compiled dictionary or cannot be read. The caller deletes the result. */
struct sh_jieba *sh_jieba_open(const char *path, struct sh_error *err);

/* Opens an image in memory. The image must be aligned to 64 bytes and outlive the result. */
struct sh_jieba *sh_jieba_open_image(struct sh_slice image, struct sh_error *err);

void sh_jieba_delete(struct sh_jieba *j);

/* Reads all tables of the image. Returns -1 with *err when their checksum is not body_sum. */
int sh_jieba_check(const struct sh_jieba *j, struct sh_error *err);

/* Sets *sum to a checksum of words and frequencies, with added words and without the model. The
 * checksum does not depend on byte order and layout. */
int sh_jieba_checksum(const struct sh_jieba *j, uint64_t *sum, struct sh_error *err);

/* Returns a word's frequency, 0 for a removed word or a prefix of words, -1 for other text. */
int64_t sh_jieba_freq(const struct sh_jieba *j, struct sh_slice word);

/* Offset of each table of an image with n_nodes nodes, and size of the image, in bytes. */
struct sh_jieba_layout {
	uint64_t code, emit, node, freq, size;
};
struct sh_jieba_layout sh_jieba_layout(uint32_t n_nodes);

/* Sets body_sum and header_sum of an image. All its other bytes must be written. */
void sh_jieba_seal(void *image);

/* ---- characters ---- */

/* Returns s without the bytes at both ends that Python's bytes.strip() removes. */
struct sh_slice sh_jieba_strip(struct sh_slice s);

/* Returns the code in texts of a character that is not Han; 0 for surrogates. */
uint16_t sh_jieba_text_code(uint32_t cp);

/* Writes the UTF-16 units of a character. Returns their number, 1 or 2. */
unsigned sh_jieba_units(uint32_t cp, uint32_t units[2]);

/* Returns the code in words of a UTF-16 unit. code: the table of struct sh_jieba. */
uint32_t sh_jieba_word_code(const uint16_t *code, uint32_t unit);

/* ---- the trie ---- */

/* Returns the child of node n for a code, or 0. Safe for any n < n_nodes and code < SH_CODE_END. */
static inline uint32_t sh_jieba_child(const struct sh_jieba *j, uint32_t n, uint32_t code)
{
	uint32_t i = j->node[n].base + code;

	return i < j->h.n_nodes && j->node[i].check == n ? i : 0;
}

/* Returns the node of n >= 1 codes; 0 when the codes are neither a word nor a prefix of words. */
uint32_t sh_jieba_find(const struct sh_jieba *j, const uint16_t *codes, size_t n);

#endif
