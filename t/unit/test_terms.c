/* The long way's tables: the distinct features of a document, and lines read at a stride. */
#include <stdlib.h>

#include "fp/terms.h"
#include "record/feature_run.h"
#include "rng.h"
#include "tap.h"

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

/* What a run takes, the general way takes with the same result; what it takes not may be
 * anything. */
static bool agrees(const struct sh_feature_run *run, const char *p, size_t n, bool *took)
{
	const char *end = p + n, *lf = memchr(p, '\n', n), *next;
	struct sh_feature_line line;
	struct sh_feature f;

	next = sh_feature_run_next(run, p, end, &line);
	*took = next != NULL;
	if (!next)
		return true;
	if (!lf || next != lf + 1 || sh_record_feature(sh_slice(p, (size_t)(lf - p)), &f, &err) < 0)
		return false;
	return f.id.n + 1 == run->n && memcmp(f.id.p, run->prefix, f.id.n) == 0 &&
	       sh_slice_eq(f.text, line.text) && f.weight == line.weight &&
	       (line.look == SH_LOOKS_ANY || !memchr(f.text.p, '\\', f.text.n)) &&
	       (line.look != SH_LOOKS_WORD || (f.text.n <= 16 && !memchr(f.text.p, ' ', f.text.n) &&
						  !memchr(f.text.p, '\\', f.text.n)));
}

static void test_run(const char *id)
{
	static const char *const texts[] = { "", "a", "word", "two words", "back\\\\slash",
		"exactly16bytes..", "seventeen bytes..", "a longer one, of more than sixteen bytes",
		"a\tb", "a\nb", "\r", "\xE6\xBC\xA2" };
	static const char *const weights[] = { "1", "0", "2", "12", "1.693147", "0.5", "123456789",
		"1234567890", "1.", ".5", "1.1234567", "01", "1e3", "-1", "1 ", "1\r", "", "1\t1",
		"9223372036854.775807", "1.000001", "123456789.123456" };
	struct sh_feature_run run;
	char line[400], other[100];
	unsigned bad = 0, taken = 0;
	bool took;

	sh_feature_run_begin(&run, sh_slice_str(id));
	snprintf(other, sizeof other, "%s2", id);
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		for (unsigned j = 0; j < sizeof weights / sizeof *weights; j++)
			for (unsigned k = 0; k < 4; k++) {
				memset(line, k & 2 ? '1' : '\n', sizeof line);
				size_t n = (size_t)snprintf(line, 200, "%s\t%s\t%s%s",
				    k & 1 ? other : id, texts[i], weights[j], k & 2 ? "" : "\n");

				bad += !agrees(&run, line, n, &took);
				taken += took;
				bad += took && (k & 1);
			}
	ok(!bad, "id of %zu bytes: %u lines taken as sh_record_feature() would", strlen(id), taken);
	ok(taken >= 60, "those that are usual are among them");
}

int main(void)
{
	rng_init(6);
	test_terms();
	test_run("x");
	test_run("document7890123");
	test_run("document78901234");
	test_run("a-document-of-more-than-sixteen-bytes");
	return done_testing();
}
