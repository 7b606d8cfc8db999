/* Band records as text: the lines that shband writes. */
#ifndef SH_BAND_BANDLINES_H
#define SH_BAND_BANDLINES_H

#include "band/band.h"
#include "base/buf.h"
#include "record/fields.h"

struct sh_band_lines {
	const struct sh_band *band;
	char (*head)[SH_BAND_HEAD]; /* by table: what its keys begin with; NULL: not at hand */
};

/* The band must outlive l. */
int sh_band_lines_init(struct sh_band_lines *l, const struct sh_band *band, struct sh_error *err);
void sh_band_lines_free(struct sh_band_lines *l);

/* Append a line a table for a fingerprint of the band's width. */
int sh_band_lines_add(const struct sh_band_lines *l, const struct sh_fp_record *r,
    struct sh_buf *out, struct sh_error *err);

/* Whether the line is a band record whose key, with or without a tag, is that of its fingerprint. */
bool sh_is_band_record(struct sh_slice line);

#endif
