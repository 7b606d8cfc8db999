#include "archive/checked.h"

#include <xxhash.h>

#include "base/num.h"

int sh_checked_damaged(
    const struct sh_checked *c, const char *what, size_t at, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s/%s' is damaged: %s at byte %zu: restore the archive from a backup", c->folder,
	    c->name, what, at);
}

static int check_block(struct sh_checked *c, size_t block, struct sh_error *err)
{
	uint32_t bit = UINT32_C(1) << (block % SH_SEEN_BITS),
		 *seen = &c->seen[block / SH_SEEN_BITS];
	uint64_t sum;
	size_t at = block * SH_BLOCK;
	size_t n = c->map.n - at < SH_BLOCK ? c->map.n - at : SH_BLOCK;

	if (__atomic_load_n(seen, __ATOMIC_RELAXED) & bit)
		return 0;
	if (sh_parse_hex(sh_slice(c->sums + block * SH_SUM_LINE, SH_SUM_LINE - 1), &sum) < 0 ||
	    sum != XXH3_64bits(c->map.p + at, n))
		return sh_checked_damaged(c, "another checksum", at, err);
	__atomic_fetch_or(seen, bit, __ATOMIC_RELAXED);
	return 0;
}

int sh_checked_need(struct sh_checked *c, size_t from, size_t to, struct sh_error *err)
{
	for (size_t block = from / SH_BLOCK; block * SH_BLOCK < to; block++)
		if (check_block(c, block, err) < 0)
			return -1;
	return 0;
}

int sh_checked_line(struct sh_checked *c, size_t at, struct sh_slice *line, struct sh_error *err)
{
	size_t to = at;

	for (;;) {
		size_t end = to / SH_BLOCK * SH_BLOCK + SH_BLOCK;
		const char *lf;

		if (end > c->map.n)
			end = c->map.n;
		if (to >= end)
			return sh_checked_damaged(c, "no end of a line", at, err);
		if (sh_checked_need(c, to, end, err) < 0)
			return -1;
		lf = memchr(c->map.p + to, '\n', end - to);
		if (lf) {
			*line = sh_slice(c->map.p + at, (size_t)(lf - c->map.p) - at);
			return 0;
		}
		to = end;
	}
}
