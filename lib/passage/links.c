/* SPDX-License-Identifier: MIT */
#include "passage/links.h"

/* Returns the tokens of a document, for sh_matcher_begin(). */
static struct sh_token_hashes tokens_of(const void *l, uint32_t document)
{
	return sh_texts_tokens(((const struct sh_links *)l)->texts, document);
}

/* Adds hits of a starred seed. *covered: the end of the last sufficient match. *failed: starred
 * seeds in a row whose further postings gave no sufficient match. */
static int link_star(const struct sh_links *l, const struct sh_posting *p, struct sh_matcher *m,
    uint32_t *covered, unsigned *failed, struct sh_error *err)
{
	const struct sh_posting *all = &l->groups->posting[sh_group_first(p)];
	size_t before = sh_group_run(p) - sh_group_first(p), between = before - 2;
	bool done = false, more = l->more && *failed < SH_LINKS_FAILED && before > 2;
	size_t most = before < 2 ? before : !more ? 2 : 2 + SH_LINKS_MORE;

	if (p->token + l->longest <= *covered)
		return 0;
	if (most > before)
		most = before;
	for (size_t i = 0; i < most && (i < 2 || !done); i++) {
		/* the first one, the last one, then those evenly spaced between them */
		size_t place = i == 0                     ? 0
			       : i == 1                   ? before - 1
			       : between <= SH_LINKS_MORE ? i - 1
							  : 1 + (i - 2) * between / SH_LINKS_MORE;
		struct sh_match match;

		if (sh_matcher_hit(
			m, all[place].document, p->token, all[place].token, &match, err) < 0)
			return -1;
		if (match.n < l->enough)
			continue;
		done = true;
		if (match.from + match.n > *covered)
			*covered = match.from + match.n;
	}
	if (more)
		*failed = done ? 0 : *failed + 1;
	return 0;
}

static int link_all(const struct sh_links *l, const struct sh_posting *p, struct sh_matcher *m,
    struct sh_error *err)
{
	for (size_t i = sh_group_first(p); i < sh_group_run(p); i++) {
		const struct sh_posting *other = &l->groups->posting[i];
		struct sh_match match;

		if (sh_matcher_hit(m, other->document, p->token, other->token, &match, err) < 0)
			return -1;
	}
	return 0;
}

int sh_links_hits(
    const struct sh_links *l, uint32_t document, struct sh_matcher *m, struct sh_error *err)
{
	const struct sh_groups *g = l->groups;
	uint32_t covered = 0;
	unsigned failed = 0;

	sh_matcher_begin(m, sh_texts_tokens(l->texts, document), tokens_of, l);
	for (uint64_t i = g->at[document]; i < g->at[document + 1]; i++) {
		const struct sh_posting *p = &g->posting[g->order[i]];

		if (sh_group_run(p) == sh_group_first(p))
			continue;
		if ((l->bound && !sh_group_exceeds(g, g->order[i], l->bound)
			    ? link_all(l, p, m, err)
			    : link_star(l, p, m, &covered, &failed, err)) < 0)
			return -1;
	}
	return 0;
}
