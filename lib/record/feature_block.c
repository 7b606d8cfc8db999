#include "record/feature_block.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "record/feature_take.h"

/* Blocks beyond BYTES_MAX have few lines, and long ones. */
enum { BYTES_MAX = 1 << 22, FEWEST = 8 };

#define NO_NUMBER UINT64_MAX

int sh_feature_block_init(struct sh_feature_block *b, bool words, struct sh_error *err)
{
	*b = (struct sh_feature_block){
		.kernel = sh_marks_kernel_at(0),
		.take = sh_feature_take_kernel_at(0),
		.words = words,
		.number = NO_NUMBER,
		.most = SH_FEATURE_BLOCK_MAX,
		.of = malloc(sizeof *b->of),
	};
	return b->of ? 0 : sh_error_nomem(err);
}

void sh_feature_block_free(struct sh_feature_block *b)
{
	free(b->of);
	free(b->mark);
}

int sh_feature_block_enter(struct sh_feature_block *b, uint64_t number, const char *p,
    const char *end, struct sh_error *err)
{
	size_t n = (size_t)(end - p), room = n + SH_MARKS_SLACK;

	if (number == b->number)
		return 0;
	b->number = NO_NUMBER;
	b->base = p;
	b->marks = b->next = 0;
	if (n <= BYTES_MAX) {
		if (room > b->cap &&
		    sh_grow((void **)&b->mark, &b->cap, room, sizeof *b->mark, err) < 0)
			return -1;
		b->blanks = b->words;
		b->marks = b->kernel->find(p, n, &b->blanks, b->mark);
	}
	b->number = number;
	return 0;
}

/* How many marks there are in the prefix of a run, where features are cut. */
static size_t marks_of(const struct sh_feature_run *run)
{
	size_t n = 1;

	for (size_t i = 0; i < run->n; i++)
		n += run->prefix[i] == ' ' || run->prefix[i] == '\\';
	return n;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t digits(const char *p, unsigned n)
{
	uint32_t x = 0;

	for (unsigned i = 0; i < n; i++)
		x = 10 * x + (uint32_t)(p[i] - '0');
	return x;
}

/* Up to nine digits, and up to six behind a point; an LF ends them. */
static bool parse_digits(const char *p, int64_t *weight)
{
	unsigned whole = 0, part = 0;
	uint32_t millionths;

	while (whole < 9 && digit(p[whole]))
		whole++;
	if (whole == 0)
		return false;
	*weight = digits(p, whole) * SH_WEIGHT_ONE;
	p += whole;
	if (*p == '.') {
		p++;
		while (part < SH_WEIGHT_PLACES && digit(p[part]))
			part++;
		if (part == 0)
			return false;
		millionths = digits(p, part);
		p += part;
		for (; part < SH_WEIGHT_PLACES; part++)
			millionths *= 10;
		*weight += millionths;
	}
	return *p == '\n';
}

static bool digits8(uint64_t x)
{
	const uint64_t tops = UINT64_C(0x8080808080808080);

	return (((x + UINT64_C(0x7676767676767676)) | x) & tops) == 0;
}

/* The number of eight digits of one byte each, the first most significant: pairs, then fours. */
static uint64_t join8(uint64_t x)
{
	x = x * (1 + 10 * (UINT64_C(1) << 8)) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	x = x * (1 + 100 * (UINT64_C(1) << 16)) >> 16 & UINT64_C(0x0000ffff0000ffff);
	return x * (1 + 10000 * (UINT64_C(1) << 32)) >> 32;
}

/* One digit, as counts are, or d.dddddd, as logarithms are, without a branch for each; else as any
 * weight. */
static inline bool parse_weight(const char *p, int64_t *weight)
{
	uint64_t x = sh_le64(p) ^ UINT64_C(0x3030303030302e30);

	if (p[1] == '\n' && digit(*p)) {
		*weight = (int64_t)(x & 0xff) * SH_WEIGHT_ONE;
		return true;
	}
	if (p[8] == '\n' && (x & 0xff00) == 0 && digits8(x)) {
		*weight =
		    (int64_t)(x & 0xff) * SH_WEIGHT_ONE + (int64_t)join8(x & ~UINT64_C(0xffff));
		return true;
	}
	return parse_digits(p, weight);
}

/* Fill in the weights that are not 1; lines from the first on that has none are given back, and
 * fewer taken for a while. */
static __attribute__((noinline)) void parse_others(struct sh_feature_block *b)
{
	struct sh_feature_lines *of = b->of;

	b->most = b->most < SH_FEATURE_BLOCK_MAX / 2 ? 2 * b->most : SH_FEATURE_BLOCK_MAX;
	for (size_t i = 0; i < b->others; i++) {
		const char *tab = b->base + of->end[of->token[of->other[i] + 1] - 1];

		if (*tab == '\t' && parse_weight(tab + 1, &of->weight[i]))
			continue;
		b->lines = of->other[i];
		b->tokens = of->token[b->lines];
		b->others = i;
		b->most = FEWEST;
	}
}

/* Tokens are lines: 0, 1, 2 ... which may stand there already. */
static void count_tokens(struct sh_feature_block *b, size_t lines)
{
	for (; b->counted <= lines; b->counted++)
		b->of->token[b->counted] = (uint32_t)b->counted;
}

/* The number of lines from `begin` on, as their marks tell. What is wrong behind the feature is
 * found when the weight is looked at; no text has no weight, which is for the general way to say. */
static size_t take_plain(
    struct sh_feature_block *b, const struct sh_feature_run *run, uint32_t begin)
{
	const uint32_t *mark = b->mark + b->next;
	struct sh_feature_taken t = { .begin = begin };
	size_t most = (b->marks - b->next) / 3;

	if (most > b->most)
		most = b->most;
	b->take->take(b->base, mark, most, run, b->of, &t);
	sh_feature_take_plain.take(b->base, mark, most, run, b->of, &t);
	b->of->line[t.lines] = t.begin;
	b->tokens = t.lines;
	b->others = t.others;
	b->after = b->next + 3 * t.lines;
	count_tokens(b, t.lines);
	return t.lines;
}

/* What has been taken of features that are to be cut, and where the next line begins. */
struct cut {
	size_t lines, tokens, others, next;
	uint32_t begin;
};

/* As many tokens as the first line has, as n-grams have, as long as each line has so many. */
static void take_even(const struct sh_feature_block *b, struct sh_feature_lines *of,
    const struct sh_feature_run *run, size_t head, struct cut *c)
{
	const uint32_t *mark = b->mark + c->next;
	struct sh_feature_taken t = { .begin = c->begin };
	size_t left = b->marks - c->next, each = 1, most;

	while (each < 4 && head + each - 1 < left && b->base[mark[head + each - 1]] == ' ')
		each++;
	if (each != 2 && each != 3)
		return;
	most = left / (head + each + 1);
	if (most > b->most)
		most = b->most;
	if (most > (SH_FEATURE_BLOCK_MAX - 1) / each)
		most = (SH_FEATURE_BLOCK_MAX - 1) / each;
	if (each == 3 && head == 1)
		b->take->threes(b->base, mark, most, run, of, &t);
	sh_feature_take_even(b->base, mark, most, run, head, each, of, &t);
	c->lines = t.lines;
	c->tokens = t.lines * each;
	c->others = t.others;
	c->next += t.lines * (head + each + 1);
	c->begin = t.begin;
}

/* The same for features that are to be cut. */
static __attribute__((noinline)) size_t take_words(struct sh_feature_block *b,
    struct sh_feature_lines *restrict of, const struct sh_feature_run *restrict run, size_t head,
    uint32_t begin)
{
	const uint32_t *mark = b->mark, n = (uint32_t)run->n;
	const char *base = b->base;
	struct cut c = { .next = b->next, .begin = begin };
	size_t k;

	b->counted = 1;
	take_even(b, of, run, head, &c);
	for (; c.lines < b->most && c.next + head + 2 <= b->marks; c.next = k + 2) {
		uint32_t start = c.begin + n;
		size_t first = c.tokens;

		k = c.next + head;
		if ((mark[k - 1] + 1 != start) | (mark[k] == start) ||
		    !sh_feature_run_same(run, base + c.begin))
			break;
		for (; base[mark[k]] == ' ' && k + 2 < b->marks &&
		       c.tokens < SH_FEATURE_BLOCK_MAX - 1;
		     start = mark[k++] + 1) {
			of->start[c.tokens] = start;
			of->end[c.tokens++] = mark[k];
		}
		if (base[mark[k]] != '\t' || c.tokens == SH_FEATURE_BLOCK_MAX - 1) {
			c.tokens = first;
			break;
		}
		of->start[c.tokens] = start;
		of->end[c.tokens++] = mark[k];
		of->line[c.lines] = c.begin;
		of->token[c.lines] = (uint32_t)first;
		of->other[c.others] = (uint32_t)c.lines++;
		c.others += !sh_feature_weighs_one(base + mark[k]);
		c.begin = mark[k + 1] + 1;
	}
	of->line[c.lines] = c.begin;
	of->token[c.lines] = (uint32_t)c.tokens;
	b->tokens = c.tokens;
	b->others = c.others;
	b->after = c.next;
	return c.lines;
}

const char *sh_feature_block_take(
    struct sh_feature_block *b, const struct sh_feature_run *run, const char *p)
{
	uint32_t begin = (uint32_t)(p - b->base);
	size_t taken;

	b->lines = b->tokens = b->others = 0;
	b->of->line[0] = begin;
	b->of->token[0] = 0;
	while (b->next < b->marks && b->mark[b->next] < begin)
		b->next++;
	if (run->n == 0 || b->next == b->marks)
		return p;
	if (b->blanks)
		taken = take_words(b, b->of, run, marks_of(run), begin);
	else
		taken = take_plain(b, run, begin);
	b->lines = taken;
	parse_others(b);
	if (b->lines == taken)
		b->next = b->after;
	return b->base + b->of->line[b->lines];
}

void sh_feature_block_refuse(struct sh_feature_block *b)
{
	b->most = FEWEST;
}
