/* SPDX-License-Identifier: MIT */
/* A growable byte buffer.
 *
 *     struct sh_buf b = {0};
 *     if (sh_buf_add(&b, p, n, err) < 0) return -1;
 *     ...
 *     sh_buf_free(&b);
 *
 * A zeroed struct is an empty buffer. The bytes move when the buffer grows: keep offsets, not
 * pointers. The functions return 0; or -1 with SH_ERR_NOMEM when memory is short or a size is too
 * large, and the content is then unchanged. */
#ifndef SH_BASE_BUF_H
#define SH_BASE_BUF_H

#include "base/error.h"
#include "base/slice.h"

struct sh_buf {
	char *p;
	size_t n;   /* bytes in use */
	size_t cap; /* bytes allocated */
};

/* Reserves memory for `more` bytes after the first b->n bytes, and leaves b->n as it is. The memory
 * grows geometrically. */
int sh_buf_reserve(struct sh_buf *b, size_t more, struct sh_error *err);
/* Appends n bytes. p may be NULL when n is 0. p must not point into the buffer, which may move. */
int sh_buf_add(struct sh_buf *b, const void *p, size_t n, struct sh_error *err);
/* Frees the memory. The buffer is empty and can be used again. */
void sh_buf_free(struct sh_buf *b);

/* Returns the bytes in use, valid until the buffer grows. p is NULL when nothing was reserved. */
static inline struct sh_slice sh_buf_slice(const struct sh_buf *b)
{
	return (struct sh_slice){ b->p, b->n };
}

/* Grows an array to at least `want` elements of `size` bytes, size > 0. free() frees the array. It
 * grows by at least half of *cap, whatever `want` is:
 *
 *     if (want > cap && sh_grow((void **)&array, &cap, want, sizeof *array, err) < 0) ...
 *
 * *cap is in elements. New elements are not initialised. After -1 *array and *cap are unchanged. */
int sh_grow(void **array, size_t *cap, size_t want, size_t size, struct sh_error *err);

/* Calls sh_grow() when *cap is less than `want`. Otherwise returns 0, and *array may stay NULL when
 * `want` is 0. */
static inline int sh_reserve(
    void **array, size_t *cap, size_t want, size_t size, struct sh_error *err)
{
	return want <= *cap ? 0 : sh_grow(array, cap, want, size, err);
}

/* The same for a pointer to elements of any type, and its size_t:
 *
 *     if (SH_RESERVE(x->array, x->cap, x->n + 1, err) < 0) ... */
#define SH_RESERVE(array, cap, want, err)                                                          \
	sh_reserve((void **)&(array), &(cap), want, sizeof *(array), err)

#endif
