/* Documents whose lines do not stand together, in records grouped by id.
 *
 * An id that comes again after others begins another document, as the form has it. Mostly that is a
 * mistake: the lines were sorted by something else, or two documents have one id. So it is counted,
 * for the user to be told. A fixed number of ids is remembered, by hashes of 64 bits: an id that
 * comes again long after may be missed; that one is counted wrongly has a chance of 2^-50 a
 * document, unless ids are made for it. */
#ifndef SH_RECORD_PAST_IDS_H
#define SH_RECORD_PAST_IDS_H

#include "base/error.h"
#include "base/slice.h"

/* Bytes of an id that are kept for the message. */
enum { SH_PAST_IDS_SHOWN = 80 };

struct sh_past_ids {
	uint64_t *slots; /* the hash that came last to each, or 0 */
	uint64_t again;  /* documents whose id had come before */
	/* The first of them, and its first line. */
	char id[SH_PAST_IDS_SHOWN];
	size_t id_n;
	const char *file;
	uint64_t line;
};

/* p is to be freed also after a failure. */
int sh_past_ids_init(struct sh_past_ids *p, struct sh_error *err);
void sh_past_ids_free(struct sh_past_ids *p);

/* A document of this id comes soon: what will be looked at then is fetched meanwhile, for nothing else keeps
 * it in the cache. */
void sh_past_ids_expect(const struct sh_past_ids *p, struct sh_slice id);

/* A document of this id, which the one before has not, begins at this line. The file's name is borrowed. */
void sh_past_ids_begin(struct sh_past_ids *p, struct sh_slice id, const char *file, uint64_t line);

#endif
