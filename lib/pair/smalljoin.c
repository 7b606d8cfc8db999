#include "pair/smalljoin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fp/features.h"

int sh_small_add(struct sh_small_sets *s, const uint64_t *hash, size_t n, struct sh_error *err)
{
	if (s->n + 2 > s->start_cap &&
	    sh_grow((void **)&s->start, &s->start_cap, s->n + 2, sizeof *s->start, err) < 0)
		return -1;
	if (s->hash_n + n > s->hash_cap &&
	    sh_grow((void **)&s->hash, &s->hash_cap, s->hash_n + n, sizeof *s->hash, err) < 0)
		return -1;
	if (s->n == 0)
		s->start[0] = 0;
	if (n)
		memcpy(s->hash + s->hash_n, hash, n * sizeof *hash);
	s->hash_n += n;
	s->start[++s->n] = s->hash_n;
	return 0;
}

void sh_small_free(struct sh_small_sets *s)
{
	free(s->hash);
	free(s->start);
	*s = (struct sh_small_sets){ 0 };
}

/* Features by number: the rarest is 0. */
struct names {
	uint64_t *hash; /* distinct, ascending */
	uint32_t *number;
	size_t n;
};

struct post {
	uint64_t feature; /* its number */
	uint32_t set;
};

struct join {
	struct sh_small_sets *sets;
	uint64_t threshold;
	size_t few;
	sh_small_fn *fn;
	void *arg;
	struct post *post;
	size_t n_posts;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_feature(const void *a, const void *b)
{
	const struct post *x = a, *y = b;

	if (x->feature != y->feature)
		return x->feature < y->feature ? -1 : 1;
	return (x->set > y->set) - (x->set < y->set);
}

/* Replace each hash by a number that orders features by rarity, then by hash, and sort each
 * set by it: count in the upper half, place in the table of hashes in the lower. */
static int order_sets(struct sh_small_sets *s, struct sh_error *err)
{
	uint64_t *hash = malloc(s->hash_n * sizeof *hash + 1);
	uint32_t *count = malloc(s->hash_n * sizeof *count + 1);
	size_t n;

	if (s->hash_n > UINT32_MAX)
		sh_error_set(err, SH_ERR_RANGE, "more than %u features of small documents",
		    (unsigned)UINT32_MAX);
	else if (!hash || !count)
		sh_error_nomem(err);
	if (s->hash_n > UINT32_MAX || !hash || !count) {
		free(hash);
		free(count);
		return -1;
	}
	if (s->hash_n)
		memcpy(hash, s->hash, s->hash_n * sizeof *hash);
	qsort(hash, s->hash_n, sizeof *hash, by_value);
	n = sh_count_equal(hash, count, s->hash_n);
	for (size_t i = 0; i < s->hash_n; i++) {
		const uint64_t *at = bsearch(&s->hash[i], hash, n, sizeof *hash, by_value);
		size_t place = (size_t)(at - hash);

		s->hash[i] = (uint64_t)count[place] << 32 | place;
	}
	for (size_t i = 0; i < s->n; i++)
		qsort(s->hash + s->start[i], s->start[i + 1] - s->start[i], sizeof *s->hash,
		    by_value);
	free(hash);
	free(count);
	return 0;
}

static size_t size(const struct join *j, uint32_t set)
{
	return j->sets->start[set + 1] - j->sets->start[set];
}

/* How many of a set's first features must be looked at. */
static size_t prefix(const struct join *j, uint32_t set)
{
	size_t n = size(j, set), least = (size_t)((j->threshold * n + 999999) / 1000000);

	return least ? n - least + 1 : n;
}

/* Whether `feature` is the first that both prefixes have. */
static bool is_first_common(const struct join *j, uint32_t a, uint32_t b, uint64_t feature)
{
	const uint64_t *x = j->sets->hash + j->sets->start[a],
		       *y = j->sets->hash + j->sets->start[b];

	while (*x != *y) {
		if (*x < *y)
			x++;
		else
			y++;
	}
	return *x == feature;
}

static bool reaches(const struct join *j, uint32_t a, uint32_t b)
{
	const uint64_t *x = j->sets->hash + j->sets->start[a],
		       *y = j->sets->hash + j->sets->start[b];
	size_t nx = size(j, a), ny = size(j, b), common = 0;

	if (nx >= j->few && ny >= j->few)
		return false;
	for (size_t i = 0, k = 0; i < nx && k < ny;) {
		uint64_t f = x[i], g = y[k];

		common += f == g;
		i += f <= g;
		k += g <= f;
	}
	return common * 1000000 >= j->threshold * (nx + ny - common);
}

static int join_posts(const struct join *j, size_t from, size_t to, struct sh_error *err)
{
	for (size_t y = from; y < to; y++)
		for (size_t x = from; x < y; x++) {
			uint32_t a = j->post[x].set, b = j->post[y].set;

			if (is_first_common(j, a, b, j->post[x].feature) && reaches(j, a, b) &&
			    j->fn(j->arg, a, b, err) < 0)
				return -1;
		}
	return 0;
}

static int make_posts(struct join *j, struct sh_error *err)
{
	size_t n = 0;

	for (uint32_t i = 0; i < j->sets->n; i++)
		n += prefix(j, i);
	j->post = malloc(n * sizeof *j->post + 1);
	if (!j->post)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < j->sets->n; i++)
		for (size_t f = 0; f < prefix(j, i); f++)
			j->post[j->n_posts++] =
			    (struct post){ j->sets->hash[j->sets->start[i] + f], i };
	qsort(j->post, n, sizeof *j->post, by_feature);
	return 0;
}

int sh_small_join(struct sh_small_sets *s, uint64_t threshold, size_t few, sh_small_fn *fn,
    void *arg, struct sh_error *err)
{
	struct join j = { s, threshold, few, fn, arg, NULL, 0 };
	int status = order_sets(s, err);

	if (status == 0)
		status = make_posts(&j, err);
	for (size_t from = 0, to; status == 0 && from < j.n_posts; from = to) {
		for (to = from + 1; to < j.n_posts && j.post[to].feature == j.post[from].feature;)
			to++;
		status = join_posts(&j, from, to, err);
	}
	free(j.post);
	return status;
}
