/* Joins the keys of N synthetic documents: the step of shdedup that finds candidates by keys.
 *
 *     buckets N [KEYS [MEMORY [JOBS [DIR]]]]
 *
 * KEYS keys a document [12], MEMORY bytes [8G], JOBS threads [1], temporary files in DIR. A tenth
 * of the documents are copies of earlier documents. A copy shares each key with its original with
 * the probability 0.4, as four minwise values do at a Jaccard similarity of 0.8. Other keys are
 * uniformly distributed. Prints a row of Markdown: documents, keys, copies that share a key with
 * their original, the number of these copies found, all pairs, the expected number of chance pairs,
 * CPU seconds of filling and of joining, and the largest memory in MB. Ends with status 1 when a
 * copy is not found. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/num.h"
#include "hash/mix.h"
#include "join/buckets.h"

enum { COPIES = 10, SHARED = 40, MOST_KEYS = 64, CHUNK = 4096 };

static void must(bool ok, const struct sh_error *err)
{
	if (ok)
		return;
	fprintf(stderr, "buckets: %s\n", err->text);
	exit(2);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	return sh_mix_moremur(a * SH_MIX_GOLDEN + b);
}

static bool is_copy(uint32_t i)
{
	return mix(i, 1) % COPIES == 0;
}

/* Returns the original of copy i, an earlier document that is not a copy. Returns i when i has no
 * original. */
static uint32_t original(uint32_t i)
{
	for (uint64_t try = 0; i && is_copy(i) && try < 64; try++) {
		uint32_t j = (uint32_t)(mix(i, 2 + try) % i);

		if (!is_copy(j))
			return j;
	}
	return i;
}

static uint64_t own_key(uint32_t i, unsigned column)
{
	return mix(i, 100 + column) >> (64 - SH_BUCKET_KEY_BITS);
}

/* Returns whether the document is a copy that shares a key with its original. */
static bool make_keys(uint32_t i, unsigned n, uint64_t *key)
{
	uint32_t from = original(i);
	bool shares = false;

	for (unsigned c = 0; c < n; c++) {
		bool shared = from != i && mix(i, 1000 + c) % 100 < SHARED;

		key[c] = own_key(shared ? from : i, c);
		shares |= shared;
	}
	return shares;
}

static double cpu(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* Returns the largest memory of the process, in MB. */
static double peak(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)r.ru_maxrss * 1.024 / 1000;
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
	unsigned keys = argc > 2 ? (unsigned)atoi(argv[2]) : 12;
	uint64_t memory = UINT64_C(8) << 30;
	unsigned jobs = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
	struct sh_tables tables;
	struct sh_bucket_opts opts = { .keys = keys, .jobs = jobs, .tables = &tables };
	struct sh_bucket_join join = { .limit = SIZE_MAX };
	static uint32_t low[MOST_KEYS * CHUNK];
	static uint8_t first[MOST_KEYS * CHUNK];
	const struct sh_key_block columns = { low, first, CHUNK };
	uint64_t key[MOST_KEYS], planted = 0, found = 0;
	const uint64_t *pair;
	struct sh_buckets *b;
	struct sh_error err;
	uint32_t *number;
	double filled;
	size_t pairs;

	if (keys == 0 || keys > MOST_KEYS || jobs == 0 ||
	    (argc > 3 && sh_parse_size(sh_slice(argv[3], strlen(argv[3])), &memory) < 0))
		return 2;
	sh_tables_init(&tables, memory / 2, argc > 5 ? argv[5] : NULL);
	opts.memory = memory / 2;
	b = sh_buckets_new(&opts, &err);
	must(b != NULL, &err);
	number = sh_tables_get(&tables, n, sizeof *number, &err);
	must(number != NULL, &err);
	for (uint32_t i = 0; i < n; i++) {
		planted += make_keys(i, keys, key);
		number[i] = i;
		sh_buckets_pack(b, key, &columns, i % CHUNK);
		if (i % CHUNK == CHUNK - 1 || i == n - 1)
			must(sh_buckets_add(b, &columns, i % CHUNK + 1, &err) == 0, &err);
	}
	filled = cpu();
	join.number = number;
	must(sh_buckets_pairs(b, &join, &pair, &pairs, &err) == 1, &err);
	for (size_t p = 0; p < pairs; p++) {
		uint32_t later = (uint32_t)(pair[p] >> 32);

		found += is_copy(later) && original(later) == (uint32_t)pair[p];
	}
	printf("| %" PRIu32 " | %u | %" PRIu64 " | %" PRIu64
	       " | %zu | %.0f | %.1f | %.1f | %.0f |\n",
	    n, keys, planted, found, pairs,
	    (double)n * (double)n / 2 * keys / (double)(UINT64_C(1) << SH_BUCKET_KEY_BITS), filled,
	    cpu() - filled, peak());
	sh_buckets_delete(b);
	sh_tables_put(&tables, number);
	sh_tables_free(&tables);
	return found < planted;
}
