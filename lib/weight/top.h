/* Selects the heaviest features of a document. */
#ifndef SH_WEIGHT_TOP_H
#define SH_WEIGHT_TOP_H

#include <stddef.h>
#include <stdint.h>

struct sh_heavy {
	int64_t weight;
	uint32_t index; /* the caller's number of the feature */
};

/* Moves the n heaviest of `all` features to the front, the heaviest first; features of equal
 * weight stay in the order of their indexes. Returns n or all, whichever is less. */
size_t sh_top_first(struct sh_heavy *f, size_t all, size_t n);

/* As sh_top_first(), but features of equal weight are chosen and ordered as std::partial_sort of
 * GNU's C++ library does: a heap of the first n has the lightest at its root, each heavier
 * feature that follows replaces the root, then the heap is taken apart. The result depends on
 * the order of f. */
size_t sh_top_heap(struct sh_heavy *f, size_t all, size_t n);

#endif
