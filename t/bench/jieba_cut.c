/* SPDX-License-Identifier: MIT */
/* Segments standard input as jieba does, for a comparison with jieba.
 *
 *     jieba_cut DICT MODE [USERDICT] < text     write the words, each followed by a byte 0xFF
 *     jieba_cut -t REPEAT DICT MODE < text      write the CPU seconds of the fastest run */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/jieba_mode.h"
#include "base/buf.h"

static _Noreturn void die(const char *why)
{
	fprintf(stderr, "jieba_cut: %s\n", why);
	exit(2);
}

static struct sh_slice slurp(FILE *in)
{
	struct sh_buf b = { 0 };
	struct sh_error err;
	size_t got;

	do {
		if (sh_buf_reserve(&b, 1 << 20, &err) < 0)
			die(err.text);
		got = fread(b.p + b.n, 1, 1 << 20, in);
		b.n += got;
	} while (got);
	return sh_buf_slice(&b);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t cut(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text, FILE *out)
{
	const struct sh_slice *words;
	struct sh_error err;
	size_t n, total = 0;

	sh_segment_begin(s, mode, text);
	do {
		if (sh_segment_next(s, &words, &n, &err) < 0)
			die(err.text);
		for (size_t i = 0; out && i < n; i++) {
			fwrite(words[i].p, 1, words[i].n, out);
			putc(0xFF, out);
		}
		total += n;
	} while (n);
	return total;
}

static void add_user(struct sh_jieba *j, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct sh_slice text;
	struct sh_error err;

	if (!f)
		die(path);
	text = slurp(f);
	fclose(f);
	if (sh_jieba_add_user(j, text, &err) < 0)
		die(err.text);
	free((void *)(uintptr_t)text.p);
}

int main(int argc, char **argv)
{
	int repeat = argc > 2 && strcmp(argv[1], "-t") == 0 ? atoi(argv[2]) : 0;
	char **arg = argv + (repeat ? 3 : 1);
	double best = 1e9;
	struct sh_error err;
	enum sh_jieba_mode mode;
	struct sh_jieba *j;
	struct sh_segmenter *s;
	struct sh_slice text;

	if (!arg[0] || !arg[1] || jieba_mode(sh_slice_str(arg[1]), &mode) < 0)
		die("usage: jieba_cut [-t REPEAT] DICT MODE [USERDICT] < text");
	j = sh_jieba_open(arg[0], &err);
	s = j ? sh_segmenter_new(j, &err) : NULL;
	if (!s)
		die(err.text);
	if (arg[2])
		add_user(j, arg[2]);
	text = slurp(stdin);
	if (!repeat)
		cut(s, mode, text, stdout);
	while (repeat-- > 0) {
		double start = cpu_seconds(), took;

		cut(s, mode, text, NULL);
		took = cpu_seconds() - start;
		if (took < best)
			best = took;
		if (repeat == 0)
			printf("%.6f\n", best);
	}
	free((void *)(uintptr_t)text.p);
	sh_segmenter_delete(s);
	sh_jieba_delete(j);
	return fflush(stdout) || ferror(stdout) ? 2 : 0;
}
