/* Documents whose lines are taken many at once. One that stands whole in a block, and has nothing
 * but lines that weigh 1 each, is counted where it stands and no feature of it copied but to the output. */
#include "fp/weighing.h"

_Static_assert(
    (int)SH_FEATURE_BLOCK_MAX <= (int)SH_OCCURRENCES_MAX, "the lines of a block at once");

/* Copy n bytes; `first` and what fills up 16 may be read, and written. */
static inline void copy(char *restrict to, const char *restrict from, size_t n, size_t first)
{
	memcpy(to, from, first);
	for (size_t i = first; __builtin_expect(i < n, 0); i += 16)
		memcpy(to + i, from + i, 16);
}

/* Lines that stand first of their feature, each up to its weight, which follows from the count: up
 * to where p is returned. */
static inline char *write_counted(const struct sh_feature_block *b, const uint32_t *count,
    const struct sh_weight_text *by_count, char *p, size_t first)
{
	const uint32_t *line = b->of->line, *end = b->of->end;
	const char *base = b->base;

	for (size_t i = 0, n = b->lines; i < n; i++) {
		const struct sh_weight_text *weight = &by_count[count[i]];
		size_t to_weight = end[i] - line[i];

		copy(p, base + line[i], to_weight, first);
		memcpy(p + to_weight, weight->text, SH_WEIGHER_SHOWN);
		/* Whether it stood before nobody can predict. */
		p += (to_weight + weight->n) & -(size_t)(count[i] != 0);
	}
	return p;
}

/* The features of the document, which are the lines of the block: 1; or 0 when a count is none of
 * the first ones, or features collide, and nothing is written. */
static int write_lines(struct sh_weighing *d, struct sh_error *err)
{
	const struct sh_feature_block *b = &d->block;
	const struct sh_feature_lines *of = b->of;
	const uint32_t *count = d->occurrences.count;
	const struct sh_weight_text *by_count = d->weigher->by_count;
	size_t n = b->lines, bytes = of->line[n] - of->line[0];
	char *room = sh_sink_room(d->out, bytes + n * SH_WEIGHER_SHOWN + 64, err), *p;
	uint32_t most = 0;

	if (!room)
		return -1;
	if (!sh_occurrences_find(&d->occurrences, b->base, of->start, of->end, n))
		return 0;
	for (size_t i = 0; i < n; i++)
		most |= count[i];
	if (most >= SH_WEIGHER_COUNTS)
		return 0;
	/* Few lines are twice as long as others. */
	if (bytes < 20 * n)
		p = write_counted(b, count, by_count, room, 32);
	else
		p = write_counted(b, count, by_count, room, 48);
	sh_sink_used(d->out, (size_t)(p - room));
	return 1;
}

/* Whether the line at p belongs to another document, whose id is then *id. */
static bool ends_at(
    const struct sh_weighing *d, const char *p, const char *end, struct sh_slice *id)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));
	struct sh_feature f;
	struct sh_error err;

	if (!lf || sh_record_feature(sh_slice(p, (size_t)(lf - p)), &f, &err) < 0)
		return false;
	*id = f.id;
	return !sh_slice_eq(f.id, sh_buf_slice(&d->id));
}

/* Add line i of the block. */
static int add_line(struct sh_weighing *d, size_t i, size_t *other, struct sh_error *err)
{
	const struct sh_feature_lines *of = d->block.of;
	const char *base = d->block.base;
	int64_t weight = SH_WEIGHT_ONE;

	if (*other < d->block.others && of->other[*other] == i)
		weight = of->weight[(*other)++];
	return sh_weighing_add(
	    d, sh_slice(base + of->start[i], of->end[i] - of->start[i]), weight, err);
}

/* The lines that were taken, of which the document has no more if `ends`: *lines are counted. */
static int add_lines(struct sh_weighing *d, bool ends, uint64_t *lines, struct sh_error *err)
{
	size_t other = 0;

	if (ends && d->weigher->by_count[1].n && d->block.others == 0 && d->features.n == 0) {
		int written = write_lines(d, err);

		d->begun = written == 0;
		if (written < 0)
			return -1;
		if (written) {
			*lines += d->block.lines;
			return 0;
		}
	}
	for (size_t i = 0; i < d->block.lines; i++, ++*lines)
		if (add_line(d, i, &other, err) < 0)
			return -1;
	return 0;
}

const char *sh_weighing_take(struct sh_weighing *d, const struct sh_origin *from, const char *p,
    const char *end, uint64_t *lines, struct sh_error *err)
{
	*lines = 0;
	if (sh_feature_block_enter(&d->block, from->at, p, end, err) < 0)
		return NULL;
	for (;;) {
		const char *next = sh_feature_block_take(&d->block, &d->run, p);
		struct sh_slice id;
		bool ends;

		if (next == p)
			return p;
		ends = next == end ? from->ends_group : ends_at(d, next, end, &id);
		if (ends && next != end)
			sh_past_ids_expect(&d->past, id);
		if (add_lines(d, ends, lines, err) < 0)
			return NULL;
		if (!ends || next == end)
			return next;
		if (sh_weighing_change(d, id, from->file, from->line + *lines, err) < 0)
			return NULL;
		p = next;
	}
}
