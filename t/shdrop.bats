#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdrop: removes the documents that groups or a report name as duplicates.

load helper

setup() {
	begin "$BATS_TEST_TMPDIR"
	printf '%s\t%s\n' a 'one two' b 'one two' c three d 'one two' >docs
	printf 'a\ta\nb\ta\nd\ta\n' >groups
	printf 'b\ta\t0.9524\tedit\nd\ta\t1.0000\tjaccard\n' >report
}

@test "removes the documents that have another keeper, by groups or by a report" {
	try 'shdrop -d groups docs'
	exits 0
	says
	gives 'a\tone two' 'c\tthree'
	cp out expected
	for run in 'shdrop -d report docs' 'shdrop -d - docs <report' 'gzip <report >r.gz; shdrop -d r.gz docs' \
		'head -n 1 report >1; tail -n 1 report >2; shdrop -d 1 -d 2 docs' 'gzip <docs | shdrop -d groups'; do
		try "$run"
		exits 0
		same expected out
	done
}

@test "writes the output of shdedup by the report of shdedup, with 1 and 3 threads" {
	for file in en_dev zh_dev; do
		shdedup -q --report gone "$T_DATA/$file.tsv" >expected
		for j in 1 3; do
			try "shdrop -j $j -d gone \$T_DATA/$file.tsv"
			exits 0
			same expected out
		done
	done
}

@test "compares ids as bytes: long numbers differ, and 1.0 differs from 1" {
	printf '%s\tx\n' 1234567890123456788 1234567890123456789 1 1.0 >docs
	printf '%s\t%s\n' 1234567890123456788 1234567890123456788 1234567890123456789 1234567890123456788 \
		1 1 1.0 1 >groups
	try 'shdrop -d groups docs | cut -f 1'
	gives 1234567890123456788 1
}

@test "--keepers: writes the keepers of other documents" {
	for file in groups report; do
		try "shdrop --keepers -d $file docs"
		exits 0
		says
		gives 'a\tone two'
	done
}

@test "--mark: adds three fields and drops no document" {
	try 'shdrop --mark dup -d report docs'
	exits 0
	gives 'a\tone two\t\t\t' 'b\tone two\ta\t0.9524\tedit' 'c\tthree\t\t\t' 'd\tone two\ta\t1.0000\tjaccard'
	try 'shdrop --mark dup -d groups docs | tail -n 1'
	gives 'd\tone two\ta\t\t'
}

@test "--json: writes lines unchanged; --mark adds one field at the end" {
	printf '%s\n' '{"id": "a", "text":"x", "n":1.50}' '{"n":{"k":[]}, "text":"x","id":"b" }  ' '{"id":"\u0063","text":"y"}' >json
	printf 'b\ta\t0.9524\tedit\n' >report
	try 'shdrop --json -d report json'
	exits 0
	(head -n 1 json; tail -n 1 json) >expected
	same expected out
	try 'shdrop --json --mark dup -d report json'
	exits 0
	cat >expected <<-'END'
	{"id": "a", "text":"x", "n":1.50,"dup":null}
	{"n":{"k":[]}, "text":"x","id":"b" ,"dup":{"keeper":"a","similarity":0.9524,"measure":"edit"}}  
	{"id":"\u0063","text":"y","dup":null}
	END
	same expected out
	try 'shdrop --json --mark n -d report json'
	exits 2
	says 'shdrop: json:1: JSON: the object has a field "n" already (give the mark another name)'
}

@test "--json --mark: the keeper is a number where ids are numbers, otherwise an escaped string" {
	printf '%s\n' '{"doc":17,"body":"x"}' '{"doc":18,"body":"x"}' '{"doc":"q\"\\","body":"x"}' '{"doc":"z","body":"x"}' >json
	printf '18\t17\nz\tq"\\\n' | shdrop --json -f doc,body --mark m -d - json >out
	cat >expected <<-'END'
	{"doc":17,"body":"x","m":null}
	{"doc":18,"body":"x","m":{"keeper":17,"similarity":null,"measure":null}}
	{"doc":"q\"\\","body":"x","m":null}
	{"doc":"z","body":"x","m":{"keeper":"q\"\\","similarity":null,"measure":null}}
	END
	same expected out
}

@test "-f chooses the fields, and -l takes line numbers as ids" {
	printf 'x\tb\tone\ty\nx\tc\ttwo\ty\n' >docs
	try 'shdrop -f 2,3 -d groups docs'
	exits 0
	gives 'x\tc\ttwo\ty'
	printf 'one\ntwo\none\n' >lines
	try 'printf "3\t1\n" | shdrop -l -d - lines lines'
	gives one two one two one
	try 'printf "3\t1\n" | shdrop -l -d - --mark m lines'
	exits 2
	says 'shdrop: --mark adds fields, and with -l the whole line is text' "Try 'shdrop --help' or 'man shdrop'."
}

@test "refuses pairs that are not groups and a repeated id; warns when no document has an id of -d" {
	try 'printf "a\tb\t1\nb\tc\t1\n" | shdrop -d - docs'
	exits 2
	gives
	says "shdrop: 'a' goes for 'b', which goes for 'c': expected groups (shgroup makes them of pairs; reports of several runs are applied one after the other)"
	try 'printf "a\ta\t1.0000\tedit\n" | shdrop -d - docs'
	exits 2
	says "shdrop: -:1: 'a' was dropped for a document of the same id: the id cannot tell which of the two to remove"
	try 'printf "a b\n" | shdrop -d - docs'
	says 'shdrop: -:1: 1 field, expected id<TAB>keeper or a line of a report'
	try 'printf "z\ty\n" | shdrop -d - docs'
	exits 0
	same docs out
	says 'shdrop: no document has an id that -d drops: the groups may be of other documents'
	# Documents in place of groups.
	try 'shdrop -d docs docs'
	exits 0
	gives
	says 'shdrop: documents were dropped, and no document has the id of a keeper (expected groups as shgroup writes them)'
	try 'shdrop docs'
	exits 2
	says 'shdrop: groups or a report are needed: -d GROUPS' "Try 'shdrop --help' or 'man shdrop'."
	try 'shdrop --keepers --mark m -d groups docs'
	exits 2
}
