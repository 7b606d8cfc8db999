/* The heaviest of a document's features. */
#ifndef SH_WEIGHT_TOP_H
#define SH_WEIGHT_TOP_H

#include <stddef.h>
#include <stdint.h>

struct sh_heavy {
	int64_t weight;
	uint32_t index; /* the caller's number of the feature */
};

/* Move the n heaviest of all to the front, heaviest first, those of equal weight in the
 * order of their indexes. Returns how many there are then: n or all. */
size_t sh_top_first(struct sh_heavy *f, size_t all, size_t n);

/* The same, but of equal weights those stay, and in that order, that std::partial_sort of
 * GNU's C++ library leaves: a heap of the first n with the lightest at its root, replaced
 * by each heavier one that follows, then taken apart. It depends on the order of f. */
size_t sh_top_heap(struct sh_heavy *f, size_t all, size_t n);

#endif
