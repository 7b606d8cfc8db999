/* SPDX-License-Identifier: MIT */
#include "ingest/jsonscan.h"

size_t sh_json_scan(struct sh_json_scan *scan, struct sh_slice s)
{
	for (; scan->at < s.n; scan->at++) {
		char c = s.p[scan->at];

		if (scan->escape) {
			scan->escape = false;
		} else if (scan->string) {
			scan->string = c != '"';
			scan->escape = c == '\\';
		} else if (c == '"') {
			scan->string = true;
		} else if (c == '{' || c == '[') {
			scan->depth++;
		} else if ((c == '}' || c == ']') && --scan->depth == 0) {
			return scan->at + 1;
		}
	}
	return 0;
}

size_t sh_json_extent(struct sh_slice s)
{
	struct sh_json_scan scan = { 0 };

	return sh_json_scan(&scan, s);
}

struct sh_slice sh_json_past_separator(struct sh_slice line)
{
	size_t n = line.n && *line.p == '\036';

	return sh_slice(line.p + n, line.n - n);
}
