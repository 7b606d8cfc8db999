/* Records from whole blocks of lines: joins read them by the hundred million. */
#include "base/bytes.h"
#include "base/decimal.h"
#include "join/nodes.h"
#include "record/fpline.h"

/* ---- ids that count up --------------------------------------------------------- */

/* A number below SH_NODE_IDS_LIMIT and the LF behind it, as two words of text; what else is in them is not
 * looked at. */
struct count {
	uint64_t number, text[2], mask[2], one[2] /* of the last digit */;
	unsigned n; /* digits */
};

static inline struct count count_from(uint64_t number)
{
	char text[SH_DECIMAL_ROOM] = { 0 };
	struct count c = { .number = number };
	unsigned bits;

	c.n = (unsigned)sh_put_decimal(text, number);
	text[c.n] = '\n';
	bits = 8 * (c.n + 1);
	c.text[0] = sh_le64(text);
	c.text[1] = sh_le64(text + 8);
	c.mask[0] = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	c.mask[1] = bits < 64 ? 0 : bits < 128 ? (UINT64_C(1) << (bits - 64)) - 1 : UINT64_MAX;
	c.one[(c.n - 1) / 8] = UINT64_C(1) << (c.n - 1) % 8 * 8;
	return c;
}

static inline __attribute__((always_inline)) void count_up(struct count *c)
{
	if (++c->number % 10 == 0) {
		*c = count_from(c->number);
		return;
	}
	c->text[0] += c->one[0];
	c->text[1] += c->one[1];
}

/* Whether it stands at p. */
static inline __attribute__((always_inline)) bool count_is_at(const struct count *c, const char *p)
{
	return (((sh_le64(p) ^ c->text[0]) & c->mask[0]) |
		   ((sh_le64(p + 8) ^ c->text[1]) & c->mask[1])) == 0;
}

/* What the next id is, if it counts up as well. */
static uint64_t next_of(const struct sh_node_ids *s)
{
	return sh_node_ids_last(s) - SH_NODE_IDS_COUNTED + (s->n - 1) % SH_NODE_IDS_STRIDE + 1;
}

/* ---- blocks -------------------------------------------------------------------- */

/* Whether the n bytes at p, n > 0, are a number below 2^32 as it is printed. */
static inline bool number_at(const char *p, size_t n, uint32_t *number)
{
	size_t head = n > 8 ? n - 8 : 0;
	uint64_t bad = n > 10 || (*p == '0' && n > 1), x;

	if (bad)
		return false;
	x = sh_decimal_eight(p + head, n - head, &bad);
	if (head)
		x += UINT64_C(100000000) * sh_decimal_eight(p, head, &bad);
	*number = (uint32_t)x;
	return bad == 0 && x <= UINT32_MAX;
}

/* What is left of a block: lines p .. end-1, of which `max` may be taken. */
struct block {
	const char *p, *end;
	unsigned digits;
	size_t max;
};

/* `taken` records are there now, and the lines before p are done with. */
static inline void done(struct sh_nodes *s, struct block *b, const char *p, size_t taken)
{
	s->records += taken;
	s->ids.n += taken;
	b->p = p;
	b->max -= taken;
}

/* Those whose ids count up. A line's id is compared with the one that it should be: where the next line
 * begins is known before this one has been looked at. What is written may be anything, the compiler
 * thinks: so *s is not used meanwhile. */
static inline __attribute__((always_inline)) void take_counted(
    struct sh_nodes *s, struct block *b, unsigned digits)
{
	uint64_t *fp = s->fp + s->records * s->words, *base = s->ids.base;
	struct count id = count_from(next_of(&s->ids));
	const char *p = b->p, *end = b->end;
	uint64_t left = SH_NODE_IDS_LIMIT - id.number;
	size_t first = s->records, r = first, last = r + (b->max < left ? b->max : (size_t)left);
	unsigned words = s->words;

	for (; r < last; r++) {
		if (!sh_fp_of_line(p, end, digits, fp) || !count_is_at(&id, p + digits + 1))
			break;
		if (r % SH_NODE_IDS_STRIDE == 0)
			base[r / SH_NODE_IDS_STRIDE] = SH_NODE_IDS_COUNTED + id.number;
		fp += words;
		p += digits + 1 + id.n + 1;
		count_up(&id);
	}
	done(s, b, p, r - first);
}

/* At most `most` of those whose ids are numbers below 2^32. */
static inline __attribute__((always_inline)) void take_numbers(
    struct sh_nodes *s, struct block *b, size_t most, unsigned digits)
{
	uint64_t *fp = s->fp + s->records * s->words;
	uint32_t *at = s->ids.at + s->records, number;
	const char *p = b->p, *end = b->end;
	size_t i = 0;
	unsigned words = s->words;

	for (; i < most; i++) {
		size_t n = sh_fp_line(p, end, digits, fp);

		if (n == 0 || !number_at(p + digits + 1, n, &number))
			break;
		at[i] = number;
		fp += words;
		p += digits + 1 + n + 1;
	}
	done(s, b, p, i);
}

/* At most `most`, whatever the ids are. */
static inline __attribute__((always_inline)) void take_text(
    struct sh_nodes *s, struct block *b, size_t most, unsigned digits)
{
	uint64_t *fp = s->fp + s->records * s->words;
	uint32_t *at = s->ids.at + s->records;
	char *to = s->ids.text.p + s->ids.text.n, *from = s->ids.text.p + sh_node_ids_last(&s->ids);
	const char *p = b->p, *end = b->end;
	size_t i = 0;
	unsigned words = s->words;

	for (; i < most; i++) {
		size_t n = sh_fp_line(p, end, digits, fp);

		if (n == 0)
			break;
		fp += words;
		p += digits + 1;
		/* By whole pieces. */
		for (size_t k = 0; k < n; k += SH_NODE_IDS_PAD)
			memcpy(to + k, p + k, SH_NODE_IDS_PAD);
		to += n;
		at[i] = (uint32_t)(to - from);
		p += n + 1;
	}
	s->ids.text.n = (size_t)(to - s->ids.text.p);
	done(s, b, p, i);
}

/* Lines whose ids are what the last one lets expect; a stride's first is not. */
static inline __attribute__((always_inline)) void take_run(
    struct sh_nodes *s, struct block *b, unsigned digits)
{
	uint64_t base = sh_node_ids_last(&s->ids);
	size_t left = -s->records % SH_NODE_IDS_STRIDE, most = b->max < left ? b->max : left;

	if (base >= SH_NODE_IDS_COUNTED)
		take_counted(s, b, digits);
	else if (most && base == SH_NODE_IDS_NUMBERS)
		take_numbers(s, b, most, digits);
	else if (most)
		take_text(s, b, most, digits);
}

/* Any line: 1; 0 when it is not surely in order, or there is none; or -1. */
static int take_one(struct sh_nodes *s, struct block *b, struct sh_error *err)
{
	uint64_t fp[SH_FP_MAX_WORDS];
	const char *id = b->p + b->digits + 1;
	size_t n = b->max ? sh_fp_line(b->p, b->end, b->digits, fp) : 0;

	if (n == 0)
		return 0;
	if (sh_nodes_add(s, fp, sh_slice(id, n), err) < 0)
		return -1;
	b->max--;
	b->p = id + n + 1;
	return 1;
}

ssize_t sh_nodes_take(struct sh_nodes *s, struct sh_slice text, unsigned digits, size_t max,
    size_t *lines, struct sh_error *err)
{
	struct block b = { text.p, text.p + text.n, digits, max };
	size_t fits = text.n / (digits + 3), before = s->records;
	int status;

	while (b.end > b.p && b.end[-1] != '\n')
		b.end--;
	if (max > fits)
		b.max = fits;
	if (sh_nodes_reserve(s, b.max, err) < 0 || sh_node_ids_reserve(&s->ids, b.max, err) < 0)
		return -1;
	do {
		/* Ids are copied by whole pieces. */
		if (sh_buf_reserve(&s->ids.text, text.n + SH_NODE_IDS_PAD, err) < 0)
			return -1;
		if (digits == 16)
			take_run(s, &b, 16);
		else
			take_run(s, &b, digits);
		status = take_one(s, &b, err);
	} while (status > 0);
	*lines = s->records - before;
	return status < 0 ? -1 : b.p - text.p;
}
