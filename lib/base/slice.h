/* A view of bytes that somebody else owns. */
#ifndef SH_BASE_SLICE_H
#define SH_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes that may be read, not used, behind a text of which that is promised: wide loads overrun. */
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

/* A line without the CR of a DOS line end. */
static inline struct sh_slice sh_without_cr(struct sh_slice line)
{
	return sh_slice(line.p, line.n - (line.n && line.p[line.n - 1] == '\r'));
}

/* How many bytes of it a message shows, at most these: of UTF-8 only whole characters. */
static inline int sh_shown(struct sh_slice s, size_t most)
{
	size_t n = most;

	if (s.n <= most)
		return (int)s.n;
	while (n > 0 && most - n < 3 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;
	return (int)(((unsigned char)s.p[n] & 0xC0) == 0x80 ? most : n);
}

/* Bytewise order, a prefix before its extensions: <0, 0 or >0, as LC_ALL=C sort. */
static inline int sh_slice_cmp(struct sh_slice a, struct sh_slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

#endif
