/* Fingerprints in ascending order. */
#ifndef SH_JOIN_FPSORT_H
#define SH_JOIN_FPSORT_H

#include "io/tables.h"
#include "join/order.h"

/* Which of two that have the same word comes first, by their numbers: negative for a. */
typedef int sh_tie_fn(const void *arg, uint32_t a, uint32_t b);

/* Order all of a side by the word it holds, then by `tie`; NULL: as they stood. room has space for as many. */
void sh_side_sort(struct sh_side *s, struct sh_side *room, sh_tie_fn *tie, const void *arg);

/* Two sides in tables: one to be filled and sorted, and the room for it. */
struct sh_sorted {
	struct sh_side side, room;
};

/* n elements. */
int sh_sorted_get(struct sh_sorted *s, struct sh_tables *tables, size_t n, struct sh_error *err);
/* Also one that could not be had, or was put back. */
void sh_sorted_put(struct sh_sorted *s, struct sh_tables *tables);

#endif
