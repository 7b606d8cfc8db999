#include "join/signatures.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/num.h"
#include "hash/mix.h"
#include "record/fields.h"

/* A signature in the bucket of a band. */
struct posting {
	uint64_t key;
	uint32_t at; /* number of the signature */
	uint32_t side;
};

struct join {
	const struct sh_signature_join *opts;
	struct sh_signatures *side[2];
	struct posting *posting;
	size_t n;
};

/* ---- the set ---- */

static int read_values(
    struct sh_signatures *s, struct sh_slice hex, uint32_t *value, struct sh_error *err)
{
	for (unsigned i = 0; i < s->values; i++) {
		struct sh_slice digits =
		    sh_slice(hex.p + i * SH_SIGNATURE_VALUE_DIGITS, SH_SIGNATURE_VALUE_DIGITS);
		uint64_t x;

		if (sh_parse_hex_number(digits, &x) != SH_NUM_OK)
			return sh_error_set(err, SH_ERR_RECORD,
			    "value %u of the signature, '%.*s', is not lower-case hexadecimal",
			    i + 1, SH_SIGNATURE_VALUE_DIGITS, digits.p);
		value[i] = (uint32_t)x;
	}
	return 0;
}

static int check_width(struct sh_signatures *s, size_t digits, struct sh_error *err)
{
	size_t values = digits / SH_SIGNATURE_VALUE_DIGITS;

	if (digits == 0 || digits % SH_SIGNATURE_VALUE_DIGITS || values > SH_SIGNATURE_VALUES_MAX)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a signature of %zu digits, expected %d digits for each of 1 to %d values "
		    "(shfp --permutations)",
		    digits, SH_SIGNATURE_VALUE_DIGITS, SH_SIGNATURE_VALUES_MAX);
	if (s->values && s->values != values)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a signature of %zu values, expected %u values as in the records before it",
		    values, s->values);
	s->values = (unsigned)values;
	return 0;
}

int sh_signatures_add(struct sh_signatures *s, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice f[2];
	size_t fields = sh_fields_split(line, f, 2);

	if (fields != 2)
		return sh_error_set(err, SH_ERR_RECORD, "%zu field%s, expected signature<TAB>id",
		    fields, fields == 1 ? "" : "s");
	if (sh_id_check(f[1], err) < 0 || check_width(s, f[0].n, err) < 0)
		return -1;
	if (s->n == UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %u signatures", UINT32_MAX);
	if (SH_RESERVE(s->value, s->value_cap, (s->n + 1) * s->values, err) < 0 ||
	    SH_RESERVE(s->id_end, s->id_cap, s->n + 1, err) < 0 ||
	    read_values(s, f[0], s->value + s->n * s->values, err) < 0 ||
	    sh_buf_add(&s->ids, f[1].p, f[1].n, err) < 0)
		return -1;
	s->id_end[s->n++] = s->ids.n;
	return 0;
}

void sh_signatures_free(struct sh_signatures *s)
{
	free(s->value);
	free(s->id_end);
	free(s->copy);
	sh_buf_free(&s->ids);
}

static struct sh_slice id_of(const struct sh_signatures *s, size_t i)
{
	size_t from = i ? s->id_end[i - 1] : 0;

	return sh_slice(s->ids.p + from, s->id_end[i] - from);
}

static const uint32_t *values_of(const struct sh_signatures *s, size_t i)
{
	return s->value + i * s->values;
}

/* ---- buckets ---- */

static int by_key(const void *x, const void *y)
{
	const struct posting *a = x, *b = y;

	if (a->key != b->key)
		return sh_compare(a->key, b->key);
	return a->side != b->side ? sh_compare(a->side, b->side) : sh_compare(a->at, b->at);
}

/* Fills and sorts the postings by the values from .. from+n-1. Leaves out copies. */
static void fill(struct join *j, unsigned from, unsigned n)
{
	j->n = 0;
	for (uint32_t side = 0; side < 2 && j->side[side]; side++) {
		const struct sh_signatures *s = j->side[side];

		for (uint32_t i = 0; i < s->n; i++) {
			const uint32_t *value = values_of(s, i) + from;
			uint64_t key = 0;

			if (s->copy && s->copy[i])
				continue;
			for (unsigned k = 0; k < n; k++)
				key = sh_mix_moremur(key ^ value[k]) + 1;
			j->posting[j->n++] = (struct posting){ key, i, side };
		}
	}
	qsort(j->posting, j->n, sizeof *j->posting, by_key);
}

/* Returns the end of the bucket that begins at posting `from`. */
static size_t bucket_end(const struct join *j, size_t from)
{
	size_t to = from + 1;

	while (to < j->n && j->posting[to].key == j->posting[from].key)
		to++;
	return to;
}

/* ---- pairs ---- */

static bool agree(const uint32_t *x, const uint32_t *y, unsigned band, unsigned rows)
{
	return memcmp(x + band * rows, y + band * rows, rows * sizeof *x) == 0;
}

static int write_pair(const struct join *j, struct sh_slice id1, struct sh_slice id2,
    unsigned differ, struct sh_error *err)
{
	int order = j->side[1] ? -1 : sh_slice_cmp(id1, id2);

	if (order == 0)
		return 0;
	return order < 0 ? j->opts->pair(j->opts->out, id1, id2, differ, err)
			 : j->opts->pair(j->opts->out, id2, id1, differ, err);
}

/* Compares two signatures of one bucket. */
static int compare(const struct join *j, const struct posting *p, const struct posting *q,
    unsigned band, struct sh_error *err)
{
	const struct sh_signatures *a = j->side[p->side], *b = j->side[q->side];
	const uint32_t *x = values_of(a, p->at), *y = values_of(b, q->at);
	unsigned rows = j->opts->rows, differ = 0;

	if (!agree(x, y, band, rows))
		return 0;
	for (unsigned earlier = 0; earlier < band; earlier++)
		if (agree(x, y, earlier, rows))
			return 0;
	for (unsigned i = 0; i < a->values; i++)
		differ += x[i] != y[i];
	if (differ > j->opts->most)
		return 0;
	return write_pair(j, id_of(a, p->at), id_of(b, q->at), differ, err);
}

static int join_bucket(
    const struct join *j, size_t from, size_t to, unsigned band, struct sh_error *err)
{
	for (size_t p = from; p < to; p++)
		for (size_t q = p + 1; q < to; q++)
			if (j->posting[p].side == 0 && j->posting[q].side == (j->side[1] != NULL) &&
			    compare(j, &j->posting[p], &j->posting[q], band, err) < 0)
				return -1;
	return 0;
}

/* ---- collapse ---- */

/* Leaves out the signatures of a bucket that equal the one with the smallest id, and pairs them
 * with it. */
static int collapse_bucket(
    struct join *j, size_t from, size_t to, struct sh_signatures *s, struct sh_error *err)
{
	size_t bytes = s->values * sizeof *s->value, first = j->posting[from].at;

	for (size_t p = from + 1; p < to; p++)
		if (sh_slice_cmp(id_of(s, j->posting[p].at), id_of(s, first)) < 0)
			first = j->posting[p].at;
	for (size_t p = from; p < to; p++) {
		size_t at = j->posting[p].at;

		if (at == first || memcmp(values_of(s, at), values_of(s, first), bytes) != 0)
			continue;
		s->copy[at] = true;
		if (!j->side[1] && write_pair(j, id_of(s, first), id_of(s, at), 0, err) < 0)
			return -1;
	}
	return 0;
}

static int collapse(struct join *j, struct sh_error *err)
{
	struct sh_signatures *s = j->side[j->side[1] != NULL];
	struct join of = *j;

	s->copy = calloc(s->n + 1, sizeof *s->copy);
	if (!s->copy)
		return sh_error_nomem(err);
	of.side[0] = s;
	of.side[1] = NULL;
	fill(&of, 0, s->values);
	of.side[1] = j->side[1];
	for (size_t at = 0, end; at < of.n; at = end) {
		end = bucket_end(&of, at);
		if (collapse_bucket(&of, at, end, s, err) < 0)
			return -1;
	}
	return 0;
}

static int join_bands(struct join *j, struct sh_error *err)
{
	if (j->opts->collapse && collapse(j, err) < 0)
		return -1;
	for (unsigned band = 0; band < j->opts->bands; band++) {
		fill(j, band * j->opts->rows, j->opts->rows);
		for (size_t at = 0, end; at < j->n; at = end) {
			end = bucket_end(j, at);
			if (join_bucket(j, at, end, band, err) < 0)
				return -1;
		}
	}
	return 0;
}

int sh_signatures_join(const struct sh_signature_join *opts, struct sh_signatures *a,
    struct sh_signatures *b, struct sh_error *err)
{
	struct join j = { .opts = opts, .side = { a, b } };
	int status;

	if (a->n == 0 || (b && b->n == 0))
		return 0;
	if (b && a->values != b->values)
		return sh_error_set(err, SH_ERR_PARAM,
		    "signatures of %u and of %u values: expected one width", a->values, b->values);
	if ((uint64_t)opts->rows * opts->bands > a->values)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u bands of %u rows are more than the %u values of a signature", opts->bands,
		    opts->rows, a->values);
	j.posting = calloc(a->n + (b ? b->n : 0), sizeof *j.posting);
	if (!j.posting)
		return sh_error_nomem(err);
	status = join_bands(&j, err);
	free(j.posting);
	return status;
}
