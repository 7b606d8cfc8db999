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

/* Has no branch on the digits: digits and letters follow each other at random. */
static bool are_digits(const char *p, size_t n)
{
	unsigned good = 1;

	for (size_t i = 0; i < n; i++)
		good &= ((unsigned)(p[i] - '0') < 10) | ((unsigned)(p[i] - 'a') < 22);
	return good;
}

struct sh_slice sh_key_of_record(struct sh_slice line, struct sh_error *err)
{
	size_t n = line.n > HASH + 1 && line.p[HASH + 1] == '\t' ? HASH + 1 : HASH + 2;

	if (n + 1 < line.n && line.p[n] == '\t' && are_digits(line.p, HASH) &&
	    are_digits(line.p + HASH, n - HASH) && !memchr(line.p + n + 1, '\t', line.n - n - 1)) {
		struct sh_slice id = sh_slice(line.p + n + 1, line.n - n - 1);
		bool good = sh_dos_check(line, err) == 0 && sh_id_check(id, err) == 0;

		return sh_slice(line.p, good ? n : 0);
	}
	sh_error_set(err, SH_ERR_RECORD,
	    "not a key record: expected key<TAB>id, with a key of 9 or 10 digits 0 to 9 and a to v "
	    "(shfp --keys)");
	return sh_slice(line.p, 0);
}

/* Returns whether two keys of one length have the same column, but other bits of the tag. */
static bool other_tag(const char *a, const char *b, size_t n)
{
	size_t head = n - HASH;

	return memcmp(a, b, head) != 0 && column_of(a, head) == column_of(b, head);
}

int sh_key_next(struct sh_key_last *last, struct sh_slice key, struct sh_error *err)
{
	int order;

	if (last->n && (key.n != last->n || other_tag(key.p, last->key, key.n)))
		return sh_error_set(err, SH_ERR_PARAM,
		    "the key was made with other settings than those before it (shfp --keys)");
	order = last->n ? memcmp(key.p, last->key, key.n) : 1;
	if (order < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the keys are not in bytewise order: sort them with LC_ALL=C sort");
	memcpy(last->key, key.p, key.n);
	last->n = key.n;
	return order > 0;
}

/* Reads a record, and begins a new bucket when its key is a new one. Changes nothing when it
 * fails. */
static int read_record(
    struct sh_key_records *k, struct sh_slice line, struct sh_slice *id, struct sh_error *err)
{
	struct sh_slice key = sh_key_of_record(line, err);
	int order = key.n ? sh_key_next(&k->last, key, err) : -1;

	if (order < 0)
		return -1;
	if (order > 0)
		k->n = 0;
	k->last_read = key;
	*id = sh_slice(line.p + key.n + 1, line.n - key.n - 1);
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

/* Makes the pairs of a document with those in its bucket, and adds it. */
static int add_id(struct sh_key_records *k, struct sh_slice id, struct sh_error *err)
{
	struct sh_buf *own;
	size_t near;

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

int sh_key_records_add(struct sh_key_records *k, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice id;

	return read_record(k, line, &id, err) < 0 ? -1 : add_id(k, id, err);
}

const char *sh_key_records_add_lines(
    struct sh_key_records *k, const char *p, const char *end, uint64_t *lines, struct sh_error *err)
{
	const char *lf;
	struct sh_slice id;
	struct sh_error bad;

	for (*lines = 0; (lf = memchr(p, '\n', (size_t)(end - p))) != NULL; p = lf + 1) {
		if (read_record(k, sh_slice(p, (size_t)(lf - p)), &id, &bad) < 0)
			break;
		if (add_id(k, id, err) < 0)
			return NULL;
		(*lines)++;
	}
	return p;
}

void sh_key_records_clear(struct sh_key_records *k)
{
	k->last.n = k->n = 0;
}

void sh_key_records_free(struct sh_key_records *k)
{
	for (size_t i = 0; i < 2 * NEAR; i++)
		sh_buf_free(&k->id[i]);
}
