/* SPDX-License-Identifier: MIT */
/* brute FILE K: writes the number of pairs of 64-bit fingerprints within K. Compares every pair,
 * with the kernel of the join. */
#include <stdio.h>
#include <stdlib.h>

#include "join/join.h"

static int count(
    void *ctx, struct sh_job *job, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	(void)job, (void)hit, (void)err;
	*(size_t *)ctx += n;
	return 0;
}

int main(int argc, char **argv)
{
	const struct sh_join_limits all = {
		.small = UINT64_MAX, .large = UINT64_MAX, .brute_factor = 1
	};
	FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
	size_t n = 0, cap = 1 << 20, pairs = 0;
	uint64_t *fp = malloc(cap * sizeof *fp);
	struct sh_error err;
	struct sh_join *j = in ? sh_join_new(64, (unsigned)atoi(argv[2]), 1, &err) : NULL;
	struct sh_join_side side = { 0 }, room = { 0 };
	const struct sh_pool pool = { 0 };
	struct sh_job out = { .pool = &pool };
	char line[8192];

	if (!fp || !j)
		return 2;
	while (n < cap && fgets(line, sizeof line, in))
		fp[n++] = strtoull(line, NULL, 16);
	sh_join_set_limits(j, &all);
	if (sh_join_side_load(&side, fp, n, 1, &err) < 0 ||
	    sh_join_sides(j, &side, NULL, &room, count, &pairs, &out, &err) < 0)
		return 2;
	sh_join_side_free(&side);
	sh_join_side_free(&room);
	sh_join_delete(j);
	free(fp);
	fclose(in);
	printf("%zu\n", pairs);
	return 0;
}
