/* SPDX-License-Identifier: MIT */
/* Groups, hits, chains, extensions and merges of any documents: groups are those of a comparison of
 * all postings, every common run of W + K - 1 tokens is within a span, and spans have the stated
 * properties. */
#include "fuzz.h"

#include "../unit/passage_util.h"
#include "passage/index.h"
#include "passage/placed.h"

const unsigned fuzz_random = 2500;

static struct sh_error err;

/* ---- groups ---- */

/* Each document has its seeds that another document has, in their order. */
static bool lists_are_right(const struct sh_index *x, size_t documents)
{
	bool good = x->at[documents] == x->start[x->n];

	for (uint32_t d = 0; good && d < documents; d++)
		for (uint64_t i = x->at[d]; good && i < x->at[d + 1]; i++) {
			const struct sh_index_seed *s = &x->seed[i];
			const struct sh_index_place *p = x->place + x->start[s->group];
			size_t j = s->before;

			while (p[j].document == d && p[j].token != s->token)
				j++;
			good = (i == x->at[d] || s[-1].token < s->token) && p[j].document == d &&
			       s->before < sh_index_size(x, s->group) &&
			       (s->before == 0 || p[s->before - 1].document < d);
		}
	return good;
}

static bool groups_are_right(const struct sh_texts *t, unsigned jobs)
{
	struct sh_tables tables;
	struct sh_sorter postings;
	struct sh_index all = { 0 }, x = { 0 };
	struct sh_texts texts = *t;
	size_t kept = 0;
	bool good = true;

	sh_tables_init(&tables, rng_below(3) ? rng_below(4000) : 0, NULL);
	sh_postings_init(&postings, SH_POSTING_PLAIN, rng_below(4000), jobs, NULL);
	add_postings(t, 1 + (unsigned)rng_below(4), 1 + rng_below(5), &postings);
	must(sh_index_make(&all, t, &postings, SH_INDEX_GROUPS, &err) == 0);
	texts.tables = &tables;
	must(sh_index_make(&x, &texts, &postings, SH_INDEX_EARLIER, &err) == 0);
	for (uint32_t i = 0; good && i < all.n; i++) {
		const struct sh_index_place *p = all.place + all.start[i];
		size_t size = sh_index_size(&all, i);
		uint32_t documents = 1;

		good = i == 0 || all.key[i - 1] < all.key[i];
		for (size_t j = 1; good && j < size; j++) {
			good = p[j - 1].document < p[j].document ||
			       (p[j - 1].document == p[j].document && p[j - 1].token < p[j].token);
			documents += p[j - 1].document < p[j].document;
		}
		good = good && all.documents[i] == documents;
		if (!good || documents == 1)
			continue;
		good = kept < x.n && x.key[kept] == all.key[i] && x.documents[kept] == documents &&
		       sh_index_size(&x, kept) == size &&
		       memcmp(x.place + x.start[kept], p, size * sizeof *p) == 0;
		kept++;
	}
	good = good && kept == x.n && lists_are_right(&x, t->n);
	sh_index_free(&all);
	sh_index_free(&x);
	sh_sorter_free(&postings);
	sh_tables_free(&tables);
	return good;
}

/* ---- the parts of an alignment ---- */

enum { SLOW = 300 }; /* most tokens on a side for common_slowly() */

/* Returns the length of the longest common subsequence. */
static uint32_t common_slowly(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	static uint32_t table[SLOW + 1][SLOW + 1];

	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			uint32_t best =
			    table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];

			table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : best;
		}
	return table[n][m];
}

/* Common tokens are those on the diagonal if half are, else the longest subsequence. */
static void common(void)
{
	uint32_t a[SH_COMMON_MAX], b[SH_COMMON_MAX];
	size_t n = rng_below(SH_COMMON_MAX + 1), m = rng_below(SH_COMMON_MAX + 1);
	size_t less = n < m ? n : m, same = 0;

	for (size_t i = 0; i < SH_COMMON_MAX; i++) {
		a[i] = (uint32_t)rng_below(5);
		b[i] = (uint32_t)rng_below(5);
	}
	for (size_t i = 0; i < less; i++)
		same += a[i] == b[i];
	check(sh_common(a, n, b, m) == (2 * same >= less ? same : common_slowly(a, n, b, m)));
}

/* ---- spans ---- */

static bool is_sound(const struct sh_span *s, struct sh_token_hashes a, struct sh_token_hashes b,
    const struct sh_match_opts *opts)
{
	uint32_t n = s->to - s->from, m = s->end - s->at;

	return s->from < s->to && s->to <= a.n && s->at < s->end && s->end <= b.n &&
	       s->matched <= n && s->matched <= m && s->matched >= opts->least &&
	       sh_span_identity(s) >= opts->identity &&
	       (n > SLOW || m > SLOW ||
		   s->matched <= common_slowly(a.token + s->from, n, b.token + s->at, m));
}

/* Each common run of at least `run` tokens of the two documents lies in a span. */
static bool has_all_runs(struct sh_token_hashes a, struct sh_token_hashes b, uint32_t document,
    uint32_t run, const struct sh_span *spans, size_t n)
{
	for (uint32_t i = 0; i + run <= a.n; i++)
		for (uint32_t j = 0; j + run <= b.n; j++) {
			bool found = false;

			if ((i && j && a.token[i - 1] == b.token[j - 1]) ||
			    sh_match_forward(a, i, b, j) < run)
				continue;
			for (size_t s = 0; s < n && !found; s++)
				found = spans[s].document == document && spans[s].from <= i &&
					i + run <= spans[s].to && spans[s].at <= j + 40 &&
					j < spans[s].end + 40;
			if (!found)
				return false;
		}
	return true;
}

static bool spans_are_right(const struct sh_texts *t, unsigned k, size_t window, bool first)
{
	uint32_t run = (uint32_t)(k + window - 1);
	struct sh_sorter postings;
	struct sh_match_opts opts = { k, run, 300000, 0, first };
	struct sh_matcher *m = sh_matcher_new(&opts, t, &err);
	struct sh_index x = {
		.bound = first ? 0 : 1000000, .nearest = 2, .enough = run, .longest = k
	};
	bool good = m != NULL;

	sh_postings_init(&postings, SH_POSTING_PLAIN, SIZE_MAX, 1, NULL);
	add_postings(t, k, window, &postings);
	must(sh_index_make(&x, t, &postings, SH_INDEX_EARLIER, &err) == 0);
	sh_sorter_free(&postings);
	for (uint32_t d = 0; good && d < t->n; d++) {
		struct sh_token_hashes side = sh_texts_tokens(t, d);
		struct sh_span *spans;
		size_t n;

		must(sh_index_earlier(&x, d, m, &spans, &n, &err) == 0);
		for (size_t i = 0; good && i < n; i++)
			good =
			    spans[i].document < d &&
			    is_sound(&spans[i], side, sh_texts_tokens(t, spans[i].document), &opts);
		for (uint32_t e = 0; good && !first && e < d; e++)
			good = has_all_runs(side, sh_texts_tokens(t, e), e, run, spans, n);
	}
	sh_index_free(&x);
	sh_matcher_delete(m);
	return good;
}

/* Makes the tokens the only document of some texts. */
static struct sh_texts *texts_of(struct sh_texts *t, struct sh_token_hashes side)
{
	*t = (struct sh_texts){ .tables = NULL };
	add_document(t, side.token, side.n);
	return t;
}

/* Writes the blocks of a text in random order, with some tokens changed. Returns the number of
 * tokens. */
static size_t exchange_blocks(const uint32_t *from, size_t n, uint32_t *to)
{
	size_t blocks = 1 + rng_below(6), size = n / blocks, used = 0;
	size_t order[6] = { 0 };

	for (size_t i = 0; i < blocks; i++) {
		size_t j = rng_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < blocks; i++) {
		memcpy(to + used, from + order[i] * size, size * sizeof *to);
		used += size;
	}
	for (size_t i = 0; i < used; i++)
		if (rng_below(15) == 0)
			to[i] = (uint32_t)rng_below(1000);
	return used;
}

/* Finds the spans of two texts from all their common 3-grams. b: the matcher's document. */
static void find_spans(struct sh_matcher *m, struct sh_token_hashes a, struct sh_token_hashes b,
    struct sh_span **spans, size_t *n)
{
	uint32_t from, to;

	sh_matcher_begin(m, a);
	for (uint32_t i = 0; i + 3 <= a.n; i++)
		for (uint32_t j = 0; j + 3 <= b.n; j++)
			if (memcmp(a.token + i, b.token + j, 3 * sizeof *a.token) == 0)
				must(sh_matcher_hit(m, 0, i, j, &from, &to, &err) == 0);
	must(sh_matcher_spans(m, spans, n, &err) == 0);
}

/* The matched tokens of a merged span are at most the longest common subsequence, and at least the
 * best of its parts. */
static bool merges_are_right(struct sh_token_hashes a, struct sh_token_hashes b, uint32_t merge)
{
	struct sh_match_opts opts = { 3, 5, 300000, 0, false };
	struct sh_texts others, *t = texts_of(&others, b);
	struct sh_matcher *apart = sh_matcher_new(&opts, t, &err), *merged;
	struct sh_span *part, *span;
	size_t parts, n;
	bool good = true;

	opts.merge = merge;
	merged = sh_matcher_new(&opts, t, &err);
	must(apart && merged);
	find_spans(apart, a, b, &part, &parts);
	find_spans(merged, a, b, &span, &n);
	good = n <= parts && (n > 0) == (parts > 0);
	for (size_t i = 0; good && i < n; i++)
		good = span[i].matched <= common_slowly(a.token + span[i].from,
					      span[i].to - span[i].from, b.token + span[i].at,
					      span[i].end - span[i].at);
	for (size_t j = 0; good && j < parts; j++) {
		good = false;
		for (size_t i = 0; i < n && !good; i++)
			good = span[i].from <= part[j].from && part[j].to <= span[i].to &&
			       span[i].at <= part[j].at && part[j].end <= span[i].end &&
			       span[i].matched >= part[j].matched;
	}
	sh_matcher_delete(apart);
	sh_matcher_delete(merged);
	sh_texts_free(t);
	return good;
}

static void merges(void)
{
	uint32_t left[SLOW], right[SLOW], alphabet = 4 + (uint32_t)rng_below(200);
	size_t n = rng_below(SLOW), m;

	for (size_t i = 0; i < n; i++)
		left[i] = (uint32_t)rng_below(alphabet);
	m = exchange_blocks(left, n, right);
	check(merges_are_right((struct sh_token_hashes){ left, n },
	    (struct sh_token_hashes){ right, m }, 1 + (uint32_t)rng_below(80)));
}

/* ---- extension ---- */

enum { SIDE = 48, FAR = -1000 };

struct cell {
	int score;
	uint32_t matched;
};

static struct cell larger(struct cell x, struct cell y, int score, uint32_t matched)
{
	y.score += score;
	y.matched += matched;
	return y.score > x.score || (y.score == x.score && y.matched > x.matched) ? y : x;
}

/* The extension to the right of the first tokens, cell by cell: tokens of a, and matched tokens. */
static void extend_slowly(
    struct sh_token_hashes a, struct sh_token_hashes b, uint32_t *to, uint32_t *matched)
{
	static struct cell at[SIDE + 1][SIDE + 1];
	struct cell best = { 0, 0 };

	*to = 0;
	for (int i = 0; i <= (int)a.n; i++) {
		struct cell most = { FAR, 0 };

		for (int j = 0; j <= (int)b.n; j++) {
			struct cell x = { i || j ? FAR : 0, 0 };

			if (abs(i - j) <= SH_EXTEND_BAND) {
				if (i && j) {
					bool same = a.token[i - 1] == b.token[j - 1];

					x = larger(x, at[i - 1][j - 1], same ? 1 : -1, same);
				}
				x = i ? larger(x, at[i - 1][j], -1, 0) : x;
				x = j ? larger(x, at[i][j - 1], -1, 0) : x;
			}
			at[i][j] = x;
			most = larger(most, x, 0, 0);
		}
		if (i && most.score > best.score) {
			best = most;
			*to = (uint32_t)i;
		}
		if (i && most.score <= best.score - SH_EXTEND_DROP)
			break;
	}
	*matched = best.matched;
}

static void extensions(void)
{
	uint32_t left[SIDE + 1], right[SIDE + 1], alphabet = 2 + (uint32_t)rng_below(60), to, n;
	struct sh_token_hashes a = { left, 1 + rng_below(20) }, b = { right, 1 + rng_below(SIDE) };
	struct sh_span span = { 0, 0, 1, 0, 1, 1 };

	for (size_t i = 0; i < SIDE; i++) {
		left[i] = (uint32_t)rng_below(alphabet);
		right[i] = rng_below(3) ? left[i] : (uint32_t)rng_below(alphabet);
	}
	extend_slowly((struct sh_token_hashes){ left + 1, a.n - 1 },
	    (struct sh_token_hashes){ right + 1, b.n - 1 }, &to, &n);
	if (b.n == 1)
		to = n = 0;
	sh_extend(&span, a, b);
	check(span.to == 1 + to && span.matched == 1 + n && span.from == 0);
}

static void spans(void)
{
	struct sh_texts t = { 0 };
	unsigned k = 2 + (unsigned)rng_below(5);
	size_t window = 1 + rng_below(8);
	bool first = rng_below(2);

	add_random_documents(&t, 1 + rng_below(6), 60, 1 + (uint32_t)rng_below(256));
	check(groups_are_right(&t, 1 + (unsigned)rng_below(16)));
	if (first || rng_below(3) == 0)
		add_random_documents(&t, 2, 200, 2);
	check(spans_are_right(&t, k, window, first));
	sh_texts_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void (*const property[])(void) = { spans, common, merges, extensions };

	fuzz_begin(data, size);
	property[fuzz_take(1) % 4]();
	return 0;
}
