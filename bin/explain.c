/* SPDX-License-Identifier: MIT */
#include "explain.h"

#include <inttypes.h>

#include "band/band.h"

enum kind { NONE, FINGERPRINTS, BANDS, TABLE };

enum { TAGS_SHOWN = 16 };

/* What was found in a file: its records by tag. */
struct found {
	const char *file;
	enum kind kind;
	unsigned bits;
	struct sh_band band;       /* layout of the bands */
	struct sh_df_record first; /* first record of the table */
	int tag[TAGS_SHOWN];
	uint64_t records[TAGS_SHOWN];
	size_t n;
	uint64_t more; /* records with further tags */
};

static void count(struct found *f, int tag)
{
	size_t i = 0;

	while (i < f->n && f->tag[i] != tag)
		i++;
	if (i == TAGS_SHOWN) {
		f->more++;
		return;
	}
	if (i == f->n) {
		f->tag[f->n] = tag;
		f->records[f->n++] = 0;
	}
	f->records[i]++;
}

/* ---- output ---- */

/* Writes the settings of a tag. The tag of a band has two digits and fits 1 of 256 settings, so it
 * can only show whether this run's settings are possible. */
static void write_tag(struct cli *c, bool band, int tag, const struct sh_settings *mine)
{
	int my_tag = sh_settings_tag(mine);
	bool fits = tag == (band ? my_tag & SH_BAND_TAG_MASK : my_tag);
	struct sh_settings common;
	bool known = !fits && !band && tag != SH_NO_TAG && sh_tag_lookup(tag, &common);
	char text[SH_SETTINGS_TEXT];

	sh_settings_print(known ? &common : mine, NULL, text);
	if (tag == SH_NO_TAG)
		cli_print(c, "no tag: made %s\n",
		    band ? "of fingerprints without a tag"
			 : "with --bare, by a profile other than default, or from features");
	else if (band)
		cli_print(
		    c, "tag %02x: %s shfp %s\n", (unsigned)tag, fits ? "perhaps" : "not", text);
	else if (fits || known)
		cli_print(c, "tag %04x: shfp %s\n", (unsigned)tag, text);
	else
		cli_print(c, "tag %04x: unknown settings, other than shfp %s (tag %04x)\n",
		    (unsigned)tag, text, (unsigned)my_tag);
}

static void write_found(struct cli *c, struct found *f, const struct sh_settings *mine)
{
	const char *what = f->kind == BANDS ? "band" : "fingerprint";

	if (f->kind == TABLE && f->first.words)
		cli_print(c,
		    "%s: table of %" PRIu64 " documents, features of up to %" PRIu64
		    " words (shtok -n %" PRIu64 ")\n",
		    f->file, f->first.df, f->first.words, f->first.words);
	else if (f->kind == TABLE)
		cli_print(c, "%s: table of %" PRIu64 " documents, features of unknown width\n",
		    f->file, f->first.df);
	for (size_t i = 0; i < f->n; i++) {
		cli_print(c, "%s: %" PRIu64 " %s%s of %u bits, ", f->file, f->records[i], what,
		    CLI_PLURAL(f->records[i]), f->bits);
		write_tag(c, f->kind == BANDS, f->tag[i], mine);
	}
	if (f->more)
		cli_print(c, "%s: %" PRIu64 " %ss with further tags\n", f->file, f->more, what);
	sh_band_free(&f->band);
}

/* ---- input ---- */

/* Counts a record. The first one of a file shows its kind. */
static int add_line(struct found *f, struct sh_slice line, struct sh_error *err)
{
	struct sh_fp_record fp;
	struct sh_band_record band;

	if (f->kind == NONE)
		f->kind = line.n && *line.p == '\t' && sh_record_df(line, &f->first, err) == 0
			      ? TABLE
			  : sh_is_band_record(line) ? BANDS
						    : NONE;
	if (f->kind == TABLE)
		return 0;
	if (f->kind == BANDS) {
		if (sh_record_band(line, &band, err) < 0)
			return -1;
		if (!f->bits &&
		    sh_band_from_key(&f->band, band.key, f->bits = band.of.bits, err) < 0)
			return -1;
		count(f, sh_band_cut_tag(&f->band, &band.key));
		return 0;
	}
	if (sh_record_fp(line, &fp, err) < 0)
		return f->kind == NONE ? sh_error_set(err, SH_ERR_RECORD,
					     "expected fingerprints, bands or a table of document "
					     "frequencies")
				       : -1;
	if (f->kind == NONE)
		f->bits = fp.bits;
	f->kind = FINGERPRINTS;
	if (sh_same_width(&f->bits, &fp, err) < 0)
		return -1;
	count(f, fp.tag);
	return 0;
}

void explain(struct cli *c, const struct sh_settings *mine)
{
	struct found f = { 0 };
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_error err;

	cli_lines_init(c, &lines);
	while (cli_line(c, &lines, &line)) {
		if (!f.file || strcmp(f.file, lines.from.file) != 0) {
			write_found(c, &f, mine);
			f = (struct found){ .file = lines.from.file };
		}
		if (add_line(&f, line, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
		}
	}
	write_found(c, &f, mine);
	sh_lines_free(&lines);
}
