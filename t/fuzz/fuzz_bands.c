/* SPDX-License-Identifier: MIT */
/* Any bytes as keys of bands; the keys of a layout, written and read; and any lines as a stream of
 * bands, which gives the same pairs with much and with little memory. */
#include "fuzz.h"

#include "band/band.h"
#include "base/num.h"
#include "io/source.h"
#include "join/bands.h"

const unsigned fuzz_random = 2000;

static struct sh_error err;

/* Checks that the head of a valid key equals the head that its layout writes. */
static void any_key(struct sh_slice key, unsigned bits)
{
	struct sh_band b;
	uint32_t number;

	if (sh_band_from_key(&b, key, bits, &err) < 0)
		return;
	check(b.bits == bits && b.key_len <= SH_BAND_MAX_KEY && b.tables > 0);
	if (sh_band_parse(&b, key, &number, &err) == 0) {
		check(number < b.tables && key.n == b.key_len);
		check(b.table[number].number == number);
	}
	sh_band_free(&b);
}

/* Makes a layout from the input. Returns false when the input gives no layout with few tables. */
static bool layout(struct sh_band *b)
{
	static const unsigned widths[] = { 64, 32, 128, 256, 4, 20, 1024 };
	unsigned bits = widths[fuzz_take(1) % 7], k = (unsigned)fuzz_take(1) % 20;

	if (sh_band_init(b, bits, k, k + 1 + (unsigned)fuzz_take(1) % 4, &err) < 0)
		return false;
	if (b->tables <= 300)
		return true;
	sh_band_free(b);
	return false;
}

/* Writes a key bit by bit, by the definition in band.h: the digits of its layout, then the bits of
 * its blocks, filled up with zeros. */
static void slow_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out)
{
	unsigned n = 0, digit = 0;

	out += sprintf(
	    out, "%02x%02x%0*x", b->k, b->blocks, (int)b->table_digits, (unsigned)t->number);
	for (unsigned c = 0; c < b->chosen || n % 4; c++) {
		unsigned at = c < b->chosen ? b->bits * t->block[c] / b->blocks : 0;
		unsigned end = c < b->chosen ? b->bits * (t->block[c] + 1U) / b->blocks : 4 - n % 4;

		for (; at < end; at++) {
			digit = digit << 1 | (c < b->chosen && fp[at / 64] >> (63 - at % 64) & 1);
			if (++n % 4 == 0) {
				out += sprintf(out, "%x", digit);
				digit = 0;
			}
		}
	}
	memset(out, '0', b->bits_digits - n / 4);
}

/* Checks that every key of a fingerprint is as defined, accepted and declares the layout, and that
 * a key of another fingerprint is refused. */
static void own_keys(const struct sh_band *b, const uint64_t *fp)
{
	char key[SH_BAND_MAX_KEY], slow[SH_BAND_MAX_KEY + 8];
	uint32_t number;
	struct sh_band back;

	for (uint32_t t = 0; t < b->tables; t += 1 + b->tables / 8) {
		const struct sh_band_table *table = &b->table[t];
		struct sh_slice s = sh_slice(key, b->key_len);
		unsigned bit = (unsigned)fuzz_take(1) % b->bits;
		uint64_t other[SH_FP_MAX_WORDS];
		bool mine = false;

		sh_band_key(b, table, fp, key);
		slow_key(b, table, fp, slow);
		check(memcmp(key, slow, b->key_len) == 0);
		check(sh_band_parse(b, s, &number, &err) == 0 && number == t);
		check(sh_band_check_key(b, table, s, fp, &err) == 0);
		memcpy(other, fp, b->words * sizeof *fp);
		other[bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
		for (unsigned r = 0; r < table->runs; r++)
			mine |= bit >= table->run[r].from && bit < table->run[r].to;
		check((sh_band_check_key(b, table, s, other, &err) == 0) == !mine);
		check(sh_band_from_key(&back, s, b->bits, &err) == 0);
		check(back.tables == b->tables && back.k == b->k && back.blocks == b->blocks);
		sh_band_free(&back);
	}
}

/* ---- streams ---- */

struct lines {
	struct sh_bands *bands;
	const char *p, *end;
};

/* Reads the next good record, as shjoin does with --rejects. */
static int next_record(void *arg, unsigned side, struct sh_band_record *r, struct sh_error *e)
{
	struct lines *l = arg;

	while (l->p < l->end) {
		const char *lf = memchr(l->p, '\n', (size_t)(l->end - l->p));
		struct sh_slice line = sh_slice(l->p, (size_t)((lf ? lf : l->end) - l->p));

		l->p += line.n + (lf != NULL);
		if (sh_record_band(line, r, e) == 0 && sh_bands_check(l->bands, side, r, e) == 0)
			return 1;
		if (e->code != SH_ERR_RECORD)
			return -1;
	}
	return 0;
}

static int append(void *arg, struct sh_job *job, struct sh_error *e)
{
	return sh_buf_add(arg, job->out.p, job->out.n, e);
}

/* Joins, and stores the pairs, or the error. */
static void join(struct sh_slice text, bool collapse, size_t memory, struct sh_buf *out)
{
	const struct sh_bands_opts opts = {
		.k = -1, .collapse = collapse, .sides = 1, .threads = 1, .memory = memory
	};
	const struct sh_pool pool = { .done = append, .arg = out };
	struct sh_job job = { .pool = &pool };
	struct lines l = { sh_bands_new(&opts, &err), text.p, text.p + text.n };
	int status;

	check(l.bands != NULL);
	status = sh_bands_join(l.bands, next_record, &l, &job, &err);
	if (status < 0)
		check(sh_buf_add(out, err.text, strlen(err.text), &err) == 0);
	check(sh_job_flush(&job, &err) == 0);
	sh_buf_free(&job.out);
	sh_bands_delete(l.bands);
}

/* The pairs do not depend on the memory, except for their order. */
static void stream(struct sh_slice text, bool collapse)
{
	struct sh_buf much = { 0 }, little = { 0 };

	join(text, collapse, 1 << 20, &much);
	join(text, collapse, 1, &little);
	check(much.n == little.n);
	sh_buf_free(&much);
	sh_buf_free(&little);
}

static int by_line(const void *a, const void *b)
{
	return sh_slice_cmp(*(const struct sh_slice *)a, *(const struct sh_slice *)b);
}

/* Joins the sorted records of shband, with at most one changed byte. */
static void own_stream(const struct sh_band *b, bool collapse)
{
	enum { RECORDS = 12 };
	uint64_t fp[RECORDS][SH_FP_MAX_WORDS];
	struct sh_slice line[RECORDS * 300];
	struct sh_buf out = { 0 }, sorted = { 0 };
	unsigned n = 1 + (unsigned)fuzz_take(1) % RECORDS;
	size_t count = 0;
	char *text;

	if (b->tables > 300)
		return;
	for (unsigned i = 0; i < n; i++) {
		char hex[SH_FP_HEX_MAX], id[2] = { (char)('a' + fuzz_take(1) % 26), 0 };
		struct sh_fp_record r = { .id = sh_slice_str(id), .bits = b->bits };

		for (unsigned w = 0; w < b->words; w++)
			fp[i][w] = fuzz_take(8);
		if (b->bits % 64)
			fp[i][b->words - 1] &= ~(UINT64_MAX >> b->bits % 64);
		for (unsigned flips = (unsigned)fuzz_take(1) % 8; i && flips; flips--) {
			unsigned bit = (unsigned)fuzz_take(2) % b->bits;

			if (flips == 7)
				break;
			if (flips == 6)
				memcpy(fp[i], fp[i - 1], sizeof fp[i]);
			fp[i][bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
		}
		r.hex = sh_slice(hex, sh_print_hex(hex, fp[i], b->bits / 4));
		memcpy(r.fp, fp[i], b->words * sizeof *r.fp);
		check(sh_band_lines_add(b, &r, &out, &err) == 0);
	}
	own_keys(b, fp[0]);
	for (const char *p = out.p, *end = p + out.n; p < end; p += line[count++].n)
		line[count].p = p,
		line[count].n = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p) + 1;
	check(count == n * b->tables);
	qsort(line, count, sizeof *line, by_line);
	for (size_t i = 0; i < count; i++)
		check(sh_buf_add(&sorted, line[i].p, line[i].n, &err) == 0);
	if (fuzz_take(1) % 2)
		sorted.p[fuzz_take(4) % sorted.n] = (char)fuzz_take(1);
	text = fuzz_copy(sorted.p, sorted.n, SH_PAD);
	stream(sh_slice(text, sorted.n), collapse);
	free(text);
	sh_buf_free(&out);
	sh_buf_free(&sorted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool collapse, made;
	struct sh_band b;
	char *text;

	fuzz_begin(data, size);
	made = fuzz_take(1) % 2;
	collapse = fuzz_take(1) % 2;
	if (made) {
		if (!layout(&b))
			return 0;
		own_stream(&b, collapse);
		sh_band_free(&b);
		return 0;
	}
	text = fuzz_copy(fuzz_input.p, fuzz_input.n, SH_PAD);
	stream(sh_slice(text, fuzz_input.n), collapse);
	any_key(sh_slice(text, fuzz_input.n < 40 ? fuzz_input.n : 40), 64);
	any_key(sh_slice(text, fuzz_input.n), 4 * (1 + (unsigned)fuzz_take(1)));
	free(text);
	return 0;
}
