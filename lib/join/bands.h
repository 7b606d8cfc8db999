/* SPDX-License-Identifier: MIT */
/* Joins band records, one bucket at a time. A bucket is the records of one key.
 *
 * The records must be in bytewise order of their keys, which is checked. One bucket is in memory.
 * A bucket that does not fit is joined in partitions (join/parts.h). */
#ifndef SH_JOIN_BANDS_H
#define SH_JOIN_BANDS_H

#include "band/band.h"
#include "join/parts.h"
#include "record/fields.h"

struct sh_bands_opts {
	int k;              /* at most the distance that the keys guarantee; -1: that distance */
	bool collapse;      /* see struct sh_pairs */
	unsigned sides;     /* 1: a join with itself; 2: new records with archived ones */
	unsigned threads;   /* at least 1 */
	size_t memory;      /* bytes, about */
	const char *tmpdir; /* as for sh_spill_folder(); borrowed */
};

struct sh_bands;

/* Copies *opts. Returns NULL when memory is short. */
struct sh_bands *sh_bands_new(const struct sh_bands_opts *opts, struct sh_error *err);
void sh_bands_delete(struct sh_bands *b);

/* Checks the layout, the key and the order of one record; call it in input order. The first record
 * decides the layout. Removes the tag from r->key and stores it in r->of.tag. SH_ERR_RECORD: the
 * record may be left out. SH_ERR_PARAM: the records cannot be joined. */
int sh_bands_check(
    struct sh_bands *b, unsigned side, struct sh_band_record *r, struct sh_error *err);

/* Reads the next record of a side, from 0, that passes sh_bands_check(); it stays valid until the
 * next call for this side. Returns 1, 0 at the end, or -1. */
typedef int sh_bands_next(void *arg, unsigned side, struct sh_band_record *r, struct sh_error *err);

/* Joins all records, and writes the pairs to the job. When next() fails, first joins the records
 * before. */
int sh_bands_join(
    struct sh_bands *b, sh_bands_next *next, void *arg, struct sh_job *out, struct sh_error *err);

/* Returns the number of records left out because another record has the same id and fingerprint. */
uint64_t sh_bands_repeated(const struct sh_bands *b);

#endif
