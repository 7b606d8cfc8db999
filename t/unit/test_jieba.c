/* SPDX-License-Identifier: MIT */
/* Compares the segmenter with the results of jieba 0.42.1: all of t/vectors/jieba_*.tsv. */
#include <math.h>

#include "jieba_util.h"
#include "segment/jieba_trie.h"
#include "unicode/utf8.h"

static struct sh_jieba *jieba;
static struct sh_segmenter *segmenter;

/* 1 when a row holds, 0 when not (the first is shown), NOT_OURS when it is not about us. */
typedef int (*check_row)(const struct row *r);

enum { NOT_OURS = -1 };

static void run(const char *name, check_row check)
{
	static struct row r;
	char path[256];
	struct sh_buf file;
	const char *p, *end;
	size_t rows = 0, good = 0, others = 0;

	snprintf(path, sizeof path, "t/vectors/%s.tsv", name);
	file = slurp_path(path);
	p = file.p;
	end = p + file.n;
	if (file.n)
		next_row(&p, end, &r); /* names of the columns */
	while (file.n && next_row(&p, end, &r)) {
		int holds = check(&r);

		if (holds == NOT_OURS) {
			others++;
			continue;
		}
		if (!holds && good == rows)
			printf("# first that differs: row %zu, %.*s\n", rows + 1, (int)r.field[0].n,
			    r.field[0].p);
		rows++;
		good += holds != 0;
	}
	ok(rows > 0 && good == rows, "%s: %zu of %zu rows (and %zu others)", path, good, rows,
	    others);
	sh_buf_free(&file);
	sh_buf_free(&r.text);
}

static int cuts_into(struct sh_segmenter *s, struct sh_slice mode_name, struct sh_slice text,
    const struct sh_slice *want, size_t n_want)
{
	const struct sh_slice *words;
	struct sh_error err;
	enum sh_jieba_mode mode;
	size_t n;

	must(sh_jieba_mode(mode_name, &mode) == 0);
	must(sh_segment(s, mode, text, &words, &n, &err) == 0);
	return same_words(words, n, want, n_want);
}

static int check_cut(const struct row *r)
{
	return cuts_into(segmenter, r->field[2], r->field[3], r->field + 5, r->n - 5);
}

static int check_cut_long(const struct row *r)
{
	return cuts_into(segmenter, r->field[1], r->field[3], r->field + 5, r->n - 5);
}

static int check_finalseg(const struct row *r)
{
	const struct sh_slice *words;
	struct sh_error err;
	size_t n;

	must(sh_segment(segmenter, SH_JIEBA_FINALSEG, r->field[0], &words, &n, &err) == 0);
	return same_words(words, n, r->field + 1, r->n - 1);
}

static long long number(struct sh_slice s)
{
	char text[64];

	snprintf(text, sizeof text, "%.*s", (int)s.n, s.p);
	return strtoll(text, NULL, 10);
}

static int check_freq(const struct row *r)
{
	return sh_jieba_freq(jieba, r->field[0]) == number(r->field[1]);
}

/* Codes of a text of class K, and a gap behind them. */
static size_t codes_of(struct sh_slice text, uint16_t *code)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	size_t n = 0;

	while (p < end)
		code[n++] = jieba->code[sh_utf8_next(&p, end)];
	code[n] = SH_CODE_GAP;
	return n;
}

static int check_viterbi(const struct row *r)
{
	uint16_t code[64];
	uint8_t path[64];
	size_t n = codes_of(r->field[0], code);
	double p = sh_hmm_path(jieba, code, n, path);

	for (size_t i = 0; i < n; i++)
		if ("BEMS"[path[i]] != r->field[1].p[i])
			return 0;
	return n == r->field[1].n && p == strtod(r->field[2].p, NULL);
}

/* The numbers of a JSON list, from *p to its closing bracket. */
static size_t json_list(const char **p, long *out)
{
	size_t n = 0;
	char *stop;

	while (**p == '[' || **p == ' ' || **p == ',')
		++*p;
	while (**p != ']') {
		out[n++] = strtol(*p, &stop, 10);
		for (*p = stop; **p == ',' || **p == ' ';)
			++*p;
	}
	++*p;
	return n;
}

static int check_dag_route(const struct row *r)
{
	uint16_t code[64], step[64], lengths[64];
	double ring[64];
	long want[64];
	size_t n = codes_of(r->field[0], code);
	const char *dag = r->field[1].p, *ends = r->field[2].p, *weights;
	char *stop;
	int good = json_list(&ends, want) == n;

	weights = r->field[3].p;
	sh_jieba_route(jieba, code, n, step, ring, 63);
	for (size_t k = 0; k < n && good; k++) {
		good &= (long)(k + step[k]) == want[k] + 1;
		/* the way from k on is that of the text from k on */
		good &= sh_jieba_route(jieba, code + k, n - k, step + k, ring, 63) ==
			strtod(weights, &stop);
		weights = stop;
	}
	for (size_t k = 0; k < n && good; k++) {
		size_t edges = sh_jieba_edges(jieba, code + k, n - k, lengths);

		good &= json_list(&dag, want) == edges;
		for (size_t i = 0; i < edges && good; i++)
			good &= want[i] + 1 == (long)(k + lengths[i]);
	}
	return good;
}

static size_t file_size(const char *name)
{
	struct sh_buf b = jieba_data(name);
	size_t n = b.n;

	sh_buf_free(&b);
	return n;
}

static int state_of(char letter)
{
	return (int)(strchr("BEMS", letter) - "BEMS");
}

/* "emit_count_B", "emit_minmax_B" */
static int check_emit_table(const char *name, const char *value)
{
	double min = 0, max = SH_HMM_NEVER;
	size_t n = 0;
	int state = state_of(name[strlen(name) - 1]);
	char *rest;

	for (size_t i = 0; i < SH_HAN_COUNT; i++) {
		double e = jieba->emit[i][state];

		if (e == SH_HMM_NEVER)
			continue;
		n++;
		min = e < min ? e : min;
		max = e > max ? e : max;
	}
	if (strncmp(name, "emit_count_", 11) == 0)
		return n == strtoul(value, NULL, 10);
	return strtod(value, &rest) == min && strtod(rest, NULL) == max;
}

static int check_fact(const struct row *r)
{
	const char *name = r->field[0].p, *value = r->field[1].p;
	uint16_t code[8];

	if (strncmp(name, "bytes:", 6) == 0)
		return file_size(name + 6) == strtoul(value, NULL, 10);
	if (strcmp(name, "emit_count_S") == 0) /* counts characters that are not Han, too */
		return NOT_OURS;
	if (strncmp(name, "emit_c", 6) == 0 || strncmp(name, "emit_m", 6) == 0)
		return check_emit_table(name, value);
	if (strncmp(name, "emit_", 5) == 0) {
		must(codes_of(sh_slice_str(name + 7), code) == 1);
		return jieba->emit[code[0] - SH_CODE_HAN][state_of(name[5])] == strtod(value, NULL);
	}
	if (strncmp(name, "trans_", 6) == 0)
		return jieba->h.trans[state_of(name[6])][state_of(name[8])] == strtod(value, NULL);
	if (strcmp(name, "max_freq") == 0) {
		uint64_t max = 0;

		for (uint32_t i = 0; i < jieba->h.n_nodes; i++)
			max = jieba->freq[i] > max ? jieba->freq[i] : max;
		return max == strtoull(value, NULL, 10);
	}
	return NOT_OURS;
}

/* A user dictionary, added to jieba's, and compiled into it. */
static int check_user(const struct row *r)
{
	static struct sh_jieba *added, *compiled;
	static struct sh_buf image, words;
	struct sh_segmenter *s[2];
	struct sh_error err;
	int good = 1;

	if (!sh_slice_eq(sh_buf_slice(&words), r->field[0])) {
		sh_jieba_delete(added);
		sh_jieba_delete(compiled);
		sh_buf_free(&image);
		words.n = 0;
		must(sh_buf_add(&words, r->field[0].p, r->field[0].n, &err) == 0);
		must((added = sh_jieba_open_image(jieba->image, &err)) != NULL);
		must(sh_jieba_add_user(added, r->field[0], &err) == 0);
		must(sh_jieba_save(added, &image, &err) == 0);
		must((compiled = sh_jieba_open_image(sh_buf_slice(&image), &err)) != NULL);
		good = sh_jieba_check(compiled, &err) == 0;
	}
	must((s[0] = sh_segmenter_new(added, &err)) && (s[1] = sh_segmenter_new(compiled, &err)));
	for (int i = 0; i < 2; i++) {
		good &= cuts_into(s[i], r->field[2], r->field[3], r->field + 4, r->n - 4);
		sh_segmenter_delete(s[i]);
	}
	return good && (long long)added->h.total == number(r->field[1]) &&
	       compiled->h.total == added->h.total;
}

static void check_totals(void)
{
	uint32_t keys = 0, words = 0;

	for (uint32_t i = 1; i < jieba->h.n_nodes; i++) {
		keys += jieba->node[i].check != SH_NODE_FREE && i != SH_NODE_ROOT;
		words += jieba->freq[i] > 0;
	}
	ok(jieba->h.total == 60101967, "the sum of the frequencies is that of jieba");
	ok(jieba->h.log_total == log(60101967.0), "the logarithm of the sum is that of jieba");
	ok(keys == 498113 && words == 349045, "the dictionary has %u keys, %u of them words", keys,
	    words);
	ok(jieba->h.max_len == 16, "the longest word has %u characters", jieba->h.max_len);
}

int main(void)
{
	struct sh_buf image = jieba_image(NULL);
	struct sh_error err;

	if (image.n == 0) {
		puts("1..0 # SKIP jieba's data are not there (JIEBA_DATA)");
		return 0;
	}
	must((jieba = sh_jieba_open_image(sh_buf_slice(&image), &err)) != NULL);
	must((segmenter = sh_segmenter_new(jieba, &err)) != NULL);
	check_totals();
	run("jieba_cut", check_cut);
	run("jieba_cut_long", check_cut_long);
	run("jieba_dag_route", check_dag_route);
	run("jieba_finalseg", check_finalseg);
	run("jieba_viterbi", check_viterbi);
	run("jieba_freq", check_freq);
	run("jieba_data_facts", check_fact);
	run("jieba_user", check_user);
	sh_segmenter_delete(segmenter);
	sh_jieba_delete(jieba);
	sh_buf_free(&image);
	return done_testing();
}
