/* SPDX-License-Identifier: MIT */
#include "segment/jieba_prob.h"

#include <math.h>

#include "base/real.h"
#include "segment/jieba_route.h"
#include "unicode/utf8.h"

struct parser {
	const char *p, *end;
	const char *wanted; /* what the parser expected when it failed */
};

static void skip_blank(struct parser *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static bool accept(struct parser *s, char c)
{
	skip_blank(s);
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static int expect(struct parser *s, char c, const char *wanted)
{
	if (accept(s, c))
		return 0;
	s->wanted = wanted;
	return -1;
}

static int hex4(struct parser *s, uint32_t *cp)
{
	*cp = 0;
	s->wanted = "four hex digits";
	if (s->end - s->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef", *d;

		d = memchr(digits, *s->p++ | 0x20, 16);
		if (!d)
			return -1;
		*cp = *cp << 4 | (uint32_t)(d - digits);
	}
	return 0;
}

/* Parses 'x' or '\u4e00', and a colon. */
static int key(struct parser *s, uint32_t *cp)
{
	*cp = SH_UTF8_ILL;
	if (expect(s, '\'', "a quoted key") < 0)
		return -1;
	if (s->end - s->p > 2 && s->p[0] == '\\' && s->p[1] == 'u') {
		s->p += 2;
		if (hex4(s, cp) < 0)
			return -1;
	} else if (s->p < s->end) {
		const uint8_t *p = (const uint8_t *)s->p;

		*cp = sh_utf8_next(&p, (const uint8_t *)s->end);
		s->p = (const char *)p;
	}
	if (*cp == SH_UTF8_ILL || s->p == s->end || *s->p++ != '\'') {
		s->wanted = "a key of one character";
		return -1;
	}
	return expect(s, ':', "a colon");
}

static int number(struct parser *s, double *out)
{
	size_t n;

	skip_blank(s);
	for (n = 0; s->p + n < s->end && n < SH_REAL_CHARS; n++)
		if (!s->p[n] || !strchr("0123456789.eE+-", s->p[n]))
			break;
	if (sh_parse_real(sh_slice(s->p, n), out) < 0 || !isfinite(*out)) {
		s->wanted = "a float";
		return -1;
	}
	s->p += n;
	return 0;
}

/* Stores one number under its keys. cp is the inner key in a dict of dicts, otherwise 0. */
typedef void (*store)(struct sh_jieba_prob *p, int state, uint32_t cp, double x);

static int state_of(uint32_t cp)
{
	const char *letters = "BEMS", *at = cp && cp < 0x80 ? strchr(letters, (int)cp) : NULL;

	return at ? (int)(at - letters) : -1;
}

static int inner(struct parser *s, struct sh_jieba_prob *p, int state, store put)
{
	uint32_t cp;
	double x;

	if (expect(s, '{', "a dict") < 0)
		return -1;
	while (!accept(s, '}')) {
		if (key(s, &cp) < 0 || number(s, &x) < 0)
			return -1;
		put(p, state, cp, x);
		if (!accept(s, ',')) {
			if (expect(s, '}', "a comma or a brace") < 0)
				return -1;
			break;
		}
	}
	return 0;
}

static int outer(struct parser *s, struct sh_jieba_prob *p, store put, bool deep)
{
	if (expect(s, '{', "a dict") < 0)
		return -1;
	do {
		uint32_t cp;
		double x;
		int state;

		if (key(s, &cp) < 0)
			return -1;
		state = state_of(cp);
		s->wanted = "a state B, E, M or S";
		if (state < 0)
			return -1;
		if (deep ? inner(s, p, state, put) < 0 : number(s, &x) < 0)
			return -1;
		if (!deep)
			put(p, state, 0, x);
	} while (accept(s, ','));
	return expect(s, '}', "a closing brace");
}

static int read_one(struct sh_jieba_prob *p, struct sh_slice text, const char *name, store put,
    bool deep, struct sh_error *err)
{
	struct parser s = { .p = text.p, .end = text.p + text.n, .wanted = "P={" };
	const char *from = text.n ? memmem(text.p, text.n, "P=", 2) : NULL;
	int status = -1;

	if (from) {
		s.p = from + 2;
		status = outer(&s, p, put, deep);
	}
	if (status < 0)
		return sh_error_set(err, SH_ERR_RECORD, "%s: at byte %zu: expected %s", name,
		    (size_t)(s.p - text.p), s.wanted);
	return 0;
}

static void put_start(struct sh_jieba_prob *p, int state, uint32_t cp, double x)
{
	(void)cp;
	p->start[state] = x;
}

static void put_trans(struct sh_jieba_prob *p, int state, uint32_t cp, double x)
{
	int to = state_of(cp);

	if (to >= 0)
		p->trans[state][to] = x;
}

/* The model is used for Han characters only. */
static void put_emit(struct sh_jieba_prob *p, int state, uint32_t cp, double x)
{
	if (cp >= SH_HAN_FIRST && cp < SH_HAN_FIRST + SH_HAN_COUNT)
		p->emit[cp - SH_HAN_FIRST][state] = x;
}

int sh_jieba_prob_read(struct sh_jieba_prob *p, struct sh_slice start, struct sh_slice trans,
    struct sh_slice emit, struct sh_error *err)
{
	for (int y = 0; y < SH_HMM_STATES; y++) {
		p->start[y] = SH_HMM_NEVER;
		for (int z = 0; z < SH_HMM_STATES; z++)
			p->trans[y][z] = SH_HMM_NEVER;
		for (int c = 0; c < SH_HAN_COUNT; c++)
			p->emit[c][y] = SH_HMM_NEVER;
	}
	if (read_one(p, start, "prob_start", put_start, false, err) < 0 ||
	    read_one(p, trans, "prob_trans", put_trans, true, err) < 0 ||
	    read_one(p, emit, "prob_emit", put_emit, true, err) < 0)
		return -1;
	return 0;
}
