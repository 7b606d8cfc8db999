/* Where JSON ends: by brackets and strings alone, whatever else is wrong in it. */
#ifndef SH_INGEST_JSONSCAN_H
#define SH_INGEST_JSONSCAN_H

#include "base/slice.h"

/* Where the scan for the end of an object or array has come to. Zeroed to begin. */
struct sh_json_scan {
	size_t at, depth;
	bool string, escape;
};

/* Go on to the end of what begins s, which may have grown: its bytes, or 0 when s ends before. */
size_t sh_json_scan(struct sh_json_scan *scan, struct sh_slice s);

/* Bytes of the JSON object or array that begins s; 0 when s ends before it. */
size_t sh_json_extent(struct sh_slice s);

/* A line without the character that begins each text of a sequence of JSON (RFC 7464). */
struct sh_slice sh_json_past_separator(struct sh_slice line);

#endif
