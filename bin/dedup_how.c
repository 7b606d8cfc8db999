/* SPDX-License-Identifier: MIT */
#include "dedup.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/siphash.h"
#include "fp/defaults.h"
#include "io/target.h"
#include "names.h"
#include "unicode/utf8.h"

enum { SEED = CLI_OWN + 50, MEASURE };

const struct cli_option dedup_how_table[] = {
	CLI_HEADING("What is a near-duplicate"),
	{ 'T', "threshold", "X",
	    "least Jaccard similarity; J,E: or edit similarity [" SH_DEFAULT_THRESHOLDS "]" },
	{ MEASURE, "measure", "NAME", "similarity: %s [" SH_DEFAULT_MEASURE "]",
	    duplicate_measure_names },
	{ SEED, "seed", "N|random", "seed of the hashes of keys [0]" },
	{ 0 },
};

void dedup_how_complete(struct cli *c, struct dedup_settings *s)
{
	const char *seed = opt_text(c, SEED);
	struct sh_error err;

	s->docs.sets = true;
	docopts_complete(&s->docs, c);
	s->measures.least = 1;
	measures_complete(&s->measures, c, MEASURE);
	s->seed_given = seed != NULL;
	s->random_seed = seed && strcmp(seed, "random") == 0;
	s->seed = s->random_seed ? 0 : opt_number(c, SEED, 0, UINT64_MAX, 0);
	measures_key_rules(&s->measures, &s->docs, s->seed, &s->rules);
	if (s->random_seed && sh_random_key(s->rules.secret, &err) < 0)
		cli_die(c, &err);
}

/* ---- the archive ---- */

void dedup_list_settings(struct cli *c, const struct dedup_settings *s, struct sh_buf *lines)
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

void dedup_compare_settings(
    struct cli *c, const struct dedup_settings *s, const struct sh_store_manifest *m)
{
	struct sh_buf list = { 0 };
	struct sh_slice lines;
	struct sh_store_setting now, made;

	dedup_list_settings(c, s, &list);
	lines = sh_buf_slice(&list);
	while (sh_archive_settings_differ(&lines, m, &now, &made)) {
		if (!sh_archive_setting_is_version(now.name))
			refuse(c, &now, &made);
		if (made.value.n)
			warn_of_version(c, &now, made.value);
	}
	sh_buf_free(&list);
}

void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path)
{
	char *target, *file;
	const char *slash, *name;
	struct sh_error err;

	if (!path || sh_target_find(path, &target) != SH_TARGET_FILE)
		return;
	slash = strrchr(target, '/');
	name = slash ? slash + 1 : target;
	if (asprintf(&file, "%s/%s", dir, name) < 0) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	if (sh_store_owns(name) && sh_target_same(file, target))
		cli_usage(c, "%s: this is a file of the archive", path);
	free(file);
	free(target);
}

/* ---- lists of ids ---- */

void dedup_read_ids(struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list)
{
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_error err;
	uint32_t i;
	bool fresh;

	*list = (struct dedup_ids){ 0 };
	if (sh_hmap_init(&list->ids, &err) < 0)
		cli_die(c, &err);
	if (!n_names)
		return;
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n_names);
	while (cli_line(c, &lines, &line)) {
		struct sh_slice id =
		    sh_record_listed(lines.starts_file ? sh_utf8_skip_bom(line) : line);

		if (id.n == 0)
			continue;
		if (sh_hmap_put(&list->ids, id, &i, &fresh, &err) < 0 ||
		    (fresh && SH_RESERVE(list->at, list->cap, (size_t)i + 1, &err) < 0))
			cli_die(c, &err);
		if (fresh)
			list->at[i] = (struct dedup_place){ lines.from.file, lines.from.line };
	}
	sh_lines_free(&lines);
}

void dedup_free_ids(struct dedup_ids *list)
{
	sh_hmap_free(&list->ids);
	free(list->at);
}

void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list)
{
	uint32_t missing = 0, first = 0;
	struct sh_slice id;

	for (uint32_t i = 0; i < list->ids.n; i++)
		if (list->at[i].line && missing++ == 0)
			first = i;
	if (missing == 0)
		return;
	id = sh_hmap_key(&list->ids, first);
	cli_warn(c, "%s:%llu: no document has the id '%.*s' (%s: %u of %u ids not found)",
	    list->at[first].file, (unsigned long long)list->at[first].line, sh_shown(id, 80), id.p,
	    option, missing, list->ids.n);
}
