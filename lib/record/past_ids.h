/* Counts ids that come again after other ids, in records grouped by id.
 *
 * Such an id begins another document. Mostly this is a mistake: the lines were sorted by something
 * else, or two documents have one id. A program warns with the count. 2^14 ids are remembered, by
 * hashes of 64 bits. An id that comes again much later may be missed. A wrong count has a probability
 * of 2^-50 per document, unless ids are constructed for it. */
#ifndef SH_RECORD_PAST_IDS_H
#define SH_RECORD_PAST_IDS_H

#include "base/error.h"
#include "base/slice.h"

/* Bytes of an id that are kept for the message. */
enum { SH_PAST_IDS_SHOWN = 80 };

struct sh_past_ids {
	uint64_t *slots; /* the last hash of each slot, or 0 */
	uint64_t again;  /* documents whose id came before */
	/* The first such id, and its line. */
	char id[SH_PAST_IDS_SHOWN];
	size_t id_n;
	const char *file;
	uint64_t line;
};

/* Free p also after a failure. */
int sh_past_ids_init(struct sh_past_ids *p, struct sh_error *err);
void sh_past_ids_free(struct sh_past_ids *p);

/* Prefetches the slot of an id that comes soon. */
void sh_past_ids_expect(const struct sh_past_ids *p, struct sh_slice id);

/* Counts a document that begins at this line. Its id differs from that of the document before. The name
 * of the file is borrowed. */
void sh_past_ids_begin(struct sh_past_ids *p, struct sh_slice id, const char *file, uint64_t line);

#endif
