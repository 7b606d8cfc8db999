/* How often the tokens of each of some classes stand in a text, whatever their order. */
#ifndef SH_FP_BAG_H
#define SH_FP_BAG_H

#include <stddef.h>
#include <stdint.h>

struct sh_bag {
	uint64_t n;         /* tokens of the text */
	uint8_t times[128]; /* at most 255 are counted */
};

enum { SH_BAG_WORDS = sizeof(struct sh_bag) / sizeof(uint64_t) };

/* token: a hash of each token of the text. */
void sh_bag_fill(struct sh_bag *bag, const uint64_t *token, size_t n);

/* Returns a number that the edit distance of the texts is not below, at a small part of its cost. */
size_t sh_bag_distance(const struct sh_bag *x, const struct sh_bag *y);

#endif
