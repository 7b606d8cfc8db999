#include "join/fpchunk.h"

#include "record/fingerprint.h"

struct sh_fp_chunk *sh_fp_chunk_new(
    struct sh_buf *room, unsigned digits, size_t bytes, struct sh_error *err)
{
	/* A line has a TAB, an id and an LF, which the last one may lack. */
	size_t most = bytes / (digits + 3) + 1, words = SH_FP_WORDS(4 * digits);
	size_t head = sizeof(struct sh_fp_chunk) + most * words * sizeof(uint64_t);
	size_t need = head + most * sizeof(uint32_t) + bytes + SH_NODE_IDS_PAD;
	struct sh_fp_chunk *c;

	room->n = 0;
	if (sh_buf_reserve(room, need, err) < 0)
		return NULL;
	room->n = need;
	c = sh_fp_chunk_of(room);
	*c = (struct sh_fp_chunk){ .words = (unsigned)words, .fp = (uint64_t *)(void *)(c + 1) };
	c->ids.at = (uint32_t *)(void *)(room->p + head);
	c->ids.text = (char *)(c->ids.at + most);
	return c;
}

struct sh_fp_chunk *sh_fp_chunk_of(const struct sh_buf *room)
{
	return room->n ? (struct sh_fp_chunk *)(void *)room->p : NULL;
}

void sh_fp_chunk_add(struct sh_fp_chunk *c, const uint64_t *fp, struct sh_slice id)
{
	memcpy(c->fp + c->n++ * c->words, fp, c->words * sizeof *fp);
	sh_chunk_ids_add(&c->ids, id);
}

const char *sh_fp_chunk_add_lines(struct sh_fp_chunk *c, const char *p, const char *end,
    const struct sh_fp_form *form, uint64_t *lines)
{
	struct sh_slice id;
	size_t n, before = c->n;

	while ((n = sh_fp_line(p, end, form, c->fp + c->n * c->words, &id)) > 0) {
		sh_chunk_ids_add(&c->ids, id);
		c->n++;
		p += n;
	}
	*lines = c->n - before;
	return p;
}
