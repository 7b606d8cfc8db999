#include "join/order.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "join/scan.h"

enum {
	ONE_PASS_BITS = 10,
	LINE = 16,
	WORDS = 8, /* in a cache line */
};

int sh_side_reserve(struct sh_side *s, size_t n, struct sh_error *err)
{
	size_t cap = n + SH_SCAN_TILE;

	if (cap <= s->cap)
		return 0;
	cap += cap / 16;
	free(s->word);
	free(s->id);
	s->cap = 0;
	cap += -cap % LINE;
	s->word = aligned_alloc(64, cap * sizeof *s->word);
	s->id = aligned_alloc(64, cap * sizeof *s->id);
	if (s->word == NULL || s->id == NULL)
		return sh_error_nomem(err);
	s->cap = cap;
	return 0;
}

void sh_side_free(struct sh_side *s)
{
	free(s->word);
	free(s->id);
	*s = (struct sh_side){ 0 };
}

void sh_side_load(struct sh_side *s, unsigned word)
{
	const uint64_t *fp = s->fp + word;

	for (uint32_t i = 0; i < s->n; i++) {
		s->word[i] = fp[(size_t)i * s->words];
		s->id[i] = i;
	}
	/* Defines what the scan reads beyond the end, and ignores. */
	memset(s->word + s->n, 0, SH_SCAN_TILE * sizeof *s->word);
	s->loaded = word;
}

void sh_side_fetch(struct sh_side *s, uint32_t lo, uint32_t n, unsigned word)
{
	const uint64_t *fp = s->fp + word;

	for (uint32_t i = lo; i < lo + n; i++)
		s->word[i] = fp[(size_t)s->id[i] * s->words];
}

void sh_key_init(struct sh_key *key, uint64_t mask)
{
	unsigned left = (unsigned)__builtin_popcountll(mask);

	*key = (struct sh_key){ .bits = left };
	while (mask != 0) {
		unsigned top = 63 - (unsigned)__builtin_clzll(mask), n = 0;

		while (n <= top && (mask >> (top - n) & 1))
			n++;
		left -= n;
		/* The last bit of the run is bit top-n+1 of the word, and bit `left` of the key. */
		key->shift[key->runs] = (uint8_t)(top - n + 1 - left);
		key->mask[key->runs] = (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << left;
		key->runs++;
		mask = top - n + 1 > 0 ? mask & ((UINT64_C(1) << (top - n + 1)) - 1) : 0;
	}
}

/* The bits of the key that one pass looks at. */
struct pass {
	const struct sh_key *key;
	unsigned shift, bits;
	bool fresh; /* from->id is not set yet: elements get the numbers from 0 on */
};

/* How a pass gets its digit from a word. Most keys are one run of bits, which one shift
 * extracts. */
struct digit {
	const struct sh_key *key; /* NULL when the key is one run */
	unsigned shift;
	uint32_t mask;
};

static struct digit digit_of(const struct pass *p)
{
	struct digit d = { p->key, p->shift, (UINT32_C(1) << p->bits) - 1 };

	if (p->key->runs == 1) {
		d.key = NULL;
		d.shift += p->key->shift[0];
	}
	return d;
}

static inline __attribute__((always_inline)) uint32_t digit(
    const struct digit *d, bool one_run, uint64_t word)
{
	uint64_t x = one_run ? word : sh_key_of(d->key, word);

	return (uint32_t)(x >> d->shift) & d->mask;
}

/* Counts the digits. Stores where each digit begins, from `at` on, in start[] and next[]. */
static inline __attribute__((always_inline)) void count(const struct sh_side *from, uint32_t lo,
    uint32_t n, const struct digit *d, bool one_run, uint32_t at, uint32_t *start, uint32_t *next)
{
	memset(next, 0, ((size_t)d->mask + 1) * sizeof *next);
	for (uint32_t i = lo; i < lo + n; i++)
		next[digit(d, one_run, from->word[i])]++;
	for (size_t v = 0; v <= d->mask; v++) {
		uint32_t many = next[v];

		start[v] = next[v] = at;
		at += many;
	}
}

static inline __attribute__((always_inline)) void scatter(const struct sh_side *from,
    struct sh_side *to, uint32_t lo, uint32_t n, struct digit d, bool one_run, bool fresh,
    uint32_t at, uint32_t *start, uint32_t *next)
{
	const uint64_t *word = from->word;
	const uint32_t *id = from->id;
	uint64_t *to_word = to->word;
	uint32_t *to_id = to->id;

	count(from, lo, n, &d, one_run, at, start, next);
	for (uint32_t i = lo; i < lo + n; i++) {
		uint64_t w = word[i];
		uint32_t where = next[digit(&d, one_run, w)]++;

		to_word[where] = w;
		to_id[where] = fresh ? i : id[i];
	}
}

/* Moves the n elements of `from` at `lo` to `to` at `at`, in the order of their digits. start[d]
 * is where digit d begins. Overwrites next. */
static void place(const struct sh_side *from, struct sh_side *to, uint32_t lo, uint32_t n,
    const struct pass *p, uint32_t at, uint32_t *start, uint32_t *next)
{
	struct digit d = digit_of(p);

	if (d.key)
		scatter(from, to, lo, n, d, false, p->fresh, at, start, next);
	else if (p->fresh)
		scatter(from, to, lo, n, d, true, true, at, start, next);
	else
		scatter(from, to, lo, n, d, true, false, at, start, next);
}

/* ---- sides that are larger than the cache --------------------------------------- */

/* A cache line of numbers and two of words, filled before they are written. */
struct line {
	uint64_t word[LINE];
	uint32_t id[LINE];
};

/* Writes n bytes past the cache where the processor can: the lines are not read soon, and a line
 * that is overwritten whole need not be fetched. Both addresses are aligned to 16 bytes. */
static inline void write_past(void *to, const void *from, size_t n)
{
#ifdef __SSE2__
	for (size_t i = 0; i < n / 16; i++)
		_mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
	memcpy(to, from, n);
#endif
}

static inline __attribute__((always_inline)) void scatter_lines(const struct sh_side *from,
    struct sh_side *to, uint32_t lo, uint32_t n, struct digit d, bool one_run, bool fresh,
    const uint32_t *start, uint32_t *next)
{
	_Alignas(64) struct line line[1 << SH_SPLIT_BITS];
	const uint64_t *word = from->word;
	const uint32_t *id = from->id;

	for (uint32_t i = lo; i < lo + n; i++) {
		uint64_t w = word[i];
		uint32_t v = digit(&d, one_run, w), where = next[v]++, in = where % LINE;

		line[v].word[in] = w;
		line[v].id[in] = fresh ? i : id[i];
		if (in == LINE - 1) {
			write_past(to->word + (where - in), line[v].word, sizeof line[v].word);
			write_past(to->id + (where - in), line[v].id, sizeof line[v].id);
		}
	}
#ifdef __SSE2__
	_mm_sfence();
#endif
	/* Writes the last line of each digit, which is not full. Its first elements may belong
	 * to the digits before, which were written already; writing in ascending order leaves
	 * all elements right. */
	for (size_t v = 0; v <= d.mask; v++) {
		uint32_t at = next[v] - next[v] % LINE;

		for (at = at > start[v] ? at : start[v]; at < next[v]; at++) {
			to->word[at] = line[v].word[at % LINE];
			to->id[at] = line[v].id[at % LINE];
		}
	}
}

static void copy_elements(
    uint64_t *to_word, uint32_t *to_id, const uint64_t *word, const uint32_t *id, uint32_t n)
{
	memcpy(to_word, word, n * sizeof *word);
	memcpy(to_id, id, n * sizeof *id);
}

/* As place(), for more than the cache holds, and to the same positions lo .. lo+n-1 of `to`.
 * start and next are set. The first line may begin before lo: its elements are saved and
 * restored. */
static void place_lines(const struct sh_side *from, struct sh_side *to, uint32_t lo, uint32_t n,
    const struct pass *p, const uint32_t *start, uint32_t *next)
{
	struct digit d = digit_of(p);
	uint32_t in = lo % LINE;
	struct line before;

	copy_elements(before.word, before.id, to->word + (lo - in), to->id + (lo - in), in);
	if (d.key)
		scatter_lines(from, to, lo, n, d, false, p->fresh, start, next);
	else if (p->fresh)
		scatter_lines(from, to, lo, n, d, true, true, start, next);
	else
		scatter_lines(from, to, lo, n, d, true, false, start, next);
	copy_elements(to->word + (lo - in), to->id + (lo - in), before.word, before.id, in);
}

/* ---- radix partitions -------------------------------------------------------------- */

static struct pass upper(const struct sh_split *p)
{
	return (struct pass){ p->key, p->rest, p->key->bits - p->rest, false };
}

/* Splits by the upper bits, so that the second pass scatters within the cache. */
static void split(
    struct sh_split *p, const struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key)
{
	unsigned bits = key->bits / 2 < SH_SPLIT_BITS ? key->bits / 2 : SH_SPLIT_BITS;
	struct pass pass;
	struct digit d;

	p->key = key;
	p->parts = 1U << bits;
	p->rest = key->bits - bits;
	p->most = 0;
	pass = upper(p);
	d = digit_of(&pass);
	if (d.key)
		count(s, lo, n, &d, false, lo, p->start, p->next);
	else
		count(s, lo, n, &d, true, lo, p->start, p->next);
	p->start[p->parts] = lo + n;
	for (unsigned i = 0; i < p->parts; i++)
		if (p->start[i + 1] - p->start[i] > p->most)
			p->most = p->start[i + 1] - p->start[i];
}

void sh_split_init(struct sh_split *p, const struct sh_side *s, const struct sh_key *key)
{
	split(p, s, 0, s->n, key);
}

void sh_split_move(struct sh_split *p, const struct sh_side *s, bool fresh, struct sh_side *room)
{
	struct pass pass = upper(p);
	uint32_t lo = p->start[0];

	pass.fresh = fresh;
	place_lines(s, room, lo, p->start[p->parts] - lo, &pass, p->start, p->next);
}

static void order_part(const struct sh_split *p, uint32_t i, const struct sh_side *room,
    struct sh_side *to, uint32_t at, uint32_t *start, uint32_t *next)
{
	const struct pass pass = { p->key, 0, p->rest, false };

	place(room, to, p->start[i], p->start[i + 1] - p->start[i], &pass, at, start, next);
}

void sh_split_order(const struct sh_split *p, uint32_t i, const struct sh_side *room,
    struct sh_side *to, uint32_t *start, uint32_t *next)
{
	order_part(p, i, room, to, 0, start, next);
	start[(size_t)1 << p->rest] = p->start[i + 1] - p->start[i];
}

/* ---- words without numbers ----------------------------------------------------------- */

static inline __attribute__((always_inline)) void scatter_word_lines(const uint64_t *from,
    uint64_t *to, uint32_t lo, uint32_t n, struct digit d, bool one_run, const uint32_t *start,
    uint32_t *next)
{
	_Alignas(64) uint64_t line[1 << SH_SPLIT_BITS][WORDS];

	for (uint32_t i = lo; i < lo + n; i++) {
		uint64_t w = from[i];
		uint32_t v = digit(&d, one_run, w), where = next[v]++, in = where % WORDS;

		line[v][in] = w;
		if (in == WORDS - 1)
			write_past(to + (where - in), line[v], sizeof line[v]);
	}
#ifdef __SSE2__
	_mm_sfence();
#endif
	/* As in scatter_lines(): writes the last line of each digit. */
	for (size_t v = 0; v <= d.mask; v++) {
		uint32_t at = next[v] - next[v] % WORDS;

		for (at = at > start[v] ? at : start[v]; at < next[v]; at++)
			to[at] = line[v][at % WORDS];
	}
}

void sh_split_move_words(struct sh_split *p, const uint64_t *from, uint64_t *to)
{
	struct pass pass = upper(p);
	struct digit d = digit_of(&pass);
	uint32_t lo = p->start[0], n = p->start[p->parts] - lo;

	if (d.key)
		scatter_word_lines(from, to, lo, n, d, false, p->start, p->next);
	else
		scatter_word_lines(from, to, lo, n, d, true, p->start, p->next);
}

static inline __attribute__((always_inline)) void scatter_words(const uint64_t *from, uint64_t *to,
    uint32_t lo, uint32_t n, struct digit d, bool one_run, uint32_t *start, uint32_t *next)
{
	const struct sh_side s = { .word = (uint64_t *)(uintptr_t)from };

	count(&s, lo, n, &d, one_run, lo, start, next);
	for (uint32_t i = lo; i < lo + n; i++) {
		uint64_t w = from[i];

		to[next[digit(&d, one_run, w)]++] = w;
	}
}

void sh_split_order_words(const struct sh_split *p, uint32_t i, const uint64_t *from, uint64_t *to,
    uint32_t *start, uint32_t *next)
{
	const struct pass pass = { p->key, 0, p->rest, false };
	struct digit d = digit_of(&pass);
	uint32_t lo = p->start[i], n = p->start[i + 1] - lo;

	if (d.key)
		scatter_words(from, to, lo, n, d, false, start, next);
	else
		scatter_words(from, to, lo, n, d, true, start, next);
}

/* Returns whether the elements are in order already; then start[] is filled. */
static bool in_order(
    const struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key, uint32_t *start)
{
	uint32_t v = 0;

	start[0] = lo;
	for (uint32_t i = lo; i < lo + n; i++) {
		uint32_t k = sh_key_of(key, s->word[i]);

		if (k < v)
			return false;
		while (v < k)
			start[++v] = i;
	}
	while (v < (UINT32_C(1) << key->bits) - 1)
		start[++v] = lo + n;
	return true;
}

static void order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key, bool fresh,
    uint32_t *start, struct sh_side *room, uint32_t *next)
{
	struct pass p = { key, 0, key->bits, fresh };
	struct sh_split parts;

	start[UINT32_C(1) << key->bits] = lo + n;
	if (!fresh && in_order(s, lo, n, key, start))
		return;
	if (n <= SH_SIDE_CACHED || key->bits <= ONE_PASS_BITS) {
		place(s, room, lo, n, &p, lo, start, next);
		copy_elements(s->word + lo, s->id + lo, room->word + lo, room->id + lo, n);
		return;
	}
	split(&parts, s, lo, n, key);
	sh_split_move(&parts, s, fresh, room);
	for (uint32_t i = 0; i < parts.parts; i++)
		order_part(
		    &parts, i, room, s, parts.start[i], start + ((size_t)i << parts.rest), next);
}

void sh_side_order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key,
    uint32_t *start, struct sh_side *room, uint32_t *next)
{
	order(s, lo, n, key, false, start, room, next);
}

void sh_side_order_new(struct sh_side *s, const struct sh_key *key, uint32_t *start,
    struct sh_side *room, uint32_t *next)
{
	order(s, 0, s->n, key, true, start, room, next);
}
