#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdf: counts in how many documents each feature occurs.

load helper

features() {
	printf '%s\t%s\t1\n' a x a x b x b y c z
	printf 'd\t\t0\n'
}

@test "counts a feature once a document, and writes the number of documents in the first line" {
	features >in
	try 'shdf in'
	exits 0
	says
	gives '\t4\t1' 'x\t2' 'y\t1' 'z\t1'
}

@test "the weight of a feature has no effect, also when it is 0" {
	try 'printf "a\tx\t0\na\tx\t7.5\nb\tx\t0.000001\n" | shdf'
	gives '\t2\t1' 'x\t2'
}

@test "an id that returns after other ids counts as another document" {
	try 'printf "a\tx\t1\nb\tx\t1\na\tx\t1\n" | shdf'
	exits 0
	gives '\t3\t1' 'x\t3'
	says "shdf: -:3: id 'a' comes again after other ids and begins another document; 1 such documents in all (lines of one document: bring them together with LC_ALL=C sort -s -t \"\$(printf '\\t')\" -k 1,1; several documents: give each its own id)"
}

@test "the table is in bytewise order, with features of any bytes" {
	printf 'a\t%b\t1\n' b 'a b' é '\0' '\377' A 10 9 >in
	try 'shdf in'
	printf '%b\n' '\t1\t2' '\0\t1' '10\t1' '9\t1' 'A\t1' 'a b\t1' 'b\t1' 'é\t1' '\377\t1' >expected
	same expected out
}

@test "the table is in bytewise order, also for features with the same first eight bytes" {
	printf 'a\t%b\t1\n' abcdefghj 'a\0' abcdefghi abcdefgh a abcdefg 'abcdefgh\0' 'abcdefg\0' >in
	try 'shdf in'
	printf '%b\n' '\t1\t1' 'a\t1' 'a\0\t1' 'abcdefg\t1' 'abcdefg\0\t1' 'abcdefgh\t1' 'abcdefgh\0\t1' \
	    'abcdefghi\t1' 'abcdefghj\t1' >expected
	same expected out
}

@test "empty input gives a table of 0 documents" {
	try 'shdf </dev/null'
	exits 0
	gives '\t0'
}

@test "--min-df and --max-df drop features by number or by share, and keep the first line" {
	(for i in 1 2 3 4; do printf 'd%s\tall\t1\n' $i; done; features) >in
	try 'shdf --min-df 2 in'
	gives '\t8\t1' 'all\t4' 'x\t2'
	try 'shdf --max-df 2 in'
	gives '\t8\t1' 'x\t2' 'y\t1' 'z\t1'
	try 'shdf --min-df 0.25 --max-df 0.25 in'
	gives '\t8\t1' 'x\t2'
	try 'shdf --min-df 25% in'
	gives '\t8\t1' 'all\t4' 'x\t2'
	try 'shdf --max-df 24.9% in'
	gives '\t8\t1' 'y\t1' 'z\t1'
	try 'shdf --min-df 9 in'
	gives '\t8\t1'
}

@test "-S: the table is the same with a few megabytes, also for documents about a spill" {
	seq 30000 | awk '{ for (i = 0; i < 6; i++) print "d" int(($1 + i) / 17) "\tfeature number " ($1 * 15485863 + i) % 150001 "\t1"; print "d" int($1 / 17) "\tin every line\t1" }' >in
	shdf in >expected
	try 'shdf -S 1 in'
	exits 0
	same expected out
	try 'shdf -S 4M --tmpdir . in'
	same expected out
	awk -F '\t' '
		$1 != doc { doc = $1; n++ }
		!((n, $2) in seen) { seen[n, $2]; df[$2]++ }
		END { print "\t" n "\t3"; for (f in df) print f "\t" df[f] }' in | sort >expected
	same expected out
	only in
	try 'shdf -S 4M --tmpdir no/where in' # fails when temporary files are needed
	exits 2
}

@test "-S: the table is the same with several threads" {
	# The first document has 150,000 features and is larger than a chunk and than the memory of a thread.
	seq 400000 | awk '{ print "d" ($1 < 200000 ? 0 : int($1 / 50)) "\tfeature " $1 * 7919 % 150001 " of all\t1" }' >in
	shdf -S 4G in >table
	for j in $(fewer '1 2 5 8' '1 5'); do
		try "shdf -j $j -S 1 in"
		exits 0
		same table out
		try "shdf -j $j -S 1 --tmpdir no/where in" # fails when temporary files are needed
		exits 2
		gives
		says "shdf: cannot create a temporary file in 'no/where' (TMPDIR): No such file or directory"
		try "shdf -j $j in"
		same table out
	done
	awk -F '\t' '
		$1 != doc { doc = $1; n++ }
		!($2 in last) || last[$2] != n { last[$2] = n; df[$2]++ }
		END { print "\t" n "\t4"; for (f in df) print f "\t" df[f] }' in | LC_ALL=C sort >oracle
	same oracle table
}

@test "the table is in bytewise order, also for features with many equal bytes" {
	awk 'BEGIN {
		for (i = 0; i < 3000; i++) {
			long = sprintf("%" i % 90 "s", "")
			gsub(" ", "abcdefg ", long)
			print "d" int(i / 100) "\t" long i * 7 % 100 "\t1"
		}
	}' >in
	cut -f 2 in | sort -u >sorted
	for j in 1 2; do
		try "shdf --features -j $j in | tail -n +2 | cut -f 1"
		exits 0
		same sorted out
	done
}

@test "--tmpdir: a missing folder gives a message with its name" {
	seq 200000 | awk '{ print "d" int($1 / 100) "\tfeature number " $1 "\t1" }' >in
	try 'shdf -S 1 --tmpdir no/where in'
	exits 2
	gives
	says "shdf: cannot create a temporary file in 'no/where' (TMPDIR): No such file or directory"
	try 'TMPDIR=no/there shdf -S 1 in'
	says "shdf: cannot create a temporary file in 'no/there' (TMPDIR): No such file or directory"
}

@test "-m sums tables of files and standard input" {
	printf '\t3\na\t1\nb\t3\n' >one
	printf '\t2\nb\t1\nc\t2\n' >two
	try 'shdf -m one two'
	exits 0
	gives '\t5' 'a\t1' 'b\t4' 'c\t2'
	try 'cat two | shdf --merge-tables one - one'
	gives '\t8' 'a\t2' 'b\t7' 'c\t2'
	try 'shdf -m <one'
	same one out
	try 'shdf -m --min-df 2 --max-df 50% one two'
	gives '\t5' 'c\t2'
	printf '\t4000000\na\t2\nb\t3\n' >many
	try 'shdf -m --max-df 0.00005% many'
	gives '\t4000000' 'a\t2'
}

@test "-m: the sum of the tables of several files is the table of all documents" {
	shtok "$T_DATA/en_dev.tsv" >in
	shdf in >expected
	for i in 0 1 2; do
		awk -F '\t' -v i=$i '$1 != id { id = $1; n++ } n % 3 == i' in | shdf >part.$i
	done
	try 'shdf -m part.*'
	same expected out
}

@test "-m refuses input that is not a sorted table, with file and line" {
	refuses() {
		printf "$1" >table
		try 'shdf -m table'
		exits 2
		says "shdf: table:$2"
	}
	refuses 'b\n' '1: 1 field, expected feature<TAB>document frequency'
	refuses 'b\t1\n' '1: the first line of a table is <TAB>number of documents'
	refuses '\t1\nb\tx\n' "2: document frequency 'x': not a number"
	refuses '\t1\nb\t1\na\t1\n' '3: the table is not sorted (LC_ALL=C sort), or repeats a feature'
	refuses '\t1\nb\t1\nb\t1\n' '3: the table is not sorted (LC_ALL=C sort), or repeats a feature'
	refuses '\t99999999999999999999\n' "1: document frequency '99999999999999999999': too large"
	refuses '\t1\na\tb\t1\n' '2: 3 fields, expected feature<TAB>document frequency'
	for df in 0 4; do
		refuses "\\t3\\na\\t3\\nb\\t$df\\n" "3: a document frequency of $df in 3 documents: not a complete table: its first line must be <TAB>documents (shdf writes tables)"
	done
	printf '\t18446744073709551615\n' >table
	printf '\t1\n' >one
	try 'shdf -m table one'
	exits 2
	grep -qE '^shdf: (table|one):1: the document frequencies overflow$' err
}

@test "records that are not features are refused with their line" {
	refuses() {
		try "(printf 'a\tx\t1\n'; printf '$1\n') | shdf"
		exits 2
		says "shdf: -:2: $2"
	}
	refuses 'a\tx' '2 fields, expected id<TAB>feature<TAB>weight (shtok makes features of documents)'
	refuses 'a\tx\t1\t1' '4 fields, expected id<TAB>feature<TAB>weight (shtok makes features of documents)'
	refuses '' '1 field, expected id<TAB>feature<TAB>weight (shtok makes features of documents)'
	refuses '\tx\t1' 'empty id'
	refuses 'a\tx\t' "weight '': not a number"
	refuses 'a\tx\t-1' "weight '-1': expected digits, and perhaps a point and digits, as in 0.25"
	refuses 'a\t\t1' 'empty feature with a weight (only weight 0: a document without features)'
}

@test "options out of range are refused with the expected values" {
	refuses() {
		try "shdf $1 </dev/null"
		exits 2
		gives
		says "shdf: $2" "Try 'shdf --help' or 'man shdf'."
	}
	expected='expected a number of documents, or a share of them such as 0.5 or 50%'
	refuses '--min-df x' "--min-df: document frequency 'x': $expected"
	refuses '--max-df 1.5' "--max-df: document frequency '1.5': $expected"
	refuses '--max-df 101%' "--max-df: document frequency '101%': $expected"
	refuses '--max-df -1' "--max-df: document frequency '-1': $expected"
	refuses '--min-df 5 --max-df 3' '--min-df is above --max-df: no feature is within both'
	refuses '--min-df 50% --max-df 0.3' '--min-df is above --max-df: no feature is within both'
	refuses '-S 0' "-S '0': expected a size such as 500M or 1.5G"
	refuses '-S 5X' "-S '5X': expected a size such as 500M or 1.5G"
}

@test '-m: empty input counts as a table of 0 documents' {
	: >nothing
	try 'shdf -m nothing nothing'
	exits 0
	gives '\t0'
	try 'shdf -m </dev/null'
	gives '\t0'
	printf '\t2\na\t1\nb\t2\n' >table
	try 'shdf -m nothing table'
	same table out
}

@test "the first line has the number of words of the longest feature; --bare omits it" {
	printf 'a\tone two three\n' >docs
	for n in 1 2 1-3; do
		try "shtok -n $n docs | shdf --max-df 0 | head -n 1"
		gives "\t1\t${n#1-}"
	done
	try 'shtok -n 2 docs | shdf --bare | head -n 1'
	gives '\t1'
}

@test "-m refuses tables of different n-grams" {
	printf 'a\tone two three\n' >docs
	for n in 1 2; do
		shtok -n $n docs | shdf >$n
	done
	try 'shdf -m 1 2'
	exits 2
	gives
	says 'shdf: 2: a table of features of up to 2 words, but 1 has features of up to 1 words: they were not counted with the same -n (--bare sums them)'
	try 'shdf -m --bare 1 2 | head -n 1'
	exits 0
	gives '\t2'
	# A table without the number of words is accepted with every other table.
	cut -f 1,2 2 >bare
	try 'shdf -m 1 bare | head -n 1'
	gives '\t2\t1'
}
