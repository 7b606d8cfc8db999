/* SPDX-License-Identifier: MIT */
/* Offsets of tokens, for any text and any options: they do not change tokens, and are borders of
 * characters and escapes. The bytes of tokens i to j, split alone, give the tokens i to j, unless
 * words depend on what is around them. */
#include "fuzz.h"

#include "../unit/text_util.h"
#include "published/published.h"
#include "text/method.h"
#include "text/token.h"

const unsigned fuzz_random = 6000;

static struct sh_error err;

static struct sh_tokenizer *tokenizer(const struct sh_token_opts *opts)
{
	struct sh_tokenizer *t = sh_tokenizer_new(opts, &err);

	check(t != NULL);
	return t;
}

static struct sh_tokens cut(struct sh_tokenizer *t, struct sh_slice text)
{
	struct sh_tokens tokens;

	check(sh_tokenize(t, text, &tokens, &err) == 0);
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

	check(starts != NULL);
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

/* Text of the pieces that matter, or the bytes as they are. */
static void make_text(struct sh_buf *text, const struct sh_token_opts *opts)
{
	if (fuzz_take(1) % 2) {
		append(text, fuzz_input.p, fuzz_input.n);
		return;
	}
	for (size_t n = rng_below(6); n; n--) {
		if (rng_below(2))
			add_ascii(text, rng_below(rng_below(2) ? 20 : 300));
		else
			random_text(text, rng_below(40), rng_below(2) ? 5 : 0);
		if (opts->join_hyphens || opts->fold_marks) {
			const char *s = pieces[rng_below(sizeof pieces / sizeof *pieces)];

			append(text, s, strlen(s));
		}
		for (size_t k = rng_below(3) ? 0 : rng_below(40); k; k--)
			append_cp(text, 0x3041 + (uint32_t)rng_below(rng_below(2) ? 0x60 : 0x6000));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const methods[] = { NULL, NULL, NULL, "fields", "blanks", "alpha",
		"python", "go-words", "go-letters" };
	struct sh_token_opts opts = { 0 };
	struct sh_tokenizer *plain, *placed;
	struct sh_buf text = { 0 };
	struct sh_tokens tokens;
	const char *method;
	uint64_t flags;
	bool alone;

	fuzz_begin(data, size);
	flags = fuzz_take(2);
	opts.unit = flags & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD;
	opts.raw = flags & 2;
	opts.no_fold = flags & 4;
	opts.apart = flags & 8;
	opts.mask_digits = flags & 16;
	opts.stem = flags & 32 ? "english" : NULL;
	opts.fold_marks = flags >> 14 & 1;
	opts.join_hyphens = flags >> 15 & 1;
	method = methods[(flags >> 6 & 255) % (sizeof methods / sizeof *methods)];
	opts.method = method ? sh_token_method_find(method) : NULL;
	plain = tokenizer(&opts);
	opts.places = true;
	placed = tokenizer(&opts);
	append(&text, "", 0);
	make_text(&text, &opts);
	alone = (!method || strcmp(method, "fields") == 0 || strcmp(method, "blanks") == 0) &&
		!(opts.unit == SH_UNIT_CHAR &&
		    (opts.stem || opts.mask_digits || opts.join_hyphens || opts.fold_marks));
	if (method && strcmp(method, "go-letters") == 0)
		check(sh_tokenize(placed, sh_buf_slice(&text), &tokens, &err) < 0 || !text.n);
	else
		check(all_hold(placed, plain, &opts, sh_buf_slice(&text), alone));
	sh_buf_free(&text);
	sh_tokenizer_delete(plain);
	sh_tokenizer_delete(placed);
	return 0;
}
