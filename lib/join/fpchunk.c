#include "join/fpchunk.h"

#include "record/fingerprint.h"

/* Makes an empty chunk with memory for `most` records, whose ids have `text` bytes together. */
static struct sh_fp_chunk *make(
    struct sh_buf *room, size_t words, size_t most, size_t text, struct sh_error *err)
{
	size_t head = sizeof(struct sh_fp_chunk) + most * words * sizeof(uint64_t);
	size_t need = head + most * sizeof(uint32_t) + text + SH_NODE_IDS_PAD;
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

struct sh_fp_chunk *sh_fp_chunk_new(
    struct sh_buf *room, unsigned digits, size_t bytes, struct sh_error *err)
{
	/* A line has at least `digits` digits, a TAB, a byte of an id, and an LF. The last line may
	 * lack the LF. */
	return make(room, SH_FP_WORDS(4 * digits), bytes / (digits + 3) + 1, bytes, err);
}

struct sh_fp_chunk *sh_fp_chunk_of(const struct sh_buf *room)
{
	return room->n ? (struct sh_fp_chunk *)(void *)room->p : NULL;
}

/* ---- packed chunks ---- */

struct packed_head {
	uint64_t n, base, text;
};

/* Returns the number of bytes of ids that are text; 0 when the ids are numbers. */
static size_t text_bytes(const struct sh_fp_chunk *c)
{
	return c->n && c->ids.base == 0 ? c->ids.at[c->n - 1] : 0;
}

int sh_fp_chunk_pack(const struct sh_fp_chunk *c, struct sh_buf *b, struct sh_error *err)
{
	struct packed_head head = { c->n, c->ids.base, text_bytes(c) };

	if (sh_buf_add(b, &head, sizeof head, err) < 0 ||
	    sh_buf_add(b, c->fp, c->n * c->words * sizeof *c->fp, err) < 0)
		return -1;
	if (c->ids.base >= SH_NODE_IDS_COUNTED)
		return 0;
	if (sh_buf_add(b, c->ids.at, c->n * sizeof *c->ids.at, err) < 0)
		return -1;
	return sh_buf_add(b, c->ids.text, head.text, err);
}

struct sh_fp_chunk *sh_fp_chunk_unpack(
    struct sh_buf *room, unsigned words, struct sh_slice packed, struct sh_error *err)
{
	const char *p = packed.p;
	struct packed_head head;
	struct sh_fp_chunk *c;

	memcpy(&head, p, sizeof head);
	p += sizeof head;
	c = make(room, words, head.n, head.text, err);
	if (!c)
		return NULL;
	c->n = c->ids.n = head.n;
	c->ids.base = head.base;
	memcpy(c->fp, p, head.n * words * sizeof *c->fp);
	p += head.n * words * sizeof *c->fp;
	if (head.base >= SH_NODE_IDS_COUNTED)
		return c;
	memcpy(c->ids.at, p, head.n * sizeof *c->ids.at);
	memcpy(c->ids.text, p + head.n * sizeof *c->ids.at, head.text);
	return c;
}

/* ---- records ---- */

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
