/* SPDX-License-Identifier: MIT */
#include "peeked.h"

#include <stdio.h>

#include "stream/docs.h"
#include "stream/feature_head.h"

_Noreturn void refuse_peeked(
    struct cli *c, const struct sh_source *source, uint64_t line, const char *text)
{
	struct sh_slice head = sh_source_peeked(source);
	struct sh_error err;

	if (sh_docs_head(&head, &err) == 0) {
		sh_error_set(&err, SH_ERR_RECORD, "%s", text);
		err.line = line;
	}
	err.file = source->name;
	cli_die(c, &err);
}

void need_features(struct cli *c, struct sh_source *source, const char *advice)
{
	struct sh_error err;
	char text[256];
	uint64_t line;
	bool once;

	if (sh_feature_head(source, &line, &once, &err) < 0)
		cli_die(c, &err);
	if (line == 0)
		return;
	snprintf(text, sizeof text,
	    "this looks like a text followed by a number, not like a feature%s (%s)",
	    once ? ": each id stands once" : "", advice);
	refuse_peeked(c, source, line, text);
}
