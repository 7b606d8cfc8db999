/* SPDX-License-Identifier: MIT */
#include "built.h"

#include <stdio.h>

#include "io/codec.h"

static bool is_lacking(const struct sh_codec *codec)
{
	return codec->package && !codec->start;
}

void built_print(const char *lacks)
{
	const struct sh_codec *codec;
	bool any = false;

	fputs("Compressed input:", stdout);
	for (unsigned i = 0; (codec = sh_codec_at(i)); i++)
		if (codec->start)
			printf(" %s", codec->name);
	fputs("\nLacks:", stdout);
	for (unsigned i = 0; !lacks && (codec = sh_codec_at(i)); i++) {
		if (!is_lacking(codec))
			continue;
		printf("%s %s (%s)", any ? ";" : "", codec->name, codec->package);
		any = true;
	}
	if (lacks && *lacks) {
		fputs(lacks + 1, stdout);
		any = true;
	}
	puts(any ? ". Install the packages in brackets, and build again." : " nothing");
}
