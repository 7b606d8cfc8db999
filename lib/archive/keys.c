#include "archive/keys.h"

#include "archive/manifest.h"
#include "base/bytes.h"
#include "base/num.h"
#include "base/siphash.h"
#include "fp/minhash.h"

#define MISSED 0.002 /* largest share of pairs at the threshold that have no common key */
#define COMMON                                                                                     \
	0.45 /* largest T^rows: probability that a pair at the threshold shares the key of one band */
#define IN_BAND(x) ((x) >> 24)

void sh_key_layout(struct sh_key_rule *r)
{
	double t = (double)r->threshold / SH_WEIGHT_ONE, chance = t, missed;

	for (r->rows = 1; r->rows < SH_ROWS_MAX && chance > COMMON; r->rows++)
		chance *= t;
	missed = 1 - chance;
	for (r->bands = 1; r->bands < SH_BANDS_MAX && missed > MISSED; r->bands++)
		missed *= 1 - chance;
}

static uint64_t key_of(const struct sh_key_rule *r, unsigned band, const char *p, size_t n)
{
	return (uint64_t)band << SH_KEY_HASH_BITS | IN_BAND(sh_siphash(r->key, p, n));
}

static void add_bands(
    const struct sh_key_rule *r, const uint64_t *hash, size_t n, struct sh_key_list *list)
{
	uint64_t bin[SH_BANDS_MAX * SH_ROWS_MAX];

	sh_minhash_bins(hash, n, r->bands * r->rows, bin);
	for (unsigned b = 0; b < r->bands; b++) {
		char bytes[SH_ROWS_MAX * sizeof *bin];

		for (unsigned i = 0; i < r->rows; i++)
			sh_put_le64(bytes + i * sizeof *bin, bin[b * r->rows + i]);
		list->key[list->n++] = key_of(r, b, bytes, r->rows * sizeof *bin);
	}
}

/* Adds the keys of features. The common order of all documents is the order of the hashes. */
static void add_prefix(
    const struct sh_key_rule *r, const uint64_t *hash, size_t n, struct sh_key_list *list)
{
	size_t least = (size_t)((r->threshold * n + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);
	size_t prefix = n - least + 1;

	for (size_t i = 0; i < prefix && i < n; i++)
		list->key[list->n++] =
		    (uint64_t)SH_BAND_FEATURE << SH_KEY_HASH_BITS | IN_BAND(hash[i]);
}

int sh_keys_of(const struct sh_key_rule *r, const uint64_t *hash, size_t n,
    struct sh_key_list *list, struct sh_error *err)
{
	uint64_t limit = r->few ? (r->few - 1) * (uint64_t)SH_WEIGHT_ONE / r->threshold : 0;
	size_t most = r->bands + (n <= limit ? n : 0);

	if (n == 0)
		return 0;
	if (list->n + most > list->cap &&
	    sh_grow((void **)&list->key, &list->cap, list->n + most, sizeof *list->key, err) < 0)
		return -1;
	if (n >= r->few)
		add_bands(r, hash, n, list);
	if (n <= limit)
		add_prefix(r, hash, n, list);
	return 0;
}

uint64_t sh_key_of_id(const struct sh_key_rule *r, struct sh_slice id)
{
	return key_of(r, SH_BAND_ID, id.p, id.n);
}
