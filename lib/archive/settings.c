/* SPDX-License-Identifier: MIT */
#include "archive/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/siphash.h"
#include "fp/tag.h"
#include "published/cppjieba.h"
#include "segment/jieba_dict.h"
#include "text/stem.h"
#include "unicode/fold.h"

static bool is(struct sh_slice name, const char *word)
{
	return sh_slice_eq(name, sh_slice_str(word));
}

uint64_t sh_content_sum(uint64_t before, struct sh_slice content)
{
	const uint64_t key[2] = { before, 0 };

	return sh_siphash(key, content.n ? content.p : "", content.n);
}

/* ---- settings to lines ---- */

/* Appends a line when *status is 0. */
__attribute__((format(printf, 5, 6))) static void add(
    struct sh_buf *lines, int *status, struct sh_error *err, const char *name, const char *fmt, ...)
{
	char value[SH_SETTING_MAX], line[2 * SH_SETTING_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(value, sizeof value, fmt, ap);
	va_end(ap);
	n = snprintf(line, sizeof line, "option %s %s\n", name, value);
	if (*status == 0)
		*status = sh_buf_add(lines, line, (size_t)n, err);
}

static void print_thresholds(const struct sh_archive_settings *s, char *value)
{
	size_t n = sh_print_weight(value, (int64_t)s->threshold);

	if (s->measure->any) {
		value[n++] = ',';
		n += sh_print_weight(value + n, (int64_t)s->edit);
	}
	value[n] = '\0';
}

int sh_archive_settings_list(
    const struct sh_archive_settings *s, struct sh_buf *lines, struct sh_error *err)
{
	const struct sh_token_opts *t = &s->token;
	const struct sh_fingerprint_opts opts = {
		.hash = sh_hash_at(0), .token = *t, .ngrams = s->ngrams
	};
	struct sh_settings features;
	char text[SH_SETTING_MAX];
	uint64_t sum;
	size_t i = 0;
	int status = 0;

	print_thresholds(s, text);
	add(lines, &status, err, "-p", "%s", s->profile->name);
	add(lines, &status, err, "--measure", "%s", s->measure->name);
	add(lines, &status, err, "-T", "%s", text);
	if (s->random_seed)
		add(lines, &status, err, "--seed", "random");
	else
		add(lines, &status, err, "--seed", "%llu", (unsigned long long)s->seed);
	sh_settings_list(&features, &opts, s->stop_sum,
	    t->method->needs_cppjieba ? sh_cppjieba_checksum(t->cppjieba) : s->dict_sum);
	/* The rows before -n decide fingerprints, but no features. */
	while (strcmp(features.row[i].name, "-n") != 0)
		i++;
	for (; i < features.n; i++)
		add(lines, &status, err, features.row[i].name, "%s", features.row[i].value);
	/* The sum of jieba's dictionary is that of its words and frequencies, also of the words of
	 * --dict. Byte order and layout of the compiled file do not change it. */
	if (status == 0 && t->method->needs_jieba) {
		status = sh_jieba_checksum(t->jieba, &sum, err);
		add(lines, &status, err, "SIMHASH_JIEBA", "total:%llu words:%016llx",
		    (unsigned long long)t->jieba->h.total, (unsigned long long)sum);
	}
	/* Another version may have another table of keys. */
	add(lines, &status, err, "keys", "%ux%u", s->keys, s->rows);
	add(lines, &status, err, "unicode", "%s", sh_fold_unicode());
	if (status == 0 && t->stem) {
		status = sh_stem_checksum(t->stem, &sum, err);
		add(lines, &status, err, "snowball", "stems:%016llx", (unsigned long long)sum);
	}
	return status;
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

/* Reads a value, of less than SH_SETTING_MAX bytes. Returns -1 when this version does not know it.
 * The caller compares checksums and versions. */
static int read(struct sh_archive_settings *s, struct sh_slice name, const char *value)
{
	struct sh_token_opts *t = &s->token;
	const struct {
		const char *name;
		bool *flag;
	} flags[] = { { "--no-fold", &t->no_fold }, { "--mask-digits", &t->mask_digits },
		{ "--fold-marks", &t->fold_marks }, { "--join-hyphens", &t->join_hyphens } };
	bool yes = strcmp(value, "yes") == 0, no = strcmp(value, "no") == 0;
	struct sh_error ignored;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (is(name, flags[i].name)) {
			*flags[i].flag = yes;
			return yes || no ? 0 : -1;
		}
	if (is(name, "-p"))
		return (s->profile = sh_profile_find(value)) ? 0 : -1;
	if (is(name, "--measure")) {
		s->measure = sh_measure_find(value);
		return s->measure && s->measure->duplicates ? 0 : -1;
	}
	if (is(name, "-T"))
		return read_threshold(s, value);
	if (is(name, "--seed")) {
		s->random_seed = strcmp(value, "random") == 0;
		return s->random_seed ? 0 : sh_parse_u64(sh_slice_str(value), &s->seed);
	}
	if (is(name, "-n"))
		return sh_ngrams_parse(value, &s->ngrams, &ignored);
	if (is(name, "-u")) {
		t->unit = strcmp(value, "char") == 0 ? SH_UNIT_CHAR : SH_UNIT_WORD;
		return 0;
	}
	if (is(name, "--split") || is(name, "--segment"))
		return (t->method = sh_token_method_find(value)) ? 0 : -1;
	if (is(name, "--stem")) {
		memcpy(s->stem, value, strlen(value) + 1);
		t->stem = no ? NULL : s->stem;
		return 0;
	}
	if (is(name, "--min-chars"))
		return sscanf(value, "%u", &t->min_chars) == 1 ? 0 : -1;
	if (is(name, "--keep-words")) {
		t->punctuation = strcmp(value, "any") == 0;
		return t->punctuation || no || sscanf(value, "kinds:%x", &t->keep) == 1
			   ? 0
			   : sh_keep_parse(sh_slice_str(value), &t->keep, &ignored);
	}
	if (is(name, "keys"))
		return sscanf(value, "%ux%u", &s->keys, &s->rows) == 2 ? 0 : -1;
	return is(name, "--dict") || is(name, "--stop") || is(name, "SIMHASH_JIEBA") ||
		       sh_archive_setting_is_version(name)
		   ? 0
		   : -1;
}

int sh_archive_settings_read(
    struct sh_archive_settings *s, const struct sh_store_manifest *m, struct sh_error *err)
{
	struct sh_slice lines = m->settings;
	struct sh_store_setting row;
	char value[SH_SETTING_MAX];

	*s = (struct sh_archive_settings){ 0 };
	while (sh_store_setting_next(&lines, &row)) {
		snprintf(value, sizeof value, "%.*s", (int)row.value.n, row.value.p);
		if (row.value.n >= sizeof value || read(s, row.name, value) < 0)
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
	return is(name, "unicode") || is(name, "snowball");
}

bool sh_archive_settings_differ(struct sh_slice *lines, const struct sh_store_manifest *m,
    struct sh_store_setting *now, struct sh_store_setting *made)
{
	while (sh_store_setting_next(lines, now)) {
		*made =
		    (struct sh_store_setting){ now->name, sh_store_manifest_setting(m, now->name) };
		/* The method has two names: which one it is depends on the value. */
		if (made->value.n == 0 &&
		    (is(now->name, "--split") || is(now->name, "--segment"))) {
			made->name =
			    sh_slice_str(is(now->name, "--split") ? "--segment" : "--split");
			made->value = sh_store_manifest_setting(m, made->name);
		}
		if (!sh_slice_eq(now->value, made->value))
			return true;
	}
	return false;
}
