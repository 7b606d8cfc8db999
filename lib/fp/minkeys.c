#include "fp/minkeys.h"

#include "hash/mix.h"

unsigned sh_minkeys_for(double chance, double missed, unsigned most)
{
	double left = 1 - chance;
	unsigned keys = 1;

	for (; keys < most && left > missed; keys++)
		left *= 1 - chance;
	return keys;
}

double sh_minkeys_edited(double edit, unsigned n)
{
	double same = 1;

	for (unsigned i = 0; i < n; i++)
		same *= edit;
	return same / (2 - same);
}

void sh_minkeys_of(struct sh_minkeys k, const uint64_t *value, uint64_t *key)
{
	for (unsigned i = 0; i < k.keys; i++) {
		uint64_t x = 0;

		for (unsigned row = 0; row < k.rows; row++)
			x = sh_mix_moremur(x + SH_MIX_GOLDEN + *value++);
		key[i] = x >> (64 - SH_MINKEYS_BITS);
	}
}
