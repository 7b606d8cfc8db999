/* Documents of the batch that have a near-duplicate in the archive. */
#include "archive/batch_state.h"

#include "record/escape.h"

static uint32_t first_candidate(const struct sh_batch *b, uint32_t doc)
{
	uint32_t lo = 0, hi = b->candidates.side.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (b->candidates.side.id[mid] < doc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void sh_batch_compared(const struct sh_feature_set *set, struct sh_compared *c)
{
	c->set = (struct sh_weighed_set){ .hash = set->hash, .n = set->n };
	c->sequence = (struct sh_sequence){ set->ordered, set->n_ordered };
}

/* Computes the features of a document of the archive from its record in the store. */
static int archived_features(struct sh_batch_worker *w, const struct sh_segment *s,
    struct sh_slice record, struct sh_error *err)
{
	struct sh_compared *other = &w->other;
	struct sh_feature_set set;

	switch (s->store) {
	case SH_STORE_SKETCH:
		if (sh_sketch_parse(record, &other->cut, err) < 0)
			return -1;
		set = (struct sh_feature_set){ .hash = other->cut.hash, .n = other->cut.n };
		break;
	case SH_STORE_SEQUENCE:
		if (sh_sequence_parse(record, &other->cut, &w->sequence, err) < 0 ||
		    sh_batch_sequence(w, true, w->sequence.hash, w->sequence.n, &set, err) < 0)
			return -1;
		break;
	default:
		w->text.n = 0;
		if (sh_unescape(record, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0 ||
		    sh_batch_features(w, true, sh_buf_slice(&w->text), &set, err) < 0)
			return -1;
	}
	sh_batch_compared(&set, other);
	return 0;
}

static int read_archived(struct sh_batch_worker *w, uint32_t number, struct sh_error *err)
{
	struct sh_segment *s = sh_archive_segment_of(w->batch->archive, number);
	struct sh_slice line;
	int got = s ? sh_segment_find(s, SH_PART_STORE, number, &line, err) : 0;

	if (got <= 0)
		return got < 0 ? -1 : sh_batch_broken(number, err);
	return archived_features(w, s, sh_line_rest(line), err);
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

/* Compares w->own with w->other. The similarity is the Jaccard similarity, unless only the edit
 * similarity reaches its threshold. */
static int compare_texts(
    struct sh_batch_worker *w, struct sh_similarity *s, bool *reaches, struct sh_error *err)
{
	const struct sh_key_rule *r = &w->batch->opts.rule;
	const struct sh_sequence *x = &w->own.sequence, *y = &w->other.sequence;
	struct sh_align_bound bound = { 0 };
	struct sh_similarity edit;
	size_t longer;

	*reaches = false;
	if (r->threshold) {
		sh_measure_find("jaccard")->compare(&w->own.set, &w->other.set, s);
		*reaches = sh_similarity_reaches(s, r->threshold, SH_WEIGHT_ONE);
	}
	if (!r->edit || *reaches)
		return 0;
	if (!w->aligner && !(w->aligner = sh_aligner_new(err)))
		return -1;
	longer = x->n > y->n ? x->n : y->n;
	bound.most = sh_align_limit(longer, r->edit);
	if (sh_align_similarity(w->aligner, *x, *y, bound, &edit, err) < 0)
		return -1;
	*reaches = sh_similarity_reaches(&edit, r->edit, SH_WEIGHT_ONE);
	if (*reaches || !r->threshold)
		*s = edit;
	return 0;
}

/* Sets the outcome of the document to the candidate when the candidate is a match, and closer than
 * the outcome so far. */
static int compare_candidate(struct sh_batch_worker *w, uint32_t doc, uint32_t number,
    bool has_features, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_outcome f = { .kind = SH_OUTCOME_MATCHED, .keeper = number };
	bool like;
	uint64_t fp[SH_FP_MAX_WORDS];
	struct sh_doc_record r;
	int got = sh_archive_record(b->archive, number, &r, err);

	if (got < 0)
		return -1;
	if (got == 0 || r.keeper != number || r.fp.n != b->opts.fp.bits / 4 ||
	    sh_parse_hex(r.fp, fp) < 0)
		return sh_batch_broken(number, err);
	w->compared++;
	f.id = r.id;
	f.distance = (uint16_t)sh_fp_distance(
	    fp, b->opts.fingerprint(b->opts.arg, doc), SH_FP_WORDS(b->opts.fp.bits));
	f.similarity = SH_UNVERIFIED;
	like = f.distance <= b->opts.k;
	if (has_features) {
		struct sh_similarity s;

		if (read_archived(w, number, err) < 0 || compare_texts(w, &s, &like, err) < 0)
			return -1;
		f.similarity = (uint16_t)sh_similarity_round(&s);
	}
	if (like && closer(&f, &b->doc[doc].outcome))
		b->doc[doc].outcome = f;
	return 0;
}

/* Fills w->own, with hashes cut as in the store. */
static int own_features(struct sh_batch_worker *w, uint32_t doc, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;
	struct sh_feature_set set;

	if (sh_batch_kept(w, doc, &set, err) < 0)
		return -1;
	if (opts->store == SH_STORE_SKETCH) {
		if (sh_sketch_cut(set.hash, set.n, &w->own.cut, err) < 0)
			return -1;
		set.hash = w->own.cut.hash;
	}
	sh_batch_compared(&set, &w->own);
	return 0;
}

static int match_one(struct sh_batch_worker *w, uint32_t doc, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	const struct sh_side *c = &b->candidates.side;
	bool compares = b->opts.verify && b->opts.store != SH_STORE_NONE, made = false;

	if (b->doc[doc].outcome.kind != SH_OUTCOME_NEW || b->opts.is_protected(b->opts.arg, doc))
		return 0;
	for (uint32_t i = first_candidate(b, doc); i < c->n && c->id[i] == doc; i++) {
		if (compares && !made && own_features(w, doc, err) < 0)
			return -1;
		made = true;
		if (compare_candidate(w, doc, (uint32_t)c->word[i], compares, err) < 0)
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
	return sh_batch_parallel(
	    b, b->opts.corpus->n, SH_BATCH_GRAIN, match_some, count_matched, err);
}
