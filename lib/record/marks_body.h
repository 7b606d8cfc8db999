/* Finds marks: compares 64 bytes, then writes the positions of the bits. Each variant defines these names,
 * then includes this file:
 *
 *     NAME(f), TARGET     a name of its own; function attributes
 *     CTZ(x)              index of the lowest set bit; any value when x is 0
 *     uint64_t NAME(either)(const char *p, char a, char b)
 *                         returns a bit for each of 64 bytes that is one of two characters */

/* Writes the positions of a block's marks, eight at a time: the next block overwrites the elements beyond
 * the last mark. */
static TARGET inline size_t NAME(put)(uint32_t *to, uint64_t bits, size_t base)
{
	unsigned count = (unsigned)__builtin_popcountll(bits);

	for (unsigned k = 0; k < count; k += 8)
		for (unsigned j = 0; j < 8; j++, bits &= bits - 1)
			to[k + j] = (uint32_t)(base + CTZ(bits));
	return count;
}

static TARGET size_t NAME(find)(const char *p, size_t n, bool *words, uint32_t *at)
{
	uint64_t any = 0;
	size_t found = 0;

	for (size_t i = 0; i < n; i += 64) {
		uint64_t bits = NAME(either)(p + i, '\t', '\n');
		uint64_t more = *words ? NAME(either)(p + i, ' ', '\\') : 0;

		any |= more & first_bits(n - i);
		bits = (bits | more) & first_bits(n - i);
		found += NAME(put)(at + found, bits, i);
	}
	*words = any != 0;
	return found;
}

#undef NAME
#undef TARGET
#undef CTZ
