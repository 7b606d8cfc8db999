/* SPDX-License-Identifier: MIT */
#include "io/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)1 << 21)

static char *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Maps memory that begins at a multiple of LARGE_PAGE: maps one page more and unmaps both ends. */
static char *map_large(size_t bytes)
{
	char *all = map(bytes + LARGE_PAGE), *p;
	size_t before;

	if (!all)
		return NULL;
	before = (size_t)(-(uintptr_t)all & (LARGE_PAGE - 1));
	p = all + before;
	if (before)
		munmap(all, before);
	munmap(p + bytes, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
	/* Without large pages, the usual ones are used. */
	(void)madvise(p, bytes, MADV_HUGEPAGE);
#endif
	return p;
}

void *sh_pages_get(size_t bytes)
{
	return bytes >= LARGE_PAGE && bytes % LARGE_PAGE == 0 ? map_large(bytes) : map(bytes);
}

void sh_pages_put(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}
