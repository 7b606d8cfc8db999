/* SPDX-License-Identifier: MIT */
/* The prefix that all feature records of one document share: the id and a TAB. */
#ifndef SH_RECORD_ID_PREFIX_H
#define SH_RECORD_ID_PREFIX_H

#include "base/bytes.h"
#include "record/fields.h"

struct sh_id_prefix {
	size_t n;                      /* bytes of the id and its TAB; 0: no document yet */
	char text[SH_ID_MAX + 17];     /* 16 bytes after the prefix may be read */
	uint64_t a, b, mask_a, mask_b; /* first 16 bytes of the prefix; masks clear unused bytes */
};

/* Copies the id, which must come from a valid record. */
void sh_id_prefix_set(struct sh_id_prefix *prefix, struct sh_slice id);

/* Returns whether the text at p begins with the prefix, which must be set. prefix->n + 16 bytes
 * from p on must be readable. Does not call memcmp(): most prefixes are short. */
static inline bool sh_id_prefix_at(const struct sh_id_prefix *prefix, const char *p)
{
	uint64_t differ = ((sh_le64(p) ^ prefix->a) & prefix->mask_a) |
			  ((sh_le64(p + 8) ^ prefix->b) & prefix->mask_b);

	for (size_t i = 16; i + 8 < prefix->n; i += 8)
		differ |= sh_le64(p + i) ^ sh_le64(prefix->text + i);
	if (prefix->n > 16)
		differ |= sh_le64(p + prefix->n - 8) ^ sh_le64(prefix->text + prefix->n - 8);
	return differ == 0;
}

#endif
