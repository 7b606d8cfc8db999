/* SPDX-License-Identifier: MIT */
#include "now.h"

#include <stdlib.h>
#include <time.h>

#include "base/num.h"

/* The largest time of ten digits: the year 2286. */
#define TIME_MAX UINT64_C(9999999999)

/* Returns the clock's time; dies when it is below 0. On a machine whose time_t has overflowed,
 * everything would be older than any age. */
static uint64_t clock_now(struct cli *c)
{
	time_t now = time(NULL);
	struct sh_error err;

	if (now >= 0 && (uint64_t)now <= TIME_MAX)
		return (uint64_t)now;
	sh_error_set(
	    &err, SH_ERR_RANGE, "the clock says %lld seconds since 1970: set it", (long long)now);
	cli_die(c, &err);
}

uint64_t now_seconds(struct cli *c)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds;

	if (!epoch || !*epoch)
		return clock_now(c);
	if (sh_parse_u64(sh_slice_str(epoch), &seconds) < 0 || seconds > TIME_MAX)
		cli_usage(c,
		    "SOURCE_DATE_EPOCH '%s': expected seconds since 1970, ten digits at most",
		    epoch);
	return seconds;
}
