/* SPDX-License-Identifier: MIT */
#include "io/header.h"

void sh_header_free(struct sh_header *h)
{
	sh_buf_free(&h->first);
}

/* Returns the bytes of the lines before the header: blank ones, and "sep=;" in CSV. Sets *delimiter
 * unless it is NULL. */
static size_t lines_before(struct sh_slice all, bool csv, char *delimiter)
{
	size_t at = 0;

	for (;;) {
		const char *lf = at < all.n ? memchr(all.p + at, '\n', all.n - at) : NULL;
		struct sh_slice line;

		if (!lf)
			return at;
		line = sh_without_cr(sh_slice(all.p + at, (size_t)(lf - all.p) - at));
		if (csv && line.n == 5 && memcmp(line.p, "sep=", 4) == 0) {
			if (delimiter)
				*delimiter = line.p[4];
		} else if (line.n) {
			return at;
		}
		at = (size_t)(lf - all.p) + 1;
	}
}

static struct sh_slice without_mark(struct sh_slice all)
{
	if (all.n >= 3 && memcmp(all.p, "\xef\xbb\xbf", 3) == 0)
		all = sh_slice(all.p + 3, all.n - 3);
	return all;
}

static struct sh_slice bare(struct sh_slice header, bool csv)
{
	size_t before;

	header = without_mark(header);
	before = lines_before(header, csv, NULL);
	header = sh_slice(header.p + before, header.n - before);
	if (header.n && header.p[header.n - 1] == '\n')
		header.n--;
	return header;
}

struct sh_slice sh_header_bare(const struct sh_header *h)
{
	return bare(sh_buf_slice(&h->first), h->csv);
}

char sh_header_delimiter(const struct sh_header *h)
{
	char delimiter = '\0';

	if (h->csv)
		lines_before(without_mark(sh_buf_slice(&h->first)), true, &delimiter);
	return delimiter;
}

size_t sh_header_front(struct sh_slice all, bool csv, size_t *before)
{
	struct sh_slice body = without_mark(all), header;

	*before = all.n - body.n + lines_before(body, csv, NULL);
	header = sh_record_front(sh_slice(all.p + *before, all.n - *before), csv);
	return *before + header.n + (*before + header.n < all.n);
}

int sh_header_check(
    struct sh_header *h, struct sh_slice all, const char *file, size_t *n, struct sh_error *err)
{
	struct sh_slice header;
	size_t before;

	*n = sh_header_front(all, h->csv, &before);
	header = sh_slice(all.p + before, *n - before);
	header.n -= header.n && header.p[header.n - 1] == '\n';
	if (h->first.n == 0) {
		h->file = file;
		return *n ? sh_buf_add(&h->first, all.p, *n, err) : 0;
	}
	if (sh_slice_eq(sh_without_cr(header), sh_without_cr(sh_header_bare(h))))
		return 0;
	sh_error_set(err, SH_ERR_RECORD, "the header differs from that of '%s'", h->file);
	err->file = file;
	err->line = 1;
	return -1;
}
