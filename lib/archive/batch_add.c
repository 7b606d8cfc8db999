/* Adds a batch to the archive. */
#include <stdlib.h>

#include "archive/batch_state.h"
#include "archive/change.h"
#include "archive/segment_write.h"
#include "record/escape.h"

/* Consecutive documents or keys, as lines. */
struct stretch {
	struct sh_buf text, store; /* lines of .doc or .key, and of the store */
	uint64_t n_texts, n_stores;
};

enum {
	STRETCHES = 128, /* encoded before they are written */
	DOCUMENTS = 32,  /* of a stretch */
	KEYS = 2048,     /* of a stretch */
};

typedef int encode_fn(
    struct sh_batch_worker *w, size_t from, size_t to, struct stretch *s, struct sh_error *err);

struct sh_adding {
	struct sh_batch *batch;
	struct sh_archive *archive;
	struct sh_change change;
	struct sh_segment_writer to;
	uint64_t documents, kept;
	struct stretch stretch[STRETCHES];
	size_t n_stretches, grain, from, end; /* of items from .. end-1, `grain` in each */
	encode_fn *encode;
	enum sh_part part;           /* to which stretch.text is written */
	const struct sh_side *pairs; /* the keys to be written */
	uint32_t *number; /* by document: its number; SH_CORPUS_NONE: its keys are not written */
};

void sh_batch_decide(
    struct sh_batch *b, uint32_t document, uint32_t keeper, unsigned distance, unsigned similarity)
{
	struct sh_batch_doc *d = &b->doc[document];

	d->decided = true;
	d->keeper = keeper;
	d->distance = (uint16_t)distance;
	d->similarity = (uint16_t)similarity;
}

/* ---- documents to write ---- */

static bool is_new(const struct sh_batch_doc *d)
{
	return d->decided || d->outcome.kind == SH_OUTCOME_MATCHED;
}

static bool stays(const struct sh_batch *b, uint32_t i)
{
	return b->doc[i].decided && b->doc[i].keeper == i;
}

static int same_id(struct sh_batch *b, uint32_t x, uint32_t y, struct sh_document_room *room,
    bool *same, struct sh_error *err)
{
	struct sh_document p, q;

	if (sh_corpus_document(b->opts.corpus, x, &room[0], &p, err) < 0 ||
	    sh_corpus_document(b->opts.corpus, y, &room[1], &q, err) < 0)
		return -1;
	*same = sh_slice_eq(p.id, q.id);
	return 0;
}

/* Sets doc.same: the chosen document of the same id; when there is none, the document itself, which
 * becomes chosen. */
static int choose(struct sh_batch *b, uint32_t doc, struct sh_buf *chosen,
    struct sh_document_room *room, struct sh_error *err)
{
	const uint32_t *other = (const uint32_t *)(const void *)chosen->p;
	bool same = false;

	b->doc[doc].same = doc;
	for (size_t i = 0; i < chosen->n / sizeof *other && !same; i++) {
		if (same_id(b, doc, other[i], room, &same, err) < 0)
			return -1;
		if (same)
			b->doc[doc].same = other[i];
	}
	return same ? 0 : sh_buf_add(chosen, &doc, sizeof doc, err);
}

/* Chooses the documents to write among documents that share a digest and the key of their id. Of
 * the documents of one id, the first that stays is written; when none stays, the first. */
static int find_same(struct sh_batch *b, const uint32_t *doc, size_t n, struct sh_buf *chosen,
    struct sh_document_room *room, struct sh_error *err)
{
	chosen->n = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			const struct sh_batch_doc *d = &b->doc[doc[i]];

			if (is_new(d) && d->same == SH_CORPUS_NONE &&
			    (pass > 0 || stays(b, doc[i])) &&
			    choose(b, doc[i], chosen, room, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int find_all_same(struct sh_batch *b, struct sh_error *err)
{
	struct sh_document_room room[2] = { 0 };
	struct sh_buf chosen = { 0 };
	int status = 0;

	for (uint32_t i = 0; i < b->opts.corpus->n; i++)
		b->doc[i].same = SH_CORPUS_NONE;
	for (size_t k = 0; status == 0 && k < b->ids.n; k++) {
		const uint32_t *doc;
		size_t n = sh_batch_of_id(b, k, NULL, &doc);

		for (size_t i = 0, end; status == 0 && i < n; i = end) {
			for (end = i + 1;
			     end < n && b->doc[doc[end]].digest == b->doc[doc[i]].digest;)
				end++;
			status = find_same(b, doc + i, end - i, &chosen, room, err);
		}
	}
	sh_buf_free(&chosen);
	sh_document_room_free(&room[0]);
	sh_document_room_free(&room[1]);
	return status;
}

static bool is_written(const struct sh_batch *b, uint32_t i)
{
	return b->doc[i].same == i;
}

static int number_documents(struct sh_adding *f, struct sh_error *err)
{
	struct sh_batch *b = f->batch;

	for (uint32_t i = 0; i < b->opts.corpus->n; i++) {
		if (!is_written(b, i))
			continue;
		if (f->change.next.next_number == UINT32_MAX)
			return sh_error_set(err, SH_ERR_RANGE,
			    "the archive is full: it has used all document numbers");
		b->doc[i].own = f->change.next.next_number++;
		f->documents++;
		f->kept += stays(b, i);
	}
	return 0;
}

/* ---- lines, which all threads write ---- */

static int encode_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;
	struct sh_adding *f = w->batch->adding;

	for (size_t i = from; i < to; i++) {
		struct stretch *s = &f->stretch[i];
		size_t first = f->from + i * f->grain, end = first + f->grain;

		s->text.n = s->store.n = s->n_texts = s->n_stores = 0;
		if (f->encode(w, first, end < f->end ? end : f->end, s, err) < 0)
			return -1;
	}
	return 0;
}

static int write_stretches(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
{
	struct sh_adding *f = b->adding;

	(void)w;
	for (size_t i = 0; i < f->n_stretches; i++) {
		const struct stretch *s = &f->stretch[i];

		if (sh_segment_write_lines(
			&f->to, f->part, sh_buf_slice(&s->text), s->n_texts, err) < 0)
			return -1;
		if (s->n_stores && sh_segment_write_lines(&f->to, SH_PART_STORE,
				       sh_buf_slice(&s->store), s->n_stores, err) < 0)
			return -1;
	}
	return 0;
}

/* Writes the lines of the items 0 .. n-1. */
static int write_all(struct sh_adding *f, enum sh_part part, size_t n, size_t grain,
    encode_fn *encode, struct sh_error *err)
{
	f->part = part;
	f->grain = grain;
	f->encode = encode;
	for (f->from = 0; f->from < n; f->from = f->end) {
		f->end = n - f->from < STRETCHES * grain ? n : f->from + STRETCHES * grain;
		f->n_stretches = (f->end - f->from + grain - 1) / grain;
		if (sh_batch_parallel(
			f->batch, f->n_stretches, 1, encode_some, write_stretches, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- records ---- */

static int print_record(const struct sh_batch *b, uint32_t i, const struct sh_document *doc,
    struct sh_buf *out, struct sh_error *err)
{
	const struct sh_batch_doc *d = &b->doc[i];
	bool matched = d->outcome.kind == SH_OUTCOME_MATCHED;
	unsigned similarity = matched ? d->outcome.similarity : d->similarity;
	char distance[SH_NUM_CHARS], like[SH_SIMILARITY_CHARS] = "-", fp[SH_FP_MAX_BITS / 4];
	struct sh_doc_record r = { .number = d->own,
		.time = b->opts.now,
		.digest = d->digest,
		.id = doc->id,
		.similarity = sh_slice(like, 1) };

	r.keeper = matched ? d->outcome.keeper : b->doc[b->doc[d->keeper].same].own;
	r.distance =
	    sh_slice(distance, sh_print_u64(distance, matched ? d->outcome.distance : d->distance));
	if (similarity != SH_UNVERIFIED) {
		sh_similarity_print(like, similarity);
		r.similarity.n = SH_SIMILARITY_CHARS;
	}
	r.fp = sh_slice(
	    fp, sh_print_hex(fp, b->opts.fingerprint(b->opts.arg, i), b->opts.fp.bits / 4));
	if (!d->has_features)
		r.fp = sh_slice("-", 1);
	return sh_doc_print(&r, out, err);
}

static int print_store(struct sh_batch_worker *w, uint32_t i, const struct sh_document *doc,
    struct sh_buf *out, struct sh_error *err)
{
	const struct sh_batch *b = w->batch;
	struct sh_feature_set set;
	int status;

	if (sh_line_begin(out, b->doc[i].own, err) < 0)
		return -1;
	if (b->opts.store == SH_ARCHIVE_DOCUMENTS) {
		status = b->opts.fp.token.raw ? sh_escape(doc->text, out, err)
					      : sh_buf_add(out, doc->text.p, doc->text.n, err);
	} else {
		status = sh_batch_kept(w, i, &set, err);
		if (status == 0)
			status = b->opts.store == SH_ARCHIVE_SEQUENCE
				     ? sh_sequence_print(
					   set.ordered, set.n_ordered, &w->scratch, out, err)
				     : sh_sketch_print(set.hash, set.n, out, err);
	}
	return status < 0 ? -1 : sh_buf_add(out, "\n", 1, err);
}

static int encode_documents(
    struct sh_batch_worker *w, size_t from, size_t to, struct stretch *s, struct sh_error *err)
{
	const struct sh_batch *b = w->batch;

	for (uint32_t i = (uint32_t)from; i < to; i++) {
		struct sh_document doc;

		if (!is_written(b, i))
			continue;
		if (sh_corpus_document(b->opts.corpus, i, &w->room, &doc, err) < 0 ||
		    print_record(b, i, &doc, &s->text, err) < 0)
			return -1;
		s->n_texts++;
		if (b->opts.store == SH_ARCHIVE_NONE || !stays(b, i) || !b->doc[i].has_features)
			continue;
		if (print_store(w, i, &doc, &s->store, err) < 0)
			return -1;
		s->n_stores++;
	}
	return 0;
}

/* ---- keys ---- */

/* Numbers ascend with documents, so the pairs are in the order of the records. */
static int encode_keys(
    struct sh_batch_worker *w, size_t from, size_t to, struct stretch *s, struct sh_error *err)
{
	const struct sh_adding *f = w->batch->adding;

	if (sh_buf_reserve(&s->text, (to - from) * SH_KEY_LINE, err) < 0)
		return -1;
	for (size_t i = from; i < to; i++) {
		uint32_t own = f->number[f->pairs->id[i]];

		if (own == SH_CORPUS_NONE)
			continue;
		sh_key_print(s->text.p + s->text.n, f->pairs->word[i], own);
		s->text.n += SH_KEY_LINE;
		s->n_texts++;
	}
	return 0;
}

/* all: writes keys of dropped documents, too. */
static int write_keys(
    struct sh_adding *f, const struct sh_probes *probes, bool all, struct sh_error *err)
{
	const struct sh_batch *b = f->batch;

	for (uint32_t i = 0; i < b->opts.corpus->n; i++)
		f->number[i] =
		    is_written(b, i) && (all || stays(b, i)) ? b->doc[i].own : SH_CORPUS_NONE;
	f->pairs = &probes->pairs.side;
	return write_all(f, SH_PART_KEY, f->pairs->n, KEYS, encode_keys, err);
}

/* ---- the segment ---- */

/* The keys of ids come last. A dropped document has no other key. */
static int write_parts(struct sh_adding *f, struct sh_error *err)
{
	struct sh_batch *b = f->batch;

	f->number = malloc(b->opts.corpus->n * sizeof *f->number + 1);
	if (!f->number)
		return sh_error_nomem(err);
	if (write_all(f, SH_PART_DOC, b->opts.corpus->n, DOCUMENTS, encode_documents, err) < 0 ||
	    write_keys(f, &b->bands, false, err) < 0)
		return -1;
	return write_keys(f, &b->ids, true, err);
}

static int write_segment(struct sh_adding *f, struct sh_error *err)
{
	struct sh_manifest *next = &f->change.next;
	uint32_t number;

	if (sh_change_number(&f->change, &number, err) < 0 ||
	    sh_segment_create(&f->to, &f->archive->folder, number, next->store, err) < 0)
		return -1;
	sh_segment_covers(
	    &f->to, next->next_number - (uint32_t)f->documents, next->next_number - 1);
	if (write_parts(f, err) < 0 || sh_segment_finish(&f->to, err) < 0)
		return -1;
	next->documents += f->documents;
	next->kept += f->kept;
	return sh_manifest_add(next, &f->to.entry, err);
}

static int add(struct sh_adding *f, struct sh_error *err)
{
	if (find_all_same(f->batch, err) < 0 || number_documents(f, err) < 0)
		return -1;
	if (f->documents == 0)
		return 0;
	if (write_segment(f, err) < 0 || sh_change_merge_newest(&f->change, err) < 0 ||
	    sh_change_commit(&f->change, err) < 0)
		return -1;
	f->batch->stats.added = f->documents;
	f->batch->stats.kept = f->kept;
	return 0;
}

static void free_adding(struct sh_adding *f)
{
	for (size_t i = 0; i < STRETCHES; i++) {
		sh_buf_free(&f->stretch[i].text);
		sh_buf_free(&f->stretch[i].store);
	}
	free(f->number);
}

int sh_batch_commit(struct sh_batch *b, struct sh_archive *a, struct sh_error *err)
{
	struct sh_adding f = { .batch = b, .archive = a };
	int status = sh_change_begin(&f.change, a, err);

	b->adding = &f;
	if (status == 0)
		status = add(&f, err);
	sh_segment_abandon(&f.to);
	sh_change_end(&f.change);
	free_adding(&f);
	return status;
}
