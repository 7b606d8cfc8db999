#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdedup -a DIR --every SECONDS: an input that stays open.
load helper

# lines FILE N: the file has at least N lines.
lines() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

# start OPTION...: starts a run that reads the FIFO `feed`, which descriptor 7 keeps open. Sets pid.
start() {
	mkfifo feed
	shdedup -a archive --every 1 "$@" <feed >news 2>err 3>&- 7>&- &
	pid=$!
	exec 7>feed
}

# finish: waits for the run. Sets status.
finish() {
	status=0
	wait $pid || status=$?
}

@test "--every: batches change no decision: output, report and archive are those of one run" {
	cp "$T_DATA/en_dev.tsv" docs
	sharchive init one
	SOURCE_DATE_EPOCH=1000 shdedup -q -a one --report one.report docs >expected
	sharchive init archive
	export SOURCE_DATE_EPOCH=1000
	start -q --report report
	split -n l/5 docs part.
	n=0
	for part in part.*; do
		# The last line of each part comes in two pieces: a partial line waits.
		head -c -200 "$part" >&7
		n=$((n + $(head -c -200 "$part" | wc -l)))
		until_true 60 recorded $n
		tail -c 200 "$part" >&7
	done
	exec 7>&-
	finish
	exits 0
	same expected news
	same one.report report
	same <(sharchive stats one | grep '^documents\|^stayed\|^keys') <(sharchive stats archive | grep '^documents\|^stayed\|^keys')
	try 'sharchive check archive'
	exits 0
}

@test "--every: one batch merges segments of several sizes, as a run without --every does" {
	head -n 16 "$T_DATA/en_dev.tsv" >docs
	[ "$(wc -l <docs)" -eq 16 ]
	sharchive init archive
	for n in {1..15}; do
		sed -n ${n}p docs | shdedup -q -a archive >/dev/null
	done
	[ "$(grep -c ^segment archive/manifest)" -eq 6 ]
	try 'tail -n 1 docs | shdedup -q -a archive --every 1'
	exits 0
	[ "$(grep -c ^segment archive/manifest)" -eq 1 ]
	try 'sharchive check archive'
	exits 0
}

# recorded N: the archive has at least N documents. sharchive works between two batches.
recorded() {
	local n
	n=$(sharchive stats archive --wait 60 | awk -F '\t' '$1 == "documents" { print $2 }')
	[ "$n" -ge "$1" ]
}

@test "--every: a line comes out while the input is open, and SIGTERM ends the run with status 0" {
	sharchive init archive
	start
	for i in 1 2 3; do
		printf 'a%d\tthis is text number %d of the feed, unlike others %d\n' $i $i $((i * 77)) >&7
		until_true 60 lines news $i
	done
	printf 'b\tthis is text number 3 of the feed, unlike others 231\nc\tpart' >&7
	until_true 60 recorded 4
	kill -TERM $pid
	finish
	exits 0
	[ "$(cut -f 1 news | tr '\n' ' ')" = 'a1 a2 a3 ' ]
	# The partial line was no record.
	says 'shdedup: 4 documents in 4 batches, 3 stay, 1 dropped'
	exec 7>&-
}

@test "--every: SIGTERM while a batch is written lets the batch end" {
	sharchive init archive
	mkfifo feed out
	shdedup -q -a archive --every 1 <feed >out 2>err 3>&- 7>&- &
	pid=$!
	exec 7>feed 8<out
	cat "$T_DATA/en_dev.tsv" >&7
	# The batch waits for the reader of its output.
	head -c 10 <&8 >news
	kill -TERM $pid
	cat <&8 >>news &
	finish
	exits 0
	wait
	exec 7>&- 8<&-
	shdedup -q "$T_DATA/en_dev.tsv" >expected
	# All that came out is in the archive; what the pipe still held was not read.
	n=$(wc -l <news)
	[ "$n" -gt 0 ]
	sharchive stats archive | grep -qx "stayed	$n"
	head -n "$n" expected | same - news
}

@test "--every: after a kill the documents are given again, and known ones repeat their verdict" {
	head -n 60 "$T_DATA/en_dev.tsv" >docs
	shdedup -q docs >expected
	sharchive init archive
	start -q
	head -n 40 docs >&7
	until_true 60 recorded 40
	kill -KILL $pid
	finish
	exec 7>&-
	cp news before
	rm feed
	start -q
	cat docs >&7
	exec 7>&-
	finish
	exits 0
	same expected news
	same <(head -n "$(wc -l <before)" expected) before
}

@test "--every: the input may be a FIFO as operand; JSON is read" {
	sharchive init archive
	mkfifo fifo
	shdedup -q --json -a archive --every 1 fifo >news 3>&- 7>&- &
	pid=$!
	printf '{"id":"a","text":"one two three four five"}\n{"id":"b","text":"one two three four five"}' >fifo
	finish
	exits 0
	printf '{"id":"a","text":"one two three four five"}\n' | same - news
}

@test "--every: a bad record ends the run with status 2, and the batches before it stay" {
	sharchive init archive
	start -q
	printf 'a\tone two three four five\n' >&7
	until_true 60 lines news 1
	printf 'bad\n' >&7
	finish
	exits 2
	[ -s err ]
	exec 7>&-
	try 'sharchive check archive'
	says 'sharchive: 1 document in 1 segment, all good'
}

@test "--every: compressed input is an error, also under --rejects" {
	sharchive init archive
	printf 'a\tone two three four five\n' | gzip >docs.gz
	for options in '' '--rejects rejects'; do
		try "shdedup -a archive --every 1 $options docs.gz"
		exits 2
		gives
		says 'shdedup: --every reads lines as they arrive, but the input is compressed by gzip (decompress it in a pipe)'
	done
}

@test "--every refuses options that need all documents" {
	sharchive init archive
	while IFS='|' read -r options message; do
		try "shdedup $options </dev/null"
		exits 2
		gives
		says "shdedup: $message" "Try 'shdedup --help' or 'man shdedup'."
	done <<-'END'
	--every 1|--every needs -a DIR
	-a archive --every 0|--every '0': expected a whole number from 1 to 1000000
	-a archive --every 1 -o news|--every cannot be used with -o
	-a archive --every 1 -O shards|--every cannot be used with -O
	-a archive --every 1 --mark m|--every cannot be used with --mark
	-a archive --every 1 --dry-run|--every cannot be used with --dry-run
	-a archive --every 1 --keep longest|--every cannot be used with another --keep than first
	-a archive --every 1 --header|--every cannot be used with a header
	-a archive --every 1 -l|--every cannot be used with -l
	-a archive --every 1 --trailer|--every cannot be used with --trailer
	-a archive --every 1 one two|--every reads one input, not 2
	END
}
