/* Joins streams of bands: buckets of equal keys, one after the other.
 *
 * A self-join needs equal keys to be adjacent. A join of two streams needs bytewise order. Both
 * are checked, in bounded memory. The distinct fingerprints of one bucket and their ids are in
 * memory, in about `memory` bytes at most. A bucket that does not fit goes to a temporary file and
 * is joined partition by partition. */
#ifndef SH_JOIN_STREAM_H
#define SH_JOIN_STREAM_H

#include "band/band.h"
#include "join/emit.h"
#include "record/fields.h"

struct sh_stream_opts {
	int k;              /* at most the distance that the keys guarantee; -1: that distance */
	bool collapse;      /* see struct sh_emit */
	size_t memory;      /* memory limit in bytes, approximate */
	const char *tmpdir; /* folder of temporary files, as for sh_spill_folder(); borrowed */
	sh_pair_fn *pair;
	struct sh_job *out; /* receives the pairs */
	/* Self-join: gets the key of each bucket that begins, after the pairs of the bucket before.
	 * Returns 0 or -1. The caller then checks the order of the keys. NULL: the stream itself
	 * checks that equal keys are adjacent. */
	int (*begins)(void *arg, struct sh_slice key, struct sh_error *err);
	void *arg; /* of begins() */
};

/* Keys that a self-join remembers when they do not ascend, to find keys that are not adjacent:
 * 16 MiB of hashes. */
enum { SH_STREAM_KEYS = 1 << 20 };

struct sh_stream;

/* Copies *opts. sides is 1 for a self-join; 2 to join new records (side 0) with archived ones
 * (side 1). Returns NULL on failure. One thread at a time may use a stream. */
struct sh_stream *sh_stream_new(
    const struct sh_stream_opts *opts, unsigned sides, struct sh_error *err);
void sh_stream_delete(struct sh_stream *s);

/* Checks the layout and the key of one record; with two sides also the bytewise order of the keys
 * of a side, so call it in input order. Removes the tag from r->key and stores it in r->of.tag. The
 * caller compares tags. SH_ERR_RECORD: the record may be left out. SH_ERR_PARAM: the stream cannot
 * be joined, for example because the keys are not in order or opts.k is too large. */
int sh_stream_check(
    struct sh_stream *s, unsigned side, struct sh_band_record *r, struct sh_error *err);

/* Self-join: adds the next record, which sh_stream_check() has accepted. When its key is new, joins
 * the previous bucket. */
int sh_stream_add(struct sh_stream *s, const struct sh_band_record *r, struct sh_error *err);
/* Self-join: adds the first records of a text, up to the first line that sh_stream_check() must
 * read: a record with another tag than the last checked record, or a record that may be bad. SH_PAD
 * bytes behind the text must be readable. Returns the number of bytes of the added records, or -1.
 * Sets *lines to their number. */
ssize_t sh_stream_add_lines(
    struct sh_stream *s, struct sh_slice text, size_t *lines, struct sh_error *err);
/* Self-join: joins the last bucket. Call it after the last record. Other buckets may follow. */
int sh_stream_finish(struct sh_stream *s, struct sh_error *err);

/* Two streams: reads the next record of a side that passes sh_stream_check(), valid until the next
 * call for this side. Returns 1, 0 at the end, or -1. */
typedef int sh_stream_next(
    void *arg, unsigned side, struct sh_band_record *r, struct sh_error *err);

/* Two streams: joins records of side 0 with records of side 1, and reads both sides to their
 * ends. When next() sets *pause, returns as soon as all records of the bucket are joined. Then the
 * last record of each side that has not ended is not joined: read it again in the next call.
 * pause: may be NULL. */
int sh_stream_cross(
    struct sh_stream *s, sh_stream_next *next, void *arg, const bool *pause, struct sh_error *err);

/* Two streams: replaces the job that receives the pairs. */
void sh_stream_set_out(struct sh_stream *s, struct sh_job *out);

/* Returns the number of records left out because another record has the same id and fingerprint. */
uint64_t sh_stream_repeated(const struct sh_stream *s);

#endif
