#include "archive/records.h"

#include <stdio.h>

#include "base/num.h"
#include "record/fields.h"

static int parse_number(struct sh_slice digits, uint32_t *number)
{
	uint64_t x;

	if (digits.n != SH_NUMBER_DIGITS || sh_parse_hex_number(digits, &x) < 0)
		return -1;
	*number = (uint32_t)x;
	return 0;
}

int sh_line_number(struct sh_slice line, uint32_t *number, struct sh_error *err)
{
	if (line.n <= SH_NUMBER_DIGITS || line.p[SH_NUMBER_DIGITS] != '\t' ||
	    parse_number(sh_slice(line.p, SH_NUMBER_DIGITS), number) < 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a record of the archive has no number: restore the archive from a backup");
	return 0;
}

int sh_line_begin(struct sh_buf *line, uint32_t number, struct sh_error *err)
{
	char text[SH_NUMBER_DIGITS + 1];

	sh_print_hex_number(text, number, SH_NUMBER_DIGITS);
	text[SH_NUMBER_DIGITS] = '\t';
	return sh_buf_add(line, text, sizeof text, err);
}

static bool digits(struct sh_slice s, size_t n, uint64_t *x)
{
	return s.n == n && sh_parse_u64(s, x) == SH_NUM_OK;
}

int sh_doc_parse(struct sh_slice line, struct sh_doc_record *r, struct sh_error *err)
{
	struct sh_slice f[9];

	if (sh_line_number(line, &r->number, err) < 0)
		return -1;
	if (sh_fields_split(line, f, 9) != 8 || !digits(f[1], SH_TIME_DIGITS, &r->time) ||
	    parse_number(f[2], &r->keeper) < 0 || f[6].n != 16 ||
	    sh_parse_hex(f[6], &r->digest) < 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "record %08x of the archive is bad: restore the archive from a backup",
		    r->number);
	r->distance = f[3];
	r->similarity = f[4];
	r->fp = f[5];
	r->id = f[7];
	return 0;
}

int sh_doc_print(const struct sh_doc_record *r, struct sh_buf *out, struct sh_error *err)
{
	char head[32], digest[20];
	const struct sh_slice tab = sh_slice("\t", 1);
	struct sh_slice part[] = { { head, 0 }, r->distance, tab, r->similarity, tab, r->fp,
		{ digest, 0 }, r->id, sh_slice("\n", 1) };

	if (r->time > SH_TIME_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "the time is %llu seconds since 1970: records have room for ten digits",
		    (unsigned long long)r->time);
	if (sh_line_begin(out, r->number, err) < 0)
		return -1;
	part[0].n = (size_t)snprintf(head, sizeof head, "%0*llu\t%08x\t", SH_TIME_DIGITS,
	    (unsigned long long)r->time, r->keeper);
	part[6].n =
	    (size_t)snprintf(digest, sizeof digest, "\t%016llx\t", (unsigned long long)r->digest);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (sh_buf_add(out, part[i].p, part[i].n, err) < 0)
			return -1;
	return 0;
}

int sh_key_parse(const char *line, uint64_t *key, uint32_t *number)
{
	const char *tab = line + SH_KEY_DIGITS;

	if (sh_parse_hex_number(sh_slice(line, SH_KEY_DIGITS), key) < 0 || *tab != '\t' ||
	    parse_number(sh_slice(tab + 1, SH_NUMBER_DIGITS), number) < 0 ||
	    line[SH_KEY_LINE - 1] != '\n')
		return -1;
	return 0;
}

void sh_key_print(char *out, uint64_t key, uint32_t number)
{
	sh_print_hex_number(out, key, SH_KEY_DIGITS);
	out[SH_KEY_DIGITS] = '\t';
	sh_print_hex_number(out + SH_KEY_DIGITS + 1, number, SH_NUMBER_DIGITS);
	out[SH_KEY_LINE - 1] = '\n';
}
