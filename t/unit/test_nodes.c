/* Nodes: records are grouped by fingerprint, read in blocks, and ordered. */
#include <stdlib.h>

#include "io/source.h"
#include "join/distinct.h"
#include "join/nodes.h"
#include "record/fields.h"
#include "rng.h"
#include "tap.h"

enum { N_MAX = 20000, WORDS_MAX = 3, ID_ROOM = 24 };

static uint64_t fp[N_MAX * WORDS_MAX];
static char id[N_MAX][ID_ROOM];

/* Two at a time. */
static struct sh_slice id_of(const struct sh_nodes *s, uint32_t record)
{
	static char room[2][SH_ID_ROOM];
	static unsigned turn;

	return sh_node_ids_get(&s->ids, record, room[turn++ % 2]);
}

/* n records with about `values` different fingerprints and about `ids` different ids. `narrow`
 * leaves only some bits random, so that first bits are equal. */
static void random_records(size_t n, unsigned words, uint64_t values, uint64_t ids, bool narrow)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t x = rng_below(values);

		for (unsigned w = 0; w < words; w++) {
			uint64_t y = (x + w) * UINT64_C(0x9E3779B97F4A7C15);

			fp[i * words + w] = narrow ? x << 3 : y ^ y >> 29;
		}
		snprintf(id[i], ID_ROOM, "%.*s%llu", (int)(rng_below(14)), "abcdefghijklmn",
		    (unsigned long long)(rng_below(ids)));
	}
}

static bool same_fp(size_t i, size_t j, unsigned words)
{
	return memcmp(fp + i * words, fp + j * words, words * sizeof *fp) == 0;
}

/* Records of a node: all of one fingerprint, ids ascending. Counts them and marks them seen. */
static bool good_node(
    const struct sh_nodes *s, size_t node, bool *seen, size_t *records, unsigned words)
{
	uint32_t n;
	const uint32_t *r = sh_nodes_records(s, &s->who[node], &n);

	for (uint32_t i = 0; i < n; i++) {
		if (seen[r[i]] || !same_fp(r[0], r[i], words) ||
		    memcmp(s->fp + node * words, fp + r[i] * words, words * sizeof *fp) != 0)
			return false;
		if (i && sh_slice_cmp(id_of(s, r[i - 1]), id_of(s, r[i])) >= 0)
			return false;
		if (!sh_slice_eq(id_of(s, r[i]), sh_slice_str(id[r[i]])))
			return false;
		seen[r[i]] = true;
	}
	*records += n;
	return n > 0;
}

static int by_value(const void *a, const void *b, void *words)
{
	size_t n = *(const unsigned *)words;
	const uint64_t *x = fp + *(const uint32_t *)a * n, *y = fp + *(const uint32_t *)b * n;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return strcmp(id[*(const uint32_t *)a], id[*(const uint32_t *)b]);
}

/* How many fingerprints are distinct, and how many records repeat both. */
static size_t oracle(size_t n, unsigned words, size_t *repeated)
{
	static uint32_t order[N_MAX];
	size_t distinct = n > 0;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof *order, by_value, &words);
	*repeated = 0;
	for (size_t i = 1; i < n; i++) {
		bool same = same_fp(order[i - 1], order[i], words);

		distinct += !same;
		*repeated += same && strcmp(id[order[i - 1]], id[order[i]]) == 0;
	}
	return distinct;
}

static bool sorted(const struct sh_nodes *s)
{
	for (size_t i = 1; i < s->n; i++) {
		const uint64_t *x = s->fp + (i - 1) * s->words, *y = x + s->words;
		unsigned w = 0;

		while (w + 1 < s->words && x[w] == y[w])
			w++;
		if (x[w] >= y[w])
			return false;
	}
	return true;
}

static bool check(struct sh_nodes *s, size_t n, unsigned words)
{
	static bool seen[N_MAX];
	size_t records = 0, repeated, distinct = oracle(n, words, &repeated);
	struct sh_error err;
	bool good = sh_nodes_close(s, &err) == 0;

	for (int turn = 0; good && turn < 2; turn++) {
		records = 0;
		memset(seen, 0, sizeof seen);
		for (size_t i = 0; i < s->n; i++)
			good &= good_node(s, i, seen, &records, words);
		good &= s->n == distinct && s->repeated == repeated && records + repeated == n;
		if (turn == 0)
			good &= sh_nodes_sort(s, &err) == 0;
		else
			good &= sorted(s);
	}
	if (!good)
		printf("# %zu records of %u words: %zu nodes, expected %zu; %zu + %zu of them\n", n,
		    words, s->n, distinct, records, (size_t)s->repeated);
	return good;
}

static bool random_case(struct sh_nodes *s, unsigned words, size_t n)
{
	struct sh_error err;

	random_records(n, words, 1 + rng_below(2 * n + 1), 1 + rng_below(2 * n + 1), rng_below(2));
	sh_nodes_clear(s);
	s->threads = 1 + (unsigned)rng_below(4);
	for (size_t i = 0; i < n; i++)
		if (sh_nodes_add(s, fp + i * words, sh_slice_str(id[i]), &err) < 0)
			return false;
	return check(s, n, words);
}

static void random_cases(unsigned words)
{
	struct sh_side room = { 0 };
	struct sh_nodes s;
	struct sh_error err;
	bool good = sh_nodes_init(&s, words, &room, &err) == 0;

	for (int i = 0; good && i < 300; i++)
		good = random_case(&s, words, rng_below(i % 50 == 0 ? N_MAX : 600));
	ok(good, "%u words: nodes and their ids equal the nodes of an oracle, then in order",
	    words);
	sh_nodes_free(&s);
	sh_side_free(&room);
}

/* ---- several threads ---------------------------------------------------------- */

static bool same_nodes(const struct sh_nodes *s, const struct sh_nodes *t)
{
	size_t members = s->groups ? s->group_at[s->groups] : 0;

	return s->n == t->n && s->groups == t->groups && s->repeated == t->repeated &&
	       memcmp(s->fp, t->fp, s->n * s->words * sizeof *s->fp) == 0 &&
	       memcmp(s->who, t->who, s->n * sizeof *s->who) == 0 &&
	       (!s->groups ||
		   (memcmp(s->group_at, t->group_at, (s->groups + 1) * sizeof *s->group_at) == 0 &&
		       memcmp(s->member, t->member, members * sizeof *s->member) == 0));
}

static bool add_all(struct sh_nodes *s, size_t n, uint64_t values, uint64_t ids)
{
	struct sh_error err;

	for (size_t i = 0; i < n; i++) {
		char text[ID_ROOM];
		uint64_t x = i * 7919 % values, words[WORDS_MAX];
		int len = sprintf(text, "id%llu", (unsigned long long)(i * 104729 % ids));

		for (unsigned w = 0; w < WORDS_MAX; w++)
			words[w] = (x + w) * UINT64_C(0xD1B54A32D192ED03);
		if (sh_nodes_add(s, words, sh_slice(text, (size_t)len), &err) < 0)
			return false;
	}
	return true;
}

/* Makes n records with this number of different fingerprints and ids. */
static bool large_case(unsigned words, size_t n, uint64_t values, uint64_t ids)
{
	struct sh_side room = { 0 };
	struct sh_nodes s[2];
	struct sh_error err;
	bool good = true;

	for (int i = 0; i < 2; i++) {
		good &= sh_nodes_init(&s[i], words, &room, &err) == 0;
		s[i].threads = i ? 4 : 1;
		good = good && add_all(&s[i], n, values, ids) && sh_nodes_close(&s[i], &err) == 0;
	}
	good = good && same_nodes(&s[0], &s[1]) && s[0].n == values;
	for (int i = 0; i < 2; i++)
		good &= sh_nodes_sort(&s[i], &err) == 0 && sorted(&s[i]);
	good = good && same_nodes(&s[0], &s[1]);
	sh_nodes_free(&s[0]);
	sh_nodes_free(&s[1]);
	sh_side_free(&room);
	return good;
}

static void large_cases(unsigned words)
{
	size_t n = SH_SIDE_CACHED + 50000;

	ok(large_case(words, n, 100000, n), "%u words: four threads give the nodes of one", words);
	ok(large_case(words, n, 3000, n / 2 + 1),
	    "four threads give the nodes of one, for large groups with repeated ids");
	ok(large_case(words, n, 1, n), "four threads give the nodes of one, for one fingerprint");
	ok(large_case(words, n, 1, n / 3),
	    "four threads give the nodes of one, for one fingerprint with repeated ids");
}

/* ---- chunks of lines --------------------------------------------------------- */

/* Lines most of which have the usual form; the errors of the others are random. */
static size_t write_lines(char *text, size_t n, unsigned digits, int tag)
{
	static const char *const wrong[] = { "", "\t", "0123", "\tid", "x\tid\tmore", "\r",
		" \tid" };
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned dice = (unsigned)(rng_below(60));

		for (unsigned d = 0; dice > 2 && d < digits; d++)
			text[at++] = "0123456789abcdef"[rng_below(16)];
		if (dice < 10) {
			at += (size_t)sprintf(text + at, "%s\n", wrong[rng_below(7)]);
			continue;
		}
		at += (size_t)sprintf(
		    text + at, "\t%.*s", (int)(rng_below(20)), "some long id, or \xff\x80 none");
		if ((tag != SH_NO_TAG) != (dice == 11))
			at += (size_t)sprintf(
			    text + at, "\t%04x", (unsigned)(tag + (dice == 12)) & 0xffff);
		at += (size_t)sprintf(text + at, "%s\n", dice == 10 ? "\r" : "");
	}
	return at;
}

static struct sh_buf packed;

/* Each consumed record equals the result of sh_record_fp(); at each other line it fails, or the
 * text ends. */
static bool take_case(struct sh_nodes *s, unsigned digits, size_t *total)
{
	static char text[100000];
	unsigned words = SH_FP_WORDS(4 * digits);
	int tag = rng_below(2) ? SH_NO_TAG : (int)rng_below(0xffff);
	struct sh_fp_form form = sh_fp_form(digits, tag);
	size_t n = write_lines(text, rng_below(200), digits, tag), at;
	const char *p = text, *end = text + n, *lf;
	struct sh_fp_chunk *c;
	struct sh_error err;
	struct sh_fp_record r;
	uint64_t lines;

	memset(text + n, 'x', SH_PAD);
	sh_nodes_clear(s);
	c = sh_fp_chunk_new(&packed, digits, n, &err);
	if (!c || sh_fp_chunk_of(&packed) != c)
		return false;
	for (size_t taken = 0; p < end; p = lf + 1) {
		p = sh_fp_chunk_add_lines(c, p, end, &form, &lines);
		taken += lines;
		if (c->n != taken)
			return false;
		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf)
			break;
		if (sh_record_fp(sh_slice(p, (size_t)(lf - p)), &r, &err) == 0 &&
		    r.bits == 4 * digits && r.tag == tag)
			return false;
	}
	for (at = 0; at < c->n;) {
		size_t some = 1 + rng_below(c->n - at);

		if (sh_nodes_append(s, c, at, some, &err) < 0)
			return false;
		at += some;
	}
	/* sh_record_fp() reads the records. */
	at = 0;
	for (p = text; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (sh_record_fp(sh_slice(p, (size_t)(lf - p)), &r, &err) < 0 ||
		    r.bits != 4 * digits || r.tag != tag)
			continue;
		if (at == s->records || memcmp(r.fp, s->fp + at * words, 8 * words) != 0 ||
		    !sh_slice_eq(r.id, id_of(s, (uint32_t)at)))
			return false;
		at++;
	}
	*total += at;
	return at == s->records;
}

static void take_cases(unsigned digits)
{
	struct sh_side room = { 0 };
	struct sh_nodes s;
	struct sh_error err;
	size_t total = 0;
	bool good = sh_nodes_init(&s, SH_FP_WORDS(4 * digits), &room, &err) == 0;

	for (int i = 0; good && i < 2000; i++)
		good = take_case(&s, digits, &total);
	ok(good && total > 1000, "%u digits: a chunk of lines gives the records of single lines",
	    digits);
	sh_nodes_free(&s);
	sh_side_free(&room);
}

/* Chunk after chunk, until places of ids have several bases; also one record at a time between. */
static void take_many(unsigned digits)
{
	struct sh_side room = { 0 };
	struct sh_nodes s;
	struct sh_error err;
	bool good = sh_nodes_init(&s, SH_FP_WORDS(4 * digits), &room, &err) == 0;
	struct sh_fp_form form = sh_fp_form(digits, SH_NO_TAG);
	size_t n = 0, wrong = 0;

	while (good && n < 4 * SH_NODE_IDS_STRIDE) {
		static char text[1000 * (SH_FP_HEX_MAX + 20) + SH_PAD];
		size_t at = 0, more = rng_below(1000);
		struct sh_fp_chunk *c;
		uint64_t lines;

		if (rng_below(4) == 0) {
			const uint64_t zero[SH_FP_MAX_WORDS] = { 0 };

			at = (size_t)sprintf(text, "id%zu", n);
			good = sh_nodes_add(&s, zero, sh_slice(text, at), &err) == 0;
			n++;
			continue;
		}
		for (size_t i = 0; i < more; i++)
			at +=
			    (size_t)sprintf(text + at, "%0*zx\tid%zu\n", (int)digits, n + i, n + i);
		c = sh_fp_chunk_new(&packed, digits, at, &err);
		good = c && sh_fp_chunk_add_lines(c, text, text + at, &form, &lines) == text + at &&
		       lines == more && sh_nodes_append(&s, c, 0, more, &err) == 0;
		n += more;
	}
	for (size_t i = 0; good && i < n; i++) {
		char want[24];

		sprintf(want, "id%zu", i);
		wrong += !sh_slice_eq(id_of(&s, (uint32_t)i), sh_slice_str(want));
	}
	ok(good && s.records == n && wrong == 0, "%u digits: %zu ids are read from many chunks",
	    digits, n);
	sh_nodes_free(&s);
	sh_side_free(&room);
}

/* ---- ids ----------------------------------------------------------------------- */

/* The kinds of ids in pipelines. */
enum kind {
	COUNTED,
	WITH_GAPS,
	DESCENDING,
	ANY_NUMBER,
	ZEROS_BEFORE,
	HUGE,
	LONGER,
	TEXT,
	MIXED,
	KINDS,
};

static size_t write_id(char *to, enum kind kind, uint64_t first, size_t i)
{
	static uint64_t gaps;

	switch (kind) {
	case COUNTED:
		return (size_t)sprintf(to, "%llu", (unsigned long long)(first + i));
	case WITH_GAPS:
		gaps = i ? gaps + (rng_below(500) == 0) : 0;
		return (size_t)sprintf(to, "%llu", (unsigned long long)(first + i + gaps));
	case DESCENDING:
		return (size_t)sprintf(to, "%llu", (unsigned long long)(first + 1000000 - i));
	case ANY_NUMBER:
		return (size_t)sprintf(to, "%llu", (unsigned long long)(rng() >> rng_below(64)));
	case ZEROS_BEFORE:
		return (size_t)sprintf(
		    to, "%0*llu", (int)(2 + i % 20), (unsigned long long)(first % 10000 + i));
	case HUGE:
		return (size_t)sprintf(
		    to, "%u%020llu", 1 + (unsigned)rng_below(9), (unsigned long long)(first + i));
	case LONGER:
		return (size_t)sprintf(
		    to, "%llu%u", (unsigned long long)(first + i), (unsigned)rng_below(10));
	case TEXT:
		return (size_t)sprintf(
		    to, "%.*s%u", (int)rng_below(9), "9/:text\xff", (unsigned)rng_below(1000));
	default:
		return write_id(
		    to, rng_below(500) ? WITH_GAPS : (enum kind)rng_below(TEXT + 1), first, i);
	}
}

enum { IDS = 3 * SH_NODE_IDS_STRIDE + 1000, ID_MOST = 40 };

static struct {
	char text[ID_MOST];
	size_t n;
} given[IDS];

static uint64_t first_number(void)
{
	static const uint64_t near[] = { 0, 9990, 99999000, UINT32_MAX - UINT64_C(6000),
		SH_NODE_IDS_LIMIT - 6000 };

	return rng_below(3) ? near[rng_below(5)] : rng() >> (5 + rng_below(58));
}

/* Adds the ids up to n in a chunk, or one by one. */
static bool give_ids(struct sh_nodes *s, size_t n, bool in_chunk)
{
	const uint64_t zero = 0;
	struct sh_error err;
	struct sh_fp_chunk *c =
	    sh_fp_chunk_new(&packed, 16, (n - s->records) * (17 + ID_MOST), &err);

	for (size_t i = s->records; c && i < n; i++) {
		struct sh_slice one = sh_slice(given[i].text, given[i].n);

		if (in_chunk)
			sh_fp_chunk_add(c, &zero, one);
		else if (sh_nodes_add(s, &zero, one, &err) < 0)
			return false;
	}
	return c && sh_nodes_append(s, c, 0, c->n, &err) == 0 && s->records == n;
}

static size_t wrong_ids(const struct sh_nodes *s)
{
	size_t wrong = 0;

	for (size_t i = 0; i < s->records; i++)
		wrong += !sh_slice_eq(id_of(s, (uint32_t)i), sh_slice(given[i].text, given[i].n));
	return wrong;
}

/* *spelled counts the sets whose ids were. */
static bool ids_case(struct sh_nodes *s, enum kind kind, size_t *spelled)
{
	uint64_t first = first_number();
	size_t n = 1 + rng_below(IDS), wrong;
	bool good = true, chunks = rng_below(4);

	sh_nodes_clear(s);
	for (size_t i = 0; i < n; i++)
		given[i].n = write_id(given[i].text, kind, first, i);
	while (good && s->records < n) {
		size_t more = 1 + rng_below(1000), left = n - s->records;

		more = more < left ? more : left;
		good = give_ids(s, s->records + more, chunks && rng_below(8));
	}
	wrong = wrong_ids(s);
	s->ids.roomy = rng_below(2);
	sh_node_ids_make_words(&s->ids);
	*spelled += s->ids.word != NULL;
	good &= wrong == 0 && wrong_ids(s) == 0 && (!s->ids.word || s->ids.roomy);
	if (!good)
		printf("# ids of kind %d from %llu on: %zu of %zu wrong, %zu there\n", (int)kind,
		    (unsigned long long)first, wrong, n, s->records);
	return good;
}

static void ids_come_back(void)
{
	struct sh_side room = { 0 };
	struct sh_nodes s;
	struct sh_error err;
	size_t spelled = 0;
	bool good = sh_nodes_init(&s, 1, &room, &err) == 0;

	for (int i = 0; good && i < 40 * KINDS; i++)
		good = ids_case(&s, (enum kind)(i % KINDS), &spelled);
	ok(good && spelled > 0, "numbers and text: each id is returned unchanged");
	sh_nodes_free(&s);
	sh_side_free(&room);
}

/* Consecutive numbers are stored as one number. */
static void counted_take_no_room(void)
{
	struct sh_side room = { 0 };
	struct sh_nodes s;
	struct sh_error err;
	bool good = sh_nodes_init(&s, 1, &room, &err) == 0;

	for (size_t i = 0; i < IDS; i++)
		given[i].n = write_id(given[i].text, COUNTED, 99990, i);
	while (good && s.records < IDS)
		good =
		    give_ids(&s, s.records + (IDS - s.records < 900 ? IDS - s.records : 900), true);
	ok(good && wrong_ids(&s) == 0 && s.ids.at_cap == 0 && s.ids.text.n == 0,
	    "consecutive numbers as ids need no memory each");
	sh_nodes_free(&s);
	sh_side_free(&room);
}

int main(void)
{
	rng_init(0x4E0DE5);
	for (unsigned words = 1; words <= WORDS_MAX; words++)
		random_cases(words);
	large_cases(1);
	large_cases(2);
	take_cases(16);
	take_cases(32);
	take_cases(7);
	take_many(16);
	take_many(32);
	ids_come_back();
	counted_take_no_room();
	sh_buf_free(&packed);
	return done_testing();
}
