/* Inside the tokenizer: how published systems cut text, see method.h. */
#ifndef SH_TEXT_PUBLISHED_H
#define SH_TEXT_PUBLISHED_H

#include "text/tokenizer.h"

typedef int sh_cut_fn(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err);

sh_cut_fn sh_cut_fields, sh_cut_blanks, sh_cut_alpha, sh_cut_python, sh_cut_go_words,
    sh_cut_go_letters;

/* The text without its escapes, unless it is raw: *p and *end are set, perhaps to
 * t->scratch. */
int sh_plain_text(
    struct sh_tokenizer *t, const uint8_t **p, const uint8_t **end, struct sh_error *err);

/* Unicode White_Space, which Go's unicode.IsSpace and its strings.Fields go by. */
bool sh_is_white_space(uint32_t c);

#endif
