/* SPDX-License-Identifier: MIT */
/* Compares the parser of JSON with jansson on any line, if the build has jansson. */
#include "fuzz.h"

#include "../unit/test_json.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_json_value v[2];
	struct sh_error err;
	char *text = fuzz_copy(data, size, 0);
	bool good = sh_json_fields(sh_slice(text, size), names, v, 2, &err) == 0;

	for (int i = 0; good && i < 2; i++) {
		struct sh_buf b = { 0 };
		uint64_t halves = 0;

		if (v[i].kind == SH_JSON_ABSENT)
			continue;
		check(v[i].text.p >= text && v[i].text.p + v[i].text.n <= text + size);
		if (v[i].kind == SH_JSON_STRING)
			check(sh_json_unescape(v[i].text, &b, &halves, &err) == 0 &&
			      halves <= v[i].text.n / 6);
		sh_buf_free(&b);
	}
#ifdef HAVE_JANSSON
	json_error_t why;
	json_t *root = json_loadb(text, size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &why);

	if (root && !json_is_object(root)) {
		check(!good);
	} else if (root && !(size && memchr(text, 0, size))) { /* jansson accepts some NULs */
		char *ended = fuzz_copy(text, size, 1);        /* strtod() needs an end */

		check(sh_json_fields(sh_slice(ended, size), names, v, 2, &err) == 0);
		check(same_value(&v[0], json_object_get(root, "id")));
		check(same_value(&v[1], json_object_get(root, "text")));
		free(ended);
	} else if (!root && !is_stricter(&why)) {
		check(!good);
	}
	json_decref(root);
#endif
	free(text);
	return 0;
}
