/* The long way's tables: the distinct features of a document, and lines taken many at once. */
#include <stdlib.h>

#include "base/num.h"
#include "fp/occurrences.h"
#include "hash/mix.h"
#include "record/feature_block.h"
#include "rng.h"
#include "tap.h"
#include "weight/terms.h"

static struct sh_error err;

enum { KINDS = 4000, ROOM = 64 };

/* A text for a number: short ones, long ones, ones that differ at their ends only. */
static struct sh_slice text_of(uint64_t kind, char *room)
{
	size_t n = 1 + kind % 40;

	memset(room, 'a', ROOM);
	if (kind % 3)
		snprintf(room, ROOM, "%llu", (unsigned long long)kind);
	else
		room[n - 1] = (char)('b' + kind / 40 % 20);
	return sh_slice(room, kind % 3 ? strlen(room) : n);
}

/* One object for many documents, some of more features than the table begins with. */
static void test_terms(void)
{
	static int64_t want[KINDS];
	static uint64_t order[KINDS];
	static char shown[KINDS][ROOM];
	struct sh_terms t;
	unsigned bad = 0, round;

	if (sh_terms_init(&t, &err) < 0)
		return;
	for (round = 0; round < 300; round++) {
		uint64_t kinds = 1 + rng_below(round % 10 ? 60 : KINDS), found = 0;
		size_t n = rng_below(3 * kinds), i, j;

		sh_terms_clear(&t);
		for (i = 0; i < n; i++) {
			char room[ROOM];
			struct sh_slice s = text_of(rng_below(kinds), room);
			int64_t weight = (int64_t)rng_below(5);

			for (j = 0; j < found; j++)
				if (sh_slice_eq(sh_slice(shown[j], (size_t)order[j]), s))
					break;
			if (j == found) {
				memcpy(shown[j], room, ROOM);
				order[j] = s.n;
				want[j] = 0;
				found++;
			}
			want[j] += weight;
			bad += sh_terms_add(&t, s, weight, &err) != 0;
		}
		bad += t.n != found;
		for (j = 0; j < found && j < t.n; j++)
			bad += t.sum[j] != want[j] || !sh_slice_eq(sh_terms_text(&t, (uint32_t)j),
							  sh_slice(shown[j], (size_t)order[j]));
	}
	ok(!bad, "300 documents: features in order of first occurrence, with their sums");
	sh_terms_free(&t);
}

/* Counted where they stand, and by the table of the texts. */
static void test_occurrences(void)
{
	static char text[SH_OCCURRENCES_MAX * ROOM];
	static uint32_t start[SH_OCCURRENCES_MAX], end[SH_OCCURRENCES_MAX];
	struct sh_occurrences o;
	struct sh_terms t;
	unsigned bad = 0;

	if (sh_terms_init(&t, &err) < 0 || sh_occurrences_init(&o, &err) < 0)
		return;
	for (unsigned round = 0; round < 300; round++) {
		uint64_t kinds = 1 + rng_below(round % 10 ? 60 : KINDS);
		size_t n = rng_below(round % 30 ? 400 : SH_OCCURRENCES_MAX + 1), at = 0, next = 0;
		size_t before = round / 10 % 2 ? 12 : 0; /* what makes all of them long */

		sh_terms_clear(&t);
		for (size_t i = 0; i < n; i++) {
			struct sh_slice s = text_of(rng_below(kinds), text + at + before);

			memset(text + at, 'a', before);
			s = sh_slice(text + at, before + s.n);

			memset(text + at + s.n, (int)rng_below(256), ROOM - s.n);
			start[i] = (uint32_t)at;
			end[i] = (uint32_t)(at + s.n);
			at += s.n + rng_below(3);
			bad += sh_terms_add(&t, s, 1, &err) != 0;
		}
		bad += !sh_occurrences_find(&o, text, start, end, n);
		for (size_t i = 0; i < n; i++) {
			struct sh_slice s = sh_slice(text + start[i], end[i] - start[i]);

			if (o.count[i] == 0)
				continue;
			bad += next >= t.n || t.sum[next] != o.count[i] ||
			       !sh_slice_eq(sh_terms_text(&t, (uint32_t)next), s);
			next++;
		}
		bad += next != t.n;
	}
	ok(!bad, "300 documents: occurrences counted at the first of each");
	sh_terms_free(&t);
	sh_occurrences_free(&o);
}

/* Texts of one hash, under every seed: many are refused, rather than counted one after the other. */
static void test_collision(void)
{
	enum { TEXTS = 20 };
	char text[16 * TEXTS + SH_OCCURRENCES_PADDING] = { 0 };
	uint32_t start[2 * TEXTS], end[2 * TEXTS];
	struct sh_occurrences o;
	unsigned bad = 0;

	if (sh_occurrences_init(&o, &err) < 0)
		return;
	for (uint32_t i = 0; i < 2 * TEXTS; i++) {
		uint64_t b = i % TEXTS;

		start[i] = 16 * (i % TEXTS);
		end[i] = start[i] + 16;
		sh_put_le64(text + start[i], sh_mix_fold(1, 2) ^ sh_mix_fold(0, b));
		sh_put_le64(text + start[i] + 8, b);
	}
	ok(!sh_occurrences_find(&o, text, start, end, 2 * TEXTS), "texts that collide are refused");
	bad += !sh_occurrences_find(&o, text, start + TEXTS - 3, end + TEXTS - 3, 6);
	for (unsigned i = 0; i < 6; i++)
		bad += o.count[i] != 1;
	bad += !sh_occurrences_find(&o, text, start, end, 2) || o.count[0] != 1 || o.count[1] != 1;
	ok(!bad, "a few are told apart");
	sh_occurrences_free(&o);
}

/* Whether the lines that the block took are those that the general way reads there, all of one
 * document, up to `next`. */
static bool took_right(const struct sh_feature_block *b, struct sh_slice id, const char *p,
    const char *next, bool words)
{
	const struct sh_feature_lines *of = b->of;
	size_t other = 0;

	for (size_t i = 0; i < b->lines; i++) {
		const char *lf = memchr(p, '\n', (size_t)(next - p));
		bool is_other = other < b->others && of->other[other] == i;
		int64_t weight = is_other ? of->weight[other++] : SH_WEIGHT_ONE;
		uint32_t first = of->token[i], last = of->token[i + 1] - 1;
		struct sh_feature f;

		if (!lf || sh_record_feature(sh_slice(p, (size_t)(lf - p)), &f, &err) < 0 ||
		    !sh_slice_eq(f.id, id) || f.weight != weight || b->base + of->line[i] != p ||
		    b->base + of->start[first] != f.text.p ||
		    b->base + of->end[last] != f.text.p + f.text.n)
			return false;
		for (uint32_t k = first; k <= last; k++) {
			struct sh_slice token =
			    sh_slice(b->base + of->start[k], of->end[k] - of->start[k]);

			if (words &&
			    (memchr(token.p, ' ', token.n) || memchr(token.p, '\\', token.n)))
				return false;
			if (k > first &&
			    (of->start[k] != of->end[k - 1] + 1 || b->base[of->end[k - 1]] != ' '))
				return false;
		}
		p = lf + 1;
	}
	return p == next && b->base + of->line[b->lines] == next && other == b->others;
}

enum { LINES = 40, LINE_ROOM = 5000 };

/* One random line: mostly as those before it, and as it should be. */
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

/* Blocks of lines, most of them usual: what is taken is right, and of usual lines all are. */
static void test_block(const char *id, bool words)
{
	static char text[LINES * LINE_ROOM + 64];
	struct sh_feature_block b;
	struct sh_feature_run run;
	unsigned bad = 0, left = 0;

	if (sh_feature_block_init(&b, words, &err) < 0)
		return;
	sh_feature_run_begin(&run, sh_slice_str(id));
	for (unsigned round = 0; round < 4000; round++) {
		unsigned oddness = (unsigned)rng_below(2) * 8;
		size_t n = 0;
		const char *p = text, *end, *next;

		for (uint64_t i = 1 + rng_below(LINES); i; i--)
			n += random_line(text + n, id, oddness && rng_below(oddness) == 0);
		n -= rng_below(9) == 0;
		memset(text + n, rng_below(2) ? '1' : '\n', 64);
		end = text + n;
		if (sh_feature_block_enter(&b, round, p, end, &err) < 0)
			return;
		for (; p < end; p = next) {
			next = sh_feature_block_take(&b, &run, p);
			bad += next < p || next > end ||
			       !took_right(&b, sh_slice_str(id), p, next, words);
			if (next != p)
				continue;
			left++;
			bad += !oddness && memchr(p, '\n', (size_t)(end - p)) != NULL;
			next = memchr(p, '\n', (size_t)(end - p));
			next = next ? next + 1 : end;
		}
	}
	ok(!bad && left > 1000,
	    "id of %zu bytes, %s: lines taken as sh_record_feature() would, %u left", strlen(id),
	    words ? "words" : "whole features", left);
	sh_feature_block_free(&b);
}

int main(void)
{
	rng_init(6);
	test_terms();
	test_occurrences();
	test_collision();
	for (int words = 0; words < 2; words++) {
		test_block("x", words);
		test_block("document7890123", words);
		test_block("document78901234", words);
		test_block("a-document-of-more-than-sixteen-bytes", words);
		test_block("with blanks and back\\slashes in it", words);
	}
	return done_testing();
}
