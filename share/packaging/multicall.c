/* SPDX-License-Identifier: MIT */
/* One binary with all programs, for wheels and tarballs. It runs the program whose name it is called by,
 * as busybox does: by a link `shfp`, or as `simhash-utils shfp ARGUMENT...`. The build gives MULTICALL,
 * a list of ROW(program), and renames main() of each program to program_main(). */
#include <stdio.h>
#include <string.h>

#define ROW(name) int name##_main(int argc, char **argv);
MULTICALL
#undef ROW

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = {
#define ROW(name) { #name, name##_main },
	MULTICALL
#undef ROW
};

enum { N_PROGRAMS = sizeof programs / sizeof *programs };

int main(int argc, char **argv)
{
	for (int skip = 0; skip < 2 && skip < argc; skip++) {
		const char *slash = strrchr(argv[skip], '/');
		const char *name = slash ? slash + 1 : argv[skip];

		for (size_t i = 0; i < N_PROGRAMS; i++)
			if (strcmp(name, programs[i].name) == 0)
				return programs[i].main(argc - skip, argv + skip);
	}
	fputs("usage: simhash-utils PROGRAM ARGUMENT...\nThe programs are:", stderr);
	for (size_t i = 0; i < N_PROGRAMS; i++)
		fprintf(stderr, " %s", programs[i].name);
	fputs("\n", stderr);
	return 2;
}
