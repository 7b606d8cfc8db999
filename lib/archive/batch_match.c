/* Documents of the batch that have a near-duplicate in the archive. */
#include "archive/batch_state.h"

#include "base/bisect.h"
#include "record/escape.h"

static uint32_t first_candidate(const struct sh_batch *b, uint32_t doc)
{
	uint32_t lo = 0, hi = b->candidates.side.n;

	SH_BISECT(lo, hi, mid, b->candidates.side.id[mid] < doc);
	return lo;
}

/* Reads the features of a document of the archive from its record in the store. */
static int archived_features(struct sh_batch_worker *w, const struct sh_segment *s,
    struct sh_slice record, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_analysis x;

	switch (s->store) {
	case SH_ARCHIVE_SKETCH:
		if (sh_sketch_parse(record, &w->sketch, err) < 0)
			return -1;
		*set = (struct sh_feature_set){ .hash = w->sketch.hash, .n = w->sketch.n };
		return 0;
	case SH_ARCHIVE_SEQUENCE:
		if (sh_sequence_parse(record, &w->sketch, &w->sequence, err) < 0)
			return -1;
		*set = (struct sh_feature_set){ .ordered = w->sequence.hash,
			.n_ordered = w->sequence.n };
		return 0;
	default:
		w->text.n = 0;
		if (sh_unescape(record, &w->text, err) < 0 ||
		    sh_buf_reserve(&w->text, SH_PAD, err) < 0 ||
		    sh_batch_analyse_text(w, SH_BATCH_ARCHIVED, sh_buf_slice(&w->text), &x, err) <
			0)
			return -1;
		*set = x.set;
		return 0;
	}
}

static int read_archived(
    struct sh_batch_worker *w, uint32_t number, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_segment *s = sh_archive_segment_of(w->batch->archive, number);
	struct sh_slice line;
	int got = s ? sh_segment_find(s, SH_PART_STORE, number, &line, err) : 0;

	if (got <= 0)
		return got < 0 ? -1 : sh_batch_broken(number, err);
	return archived_features(w, s, sh_line_rest(line), set, err);
}

/* Verifiers know documents of the archive by their numbers, and a document of the batch by OWN +
 * its number. */
#define OWN (UINT64_C(1) << 32)

static int set_of(void *worker, uint64_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;
	const struct sh_key_rule *r = &w->batch->opts.rule;
	int status = document >= OWN ? sh_batch_kept(w, (uint32_t)(document - OWN), set, err)
				     : read_archived(w, (uint32_t)document, set, err);

	if (status < 0 || !r->edit || !r->threshold)
		return status;
	return sh_batch_add_grams(w, set, err);
}

static int begin_verifier(struct sh_batch_worker *w, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;
	const struct sh_key_rule *r = &opts->rule;
	/* With few candidates for each document, memory costs more time than it saves. */
	bool several = w->batch->candidates.side.n / 2 >= opts->corpus->n;
	struct sh_verify_opts v = { .set_of = set_of,
		.arg = w,
		.ngrams = r->ngrams,
		.measure = sh_measure_find(!r->edit       ? "jaccard"
					   : r->threshold ? "any"
							  : "edit"),
		.threshold = r->threshold ? r->threshold : r->edit,
		.edit_threshold = r->edit,
		.memory = several ? opts->verify_bytes / opts->jobs : 0 };

	if (!w->verifier)
		w->verifier = sh_verifier_new(&v, err);
	return w->verifier ? 0 : -1;
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

/* Sets the distance, and the id of the archived document. */
static int read_outcome(
    const struct sh_batch *b, uint32_t doc, struct sh_outcome *f, struct sh_error *err)
{
	uint64_t fp[SH_FP_MAX_WORDS];
	struct sh_doc_record r;
	int got = sh_archive_record(b->archive, f->keeper, &r, err);

	if (got < 0)
		return -1;
	if (got == 0 || r.keeper != f->keeper || r.fp.n != b->opts.fp.bits / 4 ||
	    sh_parse_hex(r.fp, fp) < 0)
		return sh_batch_broken(f->keeper, err);
	f->id = r.id;
	f->distance = (uint16_t)sh_fp_distance(
	    fp, b->opts.fingerprint(b->opts.arg, doc), SH_FP_WORDS(b->opts.fp.bits));
	return 0;
}

/* Sets the outcome of the document to the candidate when the candidate is a match, and closer than
 * the outcome so far. */
static int compare_candidate(
    struct sh_batch_worker *w, uint32_t doc, uint32_t number, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_outcome f = {
		.kind = SH_OUTCOME_MATCHED, .keeper = number, .similarity = SH_UNVERIFIED
	};
	struct sh_similarity s = { .reaches = true };

	w->compared++;
	if (w->verifier && sh_verify(w->verifier, OWN + doc, number, &s, err) < 0)
		return -1;
	if (!s.reaches)
		return 0;
	if (w->verifier)
		f.similarity = (uint16_t)sh_similarity_round(&s);
	if (read_outcome(b, doc, &f, err) < 0)
		return -1;
	if ((w->verifier || f.distance <= b->opts.k) && closer(&f, &b->doc[doc].outcome))
		b->doc[doc].outcome = f;
	return 0;
}

static int match_one(struct sh_batch_worker *w, uint32_t doc, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	const struct sh_side *c = &b->candidates.side;

	if (b->doc[doc].outcome.kind != SH_OUTCOME_NEW || b->opts.is_protected(b->opts.arg, doc))
		return 0;
	for (uint32_t i = first_candidate(b, doc); i < c->n && c->id[i] == doc; i++) {
		if (b->opts.verify && b->opts.store != SH_ARCHIVE_NONE && begin_verifier(w, err) < 0)
			return -1;
		if (compare_candidate(w, doc, (uint32_t)c->word[i], err) < 0)
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
