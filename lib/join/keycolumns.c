#include "join/keycolumns.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/pages.h"
#include "io/spill.h"

enum { LARGE_PAGE = 1 << 21, PAGE = 1 << 12 };

/* Returns the memory of a piece, rounded up, so that it gets large pages. */
static size_t piece_bytes(const struct sh_key_columns *c)
{
	return (c->keys * sizeof(struct sh_stretch) + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

void sh_key_columns_init(struct sh_key_columns *c, unsigned keys, size_t memory, const char *dir)
{
	*c = (struct sh_key_columns){ .keys = keys, .dir = dir, .fd = -1 };
	c->most = memory / piece_bytes(c);
	pthread_mutex_init(&c->lock, NULL);
}

static void put_piece(const struct sh_key_columns *c, struct sh_stretch *p)
{
	if (p)
		sh_pages_put(p, piece_bytes(c));
}

void sh_key_columns_free(struct sh_key_columns *c)
{
	for (size_t i = 0; i < c->in_memory; i++)
		put_piece(c, c->piece[i]);
	put_piece(c, c->last);
	put_piece(c, c->full);
	put_piece(c, c->next);
	put_piece(c, c->begun);
	sh_spill_close(c->fd);
	pthread_mutex_destroy(&c->lock);
	free(c->piece);
}

static struct sh_stretch *new_piece(const struct sh_key_columns *c, struct sh_error *err)
{
	struct sh_stretch *p = sh_pages_get(piece_bytes(c));

	if (!p)
		sh_error_nomem(err);
	return p;
}

/* Keeps the memory of a piece for the next piece. Frees the memory kept before. */
static void keep_for_next(struct sh_key_columns *c, struct sh_stretch *p)
{
	struct sh_stretch *other;

	pthread_mutex_lock(&c->lock);
	other = c->next;
	c->next = p;
	c->wants_next = false;
	pthread_mutex_unlock(&c->lock);
	put_piece(c, other);
}

static struct sh_stretch *take_next(struct sh_key_columns *c)
{
	struct sh_stretch *p;

	pthread_mutex_lock(&c->lock);
	p = c->next;
	c->next = NULL;
	pthread_mutex_unlock(&c->lock);
	return p;
}

/* Keeps a piece, a part of which is touched, for the next helper. */
static void keep_begun(struct sh_key_columns *c, struct sh_stretch *p, size_t touched)
{
	struct sh_stretch *other;

	pthread_mutex_lock(&c->lock);
	other = c->begun;
	c->begun = p;
	c->touched = touched;
	c->wants_next = true;
	pthread_mutex_unlock(&c->lock);
	put_piece(c, other);
}

/* Touches one more large page of the next piece. A helper touches no more, because it holds a job
 * for which other threads may wait. */
static int make_next(struct sh_key_columns *c, struct sh_error *err)
{
	struct sh_stretch *p;
	size_t from, to;

	pthread_mutex_lock(&c->lock);
	p = c->begun;
	from = p ? c->touched : 0;
	c->begun = NULL;
	pthread_mutex_unlock(&c->lock);
	if (!p && !(p = new_piece(c, err)))
		return -1;
	to = from + LARGE_PAGE;
	for (; from < to; from += PAGE)
		((volatile char *)p)[from] = 0;
	if (to < piece_bytes(c))
		keep_begun(c, p, to);
	else
		keep_for_next(c, p);
	return 0;
}

/* Writes a piece to the file. Its memory is kept for the next piece. */
static int write_piece(
    struct sh_key_columns *c, struct sh_stretch *p, size_t at, struct sh_error *err)
{
	size_t bytes = c->keys * sizeof *p;
	int status = sh_spill_write_at(c->fd, p, bytes, (uint64_t)at * bytes, err);

	keep_for_next(c, p);
	return status;
}

int sh_key_columns_help(struct sh_key_columns *c, struct sh_error *err)
{
	struct sh_stretch *full;
	bool wants;
	size_t at;

	pthread_mutex_lock(&c->lock);
	full = c->full;
	at = c->full_at;
	wants = c->wants_next;
	c->full = NULL;
	c->wants_next = wants && full;
	pthread_mutex_unlock(&c->lock);
	if (full)
		return write_piece(c, full, at, err);
	return wants ? make_next(c, err) : 0;
}

/* Makes the last piece, which is complete, the piece that the next helper writes. Writes the
 * previous one when no helper has written it. */
static int move_to_file(struct sh_key_columns *c, struct sh_error *err)
{
	struct sh_stretch *before;
	size_t at;

	if (c->fd < 0)
		c->fd = sh_spill_open(c->dir, err);
	if (c->fd < 0)
		return -1;
	pthread_mutex_lock(&c->lock);
	before = c->full;
	at = c->full_at;
	c->full = c->last;
	c->full_at = c->in_file++;
	pthread_mutex_unlock(&c->lock);
	c->last = NULL;
	return before ? write_piece(c, before, at, err) : 0;
}

static int keep_last(struct sh_key_columns *c, struct sh_error *err)
{
	if (c->in_memory == c->most)
		return move_to_file(c, err);
	if (SH_RESERVE(c->piece, c->cap, c->in_memory + 1, err) < 0)
		return -1;
	c->piece[c->in_memory++] = c->last;
	c->last = NULL;
	return 0;
}

/* Copies the documents from .. from+n-1 of the columns to at .. at+n-1 of the last piece. */
static void fill(
    struct sh_key_columns *c, size_t at, const struct sh_key_block *columns, size_t from, size_t n)
{
	for (unsigned k = 0; k < c->keys; k++, from += columns->cap) {
		struct sh_stretch *to = &c->last[k];

		memcpy(to->low + at, columns->low + from, n * sizeof *to->low);
		memcpy(to->first + at, columns->first + from, n);
	}
}

static void ask_for_next(struct sh_key_columns *c)
{
	pthread_mutex_lock(&c->lock);
	c->wants_next = !c->next && !c->full;
	pthread_mutex_unlock(&c->lock);
}

int sh_key_columns_add(
    struct sh_key_columns *c, const struct sh_key_block *from, size_t n, struct sh_error *err)
{
	for (size_t i = 0, m; i < n; i += m) {
		size_t at = c->n % SH_PIECE;

		m = n - i < SH_PIECE - at ? n - i : SH_PIECE - at;
		if (at == 0 && c->n && keep_last(c, err) < 0)
			return -1;
		if (!c->last && !(c->last = take_next(c)) && !(c->last = new_piece(c, err)))
			return -1;
		fill(c, at, from, i, m);
		c->n += m;
		if (at < SH_PIECE / 2 && at + m >= SH_PIECE / 2)
			ask_for_next(c);
	}
	return 0;
}

int sh_key_columns_finish(struct sh_key_columns *c, struct sh_error *err)
{
	struct sh_stretch *full = c->full;

	c->full = NULL;
	if (full && write_piece(c, full, c->full_at, err) < 0)
		return -1;
	put_piece(c, take_next(c));
	return 0;
}

/* ---- reading ---- */

/* Returns NULL when the piece is in the file. */
static const struct sh_stretch *in_memory(
    const struct sh_key_columns *c, size_t piece, unsigned column)
{
	if (piece < c->in_memory)
		return &c->piece[piece][column];
	return piece == (c->n - 1) / SH_PIECE ? &c->last[column] : NULL;
}

static uint64_t place(const struct sh_key_columns *c, size_t piece, unsigned column)
{
	return ((uint64_t)(piece - c->in_memory) * c->keys + column) * sizeof(struct sh_stretch);
}

const struct sh_stretch *sh_key_columns_stretch(const struct sh_key_columns *c, size_t piece,
    unsigned column, struct sh_stretch *room, struct sh_error *err)
{
	const struct sh_stretch *s = in_memory(c, piece, column);

	if (s)
		return s;
	return sh_spill_read(c->fd, room, sizeof *room, place(c, piece, column), err) < 0 ? NULL
											  : room;
}

int sh_key_columns_key(const struct sh_key_columns *c, uint32_t document, unsigned column,
    uint64_t *key, struct sh_error *err)
{
	size_t piece = document / SH_PIECE, i = document % SH_PIECE;
	const struct sh_stretch *s = in_memory(c, piece, column);
	uint64_t at;
	uint32_t low;
	uint8_t first;

	if (s) {
		*key = (uint64_t)s->first[i] << 32 | s->low[i];
		return 0;
	}
	at = place(c, piece, column);
	if (sh_spill_read(c->fd, &low, sizeof low, at + offsetof(struct sh_stretch, low[i]), err) <
		0 ||
	    sh_spill_read(c->fd, &first, 1, at + offsetof(struct sh_stretch, first[i]), err) < 0)
		return -1;
	*key = (uint64_t)first << 32 | low;
	return 0;
}
