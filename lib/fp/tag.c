/* SPDX-License-Identifier: MIT */
#include "fp/tag.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "published/published.h"
#include "text/method.h"

/* ---- settings ---- */

__attribute__((format(printf, 3, 4))) static void add(
    struct sh_settings *s, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->row[s->n].value, SH_SETTING_VALUE, fmt, ap);
	va_end(ap);
	s->row[s->n++].name = name;
}

static void add_flag(struct sh_settings *s, const char *name, bool on)
{
	add(s, name, "%s", on ? "yes" : "no");
}

/* Adds a file as the checksum of its content; 0: there is no file. */
static void add_content(struct sh_settings *s, const char *name, uint64_t sum)
{
	if (sum)
		add(s, name, "content:%016llx", (unsigned long long)sum);
	else
		add(s, name, "no");
}

static void add_keep(struct sh_settings *s, const struct sh_token_opts *t)
{
	char names[SH_KEEP_TEXT];
	size_t n = sh_keep_print(t->keep, names);

	if (n >= SH_SETTING_VALUE)
		snprintf(names, sizeof names, "kinds:%x", t->keep);
	add(s, "--keep-words", "%s", t->punctuation ? "any" : n ? names : "no");
}

static void add_tokens(struct sh_settings *s, const struct sh_token_opts *t)
{
	const struct sh_token_method *m = t->method ? t->method : &sh_words_method;
	bool dictionary = m->needs_jieba || m->needs_cppjieba;

	add(s, "-u", "%s", t->unit == SH_UNIT_CHAR ? "char" : "word");
	add(s, dictionary ? "--segment" : "--split", "%s", m->name);
	add(s, "--stem", "%s", t->stem ? t->stem : "no");
	add(s, "--min-chars", "%u", t->min_chars);
	add_keep(s, t);
	add_flag(s, "--no-fold", t->no_fold);
	add_flag(s, "--mask-digits", t->mask_digits);
	add_flag(s, "--fold-marks", t->fold_marks);
	add_flag(s, "--join-hyphens", t->join_hyphens);
}

void sh_settings_list(
    struct sh_settings *s, const struct sh_fingerprint_opts *opts, uint64_t stop, uint64_t dict)
{
	s->n = 0;
	add(s, "-b", "%u", opts->bits);
	add(s, "-H", "%s", opts->hash->name);
	add(s, "--seed", "%llu", (unsigned long long)opts->seed);
	add(s, "-w", "%s", opts->scheme ? opts->scheme->name : "no");
	if (opts->ngrams.min == opts->ngrams.max)
		add(s, "-n", "%u", opts->ngrams.min);
	else
		add(s, "-n", "%u-%u", opts->ngrams.min, opts->ngrams.max);
	add_tokens(s, &opts->token);
	add_content(s, "--stop", stop);
	add_content(s, "--dict", dict);
}

static void default_opts(struct sh_fingerprint_opts *o)
{
	const struct sh_profile *p = sh_profile_at(0);

	*o = (struct sh_fingerprint_opts){
		.hash = sh_hash_find(p->hash),
		.scheme = sh_scheme_find(p->weight),
		.bits = p->bits,
	};
	sh_profile_tokens(p, &o->token, &o->ngrams);
}

/* Lists the settings of shfp without options. */
static void list_default(struct sh_settings *s)
{
	struct sh_fingerprint_opts o;

	default_opts(&o);
	sh_settings_list(s, &o, 0, 0);
}

/* Returns the tag. The hashed text has the settings that are not "no", so that an option that is
 * added later changes no tag. It begins with a version, which changes when the meaning of a setting
 * changes. */
int sh_settings_tag(const struct sh_settings *s)
{
	char text[SH_SETTINGS_TEXT] = "1";
	size_t n = 1;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->row[i].value, "no") != 0)
			n += (size_t)snprintf(
			    text + n, sizeof text - n, "\n%s %s", s->row[i].name, s->row[i].value);
	return (int)(XXH3_64bits(text, n) >> 48);
}

void sh_settings_print(const struct sh_settings *s, const struct sh_settings *other, char *text)
{
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < s->n; i++) {
		const char *value = s->row[i].value;
		bool flag = strcmp(value, "yes") == 0;

		if (strcmp(value, "no") == 0 || (other && strcmp(value, other->row[i].value) == 0))
			continue;
		n += (size_t)snprintf(text + n, SH_SETTINGS_TEXT - n, "%s%s%s%s", n ? " " : "",
		    s->row[i].name, flag ? "" : " ", flag ? "" : value);
	}
}

/* ---- tags ---- */

enum { COMMON_NGRAMS = 5 };

/* Sets *s to combination i of the common options. i is a mixed-radix number. Returns false after
 * the last combination, of 480. */
static bool common(unsigned i, struct sh_settings *s)
{
	static const unsigned bits[] = { 64, 128, 256, 32 };
	static const char *const weights[] = { "log", "set", "tf" };
	struct sh_fingerprint_opts o;

	default_opts(&o);
	o.ngrams.min = o.ngrams.max = 1 + i % COMMON_NGRAMS;
	i /= COMMON_NGRAMS;
	o.scheme = sh_scheme_find(weights[i % 3]);
	i /= 3;
	o.bits = bits[i % 4];
	i /= 4;
	o.token.unit = i % 2 ? SH_UNIT_CHAR : SH_UNIT_WORD;
	i /= 2;
	o.token.mask_digits = i % 2;
	i /= 2;
	o.token.no_fold = i % 2;
	sh_settings_list(s, &o, 0, 0);
	return i < 2;
}

bool sh_tag_lookup(int tag, struct sh_settings *s)
{
	for (unsigned i = 0; common(i, s); i++)
		if (sh_settings_tag(s) == tag)
			return true;
	return false;
}

/* Writes " (-n 2)", for example, to text[80] when the settings of the tag are known, otherwise "".
 * The settings of a tag of two digits are never known: too many settings share the tag. */
static const char *known(unsigned digits, int tag, char *text)
{
	struct sh_settings s, usual;
	char options[SH_SETTINGS_TEXT];

	*text = '\0';
	if (digits < SH_TAG_DIGITS || !sh_tag_lookup(tag, &s))
		return text;
	list_default(&usual);
	sh_settings_print(&s, &usual, options);
	snprintf(text, 80, " (%.70s)", *options ? options : "default settings");
	return text;
}

int sh_tags_check(struct sh_tags *t, int tag, const char *file, struct sh_error *err)
{
	int first = SH_NO_TAG;
	char here[80], there[80];
	const char *other;

	if (tag == SH_NO_TAG) {
		t->bare = true;
		return 0;
	}
	if (t->first == tag)
		return 0;
	if (atomic_compare_exchange_strong(&t->first, &first, tag)) {
		t->file = file;
		return 0;
	}
	if (first == tag)
		return 0;
	other = t->file;
	return sh_error_set(err, SH_ERR_PARAM,
	    "tag %0*x%s, but %s%s %0*x%s: fingerprints of different settings cannot be compared "
	    "(shfp --explain FILE names the settings)",
	    (int)t->digits, (unsigned)tag, known(t->digits, tag, here),
	    other ? other : "earlier records", other ? " has" : " have", (int)t->digits,
	    (unsigned)first, known(t->digits, first, there));
}

bool sh_tags_part_bare(const struct sh_tags *t)
{
	return t->bare && t->first != SH_NO_TAG;
}
