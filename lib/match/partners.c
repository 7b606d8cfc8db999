/* SPDX-License-Identifier: MIT */
#include "match/partners.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "io/parallel.h"
#include "match/posting.h"

/* A bucket among the members of a worker: its short documents, then the others, both in the order
 * of ranks. In columns of minwise keys all documents count as short. */
struct bucket {
	uint32_t start, shorts, others;
};

struct worker {
	struct making *all;
	struct sh_sorted sorted;
	uint64_t *word; /* of a bucket: !meets_all << 32 | rank */
	size_t word_cap;
	uint32_t *member;
	struct bucket *bucket;
	size_t n, cap, n_buckets, bucket_cap;
	uint64_t base; /* index of its first member among the members of all workers */
};

struct making {
	struct sh_partners *partners;
	const struct sh_sorter *postings;
	unsigned from, to;    /* columns */
	size_t range;         /* the first one that is read */
	pthread_mutex_t lock; /* of partners->tables */
};

static int grow(
    struct worker *w, void **array, size_t *cap, size_t want, size_t size, struct sh_error *err)
{
	int status;

	if (want <= *cap)
		return 0;
	pthread_mutex_lock(&w->all->lock);
	status = sh_tables_grow(w->all->partners->tables, array, cap, want, size, err);
	pthread_mutex_unlock(&w->all->lock);
	return status;
}

/* Stores the bucket of n postings, unless no two of its documents can meet. */
static int add_bucket(struct worker *w, const char *record, size_t n, struct sh_error *err)
{
	const struct sh_partners *o = w->all->partners;
	size_t m = 0, shorts = 0;
	bool ascends = true;

	if (SH_RESERVE(w->word, w->word_cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct sh_doc_key p = sh_posting_unpack(record + i * SH_POSTING_SIZE);
		uint32_t rank = o->rank ? o->rank[p.document] : p.document;

		if (rank >= o->documents)
			continue;
		w->word[m] = (uint64_t)!p.meets_all << 32 | rank;
		ascends = ascends && (m == 0 || w->word[m - 1] < w->word[m]);
		shorts += p.meets_all;
		m++;
	}
	if (!ascends)
		qsort(w->word, m, sizeof *w->word, sh_compare_u64);
	if (m < 2 || !shorts ||
	    ((uint32_t)w->word[shorts - 1] < o->prior && (uint32_t)w->word[m - 1] < o->prior))
		return 0;
	if (w->n + m > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "2^32 or more keys are shared by documents");
	if (grow(w, (void **)&w->member, &w->cap, w->n + m, sizeof *w->member, err) < 0 ||
	    grow(w, (void **)&w->bucket, &w->bucket_cap, w->n_buckets + 1, sizeof *w->bucket, err) <
		0)
		return -1;
	w->bucket[w->n_buckets++] =
	    (struct bucket){ (uint32_t)w->n, (uint32_t)shorts, (uint32_t)(m - shorts) };
	for (size_t i = 0; i < m; i++)
		w->member[w->n++] = (uint32_t)w->word[i];
	return 0;
}

/* Stores the buckets of some ranges. */
static int find_buckets(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;
	const struct making *all = w->all;

	for (; from < to; from++) {
		const char *record;

		if (sh_sorter_load(all->postings, all->range + from, &w->sorted, err) < 0)
			return -1;
		record = w->sorted.record;
		for (size_t left = w->sorted.n, n; left; left -= n, record += n * SH_POSTING_SIZE) {
			unsigned column = (unsigned char)*record;

			n = sh_posting_bucket(record, left);
			if (n > 1 && column >= all->from && column < all->to &&
			    add_bucket(w, record, n, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Gives a document a place, or counts it when `place` is NULL. first[r] is the number of places of
 * rank r, or the index of the next one. */
static inline void put_place(const struct sh_partners *p, uint32_t rank, uint32_t start,
    uint32_t before, struct sh_bucket_place *place)
{
	if (!before)
		return;
	if (place)
		place[p->first[rank]++] = (struct sh_bucket_place){ start, before };
	else
		p->first[rank + 1]++;
}

/* Gives the documents of a bucket their places. A pair is a matter of its document of higher rank.
 * So one of the first short documents meets all others of lower rank: in places that are not
 * cut. */
static void each_place(const struct sh_partners *p, const struct bucket *b, uint32_t start,
    struct sh_bucket_place *place)
{
	const uint32_t *shorts = p->member + start, *other = shorts + b->shorts;
	uint32_t first = b->shorts < SH_BUCKET_MOST ? b->shorts : SH_BUCKET_MOST, lower = 0;

	for (uint32_t i = 0; i < b->shorts; i++) {
		if (shorts[i] < p->prior)
			continue;
		put_place(p, shorts[i], start, i, place);
		while (i < first && lower < b->others && other[lower] < shorts[i])
			lower++;
		for (uint32_t k = 0; i < first && k < lower; k += SH_BUCKET_MOST)
			put_place(p, shorts[i], start + b->shorts + k,
			    lower - k < SH_BUCKET_MOST ? lower - k : SH_BUCKET_MOST, place);
	}
	lower = 0;
	for (uint32_t i = 0; i < b->others; i++) {
		while (lower < first && shorts[lower] < other[i])
			lower++;
		if (other[i] >= p->prior)
			put_place(p, other[i], start, lower, place);
	}
}

static bool is_cut(const struct bucket *b)
{
	return b->shorts > SH_BUCKET_MOST + !b->others;
}

static void each_bucket(
    struct making *all, const struct worker *w, unsigned n_workers, struct sh_bucket_place *place)
{
	for (unsigned i = 0; i < n_workers; i++)
		for (size_t b = 0; b < w[i].n_buckets; b++) {
			const struct bucket *bucket = &w[i].bucket[b];

			each_place(
			    all->partners, bucket, (uint32_t)(w[i].base + bucket->start), place);
			all->partners->cut += place && is_cut(bucket);
		}
}

/* Moves the members of all workers into one array. */
static int join_members(struct making *all, struct worker *w, unsigned n, struct sh_error *err)
{
	struct sh_partners *p = all->partners;
	uint64_t members = 0;

	for (unsigned i = 0; i < n; i++) {
		w[i].base = members;
		members += w[i].n;
	}
	if (members >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "2^32 or more keys are shared by documents");
	if (n == 1) {
		p->member = w->member;
		w->member = NULL;
		return 0;
	}
	p->member = sh_tables_get(p->tables, (size_t)members + 1, sizeof *p->member, err);
	if (!p->member)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		if (w[i].n)
			memcpy(p->member + w[i].base, w[i].member, w[i].n * sizeof *p->member);
		sh_tables_put(p->tables, w[i].member);
		w[i].member = NULL;
	}
	return 0;
}

static int make_places(struct making *all, struct worker *w, unsigned n, struct sh_error *err)
{
	struct sh_partners *p = all->partners;
	uint32_t last = p->documents;

	if (join_members(all, w, n, err) < 0)
		return -1;
	p->first = sh_tables_get(p->tables, (size_t)p->documents + 1, sizeof *p->first, err);
	if (!p->first)
		return -1;
	each_bucket(all, w, n, NULL);
	for (uint32_t r = 0; r < last; r++)
		p->first[r + 1] += p->first[r];
	p->place = sh_tables_get(p->tables, (size_t)p->first[last] + 1, sizeof *p->place, err);
	if (!p->place)
		return -1;
	each_bucket(all, w, n, p->place);
	/* first[r] is now the end of the places of r. */
	memmove(p->first + 1, p->first, last * sizeof *p->first);
	p->first[0] = 0;
	return 0;
}

int sh_partners_make(struct sh_partners *p, const struct sh_sorter *postings, unsigned from,
    unsigned to, struct sh_error *err)
{
	struct making all = { p, postings, from, to, 0, PTHREAD_MUTEX_INITIALIZER };
	struct worker *w = calloc(p->jobs, sizeof *w);
	const char first = (char)from, last = (char)to;
	size_t end = sh_sorter_range_of(postings, sh_slice(&last, 1)) + 1;
	int status;

	if (!w)
		return sh_error_nomem(err);
	all.range = sh_sorter_range_of(postings, sh_slice(&first, 1));
	for (unsigned i = 0; i < p->jobs; i++)
		w[i].all = &all;
	status = sh_parallel(w, sizeof *w, p->jobs, end - all.range, 1, find_buckets, err);
	for (unsigned i = 0; i < p->jobs; i++) {
		sh_sorted_free(&w[i].sorted);
		free(w[i].word);
	}
	if (status == 0)
		status = make_places(&all, w, p->jobs, err);
	for (unsigned i = 0; i < p->jobs; i++) {
		sh_tables_put(p->tables, w[i].member);
		sh_tables_put(p->tables, w[i].bucket);
	}
	free(w);
	return status;
}

void sh_partners_free(struct sh_partners *p)
{
	sh_tables_put(p->tables, p->member);
	sh_tables_put(p->tables, p->first);
	sh_tables_put(p->tables, p->place);
	*p = (struct sh_partners){ 0 };
}

/* ---- partners of a document ---- */

void sh_partner_room_free(struct sh_partner_room *r)
{
	free(r->slot);
	free(r->partner);
	*r = (struct sh_partner_room){ 0 };
}

/* Makes room for n partners: a hash table at most half full. */
static int reserve(struct sh_partner_room *r, size_t n, struct sh_error *err)
{
	size_t slots = 256;

	while (slots < 2 * n)
		slots *= 2;
	if (SH_RESERVE(r->partner, r->cap, n, err) < 0)
		return -1;
	if (slots <= r->slots && ++r->call)
		return 0;
	if (SH_RESERVE(r->slot, r->slot_cap, slots, err) < 0)
		return -1;
	r->slots = slots > r->slots ? slots : r->slots;
	memset(r->slot, 0, r->slots * sizeof *r->slot);
	r->call = 1;
	return 0;
}

/* Returns whether the rank is new in this call. */
static inline bool put(struct sh_partner_room *r, uint32_t rank)
{
	uint64_t entry = (uint64_t)rank << 32 | r->call;
	size_t at = (size_t)(rank * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (r->slots - 1);

	for (; (uint32_t)r->slot[at] == r->call; at = (at + 1) & (r->slots - 1))
		if (r->slot[at] == entry)
			return false;
	r->slot[at] = entry;
	return true;
}

size_t sh_partners_of(
    const struct sh_partners *p, uint32_t rank, struct sh_partner_room *room, struct sh_error *err)
{
	const struct sh_bucket_place *place = p->place + p->first[rank];
	size_t places = p->first[rank + 1] - p->first[rank], n = 0, most = 0;

	for (size_t i = 0; i < places; i++)
		most += sh_bucket_meets(place[i].before);
	if (reserve(room, most, err) < 0)
		return SIZE_MAX;
	for (size_t i = 0; i < places; i++) {
		const uint32_t *member = p->member + place[i].start;
		size_t meets = sh_bucket_meets(place[i].before);

		for (size_t k = 0; k < meets; k++) {
			uint32_t other = member[sh_bucket_place(place[i].before, k)];

			if (put(room, other))
				room->partner[n++] = other;
		}
	}
	return n;
}
