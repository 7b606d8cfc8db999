#!/usr/bin/env bats
# Files as people have them: wrong declarations, broken boundaries, blank lines, binary files.

load helper

# needs WHAT...: skips the test when this build lacks the library for WHAT.
needs() {
	! shdoc --help | grep -q "without.*$1" || skip "a build without $1"
}

# charset NAME: skips the test when iconv(3) has no tables of this charset, as in programs linked statically.
charset() {
	printf '' | shdoc --from-charset "$1" >scrap 2>&1 || skip "iconv does not know $1"
	rm -f scrap
}

@test "charsets: 1,400 texts of 20 charsets are read right, declared rightly, wrongly, not at all or twice" {
	needs HTML
	charset GB18030
	charset CP932
	! shdoc --help | grep -q 'without.*guesses' || skip 'a build without libuchardet'
	python3 "$BATS_TEST_DIRNAME/charset-table.py"
	[ "$(wc -l <expected.tsv)" -gt 1400 ]
	try 'shdoc files'
	exits 0
	same expected.tsv out
}

@test "charsets: text that is UTF-8 is read as UTF-8 whatever is declared" {
	needs HTML
	charset GB18030
	try "printf '<meta charset=gb2312><p>中央银行宣布调整货币政策，市场反应平稳</p>' | shdoc --format html"
	exits 0
	gives '-\t中央银行宣布调整货币政策，市场反应平稳'
	says
	try "printf '<meta charset=iso-8859-1><p>café' | shdoc --format html --verbose"
	gives '-\tcafé'
	says 'shdoc: -: html, UTF-8 (well-formed; the declared charset does not fit)'
	# One pair of bytes of GB 2312, and one capital before a symbol, are UTF-8 only by chance.
	try "printf '<meta charset=gb2312><p>\xd2\xbb' | shdoc --format html"
	gives '-\t一'
	try "printf '<meta charset=iso-8859-1><p>NESTL\xc9\xae' | shdoc --format html"
	gives '-\tNESTLÉ®'
}

@test "charsets: aliases and code pages are known by any spelling; a name that nobody knows gets a note" {
	charset CP850
	mail() { printf 'From: a\nTo: b\nSubject: c\nMessage-ID: <1>\nContent-Type: text/plain; charset=%s\n\n%b\n' "$1" "$2"; }
	for name in cp-850 CP850 ibm850 IBM00850 x-ibm-850 850; do
		try "$(declare -f mail); mail $name 'd\202j\205 vu' | shdoc 2>/dev/null"
		gives '1\tdéjà vu'
	done
	for name in win1251 windows-1251 WINDOWS_1251 cp-1251 x-cp1251; do
		try "$(declare -f mail); mail $name '\317\360\350\342\345\362' | shdoc 2>/dev/null"
		gives '1\tПривет'
	done
	for name in hz-gb-2312 HZ; do
		try "$(declare -f mail); mail $name '~{<:Ky2;S{#,NpJ)l6HK!#~}Bye~~.' | shdoc 2>/dev/null"
		gives '1\t己所不欲，勿施於人。Bye~.'
	done
	try "$(declare -f mail); mail klingon 'Grüße' | shdoc"
	gives '1\tGrüße'
	says "shdoc: 1 text taken for UTF-8 (well-formed; the declared charset 'klingon' is unknown)"
	for name in unknown-8bit x-unknown default us-ascii; do
		try "$(declare -f mail); mail $name 'Grüße' | shdoc"
		gives '1\tGrüße'
		says
	done
}
