#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --progress, in every program that reads records.
load helper

# on_terminal COMMAND: COMMAND succeeds with standard error on a terminal. The file shown has a line for each state of
# the terminal's line.
on_terminal() {
	script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip 'no script(1), or no pseudo-terminals'
	TERM=${TERM_HERE-xterm} SHELL=/bin/bash script -qec "set -o pipefail; $1" /dev/null </dev/null >screen
	tr '\r' '\n' <screen | sed 's/\x1b\[K//; /^$/d' >shown
}

# seldom FILE: the last line of FILE names the duration, and FILE has at most one line for each five seconds of it.
seldom() {
	tail -n 1 "$1" | awk -v n="$(wc -l <"$1")" '{ exit n > 1 + $(NF - 1) / 5 }'
}

# last_word PROGRAM BYTES RECORDS: the last message has these amounts. A short run has only this message.
last_word() {
	tail -n 1 err | grep -Eqx "$1: $2, $3, [0-9.]+ ([kMG]?B)/s, [0-9]+\.[0-9] s" && seldom err && return
	cat err
	return 1
}

@test "--progress writes bytes, records, rate and time at the end, and changes no output" {
	printf '%s\tone two %s\n' a x b y c x >docs
	shtok -n 2 docs >features
	shfp docs >fps
	shband -k 9 fps | sort >bands
	printf 'a\tb\t1\nb\tc\t2\n' >pairs
	shdf features >table
	printf 'a\t0\t3\n' >marks
	printf 'a\ta\nb\ta\n' >groups
	for run in 'shtok docs' 'shtok -j 3 docs' 'shfp docs' 'shfp features' 'shdf features' 'shdf -m table' 'shweight features' \
		'shband fps' 'shjoin -k 9 fps' 'shjoin -k 9 bands' 'shgroup pairs' 'shstat pairs' \
		'shverify -d docs pairs' 'shdedup -q docs' 'shseed -n 2 docs' 'shspan docs' 'shspan --exact 2 docs' \
		'shspan --pairs -n 2 -d docs docs' 'shcut -d marks docs' 'shdrop -d groups docs'; do
		try "$run"
		exits 0
		mv out normal
		[ ! -s err ]
		try "$run --progress"
		exits 0
		same normal out
		file=${run##* }
		last_word "${run%% *}" "$(stat -c %s "$file") B" "$(wc -l <"$file") records"
	done
}

@test "--progress writes amounts with three digits, in B, kB or MB" {
	while read -r bytes shown; do
		head -c $((bytes - 1)) /dev/zero | tr '\0' x >line
		echo >>line
		try 'shtok -l --progress line'
		exits 0
		last_word shtok "$shown" '1 record'
	done <<-'END'
	999 999 B
	1000 1.00 kB
	9994 9.99 kB
	9996 10.0 kB
	99940 99.9 kB
	99960 100 kB
	999499 999 kB
	999500 1.00 MB
	END
}

@test "--progress counts all operands and standard input, but not files of options" {
	printf 'a\tone two\n' >a
	printf 'b\tone two\nc\tx\n' >b
	echo b >ids
	try 'shfp --progress a b'
	last_word shfp '24 B' '3 records'
	try 'shfp --progress a - <b'
	last_word shfp '24 B' '3 records'
	printf '\t3\nx\t2\n' >table
	try 'shdf -m --progress table - <table'
	last_word shdf '14 B' '4 records'
	try 'shdedup -q --progress --keep ids --protect ids a b'
	last_word shdedup '24 B' '3 records'
	try 'shfp --progress a'
	last_word shfp '10 B' '1 record'
	try 'shfp --progress </dev/null'
	exits 0
	last_word shfp '0 B' '0 records'
}

@test "--progress: a run that fails writes the error and no final amounts" {
	printf 'a\tone two\nb\n' >docs
	try 'shfp --progress docs'
	exits 2
	[ "$(wc -l <err)" = 1 ]
	grep -q '^shfp: docs:2: ' err
}

# The reader pauses after the first byte. The program must wait, because its output is larger than a pipe holds.
SLOWLY='{ head -c 1; sleep 0.5; cat; } >/dev/null'

@test "--progress on a terminal overwrites one line with bytes, share, records, rate and time left" {
	for _ in 1 2 3; do cat "$T_DATA/en_dev.tsv"; done >docs
	on_terminal "shtok --progress docs | $SLOWLY"
	cat shown
	grep -Eqx 'shtok: [0-9.]+ [kM]B of 13\.5 MB \([0-9]+ %\), [0-9]+ records, [0-9.]+ [kMG]?B/s, ([0-9]+ min )?[0-9]+ s left' shown
	tail -n 1 shown | grep -Eqx 'shtok: 13\.5 MB, 1656 records, [0-9.]+ [kMG]?B/s, [0-9.]+ s'
	on_terminal "cat docs | shtok --progress | $SLOWLY"
	grep -Eqx 'shtok: [0-9.]+ [kM]B, [0-9]+ records, [0-9.]+ [kMG]?B/s' shown
	on_terminal "shtok --progress docs - </dev/null | $SLOWLY"
	run ! grep -q ' of ' shown
}

@test "only shdedup shows progress without --progress, and only on a terminal that can overwrite a line" {
	for _ in 1 2 3; do cat "$T_DATA/en_dev.tsv"; done >docs
	on_terminal "shtok docs | $SLOWLY"
	[ ! -s shown ]
	on_terminal "shdedup docs >/dev/null"
	[ "$(grep -c 'documents, ' shown)" = 1 ]
	run ! grep -Eq ' MB, .* s$' shown
	TERM_HERE=dumb
	on_terminal "shtok --progress docs | $SLOWLY"
	seldom shown
}

@test "--progress cuts the line to the width of the terminal" {
	for _ in 1 2 3; do cat "$T_DATA/en_dev.tsv"; done >docs
	on_terminal "stty cols 40; shtok --progress docs | $SLOWLY"
	cat shown
	[ "$(wc -l <shown)" -ge 2 ]
	sed '$d' shown >over
	run ! grep -q '.\{40\}' over
	grep -q '^shtok: .\{32\}$' over
	tail -n 1 shown | grep -Eqx 'shtok: 13\.5 MB, 1656 records, [0-9.]+ [kMG]?B/s, [0-9.]+ s'
}

@test "--progress writes a line with one write, so that programs of a pipe can share a log" {
	printf 'a\tone two\n' >docs
	cat >pieces.py <<-'END'
		import os, subprocess, sys
		# Each read of this pipe gives the bytes of one write.
		got, log = os.pipe2(os.O_DIRECT)
		subprocess.run(sys.argv[1:], stderr=log, stdout=subprocess.DEVNULL, check=True)
		print(os.read(got, 4096).decode(), end="")
	END
	try 'python3 pieces.py shtok --progress docs'
	exits 0
	grep -Eqx 'shtok: 10 B, 1 record, [0-9.]+ [kM]?B/s, [0-9.]+ s' out
}
