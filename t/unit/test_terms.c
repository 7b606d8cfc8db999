/* SPDX-License-Identifier: MIT */
/* Feature records: the distinct features of a document, and many lines read in one call. */
#include <stdlib.h>

#include "base/num.h"
#include "record/feature_lines.h"
#include "rng.h"
#include "tap.h"
#include "weight/terms.h"

static struct sh_error err;

enum { KINDS = 4000, ROOM = 40 + SH_TERMS_SHORT };

/* Makes a text for a number. Texts are short, long, of zeros, or differ only at their ends. */
static struct sh_slice text_of(uint64_t kind, char *room)
{
	size_t n = 1 + kind % 40, digits = kind % 3 == 1 ? SH_TERMS_SHORT - 8 : 0;

	memset(room, kind % 7 ? 'a' : 0, ROOM);
	if (kind % 7 == 0)
		return sh_slice(room, n);
	if (kind % 3) {
		snprintf(room + digits, ROOM - digits, "%08llu", (unsigned long long)kind);
		return sh_slice(room, digits + 8);
	}
	room[n - 1] = (char)('b' + kind / 40 % 20);
	return sh_slice(room, n);
}

static struct sh_slice line_text(const struct sh_feature_lines *l, size_t i)
{
	return sh_slice(l->base + l->start[i], l->end[i] - l->start[i]);
}

/* Adds texts one by one, or some at once as lines. */
static size_t add_texts(struct sh_terms *t, const struct sh_feature_lines *l, size_t from, size_t n)
{
	struct sh_feature_lines some = *l;

	if (n == 1)
		return sh_terms_add(t, line_text(l, from), l->weight[from], &err) == 0;
	some.start += from;
	some.end += from;
	some.weight += from;
	return sh_terms_add_lines(t, &some, n);
}

/* One object for many documents, some of more features than the table begins with. */
static void test_terms(void)
{
	static char base[3 * KINDS * ROOM];
	static uint32_t start[3 * KINDS], end[3 * KINDS];
	static int64_t weight[3 * KINDS], want[KINDS];
	static size_t first[KINDS]; /* line of each feature */
	const struct sh_feature_lines l = {
		.base = base, .start = start, .end = end, .weight = weight
	};
	struct sh_terms t;
	unsigned bad = 0, round;

	if (sh_terms_init(&t, &err) < 0)
		return;
	for (round = 0; round < 300; round++) {
		uint64_t kinds = 1 + rng_below(round % 10 ? 60 : KINDS), found = 0;
		size_t n = rng_below(3 * kinds), i, j, step;

		sh_terms_clear(&t);
		for (i = 0; i < n; i++) {
			struct sh_slice s = text_of(rng_below(kinds), base + i * ROOM);

			start[i] = (uint32_t)(i * ROOM);
			end[i] = start[i] + (uint32_t)s.n;
			weight[i] = (int64_t)rng_below(5);
			for (j = 0; j < found; j++)
				if (sh_slice_eq(line_text(&l, first[j]), s))
					break;
			if (j == found) {
				first[j] = i;
				want[j] = 0;
				found++;
			}
			want[j] += weight[i];
		}
		for (i = 0; i < n; i += step) {
			step = rng_below(2) ? 1 : 1 + rng_below(n - i);
			bad += add_texts(&t, &l, i, step) != step;
		}
		bad += t.n != found;
		for (j = 0; j < found && j < t.n; j++)
			bad +=
			    t.entry[j].sum != want[j] ||
			    !sh_slice_eq(sh_terms_text(&t, (uint32_t)j), line_text(&l, first[j]));
	}
	ok(!bad, "300 documents: features come in order of first occurrence, with their sums");
	sh_terms_free(&t);
}

/* Returns whether sh_record_feature() reads the same lines at p, all of one document, and whether
 * they end at `next`. */
static bool read_right(const struct sh_feature_lines *l, struct sh_slice id, const char *p,
    const char *next, bool split)
{
	for (size_t i = 0; i < l->lines; i++) {
		const char *lf = memchr(p, '\n', (size_t)(next - p));
		uint32_t first = l->token[i], last = l->token[i + 1] - 1;
		struct sh_feature f;

		if (!lf || sh_record_feature(sh_slice(p, (size_t)(lf - p)), &f, &err) < 0 ||
		    !sh_slice_eq(f.id, id) || f.weight != l->weight[i] ||
		    l->base + l->start[first] != f.text.p ||
		    l->base + l->end[last] != f.text.p + f.text.n)
			return false;
		for (uint32_t k = first; k <= last; k++) {
			struct sh_slice token =
			    sh_slice(l->base + l->start[k], l->end[k] - l->start[k]);

			if (split &&
			    (memchr(token.p, ' ', token.n) || memchr(token.p, '\\', token.n)))
				return false;
			if (k > first &&
			    (l->start[k] != l->end[k - 1] + 1 || l->base[l->end[k - 1]] != ' '))
				return false;
		}
		p = lf + 1;
	}
	return p == next && l->token[l->lines] == l->tokens;
}

enum { LINES = 40, LINE_ROOM = 5000 };

/* One random line, usually well-formed and of the same document as the lines before. */
static size_t random_line(char *p, const char *id, bool odd)
{
	static const char *const texts[] = { "a", "word", "two words", "x  y", "blank ",
		"\xE6\xBC\xA2", "exactly16bytes..", "a longer one, of more than sixteen bytes",
		"seventeen bytes.." };
	static const char *const odd_texts[] = { "", " blank", "back\\\\slash", "a\tb", "a\nb",
		"\r" };
	static const char *const weights[] = { "1", "2", "1.693147", "12", "0.5", "123456789",
		"2.000001", "0", "9.999999", "123456789.123456", "01", "1.0" };
	static const char *const odd_weights[] = { "1.", ".5", "1.1234567", "1e3", "-1", "1 ",
		"1\r", "", "1\t1", "9223372036854.775807", "1234567890", "1.69314/",
		"1.69314:", "/.693147", "1.6931\n7" };
	const char *other = odd && rng_below(3) == 0 ? "2" : "";
	const char *text = odd && rng_below(3) == 0 ? odd_texts[rng_below(6)] : texts[rng_below(9)];
	const char *weight = rng_below(2) ? "1" : weights[rng_below(12)];

	if (odd && rng_below(3) == 0)
		weight = odd_weights[rng_below(15)];
	return (size_t)sprintf(p, "%s%s\t%s\t%s\n", id, other, text, weight);
}

/* Chunks of random lines: each line read is right, and all lines in usual form are read. */
static void test_lines(const char *id, bool split)
{
	static char text[LINES * LINE_ROOM + 64];
	struct sh_feature_lines l;
	struct sh_id_prefix prefix;
	unsigned bad = 0, left = 0;

	if (sh_feature_lines_init(&l, split, &err) < 0)
		return;
	sh_id_prefix_set(&prefix, sh_slice_str(id));
	for (unsigned round = 0; round < 4000; round++) {
		unsigned oddness = (unsigned)rng_below(2) * 8;
		size_t n = 0;
		const char *p = text, *end, *next;

		for (uint64_t i = 1 + rng_below(LINES); i; i--)
			n += random_line(text + n, id, oddness && rng_below(oddness) == 0);
		n -= rng_below(9) == 0;
		memset(text + n, rng_below(2) ? '1' : '\n', 64);
		end = text + n;
		if (sh_feature_lines_chunk(&l, round, p, end, &err) < 0)
			return;
		for (; p < end; p = next) {
			next = sh_feature_lines_read(&l, &prefix, p);
			bad += next < p || next > end ||
			       !read_right(&l, sh_slice_str(id), p, next, split);
			if (next != p)
				continue;
			left++;
			bad += !oddness && memchr(p, '\n', (size_t)(end - p)) != NULL;
			next = memchr(p, '\n', (size_t)(end - p));
			next = next ? next + 1 : end;
		}
	}
	ok(!bad && left > 1000,
	    "id of %zu bytes, %s: lines are read as by sh_record_feature(), %u are left",
	    strlen(id), split ? "features split into tokens" : "whole features", left);
	sh_feature_lines_free(&l);
}

int main(void)
{
	rng_init(6);
	test_terms();
	for (int split = 0; split < 2; split++) {
		test_lines("x", split);
		test_lines("document7890123", split);
		test_lines("document78901234", split);
		test_lines("a-document-of-more-than-sixteen-bytes", split);
		test_lines("with blanks and back\\slashes in it", split);
	}
	return done_testing();
}
