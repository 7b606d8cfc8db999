#include "fp/memo.h"

#include <stdlib.h>

#include "fp/mix.h"

/* An entry fills 48 bytes, all of them 768 KiB: the second-level cache of most machines. */
enum { ENTRIES = 1 << 14, TEXT = 31, WORDS = 2 };

struct entry {
	uint64_t word[WORDS];
	uint8_t length_1; /* of the text and one more; 0: empty */
	char text[TEXT];
};

struct sh_memo {
	struct entry entry[ENTRIES];
};

struct sh_memo *sh_memo_new(struct sh_error *err)
{
	struct sh_memo *m = calloc(1, sizeof *m);

	if (!m)
		sh_error_nomem(err);
	return m;
}

void sh_memo_delete(struct sh_memo *m)
{
	free(m);
}

void sh_memo_feature(struct sh_memo *m, const struct sh_hash *hash, struct sh_slice text,
    uint64_t seed, unsigned bits, uint64_t *out)
{
	unsigned words = SH_FP_WORDS(bits);
	struct entry *e;

	if (!m || text.n > TEXT || words > WORDS) {
		sh_hash_feature(hash, text, seed, bits, out);
		return;
	}
	e = &m->entry[sh_mix_token(text, 0) >> 50];
	if (e->length_1 != text.n + 1 || memcmp(e->text, text.p, text.n) != 0) {
		sh_hash_feature(hash, text, seed, bits, e->word);
		e->length_1 = (uint8_t)(text.n + 1);
		memcpy(e->text, text.p, text.n);
	}
	memcpy(out, e->word, words * sizeof *out);
}
