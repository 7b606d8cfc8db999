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
