#include "passage/chance.h"

int sh_span_is_significant(const struct sh_span *span, const struct sh_placed *query,
    struct sh_placer *placer, struct sh_error *err)
{
	size_t wanted =
	    span->matched < SH_CHANCE_DISTINCT_OF ? span->matched : SH_CHANCE_DISTINCT_OF;
	uint32_t start, end;
	size_t found;

	if (span->matched == span->to - span->from && span->matched == span->end - span->at &&
	    (span->matched >= SH_CHANCE_VERBATIM || span->matched == query->n))
		return 1;
	wanted = (wanted + 1) / 2;
	sh_placed_bytes(query, span->at, span->end, &start, &end);
	if (sh_placer_distinct(
		placer, sh_slice(query->text.p + start, end - start), wanted, &found, err) < 0)
		return -1;
	return found >= wanted;
}
