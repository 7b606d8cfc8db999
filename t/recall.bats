#!/usr/bin/env bats
# shband --recall (tables drawn at random), shjoin of such bands, and shjoin --explain.

load helper

# prints N: prints N pseudo-random fingerprints. Every second one differs from the one before it in at most 12 bits.
prints() {
	awk -v n="$1" 'BEGIN {
		srand(7)
		for (i = 0; i < n; i++) {
			for (b = 0; b < 64; b++)
				f[b] = i % 2 ? f[b] : int(rand() * 2)
			for (c = i % 2 ? int(rand() * 13) : 0; c > 0; c--)
				f[int(rand() * 64)] = int(rand() * 2)
			for (h = b = 0; b < 64; b++) {
				h = h * 2 + f[b]
				if (b % 4 == 3) { printf "%x", h; h = 0 }
			}
			printf "\tid%d\n", i
		}
	}'
}

@test "shband --recall: more than half of the pairs are found, each once, with the right distance" {
	prints 4000 >in
	shjoin -k 8 in | sort >all
	for args in '--recall 0.5' '--recall 0.9 --seed 3' '--recall 0.99 -N 1000000000'; do
		try "shband -k 8 $args in | sort | shjoin | sort"
		exits 0
		says
		[ "$(uniq -d out | wc -l)" -eq 0 ]
		[ "$(comm -23 out all | wc -l)" -eq 0 ]
		[ "$(wc -l <out)" -gt $(($(wc -l <all) / 2)) ]
	done
	[ "$(wc -l <all)" -gt 1000 ]
}

@test "shband --recall: the recall that --explain states is the share of pairs found, within 0.1" {
	prints 20000 >in
	shjoin -k 12 in >all
	shband -k 12 --recall 0.8 -N 300000000 in | sort | shjoin >found
	shband -k 12 --recall 0.8 -N 300000000 --explain | awk '/^expected/ { sub(":", ""); print $5, $6 }' >stated
	[ "$(wc -l <stated)" -eq 13 ]
	awk 'FILENAME == "all" { all[$3]++ } FILENAME == "found" { found[$3]++ }
		FILENAME == "stated" && all[$1] > 200 {
			share = found[$1] / all[$1]
			print $1, all[$1], share, $2
			tested++
			if (share - $2 > 0.1 || $2 - share > 0.1) bad++
		}
		END { exit bad || tested < 6 }' all found stated
}

@test "shband --explain marks the layout that shband uses" {
	prints 1 >in
	for args in '-k 12 --recall 0.8 -N 300000000' '-k 9 --recall 0.9 -N 1000000000'; do
		try "shband $args --explain"
		exits 0
		[ "$(head -n 1 out)" = "64 bits, distance $(cut -d ' ' -f 2 <<<"$args"), recall $(cut -d ' ' -f 4 <<<"$args") there, ${args##* } fingerprints with ids of 16 bytes" ]
		awk '$1 == "*" { print $3, $2 }' out >marked
		# A key begins with the layout: distance, 00, tables, bits and seed in hexadecimal.
		shband $args in | awk 'END { print NR }' >tables
		bits=$((16#$(shband $args in | head -n 1 | cut -c 8-9)))
		echo "$(cat tables) $bits" | diff - marked
	done
	[ "$(cat tables)" -gt 1 ]
}

@test "shband --recall: the same seed gives the same bands, and another seed other bands" {
	prints 10 >in
	shband -k 9 --recall 0.9 in >a
	shband -k 9 --recall 0.9 --seed 0 in >b
	shband -k 9 --recall 0.9 --seed 1 in >c
	same a b
	run ! cmp -s a c
	try 'printf "0123456789abcdef\ta\n" | shband -k 2 --recall 0.5 -N 1000'
	exits 0
	cut -c 1-4 out | sort -u >layout
	printf '0200\n' >want
	same want layout
}

@test "shjoin refuses altered keys and mixed layouts of bands of --recall" {
	prints 50 >in
	shband -k 9 --recall 0.9 -N 1000000000 in | sort >bands
	sed '3s/\t[0-9a-f]*/\t0123456789abcdef/' bands >altered
	try 'shjoin altered'
	exits 2
	grep -q 'altered:3: key .* is not that of fingerprint 0123456789abcdef in this table' err
	shband -k 9 in | cat bands - >mixed
	try 'shjoin mixed'
	exits 2
	grep -q 'do not mix layouts' err
	shband -k 9 --recall 0.9 -N 1000000000 --seed 5 in | cat bands - >mixed
	try 'shjoin mixed'
	exits 2
	grep -q 'do not mix layouts' err
	try 'shjoin -k 10 bands'
	exits 2
	grep -q 'guarantee pairs only up to distance 9' err
	try "printf '09000000100000\t0123456789abcdef\ta\n' | shjoin"
	exits 2
	grep -q 'declares tables drawn at random, impossible' err
}

@test "shband --recall: refuses values outside 0 and 1, and -M" {
	for share in 0 1 1.5 x -1; do
		try "shband --recall=$share </dev/null"
		exits 2
		grep -q 'between 0 and 1' err
	done
	try 'shband --recall 0.5 -M 5 </dev/null'
	exits 2
	try 'shband --recall 0.5 --seed 65536 </dev/null'
	exits 2
}

@test "shjoin: bands of --recall of two files give at least 95 % of the pairs" {
	prints 3000 >in
	awk 'NR % 2' in >odd
	awk 'NR % 2 == 0' in >even
	shband -k 6 --recall 0.99 odd | sort >a
	shband -k 6 --recall 0.99 even | sort >b
	shjoin -k 6 odd even | sort >all
	try 'shjoin a b | sort'
	exits 0
	[ "$(comm -23 out all | wc -l)" -eq 0 ]
	[ $(($(wc -l <out) * 100)) -gt $(($(wc -l <all) * 95)) ]
}

@test "shjoin --explain: writes the plan for an input or for -N records" {
	try 'shjoin --explain -N 1000000 -k 3'
	exits 0
	says
	grep -q '^1000000 fingerprints of 64 bits, distance 3, uniformly distributed$' out
	grep -q '^by 2 blocks: ' out
	[ "$(awk 'length($2) == 16 { n += $4 + 1 } END { print n }' out)" -eq 4 ]
	try 'shjoin --explain -N 1000000 -k 6'
	exits 0
	[ "$(awk 'length($2) == 16 { n += $4 + 1 } END { print n }' out)" -eq 7 ]
	prints 3000 >in
	try 'shjoin --explain -k 3 in'
	exits 0
	grep -q ' different fingerprints of 64 bits, distance 3$' out
	# So few records are compared pair by pair.
	head -n 100 in >few
	try 'shjoin --explain few'
	exits 0
	grep -qE '^every two compared: 4\.[0-9]*e\+03 candidates, [1-9]' out
	[ "$(wc -l <out)" -eq 2 ]
	# Records larger than the memory need at least this number of partitions.
	prints 3000 >in
	for size in 100K 120K 150K; do
		shjoin --explain -S $size in
	done >parts
	grep -qx '2 partitions, each joined with itself and with each other' parts
	try 'shjoin --explain -k 5 </dev/null'
	exits 0
	gives 'no fingerprints, distance 5'
	try 'shjoin --explain -N 1000 in'
	exits 2
	gives
	says "shjoin: -N plans for random fingerprints: 'in' would not be read" "Try 'shjoin --help' or 'man shjoin'."
}
