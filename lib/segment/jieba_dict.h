/* The dictionary and hidden Markov model of jieba 0.42.1 in one mapped file.
 *
 * Nothing is parsed when the file is opened. It is a header and tables, which all threads and processes
 * share and read in place.
 *
 *     header  struct sh_jieba_header
 *     code    code of each character below U+10000                   (uint16_t)
 *     emit    natural log of P(character | state), by Han code       (4 double each)
 *     nodes   a double-array trie of all words and their prefixes    (16 bytes each)
 *     freq    frequency of the word that ends at each node           (uint64_t)
 *
 * Each table begins at a multiple of 64 bytes. The byte order is that of the machine that compiled the
 * file; a machine of another byte order refuses it.
 *
 * The keys of the trie are sequences of codes. Characters of class K have small codes: ASCII letters,
 * digits and +#&._%- have 1..69, Han characters 70..21019, the frequent ones first, so that frequent nodes
 * lie together. In a text each other character is a gap, code SH_CODE_GAP. Words of the dictionary may
 * contain such characters: each of their UTF-16 units has a code above SH_CODE_GAP. Keys are exact, without
 * hashing and folding.
 *
 * A file of any origin is safe to open and use: sizes are checked when it is opened, indexes when they are
 * used. Damage within the tables can only give wrong words; sh_jieba_check() detects it. */
#ifndef SH_SEGMENT_JIEBA_DICT_H
#define SH_SEGMENT_JIEBA_DICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "io/mapped.h"

#define SH_JIEBA_MAGIC   "\211shjieba"
#define SH_JIEBA_VERSION 1
#define SH_JIEBA_ORDER   0x01020304u

enum {
	SH_HAN_FIRST = 0x4E00,
	SH_HAN_COUNT = 0x9FD5 - 0x4E00 + 1,
	SH_CODE_DIGIT = 1,
	SH_CODE_ALNUM = 62, /* codes 1..62 are [0-9A-Za-z] */
	SH_CODE_ASCII = 69, /* codes 63..69 are +#&._%- */
	SH_CODE_HAN = SH_CODE_ASCII + 1,
	SH_CODE_GAP = SH_CODE_HAN + SH_HAN_COUNT, /* codes of class K are below */
	SH_CODE_SPACE,                            /* a gap: a blank */
	SH_NODE_ROOT,                             /* no code */
	SH_CODE_OTHER,
	SH_CODE_END = SH_CODE_OTHER + 0x10000 - SH_HAN_COUNT,
	SH_JIEBA_WORD_MAX = 65535, /* codes of a word */
};

/* States of the model, in the order of their letters: on a tie the state with the later letter wins, as in
 * jieba. */
enum { SH_HMM_B, SH_HMM_E, SH_HMM_M, SH_HMM_S, SH_HMM_STATES };

/* The child of node n for code c is i = node[n].base + c, if node[i].check is n. The root has base 0, and
 * the nodes below SH_CODE_END are reserved for its children: the child for code c is c. Other nodes
 * with base 0 have no children. Node 0 is not used. */
struct sh_jieba_node {
	double log_freq; /* -INFINITY: a prefix of words, or no key */
	uint32_t base;
	uint32_t check; /* the parent, SH_NODE_FREE when unused */
};

#define SH_NODE_FREE UINT32_MAX

/* Set in a frequency when jieba splits this word even where the model finds it. */
#define SH_FREQ_SPLIT (UINT64_C(1) << 63)
#define SH_FREQ_MAX   (UINT64_C(1) << 62)

struct sh_jieba_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint64_t file_size;
	uint64_t total;   /* sum of all frequencies, duplicates too */
	double log_total; /* its natural logarithm */
	uint32_t n_nodes;
	uint32_t n_split;  /* words with SH_FREQ_SPLIT */
	uint32_t max_len;  /* codes of the longest word */
	uint32_t reserved; /* 0 */
	double start[SH_HMM_STATES];
	double trans[SH_HMM_STATES][SH_HMM_STATES]; /* [from][to] */
	uint64_t body_sum;   /* XXH3 of all bytes after the header and its padding to 64 bytes */
	uint64_t header_sum; /* XXH3 of all bytes before this field */
};

struct sh_jieba {
	struct sh_jieba_header h;
	const uint16_t *code;
	const double (*emit)[SH_HMM_STATES];
	const struct sh_jieba_node *node;
	const uint64_t *freq;

	struct sh_slice image; /* the bytes of the file */
	struct sh_mapped file; /* the file, or zeroed */

	/* The trie in memory to which words were added, or NULL (jieba_grow.h). */
	struct sh_jieba_own *own;
	void (*delete_own)(struct sh_jieba_own *own);
};

/* Maps a compiled file, as sh_mapped_open() does. Returns NULL with *err when the file is not a compiled
 * dictionary. */
struct sh_jieba *sh_jieba_open(const char *path, struct sh_error *err);

/* Opens an image in memory, which must be aligned to 64 bytes and outlive the result. */
struct sh_jieba *sh_jieba_open_image(struct sh_slice image, struct sh_error *err);

void sh_jieba_delete(struct sh_jieba *j);

/* Reads the whole image and compares its checksum. */
int sh_jieba_check(const struct sh_jieba *j, struct sh_error *err);

/* Computes a checksum of words and frequencies. It does not depend on byte order and layout. */
int sh_jieba_sum(const struct sh_jieba *j, uint64_t *sum, struct sh_error *err);

/* Returns the frequency of a word: 0 for a prefix of words, -1 for any other text. */
int64_t sh_jieba_freq(const struct sh_jieba *j, struct sh_slice word);

/* Offset of each table of an image with n_nodes nodes, and size of the image. */
struct sh_jieba_layout {
	uint64_t code, emit, node, freq, size;
};
struct sh_jieba_layout sh_jieba_layout(uint32_t n_nodes);

/* Sets both checksums of an image. The other members of its header must be set. */
void sh_jieba_seal(void *image);

/* ---- characters ---- */

/* Returns the code of a character other than Han: a code of class K, SH_CODE_GAP or SH_CODE_SPACE; 0 for
 * surrogates. */
uint16_t sh_jieba_text_code(uint32_t cp);

/* Writes the UTF-16 units of a character. Returns their number, 1 or 2. */
unsigned sh_jieba_units(uint32_t cp, uint32_t units[2]);

/* Returns the code of a UTF-16 unit in words: below SH_CODE_END. */
uint32_t sh_jieba_word_code(const uint16_t *code, uint32_t unit);

/* ---- the trie ---- */

/* Returns the child of n for a code, or 0. Safe for any n < n_nodes and code < SH_CODE_END. */
static inline uint32_t sh_jieba_child(const struct sh_jieba *j, uint32_t n, uint32_t code)
{
	uint32_t i = j->node[n].base + code;

	return i < j->h.n_nodes && j->node[i].check == n ? i : 0;
}

/* Returns the node at the end of n >= 1 codes of class K, or 0 when they are not a key. */
uint32_t sh_jieba_find(const struct sh_jieba *j, const uint16_t *codes, size_t n);

#endif
