/* SPDX-License-Identifier: MIT */
#include "match/keyrecord.h"

#include <string.h>

#include "record/fields.h"

enum {
	HEAD = 3,
	HASH = SH_KEYS_BITS / 5, /* digits */
	TAG_BITS = 4,
	TAG_ALL = 16, /* bits of the whole tag */
};

static void print_digits(char *to, uint64_t x, size_t n)
{
	for (; n; x >>= 5)
		to[--n] = "0123456789abcdefghijklmnopqrstuv"[x % 32];
}

static void print(char *to, char letter, unsigned head, uint64_t hash, bool meets_all)
{
	to[0] = (char)(letter + (int)(head >> 10));
	print_digits(to + 1, head, HEAD - 1);
	print_digits(to + HEAD, hash, HASH);
	to[HEAD + HASH] = meets_all ? '0' : '1';
}

void sh_key_record_print(char *to, const struct sh_doc_key *key, unsigned tag)
{
	unsigned bits = tag >> key->column * TAG_BITS % TAG_ALL & ((1U << TAG_BITS) - 1);

	print(to, 'w', (unsigned)key->column << TAG_BITS | bits, key->hash, key->meets_all);
}

void sh_key_record_print_band(char *to, unsigned band, uint64_t hash)
{
	print(to, 'y', band, hash, true);
}

/* Has no branch on the digits: digits and letters follow each other at random. */
static bool are_digits(const char *p, size_t n)
{
	unsigned good = 1;

	for (size_t i = 0; i < n; i++)
		good &= ((unsigned)(p[i] - '0') < 10) | ((unsigned)(p[i] - 'a') < 22);
	return good;
}

int sh_record_key(struct sh_slice line, struct sh_key_record *r, struct sh_error *err)
{
	enum { N = SH_KEY_CHARS };

	if (line.n > N + 1 && line.p[N] == '\t' && sh_is_like_key(line) &&
	    are_digits(line.p + 1, N - 2) && (line.p[N - 1] == '0' || line.p[N - 1] == '1') &&
	    !memchr(line.p + N + 1, '\t', line.n - N - 1)) {
		*r = (struct sh_key_record){ sh_slice(line.p, N),
			sh_slice(line.p + N + 1, line.n - N - 1), line.p[N - 1] == '0' };
		return sh_dos_check(line, err) < 0 ? -1 : sh_id_check(r->id, err);
	}
	return sh_error_set(err, SH_ERR_RECORD,
	    "not a key record: expected key<TAB>id, with a key of %d characters that begins with a "
	    "letter from w to z (shfp --keys)",
	    N);
}

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns the column of a document's key. */
static unsigned column_of(const char *key)
{
	unsigned head = (unsigned)(key[0] - 'w') << 10 | digit(key[1]) << 5 | digit(key[2]);

	return head >> TAG_BITS;
}

/* Compares the settings of two keys that follow each other. Fails when they have one column and
 * different bits of the tag, or when only one is of a signature. */
static int same_settings(const char *a, const char *b, struct sh_error *err)
{
	if (memcmp(a, b, HEAD) == 0)
		return 0;
	if ((a[0] >= 'y') != (b[0] >= 'y'))
		return sh_error_set(err, SH_ERR_PARAM,
		    "keys of documents and of signatures cannot be joined with each other");
	if (a[0] < 'y' && column_of(a) == column_of(b))
		return sh_error_set(err, SH_ERR_PARAM,
		    "the key was made with other settings than those before it (shfp --keys)");
	return 0;
}

/* ---- the join ---- */

/* Returns where the i-th member is that meets all. */
static size_t place_of(size_t i)
{
	return i < SH_BUCKET_MOST ? i : SH_BUCKET_MOST + i % SH_BUCKET_NEAREST;
}

static int meet(struct sh_key_join *j, const struct sh_key_record *r, unsigned side, size_t i,
    struct sh_error *err)
{
	struct sh_slice other = sh_buf_slice(&j->member[place_of(i)].id);
	bool same_side = j->member[place_of(i)].side == side;
	int order = sh_slice_cmp(other, r->id);

	if (j->two_sides ? same_side : order == 0)
		return 0;
	if (j->two_sides ? side : order < 0)
		return j->pair(j->arg, other, r->id, err);
	return j->pair(j->arg, r->id, other, err);
}

/* Begins another bucket when the key is of another one. */
static int next_key(struct sh_key_join *j, const char *key, struct sh_error *err)
{
	bool same = j->began && memcmp(key, j->last, SH_KEY_BUCKET_CHARS) == 0;

	if (j->began && same_settings(j->last, key, err) < 0)
		return -1;
	if (j->began && memcmp(key, j->last, SH_KEY_CHARS) < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the keys are not in bytewise order: sort them with LC_ALL=C sort -s -k1,1");
	if (!same) {
		j->n = 0;
		j->is_cut = false;
	}
	memcpy(j->last, key, SH_KEY_CHARS);
	j->began = true;
	return 0;
}

int sh_key_join_add(
    struct sh_key_join *j, const struct sh_key_record *r, unsigned side, struct sh_error *err)
{
	size_t meets;

	if (next_key(j, r->key.p, err) < 0)
		return -1;
	meets = sh_bucket_meets(j->n);
	for (size_t i = 0; i < meets; i++)
		if (meet(j, r, side, r->meets_all ? sh_bucket_place(j->n, i) : i, err) < 0)
			return -1;
	j->cut += meets < j->n && !j->is_cut;
	j->is_cut = j->is_cut || meets < j->n;
	if (r->meets_all) {
		struct sh_buf *id = &j->member[place_of(j->n)].id;

		j->member[place_of(j->n++)].side = side;
		id->n = 0;
		return sh_buf_add(id, r->id.p, r->id.n, err);
	}
	return 0;
}

void sh_key_join_free(struct sh_key_join *j)
{
	for (size_t i = 0; i < sizeof j->member / sizeof *j->member; i++)
		sh_buf_free(&j->member[i].id);
}
