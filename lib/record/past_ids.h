/* Counts ids that occur again after other ids, in records grouped by id.
 *
 * Such a repeated id begins another document. Usually this is a mistake: the lines were sorted by another
 * field, or two documents have one id. A program warns with the count. 2^14 ids are remembered, as hashes
 * of 64 bits. An id that occurs again much later may be missed. A count is wrong with probability 2^-50 for
 * each document, unless ids are constructed for it. */
#ifndef SH_RECORD_PAST_IDS_H
#define SH_RECORD_PAST_IDS_H

#include "base/error.h"
#include "base/slice.h"

/* Bytes of an id that are stored for the message. */
enum { SH_PAST_IDS_SHOWN = 80 };

struct sh_past_ids {
	uint64_t *slots; /* the last hash of each slot, or 0 */
	uint64_t again;  /* documents whose id occurred before */
	/* The first repeated id, and its line. */
	char id[SH_PAST_IDS_SHOWN];
	size_t id_n;
	const char *file;
	uint64_t line;
};

/* Call sh_past_ids_free() also after a failure. */
int sh_past_ids_init(struct sh_past_ids *p, struct sh_error *err);
void sh_past_ids_free(struct sh_past_ids *p);

/* Counts a document that begins at this line. Its id differs from that of the document before. The name
 * of the file is borrowed. */
void sh_past_ids_begin(struct sh_past_ids *p, struct sh_slice id, const char *file, uint64_t line);

#endif
