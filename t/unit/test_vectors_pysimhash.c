/* SPDX-License-Identifier: MIT */
/* PyPI simhash: t/vectors/pysimhash_*.tsv, python_lower.tsv. */
#include "band/band.h"
#include "base/num.h"
#include "fp/accumulator.h"
#include "published/published.h"
#include "text/method.h"
#include "vectors.h"

static void test_texts(void)
{
	static const unsigned bits[] = { 64, 128, 32, 8 };
	struct vec_table t = vec_load("pysimhash_text.tsv");
	char options[32];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(options, sizeof options, "-b %u", bits[i]);
		vec_check_both("pysimhash_text", &t, 0, 1 + i, "pysimhash", options, NULL);
	}
}

/* The characters of str.lower() that \w matches. */
static void test_lower(void)
{
	struct vec_table t = vec_load("python_lower.tsv");
	struct sh_token_opts opts = { .method = sh_token_method_find("python") };
	struct sh_error err;
	struct sh_tokenizer *tokenizer = sh_tokenizer_new(&opts, &err);

	for (size_t i = 0; tokenizer && i < t.n; i++) {
		struct sh_tokens got;
		char want[64];
		size_t n = 0;

		for (const char *p = t.row[i].f[1]; *p; p++)
			if (*p == '\xCC' && p[1] == '\x87') /* U+0307, a mark */
				p++;
			else if (*p == '\xE2' && p[1] == '\x93') /* circled letters, symbols */
				p += 2;
			else if (*p != ' ')
				want[n++] = *p;
		ok(sh_tokenize(tokenizer, sh_slice_str(t.row[i].f[0]), &got, &err) == 0 &&
			(got.n ? got.end[got.n - 1] : 0) == n && memcmp(got.text, want, n) == 0,
		    "lower of %s: %s", t.row[i].f[0], t.row[i].f[1]);
	}
	ok(tokenizer != NULL, "the tokenizer of Python's rules exists");
	sh_tokenizer_delete(tokenizer);
}

/* ---- lists of features ---- */

#define W(x) ((int64_t)((x)*1000000 + 0.5))

static void add(struct sh_accumulator *a, const char *text, int64_t weight)
{
	struct sh_error err;

	if (sh_accumulator_add(a, sh_slice_str(text), weight, &err) < 0)
		printf("# %s\n", err.text);
}

/* Copies a Python or JSON string in quotes, without escapes, to text[]. Returns the position behind
 * it, or NULL. */
static const char *read_string(const char *p, char text[static 64])
{
	const char *end = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;

	if (!end || end - p > 63)
		return NULL;
	snprintf(text, 64, "%.*s", (int)(end - p - 1), p + 1);
	return end + 1;
}

/* Reads an element of a list, 'a' or ('a', 1.5). A plain string after a pair has the weight of
 * the pair, as in the Python package. */
static const char *add_item(struct sh_accumulator *a, const char *p, int64_t *weight)
{
	bool pair = *p == '(';
	char text[64], *end;

	p = read_string(p + pair, text);
	if (p && pair) {
		if (*p++ != ',')
			return NULL;
		*weight = W(strtod(p, &end));
		p = *end == ')' ? end + 1 : NULL;
	}
	if (p)
		add(a, text, *weight);
	return p;
}

/* A list of Python: false where there is none, or not to its end. */
static bool add_list(struct sh_accumulator *a, const char *input)
{
	const char *p = strchr(input, '[');
	int64_t weight = W(1);

	if (strncmp(input, "list of decimal", 15) == 0 || strncmp(input, "(\"i\",50*i)", 10) == 0) {
		char text[16];

		for (int i = 0; i < 500; i++) {
			snprintf(text, sizeof text, "%d", i);
			add(a, text, input[0] == 'l' ? W(1) : W(50) * i);
		}
		return true;
	}
	if (!p || (p != input && strncmp(input, "list ", 5) != 0))
		return false;
	for (p++; p && *p && *p != ']'; p = add_item(a, p, &weight))
		p += strspn(p, ", ");
	return p && *p == ']';
}

/* Other hash functions and patterns than the default are not part of the profile: where they do
 * not change anything (the integer of MD5, a pattern of \w) the default is checked. */
static bool add_text(struct sh_accumulator *a, const char *input, struct sh_tokenizer *tokenizer)
{
	const char *colon = strstr(input, ": ");
	struct sh_tokens tokens;
	struct sh_error err;

	if (!colon || sh_tokenize(tokenizer, sh_slice_str(colon + 2), &tokens, &err) < 0)
		return false;
	for (size_t i = 0; i + 4 <= tokens.n; i++) {
		struct sh_slice text = sh_ngram_text(&tokens, i, 4);

		if (sh_accumulator_add(a, text, W(1), &err) < 0)
			return false;
	}
	return true;
}

static void test_features(void)
{
	struct vec_table t = vec_load("pysimhash_features.tsv");
	struct sh_fingerprint_opts opts = {
		.hash = sh_hash_find("md5-last"), .bits = 64, .scheme = sh_scheme_find("tf")
	};
	struct sh_token_opts token = { .method = sh_token_method_find("python") };
	struct sh_error err;
	struct sh_tokenizer *tokenizer = sh_tokenizer_new(&token, &err);
	struct sh_accumulator a;
	struct sh_fingerprint fp;

	if (!tokenizer || sh_accumulator_init(&a, &opts, &err) < 0) {
		ok(false, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < t.n; i++) {
		sh_accumulator_clear(&a);
		if (strncmp(t.row[i].f[0], "sha256", 6) == 0)
			continue;
		if (!add_list(&a, t.row[i].f[0]) && !add_text(&a, t.row[i].f[0], tokenizer)) {
			ok(false, "a list or a text: %s", t.row[i].f[0]);
			continue;
		}
		sh_accumulator_finish(&a, &fp);
		ok(fp.w[0] == strtoull(t.row[i].f[1], NULL, 10), "%s: %s", t.row[i].f[0],
		    t.row[i].f[1]);
	}
	sh_accumulator_free(&a);
	sh_tokenizer_delete(tokenizer);
}

/* Weights with fractions, which are rounded where they are added. */
static void test_weights(void)
{
	struct vec_table t = vec_load("pysimhash_weights.tsv");

	for (size_t i = 0; i < t.n; i++) {
		char *rest = t.row[i].f[1], *feature, name[32], command[64], *got[1] = { NULL };
		FILE *f = vec_input(name);

		while ((feature = strsep(&rest, ","))) {
			char *weight = strchr(feature, ' ');

			*weight++ = '\0';
			fprintf(f, "0\t%s\t%s\n", feature, weight);
		}
		fclose(f);
		snprintf(command, sizeof command, "shfp -p pysimhash -b %s", t.row[i].f[0]);
		vec_run(command, name, got, 1);
		unlink(name);
		ok(got[0] && strcmp(got[0], t.row[i].f[2]) == 0, "weights, row %zu: %s", i + 2,
		    t.row[i].f[2]);
	}
}

/* ---- the index ---- */

/* Keys from sh_fp_bits(): k+1 blocks of f/(k+1) bits from the low end; the last block has all
 * remaining bits. */
static void test_keys(void)
{
	struct vec_table t = vec_load("pysimhash_index_keys.tsv");

	for (size_t i = 0; i < t.n; i++) {
		unsigned f = (unsigned)strtoul(t.row[i].f[0], NULL, 10);
		unsigned k = (unsigned)strtoul(t.row[i].f[1], NULL, 10), width = f / (k + 1);
		uint64_t w[2] = { 0, strtoull(t.row[i].f[3], NULL, 16) }, *fp = f == 64 ? w + 1 : w;
		char got[4096], *p = got;

		for (unsigned b = 0; b <= k; b++) {
			unsigned from = b * width, to = b < k ? from + width : f;
			/* Bits above 64 are 0 in all of them. */
			unsigned n = to - from < 64 ? to - from : 64;

			p += sprintf(p, "%s%llx:%x", b ? " " : "",
			    (unsigned long long)sh_fp_bits(fp, f - from - n, n), b);
		}
		ok(strcmp(got, t.row[i].f[4]) == 0, "f=%u k=%u: %.40s", f, k, t.row[i].f[4]);
	}
}

/* The queries of the project's own test of its index, by the programs. */
static void test_query(void)
{
	static const char *const texts[] = {
		"How are you? I Am fine. blar blar blar blar blar Thanks.",
		"How are you i am fine. blar blar blar blar blar than",
		"This is simhash test.",
		"How are you i am fine. blar blar blar blar blar thank1",
	};
	static const char query[] = "How are you i am fine.ablar ablar xyz blar blar blar blar "
				    "blar blar blar thank";
	struct vec_table t = vec_load("pysimhash_index_query.tsv");
	char name[32], command[160];
	FILE *f = vec_input(name);

	fprintf(f, "q\t%s\n", query);
	for (int i = 0; i < 4; i++)
		fprintf(f, "%d\t%s\n", i + 1, texts[i]);
	fclose(f);
	for (size_t i = 0; i < t.n; i++) {
		char found[4096] = "", line[64];
		FILE *out;

		snprintf(command, sizeof command,
		    "PATH=\"$SHBIN:$PATH\"; shfp -p pysimhash %s | shjoin -k %s | "
		    "awk '$2 == \"q\" { print $1 }' | sort",
		    name, t.row[i].f[0]);
		fflush(stdout);
		out = vec_need(popen(command, "r"));
		while (fgets(line, sizeof line, out)) {
			line[strcspn(line, "\n")] = '\0';
			if (*found)
				strcat(found, " ");
			strcat(found, line);
		}
		ok(pclose(out) == 0 && strcmp(found, t.row[i].f[1]) == 0,
		    "within %s of the query: %s (got %s)", t.row[i].f[0], t.row[i].f[1], found);
	}
	unlink(name);
}

int main(void)
{
	test_texts();
	test_lower();
	test_features();
	test_weights();
	test_keys();
	test_query();
	return done_testing();
}
