/* SPDX-License-Identifier: MIT */
#include "joinkeys.h"

#include "match/keyrecord.h"
#include "record/fields.h"

struct side {
	struct sh_lines *lines;
	struct sh_key_record record; /* the next one */
	bool ended;
};

struct keys {
	struct cli *cli;
	struct sh_key_join join;
	uint64_t pairs;
};

static int write_pair(void *keys, struct sh_slice id1, struct sh_slice id2, struct sh_error *err)
{
	struct keys *k = keys;
	char line[2 * SH_ID_MAX + 4], *p = line;

	(void)err;
	memcpy(p, id1.p, id1.n);
	p += id1.n;
	*p++ = '\t';
	memcpy(p, id2.p, id2.n);
	p += id2.n;
	memcpy(p, "\t-\n", 3);
	cli_write(k->cli, line, (size_t)(p + 3 - line));
	k->pairs++;
	return 0;
}

/* Reads the next record of a side. */
static void advance(struct keys *k, struct side *s)
{
	struct sh_slice line;
	struct sh_error err;

	while (!s->ended) {
		s->ended = !cli_line(k->cli, s->lines, &line);
		if (s->ended || sh_record_key(line, &s->record, &err) == 0)
			return;
		sh_lines_blame(s->lines, &err);
		cli_reject(k->cli, line, &err);
	}
}

uint64_t join_keys(struct cli *c, struct sh_lines *lines, unsigned sides)
{
	struct side side[2] = { { .lines = &lines[0] },
		{ .lines = &lines[1], .ended = sides < 2 } };
	struct keys k = { .cli = c, .join = { .pair = write_pair, .two_sides = sides == 2 } };
	struct sh_error err;

	k.join.arg = &k;
	advance(&k, &side[0]);
	advance(&k, &side[1]);
	while (!side[0].ended || !side[1].ended) {
		/* With equal keys the archived record comes first. */
		unsigned i = side[0].ended ||
			     (!side[1].ended && memcmp(side[1].record.key.p, side[0].record.key.p,
						    SH_KEY_CHARS) <= 0);

		if (sh_key_join_add(&k.join, &side[i].record, i, &err) < 0) {
			sh_lines_blame(side[i].lines, &err);
			cli_die(c, &err);
		}
		advance(&k, &side[i]);
	}
	sh_key_join_free(&k.join);
	if (k.join.cut)
		cli_warn(c,
		    "%llu key%s of many documents: each document met the first %d and the nearest "
		    "%d of them",
		    (unsigned long long)k.join.cut, CLI_PLURAL(k.join.cut), SH_BUCKET_FIRST,
		    SH_BUCKET_NEAREST);
	return k.pairs;
}
