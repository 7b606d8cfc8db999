#include "weight/terms.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "base/wide.h"

enum { FIRST_BITS = 10, SHORT = 16 };

/* A feature. a and b are its bytes, padded with zeros, when it has at most SHORT bytes. Otherwise a
 * is its hash, and b is 0. */
struct sh_terms_entry {
	uint64_t a, b;
	size_t at;     /* offset in t->text */
	uint32_t n;    /* bytes */
	uint32_t next; /* 1 + index of the next entry of the same slot; 0: none */
};

static int make_table(struct sh_terms *t, unsigned bits, struct sh_error *err)
{
	free(t->slots);
	t->slots = calloc((size_t)1 << bits, sizeof *t->slots);
	if (!t->slots)
		return sh_error_nomem(err);
	t->bits = bits;
	t->base = 1;
	return 0;
}

int sh_terms_init(struct sh_terms *t, struct sh_error *err)
{
	*t = (struct sh_terms){ 0 };
	for (unsigned i = 0; i < SH_TERMS_KEYS; i += 2)
		if (sh_random_key(t->key + i, err) < 0)
			return -1;
	return make_table(t, FIRST_BITS, err);
}

void sh_terms_free(struct sh_terms *t)
{
	free(t->sum);
	free(t->entry);
	free(t->slots);
	free(t->text);
}

void sh_terms_clear(struct sh_terms *t)
{
	t->base += t->n;
	t->n = 0;
	t->used = 0;
	if (t->base > UINT32_MAX / 2) {
		memset(t->slots, 0, sizeof *t->slots << t->bits);
		t->base = 1;
	}
}

/* Multiplies two words under a secret key (NH of UMAC, Black et al. 1999), and
 * folds the product. */
static inline uint64_t product(uint64_t a, uint64_t b, const uint64_t key[2])
{
	return sh_wide_fold(a + key[0], b + key[1]);
}

static inline uint32_t *slot_of(const struct sh_terms *t, const struct sh_terms_entry *e)
{
	uint64_t h = product(e->a, e->b, t->key) + e->n * t->key[2];

	return &t->slots[h * (t->key[3] | 1) >> (64 - t->bits)];
}

/* Hashes a text of more than 16 bytes. The keys suffice for NH of at most 64 bytes;
 * SipHash hashes longer texts. */
static uint64_t hash_long(const struct sh_terms *t, const char *p, size_t n)
{
	const uint64_t *key = t->key + 4;
	uint64_t h = 0;
	size_t i;

	if (n > 64)
		return sh_siphash(key, p, n);
	for (i = 0; i + 16 < n; i += 16)
		h += product(sh_le64(p + i), sh_le64(p + i + 8), key + i / 8);
	return h + product(sh_le64(p + n - 16), sh_le64(p + n - 8), key + i / 8);
}

/* Returns the first n bytes of p as a little-endian word. */
static inline uint64_t low_bytes(const char *p, size_t n)
{
	return n >= 8 ? sh_le64(p) : sh_le64(p) & (((uint64_t)1 << 8 * n) - 1);
}

static inline bool same(
    const struct sh_terms *t, const struct sh_terms_entry *x, const struct sh_terms_entry *y)
{
	if ((x->a ^ y->a) | (x->b ^ y->b) | (x->n ^ y->n))
		return false;
	return x->n <= SHORT || memcmp(t->text + x->at, t->text + y->at, x->n) == 0;
}

/* Reserves memory for one more feature of `text` bytes. At most a quarter of the
 * slots is in use. */
static int grow(struct sh_terms *t, size_t text, struct sh_error *err)
{
	size_t want = (size_t)t->n + 2;

	if (t->n >= UINT32_MAX / 4)
		return sh_error_set(
		    err, SH_ERR_RANGE, "a document of more than 1073741823 different features");
	if (want > t->sum_cap &&
	    sh_grow((void **)&t->sum, &t->sum_cap, want, sizeof *t->sum, err) < 0)
		return -1;
	if (want > t->entry_cap &&
	    sh_grow((void **)&t->entry, &t->entry_cap, want, sizeof *t->entry, err) < 0)
		return -1;
	text += t->used + SH_TERMS_PADDING;
	if (text > t->text_cap && sh_grow((void **)&t->text, &t->text_cap, text, 1, err) < 0)
		return -1;
	if (4 * want <= (size_t)1 << t->bits)
		return 0;
	if (make_table(t, t->bits + 2, err) < 0)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t *slot = slot_of(t, &t->entry[i]);
		bool fresh = *slot == 0;

		t->entry[i].next = fresh ? 0 : *slot - t->base + 1;
		*slot = t->base + i;
	}
	return 0;
}

/* Returns the index of the entry equal to entry t->n, in the list after entry `at` of its slot.
 * Appends entry t->n when there is none. */
static uint32_t find_in_list(struct sh_terms *t, uint32_t at)
{
	while (t->entry[at].next) {
		at = t->entry[at].next - 1;
		if (same(t, &t->entry[at], &t->entry[t->n]))
			return at;
	}
	t->entry[at].next = t->n + 1;
	return t->n++;
}

int sh_terms_add(struct sh_terms *t, struct sh_slice text, int64_t weight, struct sh_error *err)
{
	uint32_t last = t->n, *slot, at;
	struct sh_terms_entry *e;
	bool fresh;

	if (text.n > UINT32_MAX / 2)
		return sh_error_set(err, SH_ERR_RANGE, "a feature of 2 GiB or more");
	if (((size_t)last + 2 > t->sum_cap || (size_t)last + 2 > t->entry_cap ||
		t->used + text.n + SH_TERMS_PADDING > t->text_cap ||
		4 * ((size_t)last + 2) > (size_t)1 << t->bits) &&
	    grow(t, text.n, err) < 0)
		return -1;
	/* Write the entry as if the feature were new. Otherwise the next feature
	 * overwrites the entry. */
	e = &t->entry[last];
	*e = (struct sh_terms_entry){ .at = t->used, .n = (uint32_t)text.n };
	t->sum[last] = 0;
	memcpy(t->text + t->used, text.p, SHORT);
	if (text.n <= SHORT) {
		e->a = low_bytes(text.p, text.n);
		e->b = text.n > 8 ? low_bytes(text.p + 8, text.n - 8) : 0;
	} else {
		memcpy(t->text + t->used, text.p, text.n);
		e->a = hash_long(t, text.p, text.n);
	}
	slot = slot_of(t, e);
	at = *slot - t->base;
	fresh = at >= last;
	at = fresh ? last : at;
	*slot = t->base + at;
	t->n = last + fresh;
	if (__builtin_expect(!fresh && !same(t, &t->entry[at], e), 0))
		at = find_in_list(t, at);
	t->sum[at] += weight;
	t->used += t->n > last ? text.n : 0;
	return 0;
}

struct sh_slice sh_terms_text(const struct sh_terms *t, uint32_t index)
{
	return sh_slice(t->text + t->entry[index].at, t->entry[index].n);
}
