/* SPDX-License-Identifier: MIT */
/* Checks that the public library gives the results of the modules that the programs use. */
#include "archive/settings.h"
#include "simhash.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "scratch.h"
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
	ok(strcmp(hex, "1930283026df0494") == 0, "the fingerprint is that of shfp: %s", hex);
	ok(simhash_from_hex(hex, 64, back) == 0 && back[0] == fp[0],
	    "hexadecimal digits give the fingerprint back");
	ok(simhash_from_hex("193", 64, back) == -1 &&
		simhash_from_hex("193028302XXX0494", 64, back) == -1,
	    "digits that are no fingerprint are refused");
	ok(simhash_text(s, "?!", 2, fp, &error) == 0, "a text without words has no fingerprint");
	simhash_free(s);

	o.weight = "tfidf";
	ok(!simhash_new(&o, &error) && strstr(error.text, "tfidf"),
	    "an unknown weight is refused: %s", error.text);
	simhash_defaults(&o);
	o.reserved[3] = 1;
	ok(!simhash_new(&o, &error) && strstr(error.text, "does not know"),
	    "an option of a later version is refused: %s", error.text);
	simhash_defaults(&o);
	o.ngram_max = 0;
	ok(!simhash_new(&o, &error) && error.code, "an empty range of n-grams is refused: %s",
	    error.text);
	memset(&o, 0, sizeof o);
	ok(!simhash_new(&o, &error) && strstr(error.text, "simhash_defaults"),
	    "options that were not initialised are refused: %s", error.text);
}

/* The programs print the expected values with -p: see t/profiles.bats. */
static void profiles(void)
{
	static const char text[] = "How are you? I Am fine. blar blar blar blar blar Thanks.";
	static const char *const refused[] = { "none", "tfidf128", "yanyiwu", "angelo" };
	struct simhash_options o;
	struct simhash_error error = { 0 };
	uint64_t fp[SIMHASH_MAX_WORDS];
	struct simhash *s = NULL;

	ok(simhash_profile(&o, "pysimhash", &error) == 0 && (s = simhash_new(&o, &error)) &&
		simhash_text(s, text, strlen(text), fp, &error) == 1 &&
		fp[0] == UINT64_C(0x7521c1f341161c7a),
	    "a profile gives the fingerprint of its system");
	ok(simhash_text(s, "", 0, fp, &error) == 1 && fp[0] == UINT64_C(0xe9800998ecf8427e),
	    "a profile gives the fingerprint of its system for an empty text: %016llx",
	    (unsigned long long)fp[0]);
	simhash_free(s);
	for (size_t i = 0; i < 4; i++) {
		struct simhash_options before = o;

		ok(simhash_profile(&o, refused[i], &error) == -1 &&
			memcmp(&o, &before, sizeof o) == 0,
		    "a profile that the library lacks is refused and leaves the options unchanged: "
		    "%s",
		    error.text);
		o.profile = refused[i];
		ok(!simhash_new(&o, &error),
		    "a profile in the options that the library lacks is refused: %s", error.text);
		o = before;
	}
	ok(simhash_profile(&o, "seomoz", &error) == 0 && (o.bits = 128) && !simhash_new(&o, &error),
	    "%s", error.text);
	ok(simhash_profile(&o, "pysimhash", &error) == 0 && (o.mask_digits = 1) &&
		!simhash_new(&o, &error) && strstr(error.text, "gives characters"),
	    "%s", error.text);
	o.mask_digits = 0;
	o.join_hyphens = 1;
	ok(!simhash_new(&o, &error) && strstr(error.text, "join_hyphens needs words"), "%s",
	    error.text);
}

struct found {
	unsigned n, far;
	unsigned char seen[64][64];
	int stop_at;
};

static int count(void *arg, const struct simhash_pair *pairs, size_t n)
{
	struct found *f = arg;

	for (size_t k = 0; k < n; k++) {
		f->n++;
		f->seen[pairs[k].i][pairs[k].j]++;
		f->far += pairs[k].distance > 6;
	}
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
	ok(simhash_join(fp, 64, 64, 6, count, &f, &error) == 0, "a join succeeds");
	for (size_t i = 0; i < 64; i++) {
		for (size_t j = i + 1; j < 64; j++) {
			unsigned want = simhash_distance(&fp[i], &fp[j], 64) <= 6;

			wanted += want;
			bad += f.seen[i][j] != want;
		}
	}
	ok(bad == 0 && wanted > 64 && f.n == wanted && f.far == 0,
	    "a join finds the %u pairs, each once", wanted);
	f = (struct found){ .stop_at = 3 };
	ok(simhash_join(fp, 64, 64, 6, count, &f, &error) == -1 && error.code,
	    "the callback can end a join");
	f = (struct found){ 0 };
	ok(simhash_join_two(fp, 8, fp, 64, 64, 0, count, &f, &error) == 0 && f.n >= 8,
	    "a join of two sets finds the pairs across");
	ok(simhash_join(fp, 64, 63, 6, count, &f, &error) == -1, "63 bits are refused: %s",
	    error.text);
}

static void bands(void)
{
	struct simhash_error error = { 0 };
	struct simhash_bands *b = simhash_bands_new(64, 3, 6, &error);
	uint64_t x = rng(), y = x ^ 0x8000000100000001;
	unsigned shared = 0;
	char kx[64], ky[64];

	ok(b && simhash_bands_tables(b) == 20, "6 blocks at distance 3 give 20 tables");
	for (size_t t = 0; t < simhash_bands_tables(b); t++) {
		simhash_bands_key(b, t, &x, kx);
		simhash_bands_key(b, t, &y, ky);
		shared += strcmp(kx, ky) == 0;
		if (strlen(kx) != simhash_bands_key_size(b))
			shared = 99;
	}
	ok(shared >= 1 && shared < 20, "two fingerprints within the distance share %u keys",
	    shared);
	simhash_bands_free(b);
	b = simhash_bands_new(64, 3, 0, &error);
	ok(b && simhash_bands_tables(b) == 4,
	    "without a number of blocks the layout with the fewest tables is chosen");
	simhash_bands_free(b);
	ok(!simhash_bands_new(64, 6, 6, &error), "as many blocks as the distance are refused: %s",
	    error.text);
	ok(!simhash_bands_new(63, 3, 0, &error), "%s", error.text);
	ok(!simhash_bands_new(64, 64, 0, &error), "%s", error.text);
}

static int count_passage(void *arg, const struct simhash_passage *p)
{
	struct simhash_passage *last = arg;

	*last = *p;
	return p->matched == 13 ? -1 : 0;
}

static void passages(void)
{
	static const char *const query[] = { "too short",
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
		"" };
	static const size_t size[] = { 9, 80, 0 };
	static const char text[] =
	    "-- One two, three four five six seven eight nine ten eleven twelve.";
	struct simhash_passage_options o;
	struct simhash_error error = { 0 };
	struct simhash_passage found = { 0 };
	struct simhash_passages *p = simhash_passages_new(query, size, 3, NULL, &error);

	ok(p && simhash_passages_find(p, text, strlen(text), count_passage, &found, &error) == 0 &&
		found.query == 1 && found.start == 3 && found.end == strlen(text) - 1 &&
		found.query_start == 0 && found.query_end == 62 && found.matched == 12 &&
		found.identity > 0.9999,
	    "finds the passage that a text shares with a query");
	ok(simhash_passages_find(p, query[1], 71, count_passage, &found, &error) == -1 &&
		found.matched == 13,
	    "the callback can end the search for passages");
	found.matched = 0;
	ok(simhash_passages_find(p, "", 0, count_passage, &found, &error) == 0 && !found.matched,
	    "an empty text has no passage");
	simhash_passages_free(p);
	simhash_passages_defaults(&o);
	o.reserved[1] = 1;
	ok(!simhash_passages_new(query, size, 3, &o, &error), "%s", error.text);
	memset(&o, 0, sizeof o);
	ok(!simhash_passages_new(query, size, 3, &o, &error), "%s", error.text);
	simhash_passages_defaults(&o);
	o.min_identity = 2;
	ok(!simhash_passages_new(query, size, 3, &o, &error), "%s", error.text);
	p = simhash_passages_new(NULL, NULL, 0, NULL, &error);
	ok(p && simhash_passages_find(p, text, strlen(text), count_passage, &found, &error) == 0,
	    "without queries there are no passages");
	simhash_passages_free(p);
	simhash_passages_free(NULL);
}

struct drops {
	size_t n, document;
	char keeper[8];
	int result;
};

static int note_drop(void *arg, const struct simhash_drop *drop)
{
	struct drops *d = arg;

	d->n++;
	d->document = drop->document;
	snprintf(d->keeper, sizeof d->keeper, "%.*s", (int)drop->size, drop->keeper);
	return d->result;
}

static int note_match(void *arg, const struct simhash_match *matches, size_t n)
{
	*(size_t *)arg += n;
	return matches[0].similarity < 1 ? -1 : 0;
}

/* t/archive.bats and t/python.bats compare the results with those of the programs. */
static void archives(void)
{
	static const char *const ids[] = { "a", "b", "c" };
	static const char *const texts[] = { "to be or not to be", "a\tline\\\n",
		"To be or not to be?" };
	static const size_t id_sizes[] = { 1, 1, 1 };
	const size_t sizes[] = { strlen(texts[0]), strlen(texts[1]), strlen(texts[2]) };
	static const char *const stop[] = { "no such file", NULL };
	struct simhash_archive_options o = { .wait = 1, .jobs = 2, .stop = stop };
	struct simhash_error error = { 0 };
	struct simhash_archive *a;
	struct drops d = { .result = -1 };
	size_t found = 0;
	uint64_t removed = 0;
	char folder[SCRATCH_MAX], command[SCRATCH_MAX + 10];
	struct sh_archive_settings s = { .profile = sh_profile_at(0),
		.measure = sh_measure_find("jaccard"),
		.threshold = 800000,
		.edit = 800000 };
	struct sh_key_rules rules = { .jaccard = 800000 };
	struct sh_buf settings = { 0 };
	struct sh_store_manifest m = { .kind = SH_STORE_OF_DOCUMENTS };
	struct sh_error err;

	sh_profile_tokens(s.profile, &s.token, &s.ngrams);
	rules.ngrams = s.ngrams;
	sh_key_rules_complete(&rules);
	s.keys = rules.keys;
	s.rows = rules.rows;
	scratch(folder, "api");
	must(sh_archive_settings_list(&s, &settings, &err) == 0);
	m.settings = sh_buf_slice(&settings);
	ok(sh_store_create(folder, &m, 0, &err) == 0, "an archive is made");
	sh_buf_free(&settings);
	ok(!simhash_archive_open(folder, &o, &error), "a missing file is an error: %s", error.text);
	a = simhash_archive_open(folder, NULL, &error);
	ok(a && simhash_archive_add(a, ids, id_sizes, texts, sizes, 3, 1, note_drop, &d, &error) ==
		    -1,
	    "the receiver ends an addition: %s", error.text);
	d = (struct drops){ 0 };
	ok(a && simhash_archive_query(a, texts[0], sizes[0], note_match, &found, &error) == 0 &&
		found == 0,
	    "then nothing was added");
	ok(a &&
		simhash_archive_add(a, ids, id_sizes, texts, sizes, 3, 1, note_drop, &d, &error) ==
		    0 &&
		d.n == 1 && d.document == 2 && strcmp(d.keeper, "a") == 0,
	    "one of three documents is dropped, for '%s'", d.keeper);
	ok(a && simhash_archive_query(a, texts[1], sizes[1], note_match, &found, &error) == 0 &&
		found == 1,
	    "a text with TAB, LF and backslash finds itself");
	ok(a && simhash_archive_remove(a, ids, id_sizes, 1, &removed, &error) == 0 &&
		removed == 2 && simhash_archive_compact(a, &error) == 0 &&
		simhash_archive_query(a, texts[2], sizes[2], note_match, &found, &error) == 0 &&
		found == 1,
	    "a document goes with its duplicate");
	ok(a && simhash_archive_add(
		    a, texts + 1, sizes + 1, texts, sizes, 1, 1, note_drop, &d, &error) == -1,
	    "an id with a TAB is refused: %s", error.text);
	simhash_archive_close(a);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	must(system(command) == 0);
}

int main(void)
{
	rng_init(7);
	archives();
	passages();
	fingerprints();
	profiles();
	joins();
	bands();
	return done_testing();
}
