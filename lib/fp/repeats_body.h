/* The steps of repeats.c for indexes of type INDEX, which holds a slot's number too. */

/* Indexes of the hashes that do not own their slot, and the slots' owners. */
static size_t NAME(guests)(const uint64_t *restrict hash, size_t n, unsigned bits, uint64_t key,
    INDEX *restrict owner, INDEX *restrict slot, INDEX *restrict guest, INDEX *restrict host)
{
	size_t guests = 0, i;

	for (i = 0; i < n; i++)
		slot[i] = (INDEX)((hash[i] ^ key) * key >> (64 - bits));
#pragma GCC unroll 4
	for (i = n; i-- > 0;)
		owner[slot[i]] = (INDEX)i;
#pragma GCC unroll 4
	for (i = 0; i < n; i++) {
		INDEX first = owner[slot[i]];

		guest[guests] = (INDEX)i;
		host[guests] = first;
		guests += first != i;
	}
	return guests;
}

/* Fill r->hash and r->count but for strays, which go to `stray`; their number. */
static size_t NAME(find)(struct sh_repeats *r, const uint64_t *restrict hash, size_t n,
    unsigned bits, uint64_t *restrict stray)
{
	INDEX *owner = r->work, *slot = owner + ((size_t)1 << bits), *guest = slot + n + 1;
	INDEX *host = guest + n + 1, *restrict more = slot, *restrict repeated = owner;
	size_t strays = 0, repeats = 0, i;
	size_t guests = NAME(guests)(hash, n, bits, r->strays.key, owner, slot, guest, host);

	/* The table and the slots have served: their room is used again. */
	for (i = 0; i < guests; i++)
		more[host[i]] = 0;
	for (i = 0; i < guests; i++) {
		INDEX first = host[i], before = more[first];
		uint64_t h = hash[guest[i]];
		bool same = hash[first] == h;

		stray[strays] = h;
		strays += !same;
		repeated[repeats] = first;
		repeats += same & (before == 0);
		more[first] = (INDEX)(before + same);
	}
	for (i = 0; i < repeats; i++) {
		r->hash[i] = hash[repeated[i]];
		r->count[i] = more[repeated[i]] + 1u;
	}
	r->n = repeats;
	return strays;
}

#undef INDEX
#undef NAME
