/* SPDX-License-Identifier: MIT */
#include "io/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/spill.h"

void sh_tables_init(struct sh_tables *all, size_t memory, const char *dir)
{
	*all = (struct sh_tables){ .memory = memory, .dir = dir };
}

static void release(struct sh_tables *all, struct sh_table *t)
{
	if (t->fd < 0) {
		free(t->p);
		all->used -= t->bytes;
	} else {
		if (t->p)
			munmap(t->p, t->bytes);
		close(t->fd);
	}
}

void sh_tables_free(struct sh_tables *all)
{
	for (size_t i = 0; i < all->n; i++)
		release(all, &all->table[i]);
	free(all->table);
	*all = (struct sh_tables){ 0 };
}

void sh_tables_charge(struct sh_tables *all, size_t bytes)
{
	all->memory -= bytes < all->memory - all->used ? bytes : all->memory - all->used;
}

/* Enlarges the file and its mapping to `bytes`. The content stays. */
static int resize_file(struct sh_table *t, size_t bytes, struct sh_error *err)
{
	/* posix_fallocate() returns its error and does not set errno. On file systems that cannot
	 * reserve space, it writes a byte to each block. */
	int why;
	void *p;

	do
		why = posix_fallocate(t->fd, 0, (off_t)bytes);
	while (why == EINTR); /* also after SIGSTOP and SIGCONT */
	if (why) {
		errno = why;
		return sh_error_sys(err,
		    "no room for a temporary file of %zu bytes (TMPDIR names another folder)",
		    bytes);
	}
	p = t->p ? mremap(t->p, t->bytes, bytes, MREMAP_MAYMOVE)
		 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
	if (p == MAP_FAILED)
		return sh_error_sys(err, "cannot map a temporary file of %zu bytes", bytes);
	t->p = p;
	t->bytes = bytes;
	return 0;
}

static int move_to_file(
    struct sh_tables *all, struct sh_table *t, size_t bytes, struct sh_error *err)
{
	struct sh_table file = { .fd = sh_spill_open(all->dir, err) };

	if (file.fd < 0)
		return -1;
	if (resize_file(&file, bytes, err) < 0) {
		close(file.fd);
		return -1;
	}
	if (t->bytes)
		memcpy(file.p, t->p, t->bytes);
	release(all, t);
	*t = file;
	return 0;
}

/* A new table has zeros, for which a new file and most calls of calloc() write nothing. */
static int resize(struct sh_tables *all, struct sh_table *t, size_t bytes, struct sh_error *err)
{
	void *p;

	if (t->fd >= 0)
		return resize_file(t, bytes, err);
	if (bytes - t->bytes > all->memory - all->used)
		return move_to_file(all, t, bytes, err);
	p = t->p ? realloc(t->p, bytes) : calloc(1, bytes);
	if (!p)
		return sh_error_nomem(err);
	all->used += bytes - t->bytes;
	t->p = p;
	t->bytes = bytes;
	return 0;
}

static struct sh_table *find(struct sh_tables *all, const void *p)
{
	size_t i = 0;

	while (all->table[i].p != p)
		i++;
	return &all->table[i];
}

static struct sh_table *add(struct sh_tables *all, struct sh_error *err)
{
	if (SH_RESERVE(all->table, all->cap, all->n + 1, err) < 0)
		return NULL;
	all->table[all->n] = (struct sh_table){ .fd = -1 };
	return &all->table[all->n];
}

void *sh_tables_get(struct sh_tables *all, size_t n, size_t size, struct sh_error *err)
{
	size_t bytes = n ? n * size : 1; /* not 0: find() needs different addresses */
	struct sh_table *t;
	void *p;

	if (n > (SIZE_MAX / 2) / size) {
		sh_error_nomem(err);
		return NULL;
	}
	if (!all) {
		p = calloc(1, bytes);
		if (!p)
			sh_error_nomem(err);
		return p;
	}
	t = add(all, err);
	if (!t || resize(all, t, bytes, err) < 0)
		return NULL;
	all->n++;
	return t->p;
}

void sh_tables_put(struct sh_tables *all, void *p)
{
	struct sh_table *t;

	if (!p)
		return;
	if (!all) {
		free(p);
		return;
	}
	t = find(all, p);
	release(all, t);
	*t = all->table[--all->n];
}

int sh_tables_grow(struct sh_tables *all, void **array, size_t *cap, size_t want, size_t size,
    struct sh_error *err)
{
	size_t more = *cap + *cap / 2 + 16;
	struct sh_table *t;

	if (!all)
		return sh_grow(array, cap, want, size, err);
	if (more < want)
		more = want;
	if (more > (SIZE_MAX / 2) / size)
		return sh_error_nomem(err);
	if (!*array) {
		*array = sh_tables_get(all, more, size, err);
		*cap = *array ? more : 0;
		return *array ? 0 : -1;
	}
	t = find(all, *array);
	if (resize(all, t, more * size, err) < 0)
		return -1;
	*array = t->p;
	*cap = more;
	return 0;
}

void *sh_pages_get(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void sh_pages_put(void *pages, size_t bytes)
{
	if (pages)
		munmap(pages, bytes);
}
