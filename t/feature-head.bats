#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A feature record and a document record with a number behind the text have the same form. Each program that reads
# features tells them apart, or stops.

load helper

programs='shfp shweight shdf'

# texts INPUT: every program stops at line 1 with a message that names -f and --features.
texts() {
	printf '%b' "$1" >in
	for p in $programs; do
		try "$p in"
		exits 2
		gives
		grep -qE "^$p: in:1: this looks like a text followed by a number, not like a feature.*-f 1,2.*--features" err || {
			echo "$p: $1"
			cat err
			return 1
		}
	done
}

# features INPUT: every program reads the records as features.
features() {
	printf '%b' "$1" >in
	for p in $programs; do
		try "$p in"
		exits 0 || { echo "$p: $1"; return 1; }
	done
}

@test "a single record with blanks, with more than 4 tokens or with a capital is refused as a possible text" {
	for text in 'the quick brown fox jumps over it' 'The quick brown fox.' 'red shoes' 'Red shoes' 'RED' 'Red' \
		'été à la mer' 'Été' 'ﬁsh' '今天天气很好我们去公园' '今天 天气' 'こんにちは' 'สวัสดี' 'a.b.c.d.e' 'two  blanks' ' red' 'red '; do
		texts "a\t$text\t1\n"
	done
	for weight in 0 5 0.5 6.25 1.000000 2024; do
		texts "a\tred shoes\t$weight\n"
	done
	for text in 'u.s.a' 'a.b.c.d' 'red-shoes' 'u.S.a' 'U+200B' '今天' '今天天气' 'c++' 'to_' '_' 'one\\\\ttwo'; do
		features "a\t$text\t1\n"
	done
	try 'printf "a\tred shoes\t1\r\n" | shfp --crlf'
	exits 2
	try 'printf "a\tred shoes\t-1\n" | shfp'
	exits 2
}

@test "ids that stand once: the message names the first record that may be a text" {
	texts '1\tred shoes\t5\n2\tblue hats\t5\n'
	texts '1\tred shoes\t1\n2\tblue\t1\n3\tgreen\t1\n'
	printf '1\tred\t1\n2\tu.s.a\t1\n3\tgreen hats\t1\n' >in
	for p in $programs; do
		try "$p in"
		exits 2
		grep -q "^$p: in:3: this looks like a text" err
	done
	# The record that may be a text stands within the first 64 KiB. The input is longer.
	seq 9999 | awk '{ print "id" $1 "\t" ($1 == 2000 ? "two words" : "word" $1) "\t1" }' >in
	try 'shfp in'
	exits 2
	grep -q '^shfp: in:2000: this' err
}

@test "ids that stand twice: records are refused when they do not overlap as n-grams do" {
	texts 'a\tthe quick brown fox jumps over it\t1\na\tthe lazy dog sleeps in the sun\t1\n'
	texts 'a\tThe quick brown fox jumps over it\t1\na\tthe lazy dog sleeps in the sun\t3\nb\tx\t1\n'
	texts 'a\t今天天气很好我们去公园\t1\na\t明天下雨我们在家里看书\t1\n'
	texts 'a\tred shoes\t1\nb\tblue hats\t1\nc\tgreen cats\t1\nc\tgreen dogs\t1\n'
	features 'a\tred shoes\t1\na\tblue hats\t2\nb\tred shoes\t1\nb\tgreen cats\t1\n'
}

@test "plain words, n-grams that overlap and empty features are read as features" {
	features 'a\tred\t1\n'
	features 'a\tred\t2.000000\nb\tblue\t7\nc\tété\t1\nd\t好\t1\n'
	features 'a\t\t0\n'
	features ''
	features 'a\tred\t1\na\tshoes\t1\nb\ta text of several words\t1\n'
	features 'a\tthe quick brown fox jumps\t1\na\tquick brown fox jumps over\t1\n'
	features 'b\tone two three\t1\na\tto_\t1\na\to_b\t1\n'
	features 'a\tone two three\t1\na\t\t0\nb\tfour five six\t1\n'
	features 'a\t\t0\na\tone two three\t1\n'
	features 'a\tred\t1\nb\t今天\t1\nc\tred-shoes\t7\n'
}

@test "records that come one at a time are told apart in the same way" {
	printf 'a\tred shoes\t1\na\tshoes and\t1\n' >grams
	printf 'a\tred shoes\t1\nb\tblue hats\t1\n' >texts
	slowly() { while IFS= read -r line; do sleep 0.2 && printf '%s\n' "$line"; done <"$1"; }
	export -f slowly
	for p in $programs; do
		$p grams >expected
		try "slowly grams | $p"
		exits 0
		same expected out
		try "slowly texts | $p"
		exits 2
	done
}

@test "--features reads records that may be texts as features" {
	printf 'a\tthe quick brown fox\t1\nb\tblue hats\t1\n' >in
	# Two features of one document that are single words show that all records are features.
	printf 'z\tx\t1\nz\ty\t1\n' >two
	cat in two >known
	for p in shfp shweight shdf; do
		try "$p --features in two"
		exits 0
		$p known >expected
		same expected out
	done
}

@test "shtok | shweight | shfp: documents of one feature are read, or refused with the message, for each tokenizer" {
	for text in 'One Two' 'One' 'été' '今天天气' '' 'a b c d e f g'; do
		for o in '' '-n 2' '-n 9' '-n 2-4' '-u char -n 20' '--no-fold -n 2' '--split fields' '--split bytes -n 4' '--keep-words han -n 2'; do
			printf 'x\t%s\ny\t%s\n' "$text" "$text" >docs
			shfp --bare $o docs >expected 2>err
			try "shtok $o docs | shweight --features | shfp --features"
			exits 0
			same expected out
			# Without --features the result is the same, or the program stops with the message.
			shtok $o docs >tokens
			try 'shweight tokens | shfp'
			if [ "$status" = 0 ]; then
				same expected out
			else
				exits 2
				gives
				grep -q '^shweight: tokens:1: this looks like a text followed by a number.*--features' err
				cut -f 2 tokens | grep -qE ' |^One$|a_b_c_d_e'
			fi
		done
	done
}

@test "shtok | shweight | shfp: a document of two n-grams shows that all records are features" {
	for o in '-n 2' '-n 3' '-n 3 --no-fold' '-n 9 -u char'; do
		printf 'a\tOne Two\nb\tOne Two Three Four\nc\tFive Six\nd\tFive Six Seven Eight\n' >docs
		try "shtok $o docs | shweight | shfp"
		exits 0
		shfp --bare $o docs >expected
		same expected out
	done
	# One document of two overlapping n-grams is enough.
	{ seq 99 | sed 's/.*/&\tone two/' && printf 'z\tone two three\n'; } >docs
	try 'shtok -n 2 docs | shweight | shfp | wc -l'
	exits 0
	gives 100
	# Without a document of two n-grams the input is refused.
	try 'head -n 9 docs | shtok -n 2 | shweight'
	exits 2
	grep -q '^shweight: -:1: this looks like a text' err
}
