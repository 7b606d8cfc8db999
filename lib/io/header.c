#include "io/header.h"

void sh_header_free(struct sh_header *h)
{
	sh_buf_free(&h->first);
}

static struct sh_slice bare(struct sh_slice header)
{
	if (header.n >= 3 && memcmp(header.p, "\xef\xbb\xbf", 3) == 0)
		header = sh_slice(header.p + 3, header.n - 3);
	if (header.n && header.p[header.n - 1] == '\n')
		header.n--;
	return header;
}

struct sh_slice sh_header_bare(const struct sh_header *h)
{
	return bare(sh_buf_slice(&h->first));
}

int sh_header_check(
    struct sh_header *h, struct sh_slice all, const char *file, size_t *n, struct sh_error *err)
{
	struct sh_slice header = sh_record_front(all, h->csv);

	*n = header.n + (header.n < all.n);
	if (h->first.n == 0) {
		h->file = file;
		return *n ? sh_buf_add(&h->first, all.p, *n, err) : 0;
	}
	if (sh_slice_eq(sh_without_cr(bare(header)), sh_without_cr(sh_header_bare(h))))
		return 0;
	sh_error_set(err, SH_ERR_RECORD, "the header differs from that of '%s'", h->file);
	err->file = file;
	err->line = 1;
	return -1;
}
