/* SPDX-License-Identifier: MIT */
/* seomoz/simhash-cpp: t/vectors/seomoz_*.tsv. */
#include "band/band.h"
#include "base/bytes.h"
#include "base/num.h"
#include "fp/simhash.h"
#include "vectors.h"

static void test_texts(void)
{
	struct vec_table t = vec_load("seomoz_legacy_hash_text.tsv");

	vec_check_both("seomoz_legacy_hash_text", &t, 0, 1, "seomoz", "2>/dev/null", NULL);
}

static void test_compute(void)
{
	struct vec_table t = vec_load("seomoz_compute.tsv");
	struct sh_simhash s;
	struct sh_error err;

	if (sh_simhash_init(&s, 64, 0, &err) < 0)
		return;
	for (size_t i = 0; i < t.n; i++) {
		char *rest = t.row[i].f[0], *hex;
		uint64_t h, got;

		sh_simhash_clear(&s);
		while ((hex = strsep(&rest, " "))) {
			h = strtoull(hex, NULL, 16);
			if (*hex && sh_simhash_add_units(&s, &h, 1, &err) < 0)
				printf("# %s\n", err.text);
		}
		sh_simhash_finish(&s, &got);
		ok(got == strtoull(t.row[i].f[1], NULL, 16), "compute: %s", t.row[i].f[1]);
	}
}

/* The rolling window: after each push its value is h = rotl(h, 1) ^ x over the last numbers pushed,
 * as in the hash of an n-gram (hash.h, seomoz). */
static void test_cyclic(void)
{
	struct vec_table t = vec_load("seomoz_cyclic.tsv");

	for (size_t i = 0; i < t.n; i++) {
		size_t window = strtoul(t.row[i].f[0], NULL, 10), n = 0;
		char *pushes = t.row[i].f[1], *currents = t.row[i].f[2], *push, *want;
		uint64_t x[64];

		while ((push = strsep(&pushes, " ")) && (want = strsep(&currents, " ")) && n < 64) {
			uint64_t h = 0;

			x[n++] = strtoull(push, NULL, 16);
			for (size_t j = n > window ? n - window : 0; j < n; j++)
				h = sh_rotl64(h, 1) ^ x[j];
			ok(h == strtoull(want, NULL, 16), "window %zu, push %zu", window, n);
		}
	}
}

/* ---- permutations: the tables of band.h, their blocks counted from the low end ---- */

struct permutation {
	unsigned width[64], low[64], n;
	uint64_t mask;
};

static void make_permutation(
    struct permutation *p, const struct sh_band *b, const struct sh_band_table *t, unsigned m)
{
	unsigned order[64], chosen = 0, top = 0;

	p->n = 0;
	for (unsigned i = 0; i < b->chosen; i++)
		order[p->n++] = t->block[i];
	for (unsigned i = 0; i < m; i++) {
		bool taken = chosen < b->chosen && t->block[chosen] == i;

		chosen += taken;
		if (!taken)
			order[p->n++] = i;
	}
	for (unsigned i = 0; i < m; i++) {
		p->low[i] = 64 * order[i] / m;
		p->width[i] = 64 * (order[i] + 1) / m - p->low[i];
		top += i < b->chosen ? p->width[i] : 0;
	}
	p->mask = top < 64 ? ~(UINT64_MAX >> top) : UINT64_MAX;
}

static uint64_t apply(const struct permutation *p, uint64_t x)
{
	uint64_t fp[2] = { x, 0 }, out = 0;

	for (unsigned i = 0; i < p->n; i++) {
		/* Bit 0 of a fingerprint is the most significant. */
		uint64_t bits = sh_fp_bits(fp, 64 - p->low[i] - p->width[i], p->width[i]);

		out = (p->width[i] < 64 ? out << p->width[i] : 0) | bits;
	}
	return out;
}

static void test_permutations(void)
{
	static const uint64_t input[] = { UINT64_C(0x0123456789abcdef),
		UINT64_C(0xdeadbeefcafebabe), 1, UINT64_C(1) << 63, UINT64_C(0xffff000000000000) };
	struct vec_table t = vec_load("seomoz_permutations.tsv");

	for (size_t i = 0; i < t.n; i++) {
		unsigned m = (unsigned)strtoul(t.row[i].f[0], NULL, 10);
		unsigned d = (unsigned)strtoul(t.row[i].f[1], NULL, 10);
		struct sh_band b;
		struct sh_band_table room;
		struct permutation p;
		struct sh_error err;
		bool good;

		if (sh_band_init(&b, 64, d, m, &err) < 0) {
			ok(false, "blocks %u distance %u: %s", m, d, err.text);
			continue;
		}
		good = b.tables == strtoul(t.row[i].f[2], NULL, 10);
		make_permutation(&p, &b,
		    sh_band_table(&b, (uint32_t)strtoul(t.row[i].f[3], NULL, 10), &room), m);
		good = good && p.mask == strtoull(t.row[i].f[4], NULL, 16);
		for (int j = 0; j < 5; j++)
			good = good && apply(&p, input[j]) == strtoull(t.row[i].f[5 + j], NULL, 16);
		ok(good, "blocks %u distance %u table %s", m, d, t.row[i].f[3]);
		sh_band_free(&b);
	}
}

/* ---- find_all and clusters, by the programs ---- */

/* The lines of a command's output, joined by the separator. */
static char *lines_of(const char *command, const char *separator)
{
	char *out = vec_need(calloc(1, 1 << 16)), line[4096];
	FILE *f;

	fflush(stdout);
	f = vec_need(popen(command, "r"));
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*out)
			strcat(out, separator);
		strcat(out, line);
	}
	if (pclose(f) != 0)
		printf("# failed: %s\n", command);
	return out;
}

static char *trimmed(char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == ' ')
		s[--n] = '\0';
	return s;
}

/* Both lists in the vectors are in order of the numbers; ids are the numbers in full width. */
static const char pairs[] =
    "sort | sed 's/^0*//; s/\\t0*/\\t/g; s/^\\t/0\\t/; s/\\t\\t/\\t0\\t/' | "
    "awk '{ print $1 \",\" $2 }'";
static const char clusters[] =
    "awk '{ m[$2] = m[$2] \" \" $1; if (!($2 in seen)) { seen[$2] = 1; o[n++] = $2 } } "
    "END { for (i = 0; i < n; i++) print substr(m[o[i]], 2) }' | "
    "sed 's/\\<0*\\([0-9a-f]\\)/\\1/g'";

static void test_find_all(void)
{
	struct vec_table t = vec_load("seomoz_find_all.tsv");

	for (size_t i = 0; i < t.n; i++) {
		const char *d = t.row[i].f[1];
		char *blocks = t.row[i].f[2], *rest = t.row[i].f[3], *hex, *m, command[4096],
		     name[32];
		char *want = trimmed(t.row[i].f[4]), *want_clusters = trimmed(t.row[i].f[5]);
		FILE *f = vec_input(name);

		while ((hex = strsep(&rest, " ")))
			if (*hex)
				fprintf(f, "%016llx\t%016llx\n", strtoull(hex, NULL, 16),
				    strtoull(hex, NULL, 16));
		fclose(f);
		while ((m = strsep(&blocks, " "))) {
			if (!*m)
				continue;
			snprintf(command, sizeof command,
			    "PATH=\"$SHBIN:$PATH\" LC_ALL=C; export PATH LC_ALL; shband -k %s -M "
			    "%s "
			    "%s | sort | shjoin -k %s | %s",
			    d, m, name, d, pairs);
			ok(strcmp(lines_of(command, " "), want) == 0,
			    "find_all row %zu, %s blocks, distance %s: pairs", i + 2, m, d);
			snprintf(command, sizeof command,
			    "PATH=\"$SHBIN:$PATH\" LC_ALL=C; export PATH LC_ALL; shband -k %s -M "
			    "%s "
			    "%s | sort | shjoin -k %s | shgroup --link single | sort | %s",
			    d, m, name, d, clusters);
			ok(strcmp(lines_of(command, " ; "), want_clusters) == 0,
			    "find_all row %zu, %s blocks, distance %s: clusters", i + 2, m, d);
		}
		unlink(name);
	}
}

int main(void)
{
	test_texts();
	test_compute();
	test_cyclic();
	test_permutations();
	test_find_all();
	return done_testing();
}
