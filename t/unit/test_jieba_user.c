/* SPDX-License-Identifier: MIT */
/* Compares words added to an open dictionary with a map of all keys. */
#include "base/hmap.h"
#include "jieba_util.h"
#include "rng.h"

enum { KEY_WORDS = 20000 };

/* The oracle: the expected value of each key of a dictionary. */
struct oracle {
	struct sh_hmap keys;
	int64_t freq[KEY_WORDS * 6];
	uint64_t total;
};

static void expect(struct oracle *o, struct sh_slice word, int64_t freq)
{
	struct sh_error err;
	uint32_t at;
	bool fresh;

	for (size_t n = 1; n <= word.n; n++) {
		if (n < word.n && ((unsigned char)word.p[n] & 0xC0) == 0x80)
			continue; /* not between characters */
		must(sh_hmap_put(&o->keys, sh_slice(word.p, n), &at, &fresh, &err) == 0);
		if (fresh)
			o->freq[at] = 0;
		if (n == word.n)
			o->freq[at] = freq;
	}
	o->total += (uint64_t)freq;
}

/* 1 to 5 characters; few different first ones, so that families grow large. */
static void random_word(struct sh_buf *b)
{
	struct sh_error err;

	b->n = 0;
	for (uint64_t n = 1 + rng_below(5), i = 0; i < n; i++) {
		uint32_t c = 0x4E00 + (uint32_t)rng_below(i == 0 ? 40 : i == 1 ? 2000 : 20);
		char bytes[3] = { (char)(0xE0 | c >> 12), (char)(0x80 | (c >> 6 & 63)),
			(char)(0x80 | (c & 63)) };
		static const char *const others[] = { "A", "+", "\xC3\xA9", "\xF0\xA0\xAE\xB7",
			"①" };
		const char *other = others[rng_below(5)];

		if (rng_below(12))
			must(sh_buf_add(b, bytes, 3, &err) == 0);
		else
			must(sh_buf_add(b, other, strlen(other), &err) == 0);
	}
}

static int holds_all(const struct sh_jieba *j, const struct oracle *o)
{
	int good = j->h.total == o->total;

	for (uint32_t i = 0; i < o->keys.n; i++)
		good &= sh_jieba_freq(j, sh_hmap_key(&o->keys, i)) == o->freq[i];
	return good;
}

/* Many words, so that families of children collide and move. */
static void test_user_words(const struct sh_buf *image)
{
	static struct oracle o;
	struct sh_buf word = { 0 }, saved = { 0 };
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open_image(sh_buf_slice(image), &err);
	const char *p = small_dict;
	int absent = 1;

	must(j && sh_hmap_init(&o.keys, &err) == 0);
	while (*p) {
		const char *space = strchr(p, ' ');

		expect(&o, sh_slice(p, (size_t)(space - p)), atoi(space));
		p = strchr(p, '\n') + 1;
	}
	for (int i = 0; i < KEY_WORDS; i++) {
		uint64_t freq = rng_below(4) ? rng_below(1000) : 0;

		random_word(&word);
		must(sh_jieba_add_word(j, sh_buf_slice(&word), freq, &err) == 0);
		expect(&o, sh_buf_slice(&word), (int64_t)freq);
		if (i % 5000 == 0)
			absent &= holds_all(j, &o);
	}
	ok(absent && holds_all(j, &o), "%d user words: all %u keys have the expected values",
	    KEY_WORDS, o.keys.n);
	for (int i = 0; i < KEY_WORDS; i++) {
		uint32_t at;

		random_word(&word);
		if (!sh_hmap_find(&o.keys, sh_buf_slice(&word), &at))
			absent &= sh_jieba_freq(j, sh_buf_slice(&word)) == -1;
	}
	ok(absent, "other words are not in the dictionary");
	must(sh_jieba_save(j, &saved, &err) == 0);
	sh_jieba_delete(j);
	must((j = sh_jieba_open_image(sh_buf_slice(&saved), &err)) != NULL);
	ok(sh_jieba_check(j, &err) == 0 && holds_all(j, &o),
	    "the saved dictionary has the same keys");
	sh_jieba_delete(j);
	sh_hmap_free(&o.keys);
	sh_buf_free(&word);
	sh_buf_free(&saved);
}

int main(void)
{
	struct sh_buf image = jieba_image(small_dict);

	if (image.n == 0) {
		puts("1..0 # SKIP jieba's data are not there (JIEBA_DATA)");
		return 0;
	}
	rng_init(6);
	test_user_words(&image);
	sh_buf_free(&image);
	return done_testing();
}
