/* SPDX-License-Identifier: MIT */
/* ClickHouse's ngramSimHash and wordShingleSimHash: t/vectors/clickhouse_simhash.tsv. */
#include "published/rules.h"
#include "vectors.h"

/* A column is named FUNCTION/SIZE; three sizes of one function are adjacent. */
static const char *const sizes[] = { "2", "3", "5" };
static const char *const profiles[] = {
	"clickhouse-ngram",
	"clickhouse-ngram-ci",
	"clickhouse-ngram-utf8",
	"clickhouse-ngram-utf8-ci",
	"clickhouse-word",
	"clickhouse-word-ci",
	"clickhouse-word-utf8",
	"clickhouse-word-utf8-ci",
};

static void test_texts(void)
{
	struct vec_table t = vec_load("clickhouse_simhash.tsv");

	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < 3; j++) {
			char options[64], pipe[256];
			unsigned column = 1 + 3 * i + j;

			snprintf(options, sizeof options, "shfp -p %s -n %s -x dec", profiles[i],
			    sizes[j]);
			vec_check(profiles[i], &t, 0, column, options, NULL);
			snprintf(pipe, sizeof pipe,
			    "shtok -p %s -n %s | shweight -p %s | shfp --features -p %s -x dec",
			    profiles[i], sizes[j], profiles[i], profiles[i]);
			vec_check(profiles[i], &t, 0, column, pipe, NULL);
		}
}

/* The usual check value of CRC-32C is inverted at the end. */
static void test_crc(void)
{
	uint32_t half = sh_crc32c(SH_CRC32C_START, sh_slice_str("1234"));

	ok(~sh_crc32c(SH_CRC32C_START, sh_slice_str("123456789")) == 0xE3069283,
	    "CRC-32C has its published check value");
	ok(sh_crc32c(half, sh_slice_str("56789")) == (uint32_t)~0xE3069283,
	    "a text in two pieces has the CRC of the whole");
	ok(sh_crc32c(SH_CRC32C_START, sh_slice("", 0)) == SH_CRC32C_START,
	    "an empty text leaves the state unchanged");
}

int main(void)
{
	test_crc();
	test_texts();
	return done_testing();
}
