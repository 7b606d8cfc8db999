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

bool sh_store_setting_next(struct sh_slice *lines, struct sh_store_setting *s)
{
	static const char word[] = "option ";
	const size_t n = sizeof word - 1;
	const char *lf = lines->n > n ? memchr(lines->p, '\n', lines->n) : NULL, *blank;

	if (!lf || memcmp(lines->p, word, n) != 0)
		return false;
	blank = memchr(lines->p + n, ' ', (size_t)(lf - lines->p) - n);
	if (!blank)
		return false;
	s->name = sh_slice(lines->p + n, (size_t)(blank - lines->p) - n);
	s->value = sh_slice(blank + 1, (size_t)(lf - blank - 1));
	*lines = sh_slice(lf + 1, lines->n - (size_t)(lf + 1 - lines->p));
	return true;
}

struct sh_slice sh_store_manifest_setting(const struct sh_store_manifest *m, struct sh_slice name)
{
	struct sh_slice lines = m->settings;
	struct sh_store_setting s;

	while (sh_store_setting_next(&lines, &s))
		if (sh_slice_eq(s.name, name))
			return s.value;
	return sh_slice("", 0);
}

uint64_t sh_store_manifest_documents(const struct sh_store_manifest *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->n_segments; i++)
		n += m->segment[i].documents;
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
	if (status == 0)
		status = sh_buf_add(out, m->settings.p, m->settings.n, err);
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

/* Removes `fields` values from the beginning of *text, below 200 bytes in the form of scanf(). The
 * form ends with "%n" for *used. check_form() finds values that are written in another way. */
__attribute__((format(scanf, 4, 5))) static bool scan(
    struct sh_slice *text, int fields, const int *used, const char *fmt, ...)
{
	char head_of[200];
	size_t n = text->n < sizeof head_of ? text->n : sizeof head_of - 1;
	va_list ap;
	int got;

	memcpy(head_of, text->p, n);
	head_of[n] = '\0';
	va_start(ap, fmt);
	got = vsscanf(head_of, fmt, ap);
	va_end(ap);
	if (got != fields)
		return false;
	*text = sh_slice(text->p + *used, text->n - (size_t)*used);
	return true;
}

/* Returns the index of the text among n names, or n. */
static unsigned index_of(const char *const *name, unsigned n, const char *text)
{
	unsigned i = 0;

	while (i < n && strcmp(name[i], text) != 0)
		i++;
	return i;
}

static int parse_segments(struct sh_store_manifest *m, struct sh_slice *rest, struct sh_error *err)
{
	uint64_t from = 0;
	int used = 0;

	while (rest->n) {
		struct sh_store_segment_entry e;

		if (!scan(rest, 8, &used,
			"segment %8" SCNx32 " %8" SCNx32 " %8" SCNx32 " %19" SCNu64 " %19" SCNu64
			" %19" SCNu64 " %19" SCNu64 " %16" SCNx64 "\n%n",
			&e.number, &e.first, &e.last, &e.documents, &e.kept, &e.postings, &e.bytes,
			&e.sum, &used) ||
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
	int used = 0;

	if (text->n >= LAST)
		last = sh_slice(text->p + text->n - LAST, LAST);
	if (!scan(&last, 1, &used, "checksum %16" SCNx64 "\n%n", &sum, &used) || last.n)
		return broken(err, "no checksum at its end: cut short, or no manifest");
	text->n -= LAST;
	return sum == XXH3_64bits(text->p, text->n)
		   ? 0
		   : broken(err, "damaged: its checksum is another");
}

static int parse_lines(struct sh_store_manifest *m, struct sh_slice rest, struct sh_error *err)
{
	char kind[16], form[16];
	struct sh_store_setting setting;
	int used = 0;

	rest = sh_slice(rest.p + sizeof head - 1, rest.n - (sizeof head - 1));
	if (!scan(&rest, 2, &used, "kind %15s store %15s\n%n", kind, form, &used))
		return broken(err, "no kind of archive");
	m->kind = (enum sh_store_kind)index_of(kind_name, SH_STORE_KINDS, kind);
	m->form = (enum sh_store_form)index_of(sh_store_form_name, SH_STORE_FORMS, form);
	if (m->kind == SH_STORE_KINDS || m->form == SH_STORE_FORMS)
		return broken(err, "no kind of archive");
	m->settings = sh_slice(rest.p, 0);
	while (sh_store_setting_next(&rest, &setting))
		m->settings.n = (size_t)(rest.p - m->settings.p);
	if (!scan(&rest, 4, &used,
		"key %16" SCNx64 "%16" SCNx64 " next-number %8" SCNx32 " next-segment %8" SCNx32
		"\n%n",
		&m->key[0], &m->key[1], &m->next_number, &m->next_segment, &used))
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
