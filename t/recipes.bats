#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Follows the recipes of HACKING.md, "How to add", in a copy of the tree.
load helper

root=$BATS_TEST_DIRNAME/..

setup_file() {
	! sanitized || return 0
	mkdir "$BATS_FILE_TMPDIR/tree"
	cd "$BATS_FILE_TMPDIR/tree" || return 1
	cp -rp "$root"/{bin,lib,man,share,Makefile,config.mk} .
	mkdir t
	cp -rp "$root/t/unit" t
	# Objects that were built with the same flags are not built again.
	if [ -e "${BUILD:-$root/build}/flags" ]; then
		mkdir build
		cp -rp "${BUILD:-$root/build}"/{bin,lib,*flags,*.a,objects,shared-objects} build
	fi
	add_weight
	add_tokenizer
	add_hash
	add_system
	add_format
	add_program
	make -s programs >built 2>&1 || { cat built; return 1; }
}

# before FILE PATTERN: inserts the lines of standard input before the first line that has the pattern.
before() {
	cat >lines
	awk -v pattern="$2" 'FNR == NR { lines = lines $0 "\n"; next }
		!done && index($0, pattern) { printf "%s", lines; done = 1 } { print } END { exit !done }' lines "$1" >new
	cat new >"$1"
	grep -qF "\`$1\`" "$root/HACKING.md" || { echo "HACKING.md does not name $1"; return 1; }
}

add_weight() {
	before lib/weight/weight.c 'static const struct sh_scheme rows[]' <<-'END'
		static int twice(const struct sh_term *t, int64_t *weight, struct sh_error *err)
		{
			return check_tf(t, err) < 0 ? -1 : round_off(sh_wide_mul(t->tf, 2), 0, weight, err);
		}

	END
	before lib/weight/weight.c '{ .name = "tfidf"' <<-'END'
		{ .name = "twice", .weigh = twice },
	END
	before man/shweight.1 '.It Cm logidf Ta' <<-'END'
		.It Cm twice Ta 2 * tf
	END
	[ -e t/unit/test_weight.c ]
}

add_tokenizer() {
	before lib/published/cut.c '/* Appends a word unchanged, and a gap. */' <<-'END'
		static bool is_comma(uint32_t c)
		{
			return c == ',';
		}

		int sh_cut_commas(
		    struct sh_tokenizer *t, const uint8_t *p, const uint8_t *end, struct sh_error *err)
		{
			return sh_cut_runs(t, p, end, is_comma, err);
		}

	END
	before lib/published/rules.h 'sh_cut_fn sh_cut_fields' <<-'END'
		sh_cut_fn sh_cut_commas;
	END
	before lib/published/tables.c '{ .name = "alpha"' <<-'END'
		{ .name = "commas", .run = sh_cut_commas, .escapes = true },
	END
	before man/shtok.1 '.Cm go-letters' <<-'END'
		.Cm commas ,
	END
}

add_hash() {
	before lib/hash/hash.c '/* Shifts the number in the words left' <<-'END'
		void sh_hash_length(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
		{
			(void)seed;
			(void)words;
			*out = text.n;
		}

	END
	before lib/hash/hash.h 'void sh_hash_mix(' <<-'END'
		void sh_hash_length(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);
	END
	before lib/published/tables.c '{ .name = "xxh3"' <<-'END'
		{ .name = "length", .feature = sh_hash_length, .max_bits = 64, .seedless = true },
	END
	before man/shfp.1 '.Cm crc32c-joined' <<-'END'
		.Cm length ,
	END
}

add_system() {
	cat >lib/published/first.c <<-'END'
		/* first: a system whose tokens are cut at commas, and whose hash is the first byte of a token. */
		#include "published/rules.h"

		void sh_hash_first(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
		{
			(void)seed;
			(void)words;
			*out = text.n ? (uint64_t)(unsigned char)*text.p << 56 : 0;
		}
	END
	before lib/published/rules.h 'sh_hash_fn sh_hash_md5_last' <<-'END'
		sh_hash_fn sh_hash_first;
	END
	before lib/published/tables.c '{ .name = "xxh3"' <<-'END'
		{ .name = "first", .feature = sh_hash_first, .max_bits = 64, .seedless = true, .weak = true },
	END
	before lib/published/tables.c 'CLICKHOUSE_NGRAM("clickhouse-ngram"' <<-'END'
		{ .name = "first", .method = "commas", .no_fold = true, .ngrams = { 1, 1, false }, .weight = "tf",
		    .hash = "first", ONLY(64), .empty = SH_EMPTY_ZERO, .bin = "bin" },
	END
	before man/simhash-profiles.7 '.It clickhouse-word Ta' <<-'END'
		.It first Ta between commas Ta count Ta first Ta 64 Ta 0 Ta 0
	END
}

add_format() {
	before lib/fp/format.c 'static const struct sh_fp_format rows[]' <<-'END'
		static size_t print_0x(char *out, const uint64_t *fp, unsigned bits)
		{
			memcpy(out, "0x", 2);
			return 2 + print_hex(out + 2, fp, bits);
		}

	END
	before lib/fp/format.c '{ .name = "dec"' <<-'END'
		{ .name = "0x", .print = print_0x },
	END
	before man/shfp.1 '.Cm nib' <<-'END'
		.Cm 0x
	END
}

add_program() {
	cat >bin/shids.c <<-'END'
		/* shids: records to their first fields. */
		#include "cli.h"
		#include "record/fields.h"

		static const struct cli_option options[] = { { 0 } };

		static const struct cli_program program = {
			.name = "shids",
			.synopsis = "[FILE...]",
			.purpose = "Records to their first fields.",
			.options = { options },
		};

		int main(int argc, char **argv)
		{
			struct sh_slice line, field;
			struct sh_lines lines;
			struct cli c;

			cli_start(&c, &program, argc, argv);
			cli_open(&c);
			cli_lines_init(&c, &lines);
			while (cli_line(&c, &lines, &line)) {
				sh_fields_split(line, &field, 1);
				cli_write(&c, field.p, field.n);
				cli_write(&c, "\n", 1);
			}
			sh_lines_free(&lines);
			return cli_finish(&c);
		}
	END
	cp man/shband.1 man/shids.1
}

tree() {
	! sanitized || skip 'the programs would be built anew'
	PATH=$BATS_FILE_TMPDIR/tree/bin:$PATH
}

# offers PROGRAM OPTION NAME: --help, the message about a wrong value and the completion have the name.
offers() {
	local made=$BATS_FILE_TMPDIR/tree/completions
	"$1" --help | tr -s ' \n' ' ' | grep -qE "[ ,]$3[, ]"
	run ! "$1" "$2" nonsense
	[[ $output = *"$3"* ]]
	[ -e "$made" ] || "$root/share/completions" "$BATS_FILE_TMPDIR/tree/bin" "$made"
	grep -qF "$3" "$made/bash/$1"
}

@test "the recipe for a weight adds it to help, messages, completions and results" {
	tree
	printf 'a\tx\t1\na\tx\t1\na\ty\t1\n' >features
	try 'shweight -w twice features'
	exits 0
	gives 'a\tx\t4' 'a\ty\t2'
	offers shweight -w twice
	offers shfp -w twice
	printf 'a\tx x y y\n' >docs
	try 'shtok docs | shweight -w twice | shfp --bare'
	mv out piped
	try 'shfp --bare -w twice docs'
	same piped out
}

@test "the recipe for a tokenizer adds it to help, messages, completions and results" {
	tree
	printf 'a\tone two,three\n' >docs
	try 'shtok -n 1 --split commas docs'
	exits 0
	gives 'a\tone two\t1' 'a\tthree\t1'
	offers shtok --split commas
}

@test "the recipe for a token hash adds it to help, messages, completions and results" {
	tree
	printf 'a\tseven letters\n' >docs
	try 'shfp --bare -H length -n 2 docs'
	exits 0
	gives '000000000000000d\ta'
	offers shfp -H length
}

@test "the recipe for a published system adds it to help, messages, completions and results" {
	tree
	printf 'a\t@x,@y\n' >docs
	try 'shfp -p first docs; shtok -p first docs | shweight -p first | shfp -p first'
	exits 0
	gives '4000000000000000\ta' '4000000000000000\ta'
	offers shtok -p first
}

@test "the recipe for an output format adds it to help, messages, completions and results" {
	tree
	printf 'a\tone\n' >docs
	shfp --bare docs | sed 's/^/0x/' >expected
	try 'shfp --bare -x 0x docs'
	exits 0
	same expected out
	offers shfp -x 0x
}

@test "the recipe for a program adds a program that reads, writes and has --help" {
	tree
	printf 'a\tone\nb\ttwo\n' >docs
	try 'shids docs'
	exits 0
	gives a b
	try 'shids -o new docs && shids --version && cat new'
	exits 0
	tail -n 2 out | diff - <(printf 'a\nb\n')
}
