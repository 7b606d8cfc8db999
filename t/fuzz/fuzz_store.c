/* The manifest of an archive of shspan: any content is accepted or refused; accepted content is the same after it was
 * printed. */
#include "fuzz.h"

#include "../../lib/passage/store.c"

static struct sh_error err;

/* The first lines of a manifest of this machine. */
static void begin(struct sh_passages *s, struct sh_buf *text)
{
	*s = (struct sh_passages){ .settings = "n 6", .folder.path = "fuzz" };
	text->n = 0;
	check(print_head(s, text, &err) == 0);
}

static void sum(struct sh_buf *text)
{
	char line[CHECKSUM_LINE + 1];

	snprintf(line, sizeof line, "checksum %016llx\n",
	    (unsigned long long)XXH3_64bits(text->p, text->n));
	check(sh_buf_add(text, line, CHECKSUM_LINE, &err) == 0);
}

static void parse(const struct sh_buf *text, const struct sh_buf *want)
{
	struct sh_passages s = { .settings = "n 6", .folder.path = "fuzz" }, again = s;
	struct sh_buf printed = { 0 };

	if (parse_manifest(&s, text, want, &err) == 0) {
		check(print_manifest(&s, &printed, &err) == 0);
		check(parse_manifest(&again, &printed, want, &err) == 0);
		check(again.n == s.n);
		for (size_t i = 0; i < s.n; i++)
			check(memcmp(&again.segment[i], &s.segment[i], sizeof *s.segment) == 0);
		free(again.segment);
	}
	free(s.segment);
	sh_buf_free(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_buf text = { 0 }, want = { 0 };
	struct sh_passages s;

	/* As it stands, with the checksum that it should have, and behind proper first lines. */
	check(sh_buf_add(&text, data, size, &err) == 0);
	parse(&text, &(struct sh_buf){ 0 });
	sum(&text);
	parse(&text, &(struct sh_buf){ 0 });
	begin(&s, &want);
	text.n = 0;
	check(sh_buf_add(&text, want.p, want.n, &err) == 0);
	check(sh_buf_add(&text, data, size, &err) == 0);
	sum(&text);
	parse(&text, &want);
	sh_buf_free(&text);
	sh_buf_free(&want);
	return 0;
}
