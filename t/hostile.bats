#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Input made to cost time or memory. Crafted documents and fingerprints take at most three times the CPU time of usual
# input of their size. Long lines, records and documents stay within a limit of memory. SOAK=1 (make soak) uses the
# largest sizes that the documentation promises.

load helper

setup_file() {
	! nm "$SHBIN/shtok" 2>/dev/null | grep -q '__[at]san_init' || export SANITIZED=1
}

# cost COMMAND FILE: prints the CPU time (user and system) of a pipeline that reads FILE, in milliseconds.
cost() {
	local TIMEFORMAT='%U %S'
	set -o pipefail
	{ time bash -o pipefail -c "{ $1; } <$2" >/dev/null 2>&1; } 2>&1 |
		awk '{ printf "%d\n", 1000 * ($1 + $2) }'
}

# bounded FACTOR COMMAND HOSTILE USUAL: COMMAND takes at most FACTOR times as long for HOSTILE as for USUAL, and 20 ms
# for the start of programs. Each time is the least of five alternating runs.
bounded() {
	local hostile=999999 usual=999999 ms i
	[ -z "${SANITIZED-}" ] || skip 'sanitizers change what things cost'
	for i in 1 2 3 4 5; do
		ms=$(cost "$2" "$3")
		[ "$ms" -ge "$hostile" ] || hostile=$ms
		ms=$(cost "$2" "$4")
		[ "$ms" -ge "$usual" ] || usual=$ms
	done
	echo "$2: $hostile ms, others $usual ms"
	[ "$hostile" -le $((usual * $1 + 20)) ]
}

# words N: prints N documents of 30 pseudo-random words, the same documents in each run.
words() {
	awk -v n="$1" 'BEGIN {
		for (x = i = 1; i <= n; i++) {
			printf "d%d\t", i
			for (w = 0; w < 30; w++) {
				x = (x * 16807) % 2147483647
				printf "w%x ", x
			}
			print ""
		}
	}'
}

# fingerprints N MODULUS: prints N fingerprints of 64 bits. The first 32 bits are a number below MODULUS.
fingerprints() {
	awk -v n="$1" -v mod="$2" 'BEGIN {
		for (x = i = 1; i <= n; i++) {
			x = (x * 16807) % 2147483647
			high = x % mod
			x = (x * 16807) % 2147483647
			printf "%08x%08x\ti%d\n", high, x, i
		}
	}'
}

@test "documents that have one feature, the same or different ones, cost no more than usual documents" {
	words 20000 >usual
	awk '{ print "d" NR "\tsame" }' usual >same
	awk '{ print "d" NR "\tw" NR }' usual >own
	bounded 3 'shdedup -q' same usual
	bounded 3 'shdedup -q' own usual
	bounded 3 'shfp --keys=64x4' own usual
}

@test "documents of one template cost no more than usual documents: they are compared with their keeper only" {
	words 10000 | awk '{ print; sub(/^d/, "e"); print $0 "more" }' >usual
	awk '{ printf "d%d\t", NR; for (i = 0; i < 30; i++) printf "word%d ", i; print "own" NR }' usual >template
	awk '{ printf "d%d\town%d ", NR, NR; for (i = 0; i < 29; i++) printf "word "; print "" }' usual >one
	bounded 3 'shdedup -q' template usual
	bounded 3 'shdedup -q -n 1' template usual
	bounded 3 'shdedup -q -n 1 -T 0.3' one usual
}

@test "documents with one id cost no more in an archive than documents with different ids" {
	words 20000 >all
	head -n 10000 all >archived
	tail -n 10000 all >usual
	sed 's/^[^\t]*/same/' usual >same
	sharchive init archive
	shdedup -q -a archive archived >kept
	sed 's/^[^\t]*/same/' archived | shdedup -q -a archive >kept
	bounded 3 'shdedup -q --dry-run -a archive' same usual
}

@test "documents of one repeated word cost no more than usual documents" {
	words 20000 >usual
	awk '{ printf "d%d\t", NR; for (i = 0; i < 30; i++) printf "wordword "; print "" }' usual >repeated
	bounded 3 'shfp -n 1 -w log' repeated usual
	# A document of one feature has one MinHash value, and the other 63 are copied from it.
	bounded 8 shfp repeated usual
	bounded 3 'shtok | shweight' repeated usual
}

@test "long runs of combining marks, and ligatures of 18 characters, cost no more than their characters" {
	awk 'BEGIN { for (i = 0; i < 3000; i++) { printf "d%d\ta", i; for (j = 0; j < 60; j++) printf "\xcc\x81\xcc\xa3"; print "" } }' >marks
	awk 'BEGIN { for (i = 0; i < 3000; i++) { printf "d%d\t", i; for (j = 0; j < 60; j++) printf "\xef\xb7\xba"; print "" } }' >ligatures
	# The characters of the ligature are written out.
	awk 'BEGIN { for (i = 0; i < 3000; i++) { printf "d%d\t", i; for (j = 0; j < 60; j++) printf "صلى الله عليه وسلم"; print "" } }' >written
	awk 'BEGIN { for (i = 0; i < 3000; i++) { printf "d%d\t", i; for (j = 0; j < 60; j++) printf "é́à "; print "" } }' >accents
	bounded 3 shfp ligatures written
	bounded 3 shfp marks accents
}

@test "fingerprints that agree on half of their bits, or on all, cost no more than random fingerprints" {
	fingerprints 100000 2147483647 >usual
	fingerprints 100000 1 >half
	sed 's/^[^\t]*/0123456789abcdef/' usual >identical
	bounded 3 'shjoin -k 3' half usual
	bounded 3 'shjoin --collapse' identical usual
	bounded 3 'shband -k 3 | LC_ALL=C sort | shjoin -k 3' half usual
}

@test "pairs that form one star or one chain cost no more to group than random pairs" {
	fingerprints 200000 200000 | awk '{ print substr($1, 1, 8) "\t" substr($1, 9) "\t1" }' >usual
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print "hub\tleaf" i "\t1" }' >star
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print "c" i "\tc" i + 1 "\t1" }' >chain
	bounded 3 'shgroup --link star' star usual
	bounded 3 'shgroup --link single' chain usual
}

# within MEGABYTES COMMAND: COMMAND succeeds in at most MEGABYTES of address space.
within() {
	[ -z "${SANITIZED-}" ] || skip 'sanitizers take address space of their own'
	try "ulimit -v $(($1 * 1024)); $2"
	exits 0
}

# repeat BYTES TEXT: prints TEXT again and again, BYTES in all.
repeat() {
	yes "$2" | tr -d '\n' | head -c "$1"
}

@test "a long line is one document, in at most 42 times its size of memory" {
	local size=16777216 room=700
	[ -z "${SOAK-}" ] || size=1073741824 room=22000
	(repeat "$size" 'seven letters ' && echo) >line
	within "$room" 'shfp -l line'
	[ "$(wc -l <out)" -eq 1 ]
	within "$room" 'shtok -n 1 -l line | wc -l'
	gives "$((size / 14 * 2 + 2))"
}

@test "a record of a million fields is an error, and with -f a document" {
	local fields=1000000
	[ -z "${SOAK-}" ] || fields=10000000
	(printf 'id\ttext'; repeat "$fields" $'\t'; echo) >wide
	within 200 'shtok -f 1,2 wide'
	gives 'id\ttext\t1'
	try 'shtok wide'
	exits 2
	says "shtok: wide:1: $((fields + 2)) fields, expected id<TAB>text (-f ID,TEXT chooses two of them)"
}

@test "a document of two million tokens is read within 300 MB of memory" {
	local tokens=2000000 room=300
	[ -z "${SOAK-}" ] || tokens=100000000 room=8000
	(printf 'id\t'; repeat $((2 * tokens)) 'a b c d e f g h ' && echo) >long
	within "$room" 'shfp -n 3 long'
	[ "$(wc -l <out)" -eq 1 ]
	within "$room" 'shtok -n 1 long | shweight -w tf'
	[ "$(awk '{ n += $3 } END { print n }' out)" -eq "$tokens" ]
}

@test "a document of 2^31 n-grams or more is refused" {
	(printf 'id\t'; repeat 17200000 'a b ' && echo) >long
	try 'shfp -n 1-255 long'
	exits 2
	says 'shfp: long:1: a document of more than 2147483647 n-grams'
}

@test "a text that needs more memory than -S is refused before it is split, by the name of its place" {
	local o
	(printf 'a\tshort text\nb\t'; repeat 3600000 'abc def ' && echo) >long
	printf 'a\tb\t0\n' >pairs
	for o in 'shdedup -q --dry-run --report - -S 1M -u char long' 'shverify -S 1M -u char -d long pairs' \
		'shspan -S 1M -u char long' 'shspan -S 1M -u char --exact 50 long'; do
		try "$o"
		exits 2
		says "${o%% *}: long:2: the text of 3600000 bytes needs about 275 MB of memory, more than -S: raise -S, or cut the text"
		# 80 bytes for each character, 20 for each byte of words; 256 MB are always allowed.
		try "${o/ -u char/}"
		exits 0
	done
	sed 's/[a-z]/é/g' long >accents
	within 700 'shdedup -q --dry-run --report - -S 400M -u char accents'
	try 'shdedup -q --dry-run --report - -S 100M -u char accents'
	exits 2
	says 'shdedup: accents:2: the text of 6300000 bytes needs about 275 MB of memory, more than -S: raise -S, or cut the text'
}

@test "messages show control characters of the input as ?" {
	printf 'a\033[31m\177b\tid\n' >$'f\t\033]0;x\007'
	try 'shband f*'
	exits 2
	says "shband: f	?]0;x?:1: fingerprint 'a?[31m?b' is not lower-case hex (shfp makes fingerprints of documents)"
	printf 'é\033c\t!\n' >docs
	try 'shfp docs'
	exits 0
	grep -qx "shfp: docs:1: document 'é?c' has no features: skipped" err
	# Some terminals obey CSI and OSC in UTF-8. U+00A0 and ill-formed bytes stay.
	printf 'a\302\23331m\302\2350;x\302\240\340\302\t!\n' >docs
	try 'shfp docs'
	exits 0
	grep -aqx "$(printf "shfp: docs:1: document 'a?31m?0;x\302\240\340\302' has no features: skipped")" err
	# getopt_long(3) quotes the name of a file, which a shell pattern gave, as an unknown option.
	try "shfp -n 2 \$'--\033]0;x\007' \$'\302\233x'"
	exits 2
	says "shfp: unrecognized option '--?]0;x?'" "Try 'shfp --help' or 'man shfp'."
	try "shfp -p gomd5 \$'-\033[31m'"
	exits 2
	says "shfp: invalid option -- '?'" "Try 'shfp --help' or 'man shfp'."
}

@test "shdedup --sample shows control characters of texts and ids as ?" {
	printf 'a\033c\302\2331m%s\t%s \302\233 %s\n' 1 "$(seq -s ' ' 40)" x 2 "$(seq -s ' ' 40)" y >docs
	try 'shdedup -q --dry-run --sample 1 docs'
	exits 0
	grep -q ': a?c?1m1 | a?c?1m2$' out
	run ! grep -q "$(printf '\033\\|\302\233')" out
}
