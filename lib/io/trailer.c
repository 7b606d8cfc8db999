/* SPDX-License-Identifier: MIT */
#include "io/trailer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/num.h"
#include "io/newlines.h"

enum { HEAD = sizeof SH_TRAILER_HEAD - 1, SUM_DIGITS = 16 };

static uint64_t hash_line(const char *p, size_t n, bool crlf)
{
	if (crlf && n && p[n - 1] == '\r')
		n--;
	return XXH3_64bits_withSeed(p, n, SH_TRAILER_SEED);
}

size_t sh_sum_lines(struct sh_sum *sum, const char *p, size_t n, bool crlf)
{
	const char *at = p, *end;
	struct sh_sum s = *sum;

	if (n == 0)
		return 0;
	end = p + n;
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at)), *stop = lf ? lf : end;

		if (sh_is_trailer(at, (size_t)(stop - at)))
			break;
		s.hash += hash_line(at, (size_t)(stop - at), crlf);
		s.lines++;
		at = lf ? lf + 1 : end;
	}
	*sum = s;
	return (size_t)(at - p);
}

size_t sh_trailer_print(char to[SH_TRAILER_MAX], const struct sh_sum *sum)
{
	size_t n = HEAD;

	memcpy(to, SH_TRAILER_HEAD, HEAD);
	n += sh_print_u64(to + n, sum->lines);
	to[n++] = '\t';
	n += sh_print_hex(to + n, &sum->hash, SUM_DIGITS);
	to[n++] = '\n';
	return n;
}

int sh_trailer_unexpected(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_PARAM,
	    "unexpected trailer (add --trailer or --trailer=in, which checks the trailers of "
	    "operands and of -d)");
}

static int malformed(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_PARAM, "the trailer is malformed or was cut short");
}

static int add_trailer(struct sh_trailer_check *c, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice count = sh_slice(line.p + HEAD, line.n - HEAD), hash;
	const char *tab = memchr(count.p, '\t', count.n);
	struct sh_sum sum = { 0 };

	if (!tab)
		return malformed(err);
	hash = sh_slice(tab + 1, (size_t)(line.p + line.n - tab - 1));
	count.n = (size_t)(tab - count.p);
	if (sh_parse_u64(count, &sum.lines) < 0)
		return malformed(err);
	if (hash.n == 1 && *hash.p == '-')
		c->no_sum = true;
	else if (hash.n != SUM_DIGITS || sh_parse_hex(hash, &sum.hash) < 0)
		return malformed(err);
	c->expected.lines += sum.lines;
	c->expected.hash += sum.hash;
	c->any = true;
	return 0;
}

int sh_trailer_add_lines(struct sh_trailer_check *c, struct sh_slice lines, bool crlf,
    uint64_t *trailers, struct sh_error *err)
{
	struct sh_slice rest = lines;

	for (*trailers = 0;; ++*trailers) {
		size_t n = sh_sum_lines(&c->found, rest.p, rest.n, crlf);
		struct sh_slice line;

		rest = sh_slice(rest.p + n, rest.n - n);
		if (rest.n == 0)
			return 0;
		line = sh_record_front(rest, false);
		n = line.n + (line.n < rest.n);
		if (add_trailer(c, crlf ? sh_without_cr(line) : line, err) < 0) {
			err->line = 1 + sh_count_newlines(lines.p, lines.n - rest.n);
			return -1;
		}
		rest = sh_slice(rest.p + n, rest.n - n);
	}
}

int sh_trailer_verify(const struct sh_trailer_check *c, struct sh_error *err)
{
	if (!c->any)
		return sh_error_set(err, SH_ERR_PARAM,
		    "no trailer: the input is incomplete (or was written without one: "
		    "--trailer=out requires none)");
	if (c->found.lines != c->expected.lines)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%llu record%s, the trailer says %llu: the input is incomplete or altered",
		    (unsigned long long)c->found.lines, c->found.lines == 1 ? "" : "s",
		    (unsigned long long)c->expected.lines);
	if (!c->no_sum && c->found.hash != c->expected.hash)
		return sh_error_set(err, SH_ERR_PARAM,
		    "checksum differs from the trailer's: the input was altered");
	return 0;
}
