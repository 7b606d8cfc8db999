#include "hash/keyed.h"

#include <string.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "hash/mix.h"

/* Returns the next key: SipHash of the numbers 0, 1, ... */
static uint64_t next_key(const struct sh_keyed *k, uint64_t *number)
{
	char bytes[sizeof *number];

	sh_put_le64(bytes, (*number)++);
	return sh_siphash(k->key, bytes, sizeof bytes);
}

static void make_sum(struct sh_keyed *k, struct sh_keyed_sum *s, uint64_t *number)
{
	for (unsigned i = 0; i < SH_KEYED_PARTS; i++)
		s->text[i] = next_key(k, number);
	s->text_first = next_key(k, number);
	for (unsigned i = 0; i < 2 * SH_KEYED_ROW_MAX; i++)
		s->row[i] = next_key(k, number);
	for (unsigned i = 0; i <= SH_KEYED_ROW_MAX; i++)
		s->row_first[i] = next_key(k, number);
}

void sh_keyed_init(struct sh_keyed *k, const uint64_t key[2])
{
	uint64_t number = 0;

	memcpy(k->key, key, sizeof k->key);
	for (unsigned i = 0; i < SH_KEYED_WORDS + 2; i++) {
		k->wide[i].low = next_key(k, &number);
		k->wide[i].high = next_key(k, &number);
	}
	make_sum(k, &k->sum[0], &number);
	make_sum(k, &k->sum[1], &number);
}

uint64_t sh_keyed_text(const struct sh_keyed *k, struct sh_slice s)
{
	const struct sh_wide *w = k->wide;
	struct sh_wide sum =
	    sh_wide_add(sh_wide_scale(w[SH_KEYED_WORDS], s.n), w[SH_KEYED_WORDS + 1]);
	size_t i = 0;

	if (s.n > SH_KEYED_WORDS * 8)
		return sh_siphash(k->key, s.p, s.n);
	for (; 8 * i + 8 <= s.n; i++)
		sum = sh_wide_add(sum, sh_wide_scale(w[i], sh_le64(s.p + 8 * i)));
	if (s.n % 8)
		sum = sh_wide_add(sum,
		    sh_wide_scale(w[i], sh_le64(s.p + 8 * i) & (UINT64_MAX >> (64 - s.n % 8 * 8))));
	return sum.high;
}

static void texts(const struct sh_keyed *k, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n, uint64_t *restrict h)
{
	for (size_t i = 0; i < n; i++) {
		size_t bytes = end[i] - start[i];
		uint64_t a, b;

		if (bytes > SH_KEYED_SHORT) {
			h[i] = sh_keyed_text(k, sh_slice(text + start[i], bytes));
			continue;
		}
		sh_mix_words(text + start[i], bytes, &a, &b);
		h[i] = sh_keyed_short(k, a, b, bytes);
	}
}

static void rows(const struct sh_keyed *k, const uint64_t *restrict h, size_t hashes, unsigned n,
    uint64_t *restrict out)
{
	for (size_t i = 0; i + n <= hashes; i++)
		out[i] = sh_keyed_row(k, h + i, n);
}

const struct sh_keyed_kernel sh_keyed_plain = { { "plain", SH_NEEDS_NOTHING }, texts, rows };

static const struct sh_variant *const variants[] = {
#if defined(__x86_64__)
	&sh_keyed_avx512.variant,
#endif
	&sh_keyed_plain.variant,
};

const struct sh_keyed_kernel *sh_keyed_kernel_at(unsigned i)
{
	return (const struct sh_keyed_kernel *)sh_variant_at(
	    variants, sizeof variants / sizeof *variants, i);
}
