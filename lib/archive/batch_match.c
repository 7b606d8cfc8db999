/* Documents that have a near-duplicate in the archive. */
#include "archive/batch_state.h"

#include "record/escape.h"

static size_t first_candidate(const struct sh_batch *b, uint32_t doc)
{
	size_t lo = 0, hi = b->n_candidates;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->candidate[mid].doc < doc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Reads the features of a document of the archive: cut hashes from sketches, whole ones from texts. */
static int archived_features(
    struct sh_batch_worker *w, uint32_t number, struct sh_weighed_set *set, struct sh_error *err)
{
	struct sh_segment *s = sh_archive_segment_of(w->batch->archive, number);
	struct sh_feature_set found;
	struct sh_slice line;
	int got = s ? sh_segment_find(s, SH_PART_STORE, number, &line, err) : 0;

	if (got <= 0)
		return got < 0 ? -1 : sh_batch_broken(number, err);
	line = sh_line_rest(line);
	if (s->store == SH_STORE_SKETCH) {
		if (sh_sketch_parse(line, &w->other, err) < 0)
			return -1;
		*set = (struct sh_weighed_set){ .hash = w->other.hash, .n = w->other.n };
		return 0;
	}
	w->text.n = 0;
	if (sh_unescape(line, &w->text, err) < 0 || sh_buf_reserve(&w->text, SH_PAD, err) < 0 ||
	    sh_batch_features(w, true, sh_buf_slice(&w->text), &found, err) < 0)
		return -1;
	*set = (struct sh_weighed_set){ .hash = found.hash, .n = found.n };
	return 0;
}

static bool closer(const struct sh_outcome *a, const struct sh_outcome *b)
{
	if (b->kind == SH_OUTCOME_NEW)
		return true;
	if (a->similarity != b->similarity)
		return a->similarity > b->similarity;
	if (a->distance != b->distance)
		return a->distance < b->distance;
	return a->keeper < b->keeper;
}

/* Makes the candidate the outcome of the document when it is a match, and closer than the outcome so far. */
static int compare_candidate(struct sh_batch_worker *w, uint32_t doc, uint32_t number,
    const struct sh_weighed_set *own, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_outcome f = { .kind = SH_OUTCOME_MATCHED, .keeper = number };
	bool like;
	uint64_t fp[SH_FP_MAX_WORDS];
	struct sh_doc_record r;
	int got = sh_archive_record(b->archive, number, &r, err);

	if (got < 0)
		return -1;
	if (got == 0 || r.keeper != number || r.fp.n != b->opts.bits / 4 ||
	    sh_parse_hex(r.fp, fp) < 0)
		return sh_batch_broken(number, err);
	w->compared++;
	f.id = r.id;
	f.distance = (uint16_t)sh_fp_distance(
	    fp, b->opts.fingerprint(b->opts.arg, doc), SH_FP_WORDS(b->opts.bits));
	f.similarity = SH_UNVERIFIED;
	like = f.distance <= b->opts.k;
	if (own) {
		struct sh_weighed_set other;
		struct sh_similarity s;

		if (archived_features(w, number, &other, err) < 0)
			return -1;
		sh_measure_find("jaccard")->compare(own, &other, &s);
		f.similarity = (uint16_t)sh_similarity_round(&s);
		like = sh_similarity_reaches(&s, b->opts.threshold, SH_WEIGHT_ONE);
	}
	if (like && closer(&f, &b->doc[doc].outcome))
		b->doc[doc].outcome = f;
	return 0;
}

/* Computes the features of a document of the batch, cut as those of the store. Sets *own to NULL when features are
 * not compared. */
static int own_features(struct sh_batch_worker *w, uint32_t doc, struct sh_weighed_set *room,
    const struct sh_weighed_set **own, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	bool cut = b->archive->manifest.store == SH_STORE_SKETCH;
	struct sh_feature_set set;
	struct sh_document document;

	*own = NULL;
	if (!b->opts.verify || b->archive->manifest.store == SH_STORE_NONE)
		return 0;
	if (cut) {
		if (sh_batch_kept(w, doc, &set, err) < 0 ||
		    sh_sketch_cut(set.hash, set.n, &w->own, err) < 0)
			return -1;
	} else if (sh_corpus_document(b->opts.corpus, doc, &w->room, &document, err) < 0 ||
		   sh_batch_features(w, false, document.text, &set, err) < 0) {
		return -1;
	}
	*room = (struct sh_weighed_set){ .hash = cut ? w->own.hash : set.hash, .n = set.n };
	*own = room;
	return 0;
}

static int match_one(struct sh_batch_worker *w, uint32_t doc, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_weighed_set room;
	const struct sh_weighed_set *own = NULL;
	bool made = false;

	if (b->doc[doc].outcome.kind != SH_OUTCOME_NEW || b->opts.is_protected(b->opts.arg, doc))
		return 0;
	for (size_t i = first_candidate(b, doc); i < b->n_candidates && b->candidate[i].doc == doc;
	     i++) {
		if (!made && own_features(w, doc, &room, &own, err) < 0)
			return -1;
		made = true;
		if (compare_candidate(w, doc, b->candidate[i].number, own, err) < 0)
			return -1;
	}
	return 0;
}

static int match_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++)
		if (match_one(worker, (uint32_t)i, err) < 0)
			return -1;
	return 0;
}

static int count_matched(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
{
	(void)err;
	for (unsigned i = 0; i < b->opts.jobs; i++)
		b->stats.compared += w[i].compared;
	for (uint32_t i = 0; i < b->opts.corpus->n; i++)
		b->stats.matched += b->doc[i].outcome.kind == SH_OUTCOME_MATCHED;
	return 0;
}

int sh_batch_match(struct sh_batch *b, struct sh_error *err)
{
	return sh_batch_parallel(b, match_some, count_matched, err);
}
