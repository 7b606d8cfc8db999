/* New documents against an archive: which are known, which are like one that is there, and then
 * the rest into it.
 *
 *     sh_batch_new(); sh_batch_prepare();      the archive need not be locked yet
 *     sh_batch_look(); ... sh_batch_fate() ...
 *     sh_batch_tell() of documents that are new; sh_batch_commit()
 *
 * The archive remembers every document that it was shown, by id and digest of the text: those
 * that stayed, with keys and features, and those that were dropped, with their keeper and how
 * like it they were. So a run over documents that it has seen changes nothing and tells the
 * same again, however they are batched, and whether or not the first run lived to tell. */
#ifndef SH_ARCHIVE_BATCH_H
#define SH_ARCHIVE_BATCH_H

#include "archive/archive.h"
#include "archive/keys.h"
#include "stream/corpus.h"
#include "text/ngram.h"

struct sh_batch_opts {
	const struct sh_corpus *corpus;
	struct sh_token_opts token;
	struct sh_ngrams ngrams;
	struct sh_key_rule rule;
	unsigned bits, k;   /* without features a match is within distance k */
	uint64_t threshold; /* in millionths */
	bool escape;        /* digests are of texts with escapes; else of texts as they come */
	bool verify;        /* compare features, where the archive has any */
	bool newest;        /* of twins in the batch the last stays, not the first */
	uint64_t now;       /* seconds since 1970 */
	unsigned jobs;
	/* A document's fingerprint, of (bits + 63) / 64 words. */
	const uint64_t *(*fingerprint)(void *arg, uint32_t document);
	bool (*is_protected)(void *arg, uint32_t document);
	void *arg;
};

enum sh_fate_kind {
	SH_FATE_NEW,     /* nothing like it is there */
	SH_FATE_STAYS,   /* it is there, and stayed */
	SH_FATE_DROPPED, /* it is there, and was dropped; or its twin stays */
	SH_FATE_MATCHED, /* it is not there, but one like it */
};

enum { SH_UNVERIFIED = UINT16_MAX };

struct sh_fate {
	enum sh_fate_kind kind;
	uint32_t keeper;     /* its number in the archive */
	uint16_t distance;   /* to the keeper, as the other two, when it is not new */
	uint16_t similarity; /* in ten thousandths, or SH_UNVERIFIED */
	struct sh_slice id;  /* of the keeper; valid while the archive is open */
};

struct sh_batch_stats {
	uint64_t known, matched, compared, added, kept;
};

struct sh_batch;

struct sh_batch *sh_batch_new(const struct sh_batch_opts *opts, struct sh_error *err);
void sh_batch_delete(struct sh_batch *b);

/* Keys and digests of all documents of the corpus. */
int sh_batch_prepare(struct sh_batch *b, struct sh_error *err);

/* Look all up in a locked archive. */
int sh_batch_look(struct sh_batch *b, struct sh_archive *a, struct sh_error *err);

const struct sh_fate *sh_batch_fate(const struct sh_batch *b, uint32_t document);

/* What became of a document that was new to the archive: it stays (keeper is itself), or was
 * dropped for another of the batch. Of one that was matched nothing need be said. */
void sh_batch_tell(
    struct sh_batch *b, uint32_t document, uint32_t keeper, unsigned distance, unsigned similarity);

/* Write what is not there yet into the archive, which must be locked for a change. */
int sh_batch_commit(struct sh_batch *b, struct sh_archive *a, struct sh_error *err);

const struct sh_batch_stats *sh_batch_stats(const struct sh_batch *b);

#endif
