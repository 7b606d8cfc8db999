/* What the parts of a batch share: batch.c prepares it and looks it up, batch_add.c files it. */
#ifndef SH_ARCHIVE_BATCH_STATE_H
#define SH_ARCHIVE_BATCH_STATE_H

#include "archive/batch.h"
#include "archive/sketch.h"
#include "base/num.h"
#include "fp/fingerprint.h"
#include "fp/features.h"

/* A document's key, to be looked up. */
struct sh_probe {
	uint64_t key;
	uint32_t doc;
};

/* A document and one of the archive that share a key. */
struct sh_meeting {
	uint32_t doc, number;
	bool by_id;
};

struct sh_batch_doc {
	uint64_t digest; /* of the text */
	struct sh_fate fate;
	uint32_t own;    /* its number, when it is known or written; SH_CORPUS_NONE */
	uint32_t keeper; /* a document of the batch, when it is new */
	uint32_t same;   /* the document of the batch that is written for it, or itself */
	uint16_t distance, similarity; /* to the keeper */
	bool told;                     /* what became of it is known, and is to be written */
	bool has_features, is_known;
};

struct sh_batch {
	struct sh_batch_opts opts;
	struct sh_batch_doc *doc;
	struct sh_probe *probe; /* by key, then by document */
	size_t n_probes;
	struct sh_meeting *candidate;
	size_t n_candidates, candidates_cap;
	uint64_t *key; /* distinct ones of the probes, and where each begins */
	uint32_t *first;
	size_t n_keys;
	struct sh_archive *archive; /* while it is looked up */
	struct sh_batch_stats stats;
};

#endif
