/* SPDX-License-Identifier: MIT */
#include "store/manifest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/num.h"

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

struct printer {
	struct sh_buf *out;
	struct sh_error *err;
	int status;
};

static void say_slice(struct printer *p, struct sh_slice s)
{
	if (p->status == 0)
		p->status = sh_buf_add(p->out, s.p, s.n, p->err);
}

__attribute__((format(printf, 2, 3))) static void say(struct printer *p, const char *fmt, ...)
{
	char line[200];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	say_slice(p, sh_slice(line, (size_t)n));
}

int sh_store_manifest_print(
    const struct sh_store_manifest *m, struct sh_buf *out, struct sh_error *err)
{
	struct printer p = { out, err, 0 };
	size_t from = out->n;

	say(&p, "%skind %s\nstore %s\n", head, kind_name[m->kind], sh_store_form_name[m->form]);
	for (size_t i = 0; i < m->n_settings; i++) {
		say(&p, "option ");
		say_slice(&p, m->setting[i].name);
		say(&p, " ");
		say_slice(&p, m->setting[i].value);
		say(&p, "\n");
	}
	say(&p, "key %016llx%016llx\nnext-number %08x\nnext-segment %08x\n",
	    (unsigned long long)m->key[0], (unsigned long long)m->key[1], m->next_number,
	    m->next_segment);
	for (size_t i = 0; i < m->n_segments; i++) {
		const struct sh_store_segment_entry *e = &m->segment[i];

		say(&p, "segment %08x %08x %08x %llu %llu %llu %llu %016llx\n", e->number, e->first,
		    e->last, (unsigned long long)e->documents, (unsigned long long)e->kept,
		    (unsigned long long)e->postings, (unsigned long long)e->bytes,
		    (unsigned long long)e->sum);
	}
	if (p.status == 0)
		say(&p, "checksum %016llx\n",
		    (unsigned long long)XXH3_64bits(out->p + from, out->n - from));
	return p.status;
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

static bool hex32(struct sh_slice s, uint32_t *x)
{
	uint64_t w;

	if (s.n != 8 || sh_parse_hex_number(s, &w) < 0)
		return false;
	*x = (uint32_t)w;
	return true;
}

static bool hex64(struct sh_slice s, uint64_t *x)
{
	return s.n == 16 && sh_parse_hex_number(s, x) == 0;
}

static bool count_of(struct sh_slice *s, uint64_t *n)
{
	return sh_parse_u64(word_of(s), n) == 0;
}

static bool choice(
    struct sh_slice *rest, const char *word, const char *const *name, unsigned n, unsigned *got)
{
	struct sh_slice value;

	if (!line_of(rest, word, &value))
		return false;
	for (unsigned i = 0; i < n; i++) {
		*got = i;
		if (sh_slice_eq(value, sh_slice_str(name[i])))
			return true;
	}
	return false;
}

static bool number_of(struct sh_slice *rest, const char *word, uint32_t *number)
{
	struct sh_slice value;

	return line_of(rest, word, &value) && hex32(value, number);
}

static int parse_segments(struct sh_store_manifest *m, struct sh_slice *rest, struct sh_error *err)
{
	struct sh_slice v;
	uint64_t from = 0;

	while (line_of(rest, "segment", &v)) {
		struct sh_store_segment_entry e;

		if (!hex32(word_of(&v), &e.number) || !hex32(word_of(&v), &e.first) ||
		    !hex32(word_of(&v), &e.last) || !count_of(&v, &e.documents) ||
		    !count_of(&v, &e.kept) || !count_of(&v, &e.postings) ||
		    !count_of(&v, &e.bytes) || !hex64(v, &e.sum) || e.first < from ||
		    e.last < e.first || e.last >= m->next_number || e.number >= m->next_segment ||
		    e.documents == 0 || e.documents > (uint64_t)e.last - e.first + 1 ||
		    e.kept > e.documents || e.postings > INT64_MAX / 32 || e.bytes > INT64_MAX / 2)
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
	uint64_t sum;

	if (text->n < LAST || text->p[text->n - 1] != '\n' ||
	    memcmp(text->p + text->n - LAST, "checksum ", 9) != 0 ||
	    !hex64(sh_slice(text->p + text->n - 17, 16), &sum))
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
	if (!line_of(&rest, "key", &v) || v.n != 32 || !hex64(sh_slice(v.p, 16), &m->key[0]) ||
	    !hex64(sh_slice(v.p + 16, 16), &m->key[1]) ||
	    !number_of(&rest, "next-number", &m->next_number) ||
	    !number_of(&rest, "next-segment", &m->next_segment))
		return broken(err, "no key or number");
	if (parse_segments(m, &rest, err) < 0)
		return -1;
	return rest.n ? broken(err, "a line that is not expected") : 0;
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
