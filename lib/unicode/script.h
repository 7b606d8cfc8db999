/* Which script a code point belongs to, as far as tokens depend on it, and which
 * code points may join the one before them in normalisation. Unicode 15 data, made
 * by gen-scripts.py. */
#ifndef SH_UNICODE_SCRIPT_H
#define SH_UNICODE_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

enum sh_script {
	SH_SCRIPT_OTHER,     /* any that has no name here */
	SH_SCRIPT_INHERITED, /* marks that any script may bear */
	SH_SCRIPT_HANGUL,
	/* from here on written without spaces between words: cut into characters */
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

enum sh_script sh_script_of(uint32_t c);

/* Whether the code point may compose with the one before it: NFC_Quick_Check=Maybe, and the vowel and final
 * jamo of Hangul but U+11A7. utf8proc drops that vowel behind a syllable, unless text is split before it. */
bool sh_composes_back(uint32_t c);

#endif
