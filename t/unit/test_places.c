/* SPDX-License-Identifier: MIT */
/* Places of tokens in the text: they do not change tokens, and are borders of characters and
 * escapes. The bytes of tokens i to j, split alone, give the tokens i to j. */
#include "published/published.h"
#include "text/method.h"
#include "text/token.h"

#include "tap.h"
#include "text_util.h"

static struct sh_error err;

static struct sh_tokenizer *tokenizer(const struct sh_token_opts *opts)
{
	struct sh_tokenizer *t = sh_tokenizer_new(opts, &err);

	must(t != NULL);
	return t;
}

static struct sh_tokens cut(struct sh_tokenizer *t, struct sh_slice text)
{
	struct sh_tokens tokens;

	must(sh_tokenize(t, text, &tokens, &err) == 0);
	return tokens;
}

static struct sh_slice token(const struct sh_tokens *t, size_t i)
{
	return sh_slice(t->text + t->start[i], t->end[i] - t->start[i]);
}

static bool same_tokens(const struct sh_tokens *a, size_t from, size_t n, const struct sh_tokens *b)
{
	if (b->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!sh_slice_eq(token(a, from + i), token(b, i)))
			return false;
	return true;
}

/* Returns whether this byte is a border of characters and escapes. */
static bool is_border(const char *starts, size_t n, uint32_t at)
{
	return at <= n && starts[at];
}

/* starts[i]: a character or an escape begins at byte i, or the text ends there. */
static void find_starts(struct sh_slice text, bool raw, char *starts)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;

	memset(starts, 0, text.n + 1);
	while (p < end) {
		starts[p - (const uint8_t *)text.p] = 1;
		if (!raw && *p == '\\' && p + 1 < end && strchr("tnr\\", p[1]) && p[1])
			p += 2;
		else
			sh_utf8_next(&p, end);
	}
	starts[text.n] = 1;
}

static bool is_gap(const struct sh_tokens *t, size_t i)
{
	return t->from[i] == t->to[i];
}

/* Returns whether tokens i .. j share no character with neighbouring tokens, and have no gaps at
 * their ends. */
static bool stands_alone(const struct sh_tokens *t, size_t i, size_t j)
{
	size_t before = i, after = j + 1;

	if (is_gap(t, i) || is_gap(t, j))
		return false;
	while (before > 0 && is_gap(t, before - 1))
		before--;
	while (after < t->n && is_gap(t, after))
		after++;
	return (before == 0 || t->to[before - 1] <= t->from[i]) &&
	       (after == t->n || t->to[j] <= t->from[after]);
}

static bool all_hold(struct sh_tokenizer *placed, struct sh_tokenizer *plain,
    const struct sh_token_opts *opts, struct sh_slice text, bool alone)
{
	struct sh_tokens a = cut(placed, text), b = cut(plain, text);
	char *starts = malloc(text.n + 1);
	uint32_t last = 0;
	bool good = same_tokens(&a, 0, a.n, &b) && a.bad_utf8 == b.bad_utf8;

	must(starts != NULL);
	find_starts(text, opts->raw, starts);
	for (size_t i = 0; good && i < a.n; i++) {
		good = a.from[i] <= a.to[i] && is_border(starts, text.n, a.from[i]) &&
		       is_border(starts, text.n, a.to[i]) && a.from[i] >= last;
		/* A gap may be between two tokens of one character, as in one half. */
		if (!is_gap(&a, i))
			last = a.from[i];
	}
	for (unsigned k = 0; good && alone && a.n && k < 20; k++) {
		size_t i = rng_below(a.n), j = i + rng_below(a.n - i);

		if (!stands_alone(&a, i, j))
			continue;
		b = cut(plain, sh_slice(text.p + a.from[i], a.to[j] - a.from[i]));
		good = same_tokens(&a, i, j - i + 1, &b);
	}
	free(starts);
	return good;
}

static void add_ascii(struct sh_buf *b, size_t n)
{
	static const char some[] = "abcXYZ019 .,_ \\nt\\\\r  word";

	while (n--)
		append(b, &some[rng_below(sizeof some - 1)], 1);
}

/* Hyphens at line ends, and marks that opts.fold_marks leaves out. */
static const char *const pieces[] = { "co-\\nefficient", "a\u00AD \\r\\n\\t b", "x\u2010\nY",
	"A-\\nB", "-\\n-\\n", "\u0628\u064E\u0640\u0628\u064F ", "\u05E9\u05C1", "\u064E",
	"\u0640a" };

static void test_options(struct sh_token_opts opts, const char *what, bool alone)
{
	struct sh_tokenizer *plain = tokenizer(&opts), *placed;
	bool good = true;

	opts.places = true;
	placed = tokenizer(&opts);
	for (unsigned round = rng_rounds(2000); good && round; round--) {
		struct sh_buf text = { 0 };

		for (size_t n = rng_below(6); n; n--) {
			if (rng() & 1)
				add_ascii(&text, rng_below(rng() & 1 ? 20 : 300));
			else
				random_text(&text, rng_below(40), rng() & 1 ? 5 : 0);
			if (opts.join_hyphens || opts.fold_marks) {
				const char *s = pieces[rng_below(sizeof pieces / sizeof *pieces)];

				append(&text, s, strlen(s));
			}
			if (rng_below(3) == 0)
				for (size_t k = rng_below(40); k; k--)
					append_cp(&text, 0x3041 + (uint32_t)rng_below(
								      rng() & 1 ? 0x60 : 0x6000));
		}
		good = all_hold(placed, plain, &opts, sh_buf_slice(&text), alone);
		sh_buf_free(&text);
	}
	ok(good, "%s", what);
	sh_tokenizer_delete(plain);
	sh_tokenizer_delete(placed);
}

static void test_example(void)
{
	struct sh_token_opts opts = { .places = true };
	struct sh_tokenizer *t = tokenizer(&opts);
	struct sh_slice text = sh_slice_str("A\\nbee, 中文 Caf\xc3\xa9. \xef\xac\x81n 1\xc2\xbd");
	const uint32_t from[] = { 0, 3, 8, 11, 15, 22, 27, 28 };
	const uint32_t to[] = { 1, 6, 11, 14, 20, 26, 30, 30 };
	struct sh_tokens got = cut(t, text);
	bool good = got.n == 8;

	for (size_t i = 0; good && i < got.n; i++)
		good = got.from[i] == from[i] && got.to[i] == to[i];
	ok(good, "words, characters, ligatures and fractions have the expected places");
	if (!good)
		for (size_t i = 0; i < got.n; i++)
			printf("# %.*s %u %u\n", (int)(got.end[i] - got.start[i]),
			    got.text + got.start[i], got.from[i], got.to[i]);
	sh_tokenizer_delete(t);
}

/* The help lists the rules by number, and options name them. */
static void test_names(void)
{
	const struct sh_token_method *m;
	bool good = true;

	for (unsigned i = 0; (m = sh_token_method_at(i)); i++)
		if (sh_token_method_find(m->name) != m) {
			printf("# %s\n", m->name);
			good = false;
		}
	ok(good, "each token rule has a name of its own");
}

int main(void)
{
	struct sh_token_opts opts = { .method = sh_token_method_find("go-letters"),
		.places = true };
	struct sh_tokenizer *t;
	struct sh_tokens tokens;

	rng_init(0x91ace5);
	test_names();
	test_example();
	test_options((struct sh_token_opts){ .apart = true }, "words", true);
	test_options((struct sh_token_opts){ 0 }, "words that are joined", true);
	test_options((struct sh_token_opts){ .raw = true }, "words of raw text", true);
	test_options((struct sh_token_opts){ .no_fold = true }, "unfolded words", true);
	test_options((struct sh_token_opts){ .unit = SH_UNIT_CHAR }, "characters", true);
	test_options((struct sh_token_opts){ .stem = "english" }, "stems", true);
	test_options(
	    (struct sh_token_opts){ .mask_digits = true, .min_chars = 2 }, "filtered words", true);
	test_options(
	    (struct sh_token_opts){ .unit = SH_UNIT_CHAR, .stem = "english", .mask_digits = true },
	    "characters of filtered words", false);
	test_options((struct sh_token_opts){ .join_hyphens = true }, "joined words", true);
	test_options((struct sh_token_opts){ .join_hyphens = true, .raw = true, .no_fold = true },
	    "joined words of raw text", true);
	test_options((struct sh_token_opts){ .join_hyphens = true,
			 .method = sh_token_method_find("fields") },
	    "joined fields", true);
	test_options((struct sh_token_opts){ .fold_marks = true }, "words without marks", true);
	test_options(
	    (struct sh_token_opts){
		.fold_marks = true, .join_hyphens = true, .no_fold = true, .unit = SH_UNIT_CHAR },
	    "characters of joined words without marks", false);
	for (const char *const *name =
		 (const char *const[]){ "fields", "blanks", "alpha", "python", "go-words", NULL };
	     *name; name++)
		test_options((struct sh_token_opts){ .method = sh_token_method_find(*name) }, *name,
		    strcmp(*name, "python") != 0 && strcmp(*name, "go-words") != 0 &&
			strcmp(*name, "alpha") != 0);
	t = tokenizer(&opts);
	ok(sh_tokenize(t, sh_slice_str("a"), &tokens, &err) < 0 && err.code == SH_ERR_PARAM,
	    "a --split that has no places reports an error");
	sh_tokenizer_delete(t);
	return done_testing();
}
