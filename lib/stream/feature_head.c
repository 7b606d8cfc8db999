/* SPDX-License-Identifier: MIT */
#include "stream/feature_head.h"

#include "record/fields.h"
#include "text/token.h"
#include "unicode/utf8.h"

/* A feature of more tokens is wide. */
enum { WIDE = 4 };

/* The counts of feature_head.h over the records so far. */
struct feature_head {
	struct sh_tokenizer *folding, *literal;
	struct sh_feature last; /* the last record; id.p is NULL before the first record */
	bool last_plain, last_wide;
	bool in_run;        /* the record before `last` has the id of `last` */
	uint64_t line;      /* of `last`, if it may be a text and its run has one record; 0: no */
	uint64_t alone;     /* records whose id no adjacent record has and that may be texts */
	uint64_t together;  /* records whose id an adjacent record has */
	uint64_t wide;      /* the wide records among `together` */
	uint64_t first;     /* line of the first record that may be a text; 0: none */
	bool certain;       /* the input has features */
	size_t at, last_at; /* offsets of the next record and of `last` */
	uint64_t lines;     /* lines before the next record */
};

/* The properties of one feature. */
struct look {
	bool plain, wide;
	bool text; /* it may be a text if no adjacent record has its id */
};

/* Sets *n to the number of tokens of the feature, and *same to whether the feature is one unchanged
 * token. Makes *t when it is NULL. */
static int tokenize(struct sh_tokenizer **t, bool no_fold, struct sh_slice feature, size_t *n,
    bool *same, struct sh_error *err)
{
	struct sh_token_opts opts = { .no_fold = no_fold };
	struct sh_tokens tokens;

	if (!*t)
		*t = sh_tokenizer_new(&opts, err);
	if (!*t || sh_tokenize(*t, feature, &tokens, err) < 0)
		return -1;
	*n = tokens.n;
	*same = tokens.n == 1 && sh_slice_eq(feature, sh_slice(tokens.text + tokens.start[0],
							  tokens.end[0] - tokens.start[0]));
	return 0;
}

static int look_at(
    struct feature_head *h, struct sh_slice feature, struct look *l, struct sh_error *err)
{
	size_t n;

	if (tokenize(&h->folding, false, feature, &n, &l->plain, err) < 0)
		return -1;
	l->wide = n > WIDE;
	l->text = l->wide || (feature.n && memchr(feature.p, ' ', feature.n));
	if (l->text || l->plain || n != 1)
		return 0;
	/* One token: the text is a word that folding changes, without other characters. */
	return tokenize(&h->literal, true, feature, &n, &l->text, err);
}

/* Returns the line at this offset, without its end. */
static struct sh_slice line_at(const char *p, size_t n, size_t at)
{
	const char *lf = memchr(p + at, '\n', n - at);

	return sh_without_cr(sh_slice(p + at, (lf ? (size_t)(lf - p) : n) - at));
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

/* Ends the run of records with the id of `last`. */
static void end_run(struct feature_head *h)
{
	if (h->line) {
		h->alone++;
		if (!h->first)
			h->first = h->line;
	}
	h->line = 0;
}

static int add_record(
    struct feature_head *h, const struct sh_feature *f, uint64_t line, struct sh_error *err)
{
	bool again = h->last.id.p && sh_slice_eq(f->id, h->last.id);
	struct look l;

	if (look_at(h, f->text, &l, err) < 0)
		return -1;
	if (again) {
		bool second = !h->in_run;

		h->certain = f->text.n == 0 || h->last.text.n == 0 || (l.plain && h->last_plain) ||
			     overlap(h->last.text, f->text);
		h->together += second ? 2 : 1;
		h->wide += (uint64_t)l.wide + (second && h->last_wide);
		if (!h->first && (l.wide || (second && h->last_wide)))
			h->first = line - (second && h->last_wide);
		h->line = 0;
		h->in_run = true;
	} else {
		end_run(h);
		h->line = l.text ? line : 0;
		h->in_run = false;
	}
	h->last = *f;
	h->last_plain = l.plain;
	h->last_wide = l.wide;
	return 0;
}

/* Counts the records of p .. p + n - 1 from offset h->at on. */
static int look(
    struct feature_head *h, const char *p, size_t n, uint64_t line, struct sh_error *err)
{
	size_t limit = n < SH_FEATURE_HEAD ? n : SH_FEATURE_HEAD;
	struct sh_feature f;
	struct sh_error bad;

	/* The bytes may have moved. */
	if (h->last.id.p)
		sh_record_feature(line_at(p, n, h->last_at), &h->last, &bad);
	while (h->at < limit && !h->certain) {
		struct sh_slice record = line_at(p, n, h->at);

		if (sh_record_feature(record, &f, &bad) == 0) {
			if (add_record(h, &f, line + h->lines, err) < 0)
				return -1;
			h->last_at = h->at;
		}
		h->at += record.n;
		h->at += h->at < n && p[h->at] == '\r' ? 2 : 1;
		h->lines++;
	}
	return 0;
}

int sh_feature_head(struct sh_source *s, uint64_t *line, bool *once, struct sh_error *err)
{
	struct feature_head h = { 0 };
	struct sh_slice peeked;
	int got = sh_source_peek(s, &peeked, err), status = got < 0 ? -1 : 0;

	while (got > 0) {
		struct sh_slice all = sh_source_peeked(s);

		status = look(&h, all.p, all.n, s->line, err);
		if (status < 0 || h.certain || all.n >= SH_FEATURE_HEAD)
			break;
		/* Do not wait for a slow writer while all features are plain. */
		got = sh_source_peek_more(s, h.line || h.alone || h.together, err);
		status = got < 0 ? -1 : 0;
	}
	/* At the limit, the run of the last record may be incomplete. */
	if (got == 0 || h.alone == 0)
		end_run(&h);
	sh_tokenizer_delete(h.folding);
	sh_tokenizer_delete(h.literal);
	*once = h.together == 0;
	*line = 0;
	if (!h.certain && (h.alone >= h.together ? h.alone > 0 : 2 * h.wide > h.together))
		*line = h.first;
	return status;
}
