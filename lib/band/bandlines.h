/* SPDX-License-Identifier: MIT */
/* Writes band records. */
#ifndef SH_BAND_BANDLINES_H
#define SH_BAND_BANDLINES_H

#include "band/band.h"
#include "base/buf.h"
#include "record/fields.h"

struct sh_band_lines {
	const struct sh_band *band;
	/* by table: the beginning of its keys; NULL: each key is written by sh_band_key() */
	char (*head)[SH_BAND_HEAD];
};

/* The band is borrowed: it must outlive l. */
int sh_band_lines_init(struct sh_band_lines *l, const struct sh_band *band, struct sh_error *err);
void sh_band_lines_free(struct sh_band_lines *l);

/* Appends a line with its LF for each table. The fingerprint must have the width of the layout. */
int sh_band_lines_add(const struct sh_band_lines *l, const struct sh_fp_record *r,
    struct sh_buf *out, struct sh_error *err);

/* Returns whether the line is a band record whose key, with or without a tag, is that of its
 * fingerprint. */
bool sh_is_band_record(struct sh_slice line);

#endif
