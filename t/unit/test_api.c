/* The public library: what it says must be what the programs' own modules say. */
#include "simhash.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

static void fingerprints(void)
{
	struct simhash_options o;
	struct simhash_error error = { 0 };
	struct simhash *s;
	uint64_t fp[SIMHASH_MAX_WORDS], back[SIMHASH_MAX_WORDS];
	char hex[257];

	simhash_defaults(&o);
	s = simhash_new(&o, &error);
	ok(s && simhash_text(s, "the quick brown dog", 19, fp, &error) == 1,
	    "a text has a fingerprint");
	simhash_hex(fp, 64, hex);
	ok(strcmp(hex, "1930283026df0494") == 0, "it is shfp's: %s", hex);
	ok(simhash_from_hex(hex, 64, back) == 0 && back[0] == fp[0], "hex goes both ways");
	ok(simhash_from_hex("193", 64, back) == -1 &&
		simhash_from_hex("193028302XXX0494", 64, back) == -1,
	    "what is no fingerprint is refused");
	ok(simhash_text(s, "?!", 2, fp, &error) == 0, "a text without words has none");
	simhash_free(s);

	o.weight = "tfidf";
	ok(!simhash_new(&o, &error) && strstr(error.text, "tfidf"), "an unknown weight: %s",
	    error.text);
	simhash_defaults(&o);
	o.ngram_max = 0;
	ok(!simhash_new(&o, &error) && error.code, "an empty range of n-grams: %s", error.text);
}

struct found {
	unsigned n;
	unsigned char seen[64][64];
	int stop_at;
};

static int count(void *arg, size_t i, size_t j, unsigned distance)
{
	struct found *f = arg;

	(void)distance;
	f->n++;
	f->seen[i][j]++;
	return f->stop_at && (int)f->n >= f->stop_at ? -1 : 0;
}

static void joins(void)
{
	uint64_t fp[64];
	unsigned bad = 0, wanted = 0;
	struct found f = { 0 };
	struct simhash_error error = { 0 };

	for (int i = 0; i < 64; i++)
		fp[i] = i ? fp[i - 1] ^ (uint64_t)1 << rng_below(64) : rng();
	ok(simhash_join(fp, 64, 64, 6, count, &f, &error) == 0, "a join runs");
	for (size_t i = 0; i < 64; i++) {
		for (size_t j = i + 1; j < 64; j++) {
			unsigned want = simhash_distance(&fp[i], &fp[j], 64) <= 6;

			wanted += want;
			bad += f.seen[i][j] != want;
		}
	}
	ok(bad == 0 && wanted > 64 && f.n == wanted, "it finds the %u pairs, each once", wanted);
	f = (struct found){ .stop_at = 3 };
	ok(simhash_join(fp, 64, 64, 6, count, &f, &error) == -1 && error.code,
	    "the receiver can end it");
	f = (struct found){ 0 };
	ok(simhash_join_two(fp, 8, fp, 64, 64, 0, count, &f, &error) == 0 && f.n >= 8,
	    "two sets are joined");
	ok(simhash_join(fp, 64, 63, 6, count, &f, &error) == -1, "63 bits: %s", error.text);
}

static void bands(void)
{
	struct simhash_error error = { 0 };
	struct simhash_bands *b = simhash_bands_new(64, 3, 6, 0, &error);
	uint64_t x = rng(), y = x ^ 0x8000000100000001;
	unsigned shared = 0;
	char kx[64], ky[64];

	ok(b && simhash_bands_tables(b) == 20, "6 blocks at distance 3 are 20 tables");
	for (size_t t = 0; t < simhash_bands_tables(b); t++) {
		simhash_bands_key(b, t, &x, kx);
		simhash_bands_key(b, t, &y, ky);
		shared += strcmp(kx, ky) == 0;
		if (strlen(kx) != simhash_bands_key_size(b))
			shared = 99;
	}
	ok(shared >= 1 && shared < 20, "two within the distance share %u keys", shared);
	simhash_bands_free(b);
	b = simhash_bands_new(64, 3, 0, 1e6, &error);
	ok(b && simhash_bands_tables(b) >= 4, "the cheapest layout is chosen");
	simhash_bands_free(b);
	ok(!simhash_bands_new(64, 6, 6, 0, &error), "as many blocks as the distance: %s",
	    error.text);
}

int main(void)
{
	rng_init(7);
	fingerprints();
	joins();
	bands();
	return done_testing();
}
