/* Finds the end of a JSON object or array by its brackets and strings alone. Other errors in it do not matter. */
#ifndef SH_INGEST_JSONSCAN_H
#define SH_INGEST_JSONSCAN_H

#include "base/slice.h"

/* The state of a scan. A zeroed one begins. */
struct sh_json_scan {
	size_t at, depth;
	bool string, escape;
};

/* Continues the scan of the object or array that begins s. s may have grown since the last call. Returns its
 * bytes, or 0 when s ends before it. */
size_t sh_json_scan(struct sh_json_scan *scan, struct sh_slice s);

/* Returns the bytes of the object or array that begins s; 0 when s ends before it. */
size_t sh_json_extent(struct sh_slice s);

/* The line without the character that begins each text of a JSON sequence (RFC 7464). */
struct sh_slice sh_json_past_separator(struct sh_slice line);

#endif
