/* SPDX-License-Identifier: MIT */
/* The two inner loops of simhash.c on vectors of BYTES bytes. A variant defines these names, then
 * includes this file:
 *
 *     NAME(f)    a name of its own for f
 *     TARGET     function attributes
 *     BYTES      size of a vector register of the processor: 16 or 32
 *
 * Counting: a vector holds LANES hashes. Each bit of each lane has a counter. The counters are
 * bit-sliced: plane i holds bit i of all counters, so one operation on a plane works on 64 * LANES
 * counters (Mula, Kurz, Lemire 2018). */
#define LANES    (BYTES / 8)  /* 64-bit lanes of a vector */
#define COUNTERS (BYTES / 4)  /* 32-bit lanes of a vector */
#define SPAN     (8 * LANES)  /* hashes that one call of NAME(add8) counts */
#define PIECE    (1 << 15)    /* hashes after which the lanes are added up */
#define PLANES   16           /* enough to count PIECE hashes in LANES lanes */
#define FOLDED   (PLANES + 2) /* planes after at most four lanes are added up */

typedef uint64_t NAME(words) __attribute__((vector_size(BYTES)));
typedef int32_t NAME(sums) __attribute__((vector_size(BYTES)));

#define WORDS NAME(words)
#define SUMS  NAME(sums)

/* A full adder for each bit: a + b + c = result + 2 * carry. The carry is c where a and b differ,
 * otherwise a. */
static TARGET inline WORDS NAME(add)(WORDS *carry, WORDS a, WORDS b, WORDS c)
{
	WORDS u = a ^ b;

	*carry = (u & c) | (~u & a);
	return u ^ c;
}

static TARGET inline WORDS NAME(load)(const uint64_t *h)
{
	WORDS v;

	memcpy(&v, h, sizeof v);
	return v;
}

/* Counts SPAN hashes, which are eight vectors. The population count of Harley and Seal adds the
 * vectors to planes 0 to 2. Its carry, of value 8, is added to the planes from 3 on. */
static TARGET inline void NAME(add8)(WORDS *p, unsigned planes, const uint64_t *h)
{
	WORDS s, two_a, two_b, two_c, two_d, four_a, four_b, carry, t;

	s = NAME(add)(&two_a, p[0], NAME(load)(h), NAME(load)(h + LANES));
	s = NAME(add)(&two_b, s, NAME(load)(h + 2 * LANES), NAME(load)(h + 3 * LANES));
	s = NAME(add)(&two_c, s, NAME(load)(h + 4 * LANES), NAME(load)(h + 5 * LANES));
	p[0] = NAME(add)(&two_d, s, NAME(load)(h + 6 * LANES), NAME(load)(h + 7 * LANES));
	s = NAME(add)(&four_a, p[1], two_a, two_b);
	p[1] = NAME(add)(&four_b, s, two_c, two_d);
	p[2] = NAME(add)(&carry, p[2], four_a, four_b);
	for (unsigned i = 3; i < planes; i++) {
		t = p[i] & carry;
		p[i] ^= carry;
		carry = t;
	}
}

/* Adds the upper half of the lanes to the lower half until one lane is left. Each step adds one
 * plane. Returns the number of planes. */
static TARGET inline unsigned NAME(fold)(const WORDS *p, unsigned planes, uint64_t *slices)
{
	uint64_t lane[FOLDED][LANES];

	memcpy(lane, p, planes * sizeof *p);
	for (unsigned half = LANES / 2; half; half /= 2, planes++)
		for (unsigned l = 0; l < half; l++) {
			uint64_t carry = 0;

			for (unsigned i = 0; i < planes; i++) {
				uint64_t a = lane[i][l], b = lane[i][l + half], u = a ^ b;

				lane[i][l] = u ^ carry;
				carry = (a & b) | (u & carry);
			}
			lane[planes][l] = carry;
		}
	for (unsigned i = 0; i < planes; i++)
		slices[i] = lane[i][0];
	return planes;
}

/* Adds the counters of n slices to the counters of `planes`. The results fit in `used` planes. */
static TARGET inline void NAME(add_slices)(
    uint64_t *planes, unsigned used, const uint64_t *slices, unsigned n)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < used; i++) {
		uint64_t a = planes[i], b = i < n ? slices[i] : 0, u = a ^ b;

		planes[i] = u ^ carry;
		carry = (a & b) | (u & carry);
	}
}

static TARGET void NAME(units)(
    uint64_t planes[SH_PLANES], uint64_t total, const uint64_t *h, size_t n)
{
	while (n) {
		size_t piece = n < PIECE ? n : PIECE, i;
		unsigned used = sh_planes_used((piece + LANES - 1) / LANES);
		WORDS p[PLANES];
		uint64_t last[SPAN] = { 0 }, slices[FOLDED];

		used = used < 3 ? 3 : used;
		memset(p, 0, used * sizeof *p);
		for (i = 0; i + SPAN <= piece; i += SPAN)
			NAME(add8)(p, used, h + i);
		if (i < piece) { /* pad with hashes of 0, which count nothing */
			memcpy(last, h + i, (piece - i) * sizeof *h);
			NAME(add8)(p, used, last);
		}
		used = NAME(fold)(p, used, slices);
		NAME(add_slices)(planes, sh_planes_used(total), slices, used);
		h += piece;
		n -= piece;
	}
}

/* Adds weights to 32 sums at a time, which stay in registers. */
static TARGET void NAME(weights)(int32_t sum[64], const uint64_t *h, const int64_t *w, size_t n)
{
	enum { VECTORS = 32 / COUNTERS };
	uint32_t single[32];
	SUMS s[VECTORS], bit[VECTORS];

	for (unsigned i = 0; i < 32; i++)
		single[i] = UINT32_C(1) << (31 - i);
	memcpy(bit, single, sizeof bit);
	for (unsigned shift = 32;; shift = 0, sum += 32) {
		memcpy(s, sum, sizeof s);
		for (size_t k = 0; k < n; k++) {
			SUMS hash = (SUMS){ 0 } + (int32_t)(h[k] >> shift);
			SUMS weight = (SUMS){ 0 } + (int32_t)w[k];

			for (unsigned i = 0; i < VECTORS; i++)
				s[i] += weight & ((hash & bit[i]) == bit[i]);
		}
		memcpy(sum, s, sizeof s);
		if (shift == 0)
			return;
	}
}

#undef NAME
#undef TARGET
#undef BYTES
#undef WORDS
#undef SUMS
#undef LANES
#undef COUNTERS
#undef SPAN
#undef PIECE
#undef PLANES
#undef FOLDED
