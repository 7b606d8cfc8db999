/* SPDX-License-Identifier: MIT */
#include "names.h"

#include "published/published.h"
#include "weight/weight.h"

const char *profile_names(unsigned i)
{
	return sh_profile_at(i) ? sh_profile_at(i)->name : NULL;
}

/* Returns the name of the i-th weight that needs at most these inputs, or NULL. */
static const char *weight_needing(unsigned i, bool df, bool tokens)
{
	const struct sh_scheme *s;

	for (unsigned row = 0; (s = sh_scheme_at(row)); row++)
		if ((df || !s->needs_df) && (tokens || !s->needs_tokens) && i-- == 0)
			return s->name;
	return NULL;
}

const char *weight_names(unsigned i)
{
	return weight_needing(i, true, true);
}

const char *table_weight_names(unsigned i)
{
	const struct sh_scheme *s;

	for (unsigned row = 0; (s = sh_scheme_at(row)); row++)
		if (s->needs_df && i-- == 0)
			return s->name;
	return NULL;
}

const char *document_weight_names(unsigned i)
{
	return weight_needing(i, false, true);
}

const char *count_weight_names(unsigned i)
{
	return weight_needing(i, false, false);
}

const char *link_names(unsigned i)
{
	return i == 0 ? "single" : i == 1 ? "star" : NULL;
}
