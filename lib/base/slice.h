/* A view of bytes: a pointer and a length. It never owns the bytes. */
#ifndef SH_BASE_SLICE_H
#define SH_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Number of readable bytes behind a text, where a function promises or requires them: wide loads read
 * beyond the end. */
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

/* Returns the number of bytes that a message shows: at most `most`, and only whole characters of UTF-8. */
static inline int sh_shown(struct sh_slice s, size_t most)
{
	size_t n = most;

	if (s.n <= most)
		return (int)s.n;
	while (n > 0 && most - n < 3 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;
	return (int)(((unsigned char)s.p[n] & 0xC0) == 0x80 ? most : n);
}

/* Compares bytewise, as LC_ALL=C sort does. A prefix comes before a longer slice. Returns <0, 0 or >0. */
static inline int sh_slice_cmp(struct sh_slice a, struct sh_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

#endif
