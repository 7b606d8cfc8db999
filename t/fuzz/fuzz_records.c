/* SPDX-License-Identifier: MIT */
/* Lines as records of every kind. An accepted record prints as the same line; the fast readers of
 * features and fingerprints agree with the general ones; escaping and unescaping are inverse. */
#include "fuzz.h"

#include "base/num.h"
#include "io/source.h"
#include "record/document.h"
#include "record/escape.h"
#include "record/fpline.h"

static struct sh_error err;
static struct sh_buf again;

static void put(struct sh_slice s)
{
	check(sh_buf_add(&again, s.p, s.n, &err) == 0);
}

static void put_str(const char *s)
{
	put(sh_slice_str(s));
}

/* Checks that the bytes written since the last call equal the line. */
static void is(struct sh_slice line)
{
	check(sh_slice_eq(line, sh_buf_slice(&again)));
	again.n = 0;
}

static void good_id(struct sh_slice id)
{
	check(id.n >= 1 && id.n <= SH_ID_MAX);
	check(!memchr(id.p, '\t', id.n) && !memchr(id.p, '\r', id.n));
}

/* Checks that the printed form of a weight parses to the same weight. */
static void good_weight(int64_t weight)
{
	char text[SH_NUM_CHARS];
	int64_t back;

	check(weight >= 0);
	check(sh_parse_weight(sh_slice(text, sh_print_weight(text, weight)), &back) == 0);
	check(back == weight);
}

static void good_fp(const struct sh_fp_record *r)
{
	char hex[SH_FP_HEX_MAX];

	good_id(r->id);
	check(r->bits == 4 * r->hex.n && r->hex.n <= SH_FP_HEX_MAX);
	check(sh_slice_eq(r->hex, sh_slice(hex, sh_print_hex(hex, r->fp, r->hex.n))));
}

static void document(struct sh_slice line)
{
	static const char *const fields[] = { "1,2", "2,1", "3,1", "1,3" };
	struct sh_document_form form = { 0 };
	struct sh_document_room room = { 0 };
	struct sh_document doc;

	if (sh_document_parse(&form, line, 1, &room, &doc, &err) == 0) {
		good_id(doc.id);
		check(!memchr(doc.text.p, '\r', doc.text.n));
		put(doc.id);
		put_str("\t");
		put(doc.text);
		is(line);
	}
	for (unsigned i = 0; i < 4; i++) {
		check(sh_document_form_parse(fields[i], &form, &err) == 0);
		if (sh_document_parse(&form, line, 1, &room, &doc, &err) < 0)
			continue;
		good_id(doc.id);
		check(doc.text.p >= line.p && doc.text.p + doc.text.n <= line.p + line.n);
		check(!memchr(doc.text.p, '\t', doc.text.n));
	}
	form = (struct sh_document_form){ .json = true };
	if (sh_document_parse(&form, line, 1, &room, &doc, &err) == 0)
		good_id(doc.id);
	sh_document_room_free(&room);
}

static void put_tag(int tag)
{
	char text[8];

	if (tag == SH_NO_TAG)
		return;
	check(tag >= 0 && tag <= 0xffff);
	snprintf(text, sizeof text, "\t%04x", (unsigned)tag);
	put_str(text);
}

static void other_records(struct sh_slice line)
{
	struct sh_fp_record fp;
	struct sh_band_record band;
	struct sh_pair_record pair;
	struct sh_df_record df;

	if (sh_record_fp(line, &fp, &err) == 0) {
		good_fp(&fp);
		put(fp.hex);
		put_str("\t");
		put(fp.id);
		put_tag(fp.tag);
		is(line);
	}
	if (sh_record_band(line, &band, &err) == 0) {
		good_fp(&band.of);
		put(band.key);
		put_str("\t");
		put(band.of.hex);
		put_str("\t");
		put(band.of.id);
		is(line);
	}
	if (sh_record_pair(line, &pair, &err) == 0) {
		good_id(pair.id1);
		good_id(pair.id2);
		check(pair.similarity >= -1 && pair.similarity <= SH_WEIGHT_ONE);
		put(pair.id1);
		put_str("\t");
		put(pair.id2);
		check(again.n < line.n && memcmp(again.p, line.p, again.n) == 0);
		again.n = 0;
	}
	if (sh_record_df(line, &df, &err) == 0)
		check(df.text.p == line.p && line.p[df.text.n] == '\t');
}

static bool feature(struct sh_slice line, struct sh_feature *f)
{
	if (sh_record_feature(line, f, &err) < 0)
		return false;
	good_id(f->id);
	good_weight(f->weight);
	put(f->id);
	put_str("\t");
	put(f->text);
	check(line.n > again.n && memcmp(line.p, again.p, again.n) == 0);
	again.n = 0;
	return true;
}

/* Checks that both readers of features read the line at p alike, and that the fast one reads usual
 * records. */
static void fast_feature(struct sh_slice id, const char *p, struct sh_slice line, const char *end)
{
	struct sh_buf prefix = { 0 };
	struct sh_feature slow;
	struct sh_slice text;
	const char *next;
	int64_t weight;

	check(
	    sh_buf_add(&prefix, id.p, id.n, &err) == 0 && sh_buf_add(&prefix, "\t", 1, &err) == 0);
	next = sh_feature_line(sh_buf_slice(&prefix), p, end, &text, &weight);
	sh_buf_free(&prefix);
	if (sh_record_feature(line, &slow, &err) < 0 || !sh_slice_eq(slow.id, id)) {
		check(!next);
		return;
	}
	check(next || slow.text.n == 0 || slow.text.n > SH_ID_MAX || memchr(line.p, '\r', line.n));
	if (!next)
		return;
	check(next == p + line.n + 1 && weight == slow.weight);
	check(text.p == p + (slow.text.p - line.p) && text.n == slow.text.n);
}

/* Checks that both readers read a fingerprint line alike, with the width of its first field. */
static void fast_fp(const char *p, struct sh_slice line, const char *end)
{
	const char *tab = memchr(line.p, '\t', line.n);
	uint64_t fp[SH_FP_HEX_MAX / 16 + 1];
	struct sh_fp_record slow;
	bool good = sh_record_fp(line, &slow, &err) == 0;
	struct sh_fp_form form;
	struct sh_slice id;
	size_t n;

	if (!tab || tab - p > SH_FP_HEX_MAX || tab == p)
		return;
	form = sh_fp_form((unsigned)(tab - p), good ? slow.tag : SH_NO_TAG);
	n = sh_fp_line(p, end, &form, fp, &id);
	check((n > 0) == (good && p + line.n < end));
	if (n == 0)
		return;
	check(n == line.n + 1 && sh_slice_eq(slow.id, id));
	check(memcmp(slow.fp, fp, (slow.bits + 63) / 64 * sizeof *fp) == 0);
}

static void escapes(struct sh_slice text)
{
	struct sh_buf plain = { 0 }, back = { 0 };

	check(sh_unescape(text, &plain, &err) == 0 && plain.n <= text.n);
	check(sh_escape(sh_buf_slice(&plain), &back, &err) == 0);
	check(!sh_needs_escape(sh_buf_slice(&plain)) ||
	      (back.n > plain.n && !memchr(back.p, '\t', back.n) && !memchr(back.p, '\n', back.n) &&
		  !memchr(back.p, '\r', back.n)));
	plain.n = 0;
	check(sh_unescape(sh_buf_slice(&back), &plain, &err) == 0);
	back.n = 0;
	check(sh_escape(sh_buf_slice(&plain), &back, &err) == 0);
	plain.n = 0;
	/* Escaping and unescaping give the same bytes. */
	back.n = 0;
	check(sh_escape(text, &back, &err) == 0);
	check(sh_unescape(sh_buf_slice(&back), &plain, &err) == 0);
	check(sh_slice_eq(sh_buf_slice(&plain), text));
	sh_buf_free(&plain);
	sh_buf_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy(data, size, SH_PAD);
	const char *p = text, *end = text + size, *lf;

	for (; p < end; p = lf + 1) {
		static char last_id[SH_ID_MAX]; /* of a feature */
		static size_t last_n;
		struct sh_feature f;
		struct sh_slice line;

		lf = memchr(p, '\n', (size_t)(end - p));
		lf = lf ? lf : end;
		/* The copy has the exact size, so that sanitizers find reads behind the line. */
		line = sh_slice(fuzz_copy(p, (size_t)(lf - p), 0), (size_t)(lf - p));
		document(line);
		other_records(line);
		if (feature(line, &f)) {
			memcpy(last_id, f.id.p, f.id.n);
			last_n = f.id.n;
		}
		if (lf < end && last_n)
			fast_feature(sh_slice(last_id, last_n), p, line, lf + 1);
		escapes(line);
		free((char *)(uintptr_t)line.p);
		if (lf < end)
			fast_fp(p, sh_slice(p, (size_t)(lf - p)), lf + 1);
	}
	free(text);
	return 0;
}
