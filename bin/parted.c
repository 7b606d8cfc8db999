#include "parted.h"

/* Either the lines of one document are not together, or several documents share an id. The message names both. */
void parted_warn(struct cli *c, const struct sh_past_ids *past)
{
	if (past->again == 0)
		return;
	cli_warn(c,
	    "%s:%llu: id '%.*s' comes again after other ids, as one more document; %llu such in "
	    "all "
	    "(lines of one document: bring them together with LC_ALL=C sort -s -t \"$(printf "
	    "'\\t')\" -k 1,1; several documents: give each its own id)",
	    past->file, (unsigned long long)past->line, (int)past->id_n, past->id,
	    (unsigned long long)past->again);
}
