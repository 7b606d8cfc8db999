#!/usr/bin/env bats
# shcut: removes the passages that spans name from documents.

load helper

@test "removes a passage, and leaves one blank between the words beside it" {
	printf 'a\tone two three four\nb\tunchanged text\n' >docs
	try 'printf "a\t4\t13\n" | shcut -d - docs'
	exits 0
	says
	gives 'a\tone four' 'b\tunchanged text'
	try 'printf "a\t0\t8\tmore\tfields\n" | shcut -d - docs | head -n 1'
	gives 'a\tthree four'
	try 'printf "a\t4\t18\n" | shcut -d - docs | head -n 1'
	gives 'a\tone '
	try 'printf "a\t0\t18\n" | shcut -d - docs | head -n 1'
	gives 'a\t'
	try 'printf "a\t3\t14\n" | shcut -d - docs | head -n 1'
	gives 'a\tone four'
}

@test "leaves a newline where the passage had one, and cuts no escape" {
	printf 'a\tone\\ntwo\\nthree\\nfour\n' >docs
	try 'printf "a\t5\t15\n" | shcut -d - docs'
	gives 'a\tone\\n\\nfour'
	try 'printf "a\t3\t17\n" | shcut -d - docs'
	gives 'a\tone\\nfour'
	try 'printf "a\t4\t15\n" | shcut -d - docs'
	exits 2
	says "shcut: docs:1: the span from 4 to 15 is not on borders of characters of this text of 21 bytes: the spans are of other documents"
}

@test "accepts spans that overlap, in any order and in several files" {
	printf 'a\tone two three four five\nb\tone\n' >docs
	printf 'a\t14\t18\nb\t0\t3\n' >first
	printf 'a\t4\t7\na\t6\t13\n' >second
	try 'shcut -d first -d second docs'
	exits 0
	gives 'a\tone five' 'b\t'
}

@test "--replace writes a text in place of each passage" {
	try 'printf "a\t4\t7\n" | shcut --replace "[cut]" -d - <(printf "a\tone two three\n")'
	exits 0
	gives 'a\tone [cut] three'
}

@test "-f chooses the fields, -l takes line numbers as ids, and -j changes no byte" {
	printf 'x\ta\tone two\ty\n' >docs
	try 'printf "a\t0\t4\n" | shcut -f 2,3 -d - docs'
	gives 'x\ta\ttwo\ty'
	printf 'one two\nthree four\n' >lines
	try 'printf "2\t0\t6\n" | shcut -l -d - lines'
	gives 'one two' 'four'
	try 'shspan --exact 20 $T_DATA/en_dev.tsv >spans; shcut -d spans $T_DATA/en_dev.tsv'
	exits 0
	cp out one
	try 'shcut -j 3 -d spans $T_DATA/en_dev.tsv'
	same one out
}

@test "after shspan --exact | shcut at most five long passages are left, where two removed ones met" {
	for file in en_dev zh_dev; do
		try "shspan --exact 30 \$T_DATA/$file.tsv | shcut -d - \$T_DATA/$file.tsv >rest; shspan --exact 31 rest"
		exits 0
		[ "$(wc -l <out)" -le 5 ]
		# Every document stays, with the first copy of each passage.
		cut -f 1 "$T_DATA/$file.tsv" >expected
		cut -f 1 rest >out
		same expected out
	done
}

@test "refuses a span that divides a character, and a span of a missing document" {
	printf 'a\t中文\n' >docs
	try 'printf "a\t1\t3\n" | shcut -d - docs'
	exits 2
	try 'printf "a\t0\t9\n" | shcut -d - docs'
	exits 2
	try 'printf "b\t0\t3\n" | shcut -d - docs'
	exits 2
	says "shcut: 1 id of the spans in no document, the first 'b'"
	try 'printf "a\t3\t0\n" | shcut -d - docs'
	says 'shcut: -:1: start and end are numbers of bytes, start first'
	try 'printf "a\n" | shcut -d - docs'
	says 'shcut: -:1: expected id<TAB>start<TAB>end (shspan writes such lines)'
	try 'shcut docs'
	exits 2
	try "shcut -d docs --replace \$'a\tb' docs"
	exits 2
}
