/* SPDX-License-Identifier: MIT */
#include "made_with.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "published/cppjieba.h"
#include "segment/jieba_dict.h"
#include "text/method.h"
#include "text/stem.h"
#include "unicode/fold.h"

__attribute__((format(printf, 3, 4))) static void say(
    struct made_with *o, const char *name, const char *fmt, ...)
{
	char *value = o->value[o->n];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, MADE_WITH_VALUE_MAX, fmt, ap);
	va_end(ap);
	o->row[o->n++] = (struct sh_store_setting){ sh_slice_str(name), sh_slice_str(value) };
}

static void say_flag(struct made_with *o, const char *name, bool on)
{
	say(o, name, "%s", on ? "yes" : "no");
}

/* The value for a file is a checksum of its content. */
static const char content[] = "content:";

static void say_content(struct made_with *o, const char *name, uint64_t checksum)
{
	say(o, name, "%s%016llx", content, (unsigned long long)checksum);
}

/* The value for jieba's dictionary is a checksum of its words and frequencies. Byte order and
 * layout of the compiled file do not change it. */
static const char main_dictionary[] = "SIMHASH_JIEBA";

static void say_files(
    struct made_with *o, const char *name, const struct cli_files *files, uint64_t sum)
{
	if (files->n)
		say_content(o, name, sum);
	else
		say(o, name, "no");
}

static void say_jieba(struct cli *c, struct made_with *o, const struct sh_jieba *j)
{
	struct sh_error err;
	uint64_t sum;

	if (sh_jieba_checksum(j, &sum, &err) < 0)
		cli_die(c, &err);
	say(o, main_dictionary, "total:%llu words:%016llx", (unsigned long long)j->h.total,
	    (unsigned long long)sum);
}

static void say_keep(struct made_with *o, const struct sh_token_opts *t)
{
	char text[SH_KEEP_TEXT];
	size_t n = sh_keep_print(t->keep, text);

	say(o, "--keep-words", "%s", t->punctuation ? "any" : n ? text : "no");
}

/* --segment and --split are one setting: its name depends on its value. */
static const char segment[] = "--segment", split[] = "--split";

static const char measure[] = "--measure";

static void list_options(struct cli *c, const struct dedup_settings *s, struct made_with *o)
{
	const struct sh_token_opts *t = &s->docs.token;
	const struct sh_measure *m = s->measures.measure;
	char threshold[SH_NUM_CHARS + 1], edit[SH_NUM_CHARS + 1];

	threshold[sh_print_weight(threshold, (int64_t)s->measures.threshold)] = '\0';
	edit[sh_print_weight(edit, (int64_t)s->measures.edit)] = '\0';
	say(o, "-p", "%s", s->docs.profile->name);
	/* --measure stands before the settings that depend on it. */
	say(o, measure, "%s", m->name);
	say(o, "-T", "%s%s%s", threshold, m->any ? "," : "", m->any ? edit : "");
	if (s->random_seed)
		say(o, "--seed", "random");
	else
		say(o, "--seed", "%llu", (unsigned long long)s->seed);
	if (s->docs.ngrams.min == s->docs.ngrams.max)
		say(o, "-n", "%u", s->docs.ngrams.min);
	else
		say(o, "-n", "%u-%u", s->docs.ngrams.min, s->docs.ngrams.max);
	say(o, "-u", "%s", t->unit == SH_UNIT_CHAR ? "char" : "word");
	say(o, t->method->needs_jieba || t->method->needs_cppjieba ? segment : split, "%s",
	    t->method->name);
	if (t->method->needs_cppjieba)
		say_content(o, "--dict", sh_cppjieba_checksum(s->docs.cppjieba));
	else
		say_files(o, "--dict", &s->docs.dicts, s->docs.dict_sum);
	/* This follows --dict, whose words the checksum includes. */
	if (t->method->needs_jieba)
		say_jieba(c, o, s->docs.jieba);
	say(o, "--stem", "%s", t->stem ? t->stem : "no");
	say_files(o, "--stop", &s->docs.stops, s->docs.stop_sum);
	say(o, "--min-chars", "%u", t->min_chars);
	say_keep(o, t);
	say_flag(o, "--no-fold", t->no_fold);
	say_flag(o, "--mask-digits", t->mask_digits);
	say_flag(o, "--fold-marks", t->fold_marks);
	say_flag(o, "--join-hyphens", t->join_hyphens);
	/* Another version may have another table of keys. */
	say(o, "keys", "%ux%u", s->rules.keys, s->rules.rows);
}

/* ---- settings that are no options ---- */

static const char unicode[] = "unicode", snowball[] = "snowball";

static void list_versions(struct cli *c, const struct dedup_settings *s, struct made_with *o)
{
	const char *stemmer = s->docs.token.stem;
	struct sh_error err;
	uint64_t sum;

	say(o, unicode, "%s", sh_fold_unicode());
	if (!stemmer)
		return;
	if (sh_stem_checksum(stemmer, &sum, &err) < 0)
		cli_die(c, &err);
	say(o, snowball, "stems:%016llx", (unsigned long long)sum);
}

void made_with_list(struct cli *c, const struct dedup_settings *s, struct made_with *o)
{
	o->n = 0;
	list_options(c, s, o);
	list_versions(c, s, o);
}

/* ---- an archive against this run ---- */

static bool is(struct sh_slice s, const char *word)
{
	return sh_slice_eq(s, sh_slice_str(word));
}

_Noreturn static void refuse(
    struct cli *c, const struct sh_store_setting *setting, const struct sh_store_setting *made)
{
	const char *name = setting->name.p;
	struct sh_slice now = setting->value, then = made->value;
	int n_now = (int)now.n, n_then = (int)then.n;

	if (is(then, "no") || then.n == 0)
		cli_usage(c, "%s%s%.*s: the archive was made without %s", name,
		    is(now, "yes") ? "" : " ", is(now, "yes") ? 0 : n_now, now.p, name);
	if (is(now, "no"))
		cli_usage(c, "without %s: the archive was made with %s%s%.*s (give it each time)",
		    name, name, is(then, "yes") ? "" : " ", is(then, "yes") ? 0 : n_then, then.p);
	cli_usage(c, "%s %.*s: the archive was made with %.*s %.*s (give it each time)", name,
	    n_now, now.p, (int)made->name.n, made->name.p, n_then, then.p);
}

/* Returns the archive's setting of this name. --segment and --split are names of one setting. */
static struct sh_store_setting made_as(const struct sh_store_manifest *m, struct sh_slice name)
{
	const char *other = is(name, split) ? segment : is(name, segment) ? split : NULL;
	struct sh_store_setting made = { name, sh_store_manifest_setting(m, name) };

	if (made.value.n == 0 && other) {
		made.name = sh_slice_str(other);
		made.value = sh_store_manifest_setting(m, made.name);
	}
	return made;
}

static const char consequence[] = "some words may differ from the words in the archive, and "
				  "duplicates may be missed (make a new archive)";

static void warn_of_version(struct cli *c, const struct sh_store_setting *now, struct sh_slice then)
{
	if (is(now->name, unicode))
		cli_warn(c,
		    "the archive was made with Unicode %.*s, and this program has Unicode %s: %s",
		    (int)then.n, then.p, now->value.p, consequence);
	else
		cli_warn(
		    c, "the archive was made with another version of Snowball: %s", consequence);
}

void made_with_compare(
    struct cli *c, const struct dedup_settings *s, const struct sh_store_manifest *m)
{
	struct made_with o;
	size_t options;

	o.n = 0;
	list_options(c, s, &o);
	options = o.n;
	list_versions(c, s, &o);
	for (size_t i = 0; i < o.n; i++) {
		struct sh_store_setting made = made_as(m, o.row[i].name);

		if (sh_slice_eq(o.row[i].value, made.value))
			continue;
		if (i < options)
			refuse(c, &o.row[i], &made);
		if (made.value.n)
			warn_of_version(c, &o.row[i], made.value);
	}
}
