#include "record/feature_run.h"

void sh_feature_run_begin(struct sh_feature_run *run, struct sh_slice id)
{
	unsigned char keep[16] = { 0 };

	run->n = id.n + 1;
	memcpy(run->prefix, id.p, id.n);
	run->prefix[id.n] = '\t';
	memset(run->prefix + run->n, 0, 16);
	memset(keep, 0xff, run->n < 16 ? run->n : 16);
	run->a = sh_le64(run->prefix);
	run->b = sh_le64(run->prefix + 8);
	run->keep_a = sh_le64(keep);
	run->keep_b = sh_le64(keep + 8);
}

#if defined(__SSE2__)

const char *sh_feature_run_long(const char *p, const char *end, enum sh_feature_look *look)
{
	unsigned tabs, before, escapes = 0;

	for (; p < end; p += 16) {
		tabs = sh_where16(p, '\t');
		before = (tabs & -tabs) - 1;
		if (sh_where16(p, '\n') & before)
			return NULL;
		escapes |= sh_where16(p, '\\') & before;
		if (tabs) {
			*look = escapes ? SH_LOOKS_ANY : SH_LOOKS_PLAIN;
			p += __builtin_ctz(tabs);
			return p < end ? p : NULL;
		}
	}
	return NULL;
}

#else

const char *sh_feature_run_long(const char *p, const char *end, enum sh_feature_look *look)
{
	const char *tab = p < end ? memchr(p, '\t', (size_t)(end - p)) : NULL;

	if (!tab || memchr(p, '\n', (size_t)(tab - p)))
		return NULL;
	*look = memchr(p, '\\', (size_t)(tab - p)) ? SH_LOOKS_ANY : SH_LOOKS_PLAIN;
	return tab;
}

#endif

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint32_t digits(const char *p, unsigned n)
{
	uint32_t x = 0;

	for (unsigned i = 0; i < n; i++)
		x = 10 * x + (uint32_t)(p[i] - '0');
	return x;
}

const char *sh_feature_run_weight(const char *p, int64_t *weight)
{
	unsigned whole = 0, part = 0;
	uint32_t millionths;

	while (whole < 9 && digit(p[whole]))
		whole++;
	if (whole == 0)
		return NULL;
	*weight = digits(p, whole) * SH_WEIGHT_ONE;
	p += whole;
	if (*p == '.') {
		p++;
		while (part < SH_WEIGHT_PLACES && digit(p[part]))
			part++;
		if (part == 0)
			return NULL;
		millionths = digits(p, part);
		p += part;
		for (; part < SH_WEIGHT_PLACES; part++)
			millionths *= 10;
		*weight += millionths;
	}
	return *p == '\n' ? p + 1 : NULL;
}
