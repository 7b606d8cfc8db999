/* The fingerprint records that a thread parses from one chunk, before the records get numbers.
 *
 * The struct and its arrays lie in one buffer, such as `out` of a job. */
#ifndef SH_JOIN_FPCHUNK_H
#define SH_JOIN_FPCHUNK_H

#include "base/buf.h"
#include "join/ids.h"
#include "record/fpline.h"

struct sh_fp_chunk {
	unsigned words; /* words of a fingerprint */
	size_t n;       /* records */
	uint64_t *fp;   /* fingerprint of record i at i * words */
	struct sh_chunk_ids ids;
};

/* Makes an empty chunk in *room, whose content is lost. It has memory for all records of lines of
 * `bytes` bytes together, with fingerprints of `digits` digits. Returns the chunk, valid until the
 * buffer is changed, or NULL with *err. */
struct sh_fp_chunk *sh_fp_chunk_new(
    struct sh_buf *room, unsigned digits, size_t bytes, struct sh_error *err);

/* Returns the chunk that was made in this buffer; NULL when the buffer is empty. */
struct sh_fp_chunk *sh_fp_chunk_of(const struct sh_buf *room);

/* Appends the records of a chunk to *b in a compact form, for a temporary file. */
int sh_fp_chunk_pack(const struct sh_fp_chunk *c, struct sh_buf *b, struct sh_error *err);
/* Makes a chunk in *room from bytes of sh_fp_chunk_pack(), which are not checked. Returns as
 * sh_fp_chunk_new() does. */
struct sh_fp_chunk *sh_fp_chunk_unpack(
    struct sh_buf *room, unsigned words, struct sh_slice packed, struct sh_error *err);

/* Adds a record; the chunk must have memory for it. SH_NODE_IDS_PAD bytes from id.p on must be
 * readable. */
void sh_fp_chunk_add(struct sh_fp_chunk *c, const uint64_t *fp, struct sh_slice id);

/* Adds records of this form from p on. The byte before `end` must be an LF, and SH_PAD bytes
 * behind `end` must be readable. Stops before the first line that sh_fp_line() does not read:
 * sh_record_fp() decides about that line. Returns the beginning of that line. Sets *lines to the
 * number of added records. */
const char *sh_fp_chunk_add_lines(struct sh_fp_chunk *c, const char *p, const char *end,
    const struct sh_fp_form *form, uint64_t *lines);

#endif
