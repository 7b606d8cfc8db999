/* SPDX-License-Identifier: MIT */
/* Scripts of code points, as far as tokens depend on the script. Also knows which code points may
 * compose with the code point before. Data of Unicode 15, made by gen-scripts.py. */
#ifndef SH_UNICODE_SCRIPT_H
#define SH_UNICODE_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

enum sh_script {
	SH_SCRIPT_OTHER,     /* any script without a name here */
	SH_SCRIPT_INHERITED, /* marks that are used in several scripts */
	SH_SCRIPT_HANGUL,
	/* Scripts from here on have no spaces between words: each character is a token. */
	SH_SCRIPT_HAN,
	SH_SCRIPT_KANA, /* Hiragana, Katakana and the marks they share */
	SH_SCRIPT_THAI,
	SH_SCRIPT_LAO,
	SH_SCRIPT_KHMER,
	SH_SCRIPT_MYANMAR,
	SH_SCRIPT_TIBETAN,
	SH_SCRIPT_COUNT,
};

static inline bool sh_script_is_cut(enum sh_script s)
{
	return s >= SH_SCRIPT_HAN;
}

/* Returns SH_SCRIPT_OTHER also for numbers that are no code points. */
enum sh_script sh_script_of(uint32_t c);

/* Returns whether c may compose with the code point before: NFC_Quick_Check=Maybe, and the vowel
 * and final jamo of Hangul except U+11A7. utf8proc drops U+11A7 after a syllable, unless the text
 * is split before U+11A7. */
bool sh_composes_back(uint32_t c);

/* Returns whether c has Unicode's property White_Space, as Go's unicode.IsSpace(). */
bool sh_is_white_space(uint32_t c);

#endif
