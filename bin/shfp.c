/* SPDX-License-Identifier: MIT */
/* shfp: documents or features to fingerprints, documents to keys. */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "docopts.h"
#include "explain.h"
#include "feature_run.h"
#include "fp/accumulator.h"
#include "fp/defaults.h"
#include "fp/fingerprinter.h"
#include "fp/format.h"
#include "fp/permutations.h"
#include "match/keyrecord.h"
#include "measures.h"
#include "names.h"
#include "published/cppjieba.h"
#include "segment/jieba_dict.h"

enum { SEED = CLI_OWN, EMPTY, KEYS, MEASURE, BARE, FEATURES, EXPLAIN, PERMUTATIONS, SCHEME };

static const char *hash_names(unsigned i)
{
	const struct sh_hash *h = sh_hash_at(i);

	return h ? h->name : NULL;
}

static const char *permutation_names(unsigned i)
{
	const struct sh_permutation_scheme *s = sh_permutation_scheme_at(i);

	return s ? s->name : NULL;
}

static const char *format_names(unsigned i)
{
	const struct sh_fp_format *f = sh_fp_format_at(i);

	return f ? f->name : NULL;
}

/* The names of enum sh_empty, the rules for documents without features. */
static const char *empty_names(unsigned i)
{
	static const char *const names[] = { "skip", "zero", "ones", "text", "error", NULL };

	return names[i];
}

static const struct cli_option options[] = {
	CLI_HEADING("Fingerprints"),
	{ 'b', "bits", "32|64|128|256", "width of the fingerprint in bits [64]" },
	{ 'H', "hash", "NAME", "hash of a feature: %s [mix]", hash_names },
	{ 'w', "weight", "SCHEME", "weight of a feature: %s [log]", document_weight_names },
	{ SEED, "seed", "N", "seed of the hash [0]" },
	{ PERMUTATIONS, "permutations", "N",
	    "make MinHash signatures of N values, as the package datasketch makes them" },
	{ SCHEME, "scheme", "NAME", "scheme of --permutations: %s [affine32]", permutation_names },
	{ 'x', "format", "NAME", "write fingerprints as %s [hex]", format_names },
	{ EMPTY, "empty", "RULE", "documents without features: %s [skip]", empty_names },
	{ BARE, "bare", NULL, "write no tag of the settings after the id" },
	CLI_HEADING("Keys"),
	{ KEYS, "keys", "[=KxR]",
	    "write keys that near-duplicates share; K keys of R minwise values [by -T]" },
	{ 'T', "threshold", "X",
	    "with --keys: similarity that must be found, as in shdedup [" SH_DEFAULT_THRESHOLDS
	    "]" },
	{ MEASURE, "measure", "NAME", "with --keys: similarity: %s [" SH_DEFAULT_MEASURE "]",
	    duplicate_measure_names },
	CLI_HEADING("Input and settings"),
	FEATURES_OPTION(FEATURES),
	{ EXPLAIN, "explain", NULL,
	    "name the settings of fingerprints, bands or df tables, and end" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shfp",
	.threads = "documents",
	.synopsis = "[FILE...]",
	.purpose = "Documents (id<TAB>text) or features (id<TAB>feature<TAB>weight)\n"
		   "to fingerprints (fp<TAB>id<TAB>tag).",
	.options = { options, docopts_table },
};

struct settings {
	struct sh_fingerprint_opts fp;
	struct docopts docs;
	const struct sh_fp_format *format;
	enum sh_empty empty;
	bool empty_given; /* --empty was given */
	bool bare;
	bool keys; /* --keys was given; then: */
	struct measures measures;
	struct sh_key_rules rules; /* keys and rows as given; 0: of the table */
	unsigned key_tag;          /* 0: keys have no tag */
	unsigned permutations_n;   /* values of a signature; 0: makes fingerprints */
	const struct sh_permutation_scheme *scheme;
	struct sh_permutations permutations;
	char tag[1 + SH_TAG_DIGITS + 16]; /* TAB and tag, tag_n bytes; 0: records have no tag */
	size_t tag_n;
};

struct worker {
	const struct settings *settings;
	struct sh_fingerprinter *fingerprinter;
	/* With --keys, in place of the fingerprinter: */
	struct sh_tokenizer *tokenizer;
	struct sh_key_maker *maker;
};

/* Appends "fp TAB id TAB tag LF", or with a signature "signature TAB id LF". */
static int add_record(struct sh_buf *out, const struct settings *s, const uint64_t *fp,
    const struct sh_signature *signature, struct sh_slice id, struct sh_error *err)
{
	size_t digits = signature ? SH_SIGNATURE_DIGITS_MAX : SH_FORMAT_MAX;
	char *p;

	if (sh_buf_reserve(out, digits + id.n + sizeof s->tag + 2, err) < 0)
		return -1;
	p = out->p + out->n;
	p += signature ? sh_permutations_print(&s->permutations, signature, p)
		       : s->format->print(p, fp, s->fp.bits);
	*p++ = '\t';
	memcpy(p, id.p, id.n);
	p += id.n;
	memcpy(p, s->tag, s->tag_n);
	p += s->tag_n;
	*p++ = '\n';
	out->n = (size_t)(p - out->p);
	return 0;
}

/* Handles a document without features: by default it has no fingerprint and a note says so. */
static int add_empty(const struct settings *s, struct sh_slice id, const char *file, uint64_t line,
    struct sh_job *job, struct sh_error *err)
{
	struct sh_signature signature;
	uint64_t fp[SH_FP_MAX_WORDS];
	char text[160];

	if (s->empty == SH_EMPTY_ERROR)
		return sh_error_set(err, SH_ERR_RECORD,
		    "document '%.*s' has no features (--empty=skip%s)", sh_shown(id, 80), id.p,
		    s->keys ? "" : "|zero|ones|text");
	job->empty++;
	if (!s->keys && (s->permutations_n ? sh_permutations_empty(
						 &s->permutations, s->empty, s->fp.hash, &signature)
					   : sh_empty_fingerprint(s->empty, &s->fp, fp)))
		return add_record(&job->out, s, fp, s->permutations_n ? &signature : NULL, id, err);
	snprintf(
	    text, sizeof text, "document '%.*s' has no features: skipped", sh_shown(id, 80), id.p);
	return sh_job_note(job, file, line, text, err);
}

/* Appends the record of a document, given its fingerprint and the hashes of its features. any: it
 * has features, perhaps without weight. */
static int add_document(struct sh_job *job, const struct settings *s,
    const struct sh_fingerprint *fp, const uint64_t *hash, size_t n, bool any, struct sh_slice id,
    const char *file, uint64_t line, struct sh_error *err)
{
	/* A profile with a rule of its own applies that rule to documents without features only,
	 * not to features without weight. */
	bool by_system =
	    s->docs.profile->empty != SH_EMPTY_SKIP && !s->empty_given && !s->permutations_n;
	struct sh_signature signature;

	if (fp->empty && !(any && by_system))
		return add_empty(s, id, file, line, job, err);
	if (!s->permutations_n)
		return add_record(&job->out, s, fp->w, NULL, id, err);
	sh_permutations_sign(&s->permutations, hash, n, &signature);
	return add_record(&job->out, s, NULL, &signature, id, err);
}

/* ---- documents ---- */

static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_fingerprint x;

	if (sh_fingerprint(w->fingerprinter, doc->text, &x, err) < 0)
		return -1;
	job->ill_formed += x.bad_utf8;
	return add_document(job, w->settings, &x, sh_fingerprint_hashes(w->fingerprinter),
	    x.features, x.tokens, doc->id, job->from.file, sh_job_line(job), err);
}

/* Appends the keys of a document, "key TAB id LF". */
static int each_keyed(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_tokens tokens;
	struct sh_doc_keys keys;
	const uint64_t *hash;
	char *p;

	if (sh_tokenize(w->tokenizer, doc->text, &tokens, err) < 0)
		return -1;
	job->ill_formed += tokens.bad_utf8;
	if (tokens.n == 0)
		return add_empty(w->settings, doc->id, job->from.file, sh_job_line(job), job, err);
	hash = sh_key_tokens(w->maker, &tokens, err);
	if (!hash || sh_keys_make(w->maker, hash, tokens.n, &keys, err) < 0 ||
	    sh_buf_reserve(&job->out, keys.n * (SH_KEY_CHARS + doc->id.n + 2), err) < 0)
		return -1;
	p = job->out.p + job->out.n;
	for (size_t i = 0; i < keys.n; i++) {
		sh_key_record_print(p, &keys.key[i], w->settings->key_tag);
		p += SH_KEY_CHARS;
		*p++ = '\t';
		memcpy(p, doc->id.p, doc->id.n);
		p += doc->id.n;
		*p++ = '\n';
	}
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct settings *s = w->settings;

	return sh_docs_work(&s->docs.docs, s->keys ? each_keyed : each_document, w, job);
}

static int worker_init(struct worker *w, const struct settings *s, struct sh_error *err)
{
	struct sh_token_opts token = s->docs.token;

	*w = (struct worker){ .settings = s };
	if (!s->keys) {
		w->fingerprinter = sh_fingerprinter_new(&s->fp, err);
		return w->fingerprinter ? 0 : -1;
	}
	token.apart = true; /* keys are made of the tokens' hashes */
	w->tokenizer = sh_tokenizer_new(&token, err);
	w->maker = w->tokenizer ? sh_key_maker_new(&s->rules, err) : NULL;
	return w->maker ? 0 : -1;
}

static void worker_free(struct worker *w)
{
	sh_fingerprinter_delete(w->fingerprinter);
	sh_tokenizer_delete(w->tokenizer);
	sh_key_maker_delete(w->maker);
}

/* Lists the settings that decide the fingerprints of documents. Opens the dictionaries. */
static void list_settings(struct cli *c, struct settings *s, struct sh_settings *list)
{
	struct docopts *d = &s->docs;
	uint64_t sum = 0, words;
	struct sh_error err;

	docopts_open_dictionary(d, c, true);
	if (d->cppjieba)
		sum = sh_cppjieba_checksum(d->cppjieba);
	if (!d->cppjieba && d->jieba) {
		if (sh_jieba_checksum(d->jieba, &words, &err) < 0)
			cli_die(c, &err);
		sum = d->dict_sum ^ words;
	}
	s->fp.token = d->token;
	s->fp.ngrams = d->ngrams;
	sh_settings_list(list, &s->fp, d->stop_sum, sum);
}

/* Sets the tags of the records. */
static void set_tags(struct cli *c, struct settings *s)
{
	struct sh_settings list;
	uint64_t tag;

	list_settings(c, s, &list);
	tag = (uint64_t)sh_settings_tag(&list);
	if (s->bare)
		return;
	/* Keys have the tag of the settings that decide the tokens and the seed. All other settings
	 * have one value here. */
	if (s->keys)
		s->key_tag = tag ? sh_key_rules_tag(&s->rules, (unsigned)tag) : 0;
	/* No tag with a profile of a published system, or with digits of another kind. */
	s->tag[0] = '\t';
	if (s->docs.profile == sh_profile_at(0) && strcmp(s->format->name, "hex") == 0)
		s->tag_n = 1 + sh_print_hex_number(s->tag + 1, tag, SH_TAG_DIGITS);
}

/* Returns the number of documents without features, as add_features() does. */
static uint64_t run_documents(struct cli *c, struct settings *s, struct sh_source *source)
{
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_error err;

	/* The profile needs tables; this program would hash all features, not the heaviest. */
	if (s->docs.profile->top && !s->keys)
		cli_usage(c,
		    "-p %s takes the heaviest features of documents, by tables: shtok | shweight | "
		    "shfp, with the same -p",
		    s->docs.profile->name);
	set_tags(c, s);
	for (unsigned i = 0; i < c->jobs; i++) {
		if (worker_init(&workers[i], s, &err) < 0)
			cli_die(c, &err);
		run.workers[i] = &workers[i];
	}
	run_pool(&run, source);
	run_finish(&run);
	for (unsigned i = 0; i < c->jobs; i++)
		worker_free(&workers[i]);
	return run.empty;
}

/* ---- features ---- */

static int init_sums(void *own, void *settings, struct sh_error *err)
{
	const struct settings *s = settings;

	return sh_accumulator_init(own, &s->fp, err);
}

static void free_sums(void *own)
{
	sh_accumulator_free(own);
}

static size_t add_to_sums(struct feature_doc *d, struct sh_error *err)
{
	return sh_accumulator_add(d->own, d->text, d->weight, d->n, err);
}

static int end_sums(struct feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	struct sh_accumulator *sums = d->own;
	struct sh_fingerprint fp;
	int status;

	sh_accumulator_finish(sums, &fp);
	status = add_document(job, d->arg, &fp, sums->hash, sums->n, sums->any, feature_doc_id(d),
	    d->file, d->line, err);
	sh_accumulator_clear(sums);
	return status;
}

static const struct feature_calls feature_calls = {
	.size = sizeof(struct sh_accumulator),
	.init = init_sums,
	.free = free_sums,
	.add = add_to_sums,
	.end = end_sums,
	.words_max = SH_NGRAM_MAX, /* no n-gram has more */
};

/* Dies when the profile has no fingerprints of this width. */
static void check_bits(struct cli *c, const struct settings *s)
{
	const struct sh_profile *p = s->docs.profile;

	if (s->permutations_n || sh_profile_has_bits(p, s->fp.bits))
		return;
	if (p->bits_step == 0)
		cli_usage(c, "-b %u: expected 32, 64, 128 or 256", s->fp.bits);
	if (p->bits_min == p->bits_max)
		cli_usage(c, "-b %u: -p %s has %u bits", s->fp.bits, p->name, p->bits_min);
	cli_usage(c, "-b %u: -p %s has %u to %u bits, in steps of %u", s->fp.bits, p->name,
	    p->bits_min, p->bits_max, p->bits_step);
}

static uint64_t add_features(struct cli *c, struct settings *s, struct sh_source *source)
{
	if (cli_given_of(c, docopts_table, 'p') || cli_given(c, 'w'))
		cli_usage(c,
		    "the input is features (three fields, the last a number), and -w or an option "
		    "for documents was given: these options belong to shtok and shweight");
	return run_feature_docs(c, source, &feature_calls, s);
}

/* ---- options ---- */

/* Reads the options of fingerprints. Each changes a choice of the profile. */
static void set_fingerprint(struct cli *c, struct settings *s)
{
	const struct sh_profile *p = s->docs.profile;
	const char *hash = opt_value(c, 'H'), *format = opt_value(c, 'x');
	const char *scheme = opt_text(c, 'w');

	s->fp.hash = sh_hash_find(hash ? hash : p->hash);
	s->fp.scheme = sh_scheme_find(scheme ? scheme : p->weight);
	if (scheme && s->fp.scheme && s->fp.scheme->needs_df)
		cli_usage(c, "-w %s: needs document frequencies (use shweight)", scheme);
	opt_value(c, 'w'); /* dies of another name */
	s->fp.bits = (unsigned)opt_number(c, 'b', 1, SH_FP_MAX_BITS, p->bits);
	s->fp.seed = opt_number(c, SEED, 0, UINT64_MAX, 0);
	s->fp.tie = p->tie;
	s->fp.real = p->real;
	s->fp.rounded = p->rounded;
	s->format = sh_fp_format_find(format ? format : "hex");
	s->bare = cli_given(c, BARE);
	s->empty_given = cli_given(c, EMPTY);
	s->empty = (enum sh_empty)opt_choice(c, EMPTY, p->empty);
}

/* Checks the options of signatures. As in datasketch, a feature's hash is SHA-1 unless -H is given,
 * and --seed is the seed of the permutations. */
static void complete_permutations(struct cli *c, struct settings *s)
{
	uint64_t seed = cli_given(c, SEED) ? s->fp.seed : 1;
	const char *scheme = opt_value(c, SCHEME);
	unsigned digits;

	s->permutations_n = (unsigned)opt_number(c, PERMUTATIONS, 1, SH_PERMUTATIONS_MAX, 0);
	if (!s->permutations_n) {
		if (scheme)
			cli_usage(c, "--scheme needs --permutations");
		return;
	}
	if (cli_given(c, 'w'))
		cli_usage(c, "-w has no effect on signatures: they are made of sets of features");
	if (cli_given(c, 'x'))
		cli_usage(c, "-x cannot be used with --permutations: signatures are hexadecimal");
	if (seed > UINT32_MAX)
		cli_usage(
		    c, "--seed: expected 0 to %lu with --permutations", (unsigned long)UINT32_MAX);
	s->scheme = scheme ? sh_permutation_scheme_find(scheme) : sh_permutation_scheme_at(0);
	digits = s->permutations_n * s->scheme->digits;
	if (digits > SH_SIGNATURE_DIGITS_MAX)
		cli_usage(c, "--permutations: at most %u with --scheme %s",
		    SH_SIGNATURE_DIGITS_MAX / s->scheme->digits, s->scheme->name);
	sh_permutations_init(&s->permutations, s->scheme, s->permutations_n, (uint32_t)seed);
	if (digits <= SH_FP_HEX_MAX)
		cli_warn(c,
		    "signatures of up to %u values have the form of fingerprints: read them with "
		    "shband --rows only",
		    SH_FP_HEX_MAX / s->scheme->digits);
	if (!cli_given(c, 'H'))
		s->fp.hash = sh_hash_find("sha1");
	s->fp.seed = 0;
	s->fp.scheme = NULL;
	s->bare = true;
	s->fp.bits = 64;
}

/* Takes the argument of --keys: KxR, or NULL for the table's keys. */
static void set_layout(struct cli *c, struct sh_key_rules *r, const char *layout)
{
	const char *x = layout ? strchr(layout, 'x') : NULL;
	uint64_t keys, rows;

	if (!layout)
		return;
	if (!x || sh_parse_count(sh_slice(layout, (size_t)(x - layout)), &keys) < 0 ||
	    sh_parse_count(sh_slice_str(x + 1), &rows) < 0 || keys < 1 || keys > SH_KEYS_MAX ||
	    rows < 1 || rows > SH_KEYS_ROWS_MAX)
		cli_usage(c,
		    "--keys '%s': expected keys and values of a key, as 24x3; at most %dx%d",
		    layout, SH_KEYS_MAX, SH_KEYS_ROWS_MAX);
	r->keys = (unsigned)keys;
	r->rows = (unsigned)rows;
}

/* Dies when an option was given that has no effect on keys. */
static void complete_keys(struct cli *c, struct settings *s)
{
	static const int without[] = { 'b', 'H', 'w', 'x', PERMUTATIONS, FEATURES, EXPLAIN };

	s->keys = cli_given(c, KEYS);
	if (!s->keys) {
		if (cli_given(c, 'T') || cli_given(c, MEASURE))
			cli_usage(c, "%s needs --keys", cli_given(c, 'T') ? "-T" : "--measure");
		return;
	}
	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		if (cli_given(c, without[i]))
			cli_usage(
			    c, "%s cannot be used with --keys", cli_option_name(c, without[i]));
	if (s->empty_given && s->empty != SH_EMPTY_SKIP && s->empty != SH_EMPTY_ERROR)
		cli_usage(c, "--empty with --keys: expected skip or error: a document without "
			     "features has no keys");
	set_layout(c, &s->rules, opt_text(c, KEYS));
	s->measures.least = 1;
	measures_complete(&s->measures, c, MEASURE);
	measures_key_rules(&s->measures, &s->docs, s->fp.seed, &s->rules);
}

static void complete(struct cli *c, struct settings *s)
{
	const struct sh_profile *p;
	struct sh_error err;

	s->docs.perhaps_no_text = true;
	s->docs.sets = cli_given(c, KEYS);
	docopts_complete(&s->docs, c);
	p = s->docs.profile;
	set_fingerprint(c, s);
	complete_permutations(c, s);
	complete_keys(c, s);
	check_bits(c, s);
	if (sh_fingerprint_check(&s->fp, &err) < 0)
		cli_usage(c, "%s", err.text);
	if (strcmp(s->format->name, "bin") == 0)
		s->format = sh_fp_format_find(p->bin ? p->bin : "bin");
}

/* Ends the program: the first record has three fields, and is no feature. */
_Noreturn static void refuse_both(
    struct cli *c, const struct sh_source *source, struct sh_slice line)
{
	refuse_peeked(c, source, source->line,
	    sh_is_like_tagged_fp(line)
		? "a fingerprint with its id and tag, expected id<TAB>text or "
		  "id<TAB>feature<TAB>weight (shband and shjoin read fingerprints)"
		: "3 fields, expected id<TAB>text (-f ID,TEXT chooses two of them) or "
		  "id<TAB>feature<TAB>weight, the last a number");
}

/* Accepts a head that is not text: reading it later ends the program with a message. */
static int document_or_feature(
    const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	static const struct sh_document_form form;
	struct sh_slice head = sh_source_peeked(source);
	struct sh_document_room room = { 0 };
	struct sh_document doc;

	if (sh_is_like_feature(line) || (!source->begun && sh_docs_head(&head, err) < 0))
		return 0;
	return sh_document_parse(&form, line, 0, &room, &doc, err);
}

/* Returns whether the input is features. The first record decides: three fields with a number last
 * are a feature. Three fields without one are neither a feature nor a document. */
static bool holds_features(struct cli *c, const struct settings *s, struct sh_source *source)
{
	const struct sh_document_form *form = &s->docs.docs.form;
	struct sh_slice line, v[3];

	if (cli_given(c, FEATURES))
		return true;
	if (form->line_ids || form->number[0] || form->json || form->columns)
		return false;
	/* Empty input may be the output of shweight for no documents. */
	if (!cli_first(c, source, document_or_feature, &line))
		return (s->fp.scheme && s->fp.scheme->needs_df) || s->docs.profile->top > 0;
	if (sh_is_like_tagged_fp(line))
		refuse_both(c, source, line);
	if (sh_is_like_feature(line)) {
		need_features(c, source, "-f 1,2 reads documents, --features reads features");
		return true;
	}
	if (sh_fields_split(line, v, 3) == 3 && !c->rejects_path)
		refuse_both(c, source, line);
	return false;
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };
	struct sh_source source;
	struct sh_settings list;
	uint64_t empty;

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	if (cli_given(&c, EXPLAIN)) {
		list_settings(&c, &s, &list);
		c.trailer_out = false;
		cli_open(&c);
		explain(&c, &list);
		docopts_free(&s.docs);
		return cli_finish(&c);
	}
	cli_open(&c);
	cli_source_init(&c, &source);
	formopts_read_header(&c, &s.docs.docs.form, &source);
	empty = !s.keys && holds_features(&c, &s, &source) ? add_features(&c, &s, &source)
							   : run_documents(&c, &s, &source);
	if (empty && (s.keys || s.empty == SH_EMPTY_SKIP))
		cli_warn(&c, "%llu document%s without features skipped", (unsigned long long)empty,
		    CLI_PLURAL(empty));
	sh_source_free(&source);
	docopts_free(&s.docs);
	return cli_finish(&c);
}
