/* SPDX-License-Identifier: MIT */
/* Counts the tokens of a text by class. The hash of a token decides its class, one of 128. */
#ifndef SH_FP_BAG_H
#define SH_FP_BAG_H

#include <stddef.h>
#include <stdint.h>

struct sh_bag {
	uint64_t n;         /* tokens of the text */
	uint8_t times[128]; /* tokens of each class; 255: at least 255 */
};

/* Size of a bag in words of 64 bits. */
enum { SH_BAG_WORDS = sizeof(struct sh_bag) / sizeof(uint64_t) };

/* token: the hashes of the n tokens of the text. */
void sh_bag_fill(struct sh_bag *bag, const uint64_t *token, size_t n);

/* Returns a lower bound of the edit distance of the two texts, in tokens. */
size_t sh_bag_distance(const struct sh_bag *x, const struct sh_bag *y);

#endif
