/* Sorts fingerprints in ascending order. */
#ifndef SH_JOIN_FPSORT_H
#define SH_JOIN_FPSORT_H

#include "io/tables.h"
#include "join/order.h"

/* Compares two elements with the same word, by their sh_side.id: negative when a comes first,
 * positive when b does. */
typedef int sh_tie_fn(const void *arg, uint32_t a, uint32_t b);

/* Orders a side by the word it holds, then by `tie`. tie NULL: elements with the same word keep
 * their order. room is reserved for s->n elements. */
void sh_side_sort(struct sh_side *s, struct sh_side *room, sh_tie_fn *tie, const void *arg);
/* Does the same by several threads, which call `tie`. The result does not depend on their
 * number. */
int sh_side_sort_by(unsigned threads, struct sh_side *s, struct sh_side *room, sh_tie_fn *tie,
    const void *arg, struct sh_error *err);

/* A side to be filled and sorted, and its scratch memory, both in tables. */
struct sh_sorted {
	struct sh_side side, room;
};

/* Gets both sides with n elements, and sets their n. */
int sh_sorted_get(struct sh_sorted *s, struct sh_tables *tables, size_t n, struct sh_error *err);
/* Puts the scratch memory back, when the side is sorted. */
void sh_sorted_put_room(struct sh_sorted *s, struct sh_tables *tables);
/* Puts both sides back. Does nothing when sh_sorted_get() failed or they were put back. */
void sh_sorted_put(struct sh_sorted *s, struct sh_tables *tables);

#endif
