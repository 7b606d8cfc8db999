/* SPDX-License-Identifier: MIT */
/* Finds marks: compares 64 bytes, then writes the offsets of the marks. Each variant defines these
 * names, then includes this file:
 *
 *     NAME(f)             the variant's name of a function
 *     TARGET              function attributes
 *     CTZ(x)              index of the lowest bit set; any value when x is 0
 *     uint64_t NAME(either)(const char *p, char a, char b)
 *                         returns a bit for each of 64 bytes: the byte is a or b
 *     uint64_t first_bits(size_t n)
 *                         returns a mask of the lowest n bits */

/* Writes the offsets of a block's marks, eight at a time. The next block overwrites the elements
 * beyond the last mark. */
static TARGET inline size_t NAME(put)(uint32_t *to, uint64_t bits, size_t base)
{
	unsigned count = (unsigned)__builtin_popcountll(bits);

	for (unsigned k = 0; k < count; k += 8)
		for (unsigned j = 0; j < 8; j++, bits &= bits - 1)
			to[k + j] = (uint32_t)(base + CTZ(bits));
	return count;
}

static TARGET size_t NAME(find)(const char *p, size_t n, bool *blanks, uint32_t *mark)
{
	uint64_t any = 0;
	size_t found = 0;

	for (size_t i = 0; i < n; i += 64) {
		uint64_t bits = NAME(either)(p + i, '\t', '\n');
		uint64_t more = *blanks ? NAME(either)(p + i, ' ', '\\') : 0;

		any |= more & first_bits(n - i);
		bits = (bits | more) & first_bits(n - i);
		found += NAME(put)(mark + found, bits, i);
	}
	*blanks = any != 0;
	return found;
}

#undef NAME
#undef TARGET
#undef CTZ
