/* SPDX-License-Identifier: MIT */
#include "io/header.h"

void sh_header_free(struct sh_header *h)
{
	sh_buf_free(&h->first);
}

size_t sh_header_front(struct sh_slice all, bool csv, size_t *before, char *delimiter)
{
	size_t at = all.n >= 3 && memcmp(all.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct sh_slice line;
	const char *lf;

	*delimiter = '\0';
	while (at < all.n && (lf = memchr(all.p + at, '\n', all.n - at))) {
		line = sh_without_cr(sh_slice(all.p + at, (size_t)(lf - all.p) - at));
		if (csv && line.n == 5 && memcmp(line.p, "sep=", 4) == 0)
			*delimiter = line.p[4];
		else if (line.n)
			break;
		at = (size_t)(lf - all.p) + 1;
	}
	*before = at;
	line = sh_record_front(sh_slice(all.p + at, all.n - at), csv);
	return at + line.n + (at + line.n < all.n);
}

static struct sh_slice bare(struct sh_slice front, size_t before)
{
	size_t n = front.n - before;

	return sh_slice(front.p + before, n - (n && front.p[front.n - 1] == '\n'));
}

struct sh_slice sh_header_bare(const struct sh_header *h)
{
	return bare(sh_buf_slice(&h->first), h->before);
}

int sh_header_check(
    struct sh_header *h, struct sh_slice all, const char *file, size_t *n, struct sh_error *err)
{
	size_t before;
	char delimiter;

	*n = sh_header_front(all, h->csv, &before, &delimiter);
	if (h->first.n == 0) {
		h->file = file;
		h->before = before;
		h->delimiter = delimiter;
		return *n ? sh_buf_add(&h->first, all.p, *n, err) : 0;
	}
	if (sh_slice_eq(
		sh_without_cr(bare(sh_slice(all.p, *n), before)), sh_without_cr(sh_header_bare(h))))
		return 0;
	sh_error_set(err, SH_ERR_RECORD, "the header differs from that of '%s'", h->file);
	err->file = file;
	err->line = 1;
	return -1;
}
