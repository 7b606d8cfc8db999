#include "archive/manifest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/num.h"

const char *const sh_store_name[SH_ARCHIVE_STORES] = { "none", "sketch", "documents", "sequence" };

/* The first line of each version, all of one length. */
static const char *const head[] = { "simhash-archive 1\n", "simhash-archive 2\n" };
enum { HEAD = 18 };

static const char *const suffix[] = { "doc", "key", "set", "sum", "txt", "seq" };

void sh_part_name(char *out, uint32_t segment, enum sh_part part, enum sh_archive_store store)
{
	const char *end = part != SH_PART_STORE || store < SH_ARCHIVE_DOCUMENTS
			      ? suffix[part]
			      : suffix[SH_PARTS + store - SH_ARCHIVE_DOCUMENTS];
	uint64_t number = (uint64_t)segment << 32;

	sh_print_hex(out, &number, 8);
	out[8] = '.';
	memcpy(out + 9, end, 4);
}

bool sh_is_part_name(const char *name)
{
	if (strlen(name) != 12 || strspn(name, "0123456789abcdef") != 8 || name[8] != '.')
		return false;
	for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++)
		if (strcmp(name + 9, suffix[i]) == 0)
			return true;
	return false;
}

bool sh_manifest_has(const struct sh_manifest *m, const char *name)
{
	char part[SH_NAME_MAX];

	for (size_t i = 0; i < m->n_segments; i++) {
		for (enum sh_part p = 0; p < SH_PARTS; p++) {
			sh_part_name(part, m->segment[i].number, p, m->store);
			if (sh_has_part(m->store, p) && strcmp(part, name) == 0)
				return true;
		}
	}
	return false;
}

void sh_manifest_free(struct sh_manifest *m)
{
	free(m->segment);
	*m = (struct sh_manifest){ 0 };
}

int sh_manifest_add(struct sh_manifest *m, const struct sh_segment_entry *e, struct sh_error *err)
{
	if (SH_RESERVE(m->segment, m->segments_cap, m->n_segments + 1, err) < 0)
		return -1;
	m->segment[m->n_segments++] = *e;
	return 0;
}

struct sh_slice sh_manifest_setting(const struct sh_manifest *m, struct sh_slice name)
{
	for (size_t i = 0; i < m->n_settings; i++)
		if (sh_slice_eq(m->setting[i].name, name))
			return m->setting[i].value;
	return sh_slice("", 0);
}

/* ---- printing ---- */

struct printer {
	struct sh_buf *out;
	struct sh_error *err;
	int status;
};

__attribute__((format(printf, 2, 3))) static void say(struct printer *p, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (p->status == 0)
		p->status = sh_buf_add(p->out, line, (size_t)n, p->err);
}

static void say_slice(struct printer *p, struct sh_slice s)
{
	if (p->status == 0)
		p->status = sh_buf_add(p->out, s.p, s.n, p->err);
}

static void say_segment(struct printer *p, const struct sh_segment_entry *e, enum sh_archive_store store)
{
	say(p, "segment %08x %08x %08x\n", e->number, e->first, e->last);
	for (enum sh_part i = 0; i < SH_PARTS; i++) {
		char name[SH_NAME_MAX];

		if (!sh_has_part(store, i))
			continue;
		sh_part_name(name, e->number, i, store);
		say(p, "file %s %llu %llu %016llx\n", name, (unsigned long long)e->part[i].bytes,
		    (unsigned long long)e->part[i].records,
		    (unsigned long long)e->part[i].checksum);
	}
}

int sh_manifest_print(const struct sh_manifest *m, struct sh_buf *out, struct sh_error *err)
{
	struct printer p = { out, err, 0 };
	size_t from = out->n;

	say(&p, "%s", head[m->ordered]);
	for (size_t i = 0; i < m->n_settings; i++) {
		say(&p, "option ");
		say_slice(&p, m->setting[i].name);
		say(&p, " ");
		say_slice(&p, m->setting[i].value);
		say(&p, "\n");
	}
	say(&p, "key %016llx%016llx\n", (unsigned long long)m->key[0],
	    (unsigned long long)m->key[1]);
	say(&p, "store %s\nlayout %u %u\n", sh_store_name[m->store], m->bands, m->rows);
	say(&p, "next-number %08x\nnext-segment %08x\n", m->next_number, m->next_segment);
	say(&p, "documents %llu\nkept %llu\n", (unsigned long long)m->documents,
	    (unsigned long long)m->kept);
	for (size_t i = 0; i < m->n_segments; i++)
		say_segment(&p, &m->segment[i], m->store);
	if (p.status == 0)
		say(&p, "checksum %016llx\n",
		    (unsigned long long)XXH3_64bits(out->p + from, out->n - from));
	return p.status;
}

/* ---- parsing ---- */

struct reader {
	struct sh_slice rest;
	struct sh_error *err;
};

static int broken(struct sh_error *err, const char *what)
{
	return sh_error_set(err, SH_ERR_RECORD, "%s: restore the archive from a backup", what);
}

/* Reads the next line if it begins with the word and a blank. Sets *value to the text behind the
 * blank. */
static bool line_of(struct reader *r, const char *word, struct sh_slice *value)
{
	size_t n = strlen(word);
	const char *lf = r->rest.n ? memchr(r->rest.p, '\n', r->rest.n) : NULL;

	if (!lf || (size_t)(lf - r->rest.p) < n + 1 || memcmp(r->rest.p, word, n) != 0 ||
	    r->rest.p[n] != ' ')
		return false;
	*value = sh_slice(r->rest.p + n + 1, (size_t)(lf - r->rest.p) - n - 1);
	r->rest.n -= (size_t)(lf + 1 - r->rest.p);
	r->rest.p = lf + 1;
	return true;
}

/* Removes the first word, up to the next blank, and returns it. */
static struct sh_slice word_of(struct sh_slice *s)
{
	const char *blank = s->n ? memchr(s->p, ' ', s->n) : NULL;
	struct sh_slice word = sh_slice(s->p, blank ? (size_t)(blank - s->p) : s->n);

	s->p += word.n + (blank != NULL);
	s->n -= word.n + (blank != NULL);
	return word;
}

static bool hex(struct sh_slice s, size_t digits, uint64_t *w)
{
	return s.n == digits && sh_parse_hex(s, w) == SH_NUM_OK;
}

static bool hex32(struct sh_slice s, uint32_t *x)
{
	uint64_t w;

	if (s.n != 8 || sh_parse_hex_number(s, &w) < 0)
		return false;
	*x = (uint32_t)w;
	return true;
}

static int read_settings(struct reader *r, struct sh_manifest *m)
{
	struct sh_slice value;

	while (line_of(r, "option", &value)) {
		struct sh_slice name = word_of(&value);

		if (m->n_settings == SH_SETTINGS_MAX)
			return broken(r->err, "too many options");
		m->setting[m->n_settings++] = (struct sh_setting){ name, value };
	}
	return 0;
}

static bool read_store(struct reader *r, enum sh_archive_store *store)
{
	struct sh_slice value;

	if (!line_of(r, "store", &value))
		return false;
	for (int i = 0; i < SH_ARCHIVE_STORES; i++) {
		if (sh_slice_eq(value, sh_slice_str(sh_store_name[i]))) {
			*store = (enum sh_archive_store)i;
			return true;
		}
	}
	return false;
}

static bool read_layout(struct reader *r, struct sh_manifest *m)
{
	struct sh_slice value;
	uint64_t bands, rows;

	if (!line_of(r, "layout", &value) || sh_parse_u64(word_of(&value), &bands) < 0 ||
	    sh_parse_u64(value, &rows) < 0 || bands < 1 || bands > SH_BANDS_MAX || rows < 1 ||
	    rows > SH_ROWS_MAX)
		return false;
	m->bands = (unsigned)bands;
	m->rows = (unsigned)rows;
	return true;
}

static bool read_count(struct reader *r, const char *word, uint64_t *count)
{
	struct sh_slice value;

	return line_of(r, word, &value) && sh_parse_u64(value, count) == SH_NUM_OK;
}

static bool read_number(struct reader *r, const char *word, uint32_t *number)
{
	struct sh_slice value;

	return line_of(r, word, &value) && hex32(value, number);
}

static bool read_file(
    struct reader *r, struct sh_segment_entry *e, enum sh_part part, enum sh_archive_store store)
{
	struct sh_part_size *size = &e->part[part];
	struct sh_slice value;
	char name[SH_NAME_MAX];

	if (!sh_has_part(store, part))
		return true;
	sh_part_name(name, e->number, part, store);
	return line_of(r, "file", &value) && sh_slice_eq(word_of(&value), sh_slice_str(name)) &&
	       sh_parse_u64(word_of(&value), &size->bytes) == 0 &&
	       sh_parse_u64(word_of(&value), &size->records) == 0 &&
	       hex(value, 16, &size->checksum);
}

static int read_segments(struct reader *r, struct sh_manifest *m)
{
	struct sh_slice value;
	uint64_t from = 0;

	while (line_of(r, "segment", &value)) {
		struct sh_segment_entry e = { 0 };
		bool good = hex32(word_of(&value), &e.number) && hex32(word_of(&value), &e.first) &&
			    hex32(value, &e.last) && e.first >= from && e.last >= e.first &&
			    e.last < m->next_number && e.number < m->next_segment;

		for (enum sh_part i = 0; good && i < SH_PARTS; i++)
			good = read_file(r, &e, i, m->store);
		if (!good)
			return broken(r->err, "bad segment");
		from = (uint64_t)e.last + 1;
		if (sh_manifest_add(m, &e, r->err) < 0)
			return -1;
	}
	return 0;
}

/* Compares the checksum in the last line, and removes this line. */
static int check_sum(struct reader *r)
{
	enum { LAST = 9 + 16 + 1 };
	size_t n = r->rest.n;
	uint64_t sum;

	if (n < LAST || r->rest.p[n - 1] != '\n' ||
	    memcmp(r->rest.p + n - LAST, "checksum ", 9) != 0 ||
	    !hex(sh_slice(r->rest.p + n - 17, 16), 16, &sum))
		return broken(r->err, "no checksum at its end: cut short, or no manifest");
	if (sum != XXH3_64bits(r->rest.p, n - LAST))
		return broken(r->err, "damaged: its checksum is another");
	r->rest.n -= LAST;
	return 0;
}

static int read_all(struct reader *r, struct sh_manifest *m)
{
	struct sh_slice value;

	if (read_settings(r, m) < 0)
		return -1;
	if (!line_of(r, "key", &value) || !hex(value, 32, m->key) || !read_store(r, &m->store) ||
	    !read_layout(r, m) || !read_number(r, "next-number", &m->next_number) ||
	    !read_number(r, "next-segment", &m->next_segment) ||
	    !read_count(r, "documents", &m->documents) || !read_count(r, "kept", &m->kept))
		return broken(r->err, "a line is missing or bad");
	if (m->store == (m->ordered ? SH_ARCHIVE_SKETCH : SH_ARCHIVE_SEQUENCE))
		return broken(r->err, "a store of the other version");
	if (read_segments(r, m) < 0)
		return -1;
	return r->rest.n ? broken(r->err, "a line is unknown") : 0;
}

/* Refuses a text that differs from the output of sh_manifest_print(). */
static int check_spelling(const struct sh_manifest *m, struct sh_slice text, struct sh_error *err)
{
	struct sh_buf again = { 0 };
	int status = sh_manifest_print(m, &again, err);

	if (status == 0 && !sh_slice_eq(sh_buf_slice(&again), text))
		status = broken(err, "a number is written in another way");
	sh_buf_free(&again);
	return status;
}

static bool is_version(struct sh_slice text, bool ordered)
{
	return text.n >= HEAD && memcmp(text.p, head[ordered], HEAD) == 0;
}

/* Returns whether the first line names another version. A first line that is cut or ends with CR LF
 * is damaged. */
static bool is_of_another_version(struct sh_slice text)
{
	const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;

	return end && end - text.p >= 16 && memcmp(text.p, head[0], 16) == 0 && end[-1] != '\r' &&
	       !is_version(text, false) && !is_version(text, true);
}

int sh_manifest_parse(struct sh_manifest *m, struct sh_slice text, struct sh_error *err)
{
	struct reader r = { text, err };
	int status = -1;

	*m = (struct sh_manifest){ 0 };
	if (text.n > 36 && memcmp(text.p, "simhash-archive 3\nkind passages\n", 32) == 0)
		sh_error_set(err, SH_ERR_RECORD,
		    "an archive of shspan, expected one of shdedup (sharchive init makes one)");
	else if (is_of_another_version(text))
		sh_error_set(err, SH_ERR_RECORD,
		    "another version of the format than 1 and 2, which this program knows: run "
		    "the one that made it, or begin a new archive");
	else if (check_sum(&r) == 0) {
		m->ordered = is_version(r.rest, true);
		if (!m->ordered && !is_version(r.rest, false))
			return broken(err, "no manifest of an archive");
		r.rest = sh_slice(r.rest.p + HEAD, r.rest.n - HEAD);
		status = read_all(&r, m);
		if (status == 0)
			status = check_spelling(m, text, err);
	}
	if (status < 0)
		sh_manifest_free(m);
	return status;
}
