/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of cppjieba, which is accepted or refused, and any text segmented with the
 * file. The input is a byte that selects the file, the file, and (after a line ---) a text. */
#include "fuzz.h"

#include <sys/stat.h>
#include <unistd.h>

#include "published/cppjieba.h"
#include "scratch.h"

static const char dict[] = "中国 50 ns\n中国人 7 n\n人 80 n\n的 999 u\n大学生 6 n\n大学 5 n\n";
static const char model[] = "#prob_start\n-0.26 -3.14e+100 -3.14e+100 -1.46\n"
			    "-3.14e+100 -0.51 -0.91 -3.14e+100\n-0.58 -3.14e+100 -3.14e+100 -0.8\n"
			    "-3.14e+100 -0.33 -1.26 -3.14e+100\n-0.72 -3.14e+100 -3.14e+100 -0.66\n"
			    "中:-3.6,大:-5.1\n国:-4.2,人:-6.0\n国:-5.5,学:-7.1\n的:-2.2,人:-8.0\n";

enum { PATH_ROOM = SCRATCH_MAX + 20 };

static char folder[SCRATCH_MAX];

static void path_of(char *to, const char *name)
{
	snprintf(to, PATH_ROOM, "%s/%s", folder, name);
}

static void clean(void)
{
	static const char *const names[] = { "jieba.dict.utf8", "hmm_model.utf8",
		"user.dict.utf8" };
	char path[PATH_ROOM];

	for (unsigned i = 0; i < 3; i++) {
		path_of(path, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void write_file(const char *name, const void *p, size_t n)
{
	char path[PATH_ROOM];
	FILE *f;

	path_of(path, name);
	f = fopen(path, "wb");
	check(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
}

static void cut(const struct sh_cppjieba *d, struct sh_slice text)
{
	static const enum sh_cppjieba_mode modes[] = { SH_CPPJIEBA_MIX, SH_CPPJIEBA_MIX_NOHMM,
		SH_CPPJIEBA_QUERY, SH_CPPJIEBA_FULL, SH_CPPJIEBA_HMM };
	struct sh_error err;
	struct sh_cppsegmenter *s = sh_cppsegmenter_new(d, &err);

	check(s != NULL);
	for (unsigned m = 0; m < 5; m++) {
		const struct sh_slice *word;
		const char *p = text.p;
		size_t n;

		check(sh_cppsegment(s, modes[m], text, &word, &n, &err) == 0);
		for (size_t i = 0; i < n; i++) {
			check(word[i].p >= text.p && word[i].p + word[i].n <= text.p + text.n);
			if (modes[m] != SH_CPPJIEBA_MIX && modes[m] != SH_CPPJIEBA_MIX_NOHMM &&
			    modes[m] != SH_CPPJIEBA_HMM)
				continue;
			check(word[i].p == p && word[i].n > 0);
			p += word[i].n;
		}
	}
	sh_cppsegmenter_delete(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;
	struct sh_error err;
	struct sh_cppjieba *d;
	const uint8_t *cut_at;
	size_t n;
	char *text;

	if (size == 0)
		return 0;
	if (!begun) {
		scratch(folder, "cppjieba");
		check(mkdir(folder, 0700) == 0 && atexit(clean) == 0);
	}
	begun = true;
	cut_at = memmem(data + 1, size - 1, "---\n", 4);
	n = cut_at ? (size_t)(cut_at - data) - 1 : size - 1;
	write_file("jieba.dict.utf8", dict, sizeof dict - 1);
	write_file("hmm_model.utf8", model, sizeof model - 1);
	write_file("user.dict.utf8", "", 0);
	write_file(data[0] % 3 == 0   ? "jieba.dict.utf8"
		   : data[0] % 3 == 1 ? "hmm_model.utf8"
				      : "user.dict.utf8",
	    data + 1, n);
	d = sh_cppjieba_open(folder, &err);
	if (d) {
		text = fuzz_copy(data + 1, size - 1, 0);
		cut(d, sh_slice(text, size - 1));
		free(text);
		sh_cppjieba_delete(d);
	}
	return 0;
}
