/* Nodes from the lines of a whole block. */
#include "join/nodes.h"

ssize_t sh_nodes_take(struct sh_nodes *s, struct sh_slice text, const struct sh_fp_form *form,
    size_t max, size_t *lines, struct sh_error *err)
{
	uint64_t fp[SH_FP_MAX_WORDS];
	const char *p = text.p, *end = text.p + text.n;
	struct sh_slice id;
	size_t n;

	while (end > p && end[-1] != '\n')
		end--;
	for (*lines = 0; *lines < max && (n = sh_fp_line(p, end, form, fp, &id)) > 0; ++*lines) {
		if (sh_nodes_add(s, fp, id, err) < 0)
			return -1;
		p += n;
	}
	return p - text.p;
}
