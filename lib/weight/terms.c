#include "weight/terms.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "base/wide.h"

enum { FIRST_BITS = 10, SHORT = 16 };

/* The mask of the first n bytes, n <= SHORT, begins at masks + SHORT - n. */
static const unsigned char masks[2 * SHORT] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static int make_table(struct sh_terms *t, unsigned bits, struct sh_error *err)
{
	free(t->slots);
	t->slots = calloc((size_t)1 << bits, sizeof *t->slots);
	if (!t->slots)
		return sh_error_nomem(err);
	t->shift = 64 - bits;
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
		memset(t->slots, 0, sizeof *t->slots << (64 - t->shift));
		t->base = 1;
	}
}

/* Multiplies two words under a secret key (NH of UMAC, Black et al. 1999), and
 * folds the product. */
static inline uint64_t product(uint64_t a, uint64_t b, const uint64_t key[2])
{
	return sh_wide_fold(a + key[0], b + key[1]);
}

static inline size_t slot_of(const struct sh_terms *t, uint64_t a, uint64_t b)
{
	return product(a, b, t->key) >> t->shift;
}

/* Hashes a text of more than 16 bytes. The keys suffice for NH of at most 64 bytes;
 * SipHash hashes longer texts. */
static uint64_t hash_long(const struct sh_terms *t, const char *p, size_t n)
{
	const uint64_t *key = t->key + 2;
	uint64_t h = n;
	size_t i;

	if (n > 64)
		return sh_siphash(key, p, n);
	for (i = 0; i + 16 < n; i += 16)
		h += product(sh_le64(p + i), sh_le64(p + i + 8), key + i / 8);
	return h + product(sh_le64(p + n - 16), sh_le64(p + n - 8), key + i / 8);
}

static inline size_t next_slot(const struct sh_terms *t, size_t slot)
{
	return (slot + 1) & (UINT64_MAX >> t->shift);
}

/* Doubles the slots twice. */
static int spread(struct sh_terms *t, struct sh_error *err)
{
	if (make_table(t, 64 - t->shift + 2, err) < 0)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		size_t slot = slot_of(t, t->entry[i].a, t->entry[i].b);

		while (t->slots[slot])
			slot = next_slot(t, slot);
		t->slots[slot] = t->base + i;
	}
	return 0;
}

/* Makes room for one more feature of `text` bytes. At most a quarter of the slots is in use. */
static int grow(struct sh_terms *t, size_t text, struct sh_error *err)
{
	size_t want = (size_t)t->n + 1, quarter;

	if (want >= UINT32_MAX / 4)
		return sh_error_set(
		    err, SH_ERR_RANGE, "a document of more than 1073741823 different features");
	text += t->used + SH_TERMS_PADDING;
	if (SH_RESERVE(t->entry, t->entry_cap, want, err) < 0 ||
	    SH_RESERVE(t->text, t->text_cap, text, err) < 0)
		return -1;
	if (want > (size_t)1 << (62 - t->shift) && spread(t, err) < 0)
		return -1;
	quarter = (size_t)1 << (62 - t->shift);
	t->room = (uint32_t)(quarter < t->entry_cap ? quarter : t->entry_cap);
	return 0;
}

/* Returns whether e is the feature `text`, whose words are a and b. */
static inline bool holds(const struct sh_terms *t, const struct sh_terms_entry *e,
    struct sh_slice text, uint64_t a, uint64_t b)
{
	if ((e->a ^ a) | (e->b ^ b) | (e->n ^ text.n))
		return false;
	return text.n <= SHORT || memcmp(t->text + e->at, text.p, text.n) == 0;
}

int sh_terms_add(struct sh_terms *t, struct sh_slice text, int64_t weight, struct sh_error *err)
{
	const unsigned char *mask = masks + SHORT - (text.n < SHORT ? text.n : SHORT);
	uint64_t a = sh_le64(text.p) & sh_le64(mask), b = sh_le64(text.p + 8) & sh_le64(mask + 8);
	uint32_t at;
	size_t slot;

	if ((t->n >= t->room || text.n + SH_TERMS_PADDING > t->text_cap - t->used) &&
	    grow(t, text.n, err) < 0)
		return -1;
	if (text.n > SHORT) {
		a = hash_long(t, text.p, text.n);
		b = 0;
	}
	slot = slot_of(t, a, b);
	while ((at = t->slots[slot] - t->base) < t->n) {
		if (holds(t, &t->entry[at], text, a, b)) {
			t->entry[at].sum += weight;
			return 0;
		}
		slot = next_slot(t, slot);
	}
	memcpy(t->text + t->used, text.p, SHORT);
	if (text.n > SHORT)
		memcpy(t->text + t->used, text.p, text.n);
	t->entry[t->n] = (struct sh_terms_entry){
		.sum = weight, .a = a, .b = b, .at = t->used, .n = (uint32_t)text.n
	};
	t->slots[slot] = t->base + t->n++;
	t->used += text.n;
	return 0;
}
