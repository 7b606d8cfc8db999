#include "fp/bottom.h"

#include <string.h>

#include "base/numsort.h"

/* Inserts h into an ascending array unless it is there. Returns the new length, at most `most`. */
static size_t insert(uint64_t *least, size_t n, size_t most, uint64_t h)
{
	size_t at = n;

	while (at > 0 && least[at - 1] > h)
		at--;
	if (at > 0 && least[at - 1] == h)
		return n;
	if (at == most)
		return n;
	n = n < most ? n + 1 : n;
	memmove(least + at + 1, least + at, (n - 1 - at) * sizeof *least);
	least[at] = h;
	return n;
}

static size_t least_of(const uint64_t *hash, size_t n, size_t most, uint64_t *least)
{
	uint64_t limit = UINT64_MAX;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (hash[i] > limit)
			continue;
		found = insert(least, found, most, hash[i]);
		if (found == most)
			limit = least[most - 1];
	}
	return found;
}

enum { SORTED_MAX = 256, PARTS = 128 };

/* Sorts n <= SORTED_MAX hashes, evenly distributed from 0 to `limit`: by PARTS
 * intervals, then by insertion. */
static void sort(const uint64_t *from, size_t n, uint64_t limit, uint64_t *to)
{
	unsigned shift = 0;
	uint16_t start[PARTS] = { 0 };

	while (limit >> shift >= PARTS)
		shift++;
	for (size_t i = 0; i < n; i++)
		start[from[i] >> shift]++;
	for (size_t i = 0, sum = 0; i < PARTS; i++) {
		sum += start[i];
		start[i] = (uint16_t)(sum - start[i]);
	}
	for (size_t i = 0; i < n; i++)
		to[start[from[i] >> shift]++] = from[i];
	sh_numsort_insert(to, n);
}

/* Writes the `most` smallest distinct hashes, at most `limit`. Returns their number; 0 when more
 * than SORTED_MAX hashes are at most `limit`. */
static size_t sort_below(
    const uint64_t *hash, size_t n, size_t most, uint64_t limit, uint64_t *least)
{
	uint64_t below[SORTED_MAX + 1], sorted[SORTED_MAX];
	size_t n_below = 0, found = 0;

	for (size_t i = 0; i < n && n_below <= SORTED_MAX; i++) {
		below[n_below] = hash[i];
		n_below += hash[i] <= limit;
	}
	if (n_below > SORTED_MAX)
		return 0;
	sort(below, n_below, limit, sorted);
	for (size_t i = 0; i < n_below && found < most; i++)
		if (i == 0 || sorted[i] != sorted[i - 1])
			least[found++] = sorted[i];
	return found;
}

/* First uses only hashes up to a limit, where 1.5 * most hashes are expected. Uses all hashes when
 * too few hashes are below the limit. */
size_t sh_bottom(const uint64_t *hash, size_t n, size_t most, uint64_t *least)
{
	size_t wanted = most + most / 2, found = 0;

	if (n > wanted)
		found = sort_below(hash, n, most, UINT64_MAX / n * wanted, least);
	if (found < most && n <= SORTED_MAX)
		return sort_below(hash, n, most, UINT64_MAX, least);
	return found == most ? found : least_of(hash, n, most, least);
}
