#include "fp/reach.h"

#include <math.h>

#include "weight/weight.h"

/* A fused multiply-add would round differently; GCC makes none under -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define PI 3.14159265358979323846

static double chance_of_bit(bool minhash, uint64_t similarity)
{
	double j = (double)similarity / SH_WEIGHT_ONE;

	return minhash ? (1 - j) / 2 : acos(2 * j / (1 + j)) / PI;
}

double sh_reach(unsigned bits, bool minhash, uint64_t similarity, unsigned k)
{
	double p = chance_of_bit(minhash, similarity), chance = 1, sum = 0;

	if (k >= bits || similarity >= SH_WEIGHT_ONE)
		return 1;
	for (unsigned i = 0; i < bits; i++)
		chance *= 1 - p;
	for (unsigned i = 0; i <= k; i++) {
		sum += chance;
		chance = chance * p / (1 - p) * (bits - i) / (i + 1);
	}
	return sum < 1 ? sum : 1;
}

unsigned sh_reach_distance(unsigned bits, bool minhash, uint64_t similarity)
{
	unsigned k = 0;

	if (similarity > SH_REACH_HIGHEST)
		similarity = SH_REACH_HIGHEST;
	if (similarity < SH_REACH_LOWEST)
		similarity = SH_REACH_LOWEST;
	while (sh_reach(bits, minhash, similarity, k) < SH_REACH_WANTED)
		k++;
	return k;
}
