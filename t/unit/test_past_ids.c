/* SPDX-License-Identifier: MIT */
/* Compares the repeated ids that are found with an oracle that stores all ids. */
#include <stdbool.h>

#include "record/feature_lines.h"
#include "rng.h"
#include "tap.h"

enum { IDS = 300, STREAM = 3000, ROUNDS = 100, DISTINCT = 1000000 };

static struct sh_slice id_of(char text[32], size_t n)
{
	return sh_slice(text, (size_t)snprintf(text, 32, "id %zu", n));
}

static void begin(struct sh_past_ids *p, struct sh_slice id, uint64_t line)
{
	sh_past_ids_begin(p, id, "file", line);
}

/* An id is missed only when another id replaced it: rare with so few ids. */
static bool check(unsigned long *all, unsigned long *found)
{
	struct sh_past_ids p = { .again = 0 };
	size_t ids = 2 + rng_below(IDS - 1), n = rng_below(STREAM), last = ids;
	uint64_t first[IDS + 1] = { 0 }, again = 0;
	bool good = true;
	char text[32];

	for (uint64_t line = 1; good && line <= n; line++) {
		size_t id = rng_below(ids);
		uint64_t before = p.again;

		if (id == last)
			continue;
		begin(&p, id_of(text, id), line);
		again += first[id] > 0;
		if (p.again > before)
			good = first[id] > 0;
		if (p.again > before && before == 0)
			good = good && p.line == line &&
			       sh_slice_eq(sh_slice(p.id, p.id_n), id_of(text, id));
		first[id] = line;
		last = id;
	}
	*all += again;
	*found += p.again;
	return good;
}

static void many(void)
{
	struct sh_past_ids p = { .again = 0 };
	char text[32];

	for (size_t i = 0; i < DISTINCT; i++)
		begin(&p, id_of(text, i), i + 1);
	ok(p.again == 0, "%d different ids: none is reported as repeated", DISTINCT);
	begin(&p, id_of(text, DISTINCT - 2), DISTINCT + 1);
	ok(p.again == 1 && p.line == DISTINCT + 1,
	    "an id that is repeated soon is found, with the line of the repetition");
}

int main(void)
{
	unsigned long all = 0, found = 0;
	unsigned good = 0;

	rng_init(19);
	for (unsigned i = 0; i < ROUNDS; i++)
		good += check(&all, &found);
	ok(good == ROUNDS, "only repeated ids are reported, the first with its line");
	ok(found <= all && found > all - all / 20,
	    "nearly all repeated ids are reported: %lu of %lu", found, all);
	many();
	return done_testing();
}
