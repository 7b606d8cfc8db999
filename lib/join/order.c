#include "join/order.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "io/parallel.h"
#include "join/scan.h"

enum {
	ONE_PASS_BITS = 10, /* a key of at most these bits is always ordered in one pass */
	LINE = 16,          /* elements of a struct line */
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
	/* The scan reads and ignores these elements beyond the end. */
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
		/* The last bit of the run is bit top-n+1 of the word and bit `left` of the key. */
		key->shift[key->runs] = (uint8_t)(top - n + 1 - left);
		key->mask[key->runs] = (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << left;
		key->runs++;
		mask = top - n + 1 > 0 ? mask & ((UINT64_C(1) << (top - n + 1)) - 1) : 0;
	}
}

/* A pass of the radix sort. Its digit is `bits` bits of the key, above the lowest `shift` bits. */
struct pass {
	const struct sh_key *key;
	unsigned shift, bits;
	bool fresh; /* from->id is not set yet: element i gets the number i */
};

/* Extracts the digit of a word. Most keys are one run of bits, which one shift extracts. */
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

/* Sets next[d] to the number of words of lo .. lo+n-1 that have digit d. */
static inline __attribute__((always_inline)) void count(const uint64_t *word, uint32_t lo,
    uint32_t n, const struct digit *d, bool one_run, uint32_t *next)
{
	memset(next, 0, ((size_t)d->mask + 1) * sizeof *next);
	for (uint32_t i = lo; i < lo + n; i++)
		next[digit(d, one_run, word[i])]++;
}

/* Replaces the counts in next[] by the position where each digit begins. The first one is `at`.
 * Stores the positions in start[], too. */
static inline void begin_digits(uint32_t last, uint32_t at, uint32_t *start, uint32_t *next)
{
	for (size_t v = 0; v <= last; v++) {
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

	count(word, lo, n, &d, one_run, next);
	begin_digits(d.mask, at, start, next);
	for (uint32_t i = lo; i < lo + n; i++) {
		uint64_t w = word[i];
		uint32_t where = next[digit(&d, one_run, w)]++;

		to_word[where] = w;
		to_id[where] = fresh ? i : id[i];
	}
}

/* Moves the elements lo .. lo+n-1 of `from` to at .. at+n-1 of `to`, in the order of their digits.
 * Sets start[d] to the position where digit d begins. Overwrites next. */
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

/* A cache line of numbers and two cache lines of words. Each is filled, then written at once. */
struct line {
	uint64_t word[LINE];
	uint32_t id[LINE];
};

/* Writes n bytes, past the cache on x86: the bytes are not read soon. Both addresses are aligned to
 * 16 bytes. */
static inline void write_past(void *to, const void *from, size_t n)
{
#ifdef __SSE2__
	for (size_t i = 0; i < n / 16; i++)
		_mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
	memcpy(to, from, n);
#endif
}

/* Writes the elements from .. end-1 of one line. The remaining elements of the line belong to other
 * digits or threads. */
static void write_part(struct sh_side *to, const struct line *line, uint32_t from, uint32_t end)
{
	for (uint32_t at = from; at < end; at++) {
		to->word[at] = line->word[at % LINE];
		to->id[at] = line->id[at % LINE];
	}
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
		if (in < LINE - 1)
			continue;
		if (__builtin_expect(where - in >= start[v], 1)) {
			write_past(to->word + (where - in), line[v].word, sizeof line[v].word);
			write_past(to->id + (where - in), line[v].id, sizeof line[v].id);
		} else {
			write_part(to, &line[v], start[v], where + 1);
		}
	}
#ifdef __SSE2__
	_mm_sfence();
#endif
	for (size_t v = 0; v <= d.mask; v++) {
		uint32_t at = next[v] - next[v] % LINE;

		write_part(to, &line[v], at > start[v] ? at : start[v], next[v]);
	}
}

static void copy_elements(
    uint64_t *to_word, uint32_t *to_id, const uint64_t *word, const uint32_t *id, uint32_t n)
{
	memcpy(to_word, word, n * sizeof *word);
	memcpy(to_id, id, n * sizeof *id);
}

/* As place(), for ranges that are larger than the cache. The elements of digit v go to the
 * positions from start[v] on. next is a copy of start, and is overwritten. */
static void place_lines(const struct sh_side *from, struct sh_side *to, uint32_t lo, uint32_t n,
    const struct pass *p, const uint32_t *start, uint32_t *next)
{
	struct digit d = digit_of(p);

	if (d.key)
		scatter_lines(from, to, lo, n, d, false, p->fresh, start, next);
	else if (p->fresh)
		scatter_lines(from, to, lo, n, d, true, true, start, next);
	else
		scatter_lines(from, to, lo, n, d, true, false, start, next);
}

/* ---- radix partitions -------------------------------------------------------------- */

/* The elements lo .. lo+n-1, which one thread moves. Elements of digit v go to the positions
 * from start[v] on; next[v] is the next position. */
struct sh_segment {
	uint32_t lo, n;
	uint32_t start[1 << SH_SPLIT_BITS], next[1 << SH_SPLIT_BITS];
};

static struct pass upper(const struct sh_split *p)
{
	return (struct pass){ p->key, p->rest, p->key->bits - p->rest, false };
}

/* Plans a split by the upper bits, so that the second pass scatters within the cache. */
static void begin_split(struct sh_split *p, const struct sh_key *key)
{
	unsigned bits = key->bits / 2 < SH_SPLIT_BITS ? key->bits / 2 : SH_SPLIT_BITS;

	p->key = key;
	p->parts = 1U << bits;
	p->rest = key->bits - bits;
	p->most = 0;
}

/* Sets g->next[v] to the number of elements of the segment that have digit v. */
static void count_segment(const struct sh_split *p, const struct sh_side *s, struct sh_segment *g)
{
	struct pass pass = upper(p);
	struct digit d = digit_of(&pass);

	if (d.key)
		count(s->word, g->lo, g->n, &d, false, g->next);
	else
		count(s->word, g->lo, g->n, &d, true, g->next);
}

/* Computes the positions of the partitions, from `lo` on, and of each segment's elements in them.
 * The segments must be counted. */
static void lay_out(struct sh_split *p, uint32_t lo)
{
	for (unsigned v = 0; v < p->parts; v++) {
		p->start[v] = lo;
		for (unsigned i = 0; i < p->threads; i++) {
			uint32_t many = p->segment[i].next[v];

			p->segment[i].start[v] = p->segment[i].next[v] = lo;
			lo += many;
		}
		if (lo - p->start[v] > p->most)
			p->most = lo - p->start[v];
	}
	p->start[p->parts] = lo;
}

static void move_segment(const struct sh_split *p, const struct sh_side *s, bool fresh,
    struct sh_side *room, struct sh_segment *g)
{
	struct pass pass = upper(p);

	pass.fresh = fresh;
	place_lines(s, room, g->lo, g->n, &pass, g->start, g->next);
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

static inline __attribute__((always_inline)) void move_words_by(const uint64_t *from, uint64_t *to,
    uint32_t lo, uint32_t n, struct digit d, bool one_run, uint32_t *next)
{
	for (uint32_t i = lo; i < lo + n; i++) {
		uint64_t w = from[i];

		to[next[digit(&d, one_run, w)]++] = w;
	}
}

/* Moves each of the words lo .. lo+n-1 to the position next[digit], which then increases. */
static void move_words(
    const uint64_t *from, uint64_t *to, uint32_t lo, uint32_t n, struct digit d, uint32_t *next)
{
	if (d.key)
		move_words_by(from, to, lo, n, d, false, next);
	else
		move_words_by(from, to, lo, n, d, true, next);
}

static void move_word_segment(
    const struct sh_split *p, const uint64_t *from, uint64_t *to, struct sh_segment *g)
{
	struct pass pass = upper(p);

	move_words(from, to, g->lo, g->n, digit_of(&pass), g->next);
}

void sh_split_order_words(const struct sh_split *p, uint32_t i, uint64_t *word, uint64_t *room,
    uint32_t *start, uint32_t *next)
{
	const struct pass pass = { p->key, 0, p->rest, false };
	struct digit d = digit_of(&pass);
	uint32_t lo = p->start[i], n = p->start[i + 1] - lo;

	if (d.key)
		count(word, lo, n, &d, false, next);
	else
		count(word, lo, n, &d, true, next);
	begin_digits(d.mask, 0, start, next);
	for (uint32_t v = 0; v <= d.mask; v++)
		start[v] += lo;
	move_words(word, room, lo, n, d, next);
	if (n)
		memcpy(word + lo, room, n * sizeof *word);
}

/* Returns whether the elements are in order already. Then fills start[], except the last
 * element. */
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

/* Orders a range that is larger than the cache. */
static void order_parts(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key,
    bool fresh, uint32_t *start, struct sh_side *room, uint32_t *next)
{
	struct sh_segment all = { .lo = lo, .n = n };
	struct sh_split p = { .threads = 1, .segment = &all };

	begin_split(&p, key);
	count_segment(&p, s, &all);
	lay_out(&p, lo);
	move_segment(&p, s, fresh, room, &all);
	for (uint32_t i = 0; i < p.parts; i++)
		order_part(&p, i, room, s, p.start[i], start + ((size_t)i << p.rest), next);
}

static void order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key, bool fresh,
    uint32_t *start, struct sh_side *room, uint32_t *next)
{
	struct pass p = { key, 0, key->bits, fresh };

	start[UINT32_C(1) << key->bits] = lo + n;
	if (!fresh && in_order(s, lo, n, key, start))
		return;
	if (n > SH_SIDE_CACHED && key->bits > ONE_PASS_BITS) {
		order_parts(s, lo, n, key, fresh, start, room, next);
		return;
	}
	place(s, room, lo, n, &p, lo, start, next);
	copy_elements(s->word + lo, s->id + lo, room->word + lo, room->id + lo, n);
}

void sh_side_order(struct sh_side *s, uint32_t lo, uint32_t n, const struct sh_key *key,
    uint32_t *start, struct sh_side *room, uint32_t *next)
{
	order(s, lo, n, key, false, start, room, next);
}

/* ---- by several threads -------------------------------------------------------------- */

struct moving {
	struct sh_split *split;
	const struct sh_side *from;
	struct sh_side *to;
	bool fresh;
	const uint64_t *from_word; /* when words without numbers are moved */
	uint64_t *to_word;
};

static int count_task(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct moving *m = arg;

	(void)err;
	for (size_t i = from; i < to; i++)
		count_segment(m->split, m->from, &m->split->segment[i]);
	return 0;
}

static int move_task(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct moving *m = arg;

	(void)err;
	for (size_t i = from; i < to; i++)
		if (m->to_word)
			move_word_segment(
			    m->split, m->from_word, m->to_word, &m->split->segment[i]);
		else
			move_segment(m->split, m->from, m->fresh, m->to, &m->split->segment[i]);
	return 0;
}

/* Calls fn for each segment. */
static int each_segment(struct moving *m, sh_tasks_fn *fn, struct sh_error *err)
{
	return sh_parallel(m, 0, m->split->threads, m->split->threads, 1, fn, err);
}

int sh_split_init(struct sh_split *p, unsigned threads, const struct sh_side *s,
    const struct sh_key *key, struct sh_error *err)
{
	struct moving m = { .split = p, .from = s };

	begin_split(p, key);
	p->threads = threads;
	p->segment = calloc(threads, sizeof *p->segment);
	if (!p->segment)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < threads; i++) {
		struct sh_segment *g = &p->segment[i];

		g->lo = (uint32_t)((uint64_t)s->n * i / threads);
		g->n = (uint32_t)((uint64_t)s->n * (i + 1) / threads) - g->lo;
	}
	if (each_segment(&m, count_task, err) < 0)
		return -1;
	lay_out(p, 0);
	return 0;
}

void sh_split_free(struct sh_split *p)
{
	free(p->segment);
	p->segment = NULL;
}

int sh_split_move(struct sh_split *p, const struct sh_side *s, bool fresh, struct sh_side *room,
    struct sh_error *err)
{
	struct moving m = { .split = p, .from = s, .to = room, .fresh = fresh };

	return each_segment(&m, move_task, err);
}

int sh_split_move_words(
    struct sh_split *p, const uint64_t *from, uint64_t *to, struct sh_error *err)
{
	struct moving m = { .split = p, .from_word = from, .to_word = to };

	return each_segment(&m, move_task, err);
}

/* The partitions that one thread orders. */
struct orderer {
	const struct sh_split *split;
	const struct sh_side *room;
	struct sh_side *side;
	uint32_t *start; /* by bucket of all partitions */
	uint32_t *next;  /* scratch memory of the thread: 2^rest elements */
};

static int order_task(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct orderer *o = arg;
	const struct sh_split *p = o->split;

	(void)err;
	for (size_t i = from; i < to; i++)
		order_part(p, (uint32_t)i, o->room, o->side, p->start[i], o->start + (i << p->rest),
		    o->next);
	return 0;
}

static int order_all(struct sh_split *p, struct sh_side *s, uint32_t *start,
    const struct sh_side *room, struct sh_error *err)
{
	struct orderer *o = calloc(p->threads, sizeof *o);
	uint32_t *next = malloc(p->threads * sizeof *next << p->rest);
	int status = o && next ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < p->threads; i++)
		o[i] = (struct orderer){ p, room, s, start, next + ((size_t)i << p->rest) };
	if (status == 0)
		status = sh_parallel(o, sizeof *o, p->threads, p->parts, 1, order_task, err);
	free(next);
	free(o);
	return status;
}

static int order_alone(struct sh_side *s, const struct sh_key *key, bool fresh, uint32_t *start,
    struct sh_side *room, struct sh_error *err)
{
	uint32_t *next = malloc(sizeof *next << key->bits);

	if (!next)
		return sh_error_nomem(err);
	order(s, 0, s->n, key, fresh, start, room, next);
	free(next);
	return 0;
}

int sh_side_order_by(unsigned threads, struct sh_side *s, const struct sh_key *key, bool fresh,
    uint32_t *start, struct sh_side *room, struct sh_error *err)
{
	struct sh_split p;
	int status;

	if (threads == 1 || s->n <= SH_SIDE_CACHED || key->bits < 2)
		return order_alone(s, key, fresh, start, room, err);
	status = sh_split_init(&p, threads, s, key, err);
	if (status == 0)
		status = sh_split_move(&p, s, fresh, room, err);
	if (status == 0)
		status = order_all(&p, s, start, room, err);
	start[(size_t)1 << key->bits] = s->n;
	sh_split_free(&p);
	return status;
}
