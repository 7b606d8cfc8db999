/* SPDX-License-Identifier: MIT */
/* Writes and reads the keys and the records of bands. */
#include "band/band.h"
#include "base/num.h"

/* Parses a number of `digits` hexadecimal digits. Returns UINT32_MAX when a byte is no digit. */
static uint32_t parse_number(const char *p, unsigned digits)
{
	uint64_t x;

	return sh_parse_hex_number(sh_slice(p, digits), &x) < 0 ? UINT32_MAX : (uint32_t)x;
}

/* Writes the bits of the key, left-aligned, to key[]. */
static void gather(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, uint64_t *key)
{
	unsigned at = 0;

	for (unsigned i = 0; i < SH_FP_WORDS(b->key_bits_max); i++)
		key[i] = 0;
	for (unsigned r = 0; r < t->runs; r++) {
		unsigned from = t->run[r].from, to = t->run[r].to;

		while (from < to) {
			unsigned room = 64 - at % 64, n = to - from < room ? to - from : room;

			key[at / 64] |= sh_fp_bits(fp, from, n) << (room - n);
			from += n;
			at += n;
		}
	}
}

void sh_band_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out)
{
	uint64_t key[SH_FP_MAX_WORDS];

	gather(b, t, fp, key);
	memcpy(out, b->layout, SH_BAND_LAYOUT);
	sh_print_hex_number(out + SH_BAND_LAYOUT, t->number, b->table_digits);
	sh_print_hex(out + SH_BAND_LAYOUT + b->table_digits, key, b->bits_digits);
}

static int no_key(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD, "not a band key (shband makes band keys)");
}

int sh_band_from_key(struct sh_band *b, struct sh_slice key, unsigned bits, struct sh_error *err)
{
	uint32_t k, blocks, number;
	int status;

	*b = (struct sh_band){ 0 };
	if (key.n < SH_BAND_LAYOUT || (k = parse_number(key.p, 2)) == UINT32_MAX ||
	    (blocks = parse_number(key.p + 2, 2)) == UINT32_MAX)
		return no_key(err);
	status = sh_band_init(b, bits, k, blocks, err);
	if (status == 0 && sh_band_parse(b, key, &number, err) == 0)
		return 0;
	/* The record is wrong, not a parameter of the program. */
	if (err->code == SH_ERR_PARAM)
		sh_error_set(err, SH_ERR_RECORD,
		    "the band key declares distance %u and %u blocks, impossible for %u bits", k,
		    blocks, bits);
	sh_band_free(b);
	return -1;
}

static int check_layout(const struct sh_band *b, struct sh_slice key, struct sh_error *err)
{
	uint32_t k, blocks;

	if (key.n >= SH_BAND_LAYOUT && memcmp(key.p, b->layout, SH_BAND_LAYOUT) == 0) {
		if (key.n == b->key_len || key.n == b->key_len + SH_BAND_TAG_DIGITS)
			return 0;
		return sh_error_set(err, SH_ERR_RECORD,
		    "the band key has %zu digits, expected %u for %u-bit fingerprints", key.n,
		    b->key_len, b->bits);
	}
	if (key.n < SH_BAND_LAYOUT || (k = parse_number(key.p, 2)) == UINT32_MAX ||
	    (blocks = parse_number(key.p + 2, 2)) == UINT32_MAX)
		return no_key(err);
	return sh_error_set(err, SH_ERR_RECORD,
	    "the band key is for distance %u and %u blocks, the earlier ones for distance "
	    "%u and %u blocks: do not mix layouts",
	    k, blocks, b->k, b->blocks);
}

static int no_digit(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the band key has a character that is not a lower-case hexadecimal digit");
}

int sh_band_parse(
    const struct sh_band *b, struct sh_slice key, uint32_t *number, struct sh_error *err)
{
	uint32_t t;

	if (check_layout(b, key, err) < 0)
		return -1;
	t = parse_number(key.p + SH_BAND_LAYOUT, b->table_digits);
	if (t == UINT32_MAX || (key.n > b->key_len && parse_number(key.p + b->key_len,
							  SH_BAND_TAG_DIGITS) == UINT32_MAX))
		return no_digit(err);
	if (t >= b->tables)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the band key names table %u, but its layout has %u, counted from 0",
		    (unsigned)t, (unsigned)b->tables);
	*number = t;
	return 0;
}

int sh_band_cut_tag(const struct sh_band *b, struct sh_slice *key)
{
	if (key->n != b->key_len + SH_BAND_TAG_DIGITS)
		return SH_NO_TAG;
	key->n = b->key_len;
	return (int)parse_number(key->p + b->key_len, SH_BAND_TAG_DIGITS);
}

int sh_band_check_key(const struct sh_band *b, const struct sh_band_table *t, struct sh_slice key,
    const uint64_t *fp, struct sh_error *err)
{
	char want[SH_BAND_MAX_KEY], hex[SH_FP_MAX_BITS / 4];
	uint64_t word[SH_FP_MAX_WORDS];

	sh_band_key(b, t, fp, want);
	if (key.n == b->key_len && memcmp(key.p, want, key.n) == 0)
		return 0;
	if (sh_parse_hex(sh_slice(key.p + key.n - b->bits_digits, b->bits_digits), word) < 0)
		return no_digit(err);
	sh_print_hex(hex, fp, b->bits / 4);
	return sh_error_set(err, SH_ERR_RECORD,
	    "key '%.*s' is not that of fingerprint %.*s in this table", (int)key.n, key.p,
	    (int)(b->bits / 4 > 64 ? 64 : b->bits / 4), hex);
}

/* ---- records ---- */

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
	size_t n = write_tail(tail, r);
	/* On machines of 32 bits this may not fit in a size_t. */
	uint64_t want = (uint64_t)(band->key_len + n) * band->tables;

	if (want > SIZE_MAX / 2)
		return sh_error_nomem(err);
	if (sh_buf_reserve(out, (size_t)want, err) < 0)
		return -1;
	p = out->p + out->n;
	for (uint32_t t = 0; t < band->tables; t++) {
		sh_band_key(band, &band->table[t], r->fp, p);
		memcpy(p + band->key_len, tail, n);
		p += band->key_len + n;
	}
	out->n = (size_t)(p - out->p);
	return 0;
}

bool sh_is_band_record(struct sh_slice line)
{
	struct sh_band_record r;
	struct sh_band band;
	struct sh_error err;
	uint32_t number;
	bool is;

	if (sh_record_band(line, &r, &err) < 0 ||
	    sh_band_from_key(&band, r.key, r.of.bits, &err) < 0)
		return false;
	sh_band_cut_tag(&band, &r.key);
	is = sh_band_parse(&band, r.key, &number, &err) == 0 &&
	     sh_band_check_key(&band, &band.table[number], r.key, r.of.fp, &err) == 0;
	sh_band_free(&band);
	return is;
}
