/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_ELEMENTS = 16 };

int sh_grow(void **array, size_t *cap, size_t want, size_t size, struct sh_error *err)
{
	size_t n = *cap + *cap / 2;
	void *p;

	if (n < want)
		n = want;
	if (n < FIRST_ELEMENTS)
		n = FIRST_ELEMENTS;
	if (n > SIZE_MAX / 2 / size)
		return sh_error_nomem(err);
	p = realloc(*array, n * size);
	if (!p)
		return sh_error_nomem(err);
	*array = p;
	*cap = n;
	return 0;
}

int sh_buf_reserve(struct sh_buf *b, size_t more, struct sh_error *err)
{
	void *p = b->p;

	if (more <= b->cap - b->n)
		return 0;
	if (more > SIZE_MAX / 2 - b->n)
		return sh_error_nomem(err);
	if (sh_grow(&p, &b->cap, b->n + more, 1, err) < 0)
		return -1;
	b->p = p;
	return 0;
}

int sh_buf_add(struct sh_buf *b, const void *p, size_t n, struct sh_error *err)
{
	if (sh_buf_reserve(b, n, err) < 0)
		return -1;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	return 0;
}

void sh_buf_free(struct sh_buf *b)
{
	free(b->p);
	*b = (struct sh_buf){ 0 };
}
