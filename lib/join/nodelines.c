/* Reads nodes from the lines of a chunk. */
#include "join/nodes.h"

ssize_t sh_nodes_add_lines(struct sh_nodes *s, struct sh_slice text, const struct sh_fp_form *form,
    size_t max, size_t *lines, struct sh_error *err)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t n, most = text.n / (form->digits + 2 + form->tail_n);
	struct sh_slice id;

	if (most > max)
		most = max;
	while (end > p && end[-1] != '\n')
		end--;
	if (sh_nodes_reserve(s, most, err) < 0)
		return -1;
	for (*lines = 0; *lines < most; ++*lines) {
		n = sh_fp_line(p, end, form, s->fp + s->records * s->words, &id);
		if (n == 0)
			break;
		if (sh_node_ids_add(&s->ids, id, err) < 0)
			return -1;
		s->records++;
		p += n;
	}
	return p - text.p;
}
