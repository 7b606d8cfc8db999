/* Selects the heaviest features of a document. */
#ifndef SH_WEIGHT_TOP_H
#define SH_WEIGHT_TOP_H

#include <stddef.h>
#include <stdint.h>

struct sh_heavy {
	int64_t weight;
	uint32_t index; /* of the feature, for the caller */
};

/* Moves the n heaviest of `all` features to the front, the heaviest first. Of equally heavy
 * features, the lower index comes first. Returns n or all, whichever is less. */
size_t sh_top_first(struct sh_heavy *f, size_t all, size_t n);

#endif
