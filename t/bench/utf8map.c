/* SPDX-License-Identifier: MIT */
/* utf8map <text: writes each line in NFKC and with folded case, as utf8proc_map makes it. */
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

int main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, stdin)) > 0) {
		utf8proc_uint8_t *folded;
		utf8proc_ssize_t got = utf8proc_map((const utf8proc_uint8_t *)line, n, &folded,
		    UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);

		if (got < 0)
			return 2;
		fwrite(folded, 1, (size_t)got, stdout);
		free(folded);
	}
	free(line);
	return fflush(stdout) == EOF ? 2 : 0;
}
