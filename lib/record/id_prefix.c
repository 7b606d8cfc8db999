/* SPDX-License-Identifier: MIT */
#include "record/id_prefix.h"

void sh_id_prefix_set(struct sh_id_prefix *prefix, struct sh_slice id)
{
	unsigned char mask[16] = { 0 };

	prefix->n = id.n + 1;
	memcpy(prefix->text, id.p, id.n);
	prefix->text[id.n] = '\t';
	memset(prefix->text + prefix->n, 0, 16);
	memset(mask, 0xff, prefix->n < 16 ? prefix->n : 16);
	prefix->a = sh_le64(prefix->text);
	prefix->b = sh_le64(prefix->text + 8);
	prefix->mask_a = sh_le64(mask);
	prefix->mask_b = sh_le64(mask + 8);
}
