/* SPDX-License-Identifier: MIT */
#include "sidebyside.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "hash/mix.h"
#include "match/measure.h"
#include "record/escape.h"
#include "unicode/terminal.h"
#include "unicode/utf8.h"

/* ---- the sample ---- */

struct sampled {
	uint64_t key; /* a level keeps the pairs of least key, in ascending order */
	struct sh_engine_pair pair;
};

void sample_init(struct sample *s, struct cli *c, uint64_t seed, size_t per_level)
{
	*s = (struct sample){ .seed = sh_mix_moremur(seed + SH_MIX_GOLDEN),
		.per_level = per_level,
		.pair = cli_zeroed(c, SAMPLE_LEVELS * per_level, sizeof *s->pair) };
}

void sample_add(struct sample *s, const struct sh_engine_pair *pair)
{
	struct sampled new = {
		sh_mix_moremur(s->seed ^ sh_mix_moremur((uint64_t)pair->a << 32 | pair->b)), *pair
	};
	unsigned level = pair->verdict.similarity / SAMPLE_STEP;
	struct sampled *first = s->pair + level * s->per_level;
	size_t i = s->n[level];

	if (i < s->per_level)
		s->n[level]++;
	else if (first[--i].key <= new.key)
		return;
	for (; i > 0 && first[i - 1].key > new.key; i--)
		first[i] = first[i - 1];
	first[i] = new;
}

static int by_similarity(const void *a, const void *b)
{
	const struct sh_engine_pair *x = &((const struct sampled *)a)->pair,
				    *y = &((const struct sampled *)b)->pair;

	if (x->verdict.similarity != y->verdict.similarity)
		return x->verdict.similarity > y->verdict.similarity ? -1 : 1;
	return x->a != y->a ? sh_compare(x->a, y->a) : sh_compare(x->b, y->b);
}

/* ---- the texts of a pair ---- */

enum { WIDTH = 38, ROWS = 6, BEFORE = 60 };

struct text {
	struct sh_document_room room;
	struct sh_buf id, text;
};

static int load(struct text *t, const struct sh_corpus *corpus, uint32_t document, bool raw,
    struct sh_error *err)
{
	struct sh_document doc;

	t->id.n = t->text.n = 0;
	if (sh_corpus_document(corpus, document, &t->room, &doc, err) < 0 ||
	    sh_buf_add(&t->id, doc.id.p, doc.id.n, err) < 0)
		return -1;
	return raw ? sh_buf_add(&t->text, doc.text.p, doc.text.n, err)
		   : sh_unescape(doc.text, &t->text, err);
}

/* Returns the offset where printing begins: at most BEFORE bytes before the first difference; 0
 * when the texts are equal. */
static size_t begin(struct sh_slice x, struct sh_slice y)
{
	size_t same = 0, least = x.n < y.n ? x.n : y.n;

	while (same < least && x.p[same] == y.p[same])
		same++;
	if (same == x.n && same == y.n)
		return 0;
	return sh_utf8_start(x, same > BEFORE ? same - BEFORE : 0);
}

static int print_rows(
    struct sh_buf *out, struct sh_slice x, struct sh_slice y, struct sh_error *err)
{
	size_t from = begin(x, y);

	x = sh_slice(x.p + from, x.n - from);
	y = sh_slice(y.p + from, y.n - from);
	for (int i = 0; i < ROWS && (x.n || y.n); i++) {
		struct sh_slice a, b;
		size_t at = out->n, middle;

		if (sh_terminal_columns(&x, WIDTH, out, err) < 0)
			return -1;
		middle = out->n;
		if (sh_buf_add(out, "   ", 3, err) < 0 ||
		    sh_terminal_columns(&y, WIDTH, out, err) < 0)
			return -1;
		a = sh_slice(out->p + at, middle - at);
		b = sh_slice(out->p + middle + 3, out->n - middle - 3);
		out->p[middle + 1] = sh_slice_eq(a, b) ? ' ' : '|';
		while (out->n && out->p[out->n - 1] == ' ')
			out->n--;
		if (sh_buf_add(out, "\n", 1, err) < 0)
			return -1;
	}
	return 0;
}

static int print_pair(struct sh_buf *out, const struct text t[2], const struct sh_engine_pair *pair,
    struct sh_error *err)
{
	char head[64], similarity[SH_SIMILARITY_CHARS];
	int n;

	sh_similarity_print(similarity, pair->verdict.similarity);
	n = snprintf(head, sizeof head, "== %s %.*s: ", sh_verdict_measure(pair->verdict.measure),
	    SH_SIMILARITY_CHARS, similarity);
	if (sh_buf_add(out, head, (size_t)n, err) < 0 ||
	    sh_buf_add(out, t[0].id.p, t[0].id.n, err) < 0 || sh_buf_add(out, " | ", 3, err) < 0 ||
	    sh_buf_add(out, t[1].id.p, t[1].id.n, err) < 0)
		return -1;
	out->n = cli_blunt(out->p, out->n);
	if (sh_buf_add(out, "\n", 1, err) < 0)
		return -1;
	if (print_rows(out, sh_buf_slice(&t[0].text), sh_buf_slice(&t[1].text), err) < 0)
		return -1;
	return sh_buf_add(out, "\n", 1, err);
}

void sample_print(struct sample *s, struct cli *c, const struct sh_corpus *corpus, bool raw)
{
	struct text t[2] = { 0 };
	struct sh_buf out = { 0 };
	struct sh_error err;

	for (unsigned level = SAMPLE_LEVELS; level-- > 0;) {
		struct sampled *first = s->pair + level * s->per_level;

		qsort(first, s->n[level], sizeof *first, by_similarity);
		for (size_t i = 0; i < s->n[level]; i++) {
			const struct sh_engine_pair *p = &first[i].pair;

			out.n = 0;
			if (load(&t[0], corpus, p->a, raw, &err) < 0 ||
			    load(&t[1], corpus, p->b, raw, &err) < 0 ||
			    print_pair(&out, t, p, &err) < 0)
				cli_die(c, &err);
			cli_write(c, out.p, out.n);
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		sh_document_room_free(&t[i].room);
		sh_buf_free(&t[i].id);
		sh_buf_free(&t[i].text);
	}
	sh_buf_free(&out);
	free(s->pair);
}
