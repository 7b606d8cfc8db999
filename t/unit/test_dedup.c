/* Compares groups of documents with their definition, which uses all pairs. Also tests that few
 * pairs are compared. */
#include "group/dedup.h"

#include <stdlib.h>
#include <string.h>

#include "record/fingerprint.h"
#include "rng.h"
#include "scratch.h"
#include "tap.h"

enum { DOCS = 60, WORDS = 2, KEYS = 3 };

/* A document: its words are the words w0 .. w63 whose bits are set. */
struct doc {
	uint64_t set, fp[WORDS], rank, key[KEYS];
	bool is_protected;
};

static struct doc doc[DOCS];
static uint32_t n_docs, keeper[DOCS];
static bool by_keys; /* candidates share a key; otherwise they are within the distance */
static char path[SCRATCH_MAX];

static unsigned size(uint64_t set)
{
	return (unsigned)__builtin_popcountll(set);
}

/* ---- documents ---- */

static uint64_t flip(uint64_t x, uint64_t most)
{
	for (uint64_t n = rng_below(most + 1); n; n--)
		x ^= UINT64_C(1) << rng_below(64);
	return x;
}

/* Draws documents of few templates. Each has some words and some bits of the fingerprint
 * changed. */
static void draw(unsigned bits, bool ranked)
{
	uint64_t templates = 1 + rng_below(5), apart = rng_below(9), bits_apart = rng_below(13);
	struct doc template[5];

	for (unsigned i = 0; i < 5; i++)
		template[i] = (struct doc){ .set = rng() & (rng_below(2) ? UINT64_MAX : rng()),
			.fp = { rng(), rng() } };
	n_docs = (uint32_t)(2 + rng_below(DOCS - 1));
	for (uint32_t i = 0; i < n_docs; i++) {
		struct doc *d = &doc[i];

		*d = template[rng_below(templates)];
		d->set = rng_below(40) ? flip(d->set, apart) : 0;
		for (unsigned w = 0; w < WORDS; w++)
			d->fp[w] = w < bits / 64 ? flip(d->fp[w], bits_apart) : 0;
		for (unsigned k = 0; k < KEYS; k++)
			d->key[k] = rng_below(12) << 8;
		for (uint32_t x = 0; x < i; x++)
			if (memcmp(doc[x].fp, d->fp, sizeof d->fp) == 0)
				memcpy(d->key, doc[x].key, sizeof d->key);
		d->rank = ranked ? rng_below(rng_below(2) ? 4 : 1000) : 0;
		d->is_protected = rng_below(12) == 0;
	}
}

static int no_bad(void *arg, struct sh_slice line, struct sh_error *err)
{
	(void)arg;
	(void)line;
	printf("# %s\n", err->text);
	return -1;
}

static bool open_corpus(struct sh_corpus *c)
{
	const struct sh_document_form form = { 0 };
	FILE *f = fopen(path, "w");
	struct sh_error err;
	uint64_t lines = 0;
	bool good;

	for (uint32_t i = 0; i < n_docs; i++) {
		fprintf(f, "d%u\t", i);
		for (unsigned w = 0; w < 64; w++)
			if (doc[i].set >> w & 1)
				fprintf(f, "w%u ", w);
		fputc('\n', f);
	}
	good = fclose(f) == 0 && sh_corpus_init(c, &form, &err) == 0 &&
	       sh_corpus_open(c, &(char *){ path }, 1, NULL, &err) == 0 &&
	       sh_corpus_scan(c, &lines, no_bad, NULL, &err) == 0;
	unlink(path);
	return good && c->n == n_docs;
}

/* ---- by definition ---- */

static bool share_key(const struct doc *x, const struct doc *y)
{
	for (unsigned k = 0; k < KEYS; k++)
		if (x->key[k] == y->key[k])
			return true;
	return false;
}

static bool alike(const struct sh_dedup_opts *o, const struct doc *x, const struct doc *y)
{
	bool near = by_keys ? share_key(x, y) : sh_fp_distance(x->fp, y->fp, o->bits / 64) <= o->k;
	bool reach;

	if (!x->set || !y->set)
		return false;
	if (!o->verify)
		return near;
	reach = size(x->set & y->set) * UINT64_C(1000000) >= o->threshold * size(x->set | y->set);
	return reach && (near || size(x->set) < o->few || size(y->set) < o->few);
}

static bool is_better(uint32_t a, uint32_t b)
{
	const struct doc *x = &doc[a], *y = &doc[b];

	if (x->is_protected != y->is_protected)
		return x->is_protected;
	return x->rank != y->rank ? x->rank < y->rank : a < b;
}

/* Documents in the order in which they become keepers. */
static void in_order(uint32_t *order)
{
	for (uint32_t i = 0; i < n_docs; i++) {
		uint32_t at = i;

		for (; at > 0 && is_better(i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

/* Returns the best of the equal documents, which represents all of them. */
static uint32_t stands_for(const struct sh_dedup_opts *o, uint32_t i)
{
	uint32_t best = i;

	for (uint32_t x = 0; x < n_docs; x++)
		if (memcmp(doc[x].fp, doc[i].fp, sizeof doc[i].fp) == 0 && doc[x].set &&
		    (o->verify ? doc[x].set == doc[i].set : doc[i].set > 0) && is_better(x, best))
			best = x;
	return best;
}

static void stars(const struct sh_dedup_opts *o)
{
	uint32_t order[DOCS];

	in_order(order);
	for (uint32_t i = 0; i < n_docs; i++)
		keeper[i] = UINT32_MAX;
	for (uint32_t i = 0; i < n_docs; i++) {
		uint32_t x = order[i];

		if (keeper[x] != UINT32_MAX)
			continue;
		keeper[x] = x;
		for (uint32_t y = 0; y < n_docs; y++)
			if (keeper[y] == UINT32_MAX && !doc[y].is_protected &&
			    alike(o, &doc[x], &doc[y]))
				keeper[y] = x;
	}
	for (uint32_t i = 0; i < n_docs; i++)
		if (!doc[i].is_protected)
			keeper[i] = keeper[stands_for(o, i)];
}

/* Returns the best document that links reach. No link joins two protected documents. */
static void chains(const struct sh_dedup_opts *o)
{
	uint32_t stand[DOCS];
	bool changed = true;

	for (uint32_t i = 0; i < n_docs; i++) {
		keeper[i] = i;
		stand[i] = stands_for(o, i);
	}
	while (changed) {
		changed = false;
		for (uint32_t x = 0; x < n_docs; x++) {
			for (uint32_t y = 0; y < n_docs; y++) {
				if ((doc[x].is_protected && doc[y].is_protected) || stand[x] != x ||
				    stand[y] != y || !is_better(keeper[x], keeper[y]) ||
				    !alike(o, &doc[x], &doc[y]))
					continue;
				keeper[y] = keeper[x];
				changed = true;
			}
		}
	}
	for (uint32_t i = 0; i < n_docs; i++)
		if (!doc[i].is_protected)
			keeper[i] = keeper[stand[i]];
	for (uint32_t i = 0; i < n_docs; i++)
		if (doc[i].is_protected)
			keeper[i] = i;
}

/* ---- by the module ---- */

/* The verified pairs: bit b of element a for documents a < b. */
struct seen {
	uint64_t pairs, repeated, with[DOCS];
};

static void count(void *arg, const struct sh_seen_pair *pair)
{
	struct seen *seen = arg;
	uint64_t bit = UINT64_C(1) << pair->b;

	seen->pairs += pair->a < pair->b;
	seen->repeated += (seen->with[pair->a] & bit) != 0;
	seen->with[pair->a] |= bit;
}

/* Adds the documents from .. from + n - 1 at once, without columns that are all 0. */
static int add_block(struct sh_dedup *d, const struct sh_dedup_opts *o, uint32_t from, uint32_t n,
    struct sh_error *err)
{
	static uint64_t fp[DOCS * WORDS], rank[DOCS], digest[DOCS];
	static uint32_t low[KEYS * DOCS];
	static uint16_t features[DOCS];
	static uint8_t first[KEYS * DOCS];
	static bool is_protected[DOCS];
	struct sh_dedup_block b = { .n = n, .fp = fp, .features = features };
	struct sh_key_block key = { low, first, DOCS };
	unsigned words = o->bits / 64;

	for (uint32_t i = 0; i < n; i++) {
		const struct doc *x = &doc[from + i];

		memcpy(fp + (size_t)i * words, x->fp, words * sizeof *fp);
		features[i] = sh_dedup_features(size(x->set));
		rank[i] = x->rank;
		is_protected[i] = x->is_protected;
		digest[i] = x->set;
		b.rank = x->rank ? rank : b.rank;
		b.is_protected = x->is_protected ? is_protected : b.is_protected;
		if (by_keys)
			sh_dedup_pack_keys(d, x->set ? x->key : NULL, &key, i);
	}
	if (sh_dedup_add(d, &b, err) < 0)
		return -1;
	return by_keys ? sh_dedup_add_keys(d, digest, &key, n, err) : 0;
}

static struct sh_dedup *run(const struct sh_dedup_opts *o)
{
	struct sh_error err;
	struct sh_dedup *d = sh_dedup_new(o, &err);
	int status = d ? 0 : -1;

	if (status == 0 && by_keys)
		status = sh_dedup_use_keys(d, KEYS, &err);
	for (uint32_t i = 0, n; status == 0 && i < n_docs; i += n) {
		n = 1 + (uint32_t)rng_below(n_docs - i);
		status = add_block(d, o, i, n, &err);
	}
	if (status == 0)
		status = sh_dedup_run(d, &err);
	if (status == 0)
		return d;
	printf("# %s\n", err.text);
	sh_dedup_delete(d);
	return NULL;
}

static struct sh_dedup_opts usual(const struct sh_corpus *corpus)
{
	return (struct sh_dedup_opts){ .bits = 64,
		.k = 10,
		.verify = true,
		.threshold = 800000,
		.few = 20,
		.how = { .corpus = corpus,
		    .ngrams = { 1, 1, false },
		    .measure = sh_measure_find("jaccard"),
		    .scheme = sh_scheme_find("log"),
		    .memory = 1 << 20 },
		.jobs = 1 };
}

static struct sh_dedup_opts drawn(const struct sh_corpus *corpus, unsigned bits)
{
	static const uint64_t thresholds[] = { 800000, 500000, 900000, 1000000, 300000, 666667 };
	static const unsigned fews[] = { 20, 0, 5, 40 };
	struct sh_dedup_opts o = usual(corpus);

	o.bits = bits;
	o.k = (unsigned)rng_below(14);
	o.threshold = thresholds[rng_below(6)];
	o.few = fews[rng_below(4)];
	o.verify = rng_below(6) > 0;
	o.single = rng_below(3) == 0;
	o.memory = rng_below(2) ? 0 : 1 + rng_below(2000);
	o.pairs = rng_below(2) ? 0 : 1 + rng_below(100);
	return o;
}

struct outcome {
	uint64_t runs, wrong, dropped, compared, all, similar;
};

static bool differs(struct sh_dedup *d)
{
	return !d || memcmp(sh_dedup_keepers(d), keeper, n_docs * sizeof *keeper) != 0;
}

/* Runs with the given numbers, with other numbers of threads and pairs, and with all pairs as
 * candidates. */
static void compare(const struct sh_dedup_opts *opts, struct outcome *r)
{
	struct sh_dedup_opts other = *opts, all = *opts;
	struct sh_dedup *d = run(opts), *e, *f;
	struct seen seen = { 0 };

	other.jobs = 3;
	other.pairs = 1 + rng_below(40);
	all.seen = count;
	all.arg = &seen;
	e = run(&other);
	f = run(&all);
	r->runs++;
	if (differs(d) || differs(e) || differs(f)) {
		r->wrong++;
		printf(
		    "# wrong: %u documents, %u bits, k %u, T %llu, few %u, verify %d, single %d, "
		    "pairs %zu\n",
		    n_docs, opts->bits, opts->k, (unsigned long long)opts->threshold, opts->few,
		    opts->verify, opts->single, opts->pairs);
	} else {
		const struct sh_dedup_stats *s = sh_dedup_stats(d), *t = sh_dedup_stats(f);

		/* Stars compare the same pairs for any division into batches. */
		r->wrong += !opts->single && s->compared != sh_dedup_stats(e)->compared;
		r->wrong += s->compared > t->compared || seen.pairs != t->compared;
		r->wrong += seen.repeated > 0; /* all searches together find a pair once */
		r->compared += s->compared;
		r->similar += s->similar;
		r->all += t->compared;
		for (uint32_t i = 0; i < n_docs; i++)
			r->dropped += keeper[i] != i;
	}
	sh_dedup_delete(d);
	sh_dedup_delete(e);
	sh_dedup_delete(f);
}

static void against_definition(void)
{
	struct outcome r[2] = { { 0 } };

	for (unsigned round = rng_rounds(600); round; round--) {
		unsigned bits = rng_below(3) ? 64 : 128;
		struct sh_corpus corpus;

		draw(bits, rng_below(2));
		if (!open_corpus(&corpus)) {
			r->wrong++;
			continue;
		}
		for (unsigned i = 0; i < 4; i++) {
			struct sh_dedup_opts o = drawn(&corpus, bits);

			by_keys = i > 1;
			(o.single ? chains : stars)(&o);
			compare(&o, &r[o.single]);
			by_keys = false;
		}
		sh_corpus_free(&corpus);
	}
	/* Fewer than three quarters of the pairs: about half with chains, and chance moves it by
	 * some percent. */
	for (unsigned i = 0; i < 2; i++)
		ok(r[i].wrong == 0 && r[i].dropped > r[i].runs && r[i].compared < r[i].all / 4 * 3,
		    "%s: %llu sets of documents as by definition; %llu dropped, %llu of %llu pairs "
		    "compared",
		    i ? "chains" : "stars", (unsigned long long)r[i].runs,
		    (unsigned long long)r[i].dropped, (unsigned long long)r[i].compared,
		    (unsigned long long)r[i].all);
}

/* ---- many documents of one template ---- */

/* Adds n documents of 41 words, one of them unique, with fingerprints within `distance` of one of
 * them. Returns the number of compared pairs; UINT64_MAX when not all documents are one group. */
static uint64_t compared(uint32_t n, unsigned distance, const struct sh_dedup_opts *how)
{
	struct sh_dedup_opts o = *how;
	struct sh_corpus corpus;
	const struct sh_document_form form = { 0 };
	struct sh_dedup *d = NULL;
	struct sh_error err;
	uint64_t lines = 0, got = UINT64_MAX;
	FILE *f = fopen(path, "w");
	int status = -1;

	for (uint32_t i = 0; i < n; i++) {
		fprintf(f, "d%u\town%u ", i, i);
		for (unsigned w = 0; w < 40; w++)
			fprintf(f, "w%u ", w);
		fputc('\n', f);
	}
	if (fclose(f) == 0 && sh_corpus_init(&corpus, &form, &err) == 0 &&
	    sh_corpus_open(&corpus, &(char *){ path }, 1, NULL, &err) == 0 &&
	    sh_corpus_scan(&corpus, &lines, no_bad, NULL, &err) == 0) {
		o.how.corpus = &corpus;
		d = sh_dedup_new(&o, &err);
		status = d ? 0 : -1;
	}
	for (uint32_t i = 0; status == 0 && i < n; i++) {
		uint64_t fp = flip(0x123456789ABCDEF0, distance);

		status = sh_dedup_add(d, &(struct sh_dedup_block){ .n = 1 }, &err);
		if (status == 0)
			sh_dedup_describe(d, i, &fp, 41);
	}
	if (status == 0 && sh_dedup_run(d, &err) == 0)
		got = sh_dedup_stats(d)->compared;
	for (uint32_t i = 0; got != UINT64_MAX && i < n; i++)
		if (sh_dedup_keepers(d)[i] != 0)
			got = UINT64_MAX;
	sh_dedup_delete(d);
	sh_corpus_free(&corpus);
	unlink(path);
	return got;
}

static void templates(void)
{
	struct sh_dedup_opts o = usual(NULL), chain = o;

	chain.single = true;
	for (unsigned distance = 0; distance <= 5; distance += 5) {
		for (uint32_t n = 500; n <= 8000; n *= 4) {
			uint64_t star = compared(n, distance, &o),
				 single = n < 8000 ? compared(n, distance, &chain) : n;

			ok(star == n - 1,
			    "%u similar documents, %u bits apart: %llu pairs compared", n, distance,
			    (unsigned long long)star);
			ok(single < n + n / 10,
			    "the same documents in one chain: %llu pairs compared",
			    (unsigned long long)single);
		}
	}
}

int main(void)
{
	rng_init(23);
	scratch(path, "dedup");
	against_definition();
	templates();
	return done_testing();
}
