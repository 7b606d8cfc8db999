/* SPDX-License-Identifier: MIT */
#include "stream/feature_head.h"

#include "io/newlines.h"
#include "record/fields.h"
#include "text/token.h"

/* A feature of more tokens is wide. */
enum { WIDE = 4 };

/* The properties of one feature. */
struct look {
	bool plain, wide;
	bool text; /* it may be a text if no adjacent record has its id */
};

/* Sets *n to the number of tokens of the feature, and *same to whether the feature is one unchanged
 * token. */
static int tokenize(
    struct sh_tokenizer *t, struct sh_slice feature, size_t *n, bool *same, struct sh_error *err)
{
	struct sh_tokens tokens;

	if (sh_tokenize(t, feature, &tokens, err) < 0)
		return -1;
	*n = tokens.n;
	*same = tokens.n == 1 && sh_slice_eq(feature, sh_slice(tokens.text + tokens.start[0],
							  tokens.end[0] - tokens.start[0]));
	return 0;
}

/* t: the default tokenizer, and the same without folding. */
static int look_at(
    struct sh_tokenizer *const t[2], struct sh_slice feature, struct look *l, struct sh_error *err)
{
	size_t n;

	if (tokenize(t[0], feature, &n, &l->plain, err) < 0)
		return -1;
	l->wide = n > WIDE;
	l->text = l->wide || (feature.n && memchr(feature.p, ' ', feature.n));
	if (l->text || l->plain || n != 1)
		return 0;
	/* One token: the text is a word that folding changes, without other characters. */
	return tokenize(t[1], feature, &n, &l->text, err);
}

/* Returns whether b begins with a, without the first `cut` bytes of a. */
static bool overlap_at(struct sh_slice a, struct sh_slice b, size_t cut)
{
	return cut < a.n && a.n - cut <= b.n && memcmp(a.p + cut, b.p, a.n - cut) == 0;
}

/* Returns whether b follows a as the next n-gram: without the first word or character of a. */
static bool overlap(struct sh_slice a, struct sh_slice b)
{
	const char *blank = memchr(a.p, ' ', a.n);
	size_t character = 1;

	while (character < a.n && (a.p[character] & 0xC0) == 0x80)
		character++;
	return (blank && overlap_at(a, b, (size_t)(blank - a.p) + 1)) ||
	       overlap_at(a, b, character);
}

/* The counts of feature_head.h. */
struct counts {
	bool certain;      /* the input has features */
	uint64_t alone;    /* records whose id no adjacent record has and that may be texts */
	uint64_t together; /* records whose id an adjacent record has */
	uint64_t wide;     /* the wide records among `together` */
	uint64_t first;    /* line of the first record that may be a text; 0: none */
	uint64_t open;     /* line of the last record, if it may be a text alone; 0: no */
};

/* Ends the run of records with one id. */
static void end_run(struct counts *c)
{
	c->alone += c->open != 0;
	c->first = c->first ? c->first : c->open;
	c->open = 0;
}

/* Counts the records of whole lines. line: the number of the first. */
static int count(struct sh_tokenizer *const t[2], struct sh_slice in, uint64_t line,
    struct counts *c, struct sh_error *err)
{
	struct sh_feature f, last = { 0 };
	struct look is, was = { 0 };
	bool in_run = false; /* the record before `last` has the id of `last` */
	struct sh_error bad;

	*c = (struct counts){ 0 };
	for (size_t at = 0; at < in.n && at < SH_FEATURE_HEAD && !c->certain; line++) {
		struct sh_slice record = sh_record_front(sh_slice(in.p + at, in.n - at), false);

		at += record.n + 1;
		if (sh_record_feature(sh_without_cr(record), &f, &bad) < 0)
			continue;
		if (look_at(t, f.text, &is, err) < 0)
			return -1;
		if (last.id.p && sh_slice_eq(f.id, last.id)) {
			bool two = !in_run && was.wide;

			c->certain = f.text.n == 0 || last.text.n == 0 || (is.plain && was.plain) ||
				     overlap(last.text, f.text);
			c->together += in_run ? 1 : 2;
			c->wide += (uint64_t)is.wide + two;
			if (!c->first && (is.wide || two))
				c->first = line - two;
			c->open = 0;
			in_run = true;
		} else {
			end_run(c);
			c->open = is.text ? line : 0;
			in_run = false;
		}
		last = f;
		was = is;
	}
	return 0;
}

int sh_feature_head(struct sh_source *s, uint64_t *line, bool *once, struct sh_error *err)
{
	const struct sh_token_opts opts[2] = { { 0 }, { .no_fold = true } };
	struct sh_tokenizer *t[2] = { sh_tokenizer_new(&opts[0], err),
		sh_tokenizer_new(&opts[1], err) };
	struct counts c = { 0 };
	struct sh_slice in;
	int got = t[0] && t[1] ? sh_source_peek(s, &in, err) : -1;

	while (got > 0) {
		in = sh_source_peeked(s);
		if (count(t, in, s->line, &c, err) < 0)
			got = -1;
		if (got < 0 || c.certain || in.n >= SH_FEATURE_HEAD)
			break;
		/* Do not wait for a slow writer while all features are plain. */
		got = sh_source_peek_more(s, c.open || c.alone || c.together, err);
	}
	/* At the limit, the run of the last record may be incomplete. */
	if (got == 0 || c.alone == 0)
		end_run(&c);
	sh_tokenizer_delete(t[0]);
	sh_tokenizer_delete(t[1]);
	*once = c.together == 0;
	*line = 0;
	if (!c.certain && (c.alone >= c.together ? c.alone > 0 : 2 * c.wide > c.together))
		*line = c.first;
	return got < 0 ? -1 : 0;
}
