/* The files of an archive: manifest, records, sketches and sequences. Any content is accepted or
 * refused; accepted content prints as the same bytes. */
#include "fuzz.h"

#include <xxhash.h>

#include "archive/manifest.h"
#include "archive/segment.h"
#include "archive/sketch.h"

static struct sh_error err;

static void spelt(struct sh_slice text, const struct sh_buf *printed)
{
	check(sh_slice_eq(sh_buf_slice(printed), text));
}

static void manifest(struct sh_slice text)
{
	struct sh_manifest m;
	struct sh_buf printed = { 0 };

	if (sh_manifest_parse(&m, text, &err) == 0) {
		check(sh_manifest_print(&m, &printed, &err) == 0);
		spelt(text, &printed);
		sh_manifest_free(&m);
	}
	sh_buf_free(&printed);
}

/* Parses the text with its right checksum, which a fuzzer cannot guess. */
static void summed(struct sh_slice text)
{
	struct sh_buf all = { 0 };
	char line[40];
	int n = snprintf(line, sizeof line, "checksum %016llx\n",
	    (unsigned long long)XXH3_64bits(text.p, text.n));

	check(sh_buf_add(&all, text.p, text.n, &err) == 0);
	check(sh_buf_add(&all, line, (size_t)n, &err) == 0);
	manifest(sh_buf_slice(&all));
	sh_buf_free(&all);
}

static void record(struct sh_slice line)
{
	struct sh_buf printed = { 0 };
	struct sh_doc_record r;

	if (sh_doc_parse(line, &r, &err) == 0) {
		check(sh_doc_print(&r, &printed, &err) == 0);
		printed.n--; /* the LF */
		spelt(line, &printed);
	}
	sh_buf_free(&printed);
}

static void sketch(struct sh_slice text)
{
	struct sh_sketch s = { 0 };
	struct sh_buf printed = { 0 };
	const char *tab = text.n ? memchr(text.p, '\t', text.n) : NULL;

	if (sh_sketch_parse(text, &s, &err) == 0) {
		for (size_t i = 1; i < s.n; i++)
			check(s.hash[i] >= s.hash[i - 1]);
		check(sh_sketch_print(s.hash, s.n, &printed, &err) == 0);
		/* The count may have zeros before it. */
		spelt(sh_slice(tab, (size_t)(text.p + text.n - tab)),
		    &(struct sh_buf){ .p = memchr(printed.p, '\t', printed.n),
			.n = printed.n -
			     (size_t)((char *)memchr(printed.p, '\t', printed.n) - printed.p) });
	}
	sh_sketch_free(&s);
	sh_buf_free(&printed);
}

/* Returns whether a sequence may have more than a million tokens. Equal tokens have no digits, so a
 * short record may encode gigabytes of tokens. */
static bool is_long(struct sh_slice text)
{
	const char *end = text.p + text.n, *tab = memchr(text.p, '\t', text.n);
	uint64_t n = 0;

	tab = tab ? memchr(tab + 1, '\t', (size_t)(end - tab - 1)) : NULL;
	for (tab = tab ? tab + 1 : end; tab < end && *tab >= '0' && *tab <= '9' && n <= 1000000;
	     tab++)
		n = 10 * n + (uint64_t)(*tab - '0');
	return n > 1000000;
}

/* Checks that an accepted sequence does not change when it is printed and parsed. */
static void sequence(struct sh_slice text)
{
	struct sh_sketch distinct = { 0 }, all = { 0 }, again = { 0 };
	struct sh_hashes scratch = { 0 };
	struct sh_buf printed = { 0 };

	if (sh_sequence_parse(text, &distinct, &all, &err) == 0) {
		for (size_t i = 1; i < distinct.n; i++)
			check(distinct.hash[i] > distinct.hash[i - 1]);
		check(sh_sequence_print(all.hash, all.n, &scratch, &printed, &err) == 0);
		check(sh_sequence_parse(sh_buf_slice(&printed), &distinct, &again, &err) == 0);
		check(again.n == all.n &&
		      (!all.n || memcmp(again.hash, all.hash, all.n * sizeof *all.hash) == 0));
	}
	sh_hashes_free(&scratch);
	sh_sketch_free(&distinct);
	sh_sketch_free(&all);
	sh_sketch_free(&again);
	sh_buf_free(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_copy(data, size, 0);
	struct sh_slice text = sh_slice(copy, size);

	if (size) {
		manifest(text);
		summed(text);
		record(text);
		sketch(text);
		if (!is_long(text))
			sequence(text);
	}
	free(copy);
	return 0;
}
