#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shstat: histograms of pairs and groups.
load helper

@test "pairs: writes a row for each distance, and the sizes of the groups" {
	printf '%s\t%s\t%d\n' a b 1 b c 1 d e 3 f g 1 >pairs
	cat >expected <<-'END'
	   distance      pairs
	          1          3  ##########
	          2          0
	          3          1  ###

	  documents     groups
	          2          2  ##########
	          3          1  #####

	4 pairs; 7 documents in 3 groups, the largest of 3
	END
	try 'shstat --width 10 pairs'
	exits 0
	same expected out
}

@test "verified pairs: writes the mean similarity of each distance" {
	printf '%s\tedit\n' 'a	b	4	0.9000' 'b	c	4	0.8000' 'd	e	5	0.5' | shstat --width 4 >out
	grep -q '^ *4 *2  0.85  ####$' out
	grep -q '^ *5 *1  0.50  ##$' out
	# Pairs without a similarity do not count in the mean. A row may have no similarity.
	printf 'a\tb\t4\nb\tc\t4\t0.0000\tedit\nd\te\t4\t1\tedit\nd\te\t6\n' | shstat --width 3 >out
	grep -q '^ *4 *3  0.50  ###$' out
	grep -q '^ *6 *1 *  #$' out
}

@test "bars are rounded, and a count above 0 has a bar; --width is at most 1000" {
	seq 100 | awk '{ print "a\t" $1 "\t" ($1 <= 3 ? 1 : $1 == 4 ? 2 : $1 <= 52 ? 4 : 5) }' >pairs
	try 'shstat --width 10 pairs'
	exits 0
	head -n 6 out >top
	cat >expected <<-'END'
	   distance      pairs
	          1          3  #
	          2          1  #
	          3          0
	          4         48  ##########
	          5         48  ##########
	END
	same expected top
	try "printf 'a\tb\t1\na\tc\t1\na\td\t1\na\te\t1\na\tf\t2\na\tg\t2\n' | shstat --width 3"
	grep -qx ' *2 *2  ##' out
	try 'shstat --width 1000 pairs'
	exits 0
	[ "$(grep -c '  #\{1000\}$' out)" -eq 3 ]
	for width in 0 1001; do
		try "shstat --width $width pairs"
		exits 2
		says "shstat: --width '$width': expected a whole number from 1 to 1000" \
			"Try 'shstat --help' or 'man shstat'."
	done
}

@test "pairs of shspan: writes a row for each tenth of the greater coverage" {
	printf '%s\t%s\t%d\t%s\t%s\n' a b 40 0.0500 0.3000 a c 40 0.3999 0.2000 d e 90 1.0000 0.1000 >pairs
	cat >expected <<-'END'
	   coverage      pairs
	   0.0-0.09          0
	   0.1-0.19          0
	   0.2-0.29          0
	   0.3-0.39          2  ####
	   0.4-0.49          0
	   0.5-0.59          0
	   0.6-0.69          0
	   0.7-0.79          0
	   0.8-0.89          0
	   0.9-0.99          0
	        1.0          1  ##

	  documents     groups
	          2          1  ####
	          3          1  ####

	3 pairs; 5 documents in 2 groups, the largest of 3
	END
	try 'shstat --width 4 pairs'
	exits 0
	same expected out
	printf 'a\tb\t3\n' >>pairs
	try 'shstat pairs'
	exits 2
	says 'shstat: pairs:4: a pair with a distance, after pairs with coverages: count them apart'
}

@test "groups: writes sizes only, in rows that double beyond four" {
	for size in 1 2 2 5 8 9 70; do
		for i in $(seq $size); do printf 'g%s.%s\tg%s.1\n' "$((n))" "$i" "$((n))"; done
		n=$((n + 1))
	done >groups
	try 'shstat groups'
	exits 0
	[ "$(grep -c distance out)" -eq 0 ]
	awk '$2 ~ /^[0-9]+$/ { print $1, $2 }' out >got
	printf '%s\n' '2 2' '3 0' '4 0' '5-8 2' '9-16 1' '17-32 0' '33-64 0' '65-128 1' >expected
	same expected got
	grep -q '^96 documents in 6 groups, the largest of 70$' out
}

@test "records of two fields without keepers are counted, with a note" {
	for line in '0000000000000007\ta' 'a\tb' 'a\tab' 'ab\ta'; do
		try "printf '$line\n' | shstat"
		exits 0
		says 'shstat: no keeper has a line of its own (expected groups as shgroup writes them)'
	done
	try "printf 'a\tb\nb\tb\n' | shstat"
	exits 0
	says
}

@test "real pairs: the counts are those of cut, sort and uniq" {
	shfp -n 3 "$T_DATA/en_dev.tsv" | shjoin -k 12 | shverify -n 3 -d "$T_DATA/en_dev.tsv" >pairs
	cut -f 3 pairs | sort -n | uniq -c | awk '{ print $2, $1 }' >expected
	shstat pairs | awk '/documents/ { exit } $2 > 0 && $1 ~ /^[0-9]+$/ { print $1, $2 }' >got
	same expected got
	shgroup --link single pairs | cut -f 2 | uniq -c | awk '{ n[$1]++ } END { for (i in n) print i, n[i] }' | sort -n >expected
	shstat pairs | awk '/documents/ { on = 1 } on && $2 > 0 && $1 ~ /^[0-9]+$/ { print $1, $2 }' >got
	head -n 3 expected >e && head -n 3 got >g
	same e g
}

@test "the counts are the same with any number of threads" {
	# The input has several chunks with bad records in each.
	awk 'BEGIN { srand(5); for (i = 0; i < 20000; i++) {
		a = int(rand() * 30000)
		print "document " a "\tdocument " a - a % 5 + int(rand() * 5) "\t" (i % 500 ? i % 9 : "none") "\t0.9" i % 7 "\tedit" } }' >pairs
	grep none pairs >bad
	awk '{ print $2 "\t" $4 "\t" $5 }' pairs | grep -v none |
		awk '{ seen[$1]; seen[$2]; link[$1] = link[$1] " " $2; link[$2] = link[$2] " " $1; d[$3]++ }
		function walk(x,  k, i, to) { if (x in done) return 0; done[x]; k = 1
			for (i = split(link[x], to, " "); i > 0; i--) k += walk(to[i]); return k }
		END { for (x in seen) { s = walk(x); if (s > 1) { groups++; documents += s; if (s > most) most = s } }
			for (i = 0; i < 9; i++) pairs += d[i]
			print pairs " pairs; " documents " documents in " groups " groups, the largest of " most }' >expected.text
	grep -v none pairs | shgroup --link single >groups
	shstat groups >groups.1
	for j in 1 2 5; do
		try "shstat -j $j --rejects r pairs"
		exits 0
		says 'shstat: 40 records rejected, see r'
		mv out all.$j
		tail -n 1 all.$j >out
		same expected.text out
		cmp all.1 all.$j
		cmp bad r
		try "shstat -j $j pairs"
		exits 2
		says "shstat: pairs:1: distance 'none': not a number"
		try "shstat -j $j groups"
		exits 0
		cmp groups.1 out
	done
}

@test "empty input counts 0, and records that are not pairs are refused" {
	try 'shstat </dev/null'
	exits 0
	grep -q '^0 documents in 0 groups' out
	printf 'a\tb\t0\n' | shstat >out
	grep -q '^1 pair; 2 documents in 1 group, the largest of 2$' out
	printf 'a\tb\tc\n' >bad
	try 'shstat bad'
	exits 2
	grep -q 'bad:1:' err
	try "printf 'a\tb\t1024\n' | shstat | tail -n 1"
	exits 0
	gives '1 pair; 2 documents in 1 group, the largest of 2'
	printf 'a\tb\t1025\n' >bad
	try 'shstat bad'
	exits 2
	says 'shstat: bad:1: a distance above 1024'
	printf '\ta\n' >bad
	try 'shstat bad'
	exits 2
	says 'shstat: bad:1: empty id'
	printf 'a\ta\na\t\n' >bad
	try 'shstat bad'
	exits 2
	says 'shstat: bad:2: empty id'
	printf 'a\ta\na\tb\tc\n' >bad
	try 'shstat --rejects r bad'
	exits 0
	[ "$(wc -l <r)" -eq 1 ]
	# The first good record decides the kind of the input.
	printf 'id\na\ta\nb\ta\n' >bad
	try 'shstat --rejects r bad | tail -n 1'
	gives '2 documents in 1 group, the largest of 2'
	printf 'a\t\na\tb\t2000\na\tb\t1\n' >bad
	try 'shstat --rejects r bad | tail -n 1'
	gives '1 pair; 2 documents in 1 group, the largest of 2'
}
