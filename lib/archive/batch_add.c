/* Adds a batch to the archive. */
#include <stdlib.h>

#include "archive/batch_state.h"
#include "archive/change.h"
#include "archive/segment_write.h"
#include "record/escape.h"

struct adding {
	struct sh_batch *batch;
	struct sh_archive *archive;
	struct sh_change change;
	struct sh_segment_writer to;
	struct sh_batch_worker worker; /* for features of documents */
	struct sh_document_room room;
	struct sh_buf line;
	uint64_t documents, kept;
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

/* ---- which documents are written ---- */

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

/* Sets doc.same: the chosen document of the same id, or the document itself, which is chosen then. */
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

/* Chooses the documents to write among those that share a digest and the key of their id. Of documents of one id
 * the first that stays is written, or else the first. */
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
	for (size_t k = b->first_id; status == 0 && k < b->n_keys; k++) {
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

static int number_documents(struct adding *f, struct sh_error *err)
{
	struct sh_batch *b = f->batch;

	for (uint32_t i = 0; i < b->opts.corpus->n; i++) {
		if (!is_written(b, i))
			continue;
		if (f->change.next.next_number == UINT32_MAX)
			return sh_error_set(err, SH_ERR_RANGE,
			    "the archive has had all documents that it can number");
		b->doc[i].own = f->change.next.next_number++;
		f->documents++;
		f->kept += stays(b, i);
	}
	return 0;
}

/* ---- records ---- */

static int write_record(
    struct adding *f, uint32_t i, const struct sh_document *doc, struct sh_error *err)
{
	struct sh_batch *b = f->batch;
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
	r.fp =
	    sh_slice(fp, sh_print_hex(fp, b->opts.fingerprint(b->opts.arg, i), b->opts.bits / 4));
	if (!d->has_features)
		r.fp = sh_slice("-", 1);
	f->line.n = 0;
	sh_segment_covers(&f->to, d->own, d->own);
	if (sh_doc_print(&r, &f->line, err) < 0)
		return -1;
	return sh_segment_write(&f->to, SH_PART_DOC, sh_buf_slice(&f->line), err);
}

static int write_store(
    struct adding *f, uint32_t i, const struct sh_document *doc, struct sh_error *err)
{
	struct sh_feature_set set;
	int status;

	f->line.n = 0;
	if (sh_line_begin(&f->line, f->batch->doc[i].own, err) < 0)
		return -1;
	if (f->to.store == SH_STORE_SKETCH) {
		status = sh_batch_kept(&f->worker, i, &set, err);
		if (status == 0)
			status = sh_sketch_print(set.hash, set.n, &f->line, err);
	} else if (f->batch->opts.token.raw) {
		status = sh_escape(doc->text, &f->line, err);
	} else {
		status = sh_buf_add(&f->line, doc->text.p, doc->text.n, err);
	}
	if (status < 0 || sh_buf_add(&f->line, "\n", 1, err) < 0)
		return -1;
	return sh_segment_write(&f->to, SH_PART_STORE, sh_buf_slice(&f->line), err);
}

static int write_documents(struct adding *f, struct sh_error *err)
{
	struct sh_batch *b = f->batch;

	for (uint32_t i = 0; i < b->opts.corpus->n; i++) {
		struct sh_document doc;

		if (!is_written(b, i))
			continue;
		if (sh_corpus_document(b->opts.corpus, i, &f->room, &doc, err) < 0 ||
		    write_record(f, i, &doc, err) < 0)
			return -1;
		if (f->to.store != SH_STORE_NONE && stays(b, i) && b->doc[i].has_features &&
		    write_store(f, i, &doc, err) < 0)
			return -1;
	}
	return 0;
}

/* Numbers ascend with documents, so the probes are in the order of the records. */
static int write_keys(struct adding *f, struct sh_error *err)
{
	struct sh_batch *b = f->batch;

	for (size_t i = 0; i < b->n_probes; i++) {
		const struct sh_probe *p = &b->probe[i];
		char line[SH_KEY_LINE];

		if (!is_written(b, p->doc) ||
		    (!stays(b, p->doc) && sh_key_band(p->key) != SH_BAND_ID))
			continue;
		sh_key_print(line, p->key, b->doc[p->doc].own);
		if (sh_segment_write(&f->to, SH_PART_KEY, sh_slice(line, sizeof line), err) < 0)
			return -1;
	}
	return 0;
}

static int write_segment(struct adding *f, struct sh_error *err)
{
	struct sh_manifest *next = &f->change.next;
	uint32_t number;

	if (sh_change_number(&f->change, &number, err) < 0 ||
	    sh_segment_create(&f->to, &f->archive->folder, number, next->store, err) < 0)
		return -1;
	if (write_documents(f, err) < 0 || write_keys(f, err) < 0 ||
	    sh_segment_finish(&f->to, err) < 0)
		return -1;
	next->documents += f->documents;
	next->kept += f->kept;
	return sh_manifest_add(next, &f->to.entry, err);
}

static int add(struct adding *f, struct sh_error *err)
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

int sh_batch_commit(struct sh_batch *b, struct sh_archive *a, struct sh_error *err)
{
	struct adding f = { .batch = b, .archive = a, .worker.batch = b };
	int status = sh_change_begin(&f.change, a, err);

	if (status == 0)
		status = add(&f, err);
	sh_segment_abandon(&f.to);
	sh_change_end(&f.change);
	sh_batch_worker_free(&f.worker);
	sh_document_room_free(&f.room);
	sh_buf_free(&f.line);
	return status;
}
