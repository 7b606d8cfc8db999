/* What it came to: groups, warnings, the line at the end. */
#include "dedup.h"

enum { GROUPS_SHOWN = 10 };

void dedup_count_groups(struct dedup_state *s, const uint32_t *keeper, struct dedup_groups *g)
{
	struct sh_error err;

	*g = (struct dedup_groups){ .size = sh_tables_get_zeroed(
					&s->tables, s->corpus.n + 1, sizeof *g->size, &err) };
	if (!g->size)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		g->size[keeper[i]]++;
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		g->dropped += !dedup_stays(s, keeper, i);
		g->n += g->size[i] > 1;
		g->large += g->size[i] > s->settings->max_group;
		if (g->size[i] > g->size[g->largest])
			g->largest = i;
	}
}

void dedup_free_groups(struct dedup_state *s, struct dedup_groups *g)
{
	sh_tables_put(&s->tables, g->size);
}

void dedup_warn_of_groups(const struct dedup_state *s, const struct dedup_groups *g)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_error err;
	uint64_t shown = 0;

	for (uint32_t i = 0; g->large && i < s->corpus.n && shown < GROUPS_SHOWN; i++) {
		if (g->size[i] <= s->settings->max_group)
			continue;
		if (sh_corpus_document(&s->corpus, i, &room, &doc, &err) < 0)
			cli_die(s->cli, &err);
		cli_warn(s->cli, "%u documents in the group kept by '%.*s' (--max-group)",
		    g->size[i], doc.id.n > 80 ? 80 : (int)doc.id.n, doc.id.p);
		shown++;
	}
	if (g->large > shown)
		cli_warn(s->cli, "%llu more such group%s", (unsigned long long)(g->large - shown),
		    CLI_PLURAL(g->large - shown));
	sh_document_room_free(&room);
}

void dedup_summarise(const struct dedup_state *s, const struct dedup_groups *g)
{
	const struct sh_dedup_stats *t = sh_dedup_stats(s->dedup);

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "%llu document%s, %llu stay, %llu dropped%s; %llu with the features of another, "
	    "%llu pair%s compared, %llu similar; %llu group%s, largest %u; %llu without features; "
	    "%.1f s",
	    (unsigned long long)t->documents, CLI_PLURAL(t->documents),
	    (unsigned long long)(t->documents - g->dropped), (unsigned long long)g->dropped,
	    s->settings->dry_run ? " (dry run)" : "", (unsigned long long)t->identical,
	    (unsigned long long)t->compared, CLI_PLURAL(t->compared),
	    (unsigned long long)t->similar, (unsigned long long)g->n, CLI_PLURAL(g->n),
	    g->n ? g->size[g->largest] : 0, (unsigned long long)t->featureless,
	    progress_seconds(&s->cli->progress));
}
