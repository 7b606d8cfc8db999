#include "band/bandlines.h"

#include <stdlib.h>

#include "base/hex.h"

enum {
	HEADS = 1 << 16, /* tables whose heads are kept, at most */
	BLOCK = 16,      /* bytes copied at once: so many are written beyond each end */
	KEY_BITS = 64,
};

int sh_band_lines_init(struct sh_band_lines *l, const struct sh_band *band, struct sh_error *err)
{
	*l = (struct sh_band_lines){ .band = band };
	if (!band->cache || band->tables > HEADS || band->key_bits_max > KEY_BITS)
		return 0;
	l->head = malloc(band->tables * sizeof *l->head);
	if (!l->head)
		return sh_error_nomem(err);
	for (uint32_t t = 0; t < band->tables; t++)
		sh_band_head(band, t, l->head[t]);
	return 0;
}

void sh_band_lines_free(struct sh_band_lines *l)
{
	free(l->head);
	l->head = NULL;
}

/* What all lines of a fingerprint end with: from the tab behind the key on. */
static size_t write_tail(char *p, const struct sh_fp_record *r)
{
	*p++ = '\t';
	memcpy(p, r->hex.p, r->hex.n);
	p += r->hex.n;
	*p++ = '\t';
	memcpy(p, r->id.p, r->id.n);
	p[r->id.n] = '\n';
	return r->hex.n + r->id.n + 3;
}

static int add_slowly(const struct sh_band *band, const struct sh_fp_record *r, struct sh_buf *out)
{
	struct sh_band_table room;

	for (uint32_t t = 0; t < band->tables; t++) {
		char *p = out->p + out->n;

		sh_band_key(band, sh_band_table(band, t, &room), r->fp, p);
		out->n += band->key_len + write_tail(p + band->key_len, r);
	}
	return 0;
}

int sh_band_lines_add(const struct sh_band_lines *l, const struct sh_fp_record *r,
    struct sh_buf *out, struct sh_error *err)
{
	char tail[SH_FP_HEX_MAX + SH_ID_MAX + 3 + BLOCK];
	const struct sh_band *band = l->band;
	unsigned head = band->key_len - band->bits_digits;
	size_t n = r->hex.n + r->id.n + 3;
	/* More than a size_t, on 32 bits. */
	uint64_t want = (uint64_t)(band->key_len + n) * band->tables + 2 * BLOCK;
	char *p;

	if (want > SIZE_MAX / 2)
		return sh_error_nomem(err);
	if (sh_buf_reserve(out, (size_t)want, err) < 0)
		return -1;
	if (!l->head)
		return add_slowly(band, r, out);
	write_tail(tail, r);
	p = out->p + out->n;
	for (uint32_t t = 0; t < band->tables; t++) {
		memcpy(p, l->head[t], SH_BAND_HEAD);
		sh_print_hex16(p + head, sh_band_bits(&band->cache[t], r->fp));
		p += band->key_len;
		for (size_t i = 0; i < n; i += BLOCK)
			memcpy(p + i, tail + i, BLOCK);
		p += n;
	}
	out->n = (size_t)(p - out->p);
	return 0;
}
