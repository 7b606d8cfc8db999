/* SPDX-License-Identifier: MIT */
#include "text/stop.h"

#include <stdlib.h>

#include "base/hmap.h"

struct sh_stoplist {
	struct sh_hmap words;
};

struct sh_stoplist *sh_stoplist_empty(struct sh_error *err)
{
	struct sh_stoplist *s = calloc(1, sizeof *s);

	if (!s) {
		sh_error_nomem(err);
		return NULL;
	}
	if (sh_hmap_init(&s->words, err) < 0) {
		free(s);
		return NULL;
	}
	return s;
}

void sh_stoplist_delete(struct sh_stoplist *s)
{
	if (!s)
		return;
	sh_hmap_free(&s->words);
	free(s);
}

int sh_stoplist_put(struct sh_stoplist *s, struct sh_slice token, struct sh_error *err)
{
	uint32_t index;

	return sh_hmap_put(&s->words, token, &index, NULL, err);
}

bool sh_stoplist_has(const struct sh_stoplist *s, struct sh_slice token)
{
	uint32_t index;

	return sh_hmap_find(&s->words, token, &index);
}
