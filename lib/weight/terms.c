/* SPDX-License-Identifier: MIT */
#include "weight/terms.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/siphash.h"
#include "base/wide.h"

enum {
	FIRST_BITS = 10,
	SHORT = SH_TERMS_SHORT,
};

/* The mask of the first n bytes, n <= SHORT, begins at masks + SHORT - n. */
static const unsigned char masks[2 * SHORT] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static int make_table(struct sh_terms *t, unsigned bits, struct sh_error *err)
{
	uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);

	if (!slots)
		return sh_error_nomem(err);
	free(t->slots);
	t->slots = slots;
	t->shift = 64 - bits;
	t->base = 1;
	return 0;
}

int sh_terms_init(struct sh_terms *t, struct sh_error *err)
{
	uint64_t key[2];

	*t = (struct sh_terms){ 0 };
	if (sh_random_key(key, err) < 0)
		return -1;
	sh_keyed_init(&t->keyed, key);
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

static inline size_t next_slot(const struct sh_terms *t, size_t slot)
{
	return (slot + 1) & (UINT64_MAX >> t->shift);
}

/* Hashes the words of a short text (NH of UMAC, Black et al. 1999), and folds the products. */
static inline size_t slot_of(const struct sh_terms *t, const uint64_t w[4])
{
	const struct sh_wide *key = t->keyed.wide;

	return (sh_wide_fold(w[0] + key[0].low, w[1] + key[1].low) +
		   sh_wide_fold(w[2] + key[2].low, w[3] + key[3].low)) >>
	       t->shift;
}

/* Doubles the slots twice. */
static int spread(struct sh_terms *t, struct sh_error *err)
{
	if (make_table(t, 64 - t->shift + 2, err) < 0)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct sh_terms_entry *e = &t->entry[i];
		size_t slot = e->n > SHORT ? e->w[0] >> t->shift : slot_of(t, e->w);

		while (t->slots[slot])
			slot = next_slot(t, slot);
		t->slots[slot] = t->base + i;
	}
	return 0;
}

/* Makes room for `more` features, whose texts have `bytes` bytes. At most a quarter of the slots is
 * in use. */
static int reserve(struct sh_terms *t, size_t more, size_t bytes, struct sh_error *err)
{
	size_t want = t->n + more;

	if (want >= UINT32_MAX / 4)
		return sh_error_set(
		    err, SH_ERR_RANGE, "a document of more than 1073741823 different features");
	if (SH_RESERVE(t->entry, t->entry_cap, want, err) < 0 ||
	    SH_RESERVE(t->text, t->text_cap, t->used + bytes, err) < 0)
		return -1;
	while (want > (size_t)1 << (62 - t->shift))
		if (spread(t, err) < 0)
			return -1;
	return 0;
}

/* Adds a text of more than SHORT bytes. There must be room. */
static void add_long(struct sh_terms *t, struct sh_slice text, int64_t weight)
{
	uint64_t hash = sh_keyed_text(&t->keyed, text);
	size_t slot = hash >> t->shift;
	struct sh_terms_entry *e;
	uint32_t at;

	for (; (at = t->slots[slot] - t->base) < t->n; slot = next_slot(t, slot)) {
		e = &t->entry[at];
		if (e->n == text.n && e->w[0] == hash &&
		    memcmp(t->text + e->w[1], text.p, text.n) == 0) {
			e->sum += weight;
			return;
		}
	}
	t->entry[t->n] = (struct sh_terms_entry){ { hash, t->used }, (uint32_t)text.n, weight };
	t->slots[slot] = t->base + t->n++;
	memcpy(t->text + t->used, text.p, text.n);
	t->used += text.n;
}

/* Returns eight bytes in the order of this machine, so that an entry has the bytes of its text. */
static inline uint64_t word_at(const void *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
	return x;
}

static inline bool holds(const struct sh_terms_entry *e, const uint64_t w[4], size_t n)
{
	return ((e->w[0] ^ w[0]) | (e->w[1] ^ w[1]) | (e->w[2] ^ w[2]) | (e->w[3] ^ w[3]) |
		   (e->n ^ n)) == 0;
}

/* Adds a text of at most SHORT bytes to the first n features, and returns their new number. There
 * must be room. First writes the text to entry n: a new feature is then found there, and no branch
 * depends on whether the feature is new. Such a branch would often be mispredicted. */
static inline uint32_t add_short(
    const struct sh_terms *t, uint32_t n, struct sh_slice text, int64_t weight)
{
	const unsigned char *mask = masks + SHORT - text.n;
	struct sh_terms_entry *e = &t->entry[n];
	uint64_t w[4];
	uint32_t at;
	size_t slot;

	for (unsigned i = 0; i < 4; i++)
		e->w[i] = w[i] = word_at(text.p + 8 * i) & word_at(mask + 8 * i);
	e->n = (uint32_t)text.n;
	e->sum = 0;
	for (slot = slot_of(t, w);; slot = next_slot(t, slot)) {
		at = t->slots[slot] - t->base;
		at = at < n ? at : n;
		e = &t->entry[at];
		if (holds(e, w, text.n))
			break;
	}
	e->sum += weight;
	t->slots[slot] = t->base + at;
	return n + (at == n);
}

int sh_terms_add(struct sh_terms *t, const struct sh_slice *text, const int64_t *weight, size_t n,
    struct sh_error *err)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += text[i].n;
	if (reserve(t, n, bytes, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (text[i].n > SHORT)
			add_long(t, text[i], weight[i]);
		else
			t->n = add_short(t, t->n, text[i], weight[i]);
	return 0;
}
