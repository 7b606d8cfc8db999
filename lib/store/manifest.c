/* SPDX-License-Identifier: MIT */
#include "store/manifest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

const char *const sh_store_form_name[SH_STORE_FORMS] = { "sketch", "documents" };
static const char *const kind_name[SH_STORE_KINDS] = { "documents", "passages" };

static const char head[] = "simhash-archive 3\n";

void sh_store_manifest_free(struct sh_store_manifest *m)
{
	free(m->segment);
	*m = (struct sh_store_manifest){ 0 };
}

int sh_store_manifest_add(
    struct sh_store_manifest *m, const struct sh_store_segment_entry *e, struct sh_error *err)
{
	if (SH_RESERVE(m->segment, m->segments_cap, m->n_segments + 1, err) < 0)
		return -1;
	m->segment[m->n_segments++] = *e;
	return 0;
}

int sh_store_manifest_copy(
    struct sh_store_manifest *to, const struct sh_store_manifest *m, struct sh_error *err)
{
	*to = *m;
	to->segment = NULL;
	to->n_segments = to->segments_cap = 0;
	for (size_t i = 0; i < m->n_segments; i++)
		if (sh_store_manifest_add(to, &m->segment[i], err) < 0)
			return -1;
	return 0;
}

struct sh_slice sh_store_manifest_setting(const struct sh_store_manifest *m, struct sh_slice name)
{
	for (size_t i = 0; i < m->n_settings; i++)
		if (sh_slice_eq(m->setting[i].name, name))
			return m->setting[i].value;
	return sh_slice("", 0);
}

uint64_t sh_store_manifest_documents(const struct sh_store_manifest *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->n_segments; i++)
		n += m->segment[i].documents;
	return n;
}

uint64_t sh_store_manifest_kept(const struct sh_store_manifest *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->n_segments; i++)
		n += m->segment[i].kept;
	return n;
}

/* ---- printing ---- */

/* Appends a text in the form of printf(), below 200 bytes, when *status is 0. */
__attribute__((format(printf, 4, 5))) static void say(
    struct sh_buf *out, int *status, struct sh_error *err, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (*status == 0)
		*status = sh_buf_add(out, line, (size_t)n, err);
}

int sh_store_manifest_print(
    const struct sh_store_manifest *m, struct sh_buf *out, struct sh_error *err)
{
	size_t from = out->n;
	int status = 0;

	say(out, &status, err, "%skind %s\nstore %s\n", head, kind_name[m->kind],
	    sh_store_form_name[m->form]);
	for (size_t i = 0; i < m->n_settings; i++) {
		const struct sh_store_setting *s = &m->setting[i];

		if (status < 0 || sh_buf_add(out, "option ", 7, err) < 0 ||
		    sh_buf_add(out, s->name.p, s->name.n, err) < 0 ||
		    sh_buf_add(out, " ", 1, err) < 0 ||
		    sh_buf_add(out, s->value.p, s->value.n, err) < 0 ||
		    sh_buf_add(out, "\n", 1, err) < 0)
			return -1;
	}
	say(out, &status, err,
	    "key %016" PRIx64 "%016" PRIx64 "\nnext-number %08" PRIx32 "\nnext-segment %08" PRIx32
	    "\n",
	    m->key[0], m->key[1], m->next_number, m->next_segment);
	for (size_t i = 0; i < m->n_segments; i++) {
		const struct sh_store_segment_entry *e = &m->segment[i];

		say(out, &status, err,
		    "segment %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %" PRIu64 " %" PRIu64
		    " %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n",
		    e->number, e->first, e->last, e->documents, e->kept, e->postings, e->bytes,
		    e->sum);
	}
	if (status == 0)
		say(out, &status, err, "checksum %016" PRIx64 "\n",
		    XXH3_64bits(out->p + from, out->n - from));
	return status;
}

/* ---- parsing ---- */

static int broken(struct sh_error *err, const char *what)
{
	return sh_error_set(err, SH_ERR_RECORD, "%s: restore the archive from a backup", what);
}

/* Removes the next line from *rest when it begins with the word and a blank. Sets *value to the
 * text behind the blank. */
static bool line_of(struct sh_slice *rest, const char *word, struct sh_slice *value)
{
	size_t n = strlen(word);
	const char *lf = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;

	if (!lf || (size_t)(lf - rest->p) < n + 1 || memcmp(rest->p, word, n) != 0 ||
	    rest->p[n] != ' ')
		return false;
	*value = sh_slice(rest->p + n + 1, (size_t)(lf - rest->p) - n - 1);
	*rest = sh_slice(lf + 1, rest->n - (size_t)(lf + 1 - rest->p));
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

static bool choice(
    struct sh_slice *rest, const char *word, const char *const *name, unsigned n, unsigned *got)
{
	struct sh_slice value;

	if (!line_of(rest, word, &value))
		return false;
	for (*got = 0; *got < n; ++*got)
		if (sh_slice_eq(value, sh_slice_str(name[*got])))
			return true;
	return false;
}

/* Removes the next line when it has this word and `fields` values in the form of scanf(). Values of
 * another form are found by check_form(). */
__attribute__((format(scanf, 4, 5))) static bool scan_line(
    struct sh_slice *rest, const char *word, int fields, const char *fmt, ...)
{
	char line[200];
	struct sh_slice v;
	va_list ap;
	int got;

	if (!line_of(rest, word, &v) || v.n >= sizeof line)
		return false;
	memcpy(line, v.p, v.n);
	line[v.n] = '\0';
	va_start(ap, fmt);
	got = vsscanf(line, fmt, ap);
	va_end(ap);
	return got == fields;
}

static int parse_segments(struct sh_store_manifest *m, struct sh_slice *rest, struct sh_error *err)
{
	uint64_t from = 0;

	while (rest->n) {
		struct sh_store_segment_entry e;

		if (!scan_line(rest, "segment", 8,
			"%8" SCNx32 " %8" SCNx32 " %8" SCNx32 " %19" SCNu64 " %19" SCNu64
			" %19" SCNu64 " %19" SCNu64 " %16" SCNx64,
			&e.number, &e.first, &e.last, &e.documents, &e.kept, &e.postings, &e.bytes,
			&e.sum) ||
		    e.first < from || e.last < e.first || e.last >= m->next_number ||
		    e.number >= m->next_segment || e.documents == 0 ||
		    e.documents > (uint64_t)e.last - e.first + 1 || e.kept > e.documents ||
		    e.postings > INT64_MAX / 32 || e.bytes > INT64_MAX / 2)
			return broken(err, "bad segment");
		from = (uint64_t)e.last + 1;
		if (sh_store_manifest_add(m, &e, err) < 0)
			return -1;
	}
	return 0;
}

/* Removes the line of the checksum from the end of *text, and compares the checksum. */
static int check_sum(struct sh_slice *text, struct sh_error *err)
{
	enum { LAST = 9 + 16 + 1 };
	struct sh_slice last = *text;
	uint64_t sum;

	if (text->n >= LAST)
		last = sh_slice(text->p + text->n - LAST, LAST);
	if (!scan_line(&last, "checksum", 1, "%16" SCNx64, &sum) || last.n)
		return broken(err, "no checksum at its end: cut short, or no manifest");
	text->n -= LAST;
	return sum == XXH3_64bits(text->p, text->n)
		   ? 0
		   : broken(err, "damaged: its checksum is another");
}

static int parse_lines(struct sh_store_manifest *m, struct sh_slice rest, struct sh_error *err)
{
	unsigned kind, form;
	struct sh_slice v;

	rest = sh_slice(rest.p + sizeof head - 1, rest.n - (sizeof head - 1));
	if (!choice(&rest, "kind", kind_name, SH_STORE_KINDS, &kind) ||
	    !choice(&rest, "store", sh_store_form_name, SH_STORE_FORMS, &form))
		return broken(err, "no kind of archive");
	m->kind = (enum sh_store_kind)kind;
	m->form = (enum sh_store_form)form;
	while (line_of(&rest, "option", &v)) {
		struct sh_slice name = word_of(&v);

		if (m->n_settings == SH_STORE_SETTINGS_MAX)
			return broken(err, "too many options");
		m->setting[m->n_settings++] = (struct sh_store_setting){ name, v };
	}
	if (!scan_line(&rest, "key", 2, "%16" SCNx64 "%16" SCNx64, &m->key[0], &m->key[1]) ||
	    !scan_line(&rest, "next-number", 1, "%8" SCNx32, &m->next_number) ||
	    !scan_line(&rest, "next-segment", 1, "%8" SCNx32, &m->next_segment))
		return broken(err, "no key or number");
	return parse_segments(m, &rest, err);
}

/* Compares the manifest with its text: every number has one form. */
static int check_form(const struct sh_store_manifest *m, struct sh_slice text, struct sh_error *err)
{
	struct sh_buf printed = { 0 };
	int status = sh_store_manifest_print(m, &printed, err);

	if (status == 0 && !sh_slice_eq(sh_buf_slice(&printed), text))
		status = broken(err, "a line has another form");
	sh_buf_free(&printed);
	return status;
}

int sh_store_manifest_parse(struct sh_store_manifest *m, struct sh_slice text, struct sh_error *err)
{
	static const char any[] = "simhash-";
	struct sh_slice lines = text;
	int status = 0;

	*m = (struct sh_store_manifest){ 0 };
	if ((text.n < sizeof head - 1 || memcmp(text.p, head, sizeof head - 1) != 0) &&
	    text.n > sizeof any - 1 && memcmp(text.p, any, sizeof any - 1) == 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "of another version of the programs: make a new archive from the documents");
	if (text.n < sizeof head - 1 || memcmp(text.p, head, sizeof head - 1) != 0)
		return broken(err, "no manifest of an archive");
	status = check_sum(&lines, err);
	if (status == 0)
		status = parse_lines(m, lines, err);
	if (status == 0)
		status = check_form(m, text, err);
	if (status < 0)
		sh_store_manifest_free(m);
	return status;
}
