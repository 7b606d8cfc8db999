/* SPDX-License-Identifier: MIT */
/* Tests key records and their join (match/keyrecord.h): the pairs are those of a
 * plain model of the bound on buckets. */
#include <string.h>

#include "base/error.h"
#include "match/keyrecord.h"
#include "rng.h"
#include "tap.h"

enum { MEMBERS = 120, IDS = 150, COLUMN = 2 };

struct member {
	unsigned id, side;
	bool meets_all; /* short, or of a column of minwise keys */
};

static struct member member[MEMBERS];
static size_t members;
static unsigned want[IDS][IDS], got[IDS][IDS];
static bool ordered; /* every pair had id1 < id2, or id1 of side 0 */

static void print_id(char *to, unsigned id)
{
	snprintf(to, 8, "d%03u", id);
}

static unsigned parse_id(struct sh_slice id)
{
	must(id.n == 4);
	return (unsigned)((id.p[1] - '0') * 100 + (id.p[2] - '0') * 10 + (id.p[3] - '0'));
}

static int pair(void *arg, struct sh_slice id1, struct sh_slice id2, struct sh_error *err)
{
	unsigned a = parse_id(id1), b = parse_id(id2);

	(void)arg;
	(void)err;
	ordered = ordered && a != b;
	got[a][b]++;
	return 0;
}

/* Members in the order of the records: those that meet all first. With two sides those of side 1
 * come first in both parts. */
static int by_record(const void *x, const void *y)
{
	const struct member *a = x, *b = y;

	if (a->meets_all != b->meets_all)
		return a->meets_all ? -1 : 1;
	return a->side != b->side ? (a->side > b->side ? -1 : 1) : 0;
}

static void model(bool two_sides)
{
	memset(want, 0, sizeof want);
	for (size_t i = 0; i < members; i++) {
		size_t before = 0;

		while (before < i && member[before].meets_all)
			before++;
		for (size_t j = 0; j < before; j++) {
			const struct member *a = &member[i], *b = &member[j];
			bool near = a->meets_all ? j < 16 || j + 16 >= before : j < 32;
			unsigned id1 = a->id, id2 = b->id;

			if (!near || (two_sides ? a->side == b->side : id1 == id2))
				continue;
			if (two_sides ? a->side == 1 : id1 > id2) {
				id1 = b->id;
				id2 = a->id;
			}
			want[id1][id2]++;
		}
	}
}

static void join(bool two_sides, uint64_t *cut)
{
	struct sh_key_join j = { .pair = pair, .two_sides = two_sides };
	struct sh_doc_key key = { .column = SH_COLUMN_FEATURE, .hash = 77 };
	struct sh_error err;

	memset(got, 0, sizeof got);
	for (size_t i = 0; i < members; i++) {
		char line[SH_KEY_CHARS + 16];
		struct sh_key_record r;

		key.meets_all = member[i].meets_all;
		sh_key_record_print(line, &key, 0xabcd);
		line[SH_KEY_CHARS] = '\t';
		print_id(line + SH_KEY_CHARS + 1, member[i].id);
		must(sh_record_key(sh_slice_str(line), &r, &err) == 0);
		must(r.meets_all == member[i].meets_all);
		must(sh_key_join_add(&j, &r, member[i].side, &err) == 0);
	}
	*cut = j.cut;
	sh_key_join_free(&j);
}

static void test_buckets(void)
{
	unsigned wrong = 0, cut_wrong = 0;
	uint64_t pairs = 0;

	ordered = true;
	for (unsigned turn = 0; turn < rng_rounds(2000); turn++) {
		bool two_sides = turn % 3 == 0;
		size_t all = 0, shorts = 0;
		uint64_t cut;

		members = 1 + rng_below(turn % 2 ? MEMBERS : 40);
		for (size_t i = 0; i < members; i++) {
			member[i] = (struct member){ .id = (unsigned)rng_below(IDS),
				.meets_all = rng_below(1 + turn % 5) != 1 };
			if (two_sides) {
				member[i].side = (unsigned)rng_below(2);
				member[i].id = member[i].id / 2 * 2 + member[i].side;
				member[i].id %= IDS;
			}
		}
		qsort(member, members, sizeof *member, by_record);
		for (size_t i = 0; i < members; i++) {
			all = shorts > all ? shorts : all;
			shorts += member[i].meets_all;
		}
		model(two_sides);
		join(two_sides, &cut);
		wrong += memcmp(want, got, sizeof want) != 0;
		cut_wrong += cut != (all > 32);
		for (size_t i = 0; i < IDS * IDS; i++)
			pairs += want[i / IDS][i % IDS];
	}
	ok(wrong == 0 && pairs > 100000, "the pairs of a bucket are those of the model");
	ok(ordered, "no document is paired with itself");
	ok(cut_wrong == 0, "a bucket that the bound cut is counted");
}

int main(void)
{
	rng_init(16);
	test_buckets();
	return done_testing();
}
