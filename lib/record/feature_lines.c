/* SPDX-License-Identifier: MIT */
#include "record/feature_lines.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- the prefix of a document ---- */

void sh_id_prefix_set(struct sh_id_prefix *prefix, struct sh_slice id)
{
	unsigned char mask[16] = { 0 };

	prefix->n = id.n + 1;
	memcpy(prefix->text, id.p, id.n);
	prefix->text[id.n] = '\t';
	memset(prefix->text + prefix->n, 0, 16);
	memset(mask, 0xff, prefix->n < 16 ? prefix->n : 16);
	prefix->a = sh_le64(prefix->text);
	prefix->b = sh_le64(prefix->text + 8);
	prefix->mask_a = sh_le64(mask);
	prefix->mask_b = sh_le64(mask + 8);
}

/* ---- marks ---- */

enum { STEP = 16 }; /* bytes that are compared at once */

/* Returns the bytes of p[0 .. STEP - 1] that equal x or y, a bit each, the first byte's lowest. */
static inline uint64_t where(const char *p, char x, char y)
{
#ifdef __SSE2__ /* as all x86-64 processors; the loop below takes four times as long */
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);

	return (uint32_t)_mm_movemask_epi8(
	    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(x)), _mm_cmpeq_epi8(v, _mm_set1_epi8(y))));
#else
	uint64_t bits = 0;

	for (unsigned i = 0; i < STEP; i++)
		bits |= (uint64_t)(p[i] == x || p[i] == y) << i;
	return bits;
#endif
}

size_t sh_marks_find(const char *p, size_t n, bool *blanks, uint32_t *mark)
{
	uint64_t any = 0;
	size_t found = 0;

	/* One loop for the marks of 64 bytes: its end is a mispredicted branch. */
	for (size_t i = 0; i < n; i += 64) {
		uint64_t marks = 0, more = 0;

		for (size_t j = 0; j < 64 && i + j < n; j += STEP) {
			marks |= where(p + i + j, '\t', '\n') << j;
			if (*blanks)
				more |= where(p + i + j, ' ', '\\') << j;
		}
		if (n - i < 64) {
			marks &= (UINT64_C(1) << (n - i)) - 1;
			more &= (UINT64_C(1) << (n - i)) - 1;
		}
		any |= more;
		for (marks |= more; marks; marks &= marks - 1)
			mark[found++] = (uint32_t)i + (uint32_t)__builtin_ctzll(marks);
	}
	*blanks = any != 0;
	return found;
}

/* ---- ids that occur again ---- */

void sh_past_ids_begin(struct sh_past_ids *p, struct sh_slice id, const char *file, uint64_t line)
{
	uint64_t hash = XXH3_64bits(id.p, id.n),
		 *slot = &p->slot[hash / (UINT64_MAX / SH_PAST_IDS + 1)];

	if (*slot == hash && p->again++ == 0) {
		p->id_n = (size_t)sh_shown(id, sizeof p->id);
		memcpy(p->id, id.p, p->id_n);
		p->file = file;
		p->line = line;
	}
	*slot = hash;
}

/* ---- lines ---- */

/* A larger chunk has few and long lines, which are not read here. */
enum { CHUNK_MAX = 1 << 22 };

#define NO_CHUNK UINT64_MAX

int sh_feature_lines_init(struct sh_feature_lines *l, bool split, struct sh_error *err)
{
	const size_t n = SH_FEATURE_LINES_MAX;

	*l = (struct sh_feature_lines){
		.split = split,
		.chunk = NO_CHUNK,
	};
	l->weight = malloc(n * sizeof *l->weight + (3 * n + 1) * sizeof *l->start);
	if (!l->weight)
		return sh_error_nomem(err);
	l->start = (uint32_t *)(l->weight + n);
	l->end = l->start + n;
	l->token = l->end + n;
	return 0;
}

void sh_feature_lines_free(struct sh_feature_lines *l)
{
	free(l->weight);
	free(l->mark);
}

int sh_feature_lines_chunk(struct sh_feature_lines *l, uint64_t chunk, const char *p,
    const char *end, struct sh_error *err)
{
	size_t n = (size_t)(end - p), room = n + SH_MARKS_SLACK;

	if (chunk == l->chunk)
		return 0;
	l->chunk = NO_CHUNK;
	l->base = p;
	l->marks = l->next = 0;
	if (n <= CHUNK_MAX) {
		if (SH_RESERVE(l->mark, l->cap, room, err) < 0)
			return -1;
		l->blanks = l->split;
		l->marks = sh_marks_find(p, n, &l->blanks, l->mark);
	}
	l->chunk = chunk;
	return 0;
}

/* Returns the number of marks in the prefix. */
static size_t marks_in(const struct sh_id_prefix *prefix, bool blanks)
{
	size_t n = 1;

	for (size_t i = 0; blanks && i < prefix->n; i++)
		n += prefix->text[i] == ' ' || prefix->text[i] == '\\';
	return n;
}

static bool are_digits8(uint64_t x)
{
	const uint64_t tops = UINT64_C(0x8080808080808080);

	return (((x + UINT64_C(0x7676767676767676)) | x) & tops) == 0;
}

/* Returns the number of eight digits. The lowest byte of x is the most significant digit. Joins
 * pairs, then fours, then all eight. */
static uint64_t join_digits8(uint64_t x)
{
	x = x * (1 + 10 * (UINT64_C(1) << 8)) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
	x = x * (1 + 100 * (UINT64_C(1) << 16)) >> 16 & UINT64_C(0x0000ffff0000ffff);
	return x * (1 + 10000 * (UINT64_C(1) << 32)) >> 32;
}

/* Reads a weight. Reads the two most common forms, one digit and d.dddddd, without a branch for
 * each digit. */
static inline bool read_weight(const char *p, const char *lf, int64_t *weight)
{
	uint64_t x = sh_le64(p) ^ UINT64_C(0x3030303030302e30);

	if (lf - p == 1 && *p >= '0' && *p <= '9') {
		*weight = (int64_t)(x & 0xff) * SH_WEIGHT_ONE;
		return true;
	}
	if (lf - p == 8 && (x & 0xff00) == 0 && are_digits8(x)) {
		*weight = (int64_t)(x & 0xff) * SH_WEIGHT_ONE +
			  (int64_t)join_digits8(x & ~UINT64_C(0xffff));
		return true;
	}
	return sh_parse_weight(sh_slice(p, (size_t)(lf - p)), weight) == SH_NUM_OK;
}

const char *sh_feature_lines_read(
    struct sh_feature_lines *l, const struct sh_id_prefix *prefix, const char *p)
{
	const char *const base = l->base;
	const size_t head = marks_in(prefix, l->blanks), last = SH_FEATURE_LINES_MAX - 1;
	const uint32_t *next = l->mark + l->next, *const stop = l->mark + l->marks;
	uint32_t *const start = l->start, *const end = l->end;
	size_t lines = 0, tokens = 0;

	while (next < stop && base + *next < p)
		next++;
	while (stop - next > (ptrdiff_t)head + 1) {
		const uint32_t *mark = next + head;
		size_t t = tokens;

		/* mark[-1] must be the TAB of the prefix, so that the prefix ends in the chunk. */
		start[t] = mark[-1] + 1;
		if (base + start[t] != p + prefix->n || *mark == start[t] ||
		    !sh_id_prefix_at(prefix, p))
			break;
		for (; base[*mark] == ' ' && mark + 2 < stop && t < last; mark++) {
			end[t++] = *mark;
			start[t] = *mark + 1;
		}
		end[t++] = mark[0];
		if (base[mark[0]] != '\t' || base[mark[1]] != '\n' ||
		    !read_weight(base + mark[0] + 1, base + mark[1], &l->weight[lines]))
			break;
		l->token[lines++] = (uint32_t)tokens;
		tokens = t;
		p = base + mark[1] + 1;
		next = mark + 2;
		if (t > last)
			break;
	}
	l->token[lines] = (uint32_t)tokens;
	l->lines = lines;
	l->tokens = tokens;
	l->next = (size_t)(next - l->mark);
	return p;
}
