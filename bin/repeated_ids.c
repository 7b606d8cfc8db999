#include "repeated_ids.h"

/* There are two possible causes: the lines of one document are not adjacent, or several documents have one
 * id. The message gives a remedy for both. */
void warn_repeated_ids(struct cli *c, const struct sh_past_ids *past)
{
	if (past->again == 0)
		return;
	cli_warn(c,
	    "%s:%llu: id '%.*s' comes again after other ids and begins another document; %llu such "
	    "documents in all "
	    "(lines of one document: bring them together with LC_ALL=C sort -s -t \"$(printf "
	    "'\\t')\" -k 1,1; several documents: give each its own id)",
	    past->file, (unsigned long long)past->line, (int)past->id_n, past->id,
	    (unsigned long long)past->again);
}
