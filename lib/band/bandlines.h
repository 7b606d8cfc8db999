/* SPDX-License-Identifier: MIT */
/* Writes band records. */
#ifndef SH_BAND_BANDLINES_H
#define SH_BAND_BANDLINES_H

#include "band/band.h"
#include "base/buf.h"
#include "record/fields.h"

/* Appends a line with its LF for each table. The fingerprint must have the width of the layout. */
int sh_band_lines_add(const struct sh_band *band, const struct sh_fp_record *r, struct sh_buf *out,
    struct sh_error *err);

/* Returns whether the line is a band record whose key, with or without a tag, is that of its
 * fingerprint. */
bool sh_is_band_record(struct sh_slice line);

#endif
