/* SPDX-License-Identifier: MIT */
#include "record/fields.h"

#include "base/num.h"
#include "base/real.h"

size_t sh_fields_split(struct sh_slice line, struct sh_slice *fields, size_t max)
{
	const char *p = line.p, *end = line.p + line.n;
	size_t n = 0;

	for (;;) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		const char *stop = tab ? tab : end;

		if (n < max)
			fields[n] = sh_slice(p, (size_t)(stop - p));
		n++;
		if (!tab)
			return n;
		p = tab + 1;
	}
}

int sh_fields_add(struct sh_buf *to, const struct sh_slice *field, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (sh_buf_add(to, field[i].p, field[i].n, err) < 0 ||
		    sh_buf_add(to, i + 1 < n ? "\t" : "\n", 1, err) < 0)
			return -1;
	return 0;
}

int sh_dos_check(struct sh_slice line, struct sh_error *err)
{
	if (line.n == 0 || line.p[line.n - 1] != '\r')
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "carriage return at the end of the line (--crlf removes the CR of DOS line ends)");
}

int sh_id_check(struct sh_slice id, struct sh_error *err)
{
	if (id.n == 0)
		return sh_error_set(err, SH_ERR_RECORD, "empty id");
	if (id.n > SH_ID_MAX)
		return sh_error_set(
		    err, SH_ERR_RECORD, "id of %zu bytes, at most %d", id.n, SH_ID_MAX);
	if (memchr(id.p, '\r', id.n))
		return sh_error_set(err, SH_ERR_RECORD, "carriage return in an id");
	return 0;
}

/* Splits a line into exactly `want` fields. The error names the expected fields. */
static int split(struct sh_slice line, struct sh_slice *f, size_t want, const char *expected,
    struct sh_error *err)
{
	size_t n = sh_fields_split(line, f, want);

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (n != want)
		return sh_error_set(
		    err, SH_ERR_RECORD, "%zu field%s, expected %s", n, n == 1 ? "" : "s", expected);
	return 0;
}

/* Arguments of "%.*s": the first bytes of a field. */
#define SHOWN(s) sh_shown((s), 40), (s).p

int sh_record_feature(struct sh_slice line, struct sh_feature *f, struct sh_error *err)
{
	struct sh_slice v[3];
	double other;
	int bad;

	if (split(line, v, 3, "id<TAB>feature<TAB>weight (shtok makes features of documents)",
		err) < 0 ||
	    sh_id_check(v[0], err) < 0)
		return -1;
	f->id = v[0];
	f->text = v[1];
	bad = sh_parse_weight(v[2], &f->weight);
	if (bad == SH_NUM_MALFORMED && sh_parse_real(v[2], &other) == 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "weight '%.*s': expected digits, and perhaps a point and digits, as in 0.25",
		    SHOWN(v[2]));
	if (bad)
		return sh_error_set(
		    err, SH_ERR_RECORD, "weight '%.*s': %s", SHOWN(v[2]), sh_num_reason(bad));
	if (f->text.n == 0 && f->weight != 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "empty feature with a weight (only weight 0: a document without features)");
	return 0;
}

const char *sh_feature_line(
    struct sh_slice prefix, const char *p, const char *end, struct sh_slice *text, int64_t *weight)
{
	size_t n;

	if ((size_t)(end - p) <= prefix.n || memcmp(p, prefix.p, prefix.n) != 0)
		return NULL;
	p += prefix.n;
	n = sh_field_length(p);
	if (n == 0 || n > SH_ID_MAX || p[n] != '\t')
		return NULL;
	*text = sh_slice(p, n);
	p += n + 1;
	if (p[1] == '\n' && *p >= '0' && *p <= '9') { /* the weights of shtok */
		*weight = (*p - '0') * SH_WEIGHT_ONE;
		return p + 2;
	}
	n = sh_field_length(p);
	if (n > SH_ID_MAX || p[n] != '\n' || sh_parse_weight(sh_slice(p, n), weight) != SH_NUM_OK)
		return NULL;
	return p + n + 1;
}

bool sh_is_like_feature(struct sh_slice line)
{
	struct sh_slice v[3];
	int64_t weight;
	double other;

	line = sh_without_cr(line);
	return sh_fields_split(line, v, 3) == 3 &&
	       (sh_parse_weight(v[2], &weight) != SH_NUM_MALFORMED ||
		   sh_parse_real(v[2], &other) == 0);
}

uint64_t sh_feature_words(struct sh_slice text)
{
	uint64_t words = 1;

	for (size_t i = 0; i < text.n; i++)
		words += text.p[i] == ' ';
	return words;
}

int sh_record_df(struct sh_slice line, struct sh_df_record *r, struct sh_error *err)
{
	struct sh_slice v[3];
	size_t n;
	int bad;

	/* --crlf concerns the input: tables may have either line end. */
	line = sh_without_cr(line);
	n = sh_fields_split(line, v, 3);
	if (n != 2 && (n != 3 || v[0].n > 0))
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu field%s, expected feature<TAB>document frequency", n, n == 1 ? "" : "s");
	r->text = v[0];
	r->words = 0;
	if (n == 3 && (sh_parse_u64(v[2], &r->words) < 0 || r->words == 0))
		return sh_error_set(err, SH_ERR_RECORD,
		    "'%.*s': expected the number of words of the widest feature", SHOWN(v[2]));
	bad = sh_parse_u64(v[1], &r->df);
	if (bad)
		return sh_error_set(err, SH_ERR_RECORD, "document frequency '%.*s': %s",
		    SHOWN(v[1]), sh_num_reason(bad));
	return 0;
}

struct sh_slice sh_record_listed(struct sh_slice line)
{
	struct sh_slice id;

	line = sh_without_cr(line);
	sh_fields_split(line, &id, 1);
	return id;
}

/* Returns whether s looks like a number with a sign, 0x or capitals, or like base64. */
static bool is_other_notation(struct sh_slice s)
{
	bool digits = false;

	if (s.n >= 2 && (s.p[0] == '-' || s.p[s.n - 1] == '=' || memcmp(s.p, "0x", 2) == 0))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		int value = sh_hex_value(s.p[i]);

		if (value < 0)
			return false;
		digits |= value < 10;
	}
	return digits && s.n >= 8;
}

/* Returns whether s has 8, 16, 32 or 64 hexadecimal digits. Few ids have them. */
static bool is_usual_fp(struct sh_slice s)
{
	uint64_t fp[SH_FP_HEX_MAX / 16];

	return s.n >= 8 && s.n <= 64 && (s.n & (s.n - 1)) == 0 && sh_parse_hex(s, fp) == 0;
}

static bool is_decimal(struct sh_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned)sh_hex_value(s.p[i]) >= 10)
			return false;
	return s.n > 0;
}

/* Returns whether s has blanks or characters beyond ASCII. Few ids have them. */
static bool is_text(struct sh_slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ' ' || (unsigned char)s.p[i] >= 0x80)
			return true;
	return false;
}

bool sh_is_like_tagged_fp(struct sh_slice line)
{
	struct sh_fp_record r;
	struct sh_error err;

	return sh_record_fp(sh_without_cr(line), &r, &err) == 0 && r.tag != SH_NO_TAG &&
	       is_usual_fp(r.hex) && !is_decimal(r.hex);
}

/* Returns whether a value of a MinHash signature is likely: the least of many random numbers is
 * small. */
static bool is_like_minimum(struct sh_slice digits)
{
	uint64_t x = 0;

	return sh_parse_hex_number(digits, &x) == 0 && x >= 1 << 10 && x < 1 << 30;
}

/* Returns whether the records look like MinHash signatures rather than fingerprints without tags.
 * One in four values of fingerprints is small. So three quarters of WANTED values are small with
 * probability 4e-9. In a signature of 64-bit values the upper halves are small. */
static bool are_like_signatures(struct sh_slice records)
{
	enum { DIGITS = 8, WANTED = 32, ENOUGH = 4096 };
	uint64_t values = 0, small[2] = { 0, 0 };
	struct sh_slice v[2], last = { 0 };

	for (const char *p = records.p, *end = p + records.n; p < end && values < ENOUGH;) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));
		struct sh_slice line = sh_slice(p, (size_t)((lf ? lf : end) - p));

		p += line.n + 1;
		if (sh_fields_split(line, v, 2) != 2 || v[0].n % (2 * DIGITS) || v[0].n == 0)
			return false;
		/* Copies of one document say nothing new. */
		if (sh_slice_eq(v[0], last))
			continue;
		last = v[0];
		for (size_t i = 0; i < v[0].n; i += DIGITS)
			small[i / DIGITS % 2] += is_like_minimum(sh_slice(v[0].p + i, DIGITS));
		values += v[0].n / DIGITS;
	}
	return (values >= WANTED && 4 * (small[0] + small[1]) >= 3 * values) ||
	       (values / 2 >= WANTED && 4 * small[0] >= 3 * values / 2);
}

const char *sh_record_fp_doubt(struct sh_slice records)
{
	const char *lf = records.n ? memchr(records.p, '\n', records.n) : NULL;
	struct sh_slice line = sh_slice(records.p, lf ? (size_t)(lf - records.p) : records.n), v[2];

	/* A tag leaves no doubt. */
	if (sh_fields_split(sh_without_cr(line), v, 2) != 2)
		return NULL;
	if (is_usual_fp(v[1]) && !is_decimal(v[1]) && (!is_usual_fp(v[0]) || is_decimal(v[0])))
		return "the second field looks like a fingerprint, and the first like an id: they "
		       "are read as fingerprint<TAB>id";
	/* Most fingerprints have a digit from a to f. */
	if (is_decimal(v[0]) && is_text(v[1]))
		return "this looks like a document with a number for an id, and is read as "
		       "fingerprint<TAB>id (shfp makes fingerprints of documents)";
	if (are_like_signatures(records))
		return "these look like MinHash signatures, and are read as fingerprints (shband "
		       "--rows R makes keys of signatures)";
	/* Most numbers of nine hexadecimal digits have a letter. Most fingerprints have a multiple
	 * of 8 digits. Large decimal numbers have 19, 20 or 39 digits. */
	if (v[0].n >= 9 && v[0].n % 8 && is_decimal(v[0]) && *v[0].p != '0')
		return "this looks like a decimal number, and is read as hex (simhash-profiles(7), "
		       "Moving a store, has how to convert it)";
	return NULL;
}

static const char *fp_remedy(struct sh_slice hex, struct sh_slice id)
{
	if (is_other_notation(hex))
		return "simhash-profiles(7), Moving a store, has how to convert others";
	if (is_usual_fp(id))
		return "it is the first field, the id the second";
	return "shfp makes fingerprints of documents";
}

static int parse_fp(
    struct sh_slice hex, struct sh_slice id, struct sh_fp_record *r, struct sh_error *err)
{
	if (hex.n == 0 || hex.n > SH_FP_HEX_MAX)
		return sh_error_set(err, SH_ERR_RECORD,
		    "fingerprint of %zu hex digits, expected 1 to %d", hex.n, SH_FP_HEX_MAX);
	if (sh_parse_hex(hex, r->fp) < 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "fingerprint '%.*s' is not lower-case hex (%s)", SHOWN(hex),
		    fp_remedy(hex, id));
	r->hex = hex;
	r->id = id;
	r->bits = 4 * (unsigned)hex.n;
	return sh_id_check(id, err);
}

static int parse_tag(struct sh_slice text, int *tag, struct sh_error *err)
{
	uint64_t number;

	if (text.n != SH_TAG_DIGITS || sh_parse_hex_number(text, &number) < 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "'%.*s' is not a tag of %d hexadecimal digits, expected behind "
		    "fingerprint<TAB>id "
		    "(shfp makes fingerprints of documents)",
		    SHOWN(text), SH_TAG_DIGITS);
	*tag = (int)number;
	return 0;
}

int sh_record_fp(struct sh_slice line, struct sh_fp_record *r, struct sh_error *err)
{
	struct sh_slice v[3];
	size_t n = sh_fields_split(line, v, 3);

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (n != 2 && n != 3)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu field%s, expected fingerprint<TAB>id, and perhaps a tag (shfp makes "
		    "fingerprints of documents)",
		    n, n == 1 ? "" : "s");
	r->tag = SH_NO_TAG;
	if (parse_fp(v[0], v[1], r, err) < 0)
		return -1;
	return n == 3 ? parse_tag(v[2], &r->tag, err) : 0;
}

int sh_same_width(unsigned *bits, const struct sh_fp_record *r, struct sh_error *err)
{
	if (*bits == 0)
		*bits = r->bits;
	if (*bits != r->bits)
		return sh_error_set(err, SH_ERR_RECORD,
		    "a fingerprint of %u bits among fingerprints of %u bits (shfp -b sets one "
		    "width, -x hex writes it)",
		    r->bits, *bits);
	return 0;
}

int sh_record_band(struct sh_slice line, struct sh_band_record *r, struct sh_error *err)
{
	struct sh_slice v[3];

	if (split(line, v, 3, "key<TAB>fingerprint<TAB>id (shband makes bands of fingerprints)",
		err) < 0)
		return -1;
	r->key = v[0];
	r->of.tag = SH_NO_TAG;
	return parse_fp(v[1], v[2], &r->of, err);
}

/* Parses matched, coverage1, coverage2. The similarity is the greater coverage. */
static int parse_coverage(const struct sh_slice *v, struct sh_pair_record *r, struct sh_error *err)
{
	int64_t coverage[2];
	uint64_t matched;

	if (sh_parse_u64(v[0], &matched) < 0 || sh_parse_weight(v[1], &coverage[0]) < 0 ||
	    sh_parse_weight(v[2], &coverage[1]) < 0 || coverage[0] > SH_WEIGHT_ONE ||
	    coverage[1] > SH_WEIGHT_ONE)
		return sh_error_set(err, SH_ERR_RECORD,
		    "expected id<TAB>id<TAB>matched<TAB>coverage<TAB>coverage, coverages from 0 "
		    "to 1");
	r->coverage = true;
	r->distance = 0;
	r->similarity = coverage[0] > coverage[1] ? coverage[0] : coverage[1];
	return 0;
}

static bool is_measure(struct sh_slice field)
{
	return field.n && field.p[0] >= 'a' && field.p[0] <= 'z';
}

static int parse_distance(struct sh_slice field, int64_t *distance, struct sh_error *err)
{
	uint64_t n;
	int bad;

	if (sh_slice_eq(field, sh_slice_str("-")))
		return 0;
	bad = sh_parse_u64(field, &n);
	if (bad || n > INT64_MAX)
		return sh_error_set(err, SH_ERR_RECORD, "distance '%.*s': %s", SHOWN(field),
		    bad ? sh_num_reason(bad) : "too large");
	*distance = (int64_t)n;
	return 0;
}

/* Parses a similarity and its measure. */
static int parse_similarity(
    const struct sh_slice *v, struct sh_pair_record *r, struct sh_error *err)
{
	int bad = sh_parse_weight(v[0], &r->similarity);

	if (bad)
		bad = sh_parse_rounded(v[0], &r->similarity);
	if (bad || r->similarity > SH_WEIGHT_ONE)
		return sh_error_set(err, SH_ERR_RECORD, "similarity '%.*s': %s", SHOWN(v[0]),
		    bad ? sh_num_reason(bad) : "above 1");
	if (!is_measure(v[1]))
		return sh_error_set(err, SH_ERR_RECORD,
		    "measure '%.*s': expected a name as jaccard (shverify writes it)", SHOWN(v[1]));
	r->measure = v[1];
	return 0;
}

static int parse_group_size(struct sh_slice field, struct sh_error *err)
{
	uint64_t size;
	int bad = sh_parse_u64(field, &size);

	if (bad)
		return sh_error_set(err, SH_ERR_RECORD, "size of the group '%.*s': %s",
		    SHOWN(field), sh_num_reason(bad));
	return 0;
}

int sh_record_pair(struct sh_slice line, struct sh_pair_record *r, struct sh_error *err)
{
	struct sh_slice v[5];
	size_t n = sh_fields_split(line, v, 5);

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (n < 3 || n > 5)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu field%s, expected id<TAB>id<TAB>distance, and perhaps similarity and "
		    "measure (shjoin makes pairs)",
		    n, n == 1 ? "" : "s");
	if (sh_id_check(v[0], err) < 0 || sh_id_check(v[1], err) < 0)
		return -1;
	*r = (struct sh_pair_record){ .id1 = v[0], .id2 = v[1], .distance = -1, .similarity = -1 };
	if (n == 3)
		return parse_distance(v[2], &r->distance, err);
	if (n == 4)
		return parse_similarity(v + 2, r, err);
	if (is_measure(v[4]))
		return parse_distance(v[2], &r->distance, err) < 0
			   ? -1
			   : parse_similarity(v + 3, r, err);
	if (!is_measure(v[3]))
		return parse_coverage(v + 2, r, err);
	return parse_similarity(v + 2, r, err) < 0 ? -1 : parse_group_size(v[4], err);
}
