/* SPDX-License-Identifier: MIT */
/* A view of bytes: a pointer and a length. It never owns the bytes. p may be NULL when n is 0. */
#ifndef SH_BASE_SLICE_H
#define SH_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes behind a text that wide loads may read. Where a function requires or promises that these
 * bytes are readable, its comment says so. */
#define SH_PAD 64

struct sh_slice {
	const char *p;
	size_t n;
};

static inline struct sh_slice sh_slice(const char *p, size_t n)
{
	return (struct sh_slice){ p, n };
}

static inline struct sh_slice sh_slice_str(const char *s)
{
	return (struct sh_slice){ s, strlen(s) };
}

static inline bool sh_slice_eq(struct sh_slice a, struct sh_slice b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Returns the line without the CR of a DOS line end, if it has one. */
static inline struct sh_slice sh_without_cr(struct sh_slice line)
{
	return sh_slice(line.p, line.n - (line.n && line.p[line.n - 1] == '\r'));
}

/* Removes the bytes up to the first `delimiter`, with the delimiter, from *rest. Returns the bytes
 * before the delimiter; all bytes when there is none. */
static inline struct sh_slice sh_slice_cut(struct sh_slice *rest, char delimiter)
{
	const char *at = rest->n ? (const char *)memchr(rest->p, delimiter, rest->n) : NULL;
	struct sh_slice first = sh_slice(rest->p, at ? (size_t)(at - rest->p) : rest->n);
	size_t used = first.n + (at != NULL);

	if (used)
		*rest = sh_slice(rest->p + used, rest->n - used);
	return first;
}

/* Returns s without the bytes at both ends that are in the string `blanks`. */
static inline struct sh_slice sh_slice_strip(struct sh_slice s, const char *blanks)
{
	size_t n = strlen(blanks);

	while (s.n && memchr(blanks, *s.p, n))
		s = sh_slice(s.p + 1, s.n - 1);
	while (s.n && memchr(blanks, s.p[s.n - 1], n))
		s.n--;
	return s;
}

/* Returns how many bytes a message shows, at most `most`. Cuts no well-formed UTF-8 character. */
static inline int sh_shown(struct sh_slice s, size_t most)
{
	size_t n = most;

	if (s.n <= most)
		return (int)s.n;
	while (n > 0 && most - n < 3 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;
	return (int)(((unsigned char)s.p[n] & 0xC0) == 0x80 ? most : n);
}

/* Compares bytes as LC_ALL=C sort does: a prefix is less than the whole. Returns <0, 0 or >0. */
static inline int sh_slice_cmp(struct sh_slice a, struct sh_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

#endif
