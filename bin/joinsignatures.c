#include "joinsignatures.h"

static void read_side(struct cli *c, struct sh_lines *lines, struct sh_signatures *s)
{
	struct sh_slice line;
	struct sh_error err;

	while (cli_line(c, lines, &line)) {
		if (sh_signatures_add(s, line, &err) == 0)
			continue;
		if (err.code != SH_ERR_RECORD)
			cli_die(c, &err);
		sh_lines_blame(lines, &err);
		cli_reject(c, line, &err);
	}
}

void join_signatures(
    struct cli *c, struct sh_lines *lines, unsigned sides, struct sh_signature_join *join)
{
	struct sh_signatures s[2] = { 0 };
	struct sh_error err;

	for (unsigned side = 0; side < sides; side++)
		read_side(c, &lines[side], &s[side]);
	if (join->bands == 0)
		join->bands = s[0].values / join->rows;
	if (s[0].values && join->bands == 0)
		cli_usage(c, "--rows %u: the signatures have %u values", join->rows, s[0].values);
	if (sh_signatures_join(join, &s[0], sides == 2 ? &s[1] : NULL, &err) < 0)
		cli_die(c, &err);
	for (unsigned side = 0; side < sides; side++)
		sh_signatures_free(&s[side]);
}
