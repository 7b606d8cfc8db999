#include "fp/bottom.h"

#include <string.h>

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

static size_t least_below(
    const uint64_t *hash, size_t n, size_t most, uint64_t limit, uint64_t *least)
{
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

/* First uses only hashes below a limit, where 1.5 * most hashes are expected. Uses all hashes when these
 * are too few. */
size_t sh_bottom(const uint64_t *hash, size_t n, size_t most, uint64_t *least)
{
	size_t wanted = most + most / 2, found = 0;

	if (n > 2 * wanted)
		found = least_below(hash, n, most, UINT64_MAX / n * wanted, least);
	return found == most ? found : least_below(hash, n, most, UINT64_MAX, least);
}
