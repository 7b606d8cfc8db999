/* How the feature records of one document begin, which stand together: all lines alike, with the
 * id and a TAB. */
#ifndef SH_RECORD_FEATURE_RUN_H
#define SH_RECORD_FEATURE_RUN_H

#include "base/bytes.h"
#include "record/fields.h"

struct sh_feature_run {
	size_t n;                      /* of the prefix, id TAB; 0: there is none */
	char prefix[SH_ID_MAX + 17];   /* 16 more bytes may be read, and copied */
	uint64_t a, b, keep_a, keep_b; /* the first 16 bytes of the prefix, and masks for them */
};

/* The id is one that a record had. */
void sh_feature_run_begin(struct sh_feature_run *run, struct sh_slice id);

/* Whether the first 16 bytes of the prefix stand at p, or all if it has no more. */
static inline bool sh_feature_run_begins(const struct sh_feature_run *run, const char *p)
{
	return (((sh_le64(p) ^ run->a) & run->keep_a) |
		   ((sh_le64(p + 8) ^ run->b) & run->keep_b)) == 0;
}

/* Whether the prefix, of which there is one, stands at p, where its length and 16 bytes more can be
 * read: without a call for long ones. */
static inline bool sh_feature_run_same(const struct sh_feature_run *run, const char *p)
{
	uint64_t differ = !sh_feature_run_begins(run, p);

	for (size_t i = 16; i + 8 < run->n; i += 8)
		differ |= sh_le64(p + i) ^ sh_le64(run->prefix + i);
	if (run->n > 16)
		differ |= sh_le64(p + run->n - 8) ^ sh_le64(run->prefix + run->n - 8);
	return differ == 0;
}

#endif
