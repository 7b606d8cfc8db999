#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The match engine: shdedup against the comparison of all pairs, and its cost.
load helper

oracle=$BATS_TEST_DIRNAME/match-oracle.py

# agrees KIND UNIT N MEASURE-OPTIONS JACCARD EDIT: for random documents, both links and each kind of keeper.
agrees() {
	local seed=0 link keep
	for keep in first newest longest list; do
		seed=$((seed + 1))
		[ $((seed % ${T_SHORT:-1})) -eq 0 ] || continue
		python3 "$oracle" make "$seed" "$1" 45 >docs
		case $keep in
		first) cut -f 1 docs ;;
		newest) tac docs | cut -f 1 ;;
		longest) awk -F '\t' '{ print length($2) "\t" NR "\t" $1 }' docs | LC_ALL=C sort -k1,1nr -k2,2n | cut -f 3 ;;
		list) tac docs | awk -F '\t' 'NR % 3 == 1 { print $1 }' ;;
		esac >ranks
		cp ranks list
		[ $keep != list ] || awk -F '\t' 'NR == FNR { seen[$1]; next } !($1 in seen) { print $1 }' list docs >>ranks
		for link in star single; do
			try "shdedup -q -u $2 -n $3 $4 --link $link --keep $keep --dry-run --report report docs"
			exits 0
			python3 "$oracle" check docs "$2" "$3" "$5" "$6" $link ranks report
			try "shdedup -q -u $2 -n $3 $4 --link $link --keep $keep --dry-run --report again -j 3 -S 1 docs"
			exits 0
			same report again
		done
	done
}

@test "short texts of words: all near-duplicates are found, and no others" {
	agrees words word 3 '' 0.8 0.89
	agrees words word 3 '--measure edit -T 0.75' 0 0.75
	agrees words word 1 '-T 0.5' 0.5 0
}

@test "short texts of characters and of Chinese: all near-duplicates are found, and no others" {
	agrees words char 3 '--measure edit -T 0.9' 0 0.9
	agrees chinese word 2 '' 0.8 0.89
}

@test "repeated words: all near-duplicates are found, and no others" {
	agrees repeats word 3 '' 0.8 0.89
	agrees repeats word 2 '--measure edit -T 0.8' 0 0.8
}

@test "long texts: all near-duplicates are found, and no others" {
	agrees long word 3 '' 0.8 0.89
	agrees long word 3 '-T 0.7' 0.7 0
}

na() {
	printf ' na%.0s' $(seq "$1")
}

@test "a document is dropped only for a keeper that it is similar to itself" {
	a='The band came back on stage and the singer asked everybody in the old hall to sing along with them one last time before they all went home that night and the crowd sang'
	c='The band came back on stage, and the singer told everybody in the hall to sing along with them one last time before all went home that night and the crowd sang'
	printf 'a\t%s%s\nb\t%s%s\nc\t%s%s\n' "$a" "$(na 4)" "$c" "$(na 4)" "$c" "$(na 200)" >docs
	try 'shdedup -q --dry-run --report - docs'
	gives 'b\ta\t0.9211\tedit'
	try "printf 'd0\ta a a\nd1\ta\nd2\ta a\n' | shdedup -q -n 2 --measure any -T 1,0.5 --link single --dry-run --report -"
	gives 'd1\td0\t0.3333\tedit' 'd2\td0\t1.0000\tjaccard'
}

@test "a document of one word repeated is found by its copy with one more word" {
	printf 'a\t%s\nb\t%s yes\n' "$(printf 'no %.0s' $(seq 60))" "$(printf 'no %.0s' $(seq 60))" >docs
	try 'shdedup -q --dry-run --report - docs'
	gives 'b\ta\t0.9836\tedit'
}

# compared: prints the number of pairs that the last shdedup compared.
compared() {
	sed -n 's/.*; [0-9]* with the tokens of another, \([0-9]*\) pairs compared.*/\1/p' err
}

# pages N: prints N pages of three templates. One of ten is an earlier page with three words changed.
pages() {
	awk -v n="$1" 'BEGIN {
		srand(5)
		for (t = 0; t < 3; t++) for (i = 0; i < 160; i++) template[t] = template[t] "w" int(rand() * 20000) " "
		for (p = 0; p < n; p++) {
			copy = p && rand() < 0.1
			of = copy ? int(rand() * p) : p
			t = of % 3; if (copy) t = kind[of]
			kind[p] = t; text = template[t]
			split(own[of], w, " ")
			for (i = 1; i <= 40; i++) if (!copy) w[i] = "w" int(rand() * 20000)
			for (i = 0; copy && i < 3; i++) w[1 + int(rand() * 40)] = "w" int(rand() * 20000)
			o = ""; for (i = 1; i <= 40; i++) o = o w[i] " "
			own[p] = o
			print "p" p "\t" text o
		}
	}'
}

@test "pages of templates: comparisons grow with the pages, and copies are found" {
	pages 8000 >docs
	try 'shdedup --measure jaccard -T 0.9 --dry-run --report report docs'
	exits 0
	all=$(compared)
	[ "$(wc -l <report)" -gt 600 ]
	try 'head -n 4000 docs | shdedup --measure jaccard -T 0.9 --dry-run'
	echo "$all, $(compared)"
	[ "$all" -lt $(($(compared) * 23 / 10)) ]
	[ "$all" -lt $((8000 * 100)) ]
}

@test "lines of a log: comparisons grow with the lines" {
	awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) {
		printf "l%d\tsession %d of user%d opened on host%d by service %d from address 10 0 %d %d port %d with key %d after %d ms state %s queue %d\n",
		i, rand() * 1e6, rand() * 500, rand() * 40, rand() * 9, rand() * 256, rand() * 256, rand() * 65536, rand() * 1e5, rand() * 900,
		rand() < 0.5 ? "ok" : "failed", rand() * 30 } }' >docs
	try 'shdedup --measure edit -T 0.75 --dry-run docs'
	exits 0
	all=$(compared)
	try 'head -n 10000 docs | shdedup --measure edit -T 0.75 --dry-run'
	echo "$all, $(compared)"
	[ "$all" -lt $(($(compared) * 23 / 10)) ]
}

@test "a family of copies with changes needs one comparison a copy" {
	awk 'BEGIN {
		srand(3)
		for (i = 0; i < 30000; i++) {
			printf "d%d\t", i
			for (w = 0; w < 40; w++)
				printf "%s%d ", i % 3 ? "b" : "r" i "x", w
			print "n" i
		}
	}' >docs
	try 'shdedup docs | wc -l'
	exits 0
	gives 10001
	[ "$(compared)" -eq 19999 ]
}
