#include "join/keyrecords.h"

#include <string.h>

#include "record/fields.h"

enum {
	NEAR = SH_KEY_RECORDS_NEAR,
	HASH = 8, /* digits */
	DIGIT_BITS = 5,
	TAG_BITS = 16,
	/* columns of a head of one digit: fewer would have too few bits of the tag */
	COLUMNS_MIN = 8,
	COLUMNS_MAX = 16,
};

/* Returns how many bits of the tag are in a head of n digits. */
static unsigned tag_bits(size_t n)
{
	return n == 1 ? 1 : 4;
}

static void print_digits(char *to, uint64_t x, size_t n)
{
	for (; n; x >>= DIGIT_BITS)
		to[--n] = "0123456789abcdefghijklmnopqrstuv"[x % (1 << DIGIT_BITS)];
}

size_t sh_key_record_print(char *to, unsigned columns, unsigned column, uint64_t key, unsigned tag)
{
	size_t head = columns < COLUMNS_MIN || columns > COLUMNS_MAX ? 2 : 1;
	unsigned bits = tag_bits(head);

	tag = tag >> (column * bits % TAG_BITS) & ((1U << bits) - 1);
	print_digits(to, column << bits | tag, head);
	print_digits(to + head, key, HASH);
	return head + HASH;
}

/* Returns the number of the column of a key with `head` digits before the hash. */
static unsigned column_of(const char *key, size_t head)
{
	unsigned x = 0;

	for (size_t i = 0; i < head; i++)
		x = x << DIGIT_BITS | (unsigned)(key[i] <= '9' ? key[i] - '0' : key[i] - 'a' + 10);
	return x >> tag_bits(head);
}

static int parse(
    struct sh_slice line, struct sh_slice *key, struct sh_slice *id, struct sh_error *err)
{
	const char *tab = line.n ? memchr(line.p, '\t', line.n) : NULL;

	*key = sh_slice(line.p, tab ? (size_t)(tab - line.p) : 0);
	*id = tab ? sh_slice(tab + 1, line.n - key->n - 1) : *key;
	if ((key->n != HASH + 1 && key->n != HASH + 2) || id->n == 0 ||
	    memchr(id->p, '\t', id->n) ||
	    strspn(key->p, "0123456789abcdefghijklmnopqrstuv") != key->n)
		return sh_error_set(err, SH_ERR_RECORD,
		    "not a key record: expected key<TAB>id, with a key of 9 or 10 digits 0 to 9 "
		    "and "
		    "a to v (shfp --keys)");
	return 0;
}

/* Returns whether two keys of one length have the same column, but other bits of the tag. */
static bool other_tag(const char *a, const char *b, size_t n)
{
	size_t head = n - HASH;

	return memcmp(a, b, head) != 0 && column_of(a, head) == column_of(b, head);
}

/* Begins a new bucket when the key is a new one. */
static int check_key(struct sh_key_records *k, struct sh_slice key, struct sh_error *err)
{
	int order;

	if (k->digits && (key.n != k->digits || other_tag(key.p, k->key, key.n)))
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
