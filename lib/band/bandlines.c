/* SPDX-License-Identifier: MIT */
#include "band/bandlines.h"

#include "base/num.h"

enum { TAIL_MAX = SH_BAND_TAG_DIGITS + SH_FP_HEX_MAX + SH_ID_MAX + 3 };

/* Writes the part that all lines of a fingerprint have in common: tag of the key, fingerprint and
 * id. Returns its length. */
static size_t write_tail(char *out, const struct sh_fp_record *r)
{
	char *p = out;

	if (r->tag != SH_NO_TAG)
		p +=
		    sh_print_hex_number(p, (uint64_t)r->tag & SH_BAND_TAG_MASK, SH_BAND_TAG_DIGITS);
	*p++ = '\t';
	memcpy(p, r->hex.p, r->hex.n);
	p += r->hex.n;
	*p++ = '\t';
	memcpy(p, r->id.p, r->id.n);
	p += r->id.n;
	*p++ = '\n';
	return (size_t)(p - out);
}

int sh_band_lines_add(const struct sh_band *band, const struct sh_fp_record *r, struct sh_buf *out,
    struct sh_error *err)
{
	char tail[TAIL_MAX], *p;
	struct sh_band_table room;
	size_t n = write_tail(tail, r);
	/* On machines of 32 bits this may not fit in a size_t. */
	uint64_t want = (uint64_t)(band->key_len + n) * band->tables;

	if (want > SIZE_MAX / 2)
		return sh_error_nomem(err);
	if (sh_buf_reserve(out, (size_t)want, err) < 0)
		return -1;
	p = out->p + out->n;
	for (uint32_t t = 0; t < band->tables; t++) {
		sh_band_key(band, sh_band_table(band, t, &room), r->fp, p);
		memcpy(p + band->key_len, tail, n);
		p += band->key_len + n;
	}
	out->n = (size_t)(p - out->p);
	return 0;
}

bool sh_is_band_record(struct sh_slice line)
{
	struct sh_band_record r;
	struct sh_band_table room;
	struct sh_band band;
	struct sh_error err;
	uint32_t number;
	bool is;

	if (sh_record_band(line, &r, &err) < 0 ||
	    sh_band_from_key(&band, r.key, r.of.bits, &err) < 0)
		return false;
	sh_band_cut_tag(&band, &r.key);
	is = sh_band_parse(&band, r.key, &number, &err) == 0 &&
	     sh_band_check_key(&band, sh_band_table(&band, number, &room), r.key, r.of.fp, &err) ==
		 0;
	sh_band_free(&band);
	return is;
}
