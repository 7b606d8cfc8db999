/* SPDX-License-Identifier: MIT */
#include "archive/settings.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/siphash.h"
#include "published/cppjieba.h"
#include "segment/jieba_dict.h"
#include "text/stem.h"
#include "unicode/fold.h"

enum setting {
	PROFILE,
	MEASURE, /* before the settings that depend on it */
	THRESHOLD,
	SEED,
	NGRAMS,
	UNIT,
	METHOD,
	DICT,
	JIEBA, /* after DICT, whose words the checksum includes */
	STEM,
	STOP,
	MIN_CHARS,
	KEEP,
	NO_FOLD,
	MASK_DIGITS,
	FOLD_MARKS,
	JOIN_HYPHENS,
	KEYS,    /* another version may have another table of keys */
	UNICODE, /* versions from here on */
	SNOWBALL,
	SETTINGS
};

static const char *const names[SETTINGS] = { "-p", "--measure", "-T", "--seed", "-n", "-u",
	"--split", "--dict", "SIMHASH_JIEBA", "--stem", "--stop", "--min-chars", "--keep-words",
	"--no-fold", "--mask-digits", "--fold-marks", "--join-hyphens", "keys", "unicode",
	"snowball" };

/* The other name of METHOD: which one it is depends on the value. */
static const char segment[] = "--segment";

static bool is_segmenter(const struct sh_token_method *m)
{
	return m->needs_jieba || m->needs_cppjieba;
}

/* The places of the flags in struct sh_token_opts; 0: the setting is no flag. */
static const size_t flag_at[SETTINGS] = {
	[NO_FOLD] = offsetof(struct sh_token_opts, no_fold),
	[MASK_DIGITS] = offsetof(struct sh_token_opts, mask_digits),
	[FOLD_MARKS] = offsetof(struct sh_token_opts, fold_marks),
	[JOIN_HYPHENS] = offsetof(struct sh_token_opts, join_hyphens),
};

uint64_t sh_content_sum(uint64_t before, struct sh_slice content)
{
	const uint64_t key[2] = { before, 0 };

	return sh_siphash(key, content.n ? content.p : "", content.n);
}

/* ---- settings to lines ---- */

__attribute__((format(printf, 2, 3))) static int say(char *value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, SH_SETTING_MAX, fmt, ap);
	va_end(ap);
	return 1;
}

static int say_content(char *value, uint64_t sum)
{
	return sum ? say(value, "content:%016llx", (unsigned long long)sum) : say(value, "no");
}

static int say_threshold(const struct sh_archive_settings *s, char *value)
{
	size_t n = sh_print_weight(value, (int64_t)s->threshold);

	if (s->measure->any) {
		value[n++] = ',';
		n += sh_print_weight(value + n, (int64_t)s->edit);
	}
	value[n] = '\0';
	return 1;
}

/* The sum of jieba's dictionary is that of its words and frequencies. Byte order and layout of the
 * compiled file do not change it. */
static int say_jieba(const struct sh_jieba *j, char *value, struct sh_error *err)
{
	uint64_t sum;

	if (sh_jieba_checksum(j, &sum, err) < 0)
		return -1;
	return say(value, "total:%llu words:%016llx", (unsigned long long)j->h.total,
	    (unsigned long long)sum);
}

static int say_snowball(const char *stemmer, char *value, struct sh_error *err)
{
	uint64_t sum;

	if (sh_stem_checksum(stemmer, &sum, err) < 0)
		return -1;
	return say(value, "stems:%016llx", (unsigned long long)sum);
}

/* Writes the value of a setting. Returns 1, 0 when the archive has no such row, or -1. */
static int print(
    const struct sh_archive_settings *s, enum setting which, char *value, struct sh_error *err)
{
	const struct sh_token_opts *t = &s->token;
	char kinds[SH_KEEP_TEXT];

	if (flag_at[which])
		return say(value, *(const bool *)((const char *)t + flag_at[which]) ? "yes" : "no");
	switch (which) {
	case PROFILE:
		return say(value, "%s", s->profile->name);
	case MEASURE:
		return say(value, "%s", s->measure->name);
	case THRESHOLD:
		return say_threshold(s, value);
	case SEED:
		return s->random_seed ? say(value, "random")
				      : say(value, "%llu", (unsigned long long)s->seed);
	case NGRAMS:
		return s->ngrams.min == s->ngrams.max
			   ? say(value, "%u", s->ngrams.min)
			   : say(value, "%u-%u", s->ngrams.min, s->ngrams.max);
	case UNIT:
		return say(value, t->unit == SH_UNIT_CHAR ? "char" : "word");
	case METHOD:
		return say(value, "%s", t->method->name);
	case DICT:
		return say_content(value,
		    t->method->needs_cppjieba ? sh_cppjieba_checksum(t->cppjieba) : s->dict_sum);
	case JIEBA:
		return t->method->needs_jieba ? say_jieba(t->jieba, value, err) : 0;
	case STEM:
		return say(value, "%s", t->stem ? t->stem : "no");
	case STOP:
		return say_content(value, s->stop_sum);
	case MIN_CHARS:
		return say(value, "%u", t->min_chars);
	case KEEP:
		return say(value, "%s",
		    t->punctuation                  ? "any"
		    : sh_keep_print(t->keep, kinds) ? kinds
						    : "no");
	case KEYS:
		return say(value, "%ux%u", s->keys, s->rows);
	case UNICODE:
		return say(value, "%s", sh_fold_unicode());
	case SNOWBALL:
		return t->stem ? say_snowball(t->stem, value, err) : 0;
	default:
		return 0;
	}
}

int sh_archive_settings_list(
    const struct sh_archive_settings *s, struct sh_buf *lines, struct sh_error *err)
{
	for (enum setting i = 0; i < SETTINGS; i++) {
		bool is_segment = i == METHOD && is_segmenter(s->token.method);
		char value[SH_SETTING_MAX], line[2 * SH_SETTING_MAX];
		int n, got = print(s, i, value, err);

		if (got < 0)
			return -1;
		if (got == 0)
			continue;
		n = snprintf(
		    line, sizeof line, "option %s %s\n", is_segment ? segment : names[i], value);
		if (sh_buf_add(lines, line, (size_t)n, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- lines to settings ---- */

/* "0.8", or "0.8,0.89" for two measures. */
static int read_threshold(struct sh_archive_settings *s, const char *value)
{
	size_t n = strcspn(value, ",");
	int64_t first, second;

	if (sh_parse_weight(sh_slice(value, n), &first) < 0)
		return -1;
	second = first;
	if (value[n] && sh_parse_weight(sh_slice_str(value + n + 1), &second) < 0)
		return -1;
	s->threshold = (uint64_t)first;
	s->edit = (uint64_t)second;
	return 0;
}

/* Reads a value, of less than SH_SETTING_MAX bytes. The caller compares checksums and versions. */
static int read(struct sh_archive_settings *s, enum setting which, const char *value)
{
	struct sh_token_opts *t = &s->token;
	struct sh_error ignored;
	bool yes = strcmp(value, "yes") == 0, no = strcmp(value, "no") == 0;

	if (flag_at[which]) {
		*(bool *)((char *)t + flag_at[which]) = yes;
		return yes || no ? 0 : -1;
	}
	switch (which) {
	case PROFILE:
		return (s->profile = sh_profile_find(value)) ? 0 : -1;
	case MEASURE:
		s->measure = sh_measure_find(value);
		return s->measure && s->measure->duplicates ? 0 : -1;
	case THRESHOLD:
		return read_threshold(s, value);
	case SEED:
		s->random_seed = strcmp(value, "random") == 0;
		return s->random_seed ? 0 : sh_parse_u64(sh_slice_str(value), &s->seed);
	case NGRAMS:
		return sh_ngrams_parse(value, &s->ngrams, &ignored);
	case UNIT:
		t->unit = strcmp(value, "char") == 0 ? SH_UNIT_CHAR : SH_UNIT_WORD;
		return 0;
	case METHOD:
		return (t->method = sh_token_method_find(value)) ? 0 : -1;
	case STEM:
		memcpy(s->stem, value, strlen(value) + 1);
		t->stem = no ? NULL : s->stem;
		return 0;
	case MIN_CHARS:
		return sscanf(value, "%u", &t->min_chars) == 1 ? 0 : -1;
	case KEEP:
		t->punctuation = strcmp(value, "any") == 0;
		return t->punctuation || no
			   ? 0
			   : sh_keep_parse(sh_slice_str(value), &t->keep, &ignored);
	case KEYS:
		return sscanf(value, "%ux%u", &s->keys, &s->rows) == 2 ? 0 : -1;
	case DICT:
	case JIEBA:
	case STOP:
	case UNICODE:
	case SNOWBALL:
		return 0;
	default:
		return -1;
	}
}

static enum setting find(struct sh_slice name)
{
	enum setting i = 0;

	if (sh_slice_eq(name, sh_slice_str(segment)))
		return METHOD;
	while (i < SETTINGS && !sh_slice_eq(name, sh_slice_str(names[i])))
		i++;
	return i;
}

int sh_archive_settings_read(
    struct sh_archive_settings *s, const struct sh_store_manifest *m, struct sh_error *err)
{
	struct sh_slice lines = m->settings;
	struct sh_store_setting row;
	char value[SH_SETTING_MAX];

	*s = (struct sh_archive_settings){ 0 };
	while (sh_store_setting_next(&lines, &row)) {
		enum setting which = find(row.name);

		snprintf(value, sizeof value, "%.*s", (int)row.value.n, row.value.p);
		if (row.value.n >= sizeof value || which == SETTINGS || read(s, which, value) < 0)
			return sh_error_set(err, SH_ERR_PARAM,
			    "the archive was made with %.*s %s, which this version does not know",
			    (int)row.name.n, row.name.p, value);
	}
	if (s->profile && s->measure && s->token.method && s->keys && s->ngrams.min)
		return 0;
	return sh_error_set(err, SH_ERR_RECORD, "the archive lacks settings");
}

void sh_archive_settings_rules(
    const struct sh_archive_settings *s, const struct sh_store_manifest *m, struct sh_key_rules *r)
{
	*r = (struct sh_key_rules){ .ngrams = s->ngrams,
		.unit = sh_token_unit(&s->token),
		.keys = s->keys,
		.rows = s->rows };
	sh_key_rules_thresholds(r, s->measure, s->threshold, s->edit);
	if (s->random_seed)
		memcpy(r->secret, m->key, sizeof r->secret);
	else
		sh_key_secret(s->seed, r->secret);
}

/* ---- comparison of a run's settings with the archive's settings ---- */

bool sh_archive_setting_is_version(struct sh_slice name)
{
	return find(name) >= UNICODE;
}

bool sh_archive_settings_differ(struct sh_slice *lines, const struct sh_store_manifest *m,
    struct sh_store_setting *now, struct sh_store_setting *made)
{
	while (sh_store_setting_next(lines, now)) {
		*made =
		    (struct sh_store_setting){ now->name, sh_store_manifest_setting(m, now->name) };
		/* METHOD has two names. */
		if (made->value.n == 0 && find(now->name) == METHOD) {
			made->name = sh_slice_str(sh_slice_eq(now->name, sh_slice_str(segment))
						      ? names[METHOD]
						      : segment);
			made->value = sh_store_manifest_setting(m, made->name);
		}
		if (!sh_slice_eq(now->value, made->value))
			return true;
	}
	return false;
}
