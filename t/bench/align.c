/* SPDX-License-Identifier: MIT */
/* align THRESHOLD TIMES <pairs: aligns each pair of texts TIMES times. Writes the number of pairs
 * with at least this edit similarity, in millionths. A line has two texts with a TAB between them.
 * The tokens of a text are its characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "match/align.h"
#include "unicode/utf8.h"

static struct sh_sequence read_text(const char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + n;
	uint64_t *token = malloc((n + 1) * sizeof *token);
	size_t tokens = 0;

	if (!token)
		exit(2);
	while (p < end)
		token[tokens++] = sh_utf8_next(&p, end);
	return (struct sh_sequence){ token, tokens };
}

static bool is_similar(
    struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y, uint64_t threshold)
{
	size_t most = sh_align_limit(x.n > y.n ? x.n : y.n, threshold), distance;
	struct sh_error err;

	if (sh_align(a, x, y, most, &distance, &err) < 0)
		exit(2);
	return distance <= most;
}

int main(int argc, char **argv)
{
	struct sh_sequence *text = NULL;
	struct sh_error err;
	struct sh_aligner *a = sh_aligner_new(&err);
	char *line = NULL;
	size_t cap = 0, texts_cap = 0, n = 0, similar = 0;
	ssize_t bytes;

	if (argc != 3 || !a)
		return 2;
	while ((bytes = getline(&line, &cap, stdin)) > 0) {
		char *tab = memchr(line, '\t', (size_t)bytes), *end = line + bytes - 1;

		if (!tab || sh_reserve((void **)&text, &texts_cap, n + 2, sizeof *text, &err) < 0)
			return 2;
		text[n++] = read_text(line, (size_t)(tab - line));
		text[n++] = read_text(tab + 1, (size_t)(end - tab - 1));
	}
	for (int i = 0; i < atoi(argv[2]); i++)
		for (size_t k = similar = 0; k < n; k += 2)
			similar += is_similar(a, text[k], text[k + 1], (uint64_t)atol(argv[1]));
	printf("%zu\n", similar);
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)text[i].token);
	free(text);
	free(line);
	sh_aligner_delete(a);
	return 0;
}
