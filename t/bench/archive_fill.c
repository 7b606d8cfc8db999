/* Fills a new archive with N synthetic documents of 98 features each. The segments have the sizes
 * that many runs would leave: a half, a quarter, an eighth, ... of the documents. Keys, features
 * and numbers are random, with the distribution of unrelated documents.
 *
 *     archive_fill DIR N */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive/change.h"
#include "archive/keys.h"
#include "archive/segment_write.h"
#include "archive/sketch.h"
#include "base/num.h"
#include "hash/mix.h"

enum { FEATURES = 98, SEGMENTS = 5 };

static uint64_t state;

static uint64_t draw(void)
{
	return sh_mix_moremur(state += SH_MIX_GOLDEN);
}

static void must(int status, const struct sh_error *err)
{
	if (status >= 0)
		return;
	fprintf(stderr, "archive_fill: %s\n", err->text);
	exit(2);
}

static uint64_t below(uint64_t n)
{
	return (uint64_t)((unsigned __int128)draw() * n >> 64);
}

static void write_doc(struct sh_segment_writer *w, uint32_t number, struct sh_buf *line)
{
	char id[32], fp[16];
	uint64_t bits = draw();
	struct sh_doc_record r = { .number = number,
		.keeper = number,
		.time = 1700000000,
		.distance = sh_slice("0", 1),
		.similarity = sh_slice("1.0000", 6),
		.digest = draw(),
		.id = { id, 0 } };
	struct sh_error err;

	r.id.n = (size_t)snprintf(id, sizeof id, "made-up-%010" PRIu32, number);
	r.fp = sh_slice(fp, sh_print_hex(fp, &bits, 16));
	line->n = 0;
	must(sh_doc_print(&r, line, &err), &err);
	must(sh_segment_write(w, SH_PART_DOC, sh_buf_slice(line), &err), &err);
}

static void write_sketch(struct sh_segment_writer *w, uint32_t number, struct sh_buf *line)
{
	uint64_t hash[FEATURES], at = 0, word = (uint64_t)number << 32;
	struct sh_error err;

	for (int i = 0; i < FEATURES; i++)
		hash[i] = at += below(UINT64_MAX / FEATURES);
	line->n = 0;
	must(sh_buf_reserve(line, 16, &err), &err);
	line->n = sh_print_hex(line->p, &word, 8);
	line->p[line->n++] = '\t';
	must(sh_sketch_print(hash, FEATURES, line, &err), &err);
	must(sh_buf_add(line, "\n", 1, &err), &err);
	must(sh_segment_write(w, SH_PART_STORE, sh_buf_slice(line), &err), &err);
}

/* Writes one key of each document for the band, sorted by key. Documents are in a mixed order. */
static void write_band(struct sh_segment_writer *w, unsigned band, uint32_t first, uint32_t n)
{
	uint64_t step = (UINT64_C(1) << 40) / n, at = 0, prime = 2654435761;
	struct sh_error err;

	for (uint32_t i = 0; i < n; i++) {
		char line[SH_KEY_LINE];

		at = i * step + 1 + below(step - 1);
		sh_key_print(
		    line, (uint64_t)band << 40 | at, first + (uint32_t)((i * prime + band) % n));
		must(sh_segment_write(w, SH_PART_KEY, sh_slice(line, sizeof line), &err), &err);
	}
}

static void write_segment(struct sh_change *c, uint32_t n)
{
	struct sh_segment_writer *w = malloc(sizeof *w);
	struct sh_manifest *m = &c->next;
	struct sh_buf line = { 0 };
	uint32_t first = m->next_number;
	struct sh_error err;

	must(w ? 0 : sh_error_nomem(&err), &err);
	must(sh_segment_create(w, &c->archive->folder, m->next_segment++, m->store, &err), &err);
	for (uint32_t i = 0; i < n; i++) {
		write_doc(w, first + i, &line);
		if (m->store == SH_ARCHIVE_SKETCH)
			write_sketch(w, first + i, &line);
	}
	for (unsigned band = 0; band < m->bands; band++)
		write_band(w, band, first, n);
	write_band(w, SH_KEY_BAND_ID, first, n);
	sh_segment_covers(w, first, first + n - 1);
	must(sh_segment_finish(w, &err), &err);
	must(sh_manifest_add(m, &w->entry, &err), &err);
	sh_segment_abandon(w);
	sh_buf_free(&line);
	free(w);
	m->next_number += n;
	m->documents += n;
	m->kept += n;
}

int main(int argc, char **argv)
{
	struct sh_archive a;
	struct sh_change c;
	struct sh_error err;
	uint64_t n, left;

	if (argc != 3 || sh_parse_u64(sh_slice_str(argv[2]), &n) < 0 || n < 64 || n > 1000000000) {
		fprintf(stderr, "usage: archive_fill DIR N\n");
		return 2;
	}
	must(sh_archive_open(&a, argv[1], &err), &err);
	must(sh_archive_lock(&a, true, 0, &err), &err);
	must(sh_change_begin(&c, &a, &err), &err);
	left = n;
	for (int i = 0; i < SEGMENTS; i++) {
		uint64_t some = i == SEGMENTS - 1 ? left : left / 2;

		write_segment(&c, (uint32_t)some);
		left -= some;
	}
	must(sh_change_commit(&c, &err), &err);
	sh_change_end(&c);
	sh_archive_close(&a);
	return 0;
}
