/* SPDX-License-Identifier: MIT */
/* Writes and reads the keys of bands. */
#include "band/band.h"
#include "base/num.h"
#include "record/fields.h"

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
