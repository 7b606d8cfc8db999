#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hostile text and other encodings: compares the results for each file of t/data/bad, and for some files made here,
# with t/bad-expected.tsv.
#
# The columns of the table: the file; how it is read (plain: -l, each line is a text; id: each line stands behind
# an id and a TAB); exit status; documents written; ill-formed UTF-8 sequences in them; the message with the place,
# or -. The counts are those of Python's decoder.

load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	cp "${T_DATA:-$BATS_TEST_DIRNAME/data}"/bad/*.txt .
	cat "${T_DATA:-$BATS_TEST_DIRNAME/data}"/zh_dev.tsv{,} | tr -d '\n\t' | head -c 8388608 >one_line_8MiB.txt
	yes 中 | head -n 1000000 | tr -d '\n' >same_char_1M.txt
	head -c 1000000 /dev/zero | tr '\0' a >ascii_run_1M.txt
	mkdir id
	for file in *.txt; do
		sed 's/^/d\t/' "$file" >"id/$file"
	done
	# Files in other encodings stay unchanged, because sed would change bytes that look like line ends.
	cp gb18030.txt gbk.txt big5.txt utf16*.txt id
}

# expected_ill N PROGRAM: prints the message about N ill-formed sequences, or nothing for 0.
expected_ill() {
	case $1 in
	0) ;;
	1) echo "$2: 1 ill-formed UTF-8 sequence replaced (--strict makes them errors)" ;;
	*) echo "$2: $1 ill-formed UTF-8 sequences replaced (--strict makes them errors)" ;;
	esac
}

# rows WAY: compares the results of shtok and shfp with the rows for this way of reading.
rows() {
	local file way code records ill message seen=0 option
	cd "$BATS_FILE_TMPDIR" || return
	while IFS=$'\t' read -r file way code records ill message; do
		[ "$way" = "$1" ] || continue
		seen=$((seen + 1))
		if [ "$way" = id ]; then
			file=id/$file option=
		else
			option=-l
		fi
		message=${message//FILE/$file}
		[ "$message" != - ] || message=
		try "shtok $option $file"
		exits "$code"
		(
			[ -z "$message" ] || echo "shtok: $message"
			[ "$code" != 0 ] || expected_ill "$ill" shtok
		) >expected
		same expected err
		# The output of shtok for lines with the same id does not show how many documents there were.
		[ "$way" = id ] || [ "$(cut -f 1 out | uniq | wc -l)" = "$records" ]

		# shfp also accepts features, and its message names both forms.
		message=${message/#"$file:1: 3 fields"*/"$message or id<TAB>feature<TAB>weight, the last a number"}
		try "shfp --bare $option --empty=zero $file"
		exits "$code"
		(
			[ -z "$message" ] || echo "shfp: $message"
			[ "$code" != 0 ] || expected_ill "$ill" shfp
		) >expected
		same expected err
		[ "$(wc -l <out)" = "$records" ]
	done <"$BATS_TEST_DIRNAME/bad-expected.tsv"
	echo "$seen rows"
	[ "$seen" -eq 43 ]
}

@test "every bad file, read as plain lines, gives the status, message and counts of the table" {
	rows plain
}

@test "every bad file, read behind ids, gives the status, message and counts of the table" {
	rows id
}

@test "the table has every bad file" {
	cd "$BATS_FILE_TMPDIR"
	printf '%s\n' *.txt >expected
	sed 1d "$BATS_TEST_DIRNAME/bad-expected.tsv" | cut -f 1 | sort -u >out
	same expected out
}

@test "--strict refuses a file with an ill-formed sequence, and accepts a file without one" {
	cd "$BATS_FILE_TMPDIR"
	sed 1d "$BATS_TEST_DIRNAME/bad-expected.tsv" | awk -F '\t' '$2 == "plain" && $3 == 0' >rows
	while IFS=$'\t' read -r file _ _ _ ill _; do
		try "shfp --bare -l --strict --empty=zero $file"
		if [ "$ill" = 0 ]; then
			exits 0
		else
			exits 2
			grep -qE "^shfp: $file:[0-9]+: [0-9]+ ill-formed UTF-8 sequences? \(--strict\)$" err
		fi
	done <rows
}

@test "shfp and shtok | shweight | shfp give the same fingerprints for every bad file, of words and characters" {
	cd "$BATS_FILE_TMPDIR"
	sed 1d "$BATS_TEST_DIRNAME/bad-expected.tsv" | awk -F '\t' '$2 == "plain" && $3 == 0 { print $1 }' >names
	while read -r file; do
		case $file in one_line_8MiB.txt | same_char_1M.txt) continue ;; esac
		for options in '-n 2' '-u char -n 1-3' '--no-fold'; do
			try "shfp --bare -l --empty=zero $options $file"
			mv out fused
			try "shtok -l $options $file | shweight --features | shfp --features --bare --empty=zero"
			exits 0
			same fused out
		done
	done <names
}

@test "the iconv command in the message makes the file readable" {
	cd "$BATS_FILE_TMPDIR"
	for file in gb18030 gbk big5 utf16le_bom utf16be_nobom; do
		shtok -l $file.txt 2>err || true
		cure=$(sed 's/.*(convert it: \(iconv .*\))$/\1/' err)
		# A file that ends within a character makes iconv fail at its end.
		try "($cure $file.txt || true) 2>/dev/null | shtok -l"
		exits 0
		says
		[ "$(wc -l <out)" -gt 1000 ]
	done
}

@test "valgrind finds no error and no leak for bad files" {
	command -v valgrind >/dev/null || skip 'no valgrind'
	if grep -q __asan_init "$SHBIN/shfp"; then skip 'the programs have sanitizers'; fi
	cd "$BATS_FILE_TMPDIR"
	files=$(echo seq_*.txt combining.txt zwj_bidi.txt fullwidth.txt UTF-8-test.txt no_final_newline.txt)
	for run in "shtok -l -n 1-2 $files" "shfp --bare -l -u char -n 3 $files" "shfp --bare -b 256 -H md5 -l --empty=zero $files"; do
		try "valgrind -q --leak-check=full --error-exitcode=99 $run"
		exits 0
	done
	shfp --bare -l combining.txt blns.txt >fps
	try 'valgrind -q --leak-check=full --error-exitcode=99 shband -k 3 -M 6 fps'
	exits 0
	sort out >bands
	try 'valgrind -q --leak-check=full --error-exitcode=99 shjoin -k 3 -S 1 bands'
	exits 0
	mv out pairs
	try 'valgrind -q --leak-check=full --error-exitcode=99 shgroup --link star --audit audit pairs'
	exits 0
}
