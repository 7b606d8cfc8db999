#include "join/same.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

enum {
	FEW = 24,    /* compared one by one */
	PART = 2048, /* fingerprints in a part, about: its table is 16 KiB */
	PARTS_MAX = 1 << 14,
	LINE = 8, /* entries of a cache line, gathered before they are written */
};

#define NONE UINT32_MAX

/* A part's entry: the number of a fingerprint, and bits of its hash that tell most others apart. */
struct entry {
	uint32_t number, tag;
};

/* Multiply and fold by a random odd key: nobody can choose fingerprints for one slot. */
static inline uint64_t hash(const uint64_t *fp, unsigned words, uint64_t key)
{
	uint64_t h = key;

	for (unsigned i = 0; i < words; i++)
		h = sh_wide_fold(h ^ fp[i], key ^ UINT64_C(0x9E3779B97F4A7C14));
	return h;
}

static inline bool equal(const uint64_t *fp, unsigned words, size_t i, size_t j)
{
	for (unsigned w = 0; w < words; w++)
		if (fp[i * words + w] != fp[j * words + w])
			return false;
	return true;
}

static void compare_all(const uint64_t *fp, size_t n, unsigned words, uint32_t *first)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (!equal(fp, words, i, j))
			j++;
		first[i] = (uint32_t)j;
	}
}

/* Entries come in order of their numbers, so the first one met is the lowest. */
static void one_part(const uint64_t *fp, unsigned words, const struct entry *e, size_t n,
    uint32_t *slots, size_t mask, uint32_t *first)
{
	memset(slots, 0xff, (mask + 1) * sizeof *slots);
	for (size_t i = 0; i < n; i++) {
		size_t at = e[i].tag & mask;

		while (
		    slots[at] != NONE && (e[slots[at]].tag != e[i].tag ||
					     !equal(fp, words, e[slots[at]].number, e[i].number)))
			at = (at + 1) & mask;
		if (slots[at] == NONE)
			slots[at] = (uint32_t)i;
		first[e[i].number] = e[slots[at]].number;
	}
}

/* Where parts begin in the array of entries, and what is still to be written there. */
struct parts {
	unsigned bits;
	size_t n;
	uint32_t *at; /* next place of each part; the start of the one after it, then */
	struct entry (*line)[LINE]; /* gathered entries of each part, in place modulo LINE */
};

static size_t part_of(const struct parts *p, uint64_t h)
{
	return p->bits ? (size_t)(h >> (64 - p->bits)) : 0;
}

static void count_parts(struct parts *p, const uint64_t *fp, size_t n, unsigned words, uint64_t key)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		p->at[part_of(p, hash(fp + i * words, words, key))]++;
	for (size_t i = 0; i < p->n; i++) {
		uint32_t count = p->at[i];

		p->at[i] = sum;
		sum += count;
	}
}

/* Scattered writes go out by whole cache lines. */
static void distribute(
    struct parts *p, const uint64_t *fp, size_t n, unsigned words, uint64_t key, struct entry *out)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t h = hash(fp + i * words, words, key);
		size_t part = part_of(p, h);
		uint32_t at = p->at[part]++;

		p->line[part][at % LINE] = (struct entry){ (uint32_t)i, (uint32_t)h };
		if (at % LINE == LINE - 1)
			memcpy(out + at - (LINE - 1), p->line[part], sizeof p->line[part]);
	}
}

/* The entries of a part's last, unfilled line. The first line may hold entries of the part
 * before, which are its last: parts are finished in order. */
static void flush(const struct parts *p, size_t part, size_t start, struct entry *out)
{
	size_t end = p->at[part], from = end - end % LINE;

	for (size_t i = from > start ? from : start; i < end; i++)
		out[i] = p->line[part][i % LINE];
}

static int work(struct parts *p, const uint64_t *fp, size_t n, unsigned words, uint64_t key,
    struct entry *out, uint32_t *first, struct sh_error *err)
{
	size_t slots_n = 0, start = 0;
	uint32_t *slots = NULL;

	count_parts(p, fp, n, words, key);
	distribute(p, fp, n, words, key, out);
	for (size_t part = 0; part < p->n; start = p->at[part++])
		flush(p, part, start, out);
	start = 0;
	for (size_t part = 0; part < p->n; start = p->at[part++]) {
		size_t size = p->at[part] - start, want = 64;

		while (want < 2 * size)
			want *= 2;
		if (want > slots_n) {
			free(slots);
			slots = malloc(want * sizeof *slots);
			if (!slots)
				return sh_error_nomem(err);
			slots_n = want;
		}
		one_part(fp, words, out + start, size, slots, want - 1, first);
	}
	free(slots);
	return 0;
}

int sh_same_first(const uint64_t *fp, size_t n, unsigned words, uint64_t key, uint32_t *first,
    struct sh_error *err)
{
	struct parts p = { .bits = 0, .n = 1 };
	struct entry *out;
	int status;

	if (n <= FEW) {
		compare_all(fp, n, words, first);
		return 0;
	}
	while (p.n < PARTS_MAX && n / p.n > PART) {
		p.bits++;
		p.n *= 2;
	}
	p.at = calloc(p.n, sizeof *p.at);
	p.line = malloc(p.n * sizeof *p.line);
	out = malloc((n + LINE) * sizeof *out);
	status = p.at && p.line && out ? work(&p, fp, n, words, key, out, first, err)
				       : sh_error_nomem(err);
	free(p.at);
	free(p.line);
	free(out);
	return status;
}
