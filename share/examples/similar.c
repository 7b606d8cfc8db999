/* SPDX-License-Identifier: MIT */
/* similar TEXT TEXT: prints the distance of the fingerprints of two texts.
 *
 *     cc similar.c $(pkg-config --cflags --libs libsimhash) -o similar
 */
#include <stdio.h>
#include <string.h>

#include <simhash.h>

int main(int argc, char **argv)
{
	struct simhash_options options;
	struct simhash_error error;
	struct simhash *s;
	uint64_t fp[2][SIMHASH_MAX_WORDS];

	if (argc != 3) {
		fprintf(stderr, "usage: similar TEXT TEXT\n");
		return 2;
	}
	simhash_defaults(&options);
	options.ngram_max = 2;
	s = simhash_new(&options, &error);
	for (int i = 0; s && i < 2; i++) {
		int got = simhash_text(s, argv[i + 1], strlen(argv[i + 1]), fp[i], &error);

		if (got < 0)
			break;
		if (got == 0) {
			fprintf(stderr, "similar: text %d has no words\n", i + 1);
			return 2;
		}
		if (i == 1)
			printf("%u of %u bits differ\n",
			    simhash_distance(fp[0], fp[1], options.bits), options.bits);
		error.code = 0;
	}
	simhash_free(s);
	if (error.code) {
		fprintf(stderr, "similar: %s\n", error.text);
		return 2;
	}
	return 0;
}
