/* SPDX-License-Identifier: MIT */
#include "io/keysort.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "io/parallel.h"

/* FEW: places that are sorted by insertion. DEPTH: bytes of a key that are sorted by digits.
 * SAMPLE: keys for each splitter. */
enum { FEW = 24, DEPTH = 64, SAMPLE = 32 };

/* Returns 8 bytes of the text from `depth` on as a number. */
static uint64_t prefix_of(struct sh_slice text, size_t depth)
{
	size_t n = text.n > depth ? text.n - depth : 0;
	char first[8] = { 0 };

	if (n >= sizeof first)
		return sh_be64(text.p + depth);
	if (n)
		memcpy(first, text.p + depth, n);
	return sh_be64(first);
}

static int compare(const struct sh_keysort_place *x, const struct sh_keysort_place *y)
{
	if (x->prefix != y->prefix)
		return sh_compare(x->prefix, y->prefix);
	return sh_slice_cmp(sh_keysort_text(x), sh_keysort_text(y));
}

static int by_key(const void *a, const void *b)
{
	return compare(a, b);
}

static void insert_all(struct sh_keysort_place *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sh_keysort_place x = p[i];
		size_t at = i;

		for (; at && compare(&p[at - 1], &x) > 0; at--)
			p[at] = p[at - 1];
		p[at] = x;
	}
}

static unsigned digit_of(const struct sh_keysort_place *p, unsigned shift)
{
	return (unsigned)(p->prefix >> shift) & 0xff;
}

/* Moves all places to the buckets of their digits, in place (McIlroy, Bostic and McIlroy 1993:
 * American flag sort). Bucket d ends before end[d]. */
static void move_to_buckets(struct sh_keysort_place *p, size_t n, unsigned shift, size_t end[256])
{
	size_t next[256], count[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		count[digit_of(&p[i], shift)]++;
	for (unsigned d = 0; d < 256; d++) {
		next[d] = sum;
		end[d] = sum += count[d];
	}
	for (unsigned d = 0; d < 256; d++)
		while (next[d] < end[d]) {
			struct sh_keysort_place x = p[next[d]], other;
			unsigned to;

			while ((to = digit_of(&x, shift)) != d) {
				other = p[next[to]];
				p[next[to]++] = x;
				x = other;
			}
			p[next[d]++] = x;
		}
}

static void sort_deeper(struct sh_keysort_place *p, size_t n, size_t depth);

/* Sorts keys that agree on `depth` bytes, and whose prefixes, from there on, agree on the bits
 * above shift + 7. */
static void sort_by_digit(struct sh_keysort_place *p, size_t n, size_t depth, unsigned shift)
{
	size_t end[256], begin = 0;

	if (n <= FEW) {
		insert_all(p, n);
		return;
	}
	move_to_buckets(p, n, shift, end);
	for (unsigned d = 0; d < 256; begin = end[d++])
		if (end[d] - begin > 1 && shift)
			sort_by_digit(p + begin, end[d] - begin, depth, shift - 8);
		else if (end[d] - begin > 1)
			sort_deeper(p + begin, end[d] - begin, depth + 8);
}

/* Sorts keys that agree on `depth` bytes, some of which may be the zeros behind a short
 * key. */
static void sort_deeper(struct sh_keysort_place *p, size_t n, size_t depth)
{
	if (depth >= DEPTH) {
		qsort(p, n, sizeof *p, by_key);
		return;
	}
	for (size_t i = 0; i < n; i++)
		p[i].prefix = prefix_of(sh_keysort_text(&p[i]), depth);
	sort_by_digit(p, n, depth, 56);
}

/* Sorts places by their keys. Changes the prefixes. */
static void sort_places(struct sh_keysort_place *p, size_t n)
{
	sort_by_digit(p, n, 0, 56);
}

static struct sh_keysort_place place_of(const struct sh_hmap *map, uint32_t index, uint32_t number)
{
	struct sh_slice text = sh_hmap_key(map, index);

	return (struct sh_keysort_place){ prefix_of(text, 0), text.p, index, number };
}

/* ---- ranges ---- */

struct splitter {
	uint64_t prefix; /* as in sh_keysort_place */
	struct sh_slice text;
};

/* Ranges of keys: range i has the keys from splitter i - 1 on that are below splitter i. */
struct ranges {
	size_t n;
	struct sh_buf text;        /* the texts of the splitters */
	struct splitter *splitter; /* n - 1 elements, ascending */
};

static void ranges_free(struct ranges *r)
{
	sh_buf_free(&r->text);
	free(r->splitter);
}

static int copy_splitters(
    struct ranges *r, const struct sh_keysort_place *sample, size_t n, struct sh_error *err)
{
	size_t need = 0;

	for (size_t i = 1; i < r->n; i++)
		need += sh_keysort_text(&sample[i * n / r->n]).n;
	if (sh_buf_reserve(&r->text, need, err) < 0)
		return -1;
	for (size_t i = 1; i < r->n; i++) {
		const struct sh_keysort_place *p = &sample[i * n / r->n];
		struct sh_slice text = sh_keysort_text(p);

		r->splitter[i - 1] =
		    (struct splitter){ p->prefix, sh_slice(r->text.p + r->text.n, text.n) };
		if (sh_buf_add(&r->text, text.p, text.n, err) < 0)
			return -1;
	}
	return 0;
}

/* Chooses n >= 1 ranges that divide the keys of a map about evenly, from a sample. Sets r->n to 1
 * when the map is empty. */
static int choose_ranges(
    struct ranges *r, size_t n, const struct sh_hmap *map, struct sh_error *err)
{
	size_t samples = n * SAMPLE < map->n ? n * SAMPLE : map->n;
	struct sh_keysort_place *sample = malloc(samples * sizeof *sample + 1);
	int status = -1;

	r->n = samples ? n : 1;
	r->splitter = malloc(r->n * sizeof *r->splitter);
	if (!sample || !r->splitter) {
		sh_error_nomem(err);
	} else {
		for (size_t i = 0; i < samples; i++)
			sample[i] = place_of(map, (uint32_t)(i * map->n / samples), 0);
		sort_places(sample, samples);
		status = copy_splitters(r, sample, samples, err);
	}
	free(sample);
	return status;
}

static bool is_above(const struct splitter *s, uint64_t prefix, struct sh_slice text)
{
	return s->prefix != prefix ? s->prefix > prefix : sh_slice_cmp(s->text, text) > 0;
}

/* Returns the range of a key: the number of splitters that are not above it. */
static size_t range_of(const struct ranges *r, struct sh_slice text)
{
	uint64_t prefix = prefix_of(text, 0);
	size_t low = 0, high = r->n - 1;

	SH_BISECT(low, high, middle, !is_above(&r->splitter[middle], prefix, text));
	return low;
}

/* Returns an array of all keys of a map, range after range; the caller frees it. Returns NULL on
 * failure. number: is stored in sh_keysort_place.map. Range i is start[i] .. start[i + 1] - 1. */
static struct sh_keysort_place *split_ranges(const struct ranges *r, const struct sh_hmap *map,
    uint32_t number, size_t *start, struct sh_error *err)
{
	struct sh_keysort_place *places = malloc((size_t)map->n * sizeof *places + 1);
	uint16_t *range = malloc((size_t)map->n * sizeof *range + 1);

	memset(start, 0, (r->n + 1) * sizeof *start);
	if (!places || !range) {
		sh_error_nomem(err);
		free(places);
		free(range);
		return NULL;
	}
	for (uint32_t i = 0; i < map->n; i++) {
		range[i] = (uint16_t)range_of(r, sh_hmap_key(map, i));
		start[range[i] + 1]++;
	}
	for (size_t i = 0; i < r->n; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 0; i < map->n; i++)
		places[start[range[i]]++] = place_of(map, i, number);
	/* Each start has moved to the start of the next range. */
	memmove(start + 1, start, r->n * sizeof *start);
	start[0] = 0;
	free(range);
	return places;
}

/* ---- several maps, by several threads ---- */

enum { RANGES = 8 }; /* for each thread */

struct split_map {
	struct sh_keysort_place *places;
	size_t *start; /* as for split_ranges() */
};

struct sorter {
	const struct sh_hmap *const *map;
	size_t n;
	struct split_map *split; /* by map */
	struct ranges ranges;
	struct sh_keysort_place *all;
};

static int split_maps(void *sorter, size_t from, size_t to, struct sh_error *err)
{
	const struct sorter *s = sorter;

	for (size_t i = from; i < to; i++) {
		struct split_map *x = &s->split[i];

		x->start = malloc((s->ranges.n + 1) * sizeof *x->start);
		if (!x->start)
			return sh_error_nomem(err);
		x->places = split_ranges(&s->ranges, s->map[i], (uint32_t)i, x->start, err);
		if (!x->places)
			return -1;
	}
	return 0;
}

static int sort_ranges(void *sorter, size_t from, size_t to, struct sh_error *err)
{
	const struct sorter *s = sorter;

	(void)err;
	for (size_t r = from; r < to; r++) {
		size_t begin = 0, n = 0;

		for (size_t i = 0; i < s->n; i++)
			begin += s->split[i].start[r];
		for (size_t i = 0; i < s->n; i++) {
			const struct split_map *x = &s->split[i];
			size_t more = x->start[r + 1] - x->start[r];

			memcpy(s->all + begin + n, x->places + x->start[r], more * sizeof *s->all);
			n += more;
		}
		sort_places(s->all + begin, n);
	}
	return 0;
}

static int sort_maps(struct sorter *s, unsigned threads, struct sh_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->map[i]->n;
	s->split = calloc(s->n, sizeof *s->split);
	s->all = malloc(n * sizeof *s->all + 1);
	if (!s->split || !s->all)
		return sh_error_nomem(err);
	if (choose_ranges(&s->ranges, (size_t)threads * RANGES, s->map[0], err) < 0 ||
	    sh_parallel(s, 0, threads, s->n, 1, split_maps, err) < 0)
		return -1;
	return sh_parallel(s, 0, threads, s->ranges.n, 1, sort_ranges, err);
}

struct sh_keysort_place *sh_keysort_maps(
    const struct sh_hmap *const *map, size_t n, unsigned threads, struct sh_error *err)
{
	struct sorter s = { .map = map, .n = n };

	if (sort_maps(&s, threads, err) < 0) {
		free(s.all);
		s.all = NULL;
	}
	for (size_t i = 0; s.split && i < n; i++) {
		free(s.split[i].places);
		free(s.split[i].start);
	}
	free(s.split);
	ranges_free(&s.ranges);
	return s.all;
}
