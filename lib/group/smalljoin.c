#include "group/smalljoin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "io/parallel.h"
#include "join/fpsort.h"
#include "join/scan.h"
#include "weight/weight.h"

/* Makes room for n more sets of hash_n hashes in all. */
static int reserve(struct sh_small_sets *s, size_t n, size_t hash_n, struct sh_error *err)
{
	if (s->n + n + 1 > s->start_cap &&
	    sh_tables_grow(s->tables, (void **)&s->start, &s->start_cap, s->n + n + 1,
		sizeof *s->start, err) < 0)
		return -1;
	if (s->hash_n + hash_n > s->hash_cap &&
	    sh_tables_grow(s->tables, (void **)&s->hash, &s->hash_cap, s->hash_n + hash_n,
		sizeof *s->hash, err) < 0)
		return -1;
	if (s->n == 0)
		s->start[0] = 0;
	return 0;
}

int sh_small_add(struct sh_small_sets *s, const uint64_t *hash, size_t n, struct sh_error *err)
{
	if (reserve(s, 1, n, err) < 0)
		return -1;
	if (n)
		memcpy(s->hash + s->hash_n, hash, n * sizeof *hash);
	s->hash_n += n;
	s->start[++s->n] = s->hash_n;
	return 0;
}

void sh_small_free(struct sh_small_sets *s)
{
	sh_tables_put(s->tables, s->hash);
	sh_tables_put(s->tables, s->start);
	*s = (struct sh_small_sets){ .tables = s->tables, .jobs = s->jobs };
}

static unsigned threads(const struct sh_small_sets *s)
{
	return s->jobs ? s->jobs : 1;
}

/* Sets to be moved, and where they go. */
struct move {
	struct sh_small_sets *to, *from;
	size_t set, hash;
};

static int move_some(void *moves, size_t from, size_t to, struct sh_error *err)
{
	const struct move *m = moves;

	(void)err;
	for (m += from; from < to; from++, m++) {
		if (m->from->hash_n)
			memcpy(m->to->hash + m->hash, m->from->hash,
			    m->from->hash_n * sizeof *m->to->hash);
		for (size_t i = 1; i <= m->from->n; i++)
			m->to->start[m->set + i] = m->hash + m->from->start[i];
		m->from->n = m->from->hash_n = 0;
	}
	return 0;
}

int sh_small_move(
    struct sh_small_sets *s, struct sh_small_sets *const *from, size_t n, struct sh_error *err)
{
	struct move *m = malloc((n + 1) * sizeof *m);
	size_t sets = 0, hashes = 0;
	int status;

	if (!m)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		m[i] = (struct move){ s, from[i], s->n + sets, s->hash_n + hashes };
		sets += from[i]->n;
		hashes += from[i]->hash_n;
	}
	status = reserve(s, sets, hashes, err);
	if (status == 0)
		status = sh_parallel(m, 0, threads(s), n, 1, move_some, err);
	s->n += status == 0 ? sets : 0;
	s->hash_n += status == 0 ? hashes : 0;
	free(m);
	return status;
}

enum {
	/* The work of one task: long beside its start, and short beside the whole join. */
	SETS = 4096,      /* sets to sort */
	HASHES = 1 << 16, /* hashes to number */
	COST = 1 << 14,   /* cost of a block, see fill_block() */
	/* Blocks of a round, for each thread. A round ends when its last block ends: with more
	 * blocks a thread waits less, and more pairs are held. */
	BLOCKS_EACH = 16,
};

/* Two sets. */
struct pair {
	uint32_t a, b;
};

/* Consecutive rows of the join. Row i compares the set of posting i with the sets of the postings
 * before it that have the same feature. */
struct block {
	size_t from;         /* first posting of the first row's feature */
	size_t row, end;     /* rows row .. end-1 */
	struct sh_buf pairs; /* of similar sets: struct pair */
};

struct join {
	const struct sh_small_sets *sets;
	const struct sh_small_part *a, *b;
	uint64_t threshold;
	size_t few;
	sh_small_fn *fn;
	void *arg;
	/* Postings: one for each feature of each set's prefix that other sets have, too. The
	 * postings of one feature are adjacent, sets of a before sets of b. */
	const uint64_t *feature; /* its position, see sh_small_order() */
	const uint32_t *member;  /* index of the set: a's sets first, then b's; see set_of() */
	size_t n_posts;
	struct block *block;
};

static int sort_sets(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct sh_small_sets *s = arg;

	(void)err;
	for (size_t i = from; i < to; i++)
		qsort(s->hash + s->start[i], s->start[i + 1] - s->start[i], sizeof *s->hash,
		    sh_compare_u64);
	return 0;
}

struct numbering {
	const struct sh_small_sets *sets;
	struct sh_side *sorted; /* by hash; id: index in sets->hash */
};

static void load_hashes(void *arg, size_t from, size_t to)
{
	const struct numbering *n = arg;

	for (size_t i = from; i < to; i++) {
		n->sorted->word[i] = n->sets->hash[i];
		n->sorted->id[i] = (uint32_t)i;
	}
}

/* Numbers the features whose first hash is at one of the positions from .. to-1 of `sorted`. */
static int number_features(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct numbering *n = arg;
	const uint64_t *word = n->sorted->word;
	size_t all = n->sets->hash_n, end;

	(void)err;
	while (from > 0 && from < to && word[from] == word[from - 1])
		from++;
	for (size_t i = from; i < to; i = end) {
		for (end = i + 1; end < all && word[end] == word[i];)
			end++;
		for (size_t k = i; k < end; k++)
			n->sets->hash[n->sorted->id[k]] = (uint64_t)(end - i) << 32 | i;
	}
	return 0;
}

/* Replaces each hash by a number that orders features by rarity, then by hash. Then sorts each set.
 * The upper half of the number is the feature's count, the lower half its first position among the
 * sorted hashes. */
int sh_small_order(struct sh_small_sets *s, struct sh_error *err)
{
	struct sh_sorted o;
	struct numbering n = { s, &o.side };
	int status;

	if (s->hash_n > UINT32_MAX - SH_SCAN_TILE)
		return sh_error_set(err, SH_ERR_RANGE, "more than %u features of small documents",
		    (unsigned)(UINT32_MAX - SH_SCAN_TILE));
	if (sh_sorted_get(&o, s->tables, s->hash_n, err) < 0)
		return -1;
	status = sh_parallel_each(threads(s), s->hash_n, load_hashes, &n, err);
	if (status == 0)
		status = sh_side_sort_by(threads(s), &o.side, &o.room, NULL, NULL, err);
	if (status == 0)
		status = sh_parallel(&n, 0, threads(s), s->hash_n, HASHES, number_features, err);
	sh_sorted_put(&o, s->tables);
	return status < 0 ? -1 : sh_parallel(s, 0, threads(s), s->n, SETS, sort_sets, err);
}

static size_t size(const struct join *j, uint32_t set)
{
	return j->sets->start[set + 1] - j->sets->start[set];
}

/* Returns the number of features in a set's prefix. */
static size_t prefix(const struct join *j, uint32_t set)
{
	size_t n = size(j, set),
	       least = (size_t)((j->threshold * n + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);

	return least ? n - least + 1 : n;
}

/* Returns whether the feature at `position` is the first one that both sets have. Both sets must
 * have a common feature. */
static bool is_first_common(const struct join *j, uint32_t a, uint32_t b, uint64_t position)
{
	const uint64_t *x = j->sets->hash + j->sets->start[a],
		       *y = j->sets->hash + j->sets->start[b];

	while (*x != *y) {
		if (*x < *y)
			x++;
		else
			y++;
	}
	return (uint32_t)*x == position;
}

/* Returns whether one of both sets has fewer than `few` features, and their similarity is at least
 * the threshold. */
static bool is_similar(const struct join *j, uint32_t a, uint32_t b)
{
	const uint64_t *x = j->sets->hash + j->sets->start[a],
		       *y = j->sets->hash + j->sets->start[b];
	size_t nx = size(j, a), ny = size(j, b);
	uint64_t common = 0;

	if (nx >= j->few && ny >= j->few)
		return false;
	for (size_t i = 0, k = 0; i < nx && k < ny;) {
		uint64_t f = x[i], g = y[k];

		common += f == g;
		i += f <= g;
		k += g <= f;
	}
	return common * SH_WEIGHT_ONE >= j->threshold * (nx + ny - common);
}

/* Returns the number of members, which are the sets of both parts. */
static size_t n_members(const struct join *j)
{
	return j->a->n + (j->b ? j->b->n : 0);
}

static uint32_t set_of(const struct join *j, size_t member)
{
	return member < j->a->n ? j->a->set[member] : j->b->set[member - j->a->n];
}

/* Returns the end of the postings that begin at `from` and have one feature. */
static size_t feature_end(const struct join *j, size_t from)
{
	size_t to = from + 1;

	while (to < j->n_posts && j->feature[to] == j->feature[from])
		to++;
	return to;
}

/* Returns the first row of a feature: with two parts, the rows are the postings of b. */
static size_t first_row(const struct join *j, size_t from, size_t to)
{
	size_t row = from;

	while (j->b && row < to && j->member[row] < j->a->n)
		row++;
	return row;
}

/* Compares the set of posting `row` with the sets of the postings from .. end-1 of its feature. */
static int join_row(const struct join *j, struct block *block, size_t row, size_t from, size_t end,
    struct sh_error *err)
{
	uint32_t t = set_of(j, j->member[row]);

	for (size_t x = from; x < end; x++) {
		struct pair p = { set_of(j, j->member[x]), t };

		if (is_first_common(j, p.a, t, j->feature[x]) && is_similar(j, p.a, t) &&
		    sh_buf_add(&block->pairs, &p, sizeof p, err) < 0)
			return -1;
	}
	return 0;
}

static int join_block(const struct join *j, struct block *block, struct sh_error *err)
{
	for (size_t from = block->from, to; from < block->end; from = to) {
		size_t first;

		to = feature_end(j, from);
		first = first_row(j, from, to);
		for (size_t row = first > block->row ? first : block->row;
		     row < to && row < block->end; row++)
			if (join_row(j, block, row, from, j->b ? first : row, err) < 0)
				return -1;
	}
	return 0;
}

static int join_blocks(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct join *j = arg;

	for (size_t i = from; i < to; i++)
		if (join_block(j, &j->block[i], err) < 0)
			return -1;
	return 0;
}

/* The next row to be joined. */
struct cursor {
	size_t from, to, first; /* its feature's postings, and their first row */
	size_t row;
};

/* Fills a block with rows until they cost COST: a row costs 1, and 1 more for each comparison.
 * Returns false when no row is left. */
static bool fill_block(const struct join *j, struct cursor *at, struct block *block)
{
	size_t cost = 0;

	block->from = at->from;
	block->row = at->row;
	block->pairs.n = 0;
	while (at->from < j->n_posts && cost < COST) {
		if (at->row == at->to) {
			at->from = at->to;
			if (at->from == j->n_posts)
				break;
			at->to = feature_end(j, at->from);
			at->row = at->first = first_row(j, at->from, at->to);
			continue;
		}
		cost += 1 + (j->b ? at->first : at->row) - at->from;
		at->row++;
	}
	block->end = at->row;
	return block->row < block->end;
}

static int pass_pairs(const struct join *j, const struct block *block, struct sh_error *err)
{
	const struct pair *p = (const struct pair *)(const void *)block->pairs.p;

	for (size_t n = block->pairs.n / sizeof *p; n; n--, p++)
		if (j->fn(j->arg, p->a, p->b, err) < 0)
			return -1;
	return 0;
}

/* Joins all rows, some blocks at a time. */
static int join_rows(struct join *j, size_t most, struct sh_error *err)
{
	struct cursor at = { 0 };
	size_t n = 1;
	int status = 0;

	while (status == 0 && n) {
		for (n = 0; n < most && fill_block(j, &at, &j->block[n]);)
			n++;
		status = sh_parallel(j, 0, threads(j->sets), n, 1, join_blocks, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = pass_pairs(j, &j->block[i], err);
	}
	return status;
}

/* Adds the postings of members to the side. */
struct posting_filler {
	const struct join *join;
	struct sh_side *side;
};

/* Returns the number of features that no other set has. Rare features come first. */
static size_t first_shared(const uint64_t *hash, size_t n)
{
	size_t f = 0;

	while (f < n && hash[f] >> 32 == 1)
		f++;
	return f;
}

static size_t select_posts(void *arg, size_t from, size_t to, size_t at)
{
	const struct posting_filler *p = arg;
	const struct join *j = p->join;
	size_t posts = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t set = set_of(j, i);
		const uint64_t *hash = j->sets->hash + j->sets->start[set];
		size_t n = prefix(j, set), f = first_shared(hash, n);

		for (; f < n; f++, posts++)
			if (at != SH_COUNT_ONLY) {
				p->side->word[at + posts] = (uint32_t)hash[f];
				p->side->id[at + posts] = (uint32_t)i;
			}
	}
	return posts;
}

/* Makes the postings, and sorts them by feature, then by member. */
static int make_posts(struct join *j, struct sh_sorted *o, struct sh_error *err)
{
	struct posting_filler p = { j, &o->side };
	struct sh_selection s = {
		.threads = threads(j->sets), .n = n_members(j), .fn = select_posts, .arg = &p
	};

	if (sh_selection_count(&s, err) < 0)
		return -1;
	if (sh_sorted_get(o, j->sets->tables, s.found, err) < 0) {
		sh_selection_free(&s);
		return -1;
	}
	j->n_posts = s.found;
	j->feature = o->side.word;
	j->member = o->side.id;
	if (sh_selection_fill(&s, err) < 0)
		return -1;
	return sh_side_sort_by(threads(j->sets), &o->side, &o->room, NULL, NULL, err);
}

int sh_small_join(const struct sh_small_sets *s, const struct sh_small_part *a,
    const struct sh_small_part *b, uint64_t threshold, size_t few, sh_small_fn *fn, void *arg,
    struct sh_error *err)
{
	struct join j = {
		.sets = s, .a = a, .b = b, .threshold = threshold, .few = few, .fn = fn, .arg = arg
	};
	size_t most = (size_t)threads(s) * BLOCKS_EACH;
	struct sh_sorted o = { 0 };
	int status = make_posts(&j, &o, err);

	j.block = calloc(most, sizeof *j.block);
	if (!j.block)
		status = sh_error_nomem(err);
	if (status == 0)
		status = join_rows(&j, most, err);
	for (size_t i = 0; j.block && i < most; i++)
		sh_buf_free(&j.block[i].pairs);
	free(j.block);
	sh_sorted_put(&o, s->tables);
	return status;
}
