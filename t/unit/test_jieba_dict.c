/* SPDX-License-Identifier: MIT */
/* Properties of the segmenter over any bytes. Damaged dictionary files must be refused or harmless.
 * Run it with sanitizers: `make check SAN=1`. */
#include <fcntl.h>
#include <unistd.h>

#include "jieba_util.h"
#include "rng.h"
#include "scratch.h"

static const enum sh_jieba_mode modes[] = { SH_JIEBA_CUT, SH_JIEBA_CUT_NOHMM, SH_JIEBA_CUT_ALL,
	SH_JIEBA_SEARCH, SH_JIEBA_SEARCH_NOHMM, SH_JIEBA_FINALSEG };

enum { MODES = sizeof modes / sizeof *modes };

/* A text of words, lone characters, ASCII, punctuation, blanks and bad bytes. */
static void random_chinese(struct sh_buf *b, size_t pieces)
{
	static const char *const some[] = { "中国人", "大学生活", "的", "AT&T", "c++", "T恤",
		"\r\n", " ", "　", "，", "abc", "3.14%", ".", "\xE4\xB8", "\xFF",
		"\xF0\x9F\x98\x80", "é", "\xED\xA0\x80", "\n", "人", "-_+#" };
	struct sh_error err;

	b->n = 0;
	while (pieces-- > 0) {
		const char *s = some[rng_below(sizeof some / sizeof *some)];
		uint32_t han = 0x4E00 + (uint32_t)rng_below(0x9FD6 - 0x4E00);
		char bytes[4] = { (char)(0xE0 | han >> 12), (char)(0x80 | (han >> 6 & 63)),
			(char)(0x80 | (han & 63)), (char)rng() };
		uint64_t kind = rng_below(8);

		if (kind < 4)
			must(sh_buf_add(b, s, strlen(s), &err) == 0);
		else if (kind < 7)
			must(sh_buf_add(b, bytes, 3, &err) == 0);
		else
			must(sh_buf_add(b, bytes + 3, 1, &err) == 0);
	}
}

/* Returns a copy of exactly the text's size, so that a read behind it is found. */
static struct sh_slice exact(const struct sh_buf *b)
{
	char *copy = malloc(b->n ? b->n : 1);

	must(copy != NULL);
	if (b->n)
		memcpy(copy, b->p, b->n);
	return sh_slice(copy, b->n);
}

/* Returns whether the words contain each byte once, in order. */
static int is_partition(const struct sh_slice *words, size_t n, struct sh_slice text)
{
	const char *p = text.p;

	for (size_t i = 0; i < n; i++) {
		if (words[i].p != p || words[i].n == 0)
			return 0;
		p += words[i].n;
	}
	return p == text.p + text.n;
}

static int is_within(const struct sh_slice *words, size_t n, struct sh_slice text)
{
	for (size_t i = 0; i < n; i++)
		if (words[i].p < text.p || words[i].p + words[i].n > text.p + text.n)
			return 0;
	return 1;
}

/* Returns whether batches give the same words as the whole text. */
static int same_in_batches(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text,
    const struct sh_slice *want, size_t n_want)
{
	const struct sh_slice *words;
	struct sh_error err;
	size_t n, at = 0;

	sh_segment_begin(s, mode, text);
	do {
		must(sh_segment_next(s, &words, &n, &err) == 0);
		if (n > n_want - at || (n && !same_words(words, n, want + at, n)))
			return 0;
		at += n;
	} while (n);
	return at == n_want;
}

static void check_text(
    struct sh_segmenter *a, struct sh_segmenter *b, struct sh_slice text, int *good)
{
	for (size_t m = 0; m < MODES; m++) {
		const struct sh_slice *words;
		struct sh_error err;
		size_t n;

		must(sh_segment(a, modes[m], text, &words, &n, &err) == 0);
		good[0] &= is_within(words, n, text);
		if (modes[m] <= SH_JIEBA_CUT_NOHMM || modes[m] == SH_JIEBA_FINALSEG)
			good[1] &= is_partition(words, n, text);
		good[2] &= same_in_batches(b, modes[m], text, words, n);
	}
}

static void test_any_bytes(const struct sh_jieba *j)
{
	struct sh_error err;
	struct sh_segmenter *a = sh_segmenter_new(j, &err), *b = sh_segmenter_new(j, &err);
	struct sh_buf text = { 0 };
	int good[3] = { 1, 1, 1 };

	must(a && b);
	for (int i = 0; i < 400; i++) {
		struct sh_slice copy;

		random_chinese(&text, i < 300 ? rng_below(30) : rng_below(9000));
		copy = exact(&text);
		check_text(a, b, copy, good);
		free((void *)(uintptr_t)copy.p);
	}
	ok(good[0], "all words of any bytes lie within the text");
	ok(good[1], "cut, cut_nohmm and finalseg give every byte once");
	ok(good[2], "batches give the same words as the whole");
	sh_segmenter_delete(a);
	sh_segmenter_delete(b);
	sh_buf_free(&text);
}

/* Each end of a block ends all dependencies. */
static void test_blocks_are_independent(const struct sh_jieba *j)
{
	struct sh_error err;
	struct sh_segmenter *a = sh_segmenter_new(j, &err), *b = sh_segmenter_new(j, &err);
	struct sh_buf one = { 0 }, two = { 0 };
	int good = 1;

	must(a && b);
	for (int i = 0; i < 200; i++) {
		const struct sh_slice *words, *both;
		size_t n, n_both, cut;
		enum sh_jieba_mode mode = modes[rng_below(2)];

		random_chinese(&one, 1 + rng_below(600));
		must(sh_buf_add(&one, "，", 3, &err) == 0);
		cut = one.n;
		random_chinese(&two, 1 + rng_below(600));
		must(sh_buf_add(&one, two.p, two.n, &err) == 0);
		must(sh_segment(a, mode, sh_buf_slice(&one), &both, &n_both, &err) == 0);
		must(sh_segment(b, mode, sh_slice(one.p, cut), &words, &n, &err) == 0);
		good &= n <= n_both && same_words(words, n, both, n);
		both += n;
		n_both -= n;
		must(sh_segment(b, mode, sh_buf_slice(&two), &words, &n, &err) == 0);
		good &= same_words(words, n, both, n_both);
	}
	ok(good, "two texts with a comma between give the words of each text");
	sh_segmenter_delete(a);
	sh_segmenter_delete(b);
	sh_buf_free(&one);
	sh_buf_free(&two);
}

/* 10^6 characters without a break, with words, without any, and one that is the same. */
static void test_long_blocks(const struct sh_jieba *j)
{
	enum { CHARS = 1000000 };
	static const char *const units[] = { "中国人大学生活", "龥", "a" };
	struct sh_error err;
	struct sh_segmenter *s = sh_segmenter_new(j, &err);

	must(s != NULL);
	for (size_t u = 0; u < 3; u++) {
		struct sh_buf text = { 0 };
		int good = 1;

		for (size_t i = 0; i < CHARS / 7; i++)
			must(sh_buf_add(&text, units[u], strlen(units[u]), &err) == 0);
		for (size_t m = 0; m < 2; m++) {
			const struct sh_slice *words;
			size_t n;

			must(sh_segment(s, modes[m], sh_buf_slice(&text), &words, &n, &err) == 0);
			good &= is_partition(words, n, sh_buf_slice(&text));
			good &= u != 2 || n == 1;
			good &= u != 0 || n == 2 * (CHARS / 7);
		}
		ok(good, "%zu bytes of \"%s\" without a break", text.n, units[u]);
		sh_buf_free(&text);
	}
	sh_segmenter_delete(s);
}

/* ---- damage ---- */

/* Uses every part of a dictionary that may be damaged. */
static void use(struct sh_slice image)
{
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open_image(image, &err);
	struct sh_segmenter *s;
	struct sh_buf text = { 0 };
	const struct sh_slice *words;
	size_t n;

	if (!j)
		return;
	must((s = sh_segmenter_new(j, &err)) != NULL);
	for (int round = 0; round < 2; round++) {
		for (size_t m = 0; m < MODES; m++) {
			struct sh_slice copy;

			random_chinese(&text, 200);
			copy = exact(&text);
			if (sh_segment(s, modes[m], copy, &words, &n, &err) == 0)
				must(is_within(words, n, copy) || modes[m] == SH_JIEBA_CUT_ALL);
			free((void *)(uintptr_t)copy.p);
		}
		sh_jieba_freq(j, sh_slice_str("中国人"));
		sh_jieba_add_user(j, sh_slice_str("中国人民\n大学校\n龥龥 5\n生活中 0\n①②"), &err);
	}
	sh_segmenter_delete(s);
	sh_jieba_delete(j);
	sh_buf_free(&text);
}

static int opens(struct sh_slice image)
{
	struct sh_error err;
	struct sh_jieba *j = sh_jieba_open_image(image, &err);

	sh_jieba_delete(j);
	return j != NULL;
}

static void test_header_bytes(const struct sh_buf *image)
{
	int refused = 0;

	for (size_t i = 0; i < sizeof(struct sh_jieba_header); i++) {
		char was = image->p[i];

		image->p[i] ^= (char)(1 << rng_below(8));
		refused += !opens(sh_buf_slice(image));
		image->p[i] = (char)~was;
		refused += !opens(sh_buf_slice(image));
		image->p[i] = was;
	}
	ok(refused == 2 * (int)sizeof(struct sh_jieba_header),
	    "every changed byte of the header is found");
	ok(opens(sh_buf_slice(image)), "an unchanged image opens");
}

static void test_truncation(const struct sh_buf *image)
{
	int refused = 0, tries = 0;

	for (size_t n = 0; n < image->n; n += 1 + rng_below(n < 400 ? 3 : 40000), tries++) {
		struct sh_buf part = { image->p, n, 0 };
		struct sh_slice copy = exact(&part);

		refused += !opens(copy);
		free((void *)(uintptr_t)copy.p);
	}
	ok(refused == tries, "%d truncated images are refused", tries);
}

/* Overwrite `bytes` bytes of [from, to). */
static void scribble(char *p, uint64_t from, uint64_t to, uint64_t bytes)
{
	while (bytes-- > 0)
		p[from + rng_below(to - from)] = (char)rng();
}

/* Wrong tables under a correct header: opening does not check the checksum of the tables. */
static void test_wrong_tables(const struct sh_buf *image, int rounds)
{
	const struct sh_jieba_header *h = (const void *)image->p;
	struct sh_jieba_layout l = sh_jieba_layout(h->n_nodes);
	uint64_t dense = l.node + SH_CODE_END * sizeof(struct sh_jieba_node);
	struct sh_buf bad = { 0 };
	struct sh_error err;
	int opened = 0, seen = 0;

	for (int i = 0; i < rounds; i++) {
		struct sh_jieba *j;

		bad.n = 0;
		must(sh_buf_add(&bad, image->p, image->n, &err) == 0);
		if (i % 4 == 0)
			scribble(bad.p, l.code, l.emit, 1 + rng_below(3));
		if (i % 4 == 1)
			scribble(bad.p, l.node + 16, l.freq, 1 + rng_below(300000));
		if (i % 4 >= 2)
			scribble(bad.p, dense, l.freq, 1 + rng_below(i % 4 == 2 ? 30 : 3000));
		j = sh_jieba_open_image(sh_buf_slice(&bad), &err);
		opened += j != NULL;
		seen += j && sh_jieba_check(j, &err) < 0;
		sh_jieba_delete(j);
		use(sh_buf_slice(&bad));
	}
	ok(opened > rounds / 2 && seen >= opened - rounds / 20,
	    "wrong tables, %d times: %d opened without harm, %d found by sh_jieba_check()", rounds,
	    opened, seen);
	sh_buf_free(&bad);
}

/* A crafted header has wrong numbers and a right checksum. */
static void test_wrong_numbers(const struct sh_buf *image, int rounds)
{
	struct sh_buf bad = { 0 };
	struct sh_error err;
	int opened = 0;

	for (int i = 0; i < rounds; i++) {
		bad.n = 0;
		must(sh_buf_add(&bad, image->p, image->n, &err) == 0);
		scribble(bad.p, offsetof(struct sh_jieba_header, total),
		    offsetof(struct sh_jieba_header, body_sum), 1 + rng_below(4));
		sh_jieba_seal(bad.p);
		opened += opens(sh_buf_slice(&bad));
		use(sh_buf_slice(&bad));
	}
	ok(opened > 0, "wrong numbers, %d times: %d opened without harm", rounds, opened);
	sh_buf_free(&bad);
}

static uint32_t node_of(const struct sh_jieba *j, uint32_t parent, uint32_t character)
{
	uint32_t node = sh_jieba_child(j, parent, sh_jieba_word_code(j->code, character));

	must(node != 0);
	return node;
}

/* Of three children of one node the first is missing, and the parent of the last is not a node. A
 * word that needs that place must not use all memory. */
static void test_orphan(void)
{
	struct sh_buf image = jieba_image("人 80\n人民 30\n人口 9\n人家 5\n");
	struct sh_jieba_layout l;
	struct sh_jieba_node *node;
	struct sh_error err = { 0 };
	struct sh_jieba *j = sh_jieba_open_image(sh_buf_slice(&image), &err);
	uint32_t top, first, last, none;
	const char *word = "人民 3";

	must(j != NULL);
	top = node_of(j, SH_NODE_ROOT, 0x4EBA);
	none = sh_jieba_word_code(j->code, 0x9FA5);
	first = last = node_of(j, top, 0x6C11);
	for (size_t i = 0; i < 2; i++) {
		uint32_t other = node_of(j, top, i ? 0x5BB6 : 0x53E3);

		if (other > last) {
			last = other;
			word = i ? "人家 3" : "人口 3";
		}
		first = other < first ? other : first;
	}
	l = sh_jieba_layout(j->h.n_nodes);
	sh_jieba_delete(j);
	node = (void *)(image.p + l.node);
	must(first < last && node[none].check == SH_NODE_FREE);
	node[first].check = SH_NODE_FREE;
	node[last].check = none;
	node[none].base = last - 5;
	sh_jieba_seal(image.p);
	must((j = sh_jieba_open_image(sh_buf_slice(&image), &err)) != NULL);
	ok(sh_jieba_add_user(j, sh_slice_str(word), &err) < 0 && err.code == SH_ERR_RECORD,
	    "a node whose parent is not a node: %s", err.text);
	sh_jieba_delete(j);
	sh_buf_free(&image);
}

static void test_open_file(const struct sh_buf *image)
{
	char path[SCRATCH_MAX];
	int fd;
	struct sh_error err;
	struct sh_jieba *j;

	scratch(path, "jieba");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	must(fd >= 0 && write(fd, image->p, image->n) == (ssize_t)image->n);
	j = sh_jieba_open(path, &err);
	ok(j && sh_jieba_freq(j, sh_slice_str("中国人")) == 7, "a dictionary file is mapped");
	ok(j && sh_jieba_check(j, &err) == 0, "a mapped dictionary passes the check");
	sh_jieba_delete(j);
	must(ftruncate(fd, (off_t)image->n - 1) == 0);
	ok(!sh_jieba_open(path, &err) && strstr(err.text, path),
	    "a file without its last byte is refused: %s", err.text);
	must(ftruncate(fd, 10) == 0);
	ok(!sh_jieba_open(path, &err), "a file of ten bytes is refused: %s", err.text);
	close(fd);
	unlink(path);
	ok(!sh_jieba_open(path, &err), "a missing file is refused: %s", err.text);
	ok(!sh_jieba_open("/", &err), "a folder is refused: %s", err.text);
}

/* ---- compiling ---- */

static void refuses(const char *dict, uint64_t line, const char *what)
{
	struct sh_buf start = jieba_data("finalseg/prob_start.py");
	struct sh_buf trans = jieba_data("finalseg/prob_trans.py");
	struct sh_buf emit = jieba_data("finalseg/prob_emit.py"), image = { 0 };
	struct sh_jieba_source src = { sh_slice_str(dict), sh_buf_slice(&start),
		sh_buf_slice(&trans), sh_buf_slice(&emit) };
	struct sh_error err = { 0 };

	ok(sh_jieba_compile(&src, &image, &err) < 0 && err.line == line, "%s: %s", what, err.text);
	sh_buf_free(&image);
	sh_buf_free(&start);
	sh_buf_free(&trans);
	sh_buf_free(&emit);
}

static void refuses_model(const char *start, const char *trans, const char *emit, const char *what)
{
	struct sh_jieba_source src = { sh_slice_str("a 1\n"), sh_slice_str(start),
		sh_slice_str(trans), sh_slice_str(emit) };
	struct sh_buf image = { 0 };
	struct sh_error err = { 0 };

	ok(sh_jieba_compile(&src, &image, &err) < 0 && strstr(err.text, "expected"), "%s: %s", what,
	    err.text);
	sh_buf_free(&image);
}

static void test_bad_sources(void)
{
	static const char start[] = "P={'B': -0.1, 'E': -3.14e+100}",
			  trans[] = "P={'B': {'E': -1}}";

	refuses("a 1\n\nb 2\n", 2, "an empty line");
	refuses("a 1\nb\n", 2, "no frequency");
	refuses("a x\n", 1, "letters for a frequency");
	refuses("a -5\n", 1, "a negative frequency");
	refuses("a 99999999999999999999\n", 1, "a frequency beyond 64 bits");
	refuses("a 1\n\xFF 1\n", 2, "ill-formed UTF-8");
	refuses("a 0\n", 0, "no frequencies at all");
	refuses("", 0, "nothing");
	refuses_model("", trans, "P={'B': {}}", "an empty model file");
	refuses_model("P={'X': 1}", trans, "P={'B': {}}", "an unknown state");
	refuses_model("P={'B': 1", trans, "P={'B': {}}", "no end");
	refuses_model("P={'B': nan}", trans, "P={'B': {}}", "not a float");
	refuses_model("P={'B': 1e999}", trans, "P={'B': {}}", "an infinite float");
	refuses_model(start, trans, "P={'B': {'\\u4e0': -1}}", "a short escape");
	refuses_model(start, trans, "P={'B': {'ab': -1}}", "a key of two characters");
	refuses_model(start, trans, "P={'B': {'", "a key cut short");
	refuses_model(start, trans, "P={'B': -1}", "a number for a dict");
}

int main(void)
{
	struct sh_buf image = jieba_image(small_dict);
	struct sh_error err;
	struct sh_jieba *j;

	if (image.n == 0) {
		puts("1..0 # SKIP jieba's data are not there (JIEBA_DATA)");
		return 0;
	}
	rng_init(5);
	must((j = sh_jieba_open_image(sh_buf_slice(&image), &err)) != NULL);
	test_any_bytes(j);
	test_blocks_are_independent(j);
	test_long_blocks(j);
	sh_jieba_delete(j);
	test_header_bytes(&image);
	test_truncation(&image);
	test_wrong_tables(&image, 60);
	test_wrong_numbers(&image, 60);
	test_orphan();
	test_open_file(&image);
	test_bad_sources();
	sh_buf_free(&image);
	return done_testing();
}
