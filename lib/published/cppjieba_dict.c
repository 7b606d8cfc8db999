/* SPDX-License-Identifier: MIT */
#include "published/cppjieba.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "base/siphash.h"
#include "io/source.h"
#include "unicode/utf8.h"

static int put(struct sh_cppjieba *d, struct sh_slice key, uint32_t *index, struct sh_error *err)
{
	bool fresh;

	if (sh_hmap_put(&d->keys, key, index, &fresh, err) < 0)
		return -1;
	if (SH_RESERVE(d->word, d->word_cap, (size_t)*index + 1, err) < 0)
		return -1;
	if (fresh)
		d->word[*index] = (struct sh_cpp_word){ 0 };
	return 0;
}

/* cppjieba searches for words of at most WORD_MAX_CHARS characters. All prefixes of a word are
 * kept: without a limit their size would be quadratic in its length. */
enum { WORD_MAX_CHARS = 512 };

/* Adds the word and its prefixes. The last line of a repeated word is used. Ignores a word of more
 * than WORD_MAX_CHARS characters. */
static int add_word(
    struct sh_cppjieba *d, struct sh_slice text, double weight, bool user, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	uint32_t index = 0;
	size_t chars = 0;

	while (p < end) {
		sh_utf8_next(&p, end);
		if (++chars > WORD_MAX_CHARS)
			return 0;
		if (put(d, sh_slice(text.p, (size_t)(p - (const uint8_t *)text.p)), &index, err) <
		    0)
			return -1;
	}
	if (text.n) {
		d->word[index].is_word = true;
		d->word[index].weight = weight;
		d->word[index].user |= user;
	}
	return 0;
}

/* Refuses NaN and infinity, which would make all words equally probable. */
static int parse_number(struct sh_slice s, double *x)
{
	return sh_parse_real(s, x) < 0 || !isfinite(*x) ? -1 : 0;
}

/* Reads "word frequency tag". The weight of a word is its frequency until finish_weights(). */
static int dict_line(struct sh_cppjieba *d, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice word = sh_slice_cut(&line, ' '), number = sh_slice_cut(&line, ' ');
	double freq;

	if (word.n == 0 || parse_number(number, &freq) < 0 || freq <= 0)
		return sh_error_set(err, SH_ERR_RECORD, "expected WORD FREQUENCY TAG");
	if (!isfinite(d->total + freq))
		return sh_error_set(err, SH_ERR_RECORD, "frequencies too large");
	if (SH_RESERVE(d->freq, d->freq_cap, d->n_freq + 1, err) < 0)
		return -1;
	d->freq[d->n_freq++] = freq;
	d->total += freq;
	return add_word(d, word, freq, false, err);
}

static int user_line(struct sh_cppjieba *d, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice word = sh_slice_cut(&line, ' '), second = sh_slice_cut(&line, ' ');
	double weight = d->median, freq;

	if (line.n) {
		if (parse_number(second, &freq) < 0 || freq <= 0)
			return sh_error_set(err, SH_ERR_RECORD, "expected WORD [[FREQUENCY] TAG]");
		weight = log(freq / d->total);
	}
	return add_word(d, word, weight, true, err);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int finish_weights(struct sh_cppjieba *d, struct sh_error *err)
{
	if (d->n_freq == 0)
		return sh_error_set(err, SH_ERR_RECORD, "no words");
	for (uint32_t i = 0; i < d->keys.n; i++)
		if (d->word[i].is_word)
			d->word[i].weight = log(d->word[i].weight / d->total);
	qsort(d->freq, d->n_freq, sizeof *d->freq, by_value);
	d->least = log(d->freq[0] / d->total);
	d->median = log(d->freq[d->n_freq / 2] / d->total);
	return 0;
}

/* Reads "x:probability,x:probability..." of one state. */
static int emit_line(
    struct sh_cppjieba *d, struct sh_slice line, unsigned state, struct sh_error *err)
{
	while (line.n) {
		struct sh_slice pair = sh_slice_cut(&line, ',');
		const uint8_t *p = (const uint8_t *)pair.p, *end = p + pair.n;
		uint32_t c = pair.n ? sh_utf8_next(&p, end) : 0, *row = &d->emit_row[c];
		double x;

		if (p >= end || *p != ':' ||
		    parse_number(sh_slice((const char *)p + 1, (size_t)(end - p - 1)), &x) < 0)
			return sh_error_set(err, SH_ERR_RECORD, "expected character:number,...");
		if (*row == 0) {
			if (SH_RESERVE(d->emit, d->emit_cap, d->n_emit + 1, err) < 0)
				return -1;
			for (unsigned y = 0; y < SH_CPP_STATES; y++)
				d->emit[d->n_emit][y] = SH_CPP_NEVER;
			*row = (uint32_t)++d->n_emit;
		}
		d->emit[*row - 1][state] = x;
	}
	return 0;
}

/* Reads one of nine lines: start, four of trans, and one of emit for each state. */
static int model_line(
    struct sh_cppjieba *d, struct sh_slice line, unsigned number, struct sh_error *err)
{
	double *row;

	if (number > 4)
		return emit_line(d, line, number - 5, err);
	row = number == 0 ? d->start : d->trans[number - 1];
	for (unsigned y = 0; y < SH_CPP_STATES; y++)
		if (parse_number(sh_slice_cut(&line, ' '), &row[y]) < 0)
			return sh_error_set(err, SH_ERR_RECORD, "expected 4 numbers");
	return 0;
}

enum file { DICT, USER, MODEL };

static const char *const file_names[] = {
	[DICT] = "jieba.dict.utf8",
	[USER] = "user.dict.utf8",
	[MODEL] = "hmm_model.utf8",
};

/* Adds a line to the checksum, which depends on the order of the lines. */
static void sum_line(struct sh_cppjieba *d, enum file file, struct sh_slice line)
{
	const uint64_t key[2] = { d->checksum, (uint64_t)file };

	d->checksum = sh_siphash(key, line.p, line.n);
}

/* Adds the name of the file to the message: err->file would point to a path that is freed. Messages
 * of the system name the file already. */
static void add_file_name(enum file file, uint64_t line, struct sh_error *err)
{
	err->file = NULL;
	if (err->code == SH_ERR_IO || err->code == SH_ERR_NOMEM)
		return;
	if (line)
		sh_error_set(err, err->code, "%s of cppjieba: line %llu: %s", file_names[file],
		    (unsigned long long)line, err->text);
	else
		sh_error_set(err, err->code, "%s of cppjieba: %s", file_names[file], err->text);
}

static int read_file(struct sh_cppjieba *d, const char *path, enum file file, struct sh_error *err)
{
	char *const names[] = { (char *)(uintptr_t)path };
	struct sh_lines lines;
	struct sh_slice line;
	unsigned number = 0;
	int got = 0, status = 0;

	sh_lines_init(&lines, names, 1);
	while (status == 0 && (got = sh_lines_next(&lines, &line, err)) > 0) {
		if (line.n == 0 || (file == MODEL && line.p[0] == '#'))
			continue;
		sum_line(d, file, line);
		/* A word with ill-formed UTF-8 occurs in no text. */
		if (!sh_utf8_valid(line.p, line.n))
			status = sh_error_set(err, SH_ERR_RECORD,
			    "ill-formed UTF-8 (convert other encodings with iconv)");
		else if (file == DICT)
			status = dict_line(d, line, err);
		else if (file == USER)
			status = user_line(d, line, err);
		else if (number < 9)
			status = model_line(d, line, number++, err);
	}
	if (status == 0 && got == 0 && file == DICT)
		status = finish_weights(d, err);
	if (status == 0 && got == 0 && file == MODEL && number < 9)
		status = sh_error_set(err, SH_ERR_RECORD,
		    "the model is incomplete: expected nine lines that are not comments");
	if (got < 0)
		add_file_name(file, err->line, err);
	else if (status < 0)
		add_file_name(file, lines.from.line, err);
	sh_lines_free(&lines);
	return status < 0 || got < 0 ? -1 : 0;
}

static int read_all(struct sh_cppjieba *d, const char *directory, struct sh_error *err)
{
	char path[PATH_MAX];

	for (enum file file = DICT; file <= MODEL; file++) {
		int n = snprintf(path, sizeof path, "%s/%s", directory, file_names[file]);

		if (n < 0 || (size_t)n >= sizeof path)
			return sh_error_set(err, SH_ERR_PARAM, "the directory's name is too long");
		if (access(path, R_OK) < 0) {
			if (file == USER && errno == ENOENT)
				continue;
			return sh_error_sys(err, "cannot read %s", path);
		}
		if (read_file(d, path, file, err) < 0)
			return -1;
	}
	return 0;
}

struct sh_cppjieba *sh_cppjieba_open(const char *directory, struct sh_error *err)
{
	struct sh_cppjieba *d = calloc(1, sizeof *d);

	if (!d) {
		sh_error_nomem(err);
		return NULL;
	}
	d->emit_row = calloc(SH_UTF8_LIMIT, sizeof *d->emit_row);
	if (!d->emit_row)
		sh_error_nomem(err);
	else if (sh_hmap_init(&d->keys, err) == 0 && read_all(d, directory, err) == 0)
		return d;
	sh_cppjieba_delete(d);
	return NULL;
}

uint64_t sh_cppjieba_checksum(const struct sh_cppjieba *d)
{
	return d->checksum;
}

void sh_cppjieba_delete(struct sh_cppjieba *d)
{
	if (!d)
		return;
	sh_hmap_free(&d->keys);
	free(d->word);
	free(d->freq);
	free(d->emit_row);
	free(d->emit);
	free(d);
}
