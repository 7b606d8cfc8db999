/* The first pass over the documents finds their places, fingerprints and numbers of features. */
#include <stdlib.h>

#include "base/num.h"
#include "base/siphash.h"
#include "dedup.h"
#include "fp/analysis.h"
#include "record/escape.h"
#include "run.h"
#include "stream/corpus_lines.h"
#include "unicode/utf8.h"

#define NOT_LISTED UINT32_MAX

/* A block has first an element for each LINE bytes, but at most FIRST_CAP. */
enum { LINE = 64, FIRST_CAP = 2048 };

static uint64_t rank(const struct dedup_state *s, const struct sh_document *doc, uint32_t ranked)
{
	if (s->settings->rank.name.n)
		return 1; /* dedup_rank() changes it */
	switch (s->settings->keep.which) {
	case SH_PREFER_LONGEST:
		return UINT64_MAX -
		       (s->settings->docs.token.raw ? doc->text.n : sh_unescaped_length(doc->text));
	case SH_PREFER_RANKED:
		return ranked == NOT_LISTED ? UINT64_MAX : ranked;
	default:
		return 0;
	}
}

static uint32_t listed(const struct dedup_ids *list, struct sh_slice id)
{
	uint32_t i;

	return sh_hmap_find(&list->ids, id, &i) ? i : NOT_LISTED;
}

static void note_met(struct dedup_ids *list, uint32_t i)
{
	if (i != NOT_LISTED)
		list->at[i].line = 0;
}

/* ---- descriptions: see dedup_describe() ---- */

/* The words of a description: three numbers, then from FP on the fingerprint, the keys, the bag of
 * tokens, and the sampled features. */
enum {
	FEATURES, /* number of distinct features */
	DIGEST,   /* hash of the text */
	SAMPLED,  /* number of sampled features */
	FP
};

static bool has_bag(const struct dedup_state *s)
{
	return s->sample_features && s->settings->fp.bag;
}

static size_t words_without_samples(const struct dedup_state *s)
{
	return FP + SH_FP_WORDS(s->settings->fp.bits) + s->plan.keys.keys +
	       (has_bag(s) ? SH_BAG_WORDS : 0);
}

size_t dedup_description(const struct dedup_state *s)
{
	return words_without_samples(s) + s->sample_features;
}

size_t dedup_describe(const struct dedup_state *s, struct sh_fingerprinter *f,
    const struct sh_fingerprint *fp, uint64_t digest, uint64_t *to)
{
	size_t words = SH_FP_WORDS(s->settings->fp.bits), n = words_without_samples(s);

	to[FEATURES] = fp->empty ? 0 : fp->distinct;
	to[DIGEST] = digest;
	to[SAMPLED] =
	    s->sample_features ? sh_fingerprint_sample(f, fp, s->sample_features, to + n) : 0;
	memcpy(to + FP, fp->w, words * sizeof *to);
	if (has_bag(s))
		memcpy(to + n - SH_BAG_WORDS, sh_fingerprint_bag(f), sizeof(struct sh_bag));
	if (s->plan.keys.keys && to[FEATURES])
		sh_minkeys_of(s->plan.keys,
		    sh_fingerprint_values(f, fp, sh_key_plan_values(&s->plan)), to + FP + words);
	return n + to[SAMPLED];
}

static int collect_sample(struct dedup_state *s, const uint64_t *d, struct sh_error *err)
{
	static const struct sh_bag none = { 0 };
	const uint64_t *sample = d ? d + words_without_samples(s) : NULL;
	const struct sh_bag *bag = &none;

	if (!has_bag(s))
		bag = NULL;
	else if (d && d[FEATURES])
		bag = (const struct sh_bag *)(sample - SH_BAG_WORDS);
	return sh_dedup_sample(s->dedup, sample, d ? d[SAMPLED] : 0, bag, err);
}

/* Returns the keys of a described document; NULL when it has no features. */
static const uint64_t *keys_of(const struct dedup_state *s, const uint64_t *d)
{
	return d[FEATURES] ? d + FP + SH_FP_WORDS(s->settings->fp.bits) : NULL;
}

static int collect_keys(struct dedup_state *s, const uint64_t *d, struct sh_error *err)
{
	uint32_t low[SH_MINKEYS_MAX];
	uint8_t first[SH_MINKEYS_MAX];
	struct sh_key_block key = { low, first, 1 };
	uint64_t digest = d ? d[DIGEST] : 0;

	sh_dedup_pack_keys(s->dedup, d ? keys_of(s, d) : NULL, &key, 0);
	return sh_dedup_add_keys(s->dedup, &digest, &key, 1, err);
}

int dedup_collect_description(
    struct dedup_state *s, uint32_t document, const uint64_t *d, struct sh_error *err)
{
	if (d)
		sh_dedup_describe(s->dedup, document, d + FP, d[FEATURES]);
	if (s->plan.keys.keys && collect_keys(s, d, err) < 0)
		return -1;
	return s->sample_features ? collect_sample(s, d, err) : 0;
}

/* ---- the documents of a task ---- */

/* Columns of a block. The size of an element never increases, so all are aligned. */
enum column {
	PLACE,
	NUMBER,
	RANK,
	DIGESTS,
	PRINTS,
	DESCRIBED, /* the whole description, for sampled features */
	RANKED,    /* index of the id in the list `ranked`, or NOT_LISTED */
	PROTECTED, /* index of the id in the list `protected`, or NOT_LISTED */
	KEYS_LOW,
	COUNTS, /* numbers of features */
	IS_PROTECTED,
	KEYS_FIRST,
	COLUMNS
};

/* Column c begins at byte begin[c] * block.cap behind the struct block. It is missing when begin[c]
 * is begin[c + 1]. */
struct layout {
	const struct dedup_state *state;
	size_t begin[COLUMNS + 1];
};

/* A worker's results for a task, in job->facts. The columns follow, with job->records elements. */
struct block {
	size_t cap; /* elements allocated for each column */
};

static struct layout lay_out(const struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	/* With an archive, the batch describes the documents: see dedup_archive_look(). */
	bool describes = !how->archive.dir;
	size_t keys = describes ? s->plan.keys.keys : 0;
	const size_t size[COLUMNS] = {
		[PLACE] = sizeof(uint64_t),
		[NUMBER] = how->docs.docs.form.line_ids ? sizeof(uint64_t) : 0,
		[RANK] =
		    how->rank.name.n || how->keep.which != SH_PREFER_FIRST ? sizeof(uint64_t) : 0,
		[DIGESTS] = keys ? sizeof(uint64_t) : 0,
		[PRINTS] = describes ? SH_FP_WORDS(how->fp.bits) * sizeof(uint64_t) : 0,
		[DESCRIBED] =
		    describes && s->sample_features ? dedup_description(s) * sizeof(uint64_t) : 0,
		[RANKED] = s->ranked.ids.n ? sizeof(uint32_t) : 0,
		[PROTECTED] = s->protected.ids.n ? sizeof(uint32_t) : 0,
		[KEYS_LOW] = keys * sizeof(uint32_t),
		[COUNTS] = describes ? sizeof(uint16_t) : 0,
		[IS_PROTECTED] = s->protected.ids.n ? sizeof(bool) : 0,
		[KEYS_FIRST] = keys,
	};
	struct layout l = { .state = s };

	for (unsigned i = 0; i < COLUMNS; i++)
		l.begin[i + 1] = l.begin[i] + size[i];
	return l;
}

/* Returns NULL when the block does not have the column. */
static void *column(const struct layout *l, struct sh_job *job, enum column c)
{
	struct block *b = (struct block *)(void *)job->facts.p;

	return l->begin[c] < l->begin[c + 1] ? (char *)(b + 1) + b->cap * l->begin[c] : NULL;
}

static size_t block_cap(const struct sh_job *job)
{
	return ((const struct block *)(const void *)job->facts.p)->cap;
}

static struct sh_key_block key_block(const struct layout *l, struct sh_job *job)
{
	return (struct sh_key_block){ column(l, job, KEYS_LOW), column(l, job, KEYS_FIRST),
		block_cap(job) };
}

struct worker {
	const struct layout *layout;
	const struct sh_corpus_lines *lines;
	struct sh_document_room room; /* for the lines */
	struct sh_analyser analyser;
	uint64_t *described; /* scratch memory for a description */
};

static int start_block(const struct layout *l, struct sh_job *job, struct sh_error *err)
{
	size_t cap = job->in.n / LINE < FIRST_CAP ? job->in.n / LINE + 1 : FIRST_CAP;
	size_t bytes = sizeof(struct block) + cap * l->begin[COLUMNS];

	if (sh_buf_reserve(&job->facts, bytes, err) < 0)
		return -1;
	*(struct block *)(void *)job->facts.p = (struct block){ cap };
	job->facts.n = bytes;
	return 0;
}

/* Doubles a full block. All elements move: the last ones first, because the places of all but the
 * first ones increase. The keys have a row for each key: see struct sh_key_block. */
static int grow_block(const struct layout *l, struct sh_job *job, struct sh_error *err)
{
	size_t full = block_cap(job), cap = 2 * full;
	char *columns;

	if (sh_buf_reserve(&job->facts, full * l->begin[COLUMNS], err) < 0)
		return -1;
	job->facts.n += full * l->begin[COLUMNS];
	columns = job->facts.p + sizeof(struct block);
	for (unsigned c = COLUMNS; c-- > 0;) {
		size_t rows =
		    c == KEYS_LOW || c == KEYS_FIRST ? l->state->plan.keys.keys : (size_t)1;
		size_t size = rows ? (l->begin[c + 1] - l->begin[c]) / rows : 0;

		for (size_t i = rows; i-- > 0;) {
			size_t at = l->begin[c] + i * size;

			memmove(columns + cap * at, columns + full * at, full * size);
		}
	}
	*(struct block *)(void *)job->facts.p = (struct block){ cap };
	return 0;
}

static int describe(struct worker *w, const struct sh_document *doc, struct sh_job *job, size_t i,
    struct sh_error *err)
{
	const struct layout *l = w->layout;
	const struct dedup_state *s = l->state;
	struct sh_key_block key = key_block(l, job);
	size_t words = SH_FP_WORDS(s->settings->fp.bits);
	uint64_t *d = column(l, job, DESCRIBED), digest = 0;
	struct sh_analysis x;

	d = d ? d + i * dedup_description(s) : w->described;
	if (sh_analyse(&w->analyser, doc->text, &x, err) < 0)
		return -1;
	if (key.low)
		digest = sh_siphash(s->corpus.key, doc->text.p, doc->text.n);
	dedup_describe(s, w->analyser.fingerprinter, &x.fp, digest, d);
	memcpy((uint64_t *)column(l, job, PRINTS) + i * words, d + FP, words * sizeof *d);
	((uint16_t *)column(l, job, COUNTS))[i] = sh_dedup_features(d[FEATURES]);
	if (key.low) {
		((uint64_t *)column(l, job, DIGESTS))[i] = digest;
		sh_dedup_pack_keys(s->dedup, keys_of(s, d), &key, i);
	}
	job->ill_formed += x.bad_utf8;
	return 0;
}

/* Looks the id of document i up in the lists of ids. */
static void look_up(const struct layout *l, struct sh_slice id, struct sh_job *job, size_t i)
{
	const struct dedup_state *s = l->state;
	uint32_t *ranked = column(l, job, RANKED), *protected = column(l, job, PROTECTED);

	if (ranked)
		ranked[i] = listed(&s->ranked, id);
	if (protected) {
		protected[i] = listed(&s->protected, id);
		((bool *)column(l, job, IS_PROTECTED))[i] = protected[i] != NOT_LISTED;
	}
}

static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	const struct layout *l = w->layout;
	size_t i = (size_t)job->records;
	uint64_t *place, *number, *ranks;
	const uint32_t *ranked;

	if (i == block_cap(job) && grow_block(l, job, err) < 0)
		return -1;
	place = column(l, job, PLACE);
	number = column(l, job, NUMBER);
	ranks = column(l, job, RANK);
	ranked = column(l, job, RANKED);
	place[i] = job->from.at + job->offset;
	if (number)
		number[i] = job->from.number + job->at; /* from the task's first line on */
	else
		look_up(l, doc->id, job, i);
	if (ranks)
		ranks[i] = rank(l->state, doc, ranked && !number ? ranked[i] : NOT_LISTED);
	if (!l->state->settings->archive.dir)
		return describe(w, doc, job, i, err);
	job->ill_formed += sh_utf8_count_ill(doc->text.p, doc->text.n);
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	int status;

	if (sh_corpus_lines_read(w->lines, job, &w->room) < 0 ||
	    sh_dedup_help(w->layout->state->dedup, &job->err) < 0 ||
	    start_block(w->layout, job, &job->err) < 0)
		return -1;
	status = sh_docs_work(&w->layout->state->settings->docs.docs, each_document, w, job);
	job->from.lines = job->at; /* for the progress */
	return status;
}

/* ---- blocks, in input order ---- */

/* The document that is read last is the newest. */
static void rank_newest(const struct dedup_state *s, uint64_t *rank, size_t n)
{
	for (size_t i = 0; s->settings->keep.which == SH_PREFER_NEWEST && i < n; i++)
		rank[i] = UINT64_MAX - (s->corpus.n + i);
}

static void note_all(struct dedup_ids *list, const uint32_t *at, size_t n)
{
	for (size_t i = 0; at && i < n; i++)
		note_met(list, at[i]);
}

static int collect_samples(
    struct dedup_state *s, const uint64_t *described, size_t n, struct sh_error *err)
{
	size_t words = dedup_description(s);

	for (size_t i = 0; described && i < n; i++)
		if (collect_sample(s, described + i * words, err) < 0)
			return -1;
	return 0;
}

/* With line numbers as ids: sets the columns that need the numbers. */
static void number_documents(const struct layout *l, struct sh_job *job)
{
	uint64_t *number = column(l, job, NUMBER), *ranks = column(l, job, RANK);
	const uint32_t *ranked = column(l, job, RANKED);
	char id[SH_NUM_CHARS];

	for (size_t i = 0; number && i < job->records; i++) {
		number[i] += job->from.number - 1;
		look_up(l, sh_slice(id, sh_print_u64(id, number[i])), job, i);
		if (ranked && ranks)
			ranks[i] = rank(l->state, NULL, ranked[i]);
	}
}

struct reading {
	struct dedup_state *state;
	struct layout layout;
	struct sh_corpus_lines lines;
};

static int collect_block(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct reading *r = arg;
	const struct layout *l = &r->layout;
	struct dedup_state *s = r->state;
	size_t n = (size_t)job->records;
	struct sh_dedup_block block;
	struct sh_key_block key;
	struct sh_corpus_columns documents;

	if (sh_corpus_lines_done(&r->lines, job, err) < 0)
		return -1;
	sh_corpus_passed(&s->corpus, job->from.at);
	/* Without records, start_block() may have failed. */
	if (n == 0)
		return 0;
	block = (struct sh_dedup_block){ n, column(l, job, RANK), column(l, job, IS_PROTECTED),
		column(l, job, PRINTS), column(l, job, COUNTS) };
	key = key_block(l, job);
	number_documents(l, job);
	rank_newest(s, column(l, job, RANK), n);
	documents = (struct sh_corpus_columns){ .offset = column(l, job, PLACE),
		.number = column(l, job, NUMBER) };
	if (sh_corpus_add(&s->corpus, &documents, n, err) < 0 ||
	    sh_dedup_add(s->dedup, &block, err) < 0)
		return -1;
	if (key.low && sh_dedup_add_keys(s->dedup, column(l, job, DIGESTS), &key, n, err) < 0)
		return -1;
	note_all(&s->ranked, column(l, job, RANKED), n);
	note_all(&s->protected, column(l, job, PROTECTED), n);
	return collect_samples(s, column(l, job, DESCRIBED), n, err);
}

/* ---- the run ---- */

static void open_files(struct dedup_state *s)
{
	struct cli *c = s->cli;
	char *const *names;
	struct sh_error err;
	size_t n;

	if (sh_corpus_init(&s->corpus, &s->settings->docs.docs.form, &err) < 0)
		cli_die(c, &err);
	s->corpus.tables = &s->tables;
	s->corpus.jobs = c->jobs;
	s->corpus.keeps_open = true;
	s->corpus.trailer = c->trailer_in;
	names = cli_inputs(c, &n);
	if (sh_corpus_open(&s->corpus, names, n, c->tmpdir, &err) < 0)
		cli_die(c, &err);
	s->corpus.reads =
	    sh_corpus_size(&s->corpus) > s->settings->memory || sh_corpus_is_packed(&s->corpus);
}

/* Dies when files changed while they were read. */
static void check_files(const struct dedup_state *s)
{
	const struct sh_corpus *corpus = &s->corpus;
	struct sh_error err;

	for (size_t i = 0; i < corpus->n_files; i++)
		if (corpus->file[i].map.base && sh_mapped_check(&corpus->file[i].map, &err) < 0)
			cli_die(s->cli, &err);
}

static void start_workers(struct reading *r, struct worker *workers, struct run *run)
{
	const struct dedup_state *s = r->state;
	struct sh_error err;

	for (unsigned i = 0; i < s->cli->jobs; i++) {
		workers[i] = (struct worker){ .layout = &r->layout,
			.lines = &r->lines,
			.described = malloc(dedup_description(s) * sizeof(uint64_t)) };
		if (!workers[i].described)
			sh_error_nomem(&err);
		if (!workers[i].described ||
		    sh_analyser_init(&workers[i].analyser, &s->settings->fp, NULL, &err) < 0)
			cli_die(s->cli, &err);
		run->workers[i] = &workers[i];
	}
}

void dedup_read(struct dedup_state *s)
{
	struct cli *c = s->cli;
	struct worker workers[CLI_MAX_JOBS];
	struct reading reading = { .state = s };
	struct run run = { .cli = c, .work = work, .collect = collect_block, .arg = &reading };
	struct sh_error err;

	open_files(s);
	dedup_plan(s);
	reading.layout = lay_out(s);
	if (sh_corpus_lines_init(&reading.lines, &s->corpus, 0, 1, &err) < 0)
		cli_die(c, &err);
	start_workers(&reading, workers, &run);
	run_tasks(&run, reading.lines.tasks);
	run_finish(&run);
	sh_corpus_lines_free(&reading.lines);
	check_files(s);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_analyser_free(&workers[i].analyser);
		sh_document_room_free(&workers[i].room);
		free(workers[i].described);
	}
}

void dedup_read_ids(struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list)
{
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_error err;
	uint32_t i;
	bool fresh;

	*list = (struct dedup_ids){ 0 };
	if (sh_hmap_init(&list->ids, &err) < 0)
		cli_die(c, &err);
	if (!n_names)
		return;
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n_names);
	while (cli_line(c, &lines, &line)) {
		struct sh_slice id =
		    sh_record_listed(lines.starts_file ? sh_utf8_skip_bom(line) : line);

		if (id.n == 0)
			continue;
		if (sh_hmap_put(&list->ids, id, &i, &fresh, &err) < 0 ||
		    (fresh && SH_RESERVE(list->at, list->cap, (size_t)i + 1, &err) < 0))
			cli_die(c, &err);
		if (fresh)
			list->at[i] = (struct dedup_place){ lines.from.file, lines.from.line };
	}
	sh_lines_free(&lines);
}

void dedup_free_ids(struct dedup_ids *list)
{
	sh_hmap_free(&list->ids);
	free(list->at);
}

void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list)
{
	uint32_t missing = 0, first = 0;
	struct sh_slice id;

	for (uint32_t i = 0; i < list->ids.n; i++)
		if (list->at[i].line && missing++ == 0)
			first = i;
	if (missing == 0)
		return;
	id = sh_hmap_key(&list->ids, first);
	cli_warn(c, "%s:%llu: no document has the id '%.*s' (%s: %u of %u ids not found)",
	    list->at[first].file, (unsigned long long)list->at[first].line, sh_shown(id, 80), id.p,
	    option, missing, list->ids.n);
}
