/* Methods of published systems, for the table of methods (text/method.h). */
#ifndef SH_TEXT_PUBLISHED_H
#define SH_TEXT_PUBLISHED_H

#include "text/tokenizer.h"

typedef int sh_cut_fn(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);

/* The mode of sh_cut_bytes(), sh_cut_code_points() and sh_cut_long_words() that ignores case. */
enum { SH_IGNORE_CASE = 1 };

sh_cut_fn sh_cut_fields, sh_cut_blanks, sh_cut_alpha, sh_cut_python, sh_cut_go_words,
    sh_cut_go_letters, sh_cut_bytes, sh_cut_code_points, sh_cut_long_words;

/* Makes p .. end - 1 a text without escapes: a copy in t->scratch when escapes must be decoded. */
int sh_plain_text(
    struct sh_tokenizer *t, const uint8_t **p, const uint8_t **end, struct sh_error *err);

/* Returns whether c has Unicode's property White_Space, as Go's unicode.IsSpace(). */
bool sh_is_white_space(uint32_t c);

#endif
