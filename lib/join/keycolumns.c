#include "join/keycolumns.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/pages.h"

enum { LARGE_PAGE = 1 << 21 };

/* One column of added documents, in their order. */
struct sh_key_added {
	uint32_t low[SH_PIECE];
	uint8_t first[SH_PIECE];
};

/* Returns n bytes, rounded up, so that they get large pages. */
static size_t in_pages(size_t n)
{
	return (n + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

static size_t piece_bytes(const struct sh_key_columns *c)
{
	return in_pages(c->keys * sizeof(struct sh_stretch));
}

static size_t added_bytes(const struct sh_key_columns *c)
{
	return in_pages(c->keys * sizeof(struct sh_key_added));
}

void sh_key_columns_init(struct sh_key_columns *c, unsigned keys, size_t memory, const char *dir)
{
	*c = (struct sh_key_columns){
		.keys = keys, .dir = dir, .fd = -1, .begun = keys, .ended = keys
	};
	c->most = memory / piece_bytes(c);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->ended_all, NULL);
}

/* Frees the memory that only adding needs. */
static void free_added(struct sh_key_columns *c)
{
	sh_pages_put(c->last, added_bytes(c));
	sh_pages_put(c->full, added_bytes(c));
	sh_pages_put(c->ordered, piece_bytes(c));
	c->last = c->full = NULL;
	c->ordered = NULL;
}

void sh_key_columns_free(struct sh_key_columns *c)
{
	free_added(c);
	for (size_t i = 0; i < c->n_pieces; i++) {
		sh_pages_put(c->piece[i].stretch, piece_bytes(c));
		free(c->piece[i].start);
	}
	free(c->piece);
	sh_spill_close(c->fd);
	pthread_cond_destroy(&c->ended_all);
	pthread_mutex_destroy(&c->lock);
}

/* ---- ordering ---- */

static uint64_t place(const struct sh_key_columns *c, size_t piece, unsigned column)
{
	return ((uint64_t)(piece - c->most) * c->keys + column) * sizeof(struct sh_stretch);
}

/* Orders n records by their first bytes. Sets start[]. */
static void order(
    const struct sh_key_added *from, size_t n, uint16_t *start, struct sh_key_record *to)
{
	size_t at[SH_FIRSTS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from->first[i]]++;
	for (unsigned f = 0; f < SH_FIRSTS; f++) {
		size_t count = at[f];

		start[f] = (uint16_t)sum;
		at[f] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t low = from->low[i];

		to[at[from->first[i]]++] =
		    (struct sh_key_record){ (uint16_t)low, (uint16_t)(low >> 16), (uint16_t)i };
	}
}

/* Returns the bytes of n records in whole blocks. */
static size_t in_blocks(size_t n)
{
	size_t bytes = n * sizeof(struct sh_key_record);

	return (bytes + SH_SPILL_BLOCK - 1) / SH_SPILL_BLOCK * SH_SPILL_BLOCK;
}

/* Orders a column of the last piece. Writes it if the piece goes to the file. */
static int order_column(struct sh_key_columns *c, unsigned column, struct sh_error *err)
{
	size_t at = c->n_pieces - 1, n = c->n_full;
	const struct sh_key_piece *p = &c->piece[at];
	struct sh_key_record *to = (p->stretch ? p->stretch : c->ordered)[column].record;

	order(&c->full[column], n, p->start[column], to);
	return p->stretch ? 0
			  : sh_spill_write_at(c->fd, to, in_blocks(n), place(c, at, column), err);
}

static bool begin_column(struct sh_key_columns *c, unsigned *column)
{
	bool left;

	pthread_mutex_lock(&c->lock);
	left = c->begun < c->keys;
	*column = c->begun;
	c->begun += left;
	pthread_mutex_unlock(&c->lock);
	return left;
}

static void end_column(struct sh_key_columns *c)
{
	pthread_mutex_lock(&c->lock);
	if (++c->ended == c->keys)
		pthread_cond_signal(&c->ended_all);
	pthread_mutex_unlock(&c->lock);
}

int sh_key_columns_help(struct sh_key_columns *c, struct sh_error *err)
{
	unsigned column;
	int status;

	if (!begin_column(c, &column))
		return 0;
	status = order_column(c, column, err);
	end_column(c);
	return status;
}

/* Orders the columns that no helper has begun, and waits for the other columns. */
static int order_rest(struct sh_key_columns *c, struct sh_error *err)
{
	unsigned column;
	int status = 0;

	while (status == 0 && begin_column(c, &column)) {
		status = order_column(c, column, err);
		end_column(c);
	}
	pthread_mutex_lock(&c->lock);
	while (c->ended < c->begun)
		pthread_cond_wait(&c->ended_all, &c->lock);
	pthread_mutex_unlock(&c->lock);
	return status;
}

/* ---- adding ---- */

/* Adds an empty piece. */
static int new_piece(struct sh_key_columns *c, struct sh_error *err)
{
	struct sh_key_piece *p;

	if (SH_RESERVE(c->piece, c->cap, c->n_pieces + 1, err) < 0)
		return -1;
	p = &c->piece[c->n_pieces];
	*p = (struct sh_key_piece){ .start = malloc(c->keys * sizeof *p->start) };
	if (!p->start)
		return sh_error_nomem(err);
	c->n_pieces++;
	if (c->n_pieces <= c->most) {
		p->stretch = sh_pages_get(piece_bytes(c));
		return p->stretch ? 0 : sh_error_nomem(err);
	}
	if (c->fd < 0) {
		c->fd = sh_spill_open(c->dir, err);
		if (c->fd >= 0)
			sh_spill_uncached(c->fd);
	}
	if (!c->ordered && !(c->ordered = sh_pages_get(piece_bytes(c))))
		return sh_error_nomem(err);
	return c->fd < 0 ? -1 : 0;
}

/* Makes a piece of the n documents of c->last, for the helpers. */
static int end_piece(struct sh_key_columns *c, size_t n, struct sh_error *err)
{
	struct sh_key_added *full = c->last;

	if (order_rest(c, err) < 0 || new_piece(c, err) < 0)
		return -1;
	c->last = c->full;
	pthread_mutex_lock(&c->lock);
	c->full = full;
	c->n_full = n;
	c->begun = c->ended = 0;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

/* Copies the documents from .. from+n-1 of the block to at .. at+n-1 of c->last. */
static void fill(
    struct sh_key_columns *c, size_t at, const struct sh_key_block *block, size_t from, size_t n)
{
	for (unsigned k = 0; k < c->keys; k++, from += block->cap) {
		struct sh_key_added *to = &c->last[k];

		memcpy(to->low + at, block->low + from, n * sizeof *to->low);
		memcpy(to->first + at, block->first + from, n);
	}
}

int sh_key_columns_add(
    struct sh_key_columns *c, const struct sh_key_block *from, size_t n, struct sh_error *err)
{
	for (size_t i = 0, m; i < n; i += m) {
		size_t at = c->n - c->n_pieces * SH_PIECE;

		m = n - i < SH_PIECE - at ? n - i : SH_PIECE - at;
		if (!c->last && !(c->last = sh_pages_get(added_bytes(c))))
			return sh_error_nomem(err);
		fill(c, at, from, i, m);
		c->n += m;
		if (at + m == SH_PIECE && end_piece(c, SH_PIECE, err) < 0)
			return -1;
	}
	return 0;
}

int sh_key_columns_finish(struct sh_key_columns *c, struct sh_error *err)
{
	size_t left = c->n > c->n_pieces * SH_PIECE ? c->n - c->n_pieces * SH_PIECE : 0;

	if ((left && end_piece(c, left, err) < 0) || order_rest(c, err) < 0)
		return -1;
	free_added(c);
	return 0;
}

/* ---- reading ---- */

/* Returns the number of records before the first byte `first`, which may be SH_FIRSTS. */
static size_t start_of(
    const struct sh_key_columns *c, size_t piece, unsigned column, unsigned first)
{
	size_t left = c->n - piece * SH_PIECE;

	if (first < SH_FIRSTS)
		return c->piece[piece].start[column][first];
	return left < SH_PIECE ? left : SH_PIECE;
}

size_t sh_key_columns_count(
    const struct sh_key_columns *c, size_t piece, unsigned column, unsigned first)
{
	return start_of(c, piece, column, first + 1) - start_of(c, piece, column, first);
}

const struct sh_key_record *sh_key_columns_read(const struct sh_key_columns *c, size_t piece,
    unsigned column, unsigned from, unsigned to, struct sh_stretch *room, struct sh_error *err)
{
	const struct sh_stretch *s = c->piece[piece].stretch;
	size_t i = start_of(c, piece, column, from), end = start_of(c, piece, column, to);
	size_t begin = i * sizeof *room->record / SH_SPILL_BLOCK * SH_SPILL_BLOCK;

	if (s)
		return s[column].record + i;
	return sh_spill_read(c->fd, (char *)room + begin, in_blocks(end) - begin,
		   place(c, piece, column) + begin, err) < 0
		   ? NULL
		   : room->record + i;
}
