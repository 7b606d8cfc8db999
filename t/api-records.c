/* SPDX-License-Identifier: MIT */
/* Prints the output of shfp --raw, shjoin or shband for the documents on standard input, with the
 * public library alone: records fp|pairs|bands DISTANCE. See t/api.bats. */
#include <simhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 64, MAX_LINE = 1 << 20, MAX_DOCS = 1 << 14 };

static char line[MAX_LINE];
static char *id[MAX_DOCS];
static uint64_t fp[MAX_DOCS];
static size_t n;

static void die(const struct simhash_error *error)
{
	fprintf(stderr, "records: %s\n", error->text);
	exit(2);
}

static void read_documents(void)
{
	struct simhash_options options;
	struct simhash_error error = { 0 };
	struct simhash *s;

	simhash_defaults(&options);
	options.ngram_max = 2;
	options.weight = "tf";
	options.seed = 7;
	if (!(s = simhash_new(&options, &error)))
		die(&error);
	while (n < MAX_DOCS && fgets(line, sizeof line, stdin)) {
		char *text = strchr(line, '\t');
		int got;

		*text++ = '\0';
		got = simhash_text(s, text, strlen(text), &fp[n], &error);
		if (got < 0)
			die(&error);
		if (got && (id[n] = strdup(line)))
			n++;
	}
	simhash_free(s);
}

static int print_pairs(void *arg, const struct simhash_pair *pairs, size_t count)
{
	(void)arg;
	for (size_t k = 0; k < count; k++) {
		const char *a = id[pairs[k].i], *b = id[pairs[k].j];
		int swap = strcmp(a, b) > 0;

		if (printf("%s\t%s\t%u\n", swap ? b : a, swap ? a : b, pairs[k].distance) < 0)
			return -1;
	}
	return 0;
}

static void write_bands(struct simhash_bands *b, struct simhash_error *error)
{
	char *key, hex[BITS / 4 + 1];

	if (!b || !(key = malloc(simhash_bands_key_size(b) + 1)))
		die(error);
	for (size_t i = 0; i < n; i++) {
		simhash_hex(&fp[i], BITS, hex);
		for (size_t t = 0; t < simhash_bands_tables(b); t++) {
			simhash_bands_key(b, t, &fp[i], key);
			printf("%s\t%s\t%s\n", key, hex, id[i]);
		}
	}
	free(key);
	simhash_bands_free(b);
}

int main(int argc, char **argv)
{
	struct simhash_error error = { 0 };
	const char *what = argc == 3 ? argv[1] : "";
	unsigned k = argc == 3 ? (unsigned)atoi(argv[2]) : 0;

	read_documents();
	if (strcmp(what, "pairs") == 0) {
		if (simhash_join(fp, n, BITS, k, print_pairs, NULL, &error) < 0)
			die(&error);
	} else if (strcmp(what, "bands") == 0) {
		write_bands(simhash_bands_new(BITS, k, 0, &error), &error);
	} else {
		for (size_t i = 0; i < n; i++) {
			char hex[BITS / 4 + 1];

			simhash_hex(&fp[i], BITS, hex);
			printf("%s\t%s\n", hex, id[i]);
		}
	}
	return ferror(stdout) || fclose(stdout) ? 2 : 0;
}
