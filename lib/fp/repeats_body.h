/* The steps of repeats.c for indexes of type INDEX, which holds a slot's number too. */

/* Indexes of the hashes that do not own their slot, and there the slot's owner. */
static size_t NAME(guests)(
    const uint64_t *hash, size_t n, unsigned bits, uint64_t key, INDEX *work, INDEX *guest)
{
	INDEX *owner = work, *slot = work + ((size_t)1 << bits);
	size_t guests = 0, i;

	for (i = n; i-- > 0;) {
		slot[i] = (INDEX)((hash[i] ^ key) * key >> (64 - bits));
		owner[slot[i]] = (INDEX)i;
	}
	for (i = 0; i < n; i++) {
		INDEX first = owner[slot[i]];

		guest[guests] = (INDEX)i;
		slot[guests] = first; /* never ahead of what is read */
		guests += first != i;
	}
	return guests;
}

/* Fill r->hash and r->count but for strays, which go to `stray`; their number. */
static size_t NAME(find)(
    struct sh_repeats *r, const uint64_t *hash, size_t n, unsigned bits, uint64_t *stray)
{
	INDEX *work = r->work, *slot = work + ((size_t)1 << bits), *guest = slot + n + 1;
	INDEX *repeated = guest + n + 1, *more = repeated + n + 1;
	size_t guests = NAME(guests)(hash, n, bits, r->strays.key, work, guest), strays = 0, i;

	for (i = 0; i < guests; i++)
		more[slot[i]] = 0;
	for (i = r->n = 0; i < guests; i++) {
		INDEX first = slot[i];
		uint64_t h = hash[guest[i]];
		bool same = hash[first] == h, fresh = more[first] == 0;

		stray[strays] = h;
		strays += !same;
		repeated[r->n] = first;
		r->n += same & fresh;
		more[first] = (INDEX)(more[first] + same);
	}
	for (i = 0; i < r->n; i++) {
		r->hash[i] = hash[repeated[i]];
		r->count[i] = more[repeated[i]] + 1u;
	}
	return strays;
}

#undef INDEX
#undef NAME
