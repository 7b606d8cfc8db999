/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target without a fuzzer, and writes TAP. The inputs are the named files, or the files
 * of t/fuzz/seeds/NAME (with inputs of former crashes) and of t/data/bad, changed copies of all
 * files, and random bytes. All are the same at each run. */
#include <dirent.h>
#include <stdint.h>

#include "rng.h"
#include "tap.h"
#include "text_util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CHANGES = 40,  /* copies of each file */
	LARGEST = 1500 /* bytes of a file that are used, at most, as by the fuzzer */
};

/* The number of inputs of random bytes, which a target may define. */
__attribute__((weak)) extern const unsigned fuzz_random;

static unsigned files, runs;

static void run(const struct sh_buf *b)
{
	char *copy = exact_copy(b->p, b->n);

	LLVMFuzzerTestOneInput((const uint8_t *)copy, b->n);
	free(copy);
	runs++;
}

/* Overwrites, removes or repeats a few bytes, or cuts the end. */
static void change(struct sh_buf *b)
{
	for (uint64_t n = 1 + rng_below(4); n && b->n; n--) {
		size_t at = rng_below(b->n), much = 1 + rng_below(b->n - at < 9 ? b->n - at : 9);

		switch (rng_below(4)) {
		case 0:
			b->p[at] = (char)rng();
			break;
		case 1:
			memmove(b->p + at, b->p + at + much, b->n - at - much);
			b->n -= much;
			break;
		case 2:
			append(b, "123456789", much);
			memmove(b->p + at + much, b->p + at, b->n - at - much);
			break;
		default:
			if (rng_below(8) == 0)
				b->n = at;
		}
	}
}

static void file(const char *dir, const char *name, unsigned changes)
{
	struct sh_buf whole = slurp_file(dir, name), b = { 0 };

	if (whole.n > LARGEST)
		whole.n = LARGEST;
	files++;
	run(&whole);
	while (changes-- > 0) {
		b.n = 0;
		append(&b, whole.p ? whole.p : "", whole.n);
		change(&b);
		run(&b);
	}
	sh_buf_free(&b);
	sh_buf_free(&whole);
}

static void folder(const char *path, unsigned changes)
{
	struct dirent **entry;
	int n = scandir(path, &entry, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.')
			file(path, entry[i]->d_name, changes);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static void random_bytes(void)
{
	unsigned inputs = rng_rounds(&fuzz_random ? fuzz_random : 200);
	struct sh_buf b = { 0 };

	for (unsigned i = inputs; i; i--) {
		b.n = 0;
		for (size_t n = rng_below(LARGEST / 8); n; n--)
			append(&b, &(uint64_t){ rng() }, 8);
		run(&b);
	}
	sh_buf_free(&b);
	ok(true, "%u inputs of random bytes", inputs);
}

int main(int argc, char **argv)
{
	const char *data = getenv("T_DATA"), *name = strrchr(argv[0], '/');
	char path[4096];

	rng_init(20261121);
	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			file(argv[i][0] == '/' ? "" : ".", argv[i], 0);
		return 0;
	}
	name = strstr(name ? name : argv[0], "fuzz_");
	must(name != NULL);
	data = data ? data : "t/data";
	snprintf(path, sizeof path, "%s/../fuzz/seeds/%s", data, name + 5);
	folder(path, CHANGES);
	snprintf(path, sizeof path, "%s/bad", data);
	folder(path, CHANGES / 10);
	ok(files > 20, "%u files and %u changed copies of them", files, runs - files);
	random_bytes();
	return done_testing();
}
