/* SPDX-License-Identifier: MIT */
#include "unicode/fold.h"

#include "tap.h"
#include "text_util.h"

static struct sh_fold *fold;

/* Returns whether sh_fold_text and utf8proc_map agree on the text and on the ill-formed
 * sequences. */
static bool agrees(const char *text, size_t n)
{
	struct sh_buf want = { 0 }, got = { 0 };
	struct sh_error err;
	uint64_t ill = 0, want_ill = fold_by_map(text, n, &want);
	char *p = exact_copy(text, n);
	bool good = sh_fold_text(fold, sh_slice(p, n), &got, &ill, &err) == 0 && ill == want_ill &&
		    sh_slice_eq(sh_buf_slice(&got), sh_buf_slice(&want));

	free(p);
	sh_buf_free(&want);
	sh_buf_free(&got);
	return good;
}

static bool agrees_on(const uint32_t *c, size_t n)
{
	uint8_t bytes[64];
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += sh_utf8_put(bytes + len, c[i]);
	return agrees((char *)bytes, len);
}

static bool is_scalar(uint32_t c)
{
	return c < 0xD800 || c > 0xDFFF;
}

static unsigned ccc(uint32_t c)
{
	return (unsigned)utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
}

static void test_every_code_point(void)
{
	uint32_t first_bad = 0;
	size_t bad = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		if (!is_scalar(c) || agrees_on(&c, 1))
			continue;
		if (!bad++)
			first_bad = c;
	}
	ok(bad == 0, "each code point alone folds like utf8proc_map (%zu do not, from U+%04X)", bad,
	    first_bad);
}

/* The data of scripts.inc may be older than the linked utf8proc. */
static void test_composing_ranges(void)
{
	utf8proc_option_t nfd = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE;
	utf8proc_option_t nfc = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
	size_t composites = 0, missing = 0;
	uint32_t which = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		utf8proc_int32_t d[64], e[64];
		int bound = 0;
		utf8proc_ssize_t n =
		    is_scalar(c) ? utf8proc_decompose_char((utf8proc_int32_t)c, d, 64, nfd, &bound)
				 : 0;

		memcpy(e, d, sizeof e);
		if (n < 2 || utf8proc_normalize_utf32(e, n, nfc) != 1)
			continue;
		composites++;
		for (utf8proc_ssize_t i = 1; i < n; i++) {
			if (sh_composes_back((uint32_t)d[i]))
				continue;
			missing++;
			which = (uint32_t)d[i];
		}
	}
	ok(composites > 12000 && missing == 0,
	    "all that compose in %zu composites are in scripts.inc (%zu not, e.g. U+%04X; "
	    "newer Unicode data is needed then)",
	    composites, missing, which);
}

/* Each of a sample of starters before each mark, jamo, ignorable and composing code point. */
static void test_pairs(void)
{
	static uint32_t seconds[20000], firsts[400];
	size_t n = 0, m = 0, bad = 0, cases = 0;

	for (uint32_t c = 0; c < 0x110000; c++) {
		const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)c);

		if (ccc(c) || sh_composes_back(c) || (c >= 0x1100 && c < 0x1200) ||
		    (p->ignorable && c < 0xE0002))
			seconds[n++] = c;
	}
	for (uint32_t c = 'A'; c <= 'z'; c++)
		firsts[m++] = c;
	for (size_t i = 0; m < 300; i++)
		firsts[m++] = random_cp(i % TEXT_BLOCK_COUNT);
	for (size_t i = 0; i < m; i++) {
		for (size_t j = 0; j < n; j++, cases++) {
			/* the third: often a mark again */
			const uint32_t c[] = { firsts[i], seconds[j], seconds[rng_below(n)],
				firsts[rng_below(m)] };

			bad += !agrees_on(c, 2 + rng_below(3));
		}
	}
	ok(bad == 0, "%zu starters before %zu marks fold like utf8proc_map (%zu cases)", m, n,
	    cases);
}

/* Every composite before every mark of a class of its own: the composite may have to be taken
 * apart. */
static void test_composites(void)
{
	static uint32_t marks[256], composites[20000];
	size_t m = 0, n = 0, bad = 0;
	bool seen[256] = { false };

	for (uint32_t c = 0; c < 0x110000; c++) {
		const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)c);

		if (ccc(c) && !sh_composes_back(c) && !seen[ccc(c)]) {
			seen[ccc(c)] = true;
			marks[m++] = c;
		}
		if (is_scalar(c) && p->decomp_seqindex != UINT16_MAX && n < 20000)
			composites[n++] = c;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m; j++) {
			const uint32_t c[] = { composites[i], marks[j], marks[rng_below(m)],
				0x300 + (uint32_t)rng_below(0x30) };

			bad += !agrees_on(c, 2 + rng_below(3));
		}
	}
	ok(n > 4000 && m > 40 && bad == 0, "%zu composites before %zu marks fold like utf8proc_map",
	    n, m);
}

static void test_random(void)
{
	enum { COUNT = 40000 };
	size_t bad = 0, bytes = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		struct sh_buf b = { 0 };

		random_text(&b, rng_below(60), i % 3 ? 0 : 8);
		bad += !agrees(b.p, b.n);
		bytes += b.n;
		sh_buf_free(&b);
	}
	ok(bad == 0, "%d random texts fold like utf8proc_map (%zu bytes)", COUNT, bytes);
}

/* Runs of marks are longer than the limits at which the sort changes. ASCII is longer than a
 * block. */
static void test_long(void)
{
	size_t bad = 0;

	for (unsigned i = 0; i < 200; i++) {
		struct sh_buf b = { 0 };

		for (size_t n = rng_below(5000); n; n--)
			append_cp(&b, 'A' + (uint32_t)rng_below(26));
		for (size_t n = rng_below(300); n; n--)
			append_cp(&b, random_cp(8));
		append_cp(&b, random_cp(rng_below(TEXT_BLOCK_COUNT)));
		bad += !agrees(b.p, b.n);
		sh_buf_free(&b);
	}
	ok(bad == 0, "200 long runs of ASCII and of marks fold like utf8proc_map");
}

/* Folds text for which utf8proc_map needs hours in linear time. */
static void test_hostile_marks(void)
{
	enum { PAIRS = 500000 };
	struct sh_buf b = { 0 }, out = { 0 };
	struct sh_error err;
	uint64_t ill = 0;
	bool good;

	append_cp(&b, 'x');
	for (unsigned i = 0; i < PAIRS; i++) {
		append_cp(&b, 0x0346); /* class 230 */
		append_cp(&b, 0x0329); /* class 220 */
	}
	good = sh_fold_text(fold, sh_buf_slice(&b), &out, &ill, &err) == 0 && out.n == b.n;
	for (unsigned i = 0; good && i < PAIRS; i++)
		good = memcmp(out.p + 1 + 2 * i, "\xCC\xA9", 2) == 0 &&
		       memcmp(out.p + 1 + 2 * (PAIRS + i), "\xCD\x86", 2) == 0;
	ok(good, "a million marks in the worst order are sorted");
	sh_buf_free(&b);
	sh_buf_free(&out);
}

/* Compares a file line by line. `fields` selects the columns of NormalizationTest.txt. */
static void test_lines(const char *name, struct sh_buf b)
{
	size_t lines = 0, bad = 0;

	for (size_t at = 0, n; at < b.n; at += n + 1, lines++) {
		const char *lf = memchr(b.p + at, '\n', b.n - at);

		n = (lf ? (size_t)(lf - b.p) : b.n) - at;
		bad += !agrees(b.p + at, n);
	}
	ok(bad == 0, "%s: %zu lines fold like utf8proc_map", name, lines);
	sh_buf_free(&b);
}

static void test_files(void)
{
	static const char *const data[] = { "en_dev.tsv", "zh_dev.tsv" };
	static const char *const bad[] = { "UTF-8-test.txt", "blns.txt", "combining.txt",
		"fullwidth.txt", "zwj_bidi.txt", "utf8_flipped.txt", "gbk.txt", "latin1.txt",
		"utf16le_bom.txt", "utf8_nul.txt" };

	for (size_t i = 0; i < sizeof data / sizeof *data; i++)
		test_lines(data[i], slurp_file("t/data", data[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		test_lines(bad[i], slurp_file("t/data/bad", bad[i]));
}

/* Lines of "0041 030A;00C5;..." : each column is a text. */
static void test_normalization_file(void)
{
	FILE *f = popen("bzcat /usr/share/unicode/NormalizationTest.txt.bz2 2>/dev/null", "r");
	struct sh_buf b = slurp(f);
	size_t columns = 0, bad = 0;
	uint32_t c[32];
	size_t n = 0;

	append(&b, "", 1);
	for (char *p = b.p, *end; *p;) {
		if (*p == '#' || *p == '@') {
			p += strcspn(p, "\n");
			n = 0;
			p += *p == '\n';
			continue;
		}
		c[n] = (uint32_t)strtoul(p, &end, 16);
		if (end != p)
			n++;
		if (*end == ';') {
			columns++;
			bad += !agrees_on(c, n);
			n = 0;
		}
		p = end + (*end == ';' || *end == '\n' || *end == ' ');
	}
	if (f)
		pclose(f);
	sh_buf_free(&b);
	if (columns < 50000)
		ok(1, "NormalizationTest.txt # SKIP not installed (unicode-data)");
	else
		ok(bad == 0, "NormalizationTest.txt: %zu columns fold like utf8proc_map", columns);
}

int main(void)
{
	struct sh_error err;

	rng_init(2);
	fold = sh_fold_new(&err);
	must(fold != NULL);
	test_every_code_point();
	test_composing_ranges();
	test_pairs();
	test_composites();
	test_random();
	test_long();
	test_hostile_marks();
	test_files();
	test_normalization_file();
	sh_fold_delete(fold);
	return done_testing();
}
