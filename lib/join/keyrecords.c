#include "join/keyrecords.h"

#include <string.h>

#include "base/hex.h"
#include "record/fields.h"

enum { NEAR = SH_KEY_RECORDS_NEAR, COLUMN_DIGITS = 2 };

size_t sh_key_record_print(char *to, unsigned column, uint64_t key, int tag)
{
	size_t n = COLUMN_DIGITS;

	sh_print_hex_number(to, column, COLUMN_DIGITS);
	n += sh_print_hex_number(to + n, key, SH_KEY_RECORD_DIGITS - COLUMN_DIGITS);
	if (tag != SH_NO_TAG)
		n += sh_print_hex_number(to + n, (uint64_t)tag & 0xff, SH_KEY_RECORD_TAG);
	return n;
}

static int parse(
    struct sh_slice line, struct sh_slice *key, struct sh_slice *id, struct sh_error *err)
{
	const char *tab = line.n ? memchr(line.p, '\t', line.n) : NULL;

	*key = sh_slice(line.p, tab ? (size_t)(tab - line.p) : 0);
	*id = tab ? sh_slice(tab + 1, line.n - key->n - 1) : *key;
	if ((key->n != SH_KEY_RECORD_DIGITS &&
		key->n != SH_KEY_RECORD_DIGITS + SH_KEY_RECORD_TAG) ||
	    id->n == 0 || memchr(id->p, '\t', id->n) ||
	    strspn(key->p, "0123456789abcdef") != key->n)
		return sh_error_set(err, SH_ERR_RECORD,
		    "not a key record: expected key<TAB>id, with a key of 12 or 14 hexadecimal "
		    "digits (shfp --keys)");
	return 0;
}

/* Begins a new bucket when the key is a new one. */
static int check_key(struct sh_key_records *k, struct sh_slice key, struct sh_error *err)
{
	const char *tag = k->key + SH_KEY_RECORD_DIGITS;
	int order;

	if (k->digits && (key.n != k->digits || memcmp(key.p + SH_KEY_RECORD_DIGITS, tag,
						    key.n - SH_KEY_RECORD_DIGITS) != 0))
		return sh_error_set(err, SH_ERR_PARAM,
		    "the key was made with other settings than those before it (shfp --keys)");
	order = k->digits ? memcmp(key.p, k->key, key.n) : 1;
	if (order < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the keys are not in bytewise order: sort them with LC_ALL=C sort");
	if (order > 0)
		k->n = 0;
	memcpy(k->key, key.p, key.n);
	k->digits = key.n;
	return 0;
}

static int pair_with(
    struct sh_key_records *k, size_t place, struct sh_slice id, struct sh_error *err)
{
	struct sh_slice other = sh_buf_slice(&k->id[place]);

	return sh_slice_eq(other, id) ? 0 : k->pair(k->out, other, id, 1, err);
}

/* The first NEAR ids stay in place; the later ones take turns in the places behind. */
static size_t place_of(size_t i)
{
	return i < NEAR ? i : NEAR + i % NEAR;
}

int sh_key_records_add(struct sh_key_records *k, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice key, id;
	struct sh_buf *own;
	size_t near;

	if (parse(line, &key, &id, err) < 0 || check_key(k, key, err) < 0)
		return -1;
	for (size_t i = 0; i < k->n && i < NEAR; i++)
		if (pair_with(k, i, id, err) < 0)
			return -1;
	near = k->n > 2 * NEAR ? k->n - NEAR : NEAR;
	for (size_t i = near; i < k->n; i++)
		if (pair_with(k, place_of(i), id, err) < 0)
			return -1;
	own = &k->id[place_of(k->n++)];
	own->n = 0;
	return sh_buf_add(own, id.p, id.n, err);
}

void sh_key_records_free(struct sh_key_records *k)
{
	for (size_t i = 0; i < 2 * NEAR; i++)
		sh_buf_free(&k->id[i]);
}
