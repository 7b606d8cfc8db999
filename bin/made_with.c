/* SPDX-License-Identifier: MIT */
#include "made_with.h"

void made_with_list(struct cli *c, const struct dedup_settings *s, struct sh_buf *lines)
{
	struct sh_archive_settings settings = { .profile = s->docs.profile,
		.measure = s->measures.measure,
		.threshold = s->measures.threshold,
		.edit = s->measures.edit,
		.seed = s->seed,
		.random_seed = s->random_seed,
		.ngrams = s->docs.ngrams,
		.token = s->docs.token,
		.keys = s->rules.keys,
		.rows = s->rules.rows,
		.stop_sum = s->docs.stop_sum,
		.dict_sum = s->docs.dict_sum };
	struct sh_error err;

	if (sh_archive_settings_list(&settings, lines, &err) < 0)
		cli_die(c, &err);
}

static bool is(struct sh_slice s, const char *word)
{
	return sh_slice_eq(s, sh_slice_str(word));
}

_Noreturn static void refuse(
    struct cli *c, const struct sh_store_setting *setting, const struct sh_store_setting *made)
{
	const char *name = setting->name.p;
	struct sh_slice now = setting->value, then = made->value;
	int n = (int)setting->name.n, n_now = (int)now.n, n_then = (int)then.n;

	if (is(then, "no") || then.n == 0)
		cli_usage(c, "%.*s%s%.*s: the archive was made without %.*s", n, name,
		    is(now, "yes") ? "" : " ", is(now, "yes") ? 0 : n_now, now.p, n, name);
	if (is(now, "no"))
		cli_usage(c,
		    "without %.*s: the archive was made with %.*s%s%.*s (give it each time)", n,
		    name, n, name, is(then, "yes") ? "" : " ", is(then, "yes") ? 0 : n_then,
		    then.p);
	cli_usage(c, "%.*s %.*s: the archive was made with %.*s %.*s (give it each time)", n, name,
	    n_now, now.p, (int)made->name.n, made->name.p, n_then, then.p);
}

static const char consequence[] = "some words may differ from the words in the archive, and "
				  "duplicates may be missed (make a new archive)";

static void warn_of_version(struct cli *c, const struct sh_store_setting *now, struct sh_slice then)
{
	if (is(now->name, "unicode"))
		cli_warn(c,
		    "the archive was made with Unicode %.*s, and this program has Unicode %.*s: "
		    "%s",
		    (int)then.n, then.p, (int)now->value.n, now->value.p, consequence);
	else
		cli_warn(
		    c, "the archive was made with another version of Snowball: %s", consequence);
}

void made_with_compare(
    struct cli *c, const struct dedup_settings *s, const struct sh_store_manifest *m)
{
	struct sh_buf list = { 0 };
	struct sh_slice lines;
	struct sh_store_setting now, made;

	made_with_list(c, s, &list);
	lines = sh_buf_slice(&list);
	while (sh_archive_settings_differ(&lines, m, &now, &made)) {
		if (!sh_archive_setting_is_version(now.name))
			refuse(c, &now, &made);
		if (made.value.n)
			warn_of_version(c, &now, made.value);
	}
	sh_buf_free(&list);
}
