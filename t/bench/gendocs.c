/* SPDX-License-Identifier: MIT */
/* gendocs N [SEED [TIMES]]: writes N documents (id<TAB>text) of about TIMES * 150 bytes.
 *
 * A text has TIMES * 18 to TIMES * 38 words of a vocabulary of 2^20, with probabilities by Zipf's
 * law. The id of document I says how its text was made:
 *
 *     I            90 % of the documents: random words
 *     I.S.E        9.9 %: the random words of number S < I, with E words replaced, E = 0..5
 *     I.family.S   0.1 %: boilerplate S with two words replaced; about 100 documents for each S
 *
 * No document is stored: the words of a document follow from its number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum {
	VOCABULARY = 1 << 20,
	LONGEST = 16,
	LEAST_WORDS = 18,
	MOST_WORDS = 38,
	EDITS = 6,
	MOST_TIMES = 64
};

static char word[VOCABULARY][LONGEST]; /* letters and a blank; their number is in the last byte */
static uint32_t rank_at[65537];        /* least rank, by the first 16 bits of a random number */

/* SplitMix64 */
static uint64_t next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

/* Makes words of syllables, short words first. Rank r has a probability proportional to 1 / r. */
static void make_words(void)
{
	static const char consonant[] = "tnsrhldcmfpgwybvkxjq", vowel[] = "eaoiu";

	for (uint32_t r = 0; r < VOCABULARY; r++) {
		unsigned n = 0;

		for (uint32_t x = r + 10; x; x /= 100) {
			word[r][n++] = consonant[x % 20];
			word[r][n++] = vowel[x / 20 % 5];
		}
		word[r][n++] = ' ';
		word[r][LONGEST - 1] = (char)n;
	}
	for (unsigned i = 0; i <= 65536; i++)
		rank_at[i] = (uint32_t)(exp2(i / 65536.0 * 20) - 1);
}

static uint32_t draw_word(uint64_t *state)
{
	uint64_t x = next(state);
	unsigned i = (unsigned)(x >> 48);
	uint64_t width = rank_at[i + 1] - rank_at[i] + (uint64_t)1;

	return (uint32_t)(rank_at[i] + ((x >> 16 & UINT32_MAX) * width >> 32)) % VOCABULARY;
}

static unsigned draw_text(uint64_t number, unsigned times, uint32_t *text)
{
	uint64_t state = number * UINT64_C(0xD1342543DE82EF95) + 1;
	unsigned n = times * LEAST_WORDS +
		     (unsigned)(next(&state) % (times * (MOST_WORDS - LEAST_WORDS) + 1));

	for (unsigned i = 0; i < n; i++)
		text[i] = draw_word(&state);
	return n;
}

static void replace(uint32_t *text, unsigned n, unsigned edits, uint64_t *state)
{
	while (edits--)
		text[next(state) % n] = draw_word(state);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, families = n / 100000 + 1;
	unsigned times = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;

	if (times < 1 || times > MOST_TIMES)
		return 1;
	make_words();
	for (uint64_t i = 0; i < n; i++) {
		uint64_t state = (seed << 40) + i, dice = next(&state) % 1000;
		uint32_t text[MOST_TIMES * MOST_WORDS];
		char line[2 * SH_NUM_CHARS + 40 + MOST_TIMES * MOST_WORDS * LONGEST], *p = line;
		unsigned words;

		if (i && dice < 99) {
			uint64_t source = next(&state) % i;
			unsigned edits = (unsigned)(next(&state) % EDITS);

			words = draw_text((seed << 40) + source, times, text);
			replace(text, words, edits, &state);
			p += sprintf(p, "%llu.%llu.%u\t", (unsigned long long)i,
			    (unsigned long long)source, edits);
		} else if (dice == 99) {
			uint64_t family = next(&state) % families;

			words = draw_text(((seed + 1) << 40) - 1 - family, times, text);
			text[4] = draw_word(&state);
			text[words - 1] = draw_word(&state);
			p += sprintf(p, "%llu.family.%llu\t", (unsigned long long)i,
			    (unsigned long long)family);
		} else {
			words = draw_text((seed << 40) + i, times, text);
			p += sprintf(p, "%llu\t", (unsigned long long)i);
		}
		for (unsigned w = 0; w < words; w++) {
			const char *s = word[text[w]];

			memcpy(p, s, LONGEST);
			p += s[LONGEST - 1];
		}
		p[-1] = '\n';
		fwrite(line, 1, (size_t)(p - line), stdout);
	}
	return fflush(stdout) == EOF || ferror(stdout) ? 2 : 0;
}
