/* SPDX-License-Identifier: MIT */
#include "segment/jieba_compile.h"

#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/num.h"
#include "segment/jieba_trie.h"
#include "unicode/utf8.h"

struct compiler {
	/* The model: natural logs of probabilities. */
	double start[SH_HMM_STATES];
	double trans[SH_HMM_STATES][SH_HMM_STATES]; /* [from][to] */
	double emit[SH_HAN_COUNT][SH_HMM_STATES];   /* by code point - SH_HAN_FIRST */

	uint16_t code[0x10000];
	uint64_t han_freq[SH_HAN_COUNT]; /* by Han character: a word adds frequency + 1 */
	struct sh_trie_word *words;
	size_t n, words_cap;
	uint32_t *pool; /* UTF-16 units of all words; assign_codes() replaces the units by codes */
	size_t pool_n, pool_cap;
	uint64_t total;
	uint32_t max_len;

	struct sh_jieba_node *nodes;
	uint64_t *freq;
	uint32_t n_nodes;
};

/* ---- the model ---- */

struct parser {
	const char *p, *end;
	const char *wanted; /* what the parser expected when it failed */
};

static int fail(struct parser *s, const char *wanted)
{
	s->wanted = wanted;
	return -1;
}

/* Returns whether the next character that is not blank is c. */
static bool is_at(struct parser *s, char c)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
	return s->p < s->end && *s->p == c;
}

static bool accept(struct parser *s, char c)
{
	bool found = is_at(s, c);

	s->p += found;
	return found;
}

/* Parses 'x' or '\u4e00', and a colon. */
static int key(struct parser *s, uint32_t *cp)
{
	const uint8_t *p;

	if (!accept(s, '\''))
		return fail(s, "a quoted key");
	p = (const uint8_t *)s->p;
	*cp = s->p < s->end ? sh_utf8_next(&p, (const uint8_t *)s->end) : SH_UTF8_ILL;
	if (*cp == '\\' && s->end - s->p > 6 && s->p[1] == 'u') {
		*cp = 0;
		for (p++; p < (const uint8_t *)s->p + 6; p++) {
			int digit = sh_hex_value((char)*p);

			if (digit < 0)
				return fail(s, "four hex digits");
			*cp = *cp << 4 | (uint32_t)digit;
		}
	}
	s->p = (const char *)p;
	if (*cp == SH_UTF8_ILL || s->p == s->end || *s->p++ != '\'')
		return fail(s, "a key of one character");
	return accept(s, ':') ? 0 : fail(s, "a colon");
}

static int number(struct parser *s, double *out)
{
	size_t n;

	is_at(s, '\0'); /* skips blanks */
	for (n = 0; s->p + n < s->end && n < SH_REAL_CHARS; n++)
		if (!s->p[n] || !strchr("0123456789.eE+-", s->p[n]))
			break;
	if (sh_parse_real(sh_slice(s->p, n), out) < 0 || !isfinite(*out))
		return fail(s, "a float");
	s->p += n;
	return 0;
}

static int state_of(uint32_t cp)
{
	const char *letters = "BEMS", *at = cp && cp < 0x80 ? strchr(letters, (int)cp) : NULL;

	return at ? (int)(at - letters) : -1;
}

/* The files of the model. Each assigns one Python dict literal to P: {'B': -0.26, ...}, or a dict
 * of dicts. Keys are single characters, values are floats. Only this form is read. */
enum model_file { START, TRANS, EMIT };

/* Stores a number. cp: the inner key. */
static void store(struct compiler *c, enum model_file file, int state, uint32_t cp, double x)
{
	if (file == START)
		c->start[state] = x;
	else if (file == TRANS && state_of(cp) >= 0)
		c->trans[state][state_of(cp)] = x;
	else if (file == EMIT && cp >= SH_HAN_FIRST && cp < SH_HAN_FIRST + SH_HAN_COUNT)
		c->emit[cp - SH_HAN_FIRST][state] = x;
}

static int read_dicts(struct parser *s, struct compiler *c, enum model_file file)
{
	int state = -1;
	unsigned depth = 1;

	if (!accept(s, '{'))
		return fail(s, "a dict");
	while (depth) {
		uint32_t cp;
		double x;

		if (accept(s, '}')) {
			depth--;
		} else {
			if (key(s, &cp) < 0)
				return -1;
			if (depth == 1 && (state = state_of(cp)) < 0)
				return fail(s, "a state B, E, M or S");
			if (depth == 1 && file != START) {
				if (!accept(s, '{'))
					return fail(s, "a dict");
				depth = 2;
				continue;
			}
			if (number(s, &x) < 0)
				return -1;
			store(c, file, state, cp, x);
		}
		if (depth && !accept(s, ',') && !is_at(s, '}'))
			return fail(s, "a comma or a brace");
	}
	return 0;
}

static int read_model_file(
    struct compiler *c, struct sh_slice text, enum model_file file, struct sh_error *err)
{
	static const char *const names[] = { "prob_start", "prob_trans", "prob_emit" };
	struct parser s = { .p = text.p, .end = text.p + text.n, .wanted = "P={" };
	const char *from = text.n ? memmem(text.p, text.n, "P=", 2) : NULL;

	if (from)
		s.p = from + 2;
	if (from && read_dicts(&s, c, file) == 0)
		return 0;
	return sh_error_set(err, SH_ERR_RECORD, "%s: at byte %zu: expected %s", names[file],
	    (size_t)(s.p - text.p), s.wanted);
}

/* Ignores characters that are not Han. A missing value is SH_HMM_NEVER. */
static int read_model(struct compiler *c, const struct sh_jieba_source *src, struct sh_error *err)
{
	for (int y = 0; y < SH_HMM_STATES; y++) {
		c->start[y] = SH_HMM_NEVER;
		for (int z = 0; z < SH_HMM_STATES; z++)
			c->trans[y][z] = SH_HMM_NEVER;
		for (int i = 0; i < SH_HAN_COUNT; i++)
			c->emit[i][y] = SH_HMM_NEVER;
	}
	return read_model_file(c, src->start, START, err) < 0 ||
		       read_model_file(c, src->trans, TRANS, err) < 0
		   ? -1
		   : read_model_file(c, src->emit, EMIT, err);
}

/* ---- the dictionary ---- */

/* Returns -1. */
static int fail_line(struct sh_error *err, uint64_t line, const char *why)
{
	sh_error_set(err, SH_ERR_RECORD, "%s: expected WORD FREQUENCY [TAG]", why);
	err->line = line;
	return -1;
}

/* Appends a word to `words`, and its UTF-16 units to the pool. Adds it to han_freq. */
static int add_word(
    struct compiler *c, struct sh_slice word, uint64_t freq, uint64_t line, struct sh_error *err)
{
	struct sh_trie_word w = { .at = c->pool_n, .order = (uint32_t)c->n, .freq = freq };
	const uint8_t *p = (const uint8_t *)word.p, *end = p + word.n;

	if (SH_RESERVE(c->pool, c->pool_cap, c->pool_n + word.n, err) < 0 ||
	    SH_RESERVE(c->words, c->words_cap, c->n + 1, err) < 0)
		return -1;
	while (p < end) {
		uint32_t cp = sh_utf8_next(&p, end);

		if (cp == SH_UTF8_ILL)
			return fail_line(err, line, "ill-formed UTF-8");
		c->pool_n += sh_jieba_units(cp, c->pool + c->pool_n);
		if (cp >= SH_HAN_FIRST && cp < SH_HAN_FIRST + SH_HAN_COUNT)
			c->han_freq[cp - SH_HAN_FIRST] += freq + 1;
	}
	w.n = (uint32_t)(c->pool_n - w.at);
	if (w.n > SH_JIEBA_WORD_MAX)
		return fail_line(err, line, "word too long");
	if (w.n > c->max_len)
		c->max_len = w.n;
	c->words[c->n++] = w;
	return 0;
}

static int add_line(struct compiler *c, struct sh_slice text, uint64_t line, struct sh_error *err)
{
	struct sh_slice word, digits;
	uint64_t freq;

	text = sh_jieba_strip(text);
	word = sh_slice_cut(&text, ' ');
	digits = sh_slice_cut(&text, ' ');
	if (word.n == 0)
		return fail_line(err, line, "no word");
	if (sh_parse_u64(digits, &freq) != SH_NUM_OK)
		return fail_line(err, line, "no frequency");
	if (freq > SH_FREQ_MAX - c->total)
		return fail_line(err, line, "frequencies too large");
	c->total += freq;
	return add_word(c, word, freq, line, err);
}

static int read_dict(struct compiler *c, struct sh_slice text, struct sh_error *err)
{
	for (uint64_t line = 1; text.n; line++)
		if (add_line(c, sh_slice_cut(&text, '\n'), line, err) < 0)
			return -1;
	if (c->total == 0)
		return sh_error_set(err, SH_ERR_RECORD, "a dictionary without frequencies");
	return 0;
}

static int by_freq(const void *pa, const void *pb, void *freqs)
{
	uint16_t a = *(const uint16_t *)pa, b = *(const uint16_t *)pb;
	uint64_t x = ((const uint64_t *)freqs)[a], y = ((const uint64_t *)freqs)[b];

	return x != y ? (x > y ? -1 : 1) : sh_compare(a, b);
}

/* Gives frequent Han characters the lowest Han codes. Replaces the pool's units by codes. */
static void assign_codes(struct compiler *c)
{
	uint16_t order[SH_HAN_COUNT];

	for (uint32_t i = 0; i < SH_HAN_COUNT; i++)
		order[i] = (uint16_t)i;
	qsort_r(order, SH_HAN_COUNT, sizeof *order, by_freq, c->han_freq);
	for (uint32_t u = 0; u < 0x10000; u++)
		c->code[u] = sh_jieba_text_code(u);
	for (uint32_t i = 0; i < SH_HAN_COUNT; i++)
		c->code[SH_HAN_FIRST + order[i]] = (uint16_t)(SH_CODE_HAN + i);
	for (size_t i = 0; i < c->pool_n; i++)
		c->pool[i] = sh_jieba_word_code(c->code, c->pool[i]);
}

/* Makes *image an image of zeros with the fixed part of the header. Returns the bytes, or NULL. */
static char *start_image(struct sh_buf *image, uint32_t n_nodes, struct sh_error *err)
{
	struct sh_jieba_layout l = sh_jieba_layout(n_nodes);
	struct sh_jieba_header *h;

	/* The size fits in a size_t: all the data are in memory. */
	if (sh_buf_reserve(image, (size_t)l.size, err) < 0)
		return NULL;
	memset(image->p, 0, (size_t)l.size);
	image->n = (size_t)l.size;
	h = (void *)image->p;
	memcpy(h->magic, SH_JIEBA_MAGIC, sizeof h->magic);
	h->version = SH_JIEBA_VERSION;
	h->order = SH_JIEBA_ORDER;
	h->file_size = l.size;
	h->n_nodes = n_nodes;
	return image->p;
}

static int write_image(const struct compiler *c, struct sh_buf *image, struct sh_error *err)
{
	struct sh_jieba_layout l = sh_jieba_layout(c->n_nodes);
	char *p = start_image(image, c->n_nodes, err);
	struct sh_jieba_header *h = (void *)p;

	if (!p)
		return -1;
	h->total = c->total;
	h->log_total = log((double)c->total);
	h->max_len = c->max_len;
	memcpy(h->start, c->start, sizeof h->start);
	memcpy(h->trans, c->trans, sizeof h->trans);
	memcpy(p + l.code, c->code, sizeof c->code);
	for (size_t i = 0; i < SH_HAN_COUNT; i++)
		memcpy(p + l.emit +
			   (c->code[SH_HAN_FIRST + i] - (size_t)SH_CODE_HAN) * sizeof *c->emit,
		    c->emit[i], sizeof *c->emit);
	memcpy(p + l.node, c->nodes, c->n_nodes * sizeof *c->nodes);
	memcpy(p + l.freq, c->freq, c->n_nodes * sizeof *c->freq);
	sh_jieba_seal(p);
	return 0;
}

static int compile(struct compiler *c, const struct sh_jieba_source *src, struct sh_buf *image,
    struct sh_error *err)
{
	c->max_len = 1; /* every route may have words of one character */
	if (read_model(c, src, err) < 0 || read_dict(c, src->dict, err) < 0)
		return -1;
	assign_codes(c);
	if (sh_trie_build(c->words, c->n, c->pool, &c->nodes, &c->freq, &c->n_nodes, err) < 0)
		return -1;
	return write_image(c, image, err);
}

int sh_jieba_compile(const struct sh_jieba_source *src, struct sh_buf *image, struct sh_error *err)
{
	struct compiler *c = calloc(1, sizeof *c);
	int status;

	if (!c)
		return sh_error_nomem(err);
	status = compile(c, src, image, err);
	free(c->words);
	free(c->pool);
	free(c->nodes);
	free(c->freq);
	free(c);
	return status;
}

int sh_jieba_save(const struct sh_jieba *j, struct sh_buf *image, struct sh_error *err)
{
	struct sh_jieba_layout l = sh_jieba_layout(j->h.n_nodes);
	char *p = start_image(image, j->h.n_nodes, err);
	struct sh_jieba_header *h = (void *)p;

	if (!p)
		return -1;
	*h = j->h;
	h->file_size = l.size;
	memcpy(p + l.code, j->code, 0x10000 * sizeof *j->code);
	memcpy(p + l.emit, j->emit, SH_HAN_COUNT * sizeof *j->emit);
	memcpy(p + l.node, j->node, j->h.n_nodes * sizeof *j->node);
	memcpy(p + l.freq, j->freq, j->h.n_nodes * sizeof *j->freq);
	sh_jieba_seal(p);
	return 0;
}
