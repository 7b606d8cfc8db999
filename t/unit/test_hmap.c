/* SPDX-License-Identifier: MIT */
#include "base/hmap.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "rng.h"
#include "tap.h"

/* SipHash-1-3 of 00 01 02 ... (n-1) under the key 00 01 ... 0f, as the authors and
 * other implementations publish it. */
static void test_siphash(void)
{
	static const struct {
		size_t n;
		uint64_t h;
	} rows[] = {
		{ 0, UINT64_C(0xabac0158050fc4dc) },
		{ 1, UINT64_C(0xc9f49bf37d57ca93) },
		{ 7, UINT64_C(0xd3927d989bb11140) },
		{ 8, UINT64_C(0x369095118d299a8e) },
		{ 9, UINT64_C(0x25a48eb36c063de4) },
		{ 15, UINT64_C(0xd320d86d2a519956) },
		{ 16, UINT64_C(0xcc4fdd1a7d908b66) },
		{ 63, UINT64_C(0x9d199062b7bbb3a8) },
	};
	const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
	unsigned char p[64];
	size_t i;

	for (i = 0; i < sizeof p; i++)
		p[i] = (unsigned char)i;
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		ok(sh_siphash(key, p, rows[i].n) == rows[i].h, "SipHash-1-3 of %zu bytes",
		    rows[i].n);
}

static void test_random_key(void)
{
	uint64_t a[2], b[2];
	struct sh_error err;

	ok(sh_random_key(a, &err) == 0 && sh_random_key(b, &err) == 0,
	    "the system gives random keys");
	ok(a[0] != b[0] && a[1] != b[1], "two random keys differ");
}

/* Makes keys of several kinds: empty, with NULs, long, and prefixes of each other. */
static size_t make_key(char *p, uint64_t i)
{
	if (i == 0)
		return 0;
	if (i % 1000 == 1) {
		memset(p, 'x', 5000);
		sh_put_le64(p + 4990, i);
		return 5000;
	}
	sh_put_le64(p, i);
	return i < 256 ? 1 : i < 65536 ? 2 + i % 5 : 4;
}

static void test_against_order(struct sh_hmap *m, uint32_t keys)
{
	static char p[5000];
	struct sh_error err;
	struct sh_slice s, k;
	uint32_t i, index, bad = 0;
	const char *first;
	bool fresh;

	for (i = 0; i < keys; i++) {
		s = sh_slice(p, make_key(p, i));
		bad += sh_hmap_find(m, s, &index);
		bad += sh_hmap_put(m, s, &index, &fresh, &err) < 0 || !fresh || index != i;
	}
	ok(!bad && m->n == keys, "%u new keys get the numbers 0, 1, 2, ...", keys);
	first = sh_hmap_key(m, 1).p;
	for (i = keys; i-- > 0;) {
		s = sh_slice(p, make_key(p, i));
		bad += !sh_hmap_find(m, s, &index) || index != i;
		bad += sh_hmap_put(m, s, &index, &fresh, &err) < 0 || fresh || index != i;
		k = sh_hmap_key(m, i);
		bad += !sh_slice_eq(k, s) || k.p == s.p;
	}
	ok(!bad && m->n == keys, "these keys are found in any order, as copies");
	ok(sh_hmap_key(m, 1).p == first, "the copies of these keys do not move");
	memset(p, 'y', 77);
	ok(!sh_hmap_find(m, sh_slice(p, 77), &index), "keys that were not added are not found");
}

static void test_clear(struct sh_hmap *m)
{
	struct sh_error err;
	uint32_t index = 9;
	size_t before = sh_hmap_bytes(m);

	ok(before > 300000 * 8, "the map reports %zu bytes of memory", before);
	sh_hmap_clear(m);
	ok(m->n == 0 && sh_hmap_bytes(m) < 200000, "a large map frees its memory when emptied: %zu",
	    sh_hmap_bytes(m));
	ok(!sh_hmap_find(m, sh_slice_str("a"), &index), "an emptied map has no keys");
	ok(sh_hmap_put(m, sh_slice_str("a"), &index, NULL, &err) == 0 && index == 0,
	    "an emptied map numbers keys from 0");
	sh_hmap_clear(m);
	ok(!sh_hmap_find(m, sh_slice_str("a"), &index) && sh_hmap_bytes(m) > 0,
	    "a small map keeps its memory when emptied");
}

static void test_arena(void)
{
	struct sh_arena a = { 0 };
	struct sh_error err;
	char *p[300];
	size_t i, j, n, bad = 0;

	for (i = 0; i < 300; i++) {
		n = i % 50 == 49 ? (2u << 20) + i : i * 10;
		p[i] = sh_arena_room(&a, n, &err);
		if (!p[i])
			break;
		memset(p[i], (int)i, n);
	}
	for (j = 0; j < i; j++) {
		n = j % 50 == 49 ? (2u << 20) + j : j * 10;
		while (n-- > 0)
			bad += p[j][n] != (char)j;
	}
	ok(i == 300 && !bad, "strings of 0 to 2 MiB in an arena stay unchanged");
	ok(!sh_arena_room(&a, SIZE_MAX - 10, &err) && err.code == SH_ERR_NOMEM,
	    "an impossible length is refused");
	sh_arena_free(&a);
	ok(a.bytes == 0 && !a.slabs, "a freed arena is an empty arena");
}

/* The first slab has the size of the first string. Therefore the doubled sizes are no powers of
 * two. */
static void test_arena_bytes(void)
{
	enum { STRINGS = 2000, LENGTH = 5000 };
	struct sh_arena a = { 0 };
	struct sh_error err;

	for (size_t i = 0; i < STRINGS; i++)
		if (!sh_arena_room(&a, LENGTH, &err))
			break;
	ok(a.bytes >= STRINGS * LENGTH && a.bytes < STRINGS * LENGTH + (2u << 20),
	    "an arena allocates %zu bytes for %d", a.bytes, STRINGS * LENGTH);
	sh_arena_free(&a);
}

int main(void)
{
	struct sh_hmap m;
	struct sh_error err;

	rng_init(1);
	test_siphash();
	test_random_key();
	ok(sh_hmap_init(&m, &err) == 0, "init");
	test_against_order(&m, 300000);
	test_clear(&m);
	test_against_order(&m, 100);
	sh_hmap_clear(&m);
	test_against_order(&m, 3000);
	sh_hmap_free(&m);
	test_arena();
	test_arena_bytes();
	return done_testing();
}
