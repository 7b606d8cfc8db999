/* Candidates by shared features: pairs whose samples have at least LEAST features in common, and at
 * least one in one_in() of the features of the smaller sample.
 *
 * Most of these pairs share a paragraph that many documents have. Their bags of tokens exclude them
 * here, before any text is read again.
 *
 * All pairs are found once. Each vertex has a list of the better vertices with which it shares
 * features. A join of subsets reads only the lists of its own vertices. */
#include <stdlib.h>
#include <string.h>

#include "fp/reach.h"
#include "match/align.h"
#include "group/dedup_state.h"
#include "weight/weight.h"

enum { LEAST = 2, ONE_IN = 12 };

/* Bags bound the edit similarity. They do not bound the Jaccard similarity of a text that repeats
 * itself. Below SH_REACH_LOWEST only shared features find such a pair, so bags are not used. */
bool sh_dedup_needs_bags(const struct sh_dedup_opts *opts)
{
	const struct sh_measure *m = opts->how.measure;

	return m->ordered || (m->any && opts->threshold >= SH_REACH_LOWEST);
}

int sh_dedup_sample(struct sh_dedup *d, const uint64_t *hash, size_t n, const struct sh_bag *bag,
    struct sh_error *err)
{
	size_t documents = d->share.n + 1;

	d->share.tables = d->opts.tables;
	if (bag) {
		if (documents > d->bag_cap && sh_tables_grow(d->opts.tables, (void **)&d->bag,
						  &d->bag_cap, documents, sizeof *d->bag, err) < 0)
			return -1;
		d->bag[documents - 1] = *bag;
	}
	return sh_share_add(&d->share, hash, n, err);
}

/* Returns an array by document, for sh_tables_put(): the place of the vertex that the document
 * represents, or SH_SHARE_NONE when it represents none. */
static uint32_t *number_documents(struct sh_dedup *d, struct sh_error *err)
{
	uint32_t *number = sh_tables_get(d->opts.tables, d->n, sizeof *number, err);

	if (!number)
		return NULL;
	memset(number, 0xff, d->n * sizeof *number);
	for (uint32_t v = 0; v < d->n_vertices; v++)
		number[d->vertex[v]] = d->place[v];
	return number;
}

/* Returns the least part of a text's features that a similar text has, too, when it is not shorter.
 * In millionths; may be negative. One edit changes n n-grams. */
static int64_t common_part(const struct sh_dedup_opts *opts)
{
	const struct sh_measure *m = opts->how.measure;
	int64_t jaccard = (int64_t)opts->threshold, n = opts->how.ngrams.max,
		edit = (int64_t)(m->any ? opts->edit_threshold : opts->threshold);

	edit = SH_WEIGHT_ONE - n * (SH_WEIGHT_ONE - edit);
	if (m->ordered || (m->any && edit < jaccard))
		return edit;
	return jaccard;
}

/* Returns the N of "one in N features". Samples vary, so a third of common_part() is enough. N is
 * at most ONE_IN. */
static unsigned one_in(const struct sh_dedup_opts *opts)
{
	int64_t part = common_part(opts);

	return part * ONE_IN > 3 * SH_WEIGHT_ONE ? (unsigned)(3 * SH_WEIGHT_ONE / part) : ONE_IN;
}

/* Returns the lower of the measure's two thresholds: a pair that reaches either one is similar. */
static uint64_t bag_threshold(const struct sh_dedup_opts *opts)
{
	return opts->how.measure->any && opts->edit_threshold < opts->threshold
		   ? opts->edit_threshold
		   : opts->threshold;
}

/* Returns false when the bags of two vertices exclude that the vertices are similar. */
static bool may_be_similar(const struct sh_dedup *d, uint32_t u, uint32_t v)
{
	const struct sh_bag *x, *y;

	if (!d->bag)
		return true;
	x = &d->bag[d->vertex[u]];
	y = &d->bag[d->vertex[v]];
	return sh_bag_distance(x, y) <=
	       sh_align_limit(x->n > y->n ? x->n : y->n, bag_threshold(&d->opts));
}

static int list_partners(
    struct sh_dedup *d, uint32_t place, struct sh_share_room *room, struct sh_error *err)
{
	const struct sh_shared *found;
	uint32_t v = d->at_place[place];
	size_t n;

	if (sh_share_find(&d->share, place, LEAST, one_in(&d->opts), room, &found, &n, err) < 0)
		return -1;
	if (d->n_partners + n > d->partner_cap &&
	    sh_tables_grow(d->opts.tables, (void **)&d->partner, &d->partner_cap, d->n_partners + n,
		sizeof *d->partner, err) < 0)
		return -1;
	d->partners[v].begin = d->n_partners;
	for (size_t i = 0; i < n; i++) {
		uint32_t u = d->at_place[found[i].number];

		d->partner[d->n_partners] = u;
		d->n_partners += may_be_similar(d, u, v);
	}
	d->partners[v].end = d->n_partners;
	return 0;
}

static int list_all_partners(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_share_room room = { 0 };
	int status = 0;

	for (uint32_t place = 0; status == 0 && place < d->n_vertices; place++)
		status = list_partners(d, place, &room, err);
	sh_share_room_free(&room);
	return status;
}

int sh_dedup_gather_shared(struct sh_dedup *d, struct sh_error *err)
{
	uint32_t *number;
	int status;

	if (!d->share.n)
		return 0;
	d->partners = sh_tables_get(d->opts.tables, d->n_vertices, sizeof *d->partners, err);
	d->is_member =
	    sh_tables_get_zeroed(d->opts.tables, d->n_vertices, sizeof *d->is_member, err);
	number = d->partners && d->is_member ? number_documents(d, err) : NULL;
	if (!number)
		return -1;
	status = sh_share_order(&d->share, number, d->n_vertices, d->opts.jobs, err);
	sh_tables_put(d->opts.tables, number);
	if (status == 0)
		status = list_all_partners(d, err);
	sh_share_free(&d->share);
	return status;
}

static void mark(struct sh_dedup *d, const struct sh_subset *c, bool on)
{
	for (uint32_t i = 0; i < c->n; i++)
		d->is_member[sh_subset_vertex(c, i)] = on;
}

/* Passes the marked partners of v to d->on_pair(), without the partners within distance k: the join
 * of fingerprints finds those. */
static int pass_marked(struct sh_dedup *d, uint32_t v, struct sh_error *err)
{
	for (uint64_t i = d->partners[v].begin; i < d->partners[v].end; i++) {
		uint32_t u = d->partner[i];
		unsigned distance;

		if (!d->is_member[u])
			continue;
		distance = sh_fp_distance(
		    sh_dedup_fp(d, d->vertex[u]), sh_dedup_fp(d, d->vertex[v]), d->words);
		if (distance > d->opts.k && d->on_pair(d, u, v, distance, err) < 0)
			return -1;
	}
	return 0;
}

static int join_lists(struct sh_dedup *d, const struct sh_subset *of, const struct sh_subset *with,
    struct sh_error *err)
{
	int status = 0;

	mark(d, with, true);
	for (uint32_t i = 0; status == 0 && i < of->n; i++)
		status = pass_marked(d, sh_subset_vertex(of, i), err);
	mark(d, with, false);
	return status;
}

int sh_dedup_join_shared(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err)
{
	if (!d->partners)
		return 0;
	if (join_lists(d, a, b ? b : a, err) < 0)
		return -1;
	return b ? join_lists(d, b, a, err) : 0;
}
