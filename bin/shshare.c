/* shshare: finds the pairs of documents that share some features. */
#include <stdlib.h>

#include "base/num.h"
#include "cli.h"
#include "fp/bottom.h"
#include "hash/hash.h"
#include "join/share.h"
#include "peeked.h"
#include "record/fields.h"
#include "repeated_ids.h"

enum { LEAST = CLI_OWN, FEATURES };

#define DEFAULT_MEMORY ((size_t)1 << 30)

enum { DEFAULT_LEAST = 2, DEFAULT_FEATURES = 48, MAX_FEATURES = 65536 };

static const struct cli_option options[] = {
	{ LEAST, "least", "N", "write pairs that share at least N features [2]" },
	{ FEATURES, "features", "N", "keep the N features of the least hashes of a document [48]" },
	{ 'S', "memory", "SIZE", "memory to use before temporary files [1G]" },
	{ CLI_TMPDIR, "tmpdir", "DIR", "for temporary files [$TMPDIR, /tmp]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shshare",
	.synopsis = "[FILE [ARCHIVE]]",
	.purpose = "Features (id<TAB>feature<TAB>weight) to pairs of documents that share some.",
	.options = { options },
};

struct settings {
	unsigned least, features;
	bool features_given; /* --features was given */
	size_t memory;
};

/* The documents read so far. */
struct documents {
	struct sh_tables tables;
	struct sh_share share;
	struct sh_buf ids; /* ids, each followed by a NUL */
	uint64_t *id;      /* by document: offset of its id */
	size_t n, id_cap;
	uint32_t fresh; /* documents of the first of two files; otherwise 0 */

	struct sh_past_ids past;
	uint64_t *hash; /* features of the current document */
	size_t n_hashes, hash_cap;
	uint64_t *sample;
};

/* ---- reading ---- */

static int end_document(struct documents *d, const struct settings *s, struct sh_error *err)
{
	size_t n = sh_bottom(d->hash, d->n_hashes, s->features, d->sample);

	d->n_hashes = 0;
	return sh_share_add(&d->share, d->sample, n, err);
}

static struct sh_slice id_of(const struct documents *d, size_t i)
{
	size_t end = i + 1 < d->n ? (size_t)d->id[i + 1] : d->ids.n;

	return sh_slice(d->ids.p + d->id[i], end - (size_t)d->id[i] - 1);
}

static int begin_document(struct documents *d, struct sh_slice id, struct sh_error *err)
{
	if (d->n == SH_SHARE_NONE - 1)
		return sh_error_set(err, SH_ERR_RANGE, "too many documents: cut the input");
	if (d->n == d->id_cap && sh_tables_grow(&d->tables, (void **)&d->id, &d->id_cap, d->n + 1,
				     sizeof *d->id, err) < 0)
		return -1;
	d->id[d->n] = d->ids.n;
	if (sh_buf_add(&d->ids, id.p, id.n, err) < 0 || sh_buf_add(&d->ids, "", 1, err) < 0)
		return -1;
	d->n++;
	return 0;
}

static int add_feature(struct documents *d, struct sh_slice text, struct sh_error *err)
{
	if (d->n_hashes == d->hash_cap &&
	    sh_grow((void **)&d->hash, &d->hash_cap, d->n_hashes + 1, sizeof *d->hash, err) < 0)
		return -1;
	sh_hash_features(sh_hash_find("mix"), &text, 1, 0, 64, &d->hash[d->n_hashes++]);
	return 0;
}

/* Adds a line. first: this file has no document yet. */
static int add_line(struct documents *d, const struct settings *s, const struct sh_feature *f,
    const struct sh_lines *lines, bool first, struct sh_error *err)
{
	if (first || !sh_slice_eq(f->id, id_of(d, d->n - 1))) {
		if ((!first && end_document(d, s, err) < 0) || begin_document(d, f->id, err) < 0)
			return -1;
		sh_past_ids_begin(&d->past, f->id, lines->from.file, lines->from.line);
	}
	return f->text.n ? add_feature(d, f->text, err) : 0;
}

static void read_file(
    struct cli *c, const struct settings *s, struct documents *d, char *const *name, size_t n)
{
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_feature f;
	struct sh_error err;
	bool first = true;

	sh_lines_init(&lines, name, n);
	lines.source.trailer = c->trailer_in;
	lines.source.crlf = c->crlf;
	if (!s->features_given)
		need_features(c, &lines.source,
		    "shtok -f 1,2 makes features of documents, --features 48 reads these records "
		    "as features");
	while (cli_line(c, &lines, &line)) {
		if (sh_record_feature(line, &f, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
			continue;
		}
		if (add_line(d, s, &f, &lines, first, &err) < 0)
			cli_die(c, &err);
		first = false;
	}
	if (!first && end_document(d, s, &err) < 0)
		cli_die(c, &err);
	warn_repeated_ids(c, &d->past);
	sh_lines_free(&lines);
}

/* ---- writing ---- */

static void write_pair(
    struct cli *c, const struct documents *d, uint32_t x, uint32_t y, uint32_t common)
{
	struct sh_slice a = id_of(d, x), b = id_of(d, y);
	size_t n = sh_share_size(&d->share, x), m = sh_share_size(&d->share, y);

	if (!d->fresh && sh_slice_cmp(b, a) < 0) {
		struct sh_slice id = a;
		size_t size = n;

		a = b;
		b = id;
		n = m;
		m = size;
	}
	cli_write(c, a.p, a.n);
	cli_write(c, "\t", 1);
	cli_write(c, b.p, b.n);
	cli_print(c, "\t%u\t%zu\t%zu\n", common, n, m);
}

static void join(struct cli *c, const struct settings *s, struct documents *d)
{
	struct sh_share_room room = { 0 };
	const struct sh_shared *found;
	struct sh_error err;
	size_t n;

	if (sh_share_order(&d->share, NULL, 0, &err) < 0)
		cli_die(c, &err);
	for (uint32_t x = d->fresh; x < d->n; x++) {
		if (sh_share_find(&d->share, x, s->least, 0, &room, &found, &n, &err) < 0)
			cli_die(c, &err);
		for (size_t i = 0; i < n; i++)
			if (!d->fresh || found[i].number < d->fresh)
				write_pair(c, d, found[i].number, x, found[i].common);
	}
	sh_share_room_free(&room);
}

static void share(struct cli *c, const struct settings *s)
{
	static char standard[] = "-";
	char *const none[] = { standard }, *const *name = c->n_operands ? c->operands : none;
	struct documents d = { 0 };
	struct sh_error err;

	sh_tables_init(&d.tables, s->memory, c->tmpdir);
	d.share.tables = &d.tables;
	d.sample = malloc(s->features * sizeof *d.sample);
	if (!d.sample)
		sh_error_nomem(&err);
	if (!d.sample || sh_past_ids_init(&d.past, &err) < 0)
		cli_die(c, &err);
	read_file(c, s, &d, name, 1);
	d.fresh = c->n_operands == 2 ? (uint32_t)d.n : 0;
	if (c->n_operands == 2)
		read_file(c, s, &d, name + 1, 1);
	if (c->n_operands != 2 || d.fresh)
		join(c, s, &d);
	sh_share_free(&d.share);
	sh_tables_put(&d.tables, d.id);
	sh_tables_free(&d.tables);
	sh_buf_free(&d.ids);
	sh_past_ids_free(&d.past);
	free(d.hash);
	free(d.sample);
}

/* ---- options ---- */

static void take(struct cli *c, struct settings *s, int opt)
{
	switch (opt) {
	case LEAST:
		s->least = (unsigned)cli_number(c, "--least", 1, MAX_FEATURES);
		break;
	case FEATURES:
		s->features_given = true;
		s->features = (unsigned)cli_number(c, "--features", 1, MAX_FEATURES);
		break;
	case 'S':
		s->memory = cli_size(c, "-S");
		break;
	}
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = {
		.least = DEFAULT_LEAST, .features = DEFAULT_FEATURES, .memory = DEFAULT_MEMORY
	};
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		take(&c, &s, opt);
	if (c.n_operands > 2)
		cli_usage(
		    &c, "'%s': at most two files: new documents, and an archive", c.operands[2]);
	if (s.least > s.features)
		cli_usage(&c, "--least %u: a document keeps only %u features (--features)", s.least,
		    s.features);
	cli_open(&c);
	share(&c, &s);
	return cli_finish(&c);
}
