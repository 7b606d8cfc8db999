/* SPDX-License-Identifier: MIT */
/* Finds the end of a JSON object or array by its brackets and strings alone. Other errors in it do
 * not matter. */
#ifndef SH_INGEST_JSONSCAN_H
#define SH_INGEST_JSONSCAN_H

#include "base/slice.h"

/* The state of a scan, zeroed at first. */
struct sh_json_scan {
	size_t at, depth;    /* bytes scanned; open brackets */
	bool string, escape; /* within a string; behind a backslash */
};

/* Continues the scan of the object or array that begins s. s may have grown since the last call.
 * Returns the length of the object or array in bytes; 0 when s does not have its end. */
size_t sh_json_scan(struct sh_json_scan *scan, struct sh_slice s);

/* Does the same in one call. */
size_t sh_json_extent(struct sh_slice s);

/* Returns the line without the character 0x1E that begins each text of a JSON sequence (RFC
 * 7464). */
struct sh_slice sh_json_past_separator(struct sh_slice line);

#endif
