/* SPDX-License-Identifier: MIT */
#include "text/stem.h"

#include <errno.h>
#include <libstemmer.h>
#include <stdio.h>
#include <stdlib.h>

struct sh_stemmer {
	struct sb_stemmer *snowball;
};

static void unknown(const char *algorithm, struct sh_error *err)
{
	char names[400] = "";
	size_t n = 0;

	for (const char **name = sb_stemmer_list(); *name; name++) {
		int len = snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", *name);

		if (len < 0 || (size_t)len >= sizeof names - n)
			break;
		n += (size_t)len;
	}
	sh_error_set(err, SH_ERR_PARAM, "--stem '%.40s': expected one of %s", algorithm, names);
}

struct sh_stemmer *sh_stemmer_new(const char *algorithm, struct sh_error *err)
{
	struct sh_stemmer *s = malloc(sizeof *s);

	if (!s) {
		sh_error_nomem(err);
		return NULL;
	}
	errno = 0;
	s->snowball = sb_stemmer_new(algorithm, "UTF_8");
	if (!s->snowball) {
		if (errno == ENOMEM)
			sh_error_nomem(err);
		else
			unknown(algorithm, err);
		free(s);
		return NULL;
	}
	return s;
}

void sh_stemmer_delete(struct sh_stemmer *s)
{
	if (!s)
		return;
	sb_stemmer_delete(s->snowball);
	free(s);
}

/* Snowball's time grows with the square of a word's length. */
static bool is_too_long(struct sh_slice word)
{
	size_t chars = 0;

	if (word.n <= SH_STEM_MAX)
		return false;
	for (size_t i = 0; i < word.n && chars <= SH_STEM_MAX; i++)
		chars += ((unsigned char)word.p[i] & 0xC0) != 0x80;
	return chars > SH_STEM_MAX;
}

bool sh_stem(struct sh_stemmer *s, struct sh_slice *word)
{
	const sb_symbol *stem;

	if (is_too_long(*word))
		return true;
	stem = sb_stemmer_stem(s->snowball, (const sb_symbol *)word->p, (int)word->n);
	if (!stem)
		return false;
	*word = sh_slice((const char *)stem, (size_t)sb_stemmer_length(s->snowball));
	return true;
}
