#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdict: compiles the data files of jieba to the file that --segment jieba maps.
load helper

# Makes the folder data with a few words and the model of jieba.
setup() {
	local data=${JIEBA_DATA:-/usr/lib/python3/dist-packages/jieba}
	begin "$BATS_TEST_TMPDIR"
	[ -e "$data/finalseg/prob_emit.py" ] || skip "no data of jieba's"
	mkdir data
	cp -r "$data/finalseg" data
	printf '中国 50 ns\n中国人 7\n人 80\n' >data/dict.txt
}

@test "--check describes a compiled file, and shtok splits words by the file" {
	try 'shdict -o compiled data && shdict --check compiled'
	exits 0
	says
	gives '3 words, total frequency 137, longest word 3 characters'
	try 'shdict data | shdict --check - | cut -d " " -f 1'
	gives 3
	try 'echo 中国人民 | SIMHASH_JIEBA=compiled shtok -l --segment jieba-all | cut -f 2 | paste -sd /'
	exits 0
	gives 中国/中国人/民
}

@test "--words replaces dict.txt; --dict adds the words of each file" {
	rm data/dict.txt
	printf '大学 5\n' >words
	printf '人民 5\n' >one
	printf '大学生活 6\n' >two
	try 'shdict --words words data -o compiled && shdict --check compiled'
	exits 0
	gives '1 word, total frequency 5, longest word 2 characters'
	try 'shdict --words words --dict one --dict two data | shdict --check -'
	exits 0
	gives '3 words, total frequency 16, longest word 4 characters'
}

@test "a file that is not a dictionary is refused with file and line, without output" {
	printf '中国 50\n中国人\n' >words
	cp words data/dict.txt
	printf '人 1\n人民 99999999999999999999\n' >user
	printf '人民 5\n' >good
	refuses() {
		echo before >old
		try "shdict -o old $1"
		exits 2
		gives
		says "shdict: $2"
		[ "$(cat old)" = before ]
	}
	refuses data 'dict.txt:2: no frequency: expected WORD FREQUENCY [TAG]'
	refuses '--words words data' 'words:2: no frequency: expected WORD FREQUENCY [TAG]'
	refuses '--words good --dict good --dict user data' 'user:2: frequency too large'
	rm -r data/finalseg
	refuses '--words good data' "cannot open 'data/finalseg/prob_start.py': No such file or directory"
}

@test "--check refuses a file with a changed bit and a file of another form" {
	shdict -o compiled data
	python3 -c '
b = bytearray(open("compiled", "rb").read())
b[len(b) // 2] ^= 1
open("damaged", "wb").write(b)'
	try 'shdict --check damaged'
	exits 2
	gives
	says 'shdict: damaged: damaged dictionary: wrong checksum'
	try 'shdict --check data/dict.txt'
	exits 2
	says 'shdict: data/dict.txt: not a compiled jieba dictionary'
}

@test "options without effect and wrong operands are refused" {
	refuses() {
		try "shdict $1"
		exits 2
		gives
		says "shdict: $2" "Try 'shdict --help' or 'man shdict'."
	}
	refuses '' "expected one operand: jieba's directory, which has dict.txt"
	refuses 'data data' "expected one operand: jieba's directory, which has dict.txt"
	refuses '--check a b' 'expected one operand: a compiled file'
	refuses '--check --words data/dict.txt a' '--check cannot be used with --words or --dict'
	refuses '--check --dict data/dict.txt a' '--check cannot be used with --words or --dict'
}
