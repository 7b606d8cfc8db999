/* SPDX-License-Identifier: MIT */
#include "passage/placed.h"

#include <stdlib.h>

#include "base/buf.h"

enum {
	KEPT = 256,            /* cached documents, each in the slot of its number */
	KEPT_BYTES = 32 << 20, /* most bytes of all cached documents */
};

struct kept {
	uint32_t document; /* SH_CORPUS_NONE: none */
	struct sh_buf places;
	size_t n;
	struct sh_buf id;
	struct sh_slice text; /* in the file; unused for JSON, which is parsed again */
};

struct sh_placer {
	const struct sh_corpus *corpus;
	struct sh_tokenizer *tokenizer;
	struct sh_document_room room;
	struct kept kept[KEPT];
	size_t bytes;
};

void sh_placed_bytes(
    const struct sh_placed *p, uint32_t from, uint32_t to, uint32_t *start, uint32_t *end)
{
	uint32_t least = p->from[from], most = p->to[from];

	/* Words of a dictionary may overlap; the short ones come first. */
	for (uint32_t i = from + 1; i < to; i++) {
		least = p->from[i] < least ? p->from[i] : least;
		most = p->to[i] > most ? p->to[i] : most;
	}
	*start = least;
	*end = most;
}

static void free_kept(struct kept *k)
{
	sh_buf_free(&k->places);
	sh_buf_free(&k->id);
}

struct sh_placer *sh_placer_new(
    const struct sh_corpus *corpus, const struct sh_token_opts *token, struct sh_error *err)
{
	struct sh_placer *p = calloc(1, sizeof *p);
	struct sh_token_opts opts = *token;

	if (!p) {
		sh_error_nomem(err);
		return NULL;
	}
	opts.apart = opts.places = true;
	p->corpus = corpus;
	for (size_t i = 0; i < KEPT; i++)
		p->kept[i].document = SH_CORPUS_NONE;
	p->tokenizer = sh_tokenizer_new(&opts, err);
	if (!p->tokenizer) {
		sh_placer_delete(p);
		return NULL;
	}
	return p;
}

void sh_placer_delete(struct sh_placer *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < KEPT; i++)
		free_kept(&p->kept[i]);
	sh_tokenizer_delete(p->tokenizer);
	sh_document_room_free(&p->room);
	free(p);
}

int sh_placer_text(
    struct sh_placer *p, struct sh_slice text, struct sh_placed *out, struct sh_error *err)
{
	struct sh_tokens t;

	if (sh_tokenize(p->tokenizer, text, &t, err) < 0)
		return -1;
	*out = (struct sh_placed){ t.from, t.to, t.n, { NULL, 0 }, text };
	return 0;
}

static void forget_all(struct sh_placer *p)
{
	for (size_t i = 0; i < KEPT; i++) {
		p->kept[i].document = SH_CORPUS_NONE;
		free_kept(&p->kept[i]);
	}
	p->bytes = 0;
}

/* Stores the last computed positions in a slot. */
static int keep(struct sh_placer *p, struct kept *k, uint32_t document,
    const struct sh_document *doc, const struct sh_placed *placed, struct sh_error *err)
{
	size_t bytes = placed->n * sizeof *placed->from, before = k->places.cap;

	if (p->bytes + 2 * bytes > KEPT_BYTES) {
		forget_all(p);
		before = 0;
	}
	k->document = SH_CORPUS_NONE;
	k->places.n = k->id.n = 0;
	if (sh_buf_reserve(&k->places, 2 * bytes + 1, err) < 0 ||
	    sh_buf_add(&k->id, doc->id.p, doc->id.n, err) < 0)
		return -1;
	if (bytes) {
		memcpy(k->places.p, placed->from, bytes);
		memcpy(k->places.p + bytes, placed->to, bytes);
	}
	p->bytes += k->places.cap - before;
	k->n = placed->n;
	k->document = document;
	return 0;
}

int sh_placer_document(
    struct sh_placer *p, uint32_t document, struct sh_placed *out, struct sh_error *err)
{
	struct kept *k = &p->kept[document % KEPT];
	bool known = k->document == document;
	struct sh_document doc;

	if (!known || sh_corpus_moves(p->corpus)) {
		if (sh_corpus_document(p->corpus, document, &p->room, &doc, err) < 0)
			return -1;
		k->text = doc.text;
	}
	if (!known &&
	    (sh_placer_text(p, k->text, out, err) < 0 || keep(p, k, document, &doc, out, err) < 0))
		return -1;
	out->from = (const uint32_t *)(const void *)k->places.p;
	out->to = out->from + k->n;
	out->n = k->n;
	out->id = sh_buf_slice(&k->id);
	out->text = k->text;
	return 0;
}

/* ---- different tokens ---- */

static bool says_little(struct sh_slice token)
{
	uint8_t c = (uint8_t)token.p[0];

	if (token.n <= 2 && c >= '0' && c <= '9' &&
	    (token.n == 1 || (token.p[1] >= '0' && token.p[1] <= '9')))
		return true;
	return token.n == 1 || (token.n == 2 && c >= 0xC0);
}

int sh_placer_distinct(
    struct sh_placer *p, struct sh_slice text, size_t enough, size_t *count, struct sh_error *err)
{
	struct sh_slice seen[32];
	struct sh_tokens t;
	size_t n = 0;

	if (sh_tokenize(p->tokenizer, text, &t, err) < 0)
		return -1;
	if (enough > sizeof seen / sizeof *seen)
		enough = sizeof seen / sizeof *seen;
	for (size_t i = 0; i < t.n && n < enough; i++) {
		struct sh_slice token = sh_slice(t.text + t.start[i], t.end[i] - t.start[i]);
		size_t j = 0;

		if (says_little(token))
			continue;
		while (j < n && !sh_slice_eq(seen[j], token))
			j++;
		if (j == n)
			seen[n++] = token;
	}
	*count = n;
	return 0;
}
