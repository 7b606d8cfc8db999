#include "join/share.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"
#include "base/compare.h"
#include "io/parallel.h"
#include "join/fpsort.h"

enum { RANGE = 1 << 16 }; /* sorted features that a task puts into buckets */

/* ---- building ---- */

int sh_share_add(struct sh_share *s, const uint64_t *hash, size_t n, struct sh_error *err)
{
	if (s->n_hashes + n > s->hash_cap &&
	    sh_tables_grow(s->tables, (void **)&s->hash, &s->hash_cap, s->n_hashes + n,
		sizeof *s->hash, err) < 0)
		return -1;
	if (s->n + 2 > s->start_cap && sh_tables_grow(s->tables, (void **)&s->start, &s->start_cap,
					   s->n + 2, sizeof *s->start, err) < 0)
		return -1;
	if (n)
		memcpy(s->hash + s->n_hashes, hash, n * sizeof *hash);
	s->start[0] = 0;
	s->n_hashes += n;
	s->start[++s->n] = s->n_hashes;
	return 0;
}

void sh_share_free(struct sh_share *s)
{
	sh_tables_put(s->tables, s->hash);
	sh_tables_put(s->tables, s->start);
	sh_tables_put(s->tables, s->member);
	sh_tables_put(s->tables, s->place);
	sh_tables_put(s->tables, s->first);
	sh_tables_put(s->tables, s->owner);
	*s = (struct sh_share){ .tables = s->tables };
}

static int find_owners(
    struct sh_share *s, const uint32_t *number, uint32_t numbers, struct sh_error *err)
{
	s->numbers = number ? numbers : (uint32_t)s->n;
	s->owner = sh_tables_get(s->tables, s->numbers, sizeof *s->owner, err);
	if (!s->owner)
		return -1;
	memset(s->owner, 0xff, s->numbers * sizeof *s->owner);
	for (uint32_t i = 0; i < s->n; i++)
		if (!number || number[i] != SH_SHARE_NONE)
			s->owner[number ? number[i] : i] = i;
	return 0;
}

/* Two Bloom filters of one hash function: bit b of `once` is 1 when some feature has the bit b, of
 * `twice` when at least two have it. A feature whose bit in `twice` is 0 belongs to one document.
 * This holds for most features. They need not be sorted. */
struct filter {
	uint64_t *once, *twice;
	unsigned shift;
};

static size_t bit_of(const struct filter *p, uint64_t hash)
{
	return (size_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> p->shift);
}

/* The filter in n ranges of words. Each range is a task that sets only its own words, so threads
 * need no lock. */
struct filter_ranges {
	const struct sh_share *share;
	struct filter *filter;
	size_t n;
};

static int find_ranges(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct filter_ranges *r = arg;
	const struct sh_share *s = r->share;
	struct filter *p = r->filter;
	size_t words = (size_t)1 << (64 - 6 - p->shift), begin = words * from / r->n,
	       end = words * to / r->n;

	(void)err;
	for (size_t f = 0; f < s->n_hashes; f++) {
		size_t bit = bit_of(p, s->hash[f]);
		uint64_t mask = UINT64_C(1) << bit % 64;

		if (bit / 64 < begin || bit / 64 >= end)
			continue;
		p->twice[bit / 64] |= p->once[bit / 64] & mask;
		p->once[bit / 64] |= mask;
	}
	return 0;
}

/* Fills the filter, which has at least 16 bits for each feature, or 2^32 bits. */
static int make_filter(
    const struct sh_share *s, struct filter *p, unsigned threads, struct sh_error *err)
{
	struct filter_ranges r = { s, p, threads };
	size_t words;

	for (p->shift = 64 - 10; p->shift > 32 && s->n_hashes >> (64 - 4 - p->shift);)
		p->shift--;
	words = (size_t)1 << (64 - 6 - p->shift);
	p->once = sh_tables_get_zeroed(s->tables, words, sizeof *p->once, err);
	p->twice = p->once ? sh_tables_get_zeroed(s->tables, words, sizeof *p->twice, err) : NULL;
	return p->twice ? sh_parallel(&r, 0, threads, threads, 1, find_ranges, err) : -1;
}

/* Features that may belong to two documents, in the order of their documents' numbers. */
struct shared_features {
	struct sh_sorted sorted; /* hashes of the features; id: index in the order above */
	uint32_t *number_of;     /* by index: the number of the document */
	size_t n;
};

struct placing {
	struct sh_share *share;
	const struct filter *filter;
	struct shared_features *features;
};

/* Selects the features of the documents with the numbers from .. to-1. When it writes them, sets
 * first[] of these documents, too. */
static size_t select_features(void *placing, size_t from, size_t to, size_t at)
{
	const struct placing *t = placing;
	struct sh_share *s = t->share;
	struct shared_features *f = t->features;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t d = s->owner[i];
		uint64_t h = d == SH_SHARE_NONE ? 0 : s->start[d],
			 end = d == SH_SHARE_NONE ? 0 : s->start[d + 1];

		if (at != SH_COUNT_ONLY)
			s->first[i] = (uint32_t)(at + n);
		for (; h < end; h++) {
			if (!sh_bits_has(t->filter->twice, bit_of(t->filter, s->hash[h])))
				continue;
			if (at != SH_COUNT_ONLY) {
				f->sorted.side.word[at + n] = s->hash[h];
				f->sorted.side.id[at + n] = (uint32_t)(at + n);
				f->number_of[at + n] = (uint32_t)i;
			}
			n++;
		}
	}
	return n;
}

/* Fills f. The caller returns the arrays of f to the tables, also after a failure. */
static int put_features(struct sh_share *s, const struct filter *p, struct shared_features *f,
    unsigned threads, struct sh_error *err)
{
	struct placing t = { s, p, f };
	struct sh_selection selection = {
		.threads = threads, .n = s->numbers, .fn = select_features, .arg = &t
	};

	if (sh_selection_count(&selection, err) < 0)
		return -1;
	f->n = selection.found;
	s->first[s->numbers] = (uint32_t)f->n;
	if (sh_sorted_get(&f->sorted, s->tables, f->n, err) == 0)
		f->number_of = sh_tables_get(s->tables, f->n, sizeof *f->number_of, err);
	if (f->number_of)
		return sh_selection_fill(&selection, err);
	sh_selection_free(&selection);
	return -1;
}

/* Fills f, and sorts its features by hash. The sort is stable: each bucket is in the order of the
 * documents' numbers. */
static int sort_features(
    struct sh_share *s, struct shared_features *f, unsigned threads, struct sh_error *err)
{
	struct filter p = { 0 };
	int status = -1;

	if (s->n_hashes >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "too many documents to look for shared features: split the input");
	s->first = sh_tables_get(s->tables, (size_t)s->numbers + 1, sizeof *s->first, err);
	if (s->first && make_filter(s, &p, threads, err) == 0 &&
	    put_features(s, &p, f, threads, err) == 0)
		status =
		    sh_side_sort_by(threads, &f->sorted.side, &f->sorted.room, NULL, NULL, err);
	sh_tables_put(s->tables, p.once);
	sh_tables_put(s->tables, p.twice);
	return status;
}

struct bucket_maker {
	struct sh_share *share;
	const struct shared_features *features;
};

/* Sets member[] and place[] of the sorted features from .. to-1. */
static int make_range(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct bucket_maker *m = arg;
	const struct sh_side *side = &m->features->sorted.side;
	struct sh_share *s = m->share;
	size_t begin = from;

	(void)err;
	while (begin && side->word[begin - 1] == side->word[from])
		begin--;
	for (size_t i = from; i < to; i++) {
		if (i && side->word[i] != side->word[i - 1])
			begin = i;
		s->member[i] = m->features->number_of[side->id[i]];
		s->place[side->id[i]] = (struct sh_share_place){ (uint32_t)i, (uint32_t)begin };
	}
	return 0;
}

static int make_buckets(
    struct sh_share *s, const struct shared_features *f, unsigned threads, struct sh_error *err)
{
	struct bucket_maker m = { s, f };

	s->member = sh_tables_get(s->tables, f->n, sizeof *s->member, err);
	s->place = s->member ? sh_tables_get(s->tables, f->n, sizeof *s->place, err) : NULL;
	if (!s->place)
		return -1;
	return sh_parallel(&m, 0, threads, f->n, RANGE, make_range, err);
}

int sh_share_order(struct sh_share *s, const uint32_t *number, uint32_t numbers, unsigned threads,
    struct sh_error *err)
{
	struct shared_features f = { 0 };
	int status = -1;

	if (find_owners(s, number, numbers, err) == 0 && sort_features(s, &f, threads, err) == 0)
		status = make_buckets(s, &f, threads, err);
	sh_sorted_put(&f.sorted, s->tables);
	sh_tables_put(s->tables, f.number_of);
	sh_tables_put(s->tables, s->hash);
	s->hash = NULL;
	return status;
}

/* ---- looking up ---- */

void sh_share_room_free(struct sh_share_room *r)
{
	free(r->common);
	free(r->found);
	*r = (struct sh_share_room){ 0 };
}

static int prepare(const struct sh_share *s, struct sh_share_room *r, struct sh_error *err)
{
	size_t had = r->common_cap;

	if (s->numbers <= had)
		return 0;
	if (SH_RESERVE(r->common, r->common_cap, s->numbers, err) < 0)
		return -1;
	memset(r->common + had, 0, (r->common_cap - had) * sizeof *r->common);
	return 0;
}

/* Counts a common feature with each of n members. Appends the members that had none to r->found;
 * met: the number of elements of r->found. Returns the new number. There is no branch on which
 * member is new, because it is random. */
static size_t meet(struct sh_share_room *r, const uint32_t *member, uint32_t n, size_t met)
{
	for (uint32_t i = 0; i < n; i++) {
		r->found[met].number = member[i];
		met += r->common[member[i]]++ == 0;
	}
	return met;
}

/* Counts a common feature with the SH_SHARE_NEAR members of a bucket just before the place, and
 * with its first SH_SHARE_NEAR members. */
static int meet_bucket(const struct sh_share *s, struct sh_share_place place,
    struct sh_share_room *r, size_t *n, struct sh_error *err)
{
	uint32_t at = place.at, begin = place.begin,
		 near = at - begin > SH_SHARE_NEAR ? at - SH_SHARE_NEAR : begin,
		 first = near - begin < SH_SHARE_NEAR ? near - begin : SH_SHARE_NEAR;

	if (SH_RESERVE(r->found, r->found_cap, *n + 2 * SH_SHARE_NEAR, err) < 0)
		return -1;
	*n = meet(r, s->member + near, at - near, *n);
	*n = meet(r, s->member + begin, first, *n);
	return 0;
}

static bool shares_enough(
    const struct sh_share *s, uint32_t number, const struct sh_shared *other, unsigned one_in)
{
	size_t n = sh_share_size(s, number), m = sh_share_size(s, other->number);

	return (size_t)other->common * one_in >= (n < m ? n : m);
}

static int by_number(const void *a, const void *b)
{
	const struct sh_shared *x = a, *y = b;

	return sh_compare(x->number, y->number);
}

int sh_share_find(const struct sh_share *s, uint32_t number, unsigned least, unsigned one_in,
    struct sh_share_room *room, const struct sh_shared **found, size_t *n, struct sh_error *err)
{
	size_t met = 0;
	int status = prepare(s, room, err);

	*n = 0;
	*found = NULL;
	for (uint32_t i = s->first[number]; status == 0 && i < s->first[number + 1]; i++)
		status = meet_bucket(s, s->place[i], room, &met, err);
	for (size_t i = 0; i < met; i++) {
		struct sh_shared other = { room->found[i].number, 0 };

		other.common = room->common[other.number];
		room->common[other.number] = 0;
		if (other.common >= least && (!one_in || shares_enough(s, number, &other, one_in)))
			room->found[(*n)++] = other;
	}
	if (*n)
		qsort(room->found, *n, sizeof *room->found, by_number);
	*found = room->found;
	return status;
}
