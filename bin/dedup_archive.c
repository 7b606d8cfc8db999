/* SPDX-License-Identifier: MIT */
/* The archive (lib/store) of shdedup: looks documents up in it and adds documents to it.
 *
 * The archive has every document of earlier runs, by id and digest of the text. A document that
 * stayed has its keys, and its sketch or its text. A dropped document has its keeper and the
 * verdict on both. So a document that the archive knows changes nothing, and has the same outcome
 * again: how documents are divided into runs does not matter.
 *
 * In the store the key of a posting is made of the column, the hash, and a last bit which says that
 * the document is not short (match/keys.h): so the short documents of a bucket come first, as in
 * match/bucket.h.
 *
 * A sketch is the tokens of the document in their order, 4 bytes each, little-endian: the upper
 * half of each token's hash under the archive's key. Two different tokens are equal in sketches
 * with probability 2^-32. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "dedup.h"
#include "fp/analysis.h"
#include "io/parallel.h"
#include "io/target.h"
#include "made_with.h"
#include "match/bucket.h"
#include "record/escape.h"
#include "store/change.h"

enum {
	TASKS = 64,
	GRAIN = 64,             /* documents that are encoded before they are written */
	EVERY_MERGES = 1 << 16, /* documents of a merge under --every: it takes about a second */
};

/* Reads documents of the archive, and tokenises new ones, in one thread. */
struct archive_reader {
	struct dedup_state *state;
	struct sh_analyser archived, new; /* empty until they are needed */
	uint64_t *token;
	size_t token_cap;
	struct sh_buf text, line;
	struct sh_document_room room;
	struct adding *adding;
};

/* ---- opening ---- */

void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path)
{
	char *target;
	const char *slash, *name;
	struct sh_buf file = { 0 };
	struct sh_error err;

	if (!path || sh_target_find(path, &target) != SH_TARGET_FILE)
		return;
	slash = strrchr(target, '/');
	name = slash ? slash + 1 : target;
	if (sh_store_owns(name)) {
		if (sh_buf_add(&file, dir, strlen(dir), &err) < 0 ||
		    sh_buf_add(&file, "/", 1, &err) < 0 ||
		    sh_buf_add(&file, name, strlen(name) + 1, &err) < 0)
			cli_die(c, &err);
		if (sh_target_same(file.p, target))
			cli_usage(c, "%s: this is a file of the archive", path);
		sh_buf_free(&file);
	}
	free(target);
}

static bool is_random(const struct sh_store_manifest *m)
{
	return sh_slice_eq(
	    sh_store_manifest_setting(m, sh_slice_str("--seed")), sh_slice_str("random"));
}

void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings)
{
	struct sh_store *store = &s->archive.store;
	struct sh_error err;

	if (!settings->archive)
		return;
	if (sh_store_open(store, settings->archive, &err) < 0)
		cli_die(s->cli, &err);
	if (store->manifest.kind != SH_STORE_OF_DOCUMENTS) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "'%s' is an archive of shspan, expected one of shdedup (sharchive init makes "
		    "one)",
		    settings->archive);
		cli_die(s->cli, &err);
	}
	/* The archive has its seed. */
	if (is_random(&store->manifest) && (!settings->seed_given || settings->random_seed)) {
		settings->random_seed = true;
		memcpy(settings->rules.secret, store->manifest.key, sizeof store->manifest.key);
	}
	made_with_compare(s->cli, settings, &store->manifest);
}

/* ---- archived documents ---- */

static struct sh_feature_opts feature_opts(const struct dedup_state *s)
{
	const struct sh_store_manifest *m = &s->archive.store.manifest;

	return (struct sh_feature_opts){ .token = s->settings->docs.token,
		.ngrams = s->settings->docs.ngrams,
		.of_tokens = true,
		.key = { m->key[0], m->key[1] },
		.ordered = true,
		.only_order = true,
		.cut = m->form == SH_STORE_SKETCH };
}

/* Analyses a text for its tokens in their order. raw: the text has no escapes. */
static int analyse(struct dedup_state *s, struct sh_analyser *a, bool raw, struct sh_slice text,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_feature_opts opts = feature_opts(s);
	struct sh_analysis x;

	opts.token.raw = raw;
	if (!a->tokenizer && sh_analyser_init(a, NULL, &opts, err) < 0)
		return -1;
	if (sh_analyse(a, text, &x, err) < 0)
		return -1;
	*set = x.set;
	return 0;
}

static int no_record(const struct dedup_state *s, uint32_t number, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive '%s' has no valid record of document %08x: restore it from a backup",
	    s->settings->archive, number);
}

/* Reads a record that must exist. */
static int read_record(
    struct dedup_state *s, uint32_t number, struct sh_record *r, struct sh_error *err)
{
	int got = sh_store_record(&s->archive.store, number, r, err);

	return got > 0 ? 0 : got < 0 ? -1 : no_record(s, number, err);
}

/* Sets set->ordered to the tokens of an archived document. It has the type of
 * sh_engine_opts.stored. */
static int read_stored(
    void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct dedup_state *s = arg;
	struct dedup_archive *a = &s->archive;
	struct archive_reader *w = &a->reader[thread];
	uint32_t number = a->stored[document - s->corpus.n];
	struct sh_slice content;
	struct sh_record r;

	if (read_record(s, number, &r, err) < 0)
		return -1;
	if (r.id.p != r.line.p || r.line.n <= r.id.n)
		return no_record(s, number, err);
	content = sh_slice(r.line.p + r.id.n + 1, r.line.n - r.id.n - 1);
	if (a->store.manifest.form == SH_STORE_DOCUMENTS) {
		w->text.n = 0;
		if (sh_buf_reserve(&w->text, content.n + SH_PAD, err) < 0 ||
		    sh_unescape(content, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0)
			return -1;
		return analyse(s, &w->archived, true, sh_buf_slice(&w->text), set, err);
	}
	if (content.n % 4)
		return no_record(s, number, err);
	set->n_ordered = content.n / 4;
	if (SH_RESERVE(w->token, w->token_cap, set->n_ordered, err) < 0)
		return -1;
	for (size_t i = 0; i < set->n_ordered; i++)
		w->token[i] = (uint64_t)sh_le32(content.p + 4 * i) << 32;
	set->ordered = w->token;
	return 0;
}

void dedup_archive_engine(struct dedup_state *s, struct sh_engine_opts *opts)
{
	if (!s->settings->archive)
		return;
	s->archive.reader = cli_zeroed(s->cli, s->cli->jobs, sizeof *s->archive.reader);
	for (unsigned i = 0; i < s->cli->jobs; i++)
		s->archive.reader[i].state = s;
	opts->features = feature_opts(s);
	opts->features.only_order = false;
	opts->stored = read_stored;
}

/* ---- documents that the archive knows ---- */

/* Sets *text to the text in the form of sh_escape(): then a text has one digest, and one line, in
 * all forms of input. raw: it has no escapes. It is valid until the next call. */
static int escaped(struct archive_reader *w, bool raw, struct sh_slice *text, struct sh_error *err)
{
	if (raw ? !sh_needs_escape(*text) : sh_is_escaped(*text))
		return 0;
	w->text.n = w->line.n = 0;
	if (!raw) {
		if (sh_unescape(*text, &w->text, err) < 0)
			return -1;
		*text = sh_buf_slice(&w->text);
	}
	if (sh_escape(*text, &w->line, err) < 0)
		return -1;
	*text = sh_buf_slice(&w->line);
	return 0;
}

static int digest_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct archive_reader *w = arg;
	struct dedup_state *s = w->state;
	const struct sh_store_manifest *m = &s->archive.store.manifest;
	struct sh_document doc;

	for (size_t i = from; i < to; i++) {
		if (sh_corpus_document(&s->corpus, (uint32_t)i, &w->room, &doc, err) < 0 ||
		    escaped(w, s->settings->docs.token.raw, &doc.text, err) < 0)
			return -1;
		s->archive.document[i] =
		    (struct dedup_document){ .digest = sh_siphash(m->key, doc.text.p, doc.text.n),
			    .id_key = sh_store_id_key(m, doc.id) };
	}
	return 0;
}

static int by_id(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct dedup_document *d = arg, *p = &d[x], *q = &d[y];

	if (p->id_key != q->id_key)
		return p->id_key < q->id_key ? -1 : 1;
	if (p->digest != q->digest)
		return p->digest < q->digest ? -1 : 1;
	return sh_compare(x, y);
}

/* Returns the documents of the run by key of the id, digest of the text, and number, in s->tables;
 * or NULL. */
static uint32_t *order_by_id(struct dedup_state *s, struct sh_error *err)
{
	size_t n = s->corpus.n;
	uint32_t *order = sh_tables_get(&s->tables, n + 1, sizeof *order, err);

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, n, sizeof *order, by_id, s->archive.document);
	return order;
}

struct looking {
	struct dedup_state *state;
	const uint32_t *order; /* of order_by_id() */
	struct sh_document_room room;
};

/* Sets what the archive knows of the documents of this id and text. Later records replace earlier
 * ones of the same document. */
static int found_id(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct looking *l = arg;
	struct dedup_state *s = l->state;
	struct dedup_document *d = s->archive.document;
	size_t i = asked, end = s->corpus.n;
	struct sh_document doc;
	struct sh_record r;

	if (read_record(s, p->document, &r, err) < 0)
		return -1;
	SH_BISECT(
	    i, end, mid, d[l->order[mid]].id_key == p->key && d[l->order[mid]].digest < r.digest);
	for (; i < s->corpus.n; i++) {
		struct dedup_document *here = &d[l->order[i]];

		if (here->id_key != p->key || here->digest != r.digest)
			break;
		if (sh_corpus_document(&s->corpus, l->order[i], &l->room, &doc, err) < 0)
			return -1;
		if (!sh_slice_eq(doc.id, r.id))
			continue;
		here->known = r.keeper == r.number ? DEDUP_STAYED : DEDUP_DROPPED;
		here->number = r.number;
		here->keeper = r.keeper;
		here->similarity = r.similarity;
		here->measure = r.measure;
	}
	return 0;
}

/* Asks the archive for the documents of the run. Of several documents that are one document of the
 * archive, which stayed, the first one stays, or the last one under --keep newest. Documents
 * without tokens are in no pair: all stay. */
static int ask(struct dedup_state *s, struct sh_error *err)
{
	struct dedup_document *d = s->archive.document;
	bool newest = s->settings->keep.by == SH_RANK_NEWEST;
	uint32_t *order = order_by_id(s, err);
	uint64_t *key = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *key, err);
	struct looking l = { .state = s, .order = order };
	int status = order && key ? 0 : -1;

	for (size_t i = 0; status == 0 && i < s->corpus.n; i++)
		key[i] = d[order[i]].id_key;
	if (status == 0)
		status = sh_store_look(
		    &s->archive.store, SH_LIST_IDS, key, s->corpus.n, 0, found_id, &l, err);
	for (size_t i = 1; status == 0 && i < s->corpus.n; i++) {
		struct dedup_document *before = &d[order[i - 1]], *here = &d[order[i]];

		if (here->known && here->keeper == here->number && here->similarity &&
		    before->known && before->number == here->number &&
		    !sh_engine_is_protected(s->engine, order[i]))
			(newest ? before : here)->known = DEDUP_DROPPED;
	}
	sh_tables_put(&s->tables, order);
	sh_tables_put(&s->tables, key);
	sh_document_room_free(&l.room);
	return status;
}

/* Finds the documents that the archive knows. A protected document that it has dropped is new. */
static int find_known(struct dedup_state *s, struct sh_error *err)
{
	struct dedup_archive *a = &s->archive;
	int status;

	a->document = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->document, err);
	if (!a->document)
		return -1;
	status = sh_parallel(
	    a->reader, sizeof *a->reader, s->cli->jobs, s->corpus.n, GRAIN, digest_some, err);
	if (status == 0)
		status = ask(s, err);
	for (uint32_t i = 0; status == 0 && i < s->corpus.n; i++) {
		struct dedup_document *d = &a->document[i];

		if (d->known == DEDUP_DROPPED && sh_engine_is_protected(s->engine, i))
			d->known = DEDUP_NEW;
		if (d->known == DEDUP_NEW)
			continue;
		a->n_known++;
		status = sh_engine_leave_out(s->engine, i, err);
	}
	return status;
}

/* ---- candidates ---- */

/* Postings of archived documents; their documents have the archive's numbers at first. */
struct candidates {
	struct dedup_state *state;
	struct sh_key_posting *posting;
	size_t n, cap;
	/* of the postings of the run that are looked up */
	uint64_t *key;
	bool *is_short;  /* by key: a short document of the run has it */
	uint32_t *found; /* by key: postings found, in columns of short documents */
	size_t key_cap, short_cap, found_cap;
};

static int found_posting(
    void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_key_posting *to;

	if (SH_RESERVE(c->posting, c->cap, c->n + 1, err) < 0)
		return -1;
	to = &c->posting[c->n++];
	*to = (struct sh_key_posting){ .hash = p->key >> 1 & ((UINT64_C(1) << SH_KEYS_BITS) - 1),
		.document = p->document,
		.column = (uint8_t)(p->key >> (SH_KEYS_BITS + 1)),
		.is_short = !(p->key & 1) };
	c->found[asked]++;
	return 0;
}

/* Looks up the postings of a column that the documents of the run have. Of a bucket of the archive
 * the first and the last documents are enough: match/bucket.h. Documents that are not short meet
 * the first short ones, so all of them are needed where the archive has few short ones. */
static int look_up(void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct candidates *c = arg;
	struct sh_store *store = &c->state->archive.store;
	unsigned column = posting[0].column;
	size_t keys = 0, others = 0;

	if (SH_RESERVE(c->key, c->key_cap, n, err) < 0 ||
	    SH_RESERVE(c->is_short, c->short_cap, n, err) < 0 ||
	    SH_RESERVE(c->found, c->found_cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || posting[i].hash != posting[i - 1].hash) {
			c->key[keys] = sh_stored_key(column, posting[i].hash, true);
			c->is_short[keys] = false;
			c->found[keys++] = 0;
		}
		c->is_short[keys - 1] = c->is_short[keys - 1] || posting[i].is_short;
	}
	if (sh_store_look(
		store, SH_LIST_POSTINGS, c->key, keys, SH_BUCKET_MOST, found_posting, c, err) < 0)
		return -1;
	if (!sh_column_of_short(column))
		return 0;
	for (size_t i = 0; i < keys; i++)
		if (c->is_short[i] && c->found[i] < SH_BUCKET_MOST)
			c->key[others++] = c->key[i] | 1;
	return sh_store_look(store, SH_LIST_POSTINGS, c->key, others, 0, found_posting, c, err);
}

static int by_value(const void *a, const void *b)
{
	return sh_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Sets a->stored to the documents of the postings, and numbers the postings by it. */
static int number_stored(struct candidates *c, struct sh_error *err)
{
	struct dedup_archive *a = &c->state->archive;
	size_t n = 0;

	if (SH_RESERVE(a->stored, a->stored_cap, c->n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		a->stored[i] = c->posting[i].document;
	qsort(a->stored, c->n, sizeof *a->stored, by_value);
	for (size_t i = 0; i < c->n; i++)
		if (i == 0 || a->stored[i] != a->stored[n - 1])
			a->stored[n++] = a->stored[i];
	a->n_stored = n;
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t *at =
		    bsearch(&c->posting[i].document, a->stored, n, sizeof *a->stored, by_value);

		c->posting[i].document = (uint32_t)(c->state->corpus.n + (size_t)(at - a->stored));
	}
	return 0;
}

/* Adds the archived documents that share a key with a new document of the run to the engine. */
static int find_candidates(struct dedup_state *s, struct sh_error *err)
{
	struct candidates c = { .state = s };
	int status = 0;

	if (s->archive.store.n_segments)
		status = sh_engine_postings(s->engine, look_up, &c, err);
	if (status == 0 && c.n)
		status = number_stored(&c, err);
	if (status == 0 && c.n)
		status = sh_engine_add_stored(s->engine, s->archive.n_stored, err);
	if (status == 0 && c.n)
		status = sh_engine_add_postings(s->engine, c.posting, c.n, err);
	free(c.posting);
	free(c.key);
	free(c.is_short);
	free(c.found);
	return status;
}

void dedup_archive_look(struct dedup_state *s)
{
	struct sh_error err;

	if (!s->settings->archive)
		return;
	s->archive.now = cli_now(s->cli);
	/* Another run may have changed the archive while documents were read. */
	if (sh_store_lock(&s->archive.store, !s->settings->dry_run, s->settings->wait, &err) < 0 ||
	    find_known(s, &err) < 0 || find_candidates(s, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- outcomes ---- */

bool dedup_archive_drops(const struct dedup_state *s, uint32_t document)
{
	return s->archive.document && (s->archive.document[document].known == DEDUP_DROPPED ||
					  sh_engine_keeper(s->engine, document) >= s->corpus.n);
}

uint32_t dedup_archive_keeper(const struct dedup_state *s, uint32_t document)
{
	const struct dedup_document *d = s->archive.document;
	uint32_t keeper = sh_engine_keeper(s->engine, document);

	return d[document].known      ? d[document].keeper
	       : keeper < s->corpus.n ? d[keeper].number
				      : s->archive.stored[keeper - s->corpus.n];
}

int dedup_archive_id(
    struct dedup_state *s, uint32_t number, struct sh_slice *id, struct sh_error *err)
{
	struct sh_record r;

	if (read_record(s, number, &r, err) < 0)
		return -1;
	*id = r.id;
	return 0;
}

/* Of the new documents of one id and text, the first that stays is recorded; when none stays, the
 * first. They are one when the key of the id and the digest are equal: 128 bits under the archive's
 * key. */
void dedup_archive_number(struct dedup_state *s)
{
	struct dedup_archive *a = &s->archive;
	struct dedup_document *d = a->document;
	uint32_t first = a->store.manifest.next_number, *order;
	struct sh_error err;

	if (!d)
		return;
	order = order_by_id(s, &err);
	if (!order)
		cli_die(s->cli, &err);
	for (size_t i = 0, end, of; i < s->corpus.n; i = end) {
		const struct dedup_document *here = &d[order[i]];

		for (end = i + 1; end < s->corpus.n && d[order[end]].id_key == here->id_key &&
				  d[order[end]].digest == here->digest;)
			end++;
		if (here->known)
			continue;
		for (of = i; of < end && !dedup_stays(s, order[of]);)
			of++;
		of = of < end ? of : i;
		d[order[of]].recorded = true;
		for (size_t k = i; k < end; k++)
			d[order[k]].number = order[of];
	}
	sh_tables_put(&s->tables, order);
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		if (!d[i].recorded)
			continue;
		d[i].number = first + (uint32_t)a->n_added++;
		a->n_kept += dedup_stays(s, i);
	}
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (d[i].known == DEDUP_NEW && !d[i].recorded)
			d[i].number = d[d[i].number].number;
}

/* ---- adding ---- */

struct adding {
	struct dedup_state *state;
	struct sh_store_change change;
	uint32_t *list; /* the recorded documents */
	size_t from;
	struct sh_buf line[TASKS * GRAIN]; /* of the documents from list[from] on */
};

/* Sets the line of document i: id, and sketch or text of a document that stays. */
static int encode(struct archive_reader *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	struct dedup_state *s = w->state;
	bool raw = s->settings->docs.token.raw;
	struct sh_feature_set set;
	struct sh_document doc;

	to->n = 0;
	if (sh_corpus_document(&s->corpus, i, &w->room, &doc, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0)
		return -1;
	if (!dedup_stays(s, i))
		return 0;
	if (s->archive.store.manifest.form == SH_STORE_DOCUMENTS)
		return escaped(w, raw, &doc.text, err) < 0
			   ? -1
			   : sh_buf_add(to, doc.text.p, doc.text.n, err);
	if (analyse(s, &w->new, raw, doc.text, &set, err) < 0 ||
	    sh_buf_reserve(to, 4 * set.n_ordered, err) < 0)
		return -1;
	for (size_t k = 0; k < set.n_ordered; k++)
		sh_put_le32(to->p + to->n + 4 * k, (uint32_t)(set.ordered[k] >> 32));
	to->n += 4 * set.n_ordered;
	return 0;
}

static int encode_some(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct archive_reader *w = arg;
	struct adding *a = w->adding;

	for (size_t i = from; i < to; i++)
		if (encode(w, a->list[a->from + i], &a->line[i], err) < 0)
			return -1;
	return 0;
}

static int add_document(
    struct adding *a, uint32_t i, const struct sh_buf *text, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	struct sh_slice line = sh_buf_slice(text);
	struct sh_record r = { .time = s->archive.now,
		.digest = s->archive.document[i].digest,
		.keeper = dedup_archive_keeper(s, i),
		.line = line,
		.id = sh_slice(
		    line.p, (size_t)((const char *)memchr(line.p, '\t', line.n) - line.p)) };

	if (sh_engine_keeper(s->engine, i) == i) {
		r.similarity = sh_engine_has_tokens(s->engine, i) ? 10000 : 0;
	} else {
		struct sh_verdict v = sh_engine_verdict(s->engine, i);

		r.similarity = (uint16_t)v.similarity;
		r.measure = (uint8_t)v.measure;
	}
	return sh_store_change_document(&a->change, &r, err);
}

static int add_documents(struct adding *a, struct sh_error *err)
{
	struct dedup_state *s = a->state;
	size_t all = (size_t)s->archive.n_added, n = 0;
	int status = 0;

	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (s->archive.document[i].recorded)
			a->list[n++] = i;
	for (a->from = 0; status == 0 && a->from < all; a->from += TASKS * GRAIN) {
		n = all - a->from < TASKS * GRAIN ? all - a->from : TASKS * GRAIN;
		status = sh_parallel(s->archive.reader, sizeof *s->archive.reader, s->cli->jobs, n,
		    GRAIN, encode_some, err);
		for (size_t i = 0; status == 0 && i < n; i++)
			status = add_document(a, a->list[a->from + i], &a->line[i], err);
	}
	return status;
}

/* Adds the postings of the documents that stay. In a bucket the short documents come first. */
static int add_postings(
    void *arg, const struct sh_key_posting *posting, size_t n, struct sh_error *err)
{
	struct adding *a = arg;
	struct dedup_state *s = a->state;
	bool shorts = sh_column_of_short(posting[0].column);

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && posting[end].hash == posting[i].hash;)
			end++;
		for (size_t pass = 0; pass < 2; pass++)
			for (size_t k = i; k < end; k++) {
				const struct sh_key_posting *p = &posting[k];
				bool is_short = !shorts || p->is_short;
				struct sh_store_posting to = { .key = sh_stored_key(
								   p->column, p->hash, is_short) };

				if (is_short != (pass == 0) || p->document >= s->corpus.n ||
				    !s->archive.document[p->document].recorded ||
				    !dedup_stays(s, p->document))
					continue;
				to.document = s->archive.document[p->document].number;
				if (sh_store_change_posting(&a->change, &to, err) < 0)
					return -1;
			}
	}
	return 0;
}

static void summarise(const struct dedup_state *s)
{
	const struct dedup_archive *a = &s->archive;
	const struct sh_store_manifest *m = &a->store.manifest;
	uint64_t n = sh_store_manifest_documents(m);
	bool added = !s->settings->dry_run;

	if (s->settings->quiet || s->settings->every)
		return;
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu added, %llu of which "
	    "stay; %llu document%s in %zu segment%s",
	    (unsigned long long)a->n_known, (unsigned long long)a->n_matched,
	    (unsigned long long)(added ? a->n_added : 0),
	    (unsigned long long)(added ? a->n_kept : 0), (unsigned long long)n, CLI_PLURAL(n),
	    m->n_segments, CLI_PLURAL(m->n_segments));
}

void dedup_archive_add(struct dedup_state *s)
{
	struct dedup_archive *archive = &s->archive;
	struct adding *a;
	struct sh_error err;
	int status;

	if (!archive->document)
		return;
	/* The archive may record only documents whose output was written. */
	if (sh_sink_flush(&s->cli->out, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		archive->n_matched += archive->document[i].known == DEDUP_NEW &&
				      sh_engine_keeper(s->engine, i) >= s->corpus.n;
	if (s->settings->dry_run) {
		summarise(s);
		return;
	}
	a = cli_zeroed(s->cli, 1, sizeof *a);
	a->state = s;
	for (unsigned i = 0; i < s->cli->jobs; i++)
		archive->reader[i].adding = a;
	status = sh_store_change_begin(&a->change, &archive->store, &err);
	a->list = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *a->list, &err);
	if (status == 0)
		status = a->list ? add_documents(a, &err) : -1;
	if (status == 0 && archive->n_added)
		status = sh_engine_postings(s->engine, add_postings, a, &err);
	if (status == 0)
		status = sh_store_change_add_segment(
		    &a->change, s->settings->every ? EVERY_MERGES : 0, &err);
	if (status == 0)
		status = sh_store_change_commit(&a->change, &err);
	sh_store_change_end(&a->change);
	if (status < 0)
		cli_die(s->cli, &err);
	for (size_t i = 0; i < TASKS * GRAIN; i++)
		sh_buf_free(&a->line[i]);
	sh_tables_put(&s->tables, a->list);
	free(a);
	summarise(s);
}

void dedup_archive_done(struct dedup_state *s)
{
	struct dedup_archive *a = &s->archive;
	struct sh_store store = a->store;

	for (unsigned i = 0; a->reader && i < s->cli->jobs; i++) {
		struct archive_reader *w = &a->reader[i];

		sh_analyser_free(&w->archived);
		sh_analyser_free(&w->new);
		free(w->token);
		sh_buf_free(&w->text);
		sh_buf_free(&w->line);
		sh_document_room_free(&w->room);
	}
	free(a->reader);
	free(a->stored);
	sh_tables_put(&s->tables, a->document);
	*a = (struct dedup_archive){ .store = store };
	if (s->settings->archive)
		sh_store_unlock(&a->store);
}
