/* SPDX-License-Identifier: MIT */
#include "passage/links.h"

/* Returns the tokens of a document, for sh_matcher_begin(). */
static struct sh_token_hashes tokens_of(const void *l, uint32_t document)
{
	return sh_texts_tokens(((const struct sh_links *)l)->texts, document);
}

struct linking {
	const struct sh_links *l;
	struct sh_matcher *m;
	uint32_t covered; /* end of the last exact match that is long enough */
	unsigned failed;  /* starred seeds in a row whose further postings gave no long match */
};

/* Adds a hit of this token with a posting. Returns the length of the exact match in tokens, or -1
 * on failure. */
static int64_t add(
    struct linking *g, uint32_t token, const struct sh_posting *p, struct sh_error *err)
{
	struct sh_match match;

	if (sh_matcher_hit(g->m, p->document, token, p->token, &match, err) < 0)
		return -1;
	if (match.n >= g->l->enough && match.from + match.n > g->covered)
		g->covered = match.from + match.n;
	return match.n;
}

/* Tries further postings, evenly spaced between the group's first one and the last one before this
 * document. A text of few distinct tokens has every short sequence of them: each posting gives a
 * match to extend, and none gives a passage. So SH_LINKS_FAILED failures in a row end all tries. */
static int add_more(
    struct linking *g, uint32_t token, size_t first, size_t run, struct sh_error *err)
{
	size_t n = run - first - 2;

	for (size_t i = 0; i < SH_LINKS_MORE && i < n; i++) {
		size_t at = n <= SH_LINKS_MORE ? i : i * n / SH_LINKS_MORE;
		int64_t length = add(g, token, &g->l->groups->posting[first + 1 + at], err);

		if (length < 0)
			return -1;
		if (length >= (int64_t)g->l->enough) {
			g->failed = 0;
			return 0;
		}
	}
	g->failed++;
	return 0;
}

static int link_star(struct linking *g, const struct sh_posting *p, struct sh_error *err)
{
	const struct sh_posting *all = g->l->groups->posting;
	size_t first = p->of.in.first, run = p->of.in.run;
	int64_t a, b = 0;

	if (p->token + g->l->longest <= g->covered)
		return 0;
	a = add(g, p->token, &all[first], err);
	if (a >= 0 && run - first > 1)
		b = add(g, p->token, &all[run - 1], err);
	if (a < 0 || b < 0)
		return -1;
	if (g->failed < SH_LINKS_FAILED && run - first > 2 && a < (int64_t)g->l->enough &&
	    b < (int64_t)g->l->enough)
		return add_more(g, p->token, first, run, err);
	return 0;
}

static int link_all(struct linking *g, const struct sh_posting *p, struct sh_error *err)
{
	for (size_t i = p->of.in.first; i < p->of.in.run; i++) {
		const struct sh_posting *other = &g->l->groups->posting[i];
		struct sh_match match;

		if (sh_matcher_hit(g->m, other->document, p->token, other->token, &match, err) < 0)
			return -1;
	}
	return 0;
}

int sh_links_hits(
    const struct sh_links *l, uint32_t document, struct sh_matcher *m, struct sh_error *err)
{
	const struct sh_groups *groups = l->groups;
	struct linking g = { l, m, 0, l->more ? 0 : SH_LINKS_FAILED };

	sh_matcher_begin(m, sh_texts_tokens(l->texts, document), tokens_of, l);
	for (uint64_t i = groups->at[document]; i < groups->at[document + 1]; i++) {
		uint32_t at = groups->order[i];
		const struct sh_posting *p = &groups->posting[at];

		if (p->of.in.run == p->of.in.first)
			continue;
		if ((l->bound && !sh_group_exceeds(groups, at, l->bound)
			    ? link_all(&g, p, err)
			    : link_star(&g, p, err)) < 0)
			return -1;
	}
	return 0;
}
