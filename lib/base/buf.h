/* A growable byte buffer, owned by whoever declared it.
 *
 *     struct sh_buf b = {0};
 *     if (sh_buf_add(&b, p, n, err) < 0) return -1;
 *     ...
 *     sh_buf_free(&b);
 *
 * A zeroed struct is a valid empty buffer. The bytes move when it grows: keep
 * offsets, not pointers. */
#ifndef SH_BASE_BUF_H
#define SH_BASE_BUF_H

#include "base/error.h"
#include "base/slice.h"

struct sh_buf {
	char *p;
	size_t n;   /* bytes in use */
	size_t cap; /* bytes allocated */
};

/* Make room for `more` bytes after b->n. Growth is geometric. */
int sh_buf_reserve(struct sh_buf *b, size_t more, struct sh_error *err);
int sh_buf_add(struct sh_buf *b, const void *p, size_t n, struct sh_error *err);
void sh_buf_free(struct sh_buf *b);

static inline struct sh_slice sh_buf_slice(const struct sh_buf *b)
{
	return (struct sh_slice){ b->p, b->n };
}

/* Grow an array so that it holds at least `want` elements of `size` bytes:
 *
 *     if (want > cap && sh_grow((void **)&array, &cap, want, sizeof *array, err) < 0) ...
 *
 * The new elements are not initialised. *cap counts elements. On failure the
 * array is left as it was. */
int sh_grow(void **array, size_t *cap, size_t want, size_t size, struct sh_error *err);

#endif
