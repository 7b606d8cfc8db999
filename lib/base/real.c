#include "base/real.h"

#include <locale.h>
#include <stdlib.h>

int sh_parse_real(struct sh_slice s, double *x)
{
	char text[SH_REAL_CHARS + 1], *end;
	locale_t c;

	if (s.n == 0 || s.n > SH_REAL_CHARS)
		return -1;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return -1;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0'; /* which strtod_l() wants */
	*x = strtod_l(text, &end, c);
	freelocale(c);
	return end == text + s.n ? 0 : -1;
}
