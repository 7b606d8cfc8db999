/* SPDX-License-Identifier: MIT */
/* gomd5: a program in Go, printed in an article. Its hash is md5 (hash/hash.h). */
#include "published/rules.h"

int sh_cut_fields(
    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
{
	return sh_cut_runs(t, p, end, sh_is_white_space, err);
}
