/* The manifest of an archive of shspan: any content is accepted or refused. Accepted content does
 * not change when it is printed and parsed. */
#include "fuzz.h"

#include "../../lib/passage/store.c"

static struct sh_error err;

static void sum(struct sh_buf *text)
{
	char line[CHECKSUM_LINE + 1];

	snprintf(line, sizeof line, "checksum %016llx\n",
	    (unsigned long long)XXH3_64bits(text->p, text->n));
	check(sh_buf_add(text, line, CHECKSUM_LINE, &err) == 0);
}

/* head_wanted: the expected first lines of the manifest; empty: any lines. */
static void parse(const struct sh_buf *text, const struct sh_buf *head_wanted)
{
	struct sh_passages s = { .folder.path = "fuzz" }, again = s;
	struct sh_buf printed = { 0 }, printed_again = { 0 };

	check(sh_buf_add(&s.head, head_wanted->p, head_wanted->n, &err) == 0);
	if (parse_manifest(&s, text, &err) == 0) {
		check(print_manifest(&s, &printed, &err) == 0);
		check(parse_manifest(&again, &printed, &err) == 0);
		check(again.n == s.n && again.n_runs == s.n_runs);
		check(print_manifest(&again, &printed_again, &err) == 0);
		check(printed_again.n == printed.n &&
		      memcmp(printed_again.p, printed.p, printed.n) == 0);
		check(sh_passages_undated(&s) <= sh_passages_count(&s));
	}
	for (unsigned i = 0; i < 2; i++) {
		struct sh_passages *p = i ? &again : &s;

		free(p->segment);
		free(p->run);
		sh_buf_free(&p->head);
	}
	sh_buf_free(&printed);
	sh_buf_free(&printed_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_buf text = { 0 }, head_here = { 0 }, none = { 0 };

	/* The input is parsed unchanged, with its right checksum, and behind the first lines that
	 * this machine writes. */
	check(sh_buf_add(&text, data, size, &err) == 0);
	parse(&text, &none);
	sum(&text);
	parse(&text, &none);
	check(print_head("n 6", &head_here, &err) == 0);
	text.n = 0;
	check(sh_buf_add(&text, head_here.p, head_here.n, &err) == 0);
	check(sh_buf_add(&text, data, size, &err) == 0);
	sum(&text);
	parse(&text, &head_here);
	parse(&text, &none);
	sh_buf_free(&text);
	sh_buf_free(&head_here);
	return 0;
}
